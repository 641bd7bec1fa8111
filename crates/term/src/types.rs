//! Types: sets of terms, as specs describe them.
//!
//! A type describes the possible inputs. Types refer to each other by id and may be recursive. Their meaning is
//! membership (`has`), with which a solver must agree.

mod copy;
mod has;
mod sample;
mod smallest;
mod text;
mod within;

pub use has::is_bit_size;
pub use sample::Dice;

use crate::fit_u32;
use crate::ground::Term;
use crate::kind::Kind;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// The id of a type in a [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Any,
    /// The empty type.
    None,
    Kind(Kind),
    Literal(Term),
    /// Integers from `low` to `high`, both included; `None` is no bound.
    Range {
        low: Option<BigInt>,
        high: Option<BigInt>,
    },
    /// One or more cells of items that end with a `tail`; also `tail` alone if `may_be_empty`.
    List {
        item: TypeId,
        tail: TypeId,
        may_be_empty: bool,
    },
    Tuple(Box<[TypeId]>),
    /// A map. A key belongs to the first field whose type contains it, and every key must belong to a field.
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
    /// `:=`: a key of the type is required.
    pub is_required: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Types {
    nodes: Vec<Type>,
    /// The names of recursive types.
    names: BTreeMap<TypeId, String>,
}

impl Types {
    pub fn add(&mut self, of: Type) -> TypeId {
        let id = TypeId(fit_u32(self.nodes.len()));
        self.nodes.push(of);
        id
    }

    /// Returns an id for a type that is set later, for recursive types. Until then the type is empty.
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

    /// Returns the members of a union; `None` for any other type.
    pub fn members(&self, id: TypeId) -> Option<&[TypeId]> {
        if let Type::Union(members) = self.get(id) { Some(members) } else { None }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the term belongs to the type. Functions are checked by their arity, and tables also by their results.
    pub fn has(&self, id: TypeId, term: &Term) -> bool {
        has::has(self, id, term)
    }

    /// Whether all members obviously belong to another type; `false` if that is not obvious.
    pub fn is_within(&self, id: TypeId, other: (&Types, TypeId)) -> bool {
        within::is_within(self, id, other)
    }

    /// Returns a small member of the type; `None` if the type is empty.
    pub fn smallest(&self, id: TypeId) -> Option<Term> {
        smallest::smallest(self, id)
    }

    /// Returns for each type whether it has members. A type that only contains itself has none.
    pub fn inhabited(&self) -> Vec<bool> {
        smallest::inhabited(self)
    }

    /// Returns a random member of about this size; `None` if the type is empty.
    pub fn sample(&self, id: TypeId, size: u64, dice: &mut Dice) -> Option<Term> {
        sample::sample(self, id, size, dice)
    }

    /// Copies a type from another graph to this one.
    pub fn copy_of(&mut self, from: &Types, id: TypeId) -> TypeId {
        copy::copy(from, id, self)
    }

    /// Returns the type in Erlang's syntax. Recursive types are shown by their names.
    pub fn text(&self, id: TypeId) -> String {
        text::text(self, id)
    }

    /// Names a type, for [`Types::text`].
    pub fn name(&mut self, id: TypeId, name: String) {
        self.names.insert(id, name);
    }

    pub fn name_of(&self, id: TypeId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }
}

/// The type of a unit's arguments: a tuple type, or a union of tuple types.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    pub types: Types,
    /// `None`: any arguments.
    pub args: Option<TypeId>,
}

impl Domain {
    pub fn has(&self, args: &[Term]) -> bool {
        self.args.is_none_or(|it| self.types.has(it, &Term::Tuple(args.to_vec())))
    }
}
