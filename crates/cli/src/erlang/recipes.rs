//! The code that makes values of recipes: a call of its function for each, in whatever part of an argument
//! it stands.
//!
//! Written as functions of Core Erlang, so that which function makes a value is a choice like any other.
//! A recipe says by its tag what it is; types only say where to look for recipes.

use crate::erlang::core::{self, Definition};
use specs::{Maker, Otherwise, Signature};
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Code, Term, Type, TypeId, Types};

/// What a unit is called with in place of its input.
pub(crate) struct Made {
    /// For each parameter: the value that it stands for.
    pub(crate) args: Vec<Term>,
    /// Functions that they need.
    pub(crate) definitions: Vec<Definition>,
}

/// The arguments that the parameters, variables from 0 on, stand for; `None`: they are no recipes.
/// `refuse` is what happens where no value comes of a recipe.
pub(crate) fn made(signature: &Signature, refuse: &dyn Fn() -> Term) -> Option<Made> {
    if signature.makers.is_empty() {
        return None;
    }
    let types = &signature.domain.types;
    let mut kitchen = Kitchen {
        types,
        holding: holding(types),
        known: BTreeMap::new(),
        definitions: Vec::new(),
        refuse,
    };
    let of_args = signature.args.iter().filter_map(|it| match types.get(*it) {
        Type::Tuple(parts) => Some(parts),
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Range { .. }
        | Type::List { .. }
        | Type::Map(_)
        | Type::Bits { .. }
        | Type::Fun { .. }
        | Type::Union(_) => None,
    });
    let columns = columns(of_args.map(|it| &**it));
    let args = columns.iter().enumerate();
    let args = args.map(|(n, of)| kitchen.value(of, core::variable(n))).collect();
    kitchen.make(&signature.makers);
    Some(Made { args, definitions: kitchen.definitions })
}

/// The n-th parts of all rows, for each n.
fn columns<'t>(rows: impl Iterator<Item = &'t [TypeId]>) -> Vec<BTreeSet<TypeId>> {
    let mut res: Vec<BTreeSet<TypeId>> = Vec::new();
    for row in rows {
        res.resize_with(res.len().max(row.len()), BTreeSet::new);
        for (column, part) in res.iter_mut().zip(row) {
            column.insert(*part);
        }
    }
    res
}

/// A part of an input that is a recipe, or a term with recipes in it, as code.
pub(crate) fn code(term: &Term) -> Code {
    if !term.has_part(|it| Maker::of_recipe(it).is_some()) {
        return Code::Term(term.clone());
    }
    let codes = |items: &[Term]| items.iter().map(code).collect();
    match term {
        Term::Tuple(items) => match Maker::of_recipe(term) {
            Some((Maker { module, function, gives, .. }, args)) => {
                let call = Code::Call { module, function, args: codes(args) };
                let Some((n, _)) = gives.element() else { return call };
                let n = i64::try_from(n + 1).unwrap_or(i64::MAX);
                Code::Call {
                    module: Atom::new("erlang"),
                    function: Atom::new("element"),
                    args: vec![Code::Term(Term::Int(n)), call],
                }
            }
            None => Code::Tuple(codes(items)),
        },
        Term::List(list) => Code::List(codes(&list.items), Box::new(code(&list.tail))),
        Term::Map(pairs) => Code::Map(pairs.iter().map(|it| (code(&it.0), code(&it.1))).collect()),
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => Code::Term(term.clone()),
    }
}

struct Kitchen<'a> {
    types: &'a Types,
    /// Types with recipes in them.
    holding: BTreeSet<TypeId>,
    /// The functions for parts of these types.
    known: BTreeMap<BTreeSet<TypeId>, Atom>,
    definitions: Vec<Definition>,
    refuse: &'a dyn Fn() -> Term,
}

/// The function that makes the value of a recipe.
const MAKE: &str = "make";

/// The parts of a type that recipes can stand in.
fn parts(of: &Type) -> Vec<TypeId> {
    match of {
        Type::Tuple(parts) | Type::Union(parts) => parts.to_vec(),
        Type::List { item, tail, .. } => vec![*item, *tail],
        Type::Map(fields) => fields.iter().map(|it| it.value).collect(),
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Range { .. }
        | Type::Bits { .. }
        | Type::Fun { .. } => Vec::new(),
    }
}

fn all(types: &Types) -> impl Iterator<Item = TypeId> {
    (0..u32::try_from(types.len()).unwrap_or(u32::MAX)).map(TypeId)
}

fn holding(types: &Types) -> BTreeSet<TypeId> {
    let mut res: BTreeSet<TypeId> = all(types).filter(|it| tag(types, *it).is_some()).collect();
    loop {
        let holds = |it: &TypeId| parts(types.get(*it)).iter().any(|part| res.contains(part));
        let more: Vec<TypeId> = all(types).filter(|it| !res.contains(it) && holds(it)).collect();
        if more.is_empty() {
            return res;
        }
        res.extend(more);
    }
}

/// The tag of a type of recipes.
fn tag(types: &Types, id: TypeId) -> Option<&Atom> {
    let Type::Tuple(parts) = types.get(id) else { return None };
    let Type::Literal(Term::Atom(tag)) = types.get(*parts.first()?) else { return None };
    Maker::of_tag(tag).map(|_| tag)
}

impl Kitchen<'_> {
    /// What a value of these types stands for.
    fn value(&mut self, of: &BTreeSet<TypeId>, value: Term) -> Term {
        let leaves = self.leaves(of);
        if leaves.is_empty() {
            return value;
        }
        let name = match self.known.get(&leaves) {
            Some(name) => name.clone(),
            None => self.define(&leaves),
        };
        core::call_local(&name, vec![value])
    }

    /// The members of these types, through unions, that hold recipes.
    fn leaves(&self, of: &BTreeSet<TypeId>) -> BTreeSet<TypeId> {
        let (mut seen, mut res) = (BTreeSet::new(), BTreeSet::new());
        let mut todo: Vec<TypeId> = of.iter().copied().collect();
        while let Some(id) = todo.pop() {
            if !self.holding.contains(&id) || !seen.insert(id) {
                continue;
            }
            if let Some(members) = self.types.members(id) {
                todo.extend(members);
            } else {
                res.insert(id);
            }
        }
        res
    }

    /// The function for a part of these types: recipes are made, and what has them in it is made anew.
    fn define(&mut self, of: &BTreeSet<TypeId>) -> Atom {
        let is_recipe = |it: &TypeId| tag(self.types, *it).is_some();
        if of.iter().all(is_recipe) {
            return Atom::new(MAKE);
        }
        let name = Atom::new(&format!("part-{}", self.known.len()));
        self.known.insert(of.clone(), name.clone());
        let mut fresh = 1;
        let mut clauses = Vec::new();
        for tag in of.iter().filter_map(|it| tag(self.types, *it)).collect::<BTreeSet<_>>() {
            let arity = Maker::of_tag(tag).map_or(0, |it| it.arity);
            let params: Vec<usize> = (fresh..fresh + arity).collect();
            fresh += arity;
            let made = core::call_local(&Atom::new(MAKE), vec![core::variable(0)]);
            clauses.push((recipe(tag, &params), made));
        }
        let mut tuples: BTreeMap<(usize, Option<Atom>), Vec<&[TypeId]>> = BTreeMap::new();
        let (mut items, mut maps) = (BTreeSet::new(), BTreeSet::new());
        let types = self.types;
        for id in of.iter().filter(|it| !is_recipe(it)) {
            match types.get(*id) {
                Type::Tuple(parts) => {
                    let first = parts.first().map(|it| types.get(*it));
                    let tag = match first {
                        Some(Type::Literal(Term::Atom(tag))) => Some(tag.clone()),
                        Some(_) | None => None,
                    };
                    tuples.entry((parts.len(), tag)).or_default().push(parts);
                }
                Type::List { item, tail, .. } => {
                    items.extend([*item, *tail]);
                }
                Type::Map(fields) => maps.extend(fields.iter().map(|it| it.value)),
                Type::Any
                | Type::None
                | Type::Kind(_)
                | Type::Literal(_)
                | Type::Range { .. }
                | Type::Bits { .. }
                | Type::Fun { .. }
                | Type::Union(_) => (),
            }
        }
        // Tuples with a tag come before those without.
        for ((arity, tag), rows) in tuples.into_iter().rev() {
            let params: Vec<usize> = (fresh..fresh + arity).collect();
            fresh += arity;
            let columns = columns(rows.into_iter());
            let parts = params.iter().zip(&columns);
            let mut parts: Vec<Term> =
                parts.map(|(n, of)| self.value(of, core::variable(*n))).collect();
            let mut pattern: Vec<Term> = params.iter().map(|it| core::variable(*it)).collect();
            if let Some(tag) = tag.map(|it| core::literal(Term::Atom(it))) {
                pattern.iter_mut().take(1).for_each(|it| *it = tag.clone());
                parts.iter_mut().take(1).for_each(|it| *it = tag.clone());
            }
            clauses.push((core::tuple(pattern), core::tuple(parts)));
        }
        if !items.is_empty() {
            let (head, tail) = (core::variable(fresh), core::variable(fresh + 1));
            let pattern = core::cons(head.clone(), tail.clone());
            let head = self.value(&items, head);
            let tail = core::call_local(&name, vec![tail]);
            clauses.push((pattern, core::cons(head, tail)));
            fresh += 2;
        }
        let other = core::variable(fresh);
        let rest = match maps.is_empty() {
            true => other.clone(),
            false => {
                let (key, value) = (fresh + 1, fresh + 2);
                let value_made = self.value(&maps, core::variable(value));
                let each = core::function(&[key, value], value_made);
                let (maps, map) = (Atom::new("maps"), Atom::new("map"));
                let asked =
                    core::call(&Atom::new("erlang"), &Atom::new("is_map"), vec![other.clone()]);
                let made = core::call(&maps, &map, vec![each, other.clone()]);
                let is_map = core::literal(Term::atom("true"));
                core::case(asked, vec![(is_map, made), (core::variable(fresh + 3), other.clone())])
            }
        };
        clauses.push((other, rest));
        let body = core::case(core::variable(0), clauses);
        self.definitions.push(Definition { name: name.clone(), params: vec![0], body });
        name
    }

    /// The function that makes what a recipe stands for, of any of the makers; other terms stay.
    fn make(&mut self, makers: &[(Maker, Vec<Otherwise>)]) {
        let mut fresh = 1;
        let mut clauses = Vec::new();
        for (maker, otherwise) in makers {
            let tag = maker.tag();
            let params: Vec<usize> = (fresh..fresh + maker.arity).collect();
            fresh += maker.arity;
            let types = self.types;
            let rows = all(types).filter_map(|it| {
                let Type::Tuple(parts) = types.get(it) else { return None };
                if self::tag(types, it) == Some(&tag) { parts.get(1..) } else { None }
            });
            let columns = columns(rows);
            let args = params.iter().zip(&columns);
            let args = args.map(|(n, of)| self.value(of, core::variable(*n))).collect();
            let call = core::call(&maker.module, &maker.function, args);
            let body = self.taken(maker, otherwise, call, &mut fresh);
            clauses.push((recipe(&tag, &params), body));
        }
        clauses.push((core::variable(fresh), core::variable(fresh)));
        let body = core::case(core::variable(0), clauses);
        self.definitions.push(Definition { name: Atom::new(MAKE), params: vec![0], body });
    }

    /// The value in what a maker returns.
    fn taken(&self, maker: &Maker, otherwise: &[Otherwise], call: Term, fresh: &mut usize) -> Term {
        let mut next = || {
            *fresh += 1;
            core::variable(*fresh - 1)
        };
        let atom = |it: &Atom| core::literal(Term::Atom(it.clone()));
        let value = next();
        if let Some((n, arity)) = maker.gives.element() {
            let is_ok = maker.gives.is_ok();
            let parts = (0..arity).map(|at| match at {
                0 if is_ok => atom(&Atom::new("ok")),
                _ if at == n => value.clone(),
                _ => next(),
            });
            let pattern = core::tuple(parts.collect());
            return core::case(call, vec![(pattern, value), (next(), (self.refuse)())]);
        }
        if otherwise.is_empty() {
            return call;
        }
        let mut clauses = Vec::new();
        for other in otherwise {
            let pattern = match other {
                Otherwise::Atom(name) => atom(name),
                Otherwise::Tagged { tag, arity } => {
                    let rest = (1..*arity).map(|_| next());
                    core::tuple(std::iter::once(atom(tag)).chain(rest).collect())
                }
            };
            clauses.push((pattern, (self.refuse)()));
        }
        clauses.push((value.clone(), value));
        core::case(call, clauses)
    }
}

/// The pattern of recipes with a tag.
fn recipe(tag: &Atom, params: &[usize]) -> Term {
    let tag = core::literal(Term::Atom(tag.clone()));
    core::tuple(std::iter::once(tag).chain(params.iter().map(|it| core::variable(*it))).collect())
}
