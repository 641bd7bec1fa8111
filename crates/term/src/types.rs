//! Types: sets of terms, as specs describe them.
//!
//! A type is what an input must belong to. Types refer to each other by id and may be recursive.
//! Membership (`has`) is what they mean; a solver has to agree with it.

mod copy;
mod has;
mod sample;
mod smallest;
mod text;
mod within;

pub use has::is_bit_size;
pub use sample::Dice;

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

    /// The members of a union; `None` for any other type.
    pub fn members(&self, id: TypeId) -> Option<&[TypeId]> {
        if let Type::Union(members) = self.get(id) { Some(members) } else { None }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the term belongs to the type. Of a function, its arity is what can be told; of one
    /// that is a table, also what it returns.
    pub fn has(&self, id: TypeId, term: &Term) -> bool {
        has::has(self, id, term)
    }

    /// Whether it is plain that all members belong to another type.
    pub fn is_within(&self, id: TypeId, other: (&Types, TypeId)) -> bool {
        within::is_within(self, id, other)
    }

    /// A small member of the type; `None` if it has none.
    pub fn smallest(&self, id: TypeId) -> Option<Term> {
        smallest::smallest(self, id)
    }

    /// Which types have members, by their number. One that only contains itself has none.
    pub fn inhabited(&self) -> Vec<bool> {
        smallest::inhabited(self)
    }

    /// A member at random, of about the size; `None` if the type has none.
    pub fn sample(&self, id: TypeId, size: u64, dice: &mut Dice) -> Option<Term> {
        sample::sample(self, id, size, dice)
    }

    /// Makes a type of another graph again in this one.
    pub fn copy_of(&mut self, from: &Types, id: TypeId) -> TypeId {
        copy::copy(from, id, self)
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
