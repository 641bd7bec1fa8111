//! The command that starts a program under a policy, and the entry point of the executable that it names.

use crate::policy::Policy;
use crate::{guard, restrict};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The first argument of an executable that is called as a launcher.
const ROLE: &str = "__confine";
/// The role that watches the program and its owner.
const GUARD: &str = "guard";
/// The role that becomes the program.
const BECOME: &str = "become";

/// The exit code of a launcher that failed before the program was started.
const FAILED: u8 = 125;

/// An executable whose `main` begins with a call of [`launched`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    executable: PathBuf,
}

impl Launcher {
    pub fn new(executable: PathBuf) -> Launcher {
        Launcher { executable }
    }

    /// Returns the command that starts a program, given by an absolute path, under a policy. Arguments, environment,
    /// directory and streams are set on the command as usual; [`crate::Process`] starts it.
    pub fn command(&self, policy: &Policy, program: &Path) -> Command {
        let mut res = Command::new(&self.executable);
        res.args([ROLE, GUARD]).arg(std::process::id().to_string());
        res.args(policy.to_args()).arg(program);
        if let Some(scratch) = &policy.scratch {
            // The variables by which programs find the directory for temporary files.
            for name in ["TMPDIR", "TMP", "TEMP"] {
                res.env(name, scratch);
            }
        }
        res
    }
}

/// Returns whether the command line is that of a process that guards a sandboxed program.
pub fn is_guard(arguments: &[String]) -> bool {
    matches!(arguments, [_, role, part, ..] if role == ROLE && part == GUARD)
}

/// Returns the command by which the guard starts the second role.
pub(crate) fn become_program(args: &[OsString]) -> Command {
    let mut res = Command::new("/proc/self/exe");
    res.args([ROLE, BECOME]).arg(std::process::id().to_string()).args(args);
    res
}

/// Does the work of a launcher if the arguments ask for it; `None` if they do not.
pub fn launched(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    if args.next()? != ROLE {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    Some(match launch(&args) {
        Ok(code) => code,
        Err(why) => {
            // If standard error is closed, the owner learns of the failure from the exit code.
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
