//! The ways in which a builtin can end without returning a value.

use crate::builtins::Effect;
use std::fmt;
use trace::Budget;
use values::{AtomId, BuildError, Exhausted, NodeId, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The exception `error:Reason`, raised by the builtin itself: the trace shows its arguments.
    Error(Value),
    /// As [`Fault::Error`], with the `cause` that OTP's error description functions look for.
    Caused(Value, AtomId),
    /// `erlang:error/1`: the trace begins with the caller.
    Plain(Value),
    /// `erlang:error/2`: the trace shows the caller with these arguments.
    ErrorArgs(Value, Value),
    /// `erlang:error/3`: reason, the caller's arguments (`None`: its arity is shown), and what to add to its location.
    Described(Value, Option<Value>, Value),
    Exit(Value),
    Throw(Value),
    /// `erlang:raise/3`: class, reason and the trace to show.
    Raise(AtomId, Value, Value),
    /// Ends the running process at once with this reason; no handler catches it.
    Killed(Value),
    /// Ends or suspends the run for a reason outside the program. Boxed because it is rare.
    Stop(Box<Stop>),
}

/// A reason other than the program's own result that ends or suspends a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    OutOfReductions,
    /// The owner of the machine asked it to stop.
    Interrupted,
    OutOfMemory,
    TooManyAtoms,
    TooManyProcesses,
    /// An integer is larger than the budget allows, where BEAM itself would continue.
    IntegerTooLarge,
    /// The builtin has an effect that is not allowed.
    Refused {
        effect: Effect,
        what: String,
    },
    /// The builtin is not implemented, and the host can't compute it.
    Unsupported {
        what: String,
    },
    /// `erlang:halt`.
    Halted {
        status: i64,
    },
    /// Suspends the builtin until a module is loaded, then runs it again.
    NeedModule(AtomId),
    /// Suspends the builtin until a lazily started system process is up, then runs it again.
    NeedProcess(NodeId, AtomId),
    /// Suspends the builtin until the host has told this item of `erlang:system_info`.
    NeedFact(AtomId),
    /// Suspends the process so that the scheduler can let others go first.
    NeedTurn,
    /// The host could not do what it was asked.
    Host {
        why: String,
    },
}

impl Fault {
    pub const BADARG: Fault = Fault::Error(Value::atom(AtomId::BADARG));
    pub const BADARITH: Fault = Fault::Error(Value::atom(AtomId::BADARITH));
    pub const SYSTEM_LIMIT: Fault = Fault::Error(Value::atom(AtomId::SYSTEM_LIMIT));
}

impl Fault {
    /// Returns class and reason, or `None` if the fault is not an exception of the program.
    pub(crate) fn raised(&self) -> Option<(AtomId, Value)> {
        match *self {
            Fault::Error(reason)
            | Fault::Caused(reason, _)
            | Fault::Plain(reason)
            | Fault::ErrorArgs(reason, _)
            | Fault::Described(reason, ..) => Some((AtomId::ERROR, reason)),
            Fault::Exit(reason) => Some((AtomId::EXIT, reason)),
            Fault::Throw(reason) => Some((AtomId::THROW, reason)),
            Fault::Raise(class, reason, _) => Some((class, reason)),
            Fault::Killed(_) | Fault::Stop(_) => None,
        }
    }
}

impl From<BuildError> for Fault {
    fn from(error: BuildError) -> Fault {
        error.reason().map_or_else(|| Stop::OutOfMemory.into(), Fault::Error)
    }
}

impl From<Exhausted> for Fault {
    fn from(why: Exhausted) -> Fault {
        match why {
            Exhausted::Interrupted => Stop::Interrupted.into(),
            Exhausted::OutOfReductions => Stop::OutOfReductions.into(),
        }
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Fault {
        Fault::Stop(Box::new(stop))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::OutOfReductions => write!(f, "the budget of reductions is used up"),
            Stop::Interrupted => write!(f, "the run was interrupted"),
            Stop::OutOfMemory => write!(f, "the memory budget is used up"),
            Stop::TooManyAtoms => write!(f, "the budget of atoms is used up"),
            Stop::TooManyProcesses => write!(f, "the budget of processes is used up"),
            Stop::IntegerTooLarge => write!(f, "an integer grew beyond the budget"),
            Stop::Refused { effect, what } => write!(f, "{what} was refused: it touches {effect}"),
            Stop::Unsupported { what } => write!(f, "{what} is not supported"),
            Stop::Halted { status } => write!(f, "the program halted with status {status}"),
            Stop::NeedModule(_) => write!(f, "a module is missing"),
            Stop::NeedProcess(..) => write!(f, "a part of the system is missing"),
            Stop::NeedFact(_) => write!(f, "a fact is missing"),
            Stop::NeedTurn => write!(f, "it is not its turn"),
            Stop::Host { why } => write!(f, "{why}"),
        }
    }
}

impl From<Stop> for trace::Stopped {
    fn from(stop: Stop) -> trace::Stopped {
        match stop {
            Stop::OutOfReductions => trace::Stopped::OutOf(Budget::Reductions),
            Stop::OutOfMemory => trace::Stopped::OutOf(Budget::Memory),
            Stop::TooManyAtoms => trace::Stopped::OutOf(Budget::Atoms),
            Stop::TooManyProcesses => trace::Stopped::OutOf(Budget::Processes),
            Stop::Interrupted => trace::Stopped::Interrupted,
            Stop::Halted { status } => trace::Stopped::Halted { status },
            Stop::Refused { effect, what } => {
                trace::Stopped::Refused { what, touches: effect.to_string() }
            }
            Stop::IntegerTooLarge
            | Stop::Unsupported { .. }
            | Stop::NeedModule(_)
            | Stop::NeedProcess(..)
            | Stop::NeedFact(_)
            | Stop::NeedTurn
            | Stop::Host { .. } => trace::Stopped::Unsupported { why: stop.to_string() },
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effect::Pure => "nothing",
            Effect::Machine => "the machine",
            Effect::Files => "files",
            Effect::Network => "the network",
            Effect::Os => "the operating system",
        })
    }
}
