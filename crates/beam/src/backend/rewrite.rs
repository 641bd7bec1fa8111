//! The rewriting of Core Erlang for BEAM: calls that leave the run go through the agent, and clauses record that they
//! are entered if that is asked for.
//!
//! Works on the records of the compiler with their annotations, so that names of funs and lines in stack traces stay as
//! they are. Guards and patterns are not changed.

use crate::backend::scope::{Placed, Scope, Witness};
use erlang::core::MARK;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::{Atom, Term};

/// The position of a clause in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClausePlace {
    pub(super) module: Atom,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl ClausePlace {
    /// Returns the clause's number in logs: a hash of the position alone, so that rewriting the same code twice gives
    /// equal code.
    pub(super) fn number(&self) -> i64 {
        let text = [&self.line.to_le_bytes(), &self.column.to_le_bytes()];
        let text = self.module.as_str().bytes().chain(text.into_iter().flatten().copied());
        // FNV-1a, folded to 30 bits.
        let hash = text.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        i64::try_from((hash ^ (hash >> 32)) & 0x3fff_ffff).unwrap_or_default()
    }
}

/// The clauses of all rewritten modules that record when they are entered, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    pub(super) places: FxHashMap<i64, ClausePlace>,
}

/// Returns the path hash after a clause, as the code made by [`mixing`] computes it. It stays a small integer.
pub(super) fn mixed(path: i64, number: i64) -> i64 {
    (path & PATH_BITS) * PATH_FACTOR + number
}

const PATH_BITS: i64 = (1 << 53) - 1;
const PATH_FACTOR: i64 = 31;

/// The functions of a module that run outside as a whole, by name and arity.
pub(super) type Leaving = BTreeSet<(Atom, u32)>;

/// Returns the rewritten module under its new name; `None` if the term is not a Core Erlang module.
pub(super) fn rewrite(
    scope: &Scope,
    module: &Atom,
    core: &Term,
    leaving: &Leaving,
    clauses: &mut Clauses,
) -> Option<Term> {
    let [tag, anno, _, exports, _, definitions] = core.as_tuple()? else { return None };
    let mut rewriting = Rewriting { scope, module, clauses, is_telling: true };
    let mut kept = Vec::new();
    for definition in definitions.as_list()? {
        let [name, fun] = definition.as_tuple()? else { return None };
        let (function, arity) = function_name(name)?;
        let body = if leaving.contains(&(function.clone(), arity)) {
            let plain = Scope::plain_name(module);
            forward(fun, |args| agent("outside", vec![atom(&plain), atom(&function), args]))?
        } else if !scope.is_own(module) && scope.row(module, &function, arity as usize).is_some() {
            // The function is native in this module; all calls go to the original.
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

/// Returns the module unchanged under another name, with all functions exported. Its clauses record that they were
/// entered, for coverage.
pub(super) fn plain(module: &Atom, core: &Term) -> Option<Term> {
    let [tag, anno, _, _, _, definitions] = core.as_tuple()? else { return None };
    let names = definitions.as_list()?.iter().map(|it| it.as_tuple()?.first().cloned());
    let exports = Term::proper_list(names.collect::<Option<_>>()?);
    let name = atom(&Scope::plain_name(module));
    let definitions = remembering(module, definitions);
    Some(Term::Tuple(vec![tag.clone(), anno.clone(), name, exports, Term::Nil, definitions]))
}

fn remembering(module: &Atom, term: &Term) -> Term {
    let parts = |it: &[Term]| it.iter().map(|it| remembering(module, it)).collect();
    match term {
        Term::Tuple(items) => match items.as_slice() {
            [tag, ..] if tag.as_atom() == Some("c_literal") => term.clone(),
            [tag, anno, patterns, guard, body] if tag.as_atom() == Some("c_clause") => {
                let body = remembering(module, body);
                let body = match place_of(module, anno) {
                    Some(place) => noted(body, || remember(&place)),
                    None => body,
                };
                node("c_clause", anno, [patterns.clone(), guard.clone(), body])
            }
            items => Term::Tuple(parts(items)),
        },
        Term::List(list) if list.tail == Term::Nil => Term::proper_list(parts(&list.items)),
        _ => term.clone(),
    }
}

/// Returns code that records a clause. Reading the flag is cheaper than writing it, and is nearly always enough.
fn remember(place: &ClausePlace) -> Term {
    let key = || literal(Term::atom(&format!("{SEEN}{}", place.number())));
    let seen = || literal(Term::atom("gimlet_seen"));
    let is_true = || literal(Term::atom("true"));
    let clause = |pattern: Term, body: Term| {
        node("c_clause", &Term::Nil, [Term::proper_list(vec![pattern]), is_true(), body])
    };
    let other = node("c_var", &Term::Nil, [Term::atom("gimlet other")]);
    let clauses = vec![clause(seen(), seen()), clause(other, erlang("put", vec![key(), seen()]))];
    node("c_case", &Term::Nil, [erlang("get", vec![key()]), Term::proper_list(clauses)])
}

/// The prefix of the keys in the process dictionary that record entered clauses.
pub(super) const SEEN: &str = "gimlet clause ";

/// Whether the module runs code when it is loaded (`on_load`), which makes its functions native.
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
    /// Whether the current clause records when it is entered.
    is_telling: bool,
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
                let number = self.number(anno);
                let body = self.expr(body);
                let body = match (number, self.scope.witness()) {
                    (None, _) | (_, Witness::Ends) => body,
                    (Some(number), Witness::Path) => noted(body, || mixing(number)),
                    (Some(number), Witness::Clauses) => noted(body, || telling(number)),
                };
                node("c_clause", anno, [patterns.clone(), guard.clone(), body])
            }
            ("c_call", [module, name, args]) => self.call(anno, module, name, args),
            ("c_case", [looked_at, alternatives]) => {
                let looked_at = self.expr(looked_at);
                let alternatives = self.alternatives(alternatives);
                node("c_case", anno, [looked_at, alternatives])
            }
            _ => {
                let parts = parts.iter().map(|it| self.part(it));
                Term::Tuple(
                    [Term::Atom(tag.clone()), anno.clone()].into_iter().chain(parts).collect(),
                )
            }
        }
    }

    /// Rewrites the clauses of a case. No record is made by the only alternative, nor by the only one that ends at
    /// once, which the absence of a record identifies. That keeps calls at the leaves of a recursion cheap.
    fn alternatives(&mut self, clauses: &Term) -> Term {
        let items = clauses.as_list().unwrap_or_default();
        let has_place = |it: &Term| place_of(self.module, it.as_tuple()?.get(1)?);
        let written: Vec<bool> = items.iter().map(|it| has_place(it).is_some()).collect();
        let is_leaf = |(it, is_written): (&Term, &bool)| {
            *is_written && it.as_tuple().and_then(<[Term]>::last).is_some_and(|it| self.is_leaf(it))
        };
        let leaves: Vec<bool> = items.iter().zip(&written).map(is_leaf).collect();
        let is_choice = written.iter().filter(|it| **it).count() > 1;
        let is_one_leaf = leaves.iter().filter(|it| **it).count() == 1;
        let rewritten = items.iter().zip(leaves).map(|(it, is_leaf)| {
            // Cases inside the body set the flag for their own clauses.
            self.is_telling = is_choice && !(is_leaf && is_one_leaf);
            self.expr(it)
        });
        let rewritten = rewritten.collect();
        self.is_telling = true;
        Term::proper_list(rewritten)
    }

    /// Whether an expression contains no call and no choice.
    fn is_leaf(&self, body: &Term) -> bool {
        match body {
            Term::Tuple(parts) => match parts.as_slice() {
                [tag, ..] if tag.as_atom() == Some("c_literal") => true,
                [tag, _, module, name, args] if tag.as_atom() == Some("c_call") => {
                    let (Some(module), Some(name)) = (literal_atom(module), literal_atom(name))
                    else {
                        return false;
                    };
                    let n_args = args.as_list().unwrap_or_default().len();
                    module.as_str() == "erlang"
                        && name.as_str() != "apply"
                        && self.scope.row(&module, &name, n_args) == Some(&Placed::Both)
                        && self.is_leaf(args)
                }
                [tag, ..] if tag.as_atom().is_some_and(|it| BRANCHING.contains(&it)) => false,
                parts => parts.iter().all(|it| self.is_leaf(it)),
            },
            Term::List(list) => list.items.iter().all(|it| self.is_leaf(it)),
            _ => true,
        }
    }

    /// Returns the number of a clause that records when it is entered; `None` for other clauses.
    fn number(&mut self, anno: &Term) -> Option<i64> {
        match self.scope.witness() {
            Witness::Ends => return None,
            Witness::Path if !self.is_telling => return None,
            Witness::Path | Witness::Clauses => (),
        }
        let place = place_of(self.module, anno)?;
        let number = place.number();
        self.clauses.places.insert(number, place);
        Some(number)
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
            Placed::ByAgent(function) => agent_at(anno, function, args),
            Placed::Refused(what) => {
                let what = literal(Term::binary(what.into_bytes()));
                agent_at(anno, "refused", vec![what, list(args)])
            }
            Placed::Rewritten(to) => call_at(anno, atom(&to), name.clone(), args),
        }
    }

    /// Rewrites `fun M:F/A` if the function may not be called directly.
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
            Placed::ByAgent(function) => agent(function, params.clone()),
            Placed::Refused(what) => {
                let what = literal(Term::binary(what.into_bytes()));
                agent("refused", vec![what, list(params.clone())])
            }
        };
        Some(node("c_fun", &Term::Nil, [Term::proper_list(params), body]))
    }
}

/// Records of Core Erlang that call or choose.
const BRANCHING: &[&str] =
    &["c_apply", "c_case", "c_catch", "c_fun", "c_letrec", "c_primop", "c_receive", "c_try"];

/// Returns the position of a clause that the user wrote; `None` for the compiler's own.
fn place_of(module: &Atom, anno: &Term) -> Option<ClausePlace> {
    let items = anno.as_list()?;
    if items.iter().any(|it| it.as_atom() == Some("compiler_generated")) {
        return None;
    }
    let (line, column) = items.iter().find_map(|it| match it.as_tuple()? {
        [Term::Int(line), Term::Int(column)] if *column >= MARK => Some((*line, column % MARK)),
        _ => None,
    })?;
    let (line, column) = (u32::try_from(line).ok()?, u32::try_from(column).ok()?);
    Some(ClausePlace { module: module.clone(), line, column })
}

/// The maximal number of parameters of a function plus one.
const MAX_PARAMS: usize = 256;

/// Puts a note at the beginning of a clause's body. If the clause takes a message, the note comes after its removal
/// from the mailbox, before which nothing may be called.
fn noted(body: Term, note: impl FnOnce() -> Term) -> Term {
    if let Some([Term::Atom(tag), anno, first, then]) = body.as_tuple()
        && tag.as_str() == "c_seq"
        && let Some([Term::Atom(primop), _, name, _]) = first.as_tuple()
        && primop.as_str() == "c_primop"
        && literal_atom(name).is_some_and(|it| it.as_str() == "remove_message")
    {
        return node("c_seq", anno, [first.clone(), noted(then.clone(), note)]);
    }
    node("c_seq", &Term::Nil, [note(), body])
}

/// Returns code that adds the clause to the front of the log.
fn telling(number: i64) -> Term {
    let log = || literal(Term::atom("gimlet_log"));
    let entered = erlang("get", vec![log()]);
    let entry = node("c_cons", &Term::Nil, [literal(Term::Int(number)), entered]);
    erlang("put", vec![log(), entry])
}

/// Returns code that mixes the clause into the path hash, which only the unit's process has. The process dictionary is
/// the cheapest memory of a process; `cargo xtask backend` measures the cost.
fn mixing(number: i64) -> Term {
    let path = || literal(Term::atom("gimlet_path"));
    let int = |it| literal(Term::Int(it));
    let var = || node("c_var", &Term::Nil, [Term::atom("gimlet path")]);
    let low = erlang("band", vec![var(), int(PATH_BITS)]);
    let next = erlang("+", vec![erlang("*", vec![low, int(PATH_FACTOR)]), int(number)]);
    let clause = |pattern: Term, guard: Term, body: Term| {
        node("c_clause", &Term::Nil, [Term::proper_list(vec![pattern]), guard, body])
    };
    let is_here = erlang("is_integer", vec![var()]);
    let nothing = || literal(Term::atom("ok"));
    let other = node("c_var", &Term::Nil, [Term::atom("gimlet other")]);
    let clauses = vec![
        clause(var(), is_here, erlang("put", vec![path(), next])),
        clause(other, literal(Term::atom("true")), nothing()),
    ];
    node("c_case", &Term::Nil, [erlang("get", vec![path()]), Term::proper_list(clauses)])
}

fn erlang(name: &str, args: Vec<Term>) -> Term {
    call_at(&Term::Nil, literal(Term::atom("erlang")), literal(Term::atom(name)), args)
}

/// Replaces the body of a fun; the new body is made from the list of its parameters.
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

/// Returns the expression of a list of these items.
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
