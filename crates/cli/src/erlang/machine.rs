//! Where the tool meets the machine: options become settings, how a call ended becomes an ending.

use crate::args::{Deliver, Effect, Run};
use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::ending::Ending;
use crate::erlang::rules::{self, Post, Trace};
use crate::erlang::trouble::no_function;
use crate::explain::Code;
use beam::{Otp, Places};
use erlang::builtins::Stop;
use erlang::machine::{Allowed, Epoch, Limits, Logging};
use erlang::{Host, HostError, Machine, MachineError, ModuleCode, Outcome, Settings};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use term::{Atom, Call, Fun, Style, Term, print};
use values::NoTerm;

/// How the call ended, or why we could not go on; what the program wrote, and how it came to it.
pub(crate) struct Executed {
    pub(crate) ending: Result<Ending, Diagnostic>,
    pub(crate) output: Vec<u8>,
    pub(crate) error_output: Vec<u8>,
    pub(crate) trace: Option<Trace>,
}

/// The language in which the caller asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Erlang,
    Elixir,
    /// In Elixir, by an expression that Elixir's own code evaluates.
    Evaluated,
}

pub(crate) fn execute(
    mut host: Otp,
    call: &Call,
    options: &Run,
    words: Words,
    watched: Option<(Vec<ModuleCode>, Places)>,
    trouble: impl FnOnce(HostError) -> Diagnostic,
) -> Result<Executed, Diagnostic> {
    let code = match host.load(&call.module) {
        Ok(code) => code,
        Err(error) => return Err(trouble(error)),
    };
    if let Some(diagnostic) = no_function(&code, call) {
        return Err(diagnostic);
    }
    let mut machine = Machine::new(Box::new(host), settings(options));
    if let Some((codes, places)) = watched {
        return execute_watched(&mut machine, &code, call, (options, words), &codes, &places);
    }
    let run = machine
        .install(&code)
        .and_then(|()| machine.call(&call.module, &call.function, &call.args));
    match run {
        Ok(run) => {
            let mut ending = ending(run.outcome);
            if let Ok(ending) = &mut ending {
                word(&mut machine, ending, words);
            }
            Ok(Executed { ending, output: run.output, error_output: run.error_output, trace: None })
        }
        Err(MachineError::Host(error)) => Err(trouble(error)),
        Err(
            error @ (MachineError::Read(_)
            | MachineError::Lower(_)
            | MachineError::Assembly(_)
            | MachineError::NoSuchModule(_)),
        ) => Err(Diagnostic::new(Code::Unsupported, error.to_string())),
    }
}

/// The same with code that tells how it runs.
fn execute_watched(
    machine: &mut Machine,
    code: &ModuleCode,
    call: &Call,
    (options, words): (&Run, Words),
    codes: &[ModuleCode],
    places: &Places,
) -> Result<Executed, Diagnostic> {
    let broken = |it: MachineError| Diagnostic::new(Code::Unsupported, it.to_string());
    machine.install(code).map_err(broken)?;
    codes.iter().try_for_each(|it| machine.install(it)).map_err(broken)?;
    let default = if options.trace { Deliver::Free } else { Deliver::Instant };
    let post = Post {
        delivery: options.delivery.unwrap_or(default),
        losses: options.lossy.unwrap_or(0),
        seed: options.seed.or(options.lossy.map(|_| 0)),
    };
    let max_steps = if options.trace { options.steps } else { usize::MAX };
    let (trace, outcome, output) = rules::run(machine, call, places, post, max_steps)
        .map_err(|why| Diagnostic::new(Code::Unsupported, why))?;
    let mut ending = match outcome {
        trace::Outcome::Value(term) => Ending::Value { term, layout: None },
        trace::Outcome::Crash { class, reason, trace } => {
            Ending::Raised { class: class.as_str().to_owned(), reason, stack: trace, layout: None }
        }
        trace::Outcome::Deadlock if trace.is_cut() => Ending::Budget { budget: "steps" },
        trace::Outcome::Deadlock => Ending::Deadlock,
        trace::Outcome::Stopped(trace::Stopped::OutOf(budget)) => {
            Ending::Budget { budget: budget.name() }
        }
        trace::Outcome::Stopped(why) => {
            return Err(Diagnostic::new(Code::Unsupported, why.to_string()));
        }
    };
    word(machine, &mut ending, words);
    let error_output = Vec::new();
    let trace = options.trace.then_some(trace);
    Ok(Executed { ending: Ok(ending), output, error_output, trace })
}

impl Run {
    /// Whether the order of processes and messages is ours to decide.
    pub(crate) fn is_staged(&self) -> bool {
        self.trace || self.delivery.is_some() || self.lossy.is_some() || self.seed.is_some()
    }
}

/// Lets the code of the language say how the call ended.
fn word(machine: &mut Machine, ending: &mut Ending, words: Words) {
    if words == Words::Evaluated {
        elixir::unwrap_evaluated(ending);
    }
    match (ending, words) {
        (Ending::Value { term, layout }, Words::Erlang) => *layout = lay_out(machine, term),
        (Ending::Value { term, layout }, Words::Elixir | Words::Evaluated) => {
            *layout = elixir::inspected(machine, term);
        }
        (Ending::Raised { class, reason, stack, layout }, Words::Elixir | Words::Evaluated) => {
            *layout = elixir::formatted(machine, class, reason, stack);
        }
        (
            Ending::Raised { .. }
            | Ending::Budget { .. }
            | Ending::Deadlock
            | Ending::Halted { .. }
            | Ending::Refused { .. },
            Words::Erlang | Words::Elixir | Words::Evaluated,
        ) => (),
    }
}

/// The width that the shell prints for.
const COLUMNS: usize = 80;

/// The layout of a value that does not fit a line, by OTP's own pretty printer run on the machine.
fn lay_out(machine: &mut Machine, term: &Term) -> Option<String> {
    if print(term, Style::TP).chars().count() <= COLUMNS || has_closure(term) {
        return None;
    }
    let args = [Term::string("~tp"), Term::proper_list(vec![term.clone()])];
    let run = machine.call(&Atom::new("io_lib"), &Atom::new("format"), &args).ok()?;
    let Outcome::Value(chars) = run.outcome else { return None };
    let mut text = String::new();
    flatten(&chars, &mut text)?;
    Some(text)
}

/// A closure is printed by its name, which it loses outside its machine.
fn has_closure(term: &Term) -> bool {
    term.has_part(|it| matches!(it, Term::Fun(fun) if matches!(**fun, Fun::Closure { .. })))
}

/// The characters of a deep list of characters and binaries.
fn flatten(chars: &Term, text: &mut String) -> Option<()> {
    if let Term::List(list) = chars {
        list.items.iter().try_for_each(|it| flatten(it, text))?;
        return flatten(&list.tail, text);
    }
    if let Some(point) = chars.as_int() {
        text.push(u32::try_from(point).ok().and_then(char::from_u32)?);
    } else if *chars != Term::Nil {
        text.push_str(std::str::from_utf8(chars.as_bytes()?).ok()?);
    }
    Some(())
}

fn settings(options: &Run) -> Settings {
    Settings {
        limits: Limits {
            reductions: options.reductions.unwrap_or(u64::MAX),
            // A collection copies what is alive.
            memory_bytes: options.memory / 2,
            ..Limits::default()
        },
        allowed: allowed(&options.allowed),
        logging: if options.is_staged() { Logging::Silent } else { Logging::Terminal },
        interrupt: alarm(options.time),
        nodes: options.build.nodes.0.clone(),
        ..if allowed(&options.allowed).os { outside() } else { Settings::default() }
    }
}

pub(crate) fn allowed(effects: &[Effect]) -> Allowed {
    let allows = |it: Effect| effects.contains(&it) || effects.contains(&Effect::All);
    Allowed {
        files: allows(Effect::Files),
        network: allows(Effect::Network),
        os: allows(Effect::Os),
    }
}

/// For a program that may see the operating system: its variables, and a clock that begins now.
fn outside() -> Settings {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let variable = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Settings {
        epoch: Epoch(i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)),
        environment: std::env::vars_os().filter_map(variable).collect(),
        ..Settings::default()
    }
}

/// A flag that is set when the time is over.
pub(crate) fn alarm(time: Option<Duration>) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    if let Some(time) = time {
        let flag = Arc::clone(&flag);
        thread::spawn(move || {
            thread::sleep(time);
            flag.store(true, Ordering::Relaxed);
        });
    }
    flag
}

fn ending(outcome: Outcome) -> Result<Ending, Diagnostic> {
    Ok(match outcome {
        Outcome::Value(term) => Ending::Value { term, layout: None },
        Outcome::Raised { class, reason, trace } => {
            Ending::Raised { class: class.as_str().to_owned(), reason, stack: trace, layout: None }
        }
        Outcome::Killed { reason } => {
            Ending::Raised { class: "exit".to_owned(), reason, stack: Term::Nil, layout: None }
        }
        Outcome::Deadlock { .. } => Ending::Deadlock,
        Outcome::NoTerm(NoTerm::TooDeep) => {
            return Err(Diagnostic::new(
                Code::Unsupported,
                "the result is nested too deeply to be printed",
            ));
        }
        Outcome::NoTerm(NoTerm::TooLarge) => Ending::Budget { budget: "memory" },
        Outcome::Stopped(stop) => match stop {
            Stop::OutOfReductions => Ending::Budget { budget: "reductions" },
            Stop::OutOfMemory => Ending::Budget { budget: "memory" },
            Stop::Interrupted => Ending::Budget { budget: "time" },
            Stop::Halted { status } => Ending::Halted { status },
            Stop::Refused { .. } => Ending::Refused { effect: stop.to_string() },
            Stop::TooManyAtoms
            | Stop::TooManyProcesses
            | Stop::IntegerTooLarge
            | Stop::Unsupported { .. }
            | Stop::NeedModule(_)
            | Stop::NeedProcess(..)
            | Stop::NeedFact(_)
            | Stop::NeedTurn
            | Stop::Host { .. } => {
                return Err(Diagnostic::new(Code::Unsupported, stop.to_string()));
            }
        },
    })
}
