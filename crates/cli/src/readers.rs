//! What the tool reads of arguments and files, for tests that feed it anything.
//!
//! Results are thrown away: what counts is that there is one, whatever the text.

use crate::elixir;
use crate::erlang::read_corpus;
use ::report::Report;

/// A call, arguments and a function in Elixir's syntax.
pub fn elixir(text: &str) {
    drop(elixir::read_call(text));
    drop(elixir::read_args(text));
    drop(elixir::read_function(text));
}

/// A file of recorded inputs.
pub fn corpus(text: &str) {
    drop(read_corpus(text));
}

/// A report that is replayed or taken as a baseline.
pub fn report(text: &str) {
    drop(serde_json::from_str::<Report>(text));
}
