//! Answers and errors as the interactive toplevel of SWI-Prolog words them.
//!
//! Makes text only: who shows it, and when, is not its business.

mod answer;
mod message;
mod query;

pub use answer::{Answer, Binding};
pub use query::{Query, QueryError};
