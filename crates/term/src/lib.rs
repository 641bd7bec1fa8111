//! What a value is: ground terms, their order, and their text.
//!
//! Pure data and pure functions. Knows nothing of programs, paths or solvers.

mod bits;
mod ground;
mod order;

pub use bits::Bits;
pub use ground::{Atom, Fun, List, Pid, Port, Reference, Term};
pub use order::{compare_float_to_big, compare_int_to_float};
