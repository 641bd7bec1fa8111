//! Builders of Core Erlang nodes, for modules that we generate.
//!
//! Variables are numbers; the caller must choose distinct numbers within a function.

use erlang::ModuleCode;
use erlang::core::MARK;
use term::{Atom, Term};

/// A function of a generated module: its name, its parameters and its body.
pub(crate) struct Definition {
    pub(crate) name: Atom,
    pub(crate) params: Vec<usize>,
    pub(crate) body: Term,
}

/// Builds a module of exported and local functions.
pub(crate) fn module(name: &Atom, exported: Vec<Definition>, local: Vec<Definition>) -> ModuleCode {
    let names = exported.iter().map(|it| function_name(&it.name, it.params.len()));
    let names = Term::proper_list(names.collect());
    let definition = |it: Definition| {
        let name = function_name(&it.name, it.params.len());
        Term::Tuple(vec![name, function(&it.params, it.body)])
    };
    let all = exported.into_iter().chain(local).map(definition);
    let all = Term::proper_list(all.collect());
    ModuleCode {
        core: node("c_module", [atom(name), names, Term::Nil, all]),
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
fn function_name(name: &Atom, arity: usize) -> Term {
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

/// A call of a function of the same module.
pub(crate) fn call_local(name: &Atom, args: Vec<Term>) -> Term {
    node("c_apply", [function_name(name, args.len()), Term::proper_list(args)])
}

/// `do First Second`: evaluates both, and has the value of the second.
pub(crate) fn sequence(first: Term, second: Term) -> Term {
    node("c_seq", [first, second])
}

pub(crate) fn raise(function: &str, reason: Term) -> Term {
    call(&Atom::new("erlang"), &Atom::new(function), vec![reason])
}

/// A `case` with clauses of a pattern and a body.
pub(crate) fn case(value: Term, clauses: Vec<(Term, Term)>) -> Term {
    let clause = |(pattern, body): (Term, Term)| {
        let generated = Term::proper_list(vec![Term::atom("compiler_generated")]);
        let patterns = Term::proper_list(vec![pattern]);
        let guard = literal(Term::atom("true"));
        Term::Tuple(vec![Term::atom("c_clause"), generated, patterns, guard, body])
    };
    node("c_case", [value, Term::proper_list(clauses.into_iter().map(clause).collect())])
}

/// A body inside a clause that counts for coverage like a clause of a source; other generated clauses don't count.
pub(crate) fn entered(unused: usize, body: Term) -> Term {
    let place = Term::Tuple(vec![Term::Int(1), Term::Int(MARK + 1)]);
    let clause = [
        Term::atom("c_clause"),
        Term::proper_list(vec![place]),
        Term::proper_list(vec![variable(unused)]),
        literal(Term::atom("true")),
        body,
    ];
    let clauses = Term::proper_list(vec![Term::Tuple(clause.into())]);
    node("c_case", [literal(Term::atom("ok")), clauses])
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

/// A map expression.
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
