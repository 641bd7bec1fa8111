//! The alternatives of a type: the type without unions, each alternative of one kind.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use term::{Atom, Bits, Field, Fun, Kind, Kinds, Term, Type, TypeId, Types, is_bit_size};

#[derive(Debug)]
pub(super) struct Typing<'q> {
    pub(super) types: &'q Types,
    known: RefCell<FxHashMap<Typed, Rc<[Alt<'q>]>>>,
    booleans: Rc<[Alt<'q>]>,
    /// For each type, whether it has members.
    inhabited: OnceCell<Vec<bool>>,
    /// Set when the search left out something that may exist, so that `Unsat` is not proved any more.
    pub(super) is_cut: Cell<bool>,
}

/// A type of the query, or the type of the rest of a list behind one of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Typed {
    Id(TypeId),
    Rest { item: TypeId, tail: TypeId },
}

/// An alternative of a type.
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
            inhabited: OnceCell::new(),
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
        // A type that only contains itself is uninhabited; unfolding it would not terminate.
        res.retain(|it| self.has_members(it));
        let res: Rc<[Alt<'q>]> = res.into();
        self.known.borrow_mut().insert(of, Rc::clone(&res));
        res
    }

    /// Whether all parts that every term of the alternative has are of inhabited types.
    fn has_members(&self, alt: &Alt<'q>) -> bool {
        let inhabited = self.inhabited.get_or_init(|| self.types.inhabited());
        let is_inhabited = |it: &TypeId| inhabited.get(it.0 as usize).copied().unwrap_or(true);
        match alt {
            Alt::Cons { item, tail } => is_inhabited(item) && is_inhabited(tail),
            Alt::Tuple(parts) => parts.iter().all(is_inhabited),
            Alt::Any
            | Alt::Kind(_)
            | Alt::Literal(_)
            | Alt::Range(..)
            | Alt::Map(_)
            | Alt::Bits { .. }
            | Alt::Fun { .. } => true,
        }
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
                is_bit_size(bits.bit_len() as u64, *base, *unit)
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

    /// Returns a small member of the alternative.
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
            Alt::Bits { base, .. } => Bits::made_up(*base).map(Term::Bits),
            Alt::Fun { args, result } => {
                let arity = u8::try_from(args.map_or(0, <[TypeId]>::len)).ok()?;
                let default = self.types.smallest(*result)?;
                Some(Term::Fun(Box::new(Fun::Table { arity, entries: Vec::new(), default })))
            }
        }
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
