//! Programs of the operating system, which ports start and communicate with.
//!
//! Their output and exits are events that the machine collects with [`Programs::listen`].

use crate::host::Errno;
use std::fmt;
use std::time::Duration;

pub trait Programs: fmt::Debug {
    fn start(&mut self, command: &Command) -> Result<(ProgramId, u32), Errno>;
    /// Queues bytes for the program's input; never waits until the program reads them.
    fn write(&mut self, program: ProgramId, bytes: Vec<u8>);
    /// Closes the program's input and ignores its further output.
    fn close(&mut self, program: ProgramId);
    /// Waits until there is an event, at most for `limit`. Returns the events and the time waited.
    fn listen(&mut self, limit: Duration) -> (Vec<(ProgramId, ProgramEvent)>, Duration);
    /// Returns the operating system's process id of this process.
    fn own_process(&mut self) -> u32;
    /// Ends all programs that were started.
    fn reset(&mut self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub what: Executable,
    /// All environment variables of the program.
    pub environment: Vec<(String, String)>,
    pub dir: String,
    pub input: Input,
    pub errors: Errors,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executable {
    /// A command line for the shell.
    Line(Vec<u8>),
    File {
        path: Vec<u8>,
        name: Option<Vec<u8>>,
        args: Vec<Vec<u8>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Piped,
    Nothing,
}

/// Where the standard error of the program goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    AsOurs,
    WithOutput,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEvent {
    Output(Vec<u8>),
    /// The program closed its output.
    End,
    Exited(i32),
    /// The program does not read its input: writing to it failed.
    Failed(Errno),
}
