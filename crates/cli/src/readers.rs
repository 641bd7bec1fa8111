//! Entry points for fuzz tests of the readers of arguments and files.
//!
//! The results are dropped: a test checks that a reader returns on every text, without a panic.

use crate::elixir;
use crate::erlang::read_corpus;
use ::report::Report;

/// Reads a text as a call, as arguments and as a function name in Elixir's syntax.
pub fn elixir(text: &str) {
    drop(elixir::read_call(text));
    drop(elixir::read_args(text));
    drop(elixir::read_function(text));
}

/// Reads a file of recorded inputs.
pub fn corpus(text: &str) {
    drop(read_corpus(text));
}

/// Reads a report, as for a replay or a baseline.
pub fn report(text: &str) {
    drop(serde_json::from_str::<Report>(text));
}
