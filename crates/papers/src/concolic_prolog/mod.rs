//! Concolic execution of definite clauses as defined in [Vidal 2014].
//!
//! A reference implementation that the Prolog machine is compared with, written for reading: states are
//! copied at every step. Knows definite clauses only.

mod concrete;
mod symbolic;
mod terms;

pub use concrete::{Event, State, run, show_trace};
pub use symbolic::{Alternative, Step, Symbolic, concolic, next_goal};
pub use terms::{Atomic, Definite, Substitution, Term, read_goal, read_program};
