//! Starts build tools as users do, in a project in a directory of its own.

use crate::project::{Ended, Project};
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The source directory of an integration.
pub(crate) fn integration(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations").join(name)
}

impl Project {
    /// Links one of our directories into the project.
    pub(crate) fn link(&self, from: &Path, to: &str) {
        let to = self.dir.join(to);
        fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
        symlink(from.canonicalize().expect("the directory"), to).expect("a link");
    }

    /// Writes a shell script that prints one line.
    pub(crate) fn program(&self, name: &str, says: &str) {
        self.write(name, &format!("#!/bin/sh\necho '{says}'\n"));
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.dir.join(name), all).expect("permissions");
    }

    /// Runs a tool with `gimlet` on its path, and without network.
    #[track_caller]
    pub(crate) fn tool(&self, command: &str, environment: &[(&str, &str)]) -> Ended {
        self.run(&command.split(' ').collect::<Vec<_>>(), environment)
    }

    /// Like [`Project::tool`], with arguments that may contain spaces.
    #[track_caller]
    pub(crate) fn run(&self, words: &[&str], environment: &[(&str, &str)]) -> Ended {
        let (program, arguments) = words.split_first().expect("a program");
        let done = Command::new(program)
            .args(arguments)
            .current_dir(&self.dir)
            .env("PATH", path_with_gimlet())
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("HEX_OFFLINE", "1")
            .envs(environment.iter().copied())
            .output()
            .unwrap_or_else(|why| panic!("{program}: {why}; `make deps` installs it"));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ended {
            code: done.status.code().expect("no signal"),
            stdout: text(done.stdout),
            stderr: text(done.stderr),
        }
    }
}

fn path_with_gimlet() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_gimlet")).parent().expect("a directory").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([own].into_iter().chain(env::split_paths(&others))).expect("a path")
}

impl Ended {
    /// Fails unless the exit code is this one and the output has all of these texts in this order.
    #[track_caller]
    pub(crate) fn check(&self, code: i32, expect: &[&str]) {
        let said = format!("{}{}", self.stdout, self.stderr);
        assert_eq!(self.code, code, "{said}");
        let mut rest = said.as_str();
        for text in expect {
            let Some((_, after)) = rest.split_once(text) else { panic!("no {text:?} in {rest}") };
            rest = after;
        }
    }
}

/// The long options of `gimlet test` that a plugin passes on.
pub(crate) fn options_of_test() -> Vec<String> {
    let done = crate::common::gimlet(".", &["test", "--help"]);
    let help = String::from_utf8(done.stdout).expect("UTF-8");
    let lines = help.lines().filter_map(|it| it.trim_start().split_once("--"));
    let is_option =
        |before: &str| before.is_empty() || before.starts_with('-') && before.ends_with(", ");
    let names = lines.filter(|it| is_option(it.0)).filter_map(|it| it.1.split([' ', '[']).next());
    let of_prolog = ["goal", "mode", "coverage", "answers", "term-depth", "explain"];
    let mut res: Vec<String> =
        names.filter(|it| *it != "help" && !of_prolog.contains(it)).map(str::to_owned).collect();
    res.sort();
    res
}
