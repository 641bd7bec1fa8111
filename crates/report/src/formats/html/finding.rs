//! A finding as texts for the page: the call, the outcome, the place, the path to it, and how certain it is.

use super::listing::{Listing, Mark, Marks};
use super::places::Places;
use crate::chart::svg_element;
use crate::data::{Report, Unit, WrittenKind};
use crate::finding::{Finding, Kind, Level, Reached, Schedule};
use crate::page::visible;

/// Everything that the page shows of a finding.
#[derive(Debug)]
pub(super) struct FindingView {
    pub(super) anchor: String,
    pub(super) folding: Folding,
    pub(super) badge: &'static str,
    pub(super) badge_class: &'static str,
    pub(super) kind: &'static str,
    /// The definition of this kind of finding.
    pub(super) meaning: &'static str,
    pub(super) unit: String,
    pub(super) call: String,
    pub(super) says: String,
    pub(super) place: Option<Place>,
    pub(super) excerpt: Option<Listing>,
    /// Sentences such as the reason for the level and how often the finding was seen.
    pub(super) facts: Vec<Fact>,
    pub(super) is_confirmed: bool,
    pub(super) reached: Vec<Step>,
    pub(super) schedule: Option<ScheduleView>,
    pub(super) replay: String,
    /// What the user must pass to `gimlet test` first, if this run wrote no file to replay from.
    pub(super) replay_needs: Option<&'static str>,
    pub(super) test: Option<String>,
    pub(super) stack: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folding {
    Open,
    Closed,
}

impl FindingView {
    pub(super) fn is_open(&self) -> bool {
        self.folding == Folding::Open
    }
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) href: Option<String>,
}

/// A statement with a word for its subject.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) about: &'static str,
    pub(super) text: String,
}

/// A choice on the path.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) what: String,
    /// The line of source that decides.
    pub(super) code: Option<String>,
    pub(super) place: Option<Place>,
}

#[derive(Debug)]
pub(super) struct ScheduleView {
    /// The lines about lost messages and waiting processes.
    pub(super) lines: Vec<String>,
    /// The chart as an SVG element with escaped texts, if the chart is known as data.
    pub(super) picture: Option<String>,
    /// The chart as text, otherwise.
    pub(super) text: String,
}

impl FindingView {
    /// Makes the `n`-th finding of the page.
    pub(super) fn new(
        report: &Report,
        places: &Places<'_>,
        (unit, finding): (&Unit, &Finding),
        folding: Folding,
        n: usize,
    ) -> FindingView {
        let language = report.language(&unit.language);
        let is_race = finding.kind == Kind::Race;
        FindingView {
            anchor: format!("f{n}"),
            folding,
            badge: if is_race { "depends on the schedule" } else { finding.level.title() },
            badge_class: if is_race { "race" } else { finding.level.name() },
            kind: finding.kind.name(),
            meaning: finding.kind.title(),
            unit: visible(&unit.title),
            call: visible(&format!("{}{}{}", language.prompt, finding.shown, language.end)),
            says: visible(&finding.says.join("\n")),
            place: place(places, finding.file.as_deref(), finding.line),
            excerpt: excerpt(report, finding),
            facts: facts(finding, &language.runtime),
            is_confirmed: finding.confirmed,
            reached: finding.reached.iter().map(|it| step(report, places, it)).collect(),
            schedule: finding.schedule.as_ref().map(|it| schedule(it, finding, n)),
            replay: visible(&format!(
                "gimlet replay {} --id {}",
                json_path(report).unwrap_or("report.json"),
                finding.id
            )),
            replay_needs: json_path(report).is_none().then_some("--report json=report.json"),
            test: finding.test.as_deref().map(visible),
            stack: finding.stack.iter().map(|it| visible(it)).collect(),
        }
    }
}

fn step(report: &Report, places: &Places<'_>, reached: &Reached) -> Step {
    let Reached { file, line, what } = reached;
    let code = file.as_deref().zip(*line).and_then(|it| report.source_line(it.0, it.1));
    Step {
        what: visible(what),
        code: code.map(|it| visible(it.trim())).filter(|it| !it.is_empty()),
        place: place(places, file.as_deref(), *line),
    }
}

/// Returns the path of the report that `gimlet replay` reads, if this run wrote one.
fn json_path(report: &Report) -> Option<&str> {
    let reports = report.written.iter().filter(|it| it.kind == WrittenKind::Report);
    let mut paths = reports.map(|it| it.path.as_str());
    paths.find(|it| it.ends_with(".json"))
}

fn place(places: &Places<'_>, file: Option<&str>, line: Option<u32>) -> Option<Place> {
    let text = match line {
        Some(line) => format!("{}:{line}", file?),
        None => file?.to_owned(),
    };
    Some(Place { text: visible(&text), href: places.href(file, line) })
}

/// How many lines are shown before and after the failing one.
const AROUND: u32 = 3;

fn excerpt(report: &Report, finding: &Finding) -> Option<Listing> {
    let (file, line) = (finding.file.as_deref()?, finding.line?);
    report.source_line(file, line)?;
    let first = line.saturating_sub(AROUND).max(1);
    let skipped = usize::try_from(first).ok()?.saturating_sub(1);
    let n_lines = usize::try_from(line + AROUND + 1 - first).ok()?;
    let lines = report.sources.get(file)?.lines().skip(skipped).take(n_lines);
    Some(Listing::of(first, lines, |it| {
        let mark = || Mark { class: "f", ..Mark::default() };
        let is_failing = it == line;
        Marks { gutter: is_failing.then(mark), code: is_failing.then(mark) }
    }))
}

fn facts(finding: &Finding, runtime: &str) -> Vec<Fact> {
    let mut res = Vec::new();
    let mut fact = |about: &'static str, text: &str| {
        if !text.is_empty() {
            res.push(Fact { about, text: visible(text) });
        }
    };
    let why_level = match finding.level {
        Level::Promise => "Why it counts",
        Level::Suspicious => "Why it is suspicious",
        Level::Refusal => "Why it is a refusal",
    };
    fact(why_level, &finding.because);
    if let Some(why) = finding.why.as_ref().filter(|it| **it != finding.because) {
        fact("What is wrong", why);
    }
    let confirmed = match &finding.unconfirmed_because {
        None if finding.confirmed => format!("yes, on {runtime}"),
        None => "no".to_owned(),
        Some(why) => format!("no: {why}"),
    };
    fact("Confirmed", &confirmed);
    if finding.count > 1 {
        let seen = match finding.schedule {
            Some(_) => "runs end like this; this one has the fewest switches",
            None => "paths end like this; this is the smallest input",
        };
        fact("Seen", &format!("{} {seen}", finding.count));
    }
    if let Some(args) = &finding.found_with {
        fact("First found with", &args.join(", "));
    }
    if let Some(why) = &finding.ignored_because {
        fact("Ignored because", why);
    }
    res
}

fn schedule(schedule: &Schedule, finding: &Finding, n: usize) -> ScheduleView {
    let title = format!("{} in {}", finding.kind.name(), finding.shown);
    // A process that waits at once has no steps to draw.
    let has_steps = schedule.drawing.as_ref().is_none_or(|it| !it.rows.is_empty());
    let drawing = schedule.drawing.as_ref().filter(|_| has_steps);
    let picture = drawing.map(|it| svg_element(it, &title, &format!("f{n}-")));
    let lines = schedule.lost.iter().chain(&schedule.blocked);
    ScheduleView {
        lines: lines.map(|it| visible(it)).collect(),
        picture,
        text: if has_steps { visible(&schedule.chart.join("\n")) } else { String::new() },
    }
}
