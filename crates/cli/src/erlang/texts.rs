//! Recognises crashes by which a function that reads a text refuses it.
//!
//! Types can't express which texts a function accepts: `parse_date(binary()) -> date()` is as exact as a spec gets. A
//! function that returns `error` for some texts, or raises an exception of its own, promises to do so for all. A
//! function without such a result refuses a text by a missing clause, or by the error of a builtin to which it passes
//! the text.

use crate::erlang::contract::Contract;
use crate::erlang::finding::Judge;
use crate::erlang::frames::frames;
use engine::{Form, Part, Shapes, Step};
use num_bigint::BigInt;
use std::ops::RangeInclusive;
use term::{Domain, Kind, Style, Term, Type, TypeId, Types, print};
use trace::{Input, Outcome};

/// The results of a unit, according to its spec or to runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Results {
    /// Whether some results mean that the input is refused: an atom among values of other kinds, a boolean, a tuple
    /// with the tag `error`, or an exception that the code under test raises explicitly.
    refuses: bool,
    /// Whether some results are texts.
    are_texts: bool,
}

impl Results {
    /// Determines the results from the spec, and from the outcomes for inputs that are texts.
    pub(crate) fn of<'e>(
        judge: &Judge<'_>,
        ends: impl Iterator<Item = (&'e Input, &'e Outcome)>,
    ) -> Results {
        let mut seen = Seen::default();
        let mut raises = false;
        for (input, outcome) in ends.filter(|it| it.0.args.iter().any(may_be_text)) {
            match outcome {
                Outcome::Value(value) => seen.value(value),
                Outcome::Crash { class, reason, trace } => {
                    raises |= judge.is_deliberate(input, class, reason, &frames(trace));
                }
                Outcome::Stopped(_) | Outcome::Deadlock => {}
            }
        }
        if let Some(signature) = &judge.contract.signature {
            for id in &signature.results {
                let mut left = MAX_STEPS;
                seen.of_type(&signature.result_types, *id, &mut left);
            }
        }
        Results { refuses: raises || seen.refuses(), are_texts: seen.has_text }
    }
}

/// Members of unions that are looked at.
const MAX_STEPS: usize = 1_000;

#[derive(Clone, Debug, Default)]
struct Seen {
    has_atom: bool,
    has_other: bool,
    has_refusal: bool,
    has_text: bool,
}

impl Seen {
    fn refuses(&self) -> bool {
        self.has_refusal || (self.has_atom && self.has_other)
    }

    fn value(&mut self, value: &Term) {
        match value {
            Term::Atom(name) => self.atom(name.as_str()),
            Term::Tuple(items) => self.tag(items.first().and_then(Term::as_atom)),
            Term::Bits(_) => self.has_text = true,
            Term::List(_) => self.has_text |= is_printable(value),
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Nil
            | Term::Map(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => {}
        }
        self.has_other |= value.as_atom().is_none();
    }

    fn atom(&mut self, name: &str) {
        self.has_atom = true;
        self.has_refusal |= matches!(name, "true" | "false" | "error");
    }

    /// Of a tuple in a result.
    fn tag(&mut self, tag: Option<&str>) {
        self.has_refusal |= tag.is_some_and(|it| it == "error" || it.ends_with("_error"));
    }

    fn of_type(&mut self, types: &Types, id: TypeId, left: &mut usize) {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        match types.get(id) {
            Type::Union(members) => members.iter().for_each(|it| self.of_type(types, *it, left)),
            Type::Literal(term) => self.value(term),
            Type::Kind(Kind::Atom | Kind::Boolean) => self.has_refusal = true,
            Type::Tuple(parts) => {
                let tag = parts.first().map(|it| types.get(*it));
                if let Some(Type::Literal(Term::Atom(tag))) = tag {
                    self.tag(Some(tag.as_str()));
                }
                self.has_other = true;
            }
            Type::Kind(Kind::Binary | Kind::Bitstring) | Type::Bits { .. } => {
                (self.has_text, self.has_other) = (true, true);
            }
            Type::List { item, .. } => {
                self.has_text |= is_character(types, *item);
                self.has_other = true;
            }
            Type::None | Type::Any => {}
            Type::Kind(_) | Type::Range { .. } | Type::Map(_) | Type::Fun { .. } => {
                self.has_other = true;
            }
        }
    }
}

impl Judge<'_> {
    /// Of a crash at a text that no clause, or no builtin that reads texts, takes: why it is how the unit
    /// refuses one.
    pub(crate) fn unreadable_text(&self, outcome: &Outcome, decided_by: &[Part]) -> Option<String> {
        let results = self.results?;
        if results.refuses || results.are_texts || decided_by.is_empty() {
            return None;
        }
        let Outcome::Crash { class, reason, trace } = outcome else { return None };
        let is_own = frames(trace).first().is_some_and(|it| self.modules.contains(&it.module));
        let is_taken_by_none = match reason.as_tuple() {
            Some([tag, ..]) => {
                matches!(tag.as_atom(), Some("badmatch" | "case_clause" | "try_clause"))
            }
            Some([]) => false,
            None => match reason.as_atom() {
                Some("function_clause" | "if_clause") => true,
                Some("badarg") => !is_own,
                Some(_) | None => false,
            },
        };
        let is_text = |it: &Part| is_text(self.contract, self.shapes, it);
        if class.as_str() != "error" || !is_taken_by_none || !decided_by.iter().all(is_text) {
            return None;
        }
        let title = self.unit.title();
        let reason =
            print(reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason), Style::TW);
        Some(format!(
            "{title} reads a text, and no result of it says no: it refuses one by {reason}"
        ))
    }
}

/// Whether a part of an input is a text or a part of a text.
fn is_text(contract: &Contract, shapes: Option<&Shapes>, part: &Part) -> bool {
    let types = contract.types_at(&part.place);
    let Domain { types: all, .. } = &contract.domain;
    let is_typed = types.iter().any(|it| !matches!(all.get(*it), Type::Any));
    match (&part.form, is_typed) {
        (Form::Bits { .. }, _) => true,
        (Form::Integer, true) => {
            part.place.steps.last() == Some(&Step::Item)
                && types.iter().any(|it| is_character(all, *it))
        }
        (Form::List | Form::Nil | Form::End, true) => types.iter().any(|it| {
            let Type::List { item, .. } = all.get(*it) else { return false };
            is_character(all, *item)
        }),
        (Form::Integer | Form::List | Form::Nil | Form::End, false) => {
            let example = shapes.and_then(|it| it.example_at(&part.place));
            let arg = example.and_then(|it| it.args.get(part.place.argument));
            arg.is_some_and(|it| it.has_part(is_printable))
        }
        (
            Form::Float
            | Form::Atom(_)
            | Form::Tuple { .. }
            | Form::Map
            | Form::MapWith { .. }
            | Form::Function { .. }
            | Form::Pid
            | Form::Port
            | Form::Reference,
            _,
        ) => false,
    }
}

/// Whether a term may be a text, with any characters.
fn may_be_text(term: &Term) -> bool {
    match term {
        Term::Bits(_) | Term::Nil => true,
        Term::List(list) => {
            list.items.iter().all(|it| matches!(it, Term::Int(_)) || may_be_text(it))
        }
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Tuple(_)
        | Term::Map(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => false,
    }
}

/// The code points of printable ASCII, of which most texts consist.
const PRINTABLE: RangeInclusive<i64> = 0x20..=0x7E;

/// Whether a term is a list of printable characters.
fn is_printable(term: &Term) -> bool {
    let Term::List(list) = term else { return false };
    let is_one = |it: &Term| it.as_int().is_some_and(|it| PRINTABLE.contains(&it));
    list.tail == Term::Nil && list.items.iter().all(is_one)
}

/// Whether all integers of a type are characters or bytes, and it has some.
fn is_character(types: &Types, id: TypeId) -> bool {
    let highest = [BigInt::from(u32::from(char::MAX)), BigInt::from(u8::MAX)];
    let mut todo = vec![id];
    let mut found = false;
    for _ in 0..MAX_STEPS {
        let Some(id) = todo.pop() else { return found };
        match types.get(id) {
            Type::Union(members) => todo.extend(members.iter()),
            Type::Range { low: Some(low), high: Some(high) } => {
                if *low != BigInt::ZERO || !highest.contains(high) {
                    return false;
                }
                found = true;
            }
            Type::Kind(Kind::Integer | Kind::Number) | Type::Range { .. } => return false,
            Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::List { .. }
            | Type::Tuple(_)
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. } => {}
        }
    }
    false
}
