//! Concolic execution of pure Prolog as the paper defines it: Vidal, "Concolic Execution and Test Case
//! Generation in Prolog" (LOPSTR 2014).
//!
//! A reference that the machine is compared with, written for reading: states are copied at every
//! step. Knows definite clauses only.

mod concrete;
mod symbolic;
mod terms;

pub use concrete::{Event, State, run, show_trace};
pub use symbolic::{Alternative, Step, Symbolic, concolic, next_goal};
pub use terms::{Atomic, Definite, Substitution, Term, read_goal, read_program};
