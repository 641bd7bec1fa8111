//! What the machine computes on: words, the heap they point into, names, and what they mean.
//!
//! Knows no program: clauses, predicates and goals are not its business.

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
pub(crate) use walk::{Alike, SUSPICIOUS};
