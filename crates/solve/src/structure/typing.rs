//! What a type says of a node: alternatives without unions, each narrowing one kind.

#![expect(clippy::wildcard_enum_match_arm, reason = "other pairs do not narrow each other")]

use super::kinds::Kinds;
use super::state::{Closed, NodeId, Pending, Shape, State, Step};
use super::value::Value;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use term::{Atom, Bits, Field, Fun, Kind, Term, Type, TypeId, Types};

#[derive(Debug)]
pub(super) struct Typing<'q> {
    pub(super) types: &'q Types,
    known: RefCell<FxHashMap<Typed, Rc<[Alt<'q>]>>>,
    booleans: Rc<[Alt<'q>]>,
    /// Something was left out that may exist: nothing is proved any more.
    pub(super) is_cut: Cell<bool>,
}

/// A type of the query, or what may follow a cell of a list type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Typed {
    Id(TypeId),
    Rest { item: TypeId, tail: TypeId },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Alt<'q> {
    Any,
    Kind(Kind),
    Literal(&'q Term),
    Range(Option<&'q BigInt>, Option<&'q BigInt>),
    Cons { item: TypeId, tail: TypeId },
    Tuple(&'q [TypeId]),
    Map(&'q [Field]),
    Bits { base: u64, unit: u64 },
    Fun { args: Option<&'q [TypeId]>, result: TypeId },
}

static TRUE: Term = Term::Atom(Atom(SmolStr::new_static("true")));
static FALSE: Term = Term::Atom(Atom(SmolStr::new_static("false")));

impl<'q> Typing<'q> {
    pub(super) fn new(types: &'q Types) -> Typing<'q> {
        let booleans = [Alt::Literal(&TRUE), Alt::Literal(&FALSE)];
        Typing {
            types,
            known: RefCell::default(),
            booleans: booleans.into(),
            is_cut: Cell::new(false),
        }
    }

    pub(super) fn booleans(&self) -> Rc<[Alt<'q>]> {
        Rc::clone(&self.booleans)
    }

    pub(super) fn alternatives(&self, of: Typed) -> Rc<[Alt<'q>]> {
        if let Some(known) = self.known.borrow().get(&of) {
            return Rc::clone(known);
        }
        let mut res = Vec::new();
        match of {
            Typed::Id(id) => self.flatten(id, &mut Vec::new(), &mut res),
            Typed::Rest { item, tail } => {
                res.push(Alt::Cons { item, tail });
                self.flatten(tail, &mut Vec::new(), &mut res);
            }
        }
        if res.iter().any(|it| matches!(it, Alt::Any)) {
            res = vec![Alt::Any];
        }
        let res: Rc<[Alt<'q>]> = res.into();
        self.known.borrow_mut().insert(of, Rc::clone(&res));
        res
    }

    fn flatten(&self, id: TypeId, seen: &mut Vec<TypeId>, res: &mut Vec<Alt<'q>>) {
        if seen.contains(&id) {
            return;
        }
        seen.push(id);
        match self.types.get(id) {
            Type::Any => res.push(Alt::Any),
            Type::None => (),
            Type::Kind(kind) => res.push(Alt::Kind(*kind)),
            Type::Literal(term) => res.push(Alt::Literal(term)),
            Type::Range { low, high } => res.push(Alt::Range(low.as_ref(), high.as_ref())),
            Type::List { item, tail, may_be_empty } => {
                res.push(Alt::Cons { item: *item, tail: *tail });
                if *may_be_empty {
                    self.flatten(*tail, seen, res);
                }
            }
            Type::Tuple(parts) => res.push(Alt::Tuple(parts)),
            Type::Map(fields) => res.push(Alt::Map(fields)),
            Type::Bits { base, unit } => res.push(Alt::Bits { base: *base, unit: *unit }),
            Type::Fun { args, result } => {
                res.push(Alt::Fun { args: args.as_deref(), result: *result });
            }
            Type::Union(parts) => parts.iter().for_each(|it| self.flatten(*it, seen, res)),
        }
    }

    pub(super) fn has(&self, alt: &Alt<'q>, term: &Term) -> bool {
        match alt {
            Alt::Any => true,
            Alt::Kind(kind) => kind.has(term),
            Alt::Literal(literal) => literal.cmp_exact(term).is_eq(),
            Alt::Range(low, high) => {
                let above = |it: &BigInt| Term::integer(it.clone()).cmp_value(term).is_le();
                let below = |it: &BigInt| Term::integer(it.clone()).cmp_value(term).is_ge();
                Kind::Integer.has(term) && low.is_none_or(above) && high.is_none_or(below)
            }
            Alt::Cons { item, tail } => {
                let Term::List(list) = term else { return false };
                let items = list.items.iter().all(|it| self.types.has(*item, it));
                items && self.types.has(*tail, &list.tail)
            }
            Alt::Tuple(parts) => term.as_tuple().is_some_and(|items| {
                let mut pairs = items.iter().zip(*parts);
                items.len() == parts.len() && pairs.all(|(it, part)| self.types.has(*part, it))
            }),
            Alt::Map(fields) => {
                let Term::Map(pairs) = term else { return false };
                self.has_pairs(fields, pairs)
            }
            Alt::Bits { base, unit } => {
                let Term::Bits(bits) = term else { return false };
                is_size(bits.bit_len() as u64, *base, *unit)
            }
            Alt::Fun { args, .. } => {
                let Term::Fun(fun) = term else { return false };
                args.is_none_or(|it| it.len() == usize::from(fun.arity()))
            }
        }
    }

    fn has_pairs(&self, fields: &[Field], pairs: &[(Term, Term)]) -> bool {
        let field_of = |key: &Term| fields.iter().position(|it| self.types.has(it.key, key));
        let fits = |(key, value): &(Term, Term)| {
            let field = field_of(key).and_then(|it| fields.get(it));
            field.is_some_and(|it| self.types.has(it.value, value))
        };
        let is_there = |n: usize| pairs.iter().any(|it| field_of(&it.0) == Some(n));
        let mut required = fields.iter().enumerate().filter(|it| it.1.is_required);
        pairs.iter().all(fits) && required.all(|it| is_there(it.0))
    }

    /// A small member.
    pub(super) fn smallest(&self, alt: &Alt<'q>) -> Option<Term> {
        match alt {
            Alt::Any => Some(Term::Int(0)),
            Alt::Kind(kind) => Some(kind.smallest()),
            Alt::Literal(term) => Some((*term).clone()),
            Alt::Range(low, high) => {
                let zero = BigInt::ZERO;
                let near = match (low, high) {
                    (Some(low), _) if **low > zero => (*low).clone(),
                    (_, Some(high)) if **high < zero => (*high).clone(),
                    _ => zero,
                };
                Some(Term::integer(near)).filter(|it| self.has(alt, it))
            }
            Alt::Cons { item, tail } => {
                let item = self.types.smallest(*item)?;
                Some(Term::list(vec![item], self.types.smallest(*tail)?))
            }
            Alt::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.types.smallest(*it));
                parts.collect::<Option<Vec<Term>>>().map(Term::Tuple)
            }
            Alt::Map(fields) => {
                let required = fields.iter().filter(|it| it.is_required);
                let pair = |it: &Field| {
                    Some((self.types.smallest(it.key)?, self.types.smallest(it.value)?))
                };
                required.map(pair).collect::<Option<Vec<_>>>().map(Term::map)
            }
            Alt::Bits { base, .. } => Some(Term::Bits(Bits::zeros(usize::try_from(*base).ok()?))),
            Alt::Fun { args, result } => {
                let arity = u8::try_from(args.map_or(0, <[TypeId]>::len)).ok()?;
                let default = self.types.smallest(*result)?;
                Some(Term::Fun(Box::new(Fun::Table { arity, entries: Vec::new(), default })))
            }
        }
    }
}

pub(super) fn is_size(bits: u64, base: u64, unit: u64) -> bool {
    match bits.checked_sub(base) {
        None => false,
        Some(rest) => rest.checked_rem(unit).unwrap_or(rest) == 0,
    }
}

impl<'q> Alt<'q> {
    pub(super) fn kinds(&self) -> Kinds {
        match self {
            Alt::Any => Kinds::ALL,
            Alt::Kind(kind) => Kinds::of(*kind),
            Alt::Literal(term) => Kinds::of_term(term),
            Alt::Range(..) => Kinds::INT,
            Alt::Cons { .. } => Kinds::CONS,
            Alt::Tuple(_) => Kinds::TUPLE,
            Alt::Map(_) => Kinds::MAP,
            Alt::Bits { .. } => Kinds::BITS,
            Alt::Fun { .. } => Kinds::FUN,
        }
    }
}

impl<'q> State<'q> {
    pub(super) fn add_type(&mut self, id: NodeId, of: Typed) -> Step {
        let alternatives = self.typing.alternatives(of);
        self.add_alternatives(id, alternatives)
    }

    pub(super) fn add_alternatives(&mut self, id: NodeId, alts: Rc<[Alt<'q>]>) -> Step {
        if matches!(*alts, [Alt::Any]) {
            return Ok(());
        }
        self.change(id).types.push(alts);
        self.settle(id)
    }

    /// Leaves out alternatives that the node can't be, and takes over what the others agree on.
    pub(super) fn narrow_types(&mut self, id: NodeId) -> Step {
        let mut n = 0;
        while let Some(alts) = self.node(id).types.get(n).cloned() {
            let is_possible = |it: &Alt<'q>| self.may_be(id, it, LOOK_AHEAD);
            let left: Vec<Alt<'q>> = alts.iter().filter(|it| is_possible(it)).copied().collect();
            let kinds = left.iter().fold(Kinds::NONE, |sum, it| sum.or(it.kinds()));
            let narrowed = self.kinds(id).and(kinds);
            if narrowed.is_empty() {
                return Err(Closed);
            }
            if narrowed != self.kinds(id) {
                self.change(id).kinds = narrowed;
            }
            if let [alt] = *left
                && !matches!(alt, Alt::Map(_) | Alt::Bits { .. } | Alt::Fun { .. })
            {
                self.change(id).types.remove(n);
                self.take_over(id, &alt)?;
                continue;
            }
            if let [alt] = *left {
                self.take_size(id, &alt)?;
            }
            if left.len() < alts.len()
                && let Some(slot) = self.change(id).types.get_mut(n)
            {
                *slot = left.into();
            }
            n += 1;
        }
        let node = self.node(id);
        let is_made = matches!(node.shape, Shape::Cons(..) | Shape::Tuple(_));
        if is_made && !node.types.is_empty() && !node.is_typed {
            self.change(id).is_typed = true;
            self.narrow_parts(id)?;
            self.push(Pending::Typed(id));
        }
        Ok(())
    }

    /// `true`: nothing is left to choose.
    pub(super) fn examine_types(&mut self, id: NodeId) -> Result<bool, Closed> {
        self.narrow_types(id)?;
        let node = self.node(id);
        Ok(node.types.is_empty() || !matches!(node.shape, Shape::Cons(..) | Shape::Tuple(_)))
    }

    /// Whether the node may be such a term, as far as can be told at once.
    pub(super) fn may_be(&self, id: NodeId, alt: &Alt<'q>, left: usize) -> bool {
        let node = self.node(id);
        if !node.kinds.has(alt.kinds()) {
            return false;
        }
        let limits = node.limits.as_deref();
        match (&node.shape, alt) {
            (Shape::Literal(value), _) => self.typing.has(alt, &value.term()),
            (Shape::Cons(head, tail), Alt::Cons { item, tail: end }) => {
                let rest = Typed::Rest { item: *item, tail: *end };
                self.may_be_any(*head, Typed::Id(*item), left) && self.may_be_any(*tail, rest, left)
            }
            (Shape::Tuple(nodes), Alt::Tuple(parts)) => {
                let mut pairs = nodes.iter().zip(*parts);
                nodes.len() == parts.len()
                    && pairs.all(|(it, part)| self.may_be_any(*it, Typed::Id(*part), left))
            }
            (Shape::Open, Alt::Tuple(parts)) => limits.is_none_or(|it| {
                let arity = u32::try_from(parts.len()).unwrap_or(u32::MAX);
                it.arity.is_none_or(|it| it == arity)
                    && it.min_arity <= arity
                    && !it.not_arities.contains(&arity)
            }),
            (Shape::Open, Alt::Fun { args: Some(args), .. }) => limits.is_none_or(|it| {
                let arity = u8::try_from(args.len()).unwrap_or(u8::MAX);
                it.fun_arity.is_none_or(|it| it == arity) && !it.not_fun_arities.contains(&arity)
            }),
            (Shape::Open, Alt::Literal(term)) => self.admits_limits(id, &Value::Ref(term)),
            (Shape::Cons(..) | Shape::Tuple(_), Alt::Literal(term)) => {
                self.may_be_literal(id, &Value::Ref(term))
            }
            _ => true,
        }
    }

    fn may_be_any(&self, id: NodeId, of: Typed, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return true };
        self.typing.alternatives(of).iter().any(|it| self.may_be(id, it, left))
    }

    /// The only alternative becomes part of the node.
    fn take_over(&mut self, id: NodeId, alt: &Alt<'q>) -> Step {
        if matches!(self.node(id).shape, Shape::Literal(_)) {
            return Ok(());
        }
        match alt {
            Alt::Any => (),
            Alt::Kind(kind) => self.is_kind(id, *kind, true)?,
            Alt::Literal(term) => self.bind(id, &Value::Ref(term))?,
            Alt::Range(low, high) => {
                let bound = |it: &BigInt| Value::own(Term::integer(it.clone()));
                self.restrict(id, Kinds::INT)?;
                if let Some(low) = low {
                    self.at_least(id, bound(low), false)?;
                }
                if let Some(high) = high {
                    self.at_most(id, bound(high), false)?;
                }
            }
            Alt::Cons { item, tail } => {
                self.restrict(id, Kinds::CONS)?;
                let (head, rest) = self.cons(id)?;
                self.add_type(head, Typed::Id(*item))?;
                self.add_type(rest, Typed::Rest { item: *item, tail: *tail })?;
            }
            Alt::Tuple(parts) => {
                self.set_arity(id, u32::try_from(parts.len()).map_err(|_| Closed)?)?;
                let nodes = self.tuple(id)?;
                for (node, part) in nodes.iter().zip(*parts) {
                    self.add_type(*node, Typed::Id(*part))?;
                }
            }
            Alt::Fun { .. } | Alt::Map(_) | Alt::Bits { .. } => (),
        }
        Ok(())
    }

    /// Whether the type says that if this is a list, it ends with `[]`.
    pub(super) fn is_always_proper(&self, id: NodeId) -> bool {
        let is_nil = |it: &Alt<'q>| matches!(it, Alt::Literal(Term::Nil) | Alt::Kind(Kind::Nil));
        let is_proper = |it: &Alt<'q>| match it {
            Alt::Cons { tail, .. } => self.typing.alternatives(Typed::Id(*tail)).iter().all(is_nil),
            Alt::Literal(term) => !matches!(term, Term::List(_)) || term.as_list().is_some(),
            _ => !it.kinds().has(Kinds::CONS),
        };
        self.node(id).types.iter().any(|alts| alts.iter().all(is_proper))
    }

    /// What the only alternative says of the size; the rest stays a matter of the type.
    fn take_size(&mut self, id: NodeId, alt: &Alt<'q>) -> Step {
        if !matches!(self.node(id).shape, Shape::Open) {
            return Ok(());
        }
        let limits = self.node(id).limits.as_deref();
        match alt {
            Alt::Fun { args: Some(args), .. } if limits.is_none_or(|it| it.fun_arity.is_none()) => {
                self.set_fun_arity(id, u8::try_from(args.len()).map_err(|_| Closed)?)
            }
            Alt::Bits { base, unit: 0 } => self.set_bits(id, *base),
            Alt::Bits { base, unit } => {
                if base.is_multiple_of(8)
                    && unit.is_multiple_of(8)
                    && limits.is_none_or(|it| it.is_binary.is_none())
                {
                    self.is_kind(id, Kind::Binary, true)?;
                }
                self.set_min_bits(id, *base)
            }
            _ => Ok(()),
        }
    }

    /// Each part is of a kind that it has in one of the alternatives.
    fn narrow_parts(&mut self, id: NodeId) -> Step {
        let Some(alts) = self.node(id).types.last().cloned() else { return Ok(()) };
        let kinds = |typing: &Typing<'q>, of: Typed| {
            typing.alternatives(of).iter().fold(Kinds::NONE, |sum, it| sum.or(it.kinds()))
        };
        match self.node(id).shape.clone() {
            Shape::Cons(head, tail) => {
                let mut sums = (Kinds::NONE, Kinds::NONE);
                for alt in alts.iter() {
                    match alt {
                        Alt::Cons { item, tail } => {
                            let rest = Typed::Rest { item: *item, tail: *tail };
                            sums.0 = sums.0.or(kinds(self.typing, Typed::Id(*item)));
                            sums.1 = sums.1.or(kinds(self.typing, rest));
                        }
                        _ => return Ok(()),
                    }
                }
                self.restrict(head, sums.0)?;
                self.restrict(tail, sums.1)
            }
            Shape::Tuple(nodes) => {
                let mut sums = vec![Kinds::NONE; nodes.len()];
                for alt in alts.iter() {
                    let Alt::Tuple(parts) = alt else { return Ok(()) };
                    for (sum, part) in sums.iter_mut().zip(*parts) {
                        *sum = sum.or(kinds(self.typing, Typed::Id(*part)));
                    }
                }
                nodes.iter().zip(sums).try_for_each(|(it, sum)| self.restrict(*it, sum))
            }
            _ => Ok(()),
        }
    }
}

/// How deep alternatives are compared with what is known.
const LOOK_AHEAD: usize = 3;
