//! Programs of the operating system, started and talked to by ports.
//!
//! What they say comes as events, whenever the machine listens.

use crate::host::Errno;
use std::fmt;
use std::time::Duration;

pub trait Programs: fmt::Debug {
    fn start(&mut self, command: &Command) -> Result<(ProgramId, u32), Errno>;
    /// Hands over bytes for its input; never waits until they are read.
    fn write(&mut self, program: ProgramId, bytes: Vec<u8>);
    /// Nobody listens to it any more, and its input is over.
    fn close(&mut self, program: ProgramId);
    /// Waits until something happened, but not longer than this. Also how long it took.
    fn listen(&mut self, limit: Duration) -> (Vec<(ProgramId, ProgramEvent)>, Duration);
    /// The process that we are.
    fn own_process(&mut self) -> u32;
    /// Ends all that were started.
    fn reset(&mut self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub what: Executable,
    /// All variables that it sees.
    pub environment: Vec<(String, String)>,
    pub dir: String,
    pub input: Input,
    pub errors: Errors,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executable {
    /// A line for the shell.
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

/// Where it writes its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    AsOurs,
    WithOutput,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEvent {
    Output(Vec<u8>),
    /// There will be no more output.
    End,
    Exited(i32),
    /// It does not read its input.
    Failed(Errno),
}
