//! Types: sets of terms, as specs describe them.
//!
//! A type is what an input must belong to. Types refer to each other by id and may be recursive.
//! Membership (`has`) is what they mean; a solver has to agree with it.

mod smallest;
mod text;

use crate::ground::Term;
use crate::kind::Kind;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A type of one [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Any,
    /// No term at all.
    None,
    Kind(Kind),
    Literal(Term),
    /// Integers from `low` to `high`, both included; `None` is no bound.
    Range {
        low: Option<BigInt>,
        high: Option<BigInt>,
    },
    /// One or more cells of items, ended by a `tail`; also `tail` alone if `may_be_empty`.
    List {
        item: TypeId,
        tail: TypeId,
        may_be_empty: bool,
    },
    Tuple(Box<[TypeId]>),
    /// A key belongs to the first field that has it, and no key belongs to none.
    Map(Box<[Field]>),
    /// Bitstrings of `base + n * unit` bits for some n.
    Bits {
        base: u64,
        unit: u64,
    },
    /// Functions; of any arity if `args` is `None`.
    Fun {
        args: Option<Box<[TypeId]>>,
        result: TypeId,
    },
    Union(Box<[TypeId]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub key: TypeId,
    pub value: TypeId,
    /// `:=`: some key of the type must be there.
    pub is_required: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Types {
    nodes: Vec<Type>,
    /// Names of recursive types.
    names: BTreeMap<TypeId, String>,
}

impl Types {
    pub fn add(&mut self, of: Type) -> TypeId {
        let id = TypeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(of);
        id
    }

    /// A type that is known later, for recursive ones. Until then it is empty.
    pub fn reserve(&mut self) -> TypeId {
        self.add(Type::None)
    }

    pub fn set(&mut self, id: TypeId, of: Type) {
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            *node = of;
        }
    }

    pub fn get(&self, id: TypeId) -> &Type {
        self.nodes.get(id.0 as usize).unwrap_or(&Type::None)
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the term belongs to the type. Of a function, its arity is what can be told.
    pub fn has(&self, id: TypeId, term: &Term) -> bool {
        self.has_within(id, term, MAX_UNFOLDINGS)
    }

    /// A small member of the type; `None` if it has none.
    pub fn smallest(&self, id: TypeId) -> Option<Term> {
        smallest::smallest(self, id)
    }

    /// The type in Erlang's syntax. A recursive type is shown by its name.
    pub fn text(&self, id: TypeId) -> String {
        text::text(self, id)
    }

    /// Gives a type a name, for [`Types::text`].
    pub fn name(&mut self, id: TypeId, name: String) {
        self.names.insert(id, name);
    }

    pub fn name_of(&self, id: TypeId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// `left`: how often a union may lead to itself before a term is taken apart.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other terms do not belong to the type")]
    fn has_within(&self, id: TypeId, term: &Term, left: usize) -> bool {
        match self.get(id) {
            Type::Any => true,
            Type::None => false,
            Type::Kind(kind) => kind.has(term),
            Type::Literal(literal) => literal.cmp_exact(term).is_eq(),
            Type::Range { low, high } => is_in_range(term, low.as_ref(), high.as_ref()),
            Type::List { item, tail, may_be_empty } => match term {
                Term::List(list) => {
                    list.items.iter().all(|it| self.has(*item, it)) && self.has(*tail, &list.tail)
                }
                _ => *may_be_empty && left > 0 && self.has_within(*tail, term, left - 1),
            },
            Type::Tuple(parts) => term.as_tuple().is_some_and(|items| {
                items.len() == parts.len()
                    && items.iter().zip(parts).all(|(item, part)| self.has(*part, item))
            }),
            Type::Map(fields) => {
                if let Term::Map(pairs) = term {
                    self.has_pairs(fields, pairs)
                } else {
                    false
                }
            }
            Type::Bits { base, unit } => match term {
                Term::Bits(bits) => is_size(bits.bit_len() as u64, *base, *unit),
                _ => false,
            },
            Type::Fun { args, .. } => match (term, args) {
                (Term::Fun(fun), Some(args)) => usize::from(fun.arity()) == args.len(),
                (Term::Fun(_), None) => true,
                _ => false,
            },
            Type::Union(parts) => {
                left > 0 && parts.iter().any(|it| self.has_within(*it, term, left - 1))
            }
        }
    }

    /// The number of the field that a key belongs to.
    fn field_of(&self, fields: &[Field], key: &Term) -> Option<usize> {
        fields.iter().position(|it| self.has(it.key, key))
    }

    fn has_pairs(&self, fields: &[Field], pairs: &[(Term, Term)]) -> bool {
        let field_of = |key: &Term| self.field_of(fields, key);
        let fits = |(key, value): &(Term, Term)| {
            let field = field_of(key).and_then(|it| fields.get(it));
            field.is_some_and(|it| self.has(it.value, value))
        };
        let is_there = |n: usize| pairs.iter().any(|it| field_of(&it.0) == Some(n));
        let mut required = fields.iter().enumerate().filter(|it| it.1.is_required);
        pairs.iter().all(fits) && required.all(|it| is_there(it.0))
    }
}

/// Unions in unions in unions, without a term between.
const MAX_UNFOLDINGS: usize = 64;

fn is_size(bits: u64, base: u64, unit: u64) -> bool {
    match bits.checked_sub(base) {
        None => false,
        Some(rest) if unit == 0 => rest == 0,
        Some(rest) => rest % unit == 0,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other terms are no integers")]
fn is_in_range(term: &Term, low: Option<&BigInt>, high: Option<&BigInt>) -> bool {
    let value = match term {
        Term::Int(value) => BigInt::from(*value),
        Term::Big(value) => (**value).clone(),
        _ => return false,
    };
    low.is_none_or(|it| *it <= value) && high.is_none_or(|it| value <= *it)
}

/// What the arguments of a unit must belong to: a tuple type, or a union of them.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    pub types: Types,
    /// `None`: anything goes.
    pub args: Option<TypeId>,
}

impl Domain {
    pub fn has(&self, args: &[Term]) -> bool {
        self.args.is_none_or(|it| self.types.has(it, &Term::Tuple(args.to_vec())))
    }
}
