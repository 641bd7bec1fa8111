//! Runs calls on our machine, with a real runtime as its host.

use crate::{Answer, Call};
use beam::Otp;
use erlang::machine::{Allowed, Limits, Logging};
use erlang::{Machine, Outcome, Settings};
use std::env;
use std::path::{Path, PathBuf};
use term::{Atom, Term};

/// Creates a machine that loads code as the tool does; the cache of loaded code is kept between test runs.
///
/// # Panics
/// If OTP is missing.
pub fn machine() -> Machine {
    machine_on(host())
}

/// Creates a machine that also has a module of the tests.
///
/// # Panics
/// If OTP is missing.
pub fn machine_with(module: Atom, source: &Path) -> Machine {
    let mut host = host();
    host.add_source(module, beam::Source::Erl(source.to_owned()));
    machine_on(host)
}

/// Creates a machine with a module of the tests, on nodes of these names.
///
/// # Panics
/// If OTP is missing.
pub fn machine_on_nodes(module: Atom, source: &Path, nodes: Vec<String>) -> Machine {
    let mut host = host();
    host.add_source(module, beam::Source::Erl(source.to_owned()));
    Machine::new(Box::new(host), Settings { limits: limits(), nodes, ..Settings::default() })
}

/// Creates a machine with a module of the tests, and with a logger that writes to the terminal as on BEAM.
///
/// # Panics
/// If OTP is missing.
pub fn machine_that_logs(module: Atom, source: &Path) -> Machine {
    let mut host = host();
    host.add_source(module, beam::Source::Erl(source.to_owned()));
    let logging = Logging::Terminal;
    Machine::new(Box::new(host), Settings { limits: limits(), logging, ..Settings::default() })
}

/// Creates a machine with a module of the tests that may use files, the network and the operating system.
///
/// # Panics
/// If OTP is missing.
pub fn machine_outside(module: Atom, source: &Path) -> Machine {
    let mut host = host();
    host.add_source(module, beam::Source::Erl(source.to_owned()));
    let allowed = Allowed { files: true, network: true, os: true };
    let environment = env::vars().collect();
    let settings = Settings { limits: limits(), allowed, environment, ..Settings::default() };
    Machine::new(Box::new(host), settings)
}

/// Creates a machine that also loads modules from these directories.
///
/// # Panics
/// If OTP is missing.
pub fn machine_on_paths(code_paths: Vec<PathBuf>) -> Machine {
    machine_on(host_on(code_paths))
}

/// Creates a machine with a running Elixir that also loads modules from these directories.
///
/// # Panics
/// If OTP is missing.
pub fn machine_that_runs_elixir(code_paths: Vec<PathBuf>) -> Machine {
    let mut host = host_on(code_paths);
    host.run_elixir(&[]).expect("no configuration");
    let logging = Logging::Terminal;
    Machine::new(Box::new(host), Settings { limits: limits(), logging, ..Settings::default() })
}

fn host() -> Otp {
    host_on(Vec::new())
}

fn host_on(code_paths: Vec<PathBuf>) -> Otp {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let host = Otp::new(beam::Settings { cache_dir, code_paths, ..beam::Settings::default() });
    host.expect("OTP; `make deps` installs it")
}

fn machine_on(host: Otp) -> Machine {
    Machine::new(Box::new(host), Settings { limits: limits(), ..Settings::default() })
}

fn limits() -> Limits {
    Limits { reductions: 50_000_000, memory_bytes: 1 << 30, ..Limits::default() }
}

pub fn our_result(machine: &mut Machine, call: &Call) -> Answer {
    let run = match machine.call(&call.module, &call.function, &call.args) {
        Ok(run) => run,
        Err(why) => return Answer::Lost(why.to_string()),
    };
    match run.outcome {
        Outcome::Value(value) => Answer::Value(value),
        Outcome::Raised { class, reason, .. } => Answer::Raised { class, reason },
        Outcome::Killed { reason } => {
            Answer::Lost(format!("killed: {}", term::print(&reason, term::Style::TP)))
        }
        Outcome::Deadlock { waiting } => Answer::Lost(format!("deadlock of {waiting}")),
        Outcome::NoTerm(why) => Answer::Lost(why.to_string()),
        Outcome::Stopped(stop) => Answer::Lost(stop.to_string()),
    }
}

/// Replaces closures by module and arity, because their identity differs between runtimes.
pub fn without_closures(term: &Term) -> Term {
    let all = |terms: &[Term]| terms.iter().map(without_closures).collect::<Vec<Term>>();
    match term {
        Term::Fun(fun) => match fun.as_ref() {
            term::Fun::External { .. } | term::Fun::Table { .. } => term.clone(),
            term::Fun::Closure { module, arity, .. } => Term::Tuple(vec![
                Term::atom("a closure"),
                Term::Atom(module.clone()),
                Term::Int(i64::from(*arity)),
            ]),
        },
        Term::List(list) => Term::list(all(&list.items), without_closures(&list.tail)),
        Term::Tuple(items) => Term::Tuple(all(items)),
        Term::Map(pairs) => {
            Term::map(pairs.iter().map(|it| (it.0.clone(), without_closures(&it.1))).collect())
        }
        Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Atom(_) | Term::Nil => term.clone(),
        Term::Bits(_) | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => term.clone(),
    }
}
