//! The harness of a system: generated code that calls the driver and maps steps to functions.
//!
//! The function that a step calls is a single choice with many alternatives, made in the generated code.

use crate::erlang::core::{self, Definition};
use crate::erlang::systems::{DRIVER_NAME, Protocol, StepFunction, System};
use erlang::ModuleCode;
use term::{Atom, Term};

/// The function of the driver.
pub(super) const RUN: &str = "run";
/// The function of the harness that returns the function of a step.
const FIND: &str = "find";

/// How long the driver waits until all messages have arrived and were handled, in milliseconds. The machine's clock
/// advances only when no process can run, so a millisecond is enough there.
const SETTLE: i64 = 1;
const SETTLE_ON_BEAM: i64 = 20;

/// A module with the function that takes the start and the steps, named like the unit, and `find/1`.
pub(crate) fn harness(system: &System) -> ModuleCode {
    let name = Atom::new(&format!("gimlet$harness:{}", system.unit));
    let steps = Term::Int(i64::try_from(system.n_steps).unwrap_or(i64::MAX));
    let more = vec![
        (Term::atom("switch"), Term::Atom(name.clone())),
        (Term::atom("settle"), Term::Int(SETTLE)),
        (Term::atom("steps"), steps),
    ];
    let config = core::literal(config(&system.unit.module, system.protocol, more));
    let args = vec![config, core::variable(0), core::variable(1)];
    let run = core::call(&Atom::new(DRIVER_NAME), &Atom::new(RUN), args);
    let row =
        |it: &StepFunction| (core::literal(Term::Atom(it.tag.clone())), core::literal(it.row()));
    let mut clauses: Vec<(Term, Term)> = system.functions.iter().map(row).collect();
    clauses.push((core::variable(1), core::literal(Term::atom("none"))));
    let find = core::case(core::variable(0), clauses);
    let run = Definition { name: system.unit.function.clone(), params: vec![0, 1], body: run };
    let find = Definition { name: Atom::new(FIND), params: vec![0], body: find };
    core::module(&name, vec![run, find], Vec::new())
}

fn config(module: &Atom, protocol: Protocol, more: Vec<(Term, Term)>) -> Term {
    let mut pairs = vec![
        (Term::atom("module"), Term::Atom(module.clone())),
        (Term::atom("protocol"), Term::atom(protocol.name())),
    ];
    pairs.extend(more);
    Term::map(pairs)
}

/// The driver's configuration for runs without symbolic values, on BEAM and for replay.
pub(super) fn plain_config(module: &Atom, protocol: Protocol) -> Term {
    let more = vec![
        (Term::atom("settle"), Term::Int(SETTLE_ON_BEAM)),
        (Term::atom("steps"), Term::Int(i64::from(i32::MAX))),
    ];
    config(module, protocol, more)
}
