//! Core Erlang as a tree, and how it is read from the records that the compiler hands out.

mod ast;
mod read;

pub use ast::{
    Clause, Expr, ExprKind, Function, Lambda, LetrecKind, MapOp, MapPair, Module, Pattern,
    PatternSegment, Place, Segment, VarId,
};
pub use read::{MARK, ReadError, read};
