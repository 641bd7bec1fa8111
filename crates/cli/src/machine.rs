//! Where the tool meets the machine: options become settings, how a call ended becomes an ending.

use crate::args::{Effect, Run};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::report::Ending;
use crate::trouble::no_function;
use beam::Otp;
use erlang::builtins::Stop;
use erlang::machine::{Allowed, Limits};
use erlang::{Host, HostError, Machine, MachineError, Outcome, Settings};
use term::Call;

/// How the call ended, and what the program wrote.
pub(crate) fn execute(
    mut host: Otp,
    call: &Call,
    options: &Run,
    trouble: impl FnOnce(HostError) -> Diagnostic,
) -> Result<(Ending, Vec<u8>), Diagnostic> {
    let code = match host.load(&call.module) {
        Ok(code) => code,
        Err(error) => return Err(trouble(error)),
    };
    if let Some(diagnostic) = no_function(&code, call) {
        return Err(diagnostic);
    }
    let mut machine = Machine::new(Box::new(host), settings(options));
    let run = machine
        .install(&code)
        .and_then(|()| machine.call(&call.module, &call.function, &call.args));
    match run {
        Ok(run) => Ok((ending(run.outcome)?, run.output)),
        Err(MachineError::Host(error)) => Err(trouble(error)),
        Err(
            error
            @ (MachineError::Read(_) | MachineError::Lower(_) | MachineError::NoSuchModule(_)),
        ) => Err(Diagnostic::new(Code::Unsupported, error.to_string())),
    }
}

fn settings(options: &Run) -> Settings {
    let allows = |effect: Effect| {
        options.allowed.contains(&effect) || options.allowed.contains(&Effect::All)
    };
    Settings {
        limits: Limits {
            reductions: options.reductions.unwrap_or(u64::MAX),
            memory_bytes: options.memory,
            ..Limits::default()
        },
        allowed: Allowed {
            files: allows(Effect::Files),
            network: allows(Effect::Network),
            os: allows(Effect::Os),
        },
    }
}

fn ending(outcome: Outcome) -> Result<Ending, Diagnostic> {
    Ok(match outcome {
        Outcome::Value(term) => Ending::Value(term),
        Outcome::Raised { class, reason, trace } => {
            Ending::Raised { class: class.as_str().to_owned(), reason, stack: trace }
        }
        Outcome::Killed { reason } => {
            Ending::Raised { class: "exit".to_owned(), reason, stack: term::Term::Nil }
        }
        Outcome::Deadlock { .. } => Ending::Deadlock,
        Outcome::TooDeep => {
            return Err(Diagnostic::new(
                Code::Unsupported,
                "the result is nested too deeply to be printed",
            ));
        }
        Outcome::Stopped(stop) => match stop {
            Stop::OutOfReductions => Ending::Budget { budget: "reductions" },
            Stop::OutOfMemory => Ending::Budget { budget: "memory" },
            Stop::Refused { .. } => Ending::Refused { effect: stop.to_string() },
            Stop::TooManyAtoms
            | Stop::TooManyProcesses
            | Stop::IntegerTooLarge
            | Stop::Unsupported { .. }
            | Stop::Halted { .. }
            | Stop::NeedModule(_)
            | Stop::Host { .. } => {
                return Err(Diagnostic::new(Code::Unsupported, stop.to_string()));
            }
        },
    })
}
