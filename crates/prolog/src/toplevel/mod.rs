//! Answers and errors in the format of SWI-Prolog's interactive toplevel.
//!
//! Only builds text; showing it is up to the caller.

mod answer;
mod message;
mod query;

pub use answer::{Answer, Binding};
pub use query::{Query, QueryError};
