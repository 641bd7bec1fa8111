//! Calls, terms and exceptions as Elixir's users write and read them.

mod exception;
mod read;
mod runtime;
mod shell;
mod syntax;

pub(crate) use exception::exception_text;
pub(crate) use read::{is_call, read_args, read_call, read_function};
pub(crate) use runtime::{is_used, run_applications};
pub(crate) use shell::{formatted, inspected, said};
pub(crate) use syntax::{alias, atom, call, code, function, quoted, script, term};

use term::Atom;

/// What the names of Elixir's modules begin with, and nobody writes.
pub(crate) const PREFIX: &str = "Elixir.";

/// Whether the author wrote it in Elixir.
pub(crate) fn is_elixir(module: &Atom) -> bool {
    module.as_str().starts_with(PREFIX)
}
