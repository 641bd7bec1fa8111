//! Decides which outcomes are findings, and which findings are the same.
//!
//! Judges outcomes; runs nothing.

use crate::erlang::callers::Calls;
use crate::erlang::contract::Contract;
use crate::erlang::frames::{Frame, frames};
use crate::erlang::schedules::Schedule;
use crate::erlang::texts::Results;
use crate::erlang::unit::UnitName;
use crate::flow::Rated;
use ::report::{Kind, Reached};
use engine::{Part, Shapes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use term::{Atom, Fun, Term};
use trace::{Input, Outcome, Stopped};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    pub(crate) input: Input,
    pub(crate) outcome: Outcome,
    /// The outcome in the words of the language's runtime; `None` if that was not asked.
    pub(crate) said: Option<String>,
    /// The number of paths with this cause.
    pub(crate) count: usize,
    /// The first input that was found, if it was shrunk since.
    pub(crate) found_with: Option<Input>,
    /// Details that the outcome lacks, such as how it breaks the spec.
    pub(crate) complaint: Option<String>,
    pub(crate) confirmation: Confirmation,
    /// The schedule that leads to the outcome, if it depends on one.
    pub(crate) schedule: Option<Schedule>,
    /// The last choices before the outcome.
    pub(crate) reached: Vec<Reached>,
    /// The cause in words that stay the same when lines move.
    pub(crate) cause: String,
    /// The place and the condition in words that are the same for every unit that leads there.
    pub(crate) condition: Option<String>,
    pub(crate) rated: Rated,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Confirmation {
    Untried,
    Confirmed,
    /// BEAM did not confirm the finding, for this reason.
    Unconfirmed(String),
}

/// The identity of a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    kind: Kind,
    class: String,
    shape: String,
    /// The function that raised, and the first frame in the modules under test.
    raised: Option<Spot>,
    own: Option<Spot>,
}

impl Cause {
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns a key of what fails and where, independent of the unit that was called. For an exception raised in a
    /// library, the place is the project's call of the library; for a result that the spec excludes, the place is
    /// `maker`, the function that computes the results of `unit`. `None` if the failure belongs to the unit itself.
    pub(crate) fn condition(
        &self,
        modules: &[Atom],
        unit: &UnitName,
        maker: &UnitName,
    ) -> Option<String> {
        let Cause { kind, class, shape, raised, own } = self;
        if *kind == Kind::Spec {
            let UnitName { module, function, arity } = maker;
            let (module, function) = (module.as_str(), function.as_str());
            return Some(format!("{class} {shape} {module}:{function}/{arity}"));
        }
        let Some((module, function, arity, line)) = own else {
            // The project's call of the library was a tail call, so the stack has no frame of the project.
            let (by, function, arity, line) = raised.as_ref()?;
            let (module, by, function) = (unit.module.as_str(), by.as_str(), function.as_str());
            return Some(format!("{class} {shape} {module} {by}:{function}/{arity} {line:?}"));
        };
        let raised = raised.as_ref().filter(|it| !modules.contains(&it.0));
        let by = raised.map(|it| format!("{}:{}/{}", it.0.as_str(), it.1.as_str(), it.2));
        Some(format!(
            "{class} {shape} {}:{}/{arity} {line:?} {}",
            module.as_str(),
            function.as_str(),
            by.unwrap_or_default()
        ))
    }

    /// Describes the cause in words, without lines.
    pub(crate) fn text(&self) -> String {
        let spot = |it: &Option<Spot>| match it {
            Some((module, function, arity, _)) => {
                format!("{}:{}/{arity}", module.as_str(), function.as_str())
            }
            None => String::new(),
        };
        let Cause { kind, class, shape, raised, own } = self;
        format!("{} {class} {shape} {} {}", kind.name(), spot(raised), spot(own))
    }
}

type Spot = (Atom, Atom, usize, Option<i64>);

/// Distinguishes findings from other outcomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) unit: &'a UnitName,
    pub(crate) contract: &'a Contract,
    /// The modules under test.
    pub(crate) modules: &'a [Atom],
    /// The shapes of inputs that ended well; `None` if they are not gathered yet.
    pub(crate) shapes: Option<&'a Shapes>,
    /// The shapes of recorded calls that returned.
    pub(crate) recorded: Option<&'a Shapes>,
    /// How the project calls the unit, if all its calls are known.
    pub(crate) calls: Option<&'a Calls>,
    /// The parts of the input that the run examined; `None` if they are not known.
    pub(crate) looked_at: Option<&'a [Part]>,
    /// The kinds of results that the unit returned for texts; `None` if they are not collected yet.
    pub(crate) results: Option<Results>,
    /// Whether the same inputs have other outcomes in other schedules. An exception is then never rated as a refusal
    /// of the input.
    pub(crate) is_by_schedule: bool,
}

/// A finding with further inputs of the same cause.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) cause: Cause,
    pub(crate) finding: Finding,
    pub(crate) others: Vec<Input>,
}

/// The maximum number of further inputs that are kept.
const MAX_OTHERS: usize = 24;

impl<'a> Judge<'a> {
    /// A judge without evidence of other runs.
    pub(crate) fn new(
        unit: &'a UnitName,
        contract: &'a Contract,
        modules: &'a [Atom],
        calls: Option<&'a Calls>,
    ) -> Judge<'a> {
        Judge {
            unit,
            contract,
            modules,
            shapes: None,
            recorded: None,
            calls,
            looked_at: None,
            results: None,
            is_by_schedule: false,
        }
    }
}

impl Judge<'_> {
    pub(crate) fn cause(&self, input: &Input, outcome: &Outcome) -> Option<Cause> {
        match outcome {
            Outcome::Value(value) => {
                let kind = self.value_kind(input, value)?;
                let shape = if kind == Kind::Spec { kind_of(value) } else { String::new() };
                Some(Cause { kind, class: "value".to_owned(), shape, raised: None, own: None })
            }
            Outcome::Crash { class, reason, trace } => {
                if is_orderly(class, reason) {
                    return None;
                }
                let frames = frames(trace);
                // The missing function is part of the cause, unless the input names it.
                let is_named = reason.as_atom() == Some("undef")
                    && frames.first().is_some_and(|it| names(input, it));
                let places = frames.get(usize::from(is_named)..).unwrap_or_default();
                let own = places.iter().find(|it| self.modules.contains(&it.module));
                Some(Cause {
                    kind: self.crash_kind(input, reason, &frames),
                    class: class.as_str().to_owned(),
                    shape: shape(reason),
                    raised: places.first().map(spot),
                    own: own.map(spot),
                })
            }
            Outcome::Stopped(why) => {
                let Stopped::OutOf(budget) = why else { return None };
                let (class, shape) = ("timeout".to_owned(), budget.name().to_owned());
                Some(Cause { kind: Kind::Timeout, class, shape, raised: None, own: None })
            }
            Outcome::Deadlock => None,
        }
    }

    fn value_kind(&self, input: &Input, value: &Term) -> Option<Kind> {
        if self.contract.complaint(input, value).is_some() {
            return Some(Kind::Spec);
        }
        let is_false = value.as_atom() == Some("false");
        (self.unit.is_property() && is_false).then_some(Kind::Property)
    }

    fn crash_kind(&self, input: &Input, reason: &Term, frames: &[Frame]) -> Kind {
        let is_refused = reason.as_atom() == Some("function_clause")
            && frames.first().is_some_and(|it| {
                it.module == self.unit.module
                    && it.function == self.unit.function
                    && it.args.as_ref() == Some(&input.args)
            });
        // A crash on an input that the spec does not allow is the caller's fault.
        let is_outside = self.contract.signature.is_some();
        let is_allowed = self.contract.allows(input);
        if (is_refused || is_outside) && !is_allowed { Kind::Rejected } else { Kind::Crash }
    }

    /// One finding per cause, with its smallest input, ordered by kind and then by first occurrence.
    pub(crate) fn findings<'t>(
        &self,
        ends: impl Iterator<Item = (&'t Input, &'t Outcome)>,
    ) -> Vec<Found> {
        let mut found: BTreeMap<Cause, (usize, Found)> = BTreeMap::new();
        for (n, (input, outcome)) in ends.enumerate() {
            let Some(cause) = self.cause(input, outcome) else { continue };
            let (_, known) = found.entry(cause.clone()).or_insert_with(|| {
                let finding = self.finding(cause.kind, input, outcome);
                (n, Found { cause: cause.clone(), finding, others: Vec::new() })
            });
            known.finding.count += 1;
            if size_of(input) < size_of(&known.finding.input) {
                let count = known.finding.count;
                let smaller = Finding { count, ..self.finding(cause.kind, input, outcome) };
                let larger = std::mem::replace(&mut known.finding, smaller).input;
                // The inputs that were added last are the smallest.
                if known.others.len() == MAX_OTHERS {
                    known.others.remove(0);
                }
                known.others.push(larger);
            } else if known.others.len() < MAX_OTHERS && *input != known.finding.input {
                known.others.push(input.clone());
            }
        }
        let mut res: Vec<(usize, Found)> = found.into_values().collect();
        res.sort_by_key(|it| (it.1.finding.kind, it.0));
        res.into_iter().map(|it| it.1).collect()
    }

    pub(crate) fn finding(&self, kind: Kind, input: &Input, outcome: &Outcome) -> Finding {
        let cause = self.cause(input, outcome);
        let complaint = match outcome {
            Outcome::Value(value) => self.contract.complaint(input, value),
            Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => None,
        };
        Finding {
            kind,
            input: input.clone(),
            outcome: outcome.clone(),
            said: None,
            count: 0,
            found_with: None,
            complaint,
            confirmation: Confirmation::Untried,
            schedule: None,
            reached: Vec::new(),
            cause: cause.as_ref().map_or_else(|| kind.name().to_owned(), Cause::text),
            condition: cause.and_then(|it| {
                let maker = self.contract.answered_by.as_ref().unwrap_or(self.unit);
                it.condition(self.modules, self.unit, maker)
            }),
            rated: self.rate(kind, input, outcome, &[]),
        }
    }
}

/// Whether the exception is the orderly end of a process.
fn is_orderly(class: &Atom, reason: &Term) -> bool {
    let tag = reason.as_tuple().and_then(|it| it.first()).or(Some(reason));
    let name = tag.and_then(Term::as_atom);
    class.as_str() == "exit" && matches!(name, Some("normal" | "shutdown"))
}

/// Whether the input contains the name of the function or of its module.
fn names(input: &Input, frame: &Frame) -> bool {
    let is_name =
        |it: &Term| matches!(it, Term::Atom(it) if [&frame.module, &frame.function].contains(&it));
    input.args.iter().any(|it| it.has_part(is_name))
}

fn spot(frame: &Frame) -> Spot {
    (frame.module.clone(), frame.function.clone(), frame.arity, frame.line)
}

/// The reason without its data: the atoms at its top level, and the kinds of the other parts.
fn shape(reason: &Term) -> String {
    match reason.as_tuple() {
        Some([Term::Atom(tag), rest @ ..]) => {
            let is_raised_by_runtime = RUNTIME_TAGS.contains(&tag.as_str()) && rest.len() == 1;
            let rest = if is_raised_by_runtime { &[] } else { rest };
            let rest: Vec<String> = rest.iter().map(shape_inside).collect();
            format!("{{{},{}}}", tag.as_str(), rest.join(","))
        }
        Some(_) | None => shape_inside(reason),
    }
}

/// Tags of reasons that carry the value that did not match.
pub(crate) const RUNTIME_TAGS: &[&str] = &[
    "badmatch",
    "case_clause",
    "try_clause",
    "badkey",
    "badmap",
    "badfun",
    "badarity",
    "badrecord",
    "bad_generator",
    "bad_filter",
    "badarg",
    "else_clause",
    "nocatch",
];

fn shape_inside(term: &Term) -> String {
    if let Some(name) = term.as_atom() { name.to_owned() } else { kind_of(term) }
}

fn kind_of(term: &Term) -> String {
    let name = match term {
        Term::Int(_) | Term::Big(_) => "integer",
        Term::Float(_) => "float",
        Term::Atom(_) => "atom",
        Term::Nil | Term::List(_) => "list",
        Term::Tuple(_) => "tuple",
        Term::Map(_) => "map",
        Term::Bits(_) => "bitstring",
        Term::Fun(_) => "fun",
        Term::Pid(_) => "pid",
        Term::Port(_) => "port",
        Term::Ref(_) => "reference",
    };
    format!("<{name}>")
}

/// The measure that shrinking reduces: the length of the input's text, then the magnitude of its numbers.
pub(crate) fn size_of(input: &Input) -> (usize, u128) {
    let magnitudes = input.args.iter().map(magnitude);
    (input.args.iter().map(size).sum(), magnitudes.fold(0, u128::saturating_add))
}

fn size(term: &Term) -> usize {
    match term {
        Term::Int(0) | Term::Nil => 1,
        Term::Int(n) => 1 + n.to_string().len(),
        // About its number of decimal digits, which would take long to compute exactly.
        Term::Big(n) => 2 + usize::try_from(n.bits() * 3 / 10).unwrap_or(usize::MAX / 2),
        Term::Float(x) => 3 + x.to_string().len(),
        Term::Atom(atom) => 1 + atom.as_str().chars().map(weight).sum::<usize>(),
        Term::List(list) => {
            2 + list.items.iter().map(|it| 1 + size(it)).sum::<usize>() + size(&list.tail)
        }
        Term::Tuple(items) => 2 + items.iter().map(|it| 1 + size(it)).sum::<usize>(),
        Term::Map(pairs) => 3 + pairs.iter().map(|it| 2 + size(&it.0) + size(&it.1)).sum::<usize>(),
        Term::Bits(bits) => {
            let digits = bits.padded_bytes().iter().filter_map(|it| it.checked_ilog10());
            3 + bits.bit_len() + digits.map(|it| 1 + it as usize).sum::<usize>()
        }
        Term::Fun(fun) => match &**fun {
            Fun::Table { entries, default, .. } => {
                let entry =
                    |it: &(Vec<Term>, Term)| 4 + it.0.iter().map(size).sum::<usize>() + size(&it.1);
                4 + entries.iter().map(entry).sum::<usize>() + size(default)
            }
            Fun::External { .. } | Fun::Closure { .. } => 8,
        },
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => 8,
    }
}

/// The sum of the absolute values of all numbers.
fn magnitude(term: &Term) -> u128 {
    let sum = |items: &[Term]| items.iter().map(magnitude).fold(0, u128::saturating_add);
    match term {
        Term::Int(n) => n.unsigned_abs().into(),
        Term::Big(n) => u128::try_from(n.magnitude()).unwrap_or(u128::MAX),
        Term::List(list) => sum(&list.items).saturating_add(magnitude(&list.tail)),
        Term::Tuple(items) => sum(items),
        Term::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| magnitude(key).saturating_add(magnitude(value)))
            .fold(0, u128::saturating_add),
        Term::Bits(bits) => bits.padded_bytes().iter().map(|it| u128::from(*it)).sum(),
        Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => 0,
    }
}

/// Characters that need quotes are harder to read.
fn weight(c: char) -> usize {
    if c.is_ascii_lowercase() { 1 } else { 3 }
}

impl Finding {
    /// Sets the choices before the outcome. A run that does not end has no place where it failed; its last choice is
    /// used instead.
    pub(crate) fn reached_by(&mut self, choices: Vec<Reached>) {
        self.reached = choices;
        let last = self.reached.last().and_then(|it| Some((it.file.as_ref()?, it.line?)));
        if let (Kind::Timeout, None, Some((file, line))) = (self.kind, &self.condition, last) {
            self.condition = Some(format!("timeout {file}:{line}"));
        }
    }

    /// The file and line of the first frame in the modules under test, else of the first frame that has one.
    pub(crate) fn place(&self, modules: &[Atom]) -> Option<(String, i64)> {
        let Outcome::Crash { trace, .. } = &self.outcome else { return None };
        let frames = frames(trace);
        let place = |it: &Frame| Some((it.file.clone()?, it.line?));
        let own = frames.iter().filter(|it| modules.contains(&it.module)).find_map(place);
        own.or_else(|| frames.iter().find_map(place))
    }
}
