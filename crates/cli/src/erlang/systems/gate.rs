//! The code through which the engine runs a system: it calls the driver, and tells steps apart.
//!
//! Which function a step calls is one choice of many alternatives, made by the code that is made here.

use crate::erlang::systems::{DRIVER_NAME, SETTLE, System};
use erlang::ModuleCode;
use term::{Atom, Term};

/// A module with `run/2`, which takes the start and the steps, and `find/1`.
pub(crate) fn gate(system: &System) -> ModuleCode {
    let name = Atom::new(&format!("gimlet$gate:{}", system.unit));
    ModuleCode {
        core: core(&name, system),
        name,
        forms: Term::Nil,
        attributes: Term::Nil,
        compile_info: Term::Nil,
        file: String::new(),
        md5: [0; 16],
        closures: Vec::new(),
    }
}

/// The function of the gate that takes the input.
pub(crate) const RUN: &str = "run";

fn core(gate: &Atom, system: &System) -> Term {
    let config = system.config_with(("switch", Term::Atom(gate.clone())), SETTLE);
    let vars = [0, 1].map(|n| node("c_var", [Term::Int(n)]));
    let called = [literal(Term::atom(DRIVER_NAME)), literal(Term::atom(RUN))];
    let [start, steps] = vars.clone();
    let args = list([literal(config), start, steps]);
    let [module, function] = called;
    let run = node("c_call", [module, function, args]);
    let tag = node("c_var", [Term::Int(0)]);
    let mut clauses: Vec<Term> = system
        .functions
        .iter()
        .map(|it| clause(literal(Term::Atom(it.tag.clone())), literal(it.row())))
        .collect();
    clauses.push(clause(node("c_var", [Term::Int(1)]), literal(Term::atom("none"))));
    let find = node("c_case", [tag.clone(), Term::proper_list(clauses)]);
    let (run_name, find_name) = (name(RUN, 2), name("find", 1));
    let definitions = list([
        Term::Tuple(vec![run_name.clone(), node("c_fun", [list(vars), run])]),
        Term::Tuple(vec![find_name.clone(), node("c_fun", [list([tag]), find])]),
    ]);
    let gate = literal(Term::Atom(gate.clone()));
    node("c_module", [gate, list([run_name, find_name]), Term::Nil, definitions])
}

fn name(function: &str, arity: i64) -> Term {
    node("c_var", [Term::Tuple(vec![Term::atom(function), Term::Int(arity)])])
}

fn clause(pattern: Term, body: Term) -> Term {
    let generated = list([Term::atom("compiler_generated")]);
    let guard = literal(Term::atom("true"));
    Term::Tuple(vec![Term::atom("c_clause"), generated, list([pattern]), guard, body])
}

fn literal(term: Term) -> Term {
    node("c_literal", [term])
}

/// A record of Core Erlang without annotations.
fn node<const N: usize>(kind: &str, parts: [Term; N]) -> Term {
    Term::Tuple([Term::atom(kind), Term::Nil].into_iter().chain(parts).collect())
}

fn list<const N: usize>(items: [Term; N]) -> Term {
    Term::proper_list(items.into())
}
