//! A single HTML page with the whole report, which any browser opens from disk: no network, and no script needed to
//! read it.
//!
//! The view models in the submodules turn the report into texts; the templates only place them.

mod finding;
mod listing;
mod module;
mod overview;
mod places;
mod unit;

use super::{Detail, Format, View};
use crate::data::{Report, WrittenKind};
use crate::page::{Shell, visible};
use crate::rank::ranked;
use crate::summary::{Summary, count};
use askama::Template;
use finding::{FindingView, Folding};
use module::ModuleView;
use overview::{Bar, Tile};
use places::Places;
use std::io;
use unit::{InputsView, UnitView};

pub(super) const FORMAT: Format =
    Format { name: "html", about: "one page to look through in a browser", write };

fn write(report: &Report, view: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let page = Page::of(report, view);
    page.write_into(out).map_err(io::Error::other)
}

#[derive(Template)]
#[template(path = "report.html", whitespace = "minimize")]
struct Page {
    shell: Shell,
    headline: String,
    /// Whether nothing was found; determines the colour of the headline.
    is_good: bool,
    /// The targets, the elapsed time, the version.
    about: Vec<String>,
    is_interrupted: bool,
    /// Counts that the tiles do not show.
    notes: Vec<String>,
    tiles: Vec<Tile>,
    bars: Vec<Bar>,
    more_bars: Vec<Bar>,
    troubles: Vec<Note>,
    findings: Vec<FindingView>,
    refusals: Vec<Refusals>,
    /// Whether refusals are unfolded when the page opens.
    has_open_refusals: bool,
    known: Vec<FindingView>,
    ignored: Vec<FindingView>,
    unreceived: Vec<Note>,
    modules: Vec<ModuleView>,
    units: Vec<UnitView>,
    has_entered: bool,
    /// Whether the table of units is unfolded when the page opens.
    has_open_units: bool,
    solver: Option<String>,
    losses: Vec<Note>,
    inputs: Vec<InputsView>,
    written: Vec<Note>,
    commands: Vec<String>,
}

/// A subject and a text about it.
struct Note {
    about: String,
    text: String,
}

/// The refusals of a unit.
struct Refusals {
    unit: String,
    count: String,
    example: String,
    findings: Vec<FindingView>,
}

/// How many of the most important findings are unfolded when the page opens.
const MAX_OPEN_FINDINGS: usize = 20;
/// With more units than this, the table of units is folded when the page opens.
const MAX_OPEN_UNITS: usize = 40;

impl Page {
    fn of(report: &Report, view: &View) -> Page {
        let summary = Summary::of(report);
        let ranked = ranked(report);
        let places = Places::of(report, &ranked);
        let mut n = 0;
        let mut finding = |unit, finding, folding| {
            n += 1;
            FindingView::new(report, &places, (unit, finding), folding, n)
        };
        let shown = ranked.shown.iter().enumerate().map(|(nth, it)| {
            let folding = if nth < MAX_OPEN_FINDINGS { Folding::Open } else { Folding::Closed };
            finding(it.0, it.1, folding)
        });
        let findings: Vec<FindingView> = shown.collect();
        let refusals = ranked.folded.iter().map(|(unit, all)| Refusals {
            unit: visible(&unit.title),
            count: count(all.len(), "kind of input", "kinds of input"),
            example: all.first().map(|it| visible(&it.shown)).unwrap_or_default(),
            findings: all.iter().map(|it| finding(unit, it, Folding::Open)).collect(),
        });
        let refusals = refusals.collect();
        let known = ranked.known.iter().map(|it| finding(it.0, it.1, Folding::Closed)).collect();
        let ignored =
            ranked.ignored.iter().map(|it| finding(it.0, it.1, Folding::Closed)).collect();
        let (bars, more_bars) = overview::bars(report, &places);
        Page {
            shell: Shell::new(&overview::title(report)),
            headline: overview::headline(&summary),
            is_good: summary.n_found == 0,
            about: overview::about(report),
            is_interrupted: report.interrupted,
            notes: overview::notes(&summary),
            tiles: overview::tiles(&summary),
            bars,
            more_bars,
            troubles: troubles(report),
            findings,
            refusals,
            has_open_refusals: view.detail != Detail::Folded,
            known,
            ignored,
            unreceived: unreceived(report),
            modules: module::modules(report, &places),
            units: report.units.iter().map(UnitView::of).collect(),
            has_entered: report.units.iter().any(|it| it.coverage.clauses.entered.is_some()),
            has_open_units: report.units.len() <= MAX_OPEN_UNITS,
            solver: unit::solver(report),
            losses: losses(report),
            inputs: report.units.iter().filter_map(|it| InputsView::of(report, it)).collect(),
            written: written(report),
            commands: commands(report),
        }
    }
}

fn troubles(report: &Report) -> Vec<Note> {
    let troubled = report.units.iter().filter_map(|unit| {
        let text = visible(unit.trouble.as_ref()?);
        Some(Note { about: visible(&unit.title), text })
    });
    troubled.collect()
}

fn unreceived(report: &Report) -> Vec<Note> {
    let of_unit = |unit: &'_ crate::Unit| {
        let schedules = count(unit.runs, "schedule", "schedules");
        let said = |it: &crate::Unreceived| Note {
            about: visible(&unit.title),
            text: visible(&format!(
                "{} of {} to {}, in {} of {schedules}, for example {}",
                it.message, it.from, it.to, it.schedules, it.call
            )),
        };
        unit.unreceived.iter().map(said).collect::<Vec<Note>>()
    };
    report.units.iter().flat_map(of_unit).collect()
}

fn losses(report: &Report) -> Vec<Note> {
    let of_unit = |unit: &crate::Unit| {
        let times = |n: usize| count(n, "time", "times");
        let said = |it: &crate::Loss| format!("{} ({})", visible(&it.what), times(it.count));
        let all: Vec<String> = unit.losses.iter().map(said).collect();
        Note { about: visible(&unit.title), text: all.join(", ") }
    };
    report.units.iter().filter(|it| !it.losses.is_empty()).map(of_unit).collect()
}

fn written(report: &Report) -> Vec<Note> {
    let what = |kind: WrittenKind| match kind {
        WrittenKind::Report => "Report",
        WrittenKind::Tests => "Tests",
        WrittenKind::Inputs => "Inputs",
        WrittenKind::Chart => "Chart",
    };
    let said =
        |it: &crate::Written| Note { about: what(it.kind).to_owned(), text: visible(&it.path) };
    report.written.iter().map(said).collect()
}

/// Returns the commands that run the written tests, each once.
fn commands(report: &Report) -> Vec<String> {
    let all = report.written.iter().filter_map(|it| it.run_with.as_deref());
    let mut all: Vec<String> = all.map(visible).collect();
    all.sort();
    all.dedup();
    all
}
