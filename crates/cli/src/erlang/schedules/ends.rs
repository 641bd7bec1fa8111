//! The results of the runs of each input, in bounded memory: enough to report a race and to name some of its results.

use crate::erlang::finding::Cause;
use crate::erlang::schedules::Shown;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use term::{Style, print};
use trace::{Input, Outcome};

/// The maximum number of results that a message names.
const MAX_NAMED: usize = 4;

/// The maximum number of results of one input that are counted.
const MAX_COUNTED: usize = 1000;

#[derive(Default)]
pub(super) struct Ends {
    /// The number of runs of each input, by the input's hash, and below, the number of those that showed each cause.
    n_runs: BTreeMap<u64, usize>,
    n_shown: BTreeMap<(Cause, u64), usize>,
    of_inputs: BTreeMap<u64, Results>,
    /// The counted results, in the order in which they were found.
    known: Vec<Known>,
    marks: BTreeSet<Known>,
}

/// The results of one input.
#[derive(Default)]
struct Results {
    /// The first results in the order of their texts, and the last one, each with a run.
    shown: BTreeMap<String, Shown>,
    n_counted: usize,
    is_one_a_failure: bool,
}

/// A result of an input; both are hashes of their texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    input: u64,
    result: u64,
}

impl Ends {
    /// The number of counted results.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Counts a run of an input and the causes that it showed.
    pub(super) fn ran(&mut self, input: &Input, causes: BTreeSet<Cause>) {
        let mark = mark_of(input);
        *self.n_runs.entry(mark).or_default() += 1;
        for cause in causes {
            *self.n_shown.entry((cause, mark)).or_default() += 1;
        }
    }

    /// Whether some runs of an input showed the cause and others did not.
    pub(super) fn is_by_schedule(&self, input: &Input, cause: &Cause) -> bool {
        let mark = mark_of(input);
        let n_shown = self.n_shown.get(&(cause.clone(), mark)).copied().unwrap_or_default();
        self.n_runs.get(&mark).is_some_and(|it| n_shown < *it)
    }

    /// Adds a run. Returns whether it is the first run of its input.
    pub(super) fn see(
        &mut self,
        input: &Input,
        outcome: &Outcome,
        shown: impl FnOnce() -> Shown,
    ) -> bool {
        let is_first = !self.has(input);
        let text = end_text(outcome);
        let known = Known { input: mark_of(input), result: mark(&text) };
        self.count(known);
        let results = self.of_inputs.entry(known.input).or_default();
        results.is_one_a_failure |= !matches!(outcome, Outcome::Value(_));
        results.show(text, shown);
        is_first
    }

    /// Adds the results of later runs. Element `n` of the returned list is the number of known results after `n`
    /// results of the later runs were added.
    pub(super) fn join(&mut self, later: Ends) -> Vec<usize> {
        let mut n_known = vec![self.len()];
        for (input, n) in later.n_runs {
            *self.n_runs.entry(input).or_default() += n;
        }
        for (shown, n) in later.n_shown {
            *self.n_shown.entry(shown).or_default() += n;
        }
        for known in later.known {
            self.count(known);
            n_known.push(self.len());
        }
        for (input, Results { shown, is_one_a_failure, n_counted: _ }) in later.of_inputs {
            let results = self.of_inputs.entry(input).or_default();
            results.is_one_a_failure |= is_one_a_failure;
            for (text, it) in shown {
                let nth = n_known.get(it.nth).copied().unwrap_or(it.nth);
                results.show(text, || Shown { nth, ..it });
            }
        }
        n_known
    }

    fn count(&mut self, known: Known) {
        let results = self.of_inputs.entry(known.input).or_default();
        if results.n_counted < MAX_COUNTED && self.marks.insert(known) {
            results.n_counted += 1;
            self.known.push(known);
        }
    }

    pub(super) fn has(&self, input: &Input) -> bool {
        self.of_inputs.contains_key(&mark_of(input))
    }

    /// Whether all runs of an input had the same result.
    pub(super) fn is_settled(&self, input: &Input) -> bool {
        self.of_inputs.get(&mark_of(input)).is_none_or(|it| it.n_counted == 1)
    }

    /// For each input with different results, a run that shows one of them.
    pub(super) fn races(self) -> impl Iterator<Item = Shown> {
        self.of_inputs.into_values().filter_map(Results::race)
    }
}

impl Results {
    fn show(&mut self, text: String, shown: impl FnOnce() -> Shown) {
        let is_full = self.shown.len() > MAX_NAMED;
        let is_between = self.shown.keys().nth(MAX_NAMED - 1).is_some_and(|it| *it < text)
            && self.shown.keys().next_back().is_some_and(|it| text < *it);
        if self.shown.contains_key(&text) || (is_full && is_between) {
            return;
        }
        self.shown.insert(text, shown());
        if is_full && let Some(between) = self.shown.keys().nth(MAX_NAMED).cloned() {
            self.shown.remove(&between);
        }
    }

    fn race(self) -> Option<Shown> {
        let n_results = self.n_counted;
        if n_results < 2 || self.is_one_a_failure {
            return None;
        }
        let named: Vec<&str> = self.shown.keys().take(MAX_NAMED).map(String::as_str).collect();
        let n_others = n_results - named.len();
        let others = match n_others {
            0 => String::new(),
            _ if n_results == MAX_COUNTED => format!(" or one of {n_others} others or more"),
            _ => format!(" or one of {n_others} others"),
        };
        let complaint = format!("it returns {}{others}, by the schedule alone", named.join(" or "));
        let mut shown = self.shown.into_values().next_back()?;
        shown.finding.complaint = Some(complaint);
        Some(shown)
    }
}

fn mark(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn mark_of(input: &Input) -> u64 {
    let args: Vec<String> = input.args.iter().map(|it| print(it, Style::TW)).collect();
    mark(&args.join(","))
}

pub(super) fn end_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(value) => print(value, Style::TW),
        Outcome::Crash { class, reason, .. } => {
            format!("{}: {}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => why.to_string(),
    }
}
