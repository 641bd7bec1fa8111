//! Core Erlang in, Core Erlang out: calls that leave the run go through the agent, and clauses tell
//! that they are entered if somebody asked for it.
//!
//! Works on the records as the compiler made them, with their annotations, so that names of funs and
//! lines in stack traces stay as they are. Guards and patterns are left alone.

use crate::backend::scope::{Placed, Scope, Witness};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::{Atom, Term};

/// Where a clause stands; it has its number from its place in this list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClausePlace {
    pub(super) module: Atom,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// The clauses of all rewritten modules.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    pub(super) places: Vec<ClausePlace>,
    numbers: FxHashMap<ClausePlace, i64>,
}

impl Clauses {
    fn number(&mut self, place: ClausePlace) -> i64 {
        let next = i64::try_from(self.places.len()).unwrap_or(i64::MAX);
        let number = *self.numbers.entry(place.clone()).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }
}

/// Functions of a module that run outside, by name and arity.
pub(super) type Leaving = BTreeSet<(Atom, u32)>;

/// The module under its new name; `None` if these are no records of Core Erlang.
pub(super) fn rewrite(
    scope: &Scope,
    module: &Atom,
    core: &Term,
    leaving: &Leaving,
    clauses: &mut Clauses,
) -> Option<Term> {
    let [tag, anno, _, exports, _, definitions] = core.as_tuple()? else { return None };
    let mut rewriting = Rewriting { scope, module, clauses };
    let mut kept = Vec::new();
    for definition in definitions.as_list()? {
        let [name, fun] = definition.as_tuple()? else { return None };
        let (function, arity) = function_name(name)?;
        let body = if leaving.contains(&(function.clone(), arity)) {
            let plain = Scope::plain_name(module);
            forward(fun, |args| agent("outside", vec![atom(&plain), atom(&function), args]))?
        } else if !scope.is_own(module) && scope.row(module, &function, arity as usize).is_some() {
            // Native there, and only there.
            forward_call(fun, module, &function)?
        } else {
            rewriting.expr(fun)
        };
        kept.push(Term::Tuple(vec![name.clone(), body]));
    }
    let name = atom(&scope.name_of(module));
    let definitions = Term::proper_list(kept);
    Some(Term::Tuple(vec![
        tag.clone(),
        anno.clone(),
        name,
        exports.clone(),
        Term::Nil,
        definitions,
    ]))
}

/// The module as it is, under another name, with all its functions exported.
pub(super) fn plain(module: &Atom, core: &Term) -> Option<Term> {
    let [tag, anno, _, _, _, definitions] = core.as_tuple()? else { return None };
    let names = definitions.as_list()?.iter().map(|it| it.as_tuple()?.first().cloned());
    let exports = Term::proper_list(names.collect::<Option<_>>()?);
    let name = atom(&Scope::plain_name(module));
    let parts = vec![tag.clone(), anno.clone(), name, exports, Term::Nil, definitions.clone()];
    Some(Term::Tuple(parts))
}

/// Whether the module runs code of its own when it is loaded, which makes its functions native.
pub(super) fn is_native(core: &Term) -> bool {
    let Some([_, _, _, _, attributes, _]) = core.as_tuple() else { return true };
    let names = attributes.as_list().unwrap_or_default().iter();
    let mut names = names.filter_map(|it| literal_atom(it.as_tuple()?.first()?));
    names.any(|it| it.as_str() == "on_load")
}

struct Rewriting<'a> {
    scope: &'a Scope,
    module: &'a Atom,
    clauses: &'a mut Clauses,
}

impl Rewriting<'_> {
    fn part(&mut self, term: &Term) -> Term {
        match term {
            Term::Tuple(parts) => match parts.as_slice() {
                [Term::Atom(tag), ..] if tag.as_str().starts_with("c_") => self.expr(term),
                // A definition of a letrec.
                [name, value] => Term::Tuple(vec![name.clone(), self.part(value)]),
                _ => term.clone(),
            },
            Term::List(list) if list.tail == Term::Nil => {
                Term::proper_list(list.items.iter().map(|it| self.part(it)).collect())
            }
            _ => term.clone(),
        }
    }

    fn expr(&mut self, term: &Term) -> Term {
        let Some([Term::Atom(tag), anno, parts @ ..]) = term.as_tuple() else {
            return term.clone();
        };
        match (tag.as_str(), parts) {
            ("c_literal" | "c_var" | "c_opaque", _) => term.clone(),
            ("c_clause", [patterns, guard, body]) => {
                let body = self.expr(body);
                let body = match self.number(anno) {
                    Some(number) => noted(number, body),
                    None => body,
                };
                node("c_clause", anno, [patterns.clone(), guard.clone(), body])
            }
            ("c_call", [module, name, args]) => self.call(anno, module, name, args),
            _ => {
                let parts = parts.iter().map(|it| self.part(it));
                Term::Tuple(
                    [Term::Atom(tag.clone()), anno.clone()].into_iter().chain(parts).collect(),
                )
            }
        }
    }

    /// The number of a clause that somebody wrote.
    fn number(&mut self, anno: &Term) -> Option<i64> {
        if self.scope.witness() == Witness::Ends {
            return None;
        }
        let items = anno.as_list()?;
        if items.iter().any(|it| it.as_atom() == Some("compiler_generated")) {
            return None;
        }
        let (line, column) = items.iter().find_map(|it| match it.as_tuple()? {
            [Term::Int(line), Term::Int(column)] if *column >= MARK => Some((*line, column % MARK)),
            _ => None,
        })?;
        let line = u32::try_from(line).ok()?;
        let column = u32::try_from(column).ok()?;
        let module = self.module.clone();
        Some(self.clauses.number(ClausePlace { module, line, column }))
    }

    fn call(&mut self, anno: &Term, module: &Term, name: &Term, args: &Term) -> Term {
        let args: Vec<Term> =
            args.as_list().unwrap_or_default().iter().map(|it| self.expr(it)).collect();
        let (Some(to), Some(function)) = (literal_atom(module), literal_atom(name)) else {
            let (module, name) = (self.expr(module), self.expr(name));
            return agent_at(anno, "dynamic", vec![module, name, list(args)]);
        };
        match (to.as_str(), function.as_str(), args.as_slice()) {
            ("erlang", "apply", [_, _, _]) => return agent_at(anno, "dynamic", args),
            ("erlang", "make_fun", [of, name, arity]) => {
                let made = self.made_fun(anno, of, name, arity);
                return made
                    .unwrap_or_else(|| call_at(anno, module.clone(), atom(&function), args));
            }
            _ => (),
        }
        match self.scope.place(&to, &function, args.len()) {
            Placed::Both => call_at(anno, module.clone(), name.clone(), args),
            Placed::Outside => {
                agent_at(anno, "outside", vec![module.clone(), name.clone(), list(args)])
            }
            Placed::Refused(what) => {
                let what = literal(Term::binary(what.into_bytes()));
                agent_at(anno, "refused", vec![what, list(args)])
            }
            Placed::Rewritten(to) => call_at(anno, atom(&to), name.clone(), args),
        }
    }

    /// `fun M:F/A` of a function that is not called as it is.
    fn made_fun(&self, anno: &Term, of: &Term, name: &Term, arity: &Term) -> Option<Term> {
        let n_args = literal_of(arity)?.as_int()?;
        let n_args = usize::try_from(n_args).ok().filter(|it| *it < MAX_PARAMS)?;
        let placed = self.scope.place(&literal_atom(of)?, &literal_atom(name)?, n_args);
        let var = |n: usize| node("c_var", &Term::Nil, [Term::atom(&format!("gimlet_{n}"))]);
        let params: Vec<Term> = (0..n_args).map(var).collect();
        let body = match placed {
            Placed::Both => return None,
            Placed::Rewritten(to) => {
                let args = vec![atom(&to), name.clone(), arity.clone()];
                let make = literal(Term::atom("make_fun"));
                return Some(call_at(anno, literal(Term::atom("erlang")), make, args));
            }
            Placed::Outside => {
                agent("outside", vec![of.clone(), name.clone(), list(params.clone())])
            }
            Placed::Refused(what) => {
                let what = literal(Term::binary(what.into_bytes()));
                agent("refused", vec![what, list(params.clone())])
            }
        };
        Some(node("c_fun", &Term::Nil, [Term::proper_list(params), body]))
    }
}

/// As many as a function may have.
const MAX_PARAMS: usize = 256;

/// What the agent adds to the columns of clauses of the source.
const MARK: i64 = 1_000_000;

/// The body after a note that its clause was entered. A message is first taken out of the mailbox:
/// nothing may be called before that.
fn noted(number: i64, body: Term) -> Term {
    if let Some([Term::Atom(tag), anno, first, then]) = body.as_tuple()
        && tag.as_str() == "c_seq"
        && let Some([Term::Atom(primop), _, name, _]) = first.as_tuple()
        && primop.as_str() == "c_primop"
        && literal_atom(name).is_some_and(|it| it.as_str() == "remove_message")
    {
        return node("c_seq", anno, [first.clone(), noted(number, then.clone())]);
    }
    let log = || literal(Term::atom("gimlet_log"));
    let erlang = |name: &str, args| {
        call_at(&Term::Nil, literal(Term::atom("erlang")), literal(Term::atom(name)), args)
    };
    let entry =
        node("c_cons", &Term::Nil, [literal(Term::Int(number)), erlang("get", vec![log()])]);
    node("c_seq", &Term::Nil, [erlang("put", vec![log(), entry]), body])
}

/// The fun with another body, made of the list of its parameters.
fn forward(fun: &Term, body: impl FnOnce(Term) -> Term) -> Option<Term> {
    let [tag, anno, params, _] = fun.as_tuple()? else { return None };
    let body = body(list(params.as_list()?.to_vec()));
    Some(Term::Tuple(vec![tag.clone(), anno.clone(), params.clone(), body]))
}

fn forward_call(fun: &Term, module: &Atom, function: &Atom) -> Option<Term> {
    let [tag, anno, params, _] = fun.as_tuple()? else { return None };
    let args = params.as_list()?.to_vec();
    let body = call_at(&Term::Nil, atom(module), atom(function), args);
    Some(Term::Tuple(vec![tag.clone(), anno.clone(), params.clone(), body]))
}

fn agent(function: &str, args: Vec<Term>) -> Term {
    agent_at(&Term::Nil, function, args)
}

fn agent_at(anno: &Term, function: &str, args: Vec<Term>) -> Term {
    let name = |text| literal(Term::atom(text));
    call_at(anno, name("gimlet_agent"), name(function), args)
}

fn call_at(anno: &Term, module: Term, name: Term, args: Vec<Term>) -> Term {
    node("c_call", anno, [module, name, Term::proper_list(args)])
}

/// The list of some values, as an expression.
fn list(items: Vec<Term>) -> Term {
    let nil = literal(Term::Nil);
    items.into_iter().rev().fold(nil, |tail, head| node("c_cons", &Term::Nil, [head, tail]))
}

fn atom(atom: &Atom) -> Term {
    literal(Term::Atom(atom.clone()))
}

fn literal(term: Term) -> Term {
    node("c_literal", &Term::Nil, [term])
}

fn node<const N: usize>(kind: &str, anno: &Term, parts: [Term; N]) -> Term {
    Term::Tuple([Term::atom(kind), anno.clone()].into_iter().chain(parts).collect())
}

pub(super) fn literal_of(term: &Term) -> Option<&Term> {
    match term.as_tuple()? {
        [tag, _, value] if tag.as_atom() == Some("c_literal") => Some(value),
        _ => None,
    }
}

pub(super) fn literal_atom(term: &Term) -> Option<Atom> {
    match literal_of(term)? {
        Term::Atom(atom) => Some(atom.clone()),
        _ => None,
    }
}

pub(super) fn function_name(term: &Term) -> Option<(Atom, u32)> {
    let [_, _, name] = term.as_tuple()? else { return None };
    match name.as_tuple()? {
        [Term::Atom(name), Term::Int(arity)] => Some((name.clone(), u32::try_from(*arity).ok()?)),
        _ => None,
    }
}
