//! GitHub: findings as workflow commands, which become annotations of the changed lines.
//!
//! A step shows at most ten errors, ten warnings and ten notices, so the most important findings come first and the
//! others are lines of a group in the log. Refusals are only counted. Texts from terms are escaped so that no line
//! begins a command.

use super::place::{Place, place};
use super::printable::{on_one_line, printable};
use super::{Format, View};
use crate::data::{Report, Unit};
use crate::finding::{Finding, Kind, Level};
use crate::rank::ranked;
use crate::summary::{Summary, count};
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "github", about: "annotations in a workflow of GitHub", write };

/// How many annotations of one sort GitHub shows for a step.
const MAX_ANNOTATIONS: usize = 10;
/// How many notices are left for findings: one is needed for the number of refusals and one for the summary.
const MAX_NOTICES: usize = MAX_ANNOTATIONS - 2;

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let ranked = ranked(report);
    let mut left =
        Left { errors: MAX_ANNOTATIONS, warnings: MAX_ANNOTATIONS, notices: MAX_NOTICES };
    let mut more = Vec::new();
    for (unit, finding) in ranked.shown {
        let command = Command::of(finding);
        if left.take(command) {
            let place = place(report, unit, finding);
            writeln!(out, "{}", annotation(command, place, unit, finding))?;
        } else {
            more.push((unit, finding));
        }
    }
    if !more.is_empty() {
        writeln!(out, "::group::{}", count(more.len(), "more finding", "more findings"))?;
        for (unit, finding) in &more {
            writeln!(out, "{}", plain(report, unit, finding))?;
        }
        writeln!(out, "::endgroup::")?;
    }
    let summary = Summary::of(report);
    if 0 < summary.n_refusals {
        let kinds = count(summary.n_refusals, "kind of input is", "kinds of input are");
        let by = count(summary.n_refusing_units, "unit", "units");
        writeln!(out, "::notice::{kinds} refused by {by}")?;
    }
    let interrupted = if report.interrupted { "interrupted: " } else { "" };
    let (title, headline) = (property(&report.tool.name), summary.headline());
    writeln!(out, "::notice title={title}::{interrupted}{}", data(&headline))
}

/// The sort of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Error,
    Warning,
    Notice,
}

impl Command {
    fn of(finding: &Finding) -> Command {
        match (finding.kind, finding.level) {
            (Kind::Race, _) | (_, Level::Refusal) => Command::Notice,
            (_, Level::Promise) => Command::Error,
            (_, Level::Suspicious) => Command::Warning,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Command::Error => "error",
            Command::Warning => "warning",
            Command::Notice => "notice",
        }
    }
}

/// How many more annotations GitHub shows.
struct Left {
    errors: usize,
    warnings: usize,
    notices: usize,
}

impl Left {
    /// Whether there is room for one more annotation; takes the room.
    fn take(&mut self, command: Command) -> bool {
        let left = match command {
            Command::Error => &mut self.errors,
            Command::Warning => &mut self.warnings,
            Command::Notice => &mut self.notices,
        };
        let has_room = 0 < *left;
        *left = left.saturating_sub(1);
        has_room
    }
}

fn annotation(
    command: Command,
    place: Option<Place<'_>>,
    unit: &Unit,
    finding: &Finding,
) -> String {
    let mut properties = Vec::new();
    if let Some(Place { file, line }) = place {
        properties.push(format!("file={}", property(file)));
        properties.extend(line.map(|it| format!("line={it}")));
    }
    properties.push(format!("title={}", property(&on_one_line(&title(unit, finding)))));
    let mut lines = vec![finding.shown.as_str()];
    lines.extend(finding.says.iter().map(String::as_str));
    let because = format!("{}: {}", finding.level.title(), finding.because);
    lines.push(&because);
    format!("::{} {}::{}", command.name(), properties.join(","), data(&lines.join("\n")))
}

fn title(unit: &Unit, finding: &Finding) -> String {
    format!("{} in {}", finding.kind.name(), unit.title)
}

/// Returns a finding as a line of the log.
fn plain(report: &Report, unit: &Unit, finding: &Finding) -> String {
    let place = match place(report, unit, finding) {
        Some(Place { file, line: Some(line) }) => format!(" ({file}:{line})"),
        Some(Place { file, line: None }) => format!(" ({file})"),
        None => String::new(),
    };
    let text = format!("{}{place}: {}", title(unit, finding), finding.shown);
    // A command of the older form `##[name]` can begin anywhere in a line.
    on_one_line(&text).replace("##[", "## [")
}

/// Escapes the message of a command, as `escapeData` of GitHub's toolkit does.
fn data(text: &str) -> String {
    printable(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command, as `escapeProperty` of GitHub's toolkit does.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
