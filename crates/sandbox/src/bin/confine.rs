//! A launcher for the tests of this crate.
//!
//! `confine hold PROGRAM ARG...` is an owner, for tests that kill one: it starts the program with all rights except to
//! outlive it, writes the guard's process id to its standard error, and waits.

use sandbox::{Files, Launcher, Network, Policy, Process, Programs};
use std::io::Write as _;
use std::path::Path;
use std::process::{ExitCode, Stdio};

fn main() -> ExitCode {
    if let Some(code) = sandbox::launched(std::env::args_os()) {
        return code;
    }
    match hold() {
        Ok(code) => code,
        Err(why) => {
            writeln!(std::io::stderr(), "{why}").unwrap_or_default();
            ExitCode::FAILURE
        }
    }
}

fn hold() -> Result<ExitCode, std::io::Error> {
    let policy = Policy {
        files: Files::Allowed,
        network: Network::Allowed,
        programs: Programs::Allowed,
        ..Policy::default()
    };
    let mut args = std::env::args_os().skip(2);
    let program = args.next().unwrap_or_default();
    let launcher = Launcher::new(std::env::current_exe()?);
    let mut command = launcher.command(&policy, Path::new(&program));
    // The program's own output on standard error must not come before the process id.
    let mut process = Process::start(command.args(args).stderr(Stdio::null()), None)?;
    writeln!(std::io::stderr(), "{}", process.id())?;
    let ended = process.wait()?;
    Ok(if ended.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
