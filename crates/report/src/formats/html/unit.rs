//! The table of units, and the inputs that were tried on each.

use super::overview::seconds;
use crate::data::{Report, Share, Stop, Test, Unit, Verdict};
use crate::formats::text::answer;
use crate::page::visible;
use crate::summary::count;

/// A row of the table.
#[derive(Debug)]
pub(super) struct UnitView {
    pub(super) title: String,
    pub(super) verdict: &'static str,
    pub(super) verdict_class: &'static str,
    pub(super) runs: usize,
    pub(super) paths: usize,
    pub(super) clauses: String,
    pub(super) entered: String,
    pub(super) time: String,
    pub(super) stop: &'static str,
    pub(super) losses: String,
}

impl UnitView {
    pub(super) fn of(unit: &Unit) -> UnitView {
        let (verdict, verdict_class) = match unit.verdict {
            Verdict::Findings => ("findings", "bad"),
            Verdict::Clean => ("nothing found", "good"),
            Verdict::Bounded => ("nothing found so far", ""),
        };
        let losses: usize = unit.losses.iter().map(|it| it.count).sum();
        UnitView {
            title: visible(&unit.title),
            verdict,
            verdict_class,
            runs: unit.runs,
            paths: unit.paths,
            clauses: share(unit.coverage.clauses),
            entered: unit.coverage.clauses.entered.map_or("–".to_owned(), |it| it.to_string()),
            time: seconds(unit.elapsed_ms),
            stop: stop(unit),
            losses: if losses == 0 { "–".to_owned() } else { losses.to_string() },
        }
    }
}

fn share(of: Share) -> String {
    match of.percent() {
        Some(percent) => format!("{}/{} {percent}%", of.covered, of.total),
        None => "–".to_owned(),
    }
}

/// Returns the reason for the end of the exploration in words.
fn stop(unit: &Unit) -> &'static str {
    match unit.stop {
        Stop::Exhausted if unit.saturated => "nothing new came",
        Stop::Exhausted => "all paths tried",
        Stop::Unknown => "the solver gave up",
        Stop::Depth => "depth limit",
        Stop::Time if unit.saturated => "nothing new came",
        Stop::Time => "time limit",
        Stop::Runs if unit.saturated => "nothing new came",
        Stop::Runs => "limit of runs",
        Stop::Interrupted => "interrupted",
        Stop::Unsupported => "not supported",
    }
}

/// Returns how the queries of all units were answered; `None` if there were none.
pub(super) fn solver(report: &Report) -> Option<String> {
    let of = |number: fn(&crate::Solver) -> u64| -> u64 {
        report.units.iter().map(|it| number(&it.solver)).sum()
    };
    let queries = of(|it| it.queries);
    let answers = [of(|it| it.sat), of(|it| it.unsat), of(|it| it.unknown)];
    let [sat, unsat, unknown] = answers;
    (0 < queries).then(|| {
        format!(
            "The solver had {queries} queries: {sat} satisfiable, {unsat} unsatisfiable, \
             {unknown} unknown."
        )
    })
}

/// The inputs of a unit and their outcomes.
#[derive(Debug)]
pub(super) struct InputsView {
    pub(super) unit: String,
    pub(super) count: String,
    pub(super) rows: Vec<InputView>,
    /// The number of inputs that are left out.
    pub(super) n_more: usize,
}

#[derive(Debug)]
pub(super) struct InputView {
    pub(super) call: String,
    pub(super) outcome: String,
}

/// How many inputs of a unit the page lists; the JSON report has all.
const MAX_INPUTS: usize = 50;

impl InputsView {
    /// Returns `None` if no input of the unit was kept.
    pub(super) fn of(report: &Report, unit: &Unit) -> Option<InputsView> {
        let language = report.language(&unit.language);
        let row = |test: &Test| InputView {
            call: visible(&format!("{}{}{}", language.prompt, test.call, language.end)),
            outcome: visible(&outcome(test)),
        };
        (!unit.tests.is_empty()).then(|| InputsView {
            unit: visible(&unit.title),
            count: count(unit.tests.len(), "input", "inputs"),
            rows: unit.tests.iter().take(MAX_INPUTS).map(row).collect(),
            n_more: unit.tests.len().saturating_sub(MAX_INPUTS),
        })
    }
}

fn outcome(test: &Test) -> String {
    match (test.outcome.as_str(), &test.term) {
        ("true" | "false" | "throws", _) => answer(test),
        ("value", Some(term)) => term.clone(),
        (outcome, Some(term)) => format!("{outcome} {term}"),
        (outcome, None) => outcome.to_owned(),
    }
}
