//! What is tested: a function, by the name that people give it.

use crate::elixir;
use std::fmt;
use term::{Atom, Encoding, Style, Term, atom_text, print};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct UnitName {
    pub(crate) module: Atom,
    pub(crate) function: Atom,
    pub(crate) arity: usize,
}

impl UnitName {
    /// As it can be pasted into Erlang's shell.
    pub(crate) fn call(&self, args: &[Term]) -> String {
        self.call_in(args, Style::INPUT)
    }

    /// As it can be pasted into Erlang's shell, words in quotes.
    pub(crate) fn readable(&self, args: &[Term]) -> String {
        self.call_in(args, Style::READABLE)
    }

    /// As it can be pasted into the shell of its language.
    pub(crate) fn shown(&self, args: &[Term]) -> String {
        if elixir::is_elixir(&self.module) {
            return elixir::call(&self.module, &self.function, args);
        }
        self.readable(args)
    }

    /// A term as the unit's language writes it.
    pub(crate) fn shown_term(&self, term: &Term) -> String {
        if elixir::is_elixir(&self.module) {
            return elixir::term(term);
        }
        print(term, Style::READABLE)
    }

    /// The name that people give it in its language.
    pub(crate) fn title(&self) -> String {
        if elixir::is_elixir(&self.module) {
            return elixir::function(&self.module, &self.function, self.arity);
        }
        self.to_string()
    }

    fn call_in(&self, args: &[Term], style: Style) -> String {
        let args: Vec<String> = args.iter().map(|it| print(it, style)).collect();
        format!("{}:{}({})", quoted(&self.module), quoted(&self.function), args.join(", "))
    }

    /// Without the module: `foo/1`.
    pub(crate) fn local(&self) -> String {
        format!("{}/{}", quoted(&self.function), self.arity)
    }

    /// The tag of its language, as reports have it.
    pub(crate) fn language(&self) -> &'static str {
        if elixir::is_elixir(&self.module) { "elixir" } else { "erlang" }
    }

    /// The short name of an input, the same in every run.
    pub(crate) fn id(&self, args: &[Term]) -> String {
        ::report::input_id(&self.call(args))
    }

    /// Whether it says by its name that it must return true.
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
