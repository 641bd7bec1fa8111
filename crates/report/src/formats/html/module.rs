//! A module: its coverage, what was not covered and why, and its source.

use super::listing::{Listing, Mark, Marks};
use super::overview::{Meter, meter};
use super::places::Places;
use crate::data::{CoveredLine, Module, Report, Uncovered};
use crate::page::visible;
use crate::summary::count;
use std::collections::BTreeMap;

/// Everything that the page shows of a module.
#[derive(Debug)]
pub(super) struct ModuleView {
    pub(super) anchor: String,
    pub(super) title: String,
    pub(super) file: Option<String>,
    pub(super) meter: Meter,
    /// The number of findings in words, such as `3 findings`; `None` if there are none.
    pub(super) findings: Option<String>,
    pub(super) functions: Vec<FunctionView>,
    pub(super) source: Option<Listing>,
}

/// A function or predicate of a module.
#[derive(Debug, Default)]
pub(super) struct FunctionView {
    pub(super) name: String,
    pub(super) share: String,
    /// Which of its clauses were not covered, and why.
    pub(super) missed: Vec<String>,
}

pub(super) fn modules(report: &Report, places: &Places<'_>) -> Vec<ModuleView> {
    let view = |(n, module): (usize, &Module)| ModuleView {
        anchor: format!("m{n}"),
        title: visible(&module.title),
        file: module.file.as_deref().filter(|it| **it != module.title).map(visible),
        meter: meter(report, module),
        findings: match places.n_findings(&module.module) {
            0 => None,
            n => Some(count(n, "finding", "findings")),
        },
        functions: functions(module),
        source: source(report, places, module, n),
    };
    report.modules.iter().enumerate().map(view).collect()
}

fn functions(module: &Module) -> Vec<FunctionView> {
    let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // Neighbours with the same reason share a line; a clause that was entered has a line of its own.
    let is_same = |left: &Uncovered, right: &Uncovered| {
        (&left.function, left.why) == (&right.function, right.why)
            && left.entered.is_none()
            && right.entered.is_none()
    };
    for group in module.uncovered.chunk_by(is_same) {
        let Some(first) = group.first() else { continue };
        let lines: Vec<String> = group.iter().map(|it| it.line.to_string()).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let text = format!("{word} {}: {}", lines.join(", "), reason(first));
        missed.entry(first.function.as_str()).or_default().push(text);
    }
    let mut res = Vec::new();
    for function in &module.functions {
        res.push(FunctionView {
            name: visible(&function.function),
            share: format!("{} of {}", function.covered, function.total),
            missed: missed.remove(function.function.as_str()).unwrap_or_default(),
        });
    }
    for (name, missed) in missed {
        res.push(FunctionView { name: visible(name), share: String::new(), missed });
    }
    res
}

/// Returns why a clause was not covered, and how far runs got in it.
fn reason(clause: &Uncovered) -> String {
    let why = format!("{} ({})", clause.why.meaning(), clause.why.name());
    match (&clause.stuck, clause.entered) {
        (Some(goal), _) => format!("entered, but {} never succeeds; {why}", visible(goal)),
        (None, Some(true)) => format!("entered, never completed; {why}"),
        (None, Some(false)) => format!("never entered; {why}"),
        (None, None) => why,
    }
}

fn source(report: &Report, places: &Places<'_>, module: &Module, n: usize) -> Option<Listing> {
    let file = module.file.as_deref()?;
    let text = report.sources.get(file)?;
    let mut clauses: BTreeMap<u32, Vec<&CoveredLine>> = BTreeMap::new();
    module.lines.iter().for_each(|it| clauses.entry(it.line).or_default().push(it));
    let mut reasons: BTreeMap<u32, Vec<&Uncovered>> = BTreeMap::new();
    module.uncovered.iter().for_each(|it| reasons.entry(it.line).or_default().push(it));
    Some(Listing::of(1, text.lines(), |line| {
        let here = clauses.get(&line).map_or(&[][..], Vec::as_slice);
        let missed = reasons.get(&line).map_or(&[][..], Vec::as_slice);
        let state = State::of(here, missed);
        let links = places.failing(file, line);
        let anchor = places.anchor(n, file, line);
        let gutter =
            state.map(|it| Mark { class: it.class(), note: note(here, missed), ..Mark::default() });
        let class = match (links.is_empty(), state) {
            (false, _) => "f",
            (true, Some(State::Missed)) => "u",
            (true, Some(State::Partly)) => "p",
            (true, Some(State::Covered) | None) => "",
        };
        let is_marked = !class.is_empty() || anchor.is_some();
        let links = links.iter().take(MAX_LINKS).cloned().collect();
        let code = is_marked.then(|| Mark { class, anchor, links, ..Mark::default() });
        Marks { gutter, code }
    }))
}

/// How many findings a line of source links to.
const MAX_LINKS: usize = 3;

/// The coverage of the clauses that begin in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Covered,
    Partly,
    Missed,
}

impl State {
    /// Returns `None` if no clause begins in the line.
    fn of(lines: &[&CoveredLine], missed: &[&Uncovered]) -> Option<State> {
        let n_covered = lines.iter().filter(|it| it.covered).count();
        if lines.is_empty() && missed.is_empty() {
            return None;
        }
        let is_whole = n_covered == lines.len() && missed.is_empty();
        Some(match (n_covered, is_whole) {
            (0, _) => State::Missed,
            (_, true) => State::Covered,
            (_, false) => State::Partly,
        })
    }

    fn class(self) -> &'static str {
        match self {
            State::Covered => "c",
            State::Partly => "p",
            State::Missed => "u",
        }
    }
}

/// Returns the input that covered a line first, and why clauses in it were not covered.
fn note(lines: &[&CoveredLine], missed: &[&Uncovered]) -> String {
    let covered = lines.iter().filter(|it| it.covered).map(|it| match &it.by {
        Some(call) => format!("covered first by {}", visible(call)),
        None => "covered".to_owned(),
    });
    let not_covered = missed.iter().map(|it| format!("not covered: {}", reason(it)));
    let mut all: Vec<String> = covered.chain(not_covered).collect();
    all.dedup();
    if all.is_empty() { "not covered".to_owned() } else { all.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::{State, note};
    use crate::data::{CoveredLine, Uncovered};

    #[test]
    fn a_line_with_several_clauses_says_what_became_of_each() {
        let by = Some("f(1)".to_owned());
        let covered = CoveredLine { covered: true, by, ..CoveredLine::default() };
        let not = CoveredLine::default();
        let missed = Uncovered::default();
        assert_eq!(State::of(&[], &[]), None);
        assert_eq!(State::of(&[&covered], &[]), Some(State::Covered));
        assert_eq!(State::of(&[&covered, &not], &[&missed]), Some(State::Partly));
        assert_eq!(State::of(&[&not], &[]), Some(State::Missed));
        assert_eq!(
            note(&[&covered, &not], &[&missed]),
            "covered first by f(1); not covered: the search ended before a run came there (not tried)"
        );
    }
}
