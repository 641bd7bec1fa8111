//! Markdown in GitHub's dialect: a comment in a pull request or the summary of a job.
//!
//! Findings are folded, the most important first. GitHub refuses a comment of more than 65,536 characters, so findings
//! without room are only counted. Text from terms is escaped by [`safe`].

mod safe;

use super::place::{Place, place};
use super::text::{notes, snippet};
use super::{Format, View};
use crate::data::{Module, Report, Unit};
use crate::finding::Finding;
use crate::paint::Colours;
use crate::rank::{Ranked, ranked};
use crate::summary::{Summary, count};
use safe::{block, code, prose};
use std::fmt::Write as _;
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "markdown", about: "a comment in a pull request, or a summary of a job", write };

/// GitHub's limit, with room for the last note, in bytes. A text has at most as many characters as bytes.
const MAX_BYTES: usize = 65_000;
/// How many units have a row for their refusals.
const MAX_REFUSALS: usize = 20;
/// How many modules have a row: those with the most uncovered clauses.
const MAX_MODULES: usize = 30;
/// The maximal size of a command that is shown, in bytes.
const MAX_COMMAND: usize = 1000;
/// How many units with errors of the tool are named.
const MAX_TROUBLES: usize = 10;

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let ranked = ranked(report);
    let head = head(report, &Summary::of(report));
    let tail = format!("{}{}{}", refusals(&ranked), modules(report), tests(report));
    let room = MAX_BYTES.saturating_sub(head.len() + tail.len());
    let findings = findings(report, &ranked, room);
    out.write_all([head, findings, tail].concat().trim_end().as_bytes())?;
    writeln!(out)
}

/// Returns the headline, the counts, and errors of the run itself. The comment in front lets scripts find and replace
/// the comment of the previous run.
fn head(report: &Report, summary: &Summary) -> String {
    let name = prose(&report.tool.name);
    let mut out = format!("<!-- gimlet -->\n## {name}: {}\n\n", prose(&summary.headline()));
    if report.interrupted {
        let units = count(summary.n_untried, "unit was", "units were");
        writeln!(out, "**Interrupted:** {units} not tried.\n").ok();
    }
    let clauses = match summary.clauses.percent() {
        Some(percent) => format!("{percent}%"),
        None => "–".to_owned(),
    };
    let cells = [
        ("broken promises", summary.n_promises.to_string()),
        ("suspicious", summary.n_suspicious.to_string()),
        ("depend on the schedule", summary.n_races.to_string()),
        ("refused inputs", summary.n_refusals.to_string()),
        ("known", summary.n_known.to_string()),
        ("ignored", summary.n_ignored.to_string()),
        ("confirmed", format!("{} of {}", summary.n_confirmed, summary.n_all)),
        ("clauses covered", clauses),
    ];
    writeln!(out, "{}", row(cells.iter().map(|it| it.0.to_owned()))).ok();
    writeln!(out, "{}", row(cells.iter().map(|_| "--:".to_owned()))).ok();
    writeln!(out, "{}\n", row(cells.iter().map(|it| it.1.clone()))).ok();
    let troubled = || report.units.iter().filter_map(|it| Some((it, it.trouble.as_ref()?)));
    for (unit, trouble) in troubled().take(MAX_TROUBLES) {
        writeln!(out, "- Not explored to its end: {}: {}", code(&unit.title), prose(trouble)).ok();
    }
    let n_more = troubled().count().saturating_sub(MAX_TROUBLES);
    if 0 < n_more {
        writeln!(out, "- … and {}", count(n_more, "more unit", "more units")).ok();
    }
    if troubled().next().is_some() {
        out.push('\n');
    }
    out
}

/// Returns as many findings as there is room for.
fn findings(report: &Report, ranked: &Ranked<'_>, room: usize) -> String {
    let mut out = String::new();
    for (n, (unit, finding)) in ranked.shown.iter().enumerate() {
        let text = fold(&title(report, unit, finding), &body(report, unit, finding));
        if room < out.len() + text.len() {
            let more = count(ranked.shown.len() - n, "more finding", "more findings");
            writeln!(out, "… and {more}; there is no room for them here.\n").ok();
            break;
        }
        out.push_str(&text);
    }
    out
}

/// Returns the text that is visible while the finding is folded.
fn title(report: &Report, unit: &Unit, finding: &Finding) -> String {
    let place = match place(report, unit, finding) {
        Some(Place { file, line: Some(line) }) => {
            format!(" at {}", code(&format!("{file}:{line}")))
        }
        Some(Place { file, line: None }) => format!(" in {}", code(file)),
        None => String::new(),
    };
    format!("<b>{}</b> in {}{place}", finding.kind.name(), code(&unit.title))
}

/// Returns the call, the outcome, the place, the path to it, and why it matters.
fn body(report: &Report, unit: &Unit, finding: &Finding) -> String {
    let language = report.language(&unit.language);
    let call = format!("{}{}{}", language.prompt, finding.shown, language.end);
    let mut out = block(&language.name, &call);
    if !finding.says.is_empty() {
        out.push_str(&block("", &finding.says.join("\n")));
    }
    if let Some(snippet) = snippet(report, finding) {
        out.push_str(&block("", &snippet.render(Colours::Off)));
    }
    if let Some(schedule) = &finding.schedule {
        let lines: Vec<&str> = schedule.lines().map(String::as_str).collect();
        out.push_str(&block("", &lines.join("\n")));
    }
    for note in notes(finding, &language.runtime) {
        writeln!(out, "- {}", prose(&note)).ok();
    }
    writeln!(out, "- Id: {}\n", code(&finding.id)).ok();
    if !finding.reached.is_empty() {
        let step = |it: &crate::Reached| match (&it.file, it.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: {}", it.what),
            (Some(_) | None, _) => it.what.clone(),
        };
        let steps: Vec<String> = finding.reached.iter().map(step).collect();
        write!(out, "How it gets there:\n\n{}", block("", &steps.join("\n"))).ok();
    }
    if let Some(test) = &finding.test {
        write!(out, "A test that shows it:\n\n{}", block(&language.name, test)).ok();
    }
    out
}

/// Returns a table of the units that refuse inputs.
fn refusals(ranked: &Ranked<'_>) -> String {
    if ranked.folded.is_empty() {
        return String::new();
    }
    let mut table = "| refused by | kinds of input | for example |\n|---|--:|---|\n".to_owned();
    for (unit, findings) in ranked.folded.iter().take(MAX_REFUSALS) {
        let example = findings.first().map_or("", |it| it.shown.as_str());
        let cells = [code(&unit.title), findings.len().to_string(), code(example)];
        writeln!(table, "{}", row(cells.into_iter())).ok();
    }
    table.push('\n');
    let n_more = ranked.folded.len().saturating_sub(MAX_REFUSALS);
    if 0 < n_more {
        writeln!(table, "… and by {}.\n", count(n_more, "other", "others")).ok();
    }
    let n_kinds = ranked.folded.iter().map(|it| it.1.len()).sum();
    fold(&count(n_kinds, "refused kind of input", "refused kinds of input"), &table)
}

/// Returns the coverage of the modules with the most uncovered clauses.
fn modules(report: &Report) -> String {
    if report.modules.is_empty() {
        return String::new();
    }
    let mut modules: Vec<&Module> = report.modules.iter().collect();
    modules
        .sort_by_key(|it| std::cmp::Reverse(it.clauses.total.saturating_sub(it.clauses.covered)));
    let mut table = "| module | clauses | covered |\n|---|--:|--:|\n".to_owned();
    for module in modules.iter().take(MAX_MODULES) {
        let clauses = module.clauses;
        let percent = clauses.percent().map_or("–".to_owned(), |it| format!("{it}%"));
        let cells =
            [code(&module.title), format!("{}/{}", clauses.covered, clauses.total), percent];
        writeln!(table, "{}", row(cells.into_iter())).ok();
    }
    table.push('\n');
    let n_more = modules.len().saturating_sub(MAX_MODULES);
    if 0 < n_more {
        let others = count(n_more, "other module has", "other modules have");
        writeln!(table, "{others} fewer clauses left.\n").ok();
    }
    let of = count(modules.len(), "module", "modules");
    fold(&format!("Coverage of {of}"), &table)
}

/// Returns the command that runs the written tests. A command is never cut, since a part of it could do something else.
fn tests(report: &Report) -> String {
    let command = report.written.iter().find_map(|it| it.run_with.as_ref());
    let command = command.filter(|it| it.len() < MAX_COMMAND);
    command.map_or(String::new(), |it| format!("Run the tests with:\n\n{}", block("sh", it)))
}

/// Returns a title that unfolds its content. Markdown in the content is recognised only after an empty line.
fn fold(title: &str, content: &str) -> String {
    format!("<details>\n<summary>{title}</summary>\n\n{content}</details>\n\n")
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}
