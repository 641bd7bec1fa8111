//! Prolog: a reader from text to terms, a compiler from terms to clauses, and the machine that runs them.
//!
//! Knows no operating system: files come through a trait, and nothing here prints.

pub mod data;
pub mod text;

pub mod code;

pub mod machine;

pub mod builtins;

pub mod program;

pub mod toplevel;

pub mod concolic;

pub use machine::{Ending, Limits, Machine, Sink, Solutions, Stop, Written};
pub use program::{File, Library, LoadReport, NoLibrary, Note};
pub use toplevel::{Answer, Query, QueryError};
