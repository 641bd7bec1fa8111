//! Prolog: text to terms, terms to compiled clauses, and the machine that runs them.
//!
//! Knows no operating system: files come through a trait, and nothing here prints.

pub mod data;
pub mod text;
