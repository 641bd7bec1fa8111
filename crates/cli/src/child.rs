//! Runs of `gimlet test` in a process of its own, for commands that start one again and again.

use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often somebody looks whether a process has ended.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// `gimlet test` with these arguments, not started yet.
pub(crate) fn gimlet_test(arguments: &[impl AsRef<OsStr>]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("test").args(arguments);
    Ok(command)
}

/// The command that compiles the project in a directory, if a build tool knows it.
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

/// Asks a process to end with what it has, and waits until it has ended.
pub(crate) fn stop(child: &mut Child) -> io::Result<ExitStatus> {
    if child.try_wait()?.is_none()
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    {
        // It may have ended meanwhile.
        kill_process(pid, Signal::TERM).unwrap_or_default();
    }
    child.wait()
}
