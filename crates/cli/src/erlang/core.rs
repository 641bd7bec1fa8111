//! Nodes of Core Erlang, for modules that we write ourselves.
//!
//! Variables are numbers; whoever makes a function gives each a number of its own.

use erlang::ModuleCode;
use term::{Atom, Term};

/// A function of a module that is written here: its name, its parameters and its body.
pub(crate) struct Definition {
    pub(crate) name: Atom,
    pub(crate) params: Vec<usize>,
    pub(crate) body: Term,
}

/// A module that exports its first function.
pub(crate) fn module(name: &Atom, definitions: Vec<Definition>) -> ModuleCode {
    module_of(name, definitions, 1)
}

/// A module that exports its first functions.
pub(crate) fn module_of(
    name: &Atom,
    definitions: Vec<Definition>,
    n_exported: usize,
) -> ModuleCode {
    let exported = definitions.iter().take(n_exported).map(|it| local(&it.name, it.params.len()));
    let exported = Term::proper_list(exported.collect());
    let definition = |it: Definition| {
        let name = local(&it.name, it.params.len());
        Term::Tuple(vec![name, function(&it.params, it.body)])
    };
    let all = Term::proper_list(definitions.into_iter().map(definition).collect());
    ModuleCode {
        core: node("c_module", [atom(name), exported, Term::Nil, all]),
        name: name.clone(),
        forms: Term::Nil,
        attributes: Term::Nil,
        compile_info: Term::Nil,
        file: String::new(),
        md5: [0; 16],
        closures: Vec::new(),
    }
}

pub(crate) fn function(params: &[usize], body: Term) -> Term {
    node("c_fun", [variables(params), body])
}

/// The name of a function of the same module.
fn local(name: &Atom, arity: usize) -> Term {
    node("c_var", [Term::Tuple(vec![Term::Atom(name.clone()), number(arity)])])
}

pub(crate) fn variable(n: usize) -> Term {
    node("c_var", [number(n)])
}

fn variables(of: &[usize]) -> Term {
    Term::proper_list(of.iter().map(|it| variable(*it)).collect())
}

pub(crate) fn call(module: &Atom, function: &Atom, args: Vec<Term>) -> Term {
    node("c_call", [atom(module), atom(function), Term::proper_list(args)])
}

pub(crate) fn raise(function: &str, reason: Term) -> Term {
    call(&Atom::new("erlang"), &Atom::new(function), vec![reason])
}

/// Of several clauses, each a pattern and what it leads to.
pub(crate) fn case(value: Term, clauses: Vec<(Term, Term)>) -> Term {
    let clause = |(pattern, body): (Term, Term)| {
        let generated = Term::proper_list(vec![Term::atom("compiler_generated")]);
        let patterns = Term::proper_list(vec![pattern]);
        let guard = literal(Term::atom("true"));
        Term::Tuple(vec![Term::atom("c_clause"), generated, patterns, guard, body])
    };
    node("c_case", [value, Term::proper_list(clauses.into_iter().map(clause).collect())])
}

/// `try Value of V -> Body catch _:_ -> Caught end`, with four variables from `first_var` on.
pub(crate) fn attempt(value: Term, first_var: usize, body: Term, caught: Term) -> Term {
    let raised: Vec<usize> = (first_var + 1..first_var + 4).collect();
    node("c_try", [value, variables(&[first_var]), body, variables(&raised), caught])
}

pub(crate) fn tuple(items: Vec<Term>) -> Term {
    node("c_tuple", [Term::proper_list(items)])
}

pub(crate) fn cons(head: Term, tail: Term) -> Term {
    node("c_cons", [head, tail])
}

/// A new map.
pub(crate) fn map(pairs: Vec<(Term, Term)>) -> Term {
    let pair = |(key, value)| node("c_map_pair", [literal(Term::atom("assoc")), key, value]);
    let pairs = Term::proper_list(pairs.into_iter().map(pair).collect());
    node("c_map", [literal(Term::Map(vec![])), pairs, Term::atom("false")])
}

pub(crate) fn literal(term: Term) -> Term {
    node("c_literal", [term])
}

fn atom(of: &Atom) -> Term {
    literal(Term::Atom(of.clone()))
}

/// A record of Core Erlang without annotations.
fn node<const N: usize>(kind: &str, parts: [Term; N]) -> Term {
    Term::Tuple([Term::atom(kind), Term::Nil].into_iter().chain(parts).collect())
}

fn number(n: usize) -> Term {
    Term::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
