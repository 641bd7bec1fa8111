//! The name of a tested function.

use crate::elixir;
use crate::erlang::systems::Protocol;
use serde::{Deserialize, Serialize};
use std::fmt;
use term::{Atom, Encoding, Style, Term, atom_text, print};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct UnitName {
    pub(crate) module: Atom,
    pub(crate) function: Atom,
    pub(crate) arity: usize,
}

impl UnitName {
    /// Prints a term in the unit's language.
    pub(crate) fn shown_term(&self, term: &Term) -> String {
        if elixir::is_elixir(&self.module) {
            return elixir::term(term);
        }
        print(term, Style::READABLE)
    }

    /// The unit's name in its language.
    pub(crate) fn title(&self) -> String {
        if let Some(protocol) = Protocol::of_unit(self) {
            let module = match elixir::is_elixir(&self.module) {
                true => elixir::alias(&self.module),
                false => quoted(&self.module),
            };
            return format!("{module}, {}", protocol.title());
        }
        if elixir::is_elixir(&self.module) {
            return elixir::function(&self.module, &self.function, self.arity);
        }
        self.to_string()
    }

    /// The name without the module: `foo/1`.
    pub(crate) fn local(&self) -> String {
        format!("{}/{}", quoted(&self.function), self.arity)
    }

    /// The tag of the unit's language in reports.
    pub(crate) fn language(&self) -> &'static str {
        if elixir::is_elixir(&self.module) { "elixir" } else { "erlang" }
    }

    /// Whether the name begins with `prop_`, so that the function must return true.
    pub(crate) fn is_property(&self) -> bool {
        self.function.as_str().starts_with("prop_")
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", quoted(&self.module), self.local())
    }
}

pub(crate) fn quoted(atom: &Atom) -> String {
    atom_text(atom, Encoding::Unicode)
}
