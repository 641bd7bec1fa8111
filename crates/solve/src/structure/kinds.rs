//! Sets of kinds that do not overlap, in the order of terms.

use term::{Kind, Term};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) const NONE: Kinds = Kinds(0);
    pub(super) const INT: Kinds = Kinds(1);
    pub(super) const FLOAT: Kinds = Kinds(1 << 1);
    pub(super) const ATOM: Kinds = Kinds(1 << 2);
    pub(super) const REF: Kinds = Kinds(1 << 3);
    pub(super) const FUN: Kinds = Kinds(1 << 4);
    pub(super) const PORT: Kinds = Kinds(1 << 5);
    pub(super) const PID: Kinds = Kinds(1 << 6);
    pub(super) const TUPLE: Kinds = Kinds(1 << 7);
    pub(super) const MAP: Kinds = Kinds(1 << 8);
    pub(super) const NIL: Kinds = Kinds(1 << 9);
    pub(super) const CONS: Kinds = Kinds(1 << 10);
    pub(super) const BITS: Kinds = Kinds(1 << 11);
    pub(super) const ALL: Kinds = Kinds((1 << 12) - 1);
    pub(super) const NUMBER: Kinds = Kinds(0b11);
    pub(super) const LIST: Kinds = Kinds(0b11 << 9);

    /// Each alone, the plainest first: people read what is made of them.
    pub(super) const PLAINEST: [Kinds; 12] = [
        Kinds::INT,
        Kinds::ATOM,
        Kinds::NIL,
        Kinds::FLOAT,
        Kinds::TUPLE,
        Kinds::CONS,
        Kinds::BITS,
        Kinds::MAP,
        Kinds::FUN,
        Kinds::PID,
        Kinds::PORT,
        Kinds::REF,
    ];

    /// All terms that the test holds for are of these. Booleans and binaries are not all of theirs.
    pub(super) fn of(kind: Kind) -> Kinds {
        match kind {
            Kind::Atom | Kind::Boolean => Kinds::ATOM,
            Kind::Binary | Kind::Bitstring => Kinds::BITS,
            Kind::Cons => Kinds::CONS,
            Kind::Float => Kinds::FLOAT,
            Kind::Function => Kinds::FUN,
            Kind::Integer => Kinds::INT,
            Kind::List => Kinds::LIST,
            Kind::Map => Kinds::MAP,
            Kind::Nil => Kinds::NIL,
            Kind::Number => Kinds::NUMBER,
            Kind::Pid => Kinds::PID,
            Kind::Port => Kinds::PORT,
            Kind::Reference => Kinds::REF,
            Kind::Tuple => Kinds::TUPLE,
        }
    }

    pub(super) fn of_term(term: &Term) -> Kinds {
        match term {
            Term::Int(_) | Term::Big(_) => Kinds::INT,
            Term::Float(_) => Kinds::FLOAT,
            Term::Atom(_) => Kinds::ATOM,
            Term::Nil => Kinds::NIL,
            Term::List(_) => Kinds::CONS,
            Term::Tuple(_) => Kinds::TUPLE,
            Term::Map(_) => Kinds::MAP,
            Term::Bits(_) => Kinds::BITS,
            Term::Fun(_) => Kinds::FUN,
            Term::Pid(_) => Kinds::PID,
            Term::Port(_) => Kinds::PORT,
            Term::Ref(_) => Kinds::REF,
        }
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(super) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(super) fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }

    /// The place of the least kind in the order of terms; integers and floats share theirs.
    pub(super) fn min_rank(self) -> u32 {
        self.0.trailing_zeros().saturating_sub(1)
    }

    pub(super) fn max_rank(self) -> u32 {
        15u32.saturating_sub(self.0.leading_zeros()).saturating_sub(1)
    }

    pub(super) fn from_rank(rank: u32) -> Kinds {
        if rank == 0 { Kinds::ALL } else { Kinds(Kinds::ALL.0 & (u16::MAX << (rank + 1))) }
    }

    pub(super) fn up_to_rank(rank: u32) -> Kinds {
        Kinds(Kinds::ALL.0 & !(u16::MAX << (rank + 2)))
    }
}
