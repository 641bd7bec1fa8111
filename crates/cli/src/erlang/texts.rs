//! Recognises crashes by which a function that reads a text refuses it.
//!
//! Types can't express which texts a function accepts: `parse_date(binary()) -> date()` is as exact as a spec gets. A
//! function that returns `error` for some texts, or raises an exception of its own, promises to do so for all. A
//! function without such a result refuses a text by a missing clause, or by the error of a builtin to which it passes
//! the text.

use crate::erlang::contract::Contract;
use crate::erlang::finding::Judge;
use crate::erlang::frames::{Frame, frames};
use crate::erlang::level::is_of_runtime;
use crate::erlang::unit::quoted;
use engine::{Form, Part, Place, Shapes, Step};
use num_bigint::BigInt;
use specs::Signature;
use std::collections::BTreeMap;
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
        // For each returned atom, the texts for which it was returned; and whether the unit returned texts of its
        // input, and texts that were not in its input.
        let mut texts_of: BTreeMap<&str, Vec<Vec<&Term>>> = BTreeMap::new();
        let (mut gives_back, mut gives_others) = (false, false);
        let (mut n_taken, mut n_crashed) = (0usize, 0usize);
        for (input, outcome) in ends.filter(|it| it.0.args.iter().any(may_be_text)) {
            match outcome {
                Outcome::Value(value) => {
                    n_taken += 1;
                    seen.value(value);
                    let is_given = |it: &Term| it.has_part(|it| it == value);
                    if let Some(name) = value.as_atom() {
                        // An atom that is also part of the input tells nothing about how the unit treats texts.
                        if input.args.iter().any(is_given) {
                            continue;
                        }
                        let texts = input.args.iter().filter(|it| may_be_text(it)).collect();
                        let known = texts_of.entry(name).or_default();
                        if !known.contains(&texts) {
                            known.push(texts);
                        }
                    } else if is_text_value(value) {
                        let is_same = input.args.contains(value);
                        gives_back |= is_same;
                        gives_others |= !is_same;
                    }
                }
                Outcome::Crash { class, reason, trace } => {
                    n_crashed += 1;
                    raises |= judge.is_deliberate(input, class, reason, &frames(trace));
                }
                Outcome::Stopped(_) | Outcome::Deadlock => {}
            }
        }
        if let Some(signature) = &judge.contract.signature {
            seen.of_signature(signature);
        }
        // An atom that was returned for a single text, as `'*'` for `"*"`, is an ordinary result.
        let says_no = |(name, texts): (&&str, &Vec<Vec<&Term>>)| {
            1 < texts.len() && (seen.has_other || is_truth_value(name))
        };
        let refuses =
            raises || seen.has_refusal || seen.has_any_atom || texts_of.iter().any(says_no);
        // A unit with a spec that crashes for most of the tried texts parses a format, so not all texts are valid.
        let takes_most = judge.contract.signature.is_none() || n_crashed <= n_taken;
        let are_texts = takes_most && (gives_others || (seen.has_text && !gives_back));
        Results { refuses, are_texts }
    }
}

/// Whether a spec has results that signal failure: an atom that is a truth value, or a tuple that begins with
/// `error`.
pub(crate) fn may_say_no(signature: &Signature) -> bool {
    let mut seen = Seen::default();
    seen.of_signature(signature);
    seen.has_refusal
}

/// Whether a spec has a result for inputs without a proper value: one that signals failure, or an atom such as
/// `undefined` beside values of other kinds.
pub(crate) fn has_result_for_nothing(signature: &Signature) -> bool {
    let mut seen = Seen::default();
    seen.of_signature(signature);
    seen.has_refusal || seen.has_named_atom && seen.has_other
}

fn is_truth_value(name: &str) -> bool {
    matches!(name, "true" | "false")
}

fn is_text_value(value: &Term) -> bool {
    matches!(value, Term::Bits(_)) || is_printable(value)
}

/// The maximum number of members of unions that are examined.
const MAX_STEPS: usize = 1_000;

#[derive(Clone, Debug, Default)]
struct Seen {
    has_other: bool,
    has_refusal: bool,
    /// Whether the spec has a result that is an atom of any name.
    has_any_atom: bool,
    /// The spec has a result that is a certain atom.
    has_named_atom: bool,
    has_text: bool,
}

impl Seen {
    fn of_signature(&mut self, signature: &Signature) {
        for id in &signature.results {
            let mut left = MAX_STEPS;
            self.of_type(&signature.result_types, *id, &mut left);
        }
    }

    fn value(&mut self, value: &Term) {
        match value {
            Term::Atom(name) => self.has_refusal |= name.as_str() == "error",
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

    /// Records the tag of a tuple as a failure if it is `error` or ends with `_error`.
    fn tag(&mut self, tag: Option<&str>) {
        self.has_refusal |= tag.is_some_and(|it| it == "error" || it.ends_with("_error"));
    }

    fn of_type(&mut self, types: &Types, id: TypeId, left: &mut usize) {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        match types.get(id) {
            Type::Union(members) => members.iter().for_each(|it| self.of_type(types, *it, left)),
            Type::Literal(term) => {
                self.has_refusal |= term.as_atom().is_some_and(is_truth_value);
                self.has_named_atom |= term.as_atom().is_some();
                self.value(term);
            }
            Type::Kind(Kind::Boolean) => self.has_refusal = true,
            Type::Kind(Kind::Atom) => self.has_any_atom = true,
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
    /// Explains an exception that the code under test raises explicitly and that carries a part of the text: raising
    /// it is how the unit refuses a text. `None` if the exception is of another form.
    fn raised_at_text(
        &self,
        input: &Input,
        reason: &Term,
        first: &Frame,
        decided_by: &[Part],
    ) -> Option<String> {
        let [_, data] = reason.as_tuple()? else { return None };
        let is_text = |it: &Part| is_text(self.contract, self.shapes, it);
        let is_of_text = matches!(data, Term::Int(_) | Term::Bits(_))
            && !decided_by.is_empty()
            && decided_by.iter().all(is_text)
            && input.args.iter().any(may_be_text);
        let is_raised = self.modules.contains(&first.module) && !is_of_runtime(reason);
        (is_raised && is_of_text).then(|| {
            let name = format!("{}/{}", quoted(&first.function), first.arity);
            format!("{name} refuses such texts with an exception of its own")
        })
    }

    /// Explains a crash on a text that matches no clause, or that a builtin refuses, as the way in which the unit
    /// refuses texts. `None` if the unit has other ways to refuse a text.
    pub(crate) fn unreadable_text(
        &self,
        input: &Input,
        outcome: &Outcome,
        decided_by: &[Part],
    ) -> Option<String> {
        let results = self.results?;
        let Outcome::Crash { class, reason, trace } = outcome else { return None };
        let frames = frames(trace);
        let first = frames.first()?;
        if let Some(why) = self.raised_at_text(input, reason, first, decided_by) {
            return Some(why);
        }
        let is_own = self.modules.contains(&first.module);
        let is_taken_by_none = match reason.as_tuple() {
            Some([tag, ..]) => match tag.as_atom() {
                Some("badmatch" | "case_clause" | "try_clause") => true,
                Some("badarg") => !is_own,
                _ => false,
            },
            Some([]) => false,
            None => match reason.as_atom() {
                Some("function_clause" | "if_clause") => true,
                Some("badarg") => !is_own,
                Some("badarith") => !is_own && computes_with_other_than_numbers(first),
                Some(_) | None => false,
            },
        };
        // Either a library refuses the text, or the part is a list that no spec types, so not all texts are meant.
        let is_of_library = !is_own && first.module.as_str() != "erlang";
        let is_refused_by_reader = is_of_library
            || said_no(reason)
            || decided_by.iter().all(|it| self.is_untyped_list(it));
        if class.as_str() != "error"
            || !is_taken_by_none
            || results.refuses
            || (results.are_texts && !is_refused_by_reader)
        {
            return None;
        }
        let is_text = |it: &Part| is_text(self.contract, self.shapes, it);
        let is_decided = !decided_by.is_empty() && decided_by.iter().all(is_text);
        if !is_decided && (is_own || !self.hands_on_text(input, first)) {
            return None;
        }
        let title = self.unit.title();
        let reason =
            print(reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason), Style::TW);
        Some(format!(
            "{title} reads a text, and no result of it says no: it refuses one by {reason}"
        ))
    }

    /// Whether a part is a list or an element of one, and no spec gives its type.
    pub(crate) fn is_untyped_list(&self, part: &Part) -> bool {
        let Domain { types, .. } = &self.contract.domain;
        let is_list = matches!(part.form, Form::Integer | Form::List | Form::Nil | Form::End);
        let mut at = self.contract.types_at(&part.place).into_iter();
        is_list && at.all(|it| matches!(types.get(it), Type::Any))
    }

    /// Whether the call was given a text that is an argument of the unit: the call's other arguments must fit that
    /// text, as in `io:format(Text, Arguments)`.
    fn hands_on_text(&self, input: &Input, call: &Frame) -> bool {
        let given = call.args.as_deref().unwrap_or_default();
        input.args.iter().enumerate().any(|(argument, it)| {
            let form = if *it == Term::Nil { Form::Nil } else { Form::List };
            let part = Part { place: Place { argument, steps: Vec::new() }, form };
            let is_list = matches!(it, Term::Nil | Term::List(_));
            is_list && given.contains(it) && is_text(self.contract, self.shapes, &part)
        })
    }
}

/// Whether the reason is a mismatch with a result that signals failure: `{badmatch, {error, _}}`.
fn said_no(reason: &Term) -> bool {
    let value = reason.as_tuple().and_then(|it| it.get(1));
    let tag = value.map(|it| it.as_tuple().and_then(<[Term]>::first).unwrap_or(it));
    tag.and_then(Term::as_atom) == Some("error")
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

/// Whether an operand of the failed arithmetic is not a number, so that it came from the text. Arithmetic that fails
/// for numbers, such as a division by 0, is not how a text is refused.
fn computes_with_other_than_numbers(frame: &Frame) -> bool {
    let is_number = |it: &Term| matches!(it, Term::Int(_) | Term::Big(_) | Term::Float(_));
    frame.args.as_ref().is_some_and(|it| !it.iter().all(is_number))
}
