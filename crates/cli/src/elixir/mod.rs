//! Reads and prints calls, terms and exceptions in Elixir's syntax.

mod evaluate;
mod exception;
mod literals;
mod read;
mod runtime;
mod shell;
mod structs;
mod syntax;

pub(crate) use evaluate::{evaluation, is_expression, unwrap_evaluated};
pub(crate) use exception::{exception, exception_text};
pub(crate) use read::{read_args, read_call, read_function};
pub(crate) use runtime::{is_used, run_applications};
pub(crate) use shell::{formatted, inspected, said};
pub(crate) use structs::Structs;
pub(crate) use syntax::{Spelling, alias, atom, call, code, function, quoted, script, term};

use term::{Atom, Term};

/// The prefix of the atoms that name Elixir modules, which Elixir source code omits.
pub(crate) const PREFIX: &str = "Elixir.";

/// Whether a module was written in Elixir, by its name.
pub(crate) fn is_elixir(module: &Atom) -> bool {
    module.as_str().starts_with(PREFIX)
}

/// Whether a term contains a struct, whose syntax shows the struct's name.
pub(crate) fn has_struct(term: &Term) -> bool {
    let is_name = |it: &(Term, Term)| it.0.as_atom() == Some("__struct__");
    term.has_part(|it| matches!(it, Term::Map(pairs) if pairs.iter().any(is_name)))
}
