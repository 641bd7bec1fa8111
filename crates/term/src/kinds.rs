//! Sets of disjoint kinds in the order of terms, and the kinds of the operators' results.

use crate::expr::{Conversion, Op};
use crate::ground::Term;
use crate::kind::Kind;

/// A set of disjoint kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    pub const NONE: Kinds = Kinds(0);
    pub const INT: Kinds = Kinds(1);
    pub const FLOAT: Kinds = Kinds(1 << 1);
    pub const ATOM: Kinds = Kinds(1 << 2);
    pub const REF: Kinds = Kinds(1 << 3);
    pub const FUN: Kinds = Kinds(1 << 4);
    pub const PORT: Kinds = Kinds(1 << 5);
    pub const PID: Kinds = Kinds(1 << 6);
    pub const TUPLE: Kinds = Kinds(1 << 7);
    pub const MAP: Kinds = Kinds(1 << 8);
    pub const NIL: Kinds = Kinds(1 << 9);
    pub const CONS: Kinds = Kinds(1 << 10);
    pub const BITS: Kinds = Kinds(1 << 11);
    pub const ALL: Kinds = Kinds((1 << 12) - 1);
    pub const NUMBER: Kinds = Kinds(0b11);
    pub const LIST: Kinds = Kinds(0b11 << 9);

    /// All single kinds, the simplest first, for generated terms that people read.
    pub const PLAINEST: [Kinds; 12] = [
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

    /// Returns the disjoint kinds of the terms for which the test holds; an over-approximation for booleans and
    /// binaries.
    pub fn of(kind: Kind) -> Kinds {
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

    pub fn of_term(term: &Term) -> Kinds {
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

    pub fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Returns the position of the least kind in the order of terms; integers and floats have the same position.
    pub fn min_rank(self) -> u32 {
        self.0.trailing_zeros().saturating_sub(1)
    }

    pub fn max_rank(self) -> u32 {
        15u32.saturating_sub(self.0.leading_zeros()).saturating_sub(1)
    }

    pub fn from_rank(rank: u32) -> Kinds {
        if rank == 0 { Kinds::ALL } else { Kinds(Kinds::ALL.0 & (u16::MAX << (rank + 1))) }
    }

    pub fn up_to_rank(rank: u32) -> Kinds {
        Kinds(Kinds::ALL.0 & !(u16::MAX << (rank + 2)))
    }
}

impl Op {
    /// Returns the kinds of the operator's results for any operands.
    pub fn result_kinds(self) -> Kinds {
        match self {
            Op::Add | Op::Subtract | Op::Multiply | Op::Negate | Op::Absolute => Kinds::NUMBER,
            Op::Divide
            | Op::ToFloat
            | Op::SquareRoot
            | Op::Exponential
            | Op::Logarithm
            | Op::BinaryLogarithm
            | Op::DecimalLogarithm
            | Op::Sine
            | Op::Cosine
            | Op::Tangent
            | Op::WholeBelow
            | Op::WholeAbove
            | Op::Power
            | Op::Modulo => Kinds::FLOAT,
            Op::Quotient
            | Op::Remainder
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor
            | Op::BitNot
            | Op::ShiftLeft
            | Op::ShiftRight
            | Op::Truncate
            | Op::Round
            | Op::Floor
            | Op::Ceiling
            | Op::Length
            | Op::TupleSize
            | Op::MapSize
            | Op::BitSize
            | Op::BitsToInteger { .. } => Kinds::INT,
            Op::Put | Op::Remove => Kinds::MAP,
            Op::Slice | Op::IntegerToBits { .. } | Op::Concat => Kinds::BITS,
            Op::Convert(conversion) => match conversion {
                Conversion::AtomToList | Conversion::BinaryToList => Kinds::LIST,
                Conversion::IntegerToList(_) | Conversion::FloatToList => Kinds::CONS,
                Conversion::AtomToBinary
                | Conversion::IntegerToBinary(_)
                | Conversion::ListToBinary
                | Conversion::FloatToBits { .. } => Kinds::BITS,
                Conversion::ListToAtom | Conversion::BinaryToAtom => Kinds::ATOM,
                Conversion::ListToInteger(_) | Conversion::BinaryToInteger(_) => Kinds::INT,
                Conversion::ListToFloat | Conversion::BitsToFloat { .. } => Kinds::FLOAT,
            },
            Op::Cons => Kinds::CONS,
            Op::Tuple => Kinds::TUPLE,
            Op::Head | Op::Tail | Op::Element(_) | Op::Get | Op::Key(_) | Op::Call => Kinds::ALL,
            Op::IsKind(_)
            | Op::IsTuple(_)
            | Op::IsFunction(_)
            | Op::IsProper
            | Op::HasKey
            | Op::Converts(_)
            | Op::Same
            | Op::Equal
            | Op::Less
            | Op::LessEqual
            | Op::And
            | Op::Or
            | Op::Not => Kinds::ATOM,
        }
    }
}
