//! The guard: the process between a program and its owner. When either ends, for whatever reason, it ends the other
//! side.
//!
//! It runs outside of the sandbox, where the program cannot harm it, and does nothing but wait.

use crate::launcher::become_program;
use crate::policy::Policy;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgrp, getpid, getppid, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, wait,
};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

/// Starts the program and waits until it or its owner ends.
pub(crate) fn guard(parent: i32, policy: &Policy, args: &[OsString]) -> Result<ExitCode, String> {
    let parent = Pid::from_raw(parent).ok_or("the process that asked for it has no number")?;
    let owner = pidfd_open(parent, PidfdFlags::empty())
        .map_err(|why| format!("a process can't be watched on this system: {why}"))?;
    // Only the parent is sure to have kept its number until here; the number of a dead process may have been reused.
    if getppid() != Some(parent) {
        return Err("the process that asked for it is gone".to_owned());
    }
    // Orphaned descendants of the program become children of this process.
    set_child_subreaper(Some(getpid())).map_err(|why| why.to_string())?;
    let mut child = become_program(args).spawn().map_err(|why| why.to_string())?;
    release_streams().map_err(|why| why.to_string())?;
    let program =
        pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(|why| why.to_string())?;
    loop {
        // The descriptor of a process becomes readable when the process ends.
        let mut watched = [&owner, &program].map(|it| PollFd::new(it, PollFlags::IN));
        match poll(&mut watched, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(why) => return Err(why.to_string()),
        }
        let [owner_ended, program_ended] = watched.map(|it| !it.revents().is_empty());
        if owner_ended {
            end_children();
            if let Some(scratch) = &policy.scratch {
                // There is nobody left to report an error to.
                fs::remove_dir_all(scratch).unwrap_or_default();
            }
            return Ok(ExitCode::FAILURE);
        }
        if program_ended {
            let status = child.wait().map_err(|why| why.to_string())?;
            end_children();
            return Ok(exit_code(status));
        }
    }
}

/// Closes the guard's copies of the streams, so that the reader of the program's output sees it end with the program.
fn release_streams() -> rustix::io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)
}

/// Kills all children, including those that become children because their parent was killed.
fn end_children() {
    let own = getpid();
    let list = format!("/proc/self/task/{own}/children");
    loop {
        let Ok(children) = fs::read(&list) else {
            // A kernel without this list: kills the whole process group, including this process.
            kill_process_group(getpgrp(), Signal::KILL).unwrap_or_default();
            return;
        };
        for child in String::from_utf8_lossy(&children).split_whitespace() {
            if let Some(child) = child.parse().ok().and_then(Pid::from_raw) {
                // The child may have exited already; it is waited for in any case.
                kill_process(child, Signal::KILL).unwrap_or_default();
            }
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Returns an exit status as a shell does: 128 plus the signal's number for a program that a signal ended.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|it| it + 128));
    code.and_then(|it| u8::try_from(it).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
