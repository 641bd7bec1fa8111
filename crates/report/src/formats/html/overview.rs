//! The first screen: what was found, in how many units, and the coverage of each module.

use super::places::Places;
use crate::data::{Module, Report};
use crate::page::visible;
use crate::summary::{Summary, count};
use std::cmp::Reverse;

/// A prominent number with its label.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) note: String,
    /// The class for the colour of the number.
    pub(super) tone: &'static str,
}

/// The coverage of a module as a bar and in words.
#[derive(Debug)]
pub(super) struct Meter {
    /// The covered share in percent.
    pub(super) covered: usize,
    /// Prolog: the share of clauses that were entered and not completed, in percent.
    pub(super) entered: usize,
    pub(super) percent: String,
    pub(super) words: String,
}

/// A module in the summary.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) title: String,
    pub(super) href: String,
    pub(super) meter: Meter,
    pub(super) n_findings: usize,
}

/// How many modules the summary shows unfolded.
const MAX_BARS: usize = 8;
/// How many targets the page names.
const MAX_TARGETS: usize = 4;

pub(super) fn title(report: &Report) -> String {
    match targets(report) {
        Some(targets) => format!("gimlet: {targets}"),
        None => "gimlet".to_owned(),
    }
}

fn targets(report: &Report) -> Option<String> {
    let more = report.targets.len().saturating_sub(MAX_TARGETS);
    let mut names: Vec<String> = report.targets.iter().take(MAX_TARGETS).cloned().collect();
    if 0 < more {
        names.push(format!("and {more} more"));
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns the first line of the summary as a sentence.
pub(super) fn headline(summary: &Summary) -> String {
    if summary.n_units == 0 {
        return "Nothing was tested".to_owned();
    }
    let text = summary.headline();
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    visible(&format!("{first}{}", letters.as_str()))
}

pub(super) fn about(report: &Report) -> Vec<String> {
    let mut res: Vec<String> = targets(report).map(|it| visible(&it)).into_iter().collect();
    if 0 < report.elapsed_ms {
        res.push(seconds(report.elapsed_ms));
    }
    res.push(visible(&format!("{} {}", report.tool.name, report.tool.version)));
    res
}

/// Returns the notes on counts that the tiles do not show.
pub(super) fn notes(summary: &Summary) -> Vec<String> {
    let mut res = Vec::new();
    let mut note = |n: usize, one: &str, many: &str| {
        if 0 < n {
            res.push(count(n, one, many));
        }
    };
    note(
        summary.n_untried,
        "unit was not tried: the search ended before",
        "units were not tried: the search ended before",
    );
    note(
        summary.n_diverged,
        "run did not take the path that its input was made for",
        "runs did not take the path that their input was made for",
    );
    note(
        summary.n_known,
        "finding is known from the baseline",
        "findings are known from the baseline",
    );
    note(summary.n_ignored, "finding is ignored", "findings are ignored");
    res
}

pub(super) fn tiles(summary: &Summary) -> Vec<Tile> {
    if summary.n_units == 0 {
        return Vec::new();
    }
    let tile = |value: String, label: &str, note: String, tone| Tile {
        value,
        label: label.to_owned(),
        note,
        tone,
    };
    let mut res = Vec::new();
    let promises = match summary.n_promises {
        1 => "broken promise",
        _ => "broken promises",
    };
    let tone = |n: usize, tone: &'static str| if n == 0 { "" } else { tone };
    let (n_promises, n_suspicious) = (summary.n_promises, summary.n_suspicious);
    res.push(tile(n_promises.to_string(), promises, String::new(), tone(n_promises, "bad")));
    res.push(tile(
        n_suspicious.to_string(),
        "suspicious",
        String::new(),
        tone(n_suspicious, "warn"),
    ));
    if 0 < summary.n_races {
        let label = if summary.n_races == 1 { "race" } else { "races" };
        let note = "results that depend on the schedule".to_owned();
        res.push(tile(summary.n_races.to_string(), label, note, "warn"));
    }
    if 0 < summary.n_refusals {
        let note = format!("by {}", count(summary.n_refusing_units, "unit", "units"));
        let label = if summary.n_refusals == 1 { "input refused" } else { "inputs refused" };
        res.push(tile(summary.n_refusals.to_string(), label, note, ""));
    }
    if let Some(percent) = summary.clauses.percent() {
        let note = format!("{} of {} clauses", summary.clauses.covered, summary.clauses.total);
        res.push(tile(format!("{percent}%"), "covered", note, ""));
    }
    if 0 < summary.n_all {
        let value = format!("{}/{}", summary.n_confirmed, summary.n_all);
        let note = visible(&format!("on {}", summary.runtimes.join(" and ")));
        res.push(tile(value, "confirmed", note, ""));
    }
    let tried = if summary.is_complete { "all paths tried" } else { "not all paths tried" };
    let units = if summary.n_units == 1 { "unit" } else { "units" };
    res.push(tile(summary.n_units.to_string(), units, tried.to_owned(), ""));
    res
}

/// Returns the modules that need the most attention, and the others.
pub(super) fn bars(report: &Report, places: &Places<'_>) -> (Vec<Bar>, Vec<Bar>) {
    let mut order: Vec<(usize, &Module)> = report.modules.iter().enumerate().collect();
    let left = |it: &Module| it.clauses.total.saturating_sub(it.clauses.covered);
    order.sort_by_key(|(_, it)| Reverse((places.n_findings(&it.module), left(it))));
    let bar = |(n, module): (usize, &Module)| Bar {
        title: visible(&module.title),
        href: format!("#m{n}"),
        meter: meter(report, module),
        n_findings: places.n_findings(&module.module),
    };
    let mut bars: Vec<Bar> = order.into_iter().map(bar).collect();
    let more = bars.split_off(bars.len().min(MAX_BARS));
    (bars, more)
}

pub(super) fn meter(report: &Report, module: &Module) -> Meter {
    let share = module.clauses;
    let Some(covered) = share.percent() else {
        let percent = "–".to_owned();
        return Meter { covered: 0, entered: 0, percent, words: "no clauses".to_owned() };
    };
    let entered = share.entered.map_or(0, |it| it.saturating_sub(share.covered));
    let word = report.language(&module.language).covered;
    let word = if word.is_empty() { "covered" } else { word.as_str() };
    let entered_words = share.entered.map(|it| format!(", {it} entered")).unwrap_or_default();
    let words = format!("{} of {} clauses {word}{entered_words}", share.covered, share.total);
    Meter {
        covered,
        entered: (entered * 100).checked_div(share.total).unwrap_or(0),
        percent: format!("{covered}%"),
        words: visible(&words),
    }
}

pub(super) fn seconds(milliseconds: u64) -> String {
    format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10)
}
