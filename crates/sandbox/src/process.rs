//! A process that ends with its handle, together with everything that it started.

use crate::scratch::Scratch;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};

/// The leader of a process group; the group is killed when the handle is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    ended: Option<ExitStatus>,
    /// Removed after the last process that may write there has ended.
    _scratch: Option<Scratch>,
}

impl Process {
    /// Starts the command; the scratch directory lives as long as the process.
    pub fn start(command: &mut Command, scratch: Option<Scratch>) -> io::Result<Process> {
        // In its own group, the process does not get the terminal's signals, and one signal reaches all its
        // descendants.
        let child = command.process_group(0).spawn()?;
        Ok(Process { child, ended: None, _scratch: scratch })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the process's standard input, if it is a pipe that was not taken yet.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Returns the exit status if the process has ended; its descendants are killed then.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() && self.has_ended(WaitIdOptions::NOHANG)? {
            self.stop()?;
        }
        Ok(self.ended)
    }

    /// Waits until the process ends by itself.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        if self.ended.is_none() {
            self.has_ended(WaitIdOptions::empty())?;
        }
        self.stop()
    }

    /// Kills the process and everything that it started.
    pub fn stop(&mut self) -> io::Result<ExitStatus> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        // The group's number cannot have been reused, since its first process was not waited for.
        match kill_process_group(self.pid(), Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => {}
            Err(why) => return Err(why.into()),
        }
        let ended = self.child.wait()?;
        self.ended = Some(ended);
        Ok(ended)
    }

    /// Whether the process has ended; leaves it unwaited for, so that the group keeps its number.
    fn has_ended(&self, options: WaitIdOptions) -> io::Result<bool> {
        let options = options | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid()), options) {
                Err(rustix::io::Errno::INTR) => {}
                answer => return Ok(answer?.is_some()),
            }
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error means that the process is not ours to kill.
        drop(self.stop());
    }
}
