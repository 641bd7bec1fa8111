//! Child processes that run `gimlet test` or a build tool, for the commands that start them repeatedly.

use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often the parent polls whether a child has exited.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Builds the command `gimlet test` with these arguments, without starting it.
pub(crate) fn gimlet_test(arguments: &[impl AsRef<OsStr>]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("test").args(arguments);
    Ok(command)
}

/// Returns the command that compiles the project in a directory; `None` if no known build file is in it.
pub(crate) fn build_command(dir: &Path) -> Option<Command> {
    let has = |name: &str| dir.join(name).is_file();
    let tool = if has("mix.exs") {
        "mix"
    } else if has("gleam.toml") {
        "gleam"
    } else if has("rebar.config") {
        "rebar3"
    } else {
        return None;
    };
    let mut command = Command::new(tool);
    command.arg(if tool == "gleam" { "build" } else { "compile" }).current_dir(dir);
    Some(command)
}

/// Sends SIGTERM, upon which `gimlet test` ends with the results it has, and waits for the exit.
pub(crate) fn stop(child: &mut Child) -> io::Result<ExitStatus> {
    if child.try_wait()?.is_none()
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    {
        // The child may have exited between the check and the signal; ESRCH is not an error then.
        kill_process(pid, Signal::TERM).unwrap_or_default();
    }
    child.wait()
}
