//! The code through which the engine runs a system: it calls the driver, and tells steps apart.
//!
//! Which function a step calls is one choice of many alternatives, made by the code that is made here.

use crate::erlang::core::{self, Definition};
use crate::erlang::systems::{DRIVER_NAME, Function, Protocol, System};
use erlang::ModuleCode;
use term::{Atom, Term};

/// The function of the driver.
pub(super) const RUN: &str = "run";
/// The function of the gate that tells what a step calls.
const FIND: &str = "find";

/// Milliseconds until everything that was sent has arrived and was worked on. The machine's clock only
/// passes when nobody can do anything.
const SETTLE: i64 = 1;
const SETTLE_ON_BEAM: i64 = 20;

/// A module with a function that takes the start and the steps, named like the unit, and `find/1`.
pub(crate) fn gate(system: &System) -> ModuleCode {
    let name = Atom::new(&format!("gimlet$gate:{}", system.unit));
    let steps = Term::Int(i64::try_from(system.n_steps).unwrap_or(i64::MAX));
    let more = vec![
        (Term::atom("switch"), Term::Atom(name.clone())),
        (Term::atom("settle"), Term::Int(SETTLE)),
        (Term::atom("steps"), steps),
    ];
    let config = core::literal(config(&system.unit.module, system.protocol, more));
    let args = vec![config, core::variable(0), core::variable(1)];
    let run = core::call(&Atom::new(DRIVER_NAME), &Atom::new(RUN), args);
    let row = |it: &Function| (core::literal(Term::Atom(it.tag.clone())), core::literal(it.row()));
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

/// What the driver is told where nothing is symbolic, on BEAM and for replay.
pub(super) fn plain_config(module: &Atom, protocol: Protocol) -> Term {
    let more = vec![
        (Term::atom("settle"), Term::Int(SETTLE_ON_BEAM)),
        (Term::atom("steps"), Term::Int(i64::from(i32::MAX))),
    ];
    config(module, protocol, more)
}
