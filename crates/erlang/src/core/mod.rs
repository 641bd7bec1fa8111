//! The syntax tree of Core Erlang, and its reader from the records that the compiler produces.

mod ast;
mod read;

pub use ast::{
    Clause, Expr, ExprKind, Function, Lambda, LetrecKind, MapOp, MapPair, Module, Pattern,
    PatternSegment, Place, Segment, VarId,
};
pub use read::{MARK, ReadError, read};
