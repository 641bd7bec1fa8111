//! Compiled code: the instructions, the compiler from clauses to instructions, and the database of
//! predicates.

mod arith;
mod body;
mod choose;
mod clause;
mod database;
mod ins;

pub use arith::{ArithOp, arith_op};
pub(crate) use body::never_returns;
pub use clause::{CompileError, Compiled, Source, compile_clause};
pub use database::{
    Branch, BranchKind, Bucket, Clause, ClauseId, Database, Key, Kind, Marked, Meta, Pred, PredId,
    PredState, is_visible, key_of,
};
pub(crate) use ins::BACKTRACK as BACKTRACK_LABEL;
pub use ins::{Compare, Ins, Konst, Operand, Test};
