//! The data of the machine: tagged words, the heap that they refer to, interned names, numbers, and the
//! operations on terms (unification, comparison, copying).
//!
//! Knows no clauses, predicates or goals.

mod atoms;
mod compare;
mod float;
mod heap;
mod number;
mod rational;
mod record;
mod unify;
mod value;
mod walk;

pub use atoms::{AtomId, Atoms, FunctorId};
pub use compare::{compare, same};
pub use float::format_float;
pub use heap::{Blob, Heap, ListEnd, Mark, Trailed};
pub use number::Number;
pub use rational::Rational;
pub use record::{Record, copy_plain};
pub use unify::unify;
pub use value::{Shadow, Tag, Value, View};
pub use walk::Walk;
pub(crate) use walk::{AssumedEqual, CYCLE_CHECK_AFTER};
