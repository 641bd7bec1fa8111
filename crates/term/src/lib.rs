//! What a value is: ground terms, their order, and their text.
//!
//! Pure data and pure functions. Knows nothing of programs, paths or solvers.

mod bits;
pub mod etf;
mod ground;
mod order;
mod text;

pub use bits::Bits;
pub use ground::{Atom, Fun, List, Pid, Port, Reference, Term};
pub use order::{compare_float_to_big, compare_int_to_float};
pub use text::{
    Call, Encoding, Lists, Problem, ReadError, Style, atom_text, float_text, is_reserved_word,
    print, read_args, read_call, read_term,
};
