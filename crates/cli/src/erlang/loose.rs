//! Explains crashes on atoms, bytes and match specifications where the spec's type is wider than the code intends.
//!
//! `-spec setting(atom(), state()) -> pos_integer()` does not mean that every atom names a setting. A function whose
//! spec has no error result refuses an atom when no clause takes it.

use crate::erlang::finding::Judge;
use crate::erlang::frames::frames;
use crate::erlang::level::is_no_match;
use crate::erlang::texts::may_say_no;
use crate::erlang::unit::quoted;
use engine::{Form, Part};
use term::{Kind, Term, Type};
use trace::{Input, Outcome};

/// Whether a builtin reads one of its arguments as a match specification.
fn reads_match_specification(module: &str, function: &str) -> bool {
    match module {
        "ets" | "dets" => function.starts_with("select") || function.starts_with("match_spec_"),
        "erlang" => matches!(function, "trace_pattern" | "match_spec_test"),
        _ => false,
    }
}

/// Builtins that take bytes, in lists or in nested lists with binaries.
const OF_BYTES: [&str; 5] =
    ["iolist_size", "iolist_to_binary", "iolist_to_iovec", "list_to_binary", "list_to_bitstring"];

impl Judge<'_> {
    /// Explains a `badarg` of a builtin that takes bytes if the input has a number that is no byte and that no spec
    /// types. `None` if the crash is of another form.
    pub(crate) fn no_byte(&self, outcome: &Outcome, decided_by: &[Part]) -> Option<String> {
        let Outcome::Crash { reason, trace, .. } = outcome else { return None };
        let raised = frames(trace).into_iter().next()?;
        let is_it = reason.as_atom() == Some("badarg")
            && raised.module.as_str() == "erlang"
            && OF_BYTES.contains(&raised.function.as_str());
        let is_untyped =
            !decided_by.is_empty() && decided_by.iter().all(|it| self.is_untyped_list(it));
        let function = quoted(&raised.function);
        (is_it && is_untyped)
            .then(|| format!("it is used as bytes, and {function}/1 takes no such one"))
    }

    /// Explains a `badarg` of a builtin that was given a part of the input as a match specification. Types describe
    /// match specifications only as lists and tuples of any terms. `None` if the crash is of another form.
    pub(crate) fn no_match_specification(
        &self,
        input: &Input,
        outcome: &Outcome,
    ) -> Option<String> {
        let Outcome::Crash { reason, trace, .. } = outcome else { return None };
        let raised = frames(trace).into_iter().next()?;
        let (module, function) = (raised.module.as_str(), raised.function.as_str());
        let is_of_input = |given: &Term| {
            matches!(given, Term::Nil | Term::List(_))
                && input.args.iter().any(|it| it.has_part(|it| it == given))
        };
        let is_it = reason.as_atom() == Some("badarg")
            && reads_match_specification(module, function)
            && raised.args.iter().flatten().any(is_of_input);
        is_it.then(|| {
            let function = quoted(&raised.function);
            format!("it hands on what {module}:{function} does not take as a match specification")
        })
    }

    /// Explains a crash on an atom that matches no clause and that the spec does not name. `None` if the crash is of
    /// another form.
    pub(crate) fn unnamed_atom(&self, outcome: &Outcome, decided_by: &[Part]) -> Option<String> {
        let Outcome::Crash { reason, .. } = outcome else { return None };
        let signature = self.contract.signature.as_ref()?;
        let (part, name) = decided_by.iter().find_map(|it| {
            let Form::Atom(name) = &it.form else { return None };
            Some((it, name))
        })?;
        let types = &self.contract.domain.types;
        let at = self.contract.types_at(&part.place);
        let is_any_atom = |id| matches!(types.get(id), Type::Kind(Kind::Atom));
        let is_named =
            |id| matches!(types.get(id), Type::Literal(Term::Atom(it)) if it.as_str() == name);
        let is_loose = at.iter().any(|it| is_any_atom(*it)) && !at.iter().any(|it| is_named(*it));
        (is_loose && is_no_match(reason) && !may_say_no(signature)).then(|| {
            format!(
                "the spec says no more of {} than that it is an atom, and no clause takes {name}",
                part.place
            )
        })
    }
}
