//! Why a builtin did not return a value.

use crate::builtins::Effect;
use std::fmt;
use trace::Budget;
use values::{AtomId, BuildError, Exhausted, NodeId, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The program's error: `error:Reason` raised by this builtin, its arguments in the trace.
    Error(Value),
    /// The same, with the `cause` that OTP's error description functions look for.
    Caused(Value, AtomId),
    /// `erlang:error/1`: the trace begins with the caller.
    Plain(Value),
    /// `erlang:error/2`: the caller is shown with these arguments.
    ErrorArgs(Value, Value),
    /// `erlang:error/3`: the same, or with the arity, and what to add to its location.
    Described(Value, Option<Value>, Value),
    Exit(Value),
    Throw(Value),
    /// `erlang:raise/3`: class, reason and the trace to show.
    Raise(AtomId, Value, Value),
    /// The running process ends at once, for this reason; nothing catches it.
    Killed(Value),
    /// Not the program's doing: the whole run ends here. Boxed, because it is rare.
    Stop(Box<Stop>),
}

/// What ends a run other than its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    OutOfReductions,
    /// Whoever owns the machine asked it to stop.
    Interrupted,
    OutOfMemory,
    TooManyAtoms,
    TooManyProcesses,
    /// An integer beyond the budget, where BEAM itself would go on.
    IntegerTooLarge,
    /// A builtin with an effect that is not allowed.
    Refused {
        effect: Effect,
        what: String,
    },
    /// A builtin that is not here and can't be had from the host.
    Unsupported {
        what: String,
    },
    /// `erlang:halt`.
    Halted {
        status: i64,
    },
    /// Not the end: a builtin needs a module, and runs again when it is loaded.
    NeedModule(AtomId),
    /// Not the end either: a part of the system that this process looks for is yet to be started.
    NeedProcess(NodeId, AtomId),
    /// Nor this: only the host knows what `erlang:system_info` says of this.
    NeedFact(AtomId),
    /// Nor this: others may go first.
    NeedTurn,
    /// The host failed us.
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
    /// Class and reason, if it is an exception of the program.
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
