//! The command that starts a program under a policy, and the entry of the executable that it names.

use crate::policy::Policy;
use crate::{guard, restrict};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The first argument of an executable that is called as a launcher.
const ROLE: &str = "__confine";
/// Watches the program and the one who wanted it.
const GUARD: &str = "guard";
/// Becomes the program.
const BECOME: &str = "become";

/// Exit code of a launcher that could not do its work; the program was not started.
const FAILED: u8 = 125;

/// An executable whose `main` begins with [`launched`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    executable: PathBuf,
}

impl Launcher {
    pub fn new(executable: PathBuf) -> Launcher {
        Launcher { executable }
    }

    /// Starts a program, named by an absolute path, under a policy. Its arguments, environment,
    /// directory and streams are given to the command as to any other; [`crate::Process`] starts it.
    pub fn command(&self, policy: &Policy, program: &Path) -> Command {
        let mut res = Command::new(&self.executable);
        res.args([ROLE, GUARD]).arg(std::process::id().to_string());
        res.args(policy.to_args()).arg(program);
        if let Some(scratch) = &policy.scratch {
            // Names that programs know the place of temporary files by.
            for name in ["TMPDIR", "TMP", "TEMP"] {
                res.env(name, scratch);
            }
        }
        res
    }
}

/// Whether a process that was started with these arguments guards a program in its sandbox.
pub fn is_guard(arguments: &[String]) -> bool {
    matches!(arguments, [_, role, part, ..] if role == ROLE && part == GUARD)
}

/// What the second part of a launcher is started with, by the first.
pub(crate) fn become_program(args: &[OsString]) -> Command {
    let mut res = Command::new("/proc/self/exe");
    res.args([ROLE, BECOME]).arg(std::process::id().to_string()).args(args);
    res
}

/// Does the work of a launcher if the arguments of the process ask for it; `None`: they do not.
pub fn launched(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    if args.next()? != ROLE {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    Some(match launch(&args) {
        Ok(code) => code,
        Err(why) => {
            // Who started us learns it from the exit code if it does not listen.
            writeln!(std::io::stderr(), "the sandbox could not be set up: {why}")
                .unwrap_or_default();
            ExitCode::from(FAILED)
        }
    })
}

fn launch(args: &[OsString]) -> Result<ExitCode, String> {
    let unreadable = || "the launcher was called by somebody else".to_owned();
    let [role, parent, rest @ ..] = args else { return Err(unreadable()) };
    let parent = parent.to_str().and_then(|it| it.parse().ok()).ok_or_else(unreadable)?;
    let (policy, command) = Policy::from_args(rest).ok_or_else(unreadable)?;
    if role == GUARD {
        guard::guard(parent, &policy, rest)
    } else if role == BECOME {
        Err(restrict::become_program(parent, &policy, command))
    } else {
        Err(unreadable())
    }
}
