//! Text for a terminal: findings that can be pasted into a shell, then what was done and what is left, and a summary at
//! the end that fits on a screen whatever the size of the project.

mod tables;

use super::{Detail, Format, View};
use crate::data::{Chosen, Report, Test, Unit, WrittenKind};
use crate::finding::{Finding, Kind, Level};
use crate::page::visible;
use crate::paint::{Colours, Paint};
use crate::rank::{Ranked, ranked};
use crate::snippet::Snippet;
use crate::summary::{Summary, count};
use std::fmt::Write as _;
use std::io;

pub(super) const FORMAT: Format =
    Format { name: "text", about: "for people, on a terminal", write };

/// How many findings are shown one by one, unless everything is asked for.
const MAX_FINDINGS: usize = 50;
/// How many units have a line for their refusals, unless everything is asked for.
const MAX_FOLDED: usize = 20;
/// How many other units are named that lead to the same cause.
const MAX_THROUGH: usize = 4;
/// How many goals are listed with their answers, unless everything is asked for.
const MAX_TESTS: usize = 60;
/// How many commands that run written tests are shown; there is one for each kind of test.
const MAX_COMMANDS: usize = 4;

fn write(report: &Report, view: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let page = Page { report, view: *view, paint: Paint::new(view.colours), out: String::new() };
    out.write_all(page.render().as_bytes())
}

struct Page<'r> {
    report: &'r Report,
    view: View,
    paint: Paint,
    out: String,
}

impl Page<'_> {
    fn render(mut self) -> String {
        let ranked = ranked(self.report);
        self.findings(&ranked);
        self.refusals(&ranked);
        self.report.units.iter().for_each(|it| self.unreceived(it));
        self.out.push_str(&tables::units(self.report, self.view.detail, self.paint));
        self.tests();
        self.out.push_str(&tables::modules(self.report, self.view.detail, self.paint));
        self.out.push('\n');
        self.summary(&ranked);
        self.out
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").ok();
    }

    fn findings(&mut self, ranked: &Ranked<'_>) {
        let most = if self.is_everything() { usize::MAX } else { MAX_FINDINGS };
        for (unit, finding) in ranked.shown.iter().take(most) {
            self.finding(unit, finding);
        }
        let more = ranked.shown.len().saturating_sub(most);
        if 0 < more {
            self.line(format_args!("… and {} like these\n", count(more, "finding", "findings")));
        }
    }

    fn is_everything(&self) -> bool {
        self.view.detail == Detail::Everything
    }

    fn finding(&mut self, unit: &Unit, finding: &Finding) {
        let Paint { error, warning, bold, faint, off, .. } = self.paint;
        let is_quiet = finding.level == Level::Refusal || finding.kind == Kind::Race;
        let colour = if is_quiet { warning } else { error };
        let (kind, title, id) = (finding.kind.name(), &unit.title, &finding.id);
        self.line(format_args!("{colour}{kind}{off} in {bold}{title}{off} {faint}{id}{off}"));
        let language = self.report.language(&unit.language);
        self.line(format_args!(
            "  {bold}{}{}{}{off}",
            language.prompt,
            visible(&finding.shown),
            language.end
        ));
        finding.says.iter().for_each(|it| self.line(format_args!("  {}", visible(it))));
        if let Some(snippet) = snippet(self.report, finding) {
            let shown = snippet.render(self.view.colours);
            shown.lines().for_each(|it| self.line(format_args!("  {it}")));
        } else if let (Some(file), Some(line)) = (&finding.file, finding.line) {
            self.line(format_args!("  {faint}at{off} {file}:{line}"));
        }
        if let Some(schedule) = &finding.schedule {
            schedule.lines().for_each(|it| self.line(format_args!("  {}", visible(it))));
        }
        for note in notes(finding, &language.runtime) {
            self.line(format_args!("  {faint}={off} {}", visible(&note)));
        }
        self.out.push('\n');
    }

    /// Writes one line for each unit that refuses inputs, or all refusals if these are asked for.
    fn refusals(&mut self, ranked: &Ranked<'_>) {
        let Paint { warning, bold, off, .. } = self.paint;
        if self.view.detail != Detail::Folded {
            for (unit, findings) in &ranked.folded {
                findings.iter().for_each(|it| self.finding(unit, it));
            }
            return;
        }
        for (unit, findings) in ranked.folded.iter().take(MAX_FOLDED) {
            let kinds = count(findings.len(), "kind of input", "kinds of input");
            let example = findings.first().map_or("", |it| it.shown.as_str());
            let title = &unit.title;
            let example = visible(&cut(example));
            self.line(format_args!(
                "{warning}refused{off} by {bold}{title}{off}: {kinds}, for example {example}"
            ));
        }
        let more = ranked.folded.len().saturating_sub(MAX_FOLDED);
        if 0 < more {
            self.line(format_args!("… and by {}", count(more, "other", "others")));
        }
        if !ranked.folded.is_empty() {
            self.out.push('\n');
        }
    }

    /// Writes the messages that were never received.
    fn unreceived(&mut self, unit: &Unit) {
        let Paint { warning, bold, off, .. } = self.paint;
        if unit.unreceived.is_empty() {
            return;
        }
        let title = &unit.title;
        self.line(format_args!("{warning}never received{off} in {bold}{title}{off}"));
        for it in &unit.unreceived {
            let of = count(unit.runs, "schedule", "schedules");
            let (message, from, to, n) = (visible(&it.message), &it.from, &it.to, it.schedules);
            self.line(format_args!("  {message} of {from} to {to}, in {n} of {of}"));
        }
        self.out.push('\n');
    }

    /// Writes goals with their answers, for languages with answers.
    fn tests(&mut self) {
        let Paint { faint, off, .. } = self.paint;
        let report = self.report;
        let with_answers = report.units.iter().flat_map(|unit| {
            let tests = unit.tests.iter().filter(|it| it.bindings.is_some());
            tests.map(move |it| (unit, it))
        });
        let most = if self.is_everything() { usize::MAX } else { MAX_TESTS };
        let n_all = with_answers.clone().count();
        for (unit, test) in with_answers.take(most) {
            let language = report.language(&unit.language);
            let call = whole(&test.setup, &test.call);
            let (call, answer) = (visible(&call), visible(&answer(test)));
            let (prompt, end) = (&language.prompt, &language.end);
            self.line(format_args!("{faint}{prompt}{off}{call}{end}  {faint}%{off} {answer}"));
            self.path(&test.path);
        }
        if most < n_all {
            self.line(format_args!("… and {} more", n_all - most));
        }
        if 0 < n_all {
            self.out.push('\n');
        }
    }

    /// Writes the path constraint of a test, and the alternatives of its choices.
    fn path(&mut self, path: &[Chosen]) {
        let Paint { faint, off, .. } = self.paint;
        let mut all: Vec<&str> = Vec::new();
        for it in path.iter().filter(|it| !it.holds.is_empty()) {
            if !all.contains(&it.holds.as_str()) {
                all.push(&it.holds);
            }
        }
        if !all.is_empty() {
            let whole = visible(&all.join(", "));
            self.line(format_args!("   {faint}path condition:{off} {whole}"));
        }
        for Chosen { at, holds, others, .. } in path {
            let at = if at.is_empty() { "in a library" } else { at };
            let (holds, others) = (visible(holds), visible(&others.join(" | ")));
            self.line(format_args!("   {faint}{at}:{off} {holds}  {faint}or{off} {others}"));
        }
    }

    fn summary(&mut self, ranked: &Ranked<'_>) {
        let Paint { error, good, faint, off, .. } = self.paint;
        let summary = Summary::of(self.report);
        let colour = if summary.n_found == 0 { good } else { error };
        if self.report.interrupted {
            self.line(format_args!("interrupted: this is what was found until then"));
        }
        self.line(format_args!("{colour}{}{off}", summary.headline()));
        summary.details().iter().for_each(|it| self.line(format_args!("{it}")));
        self.written();
        let mut more = Vec::new();
        let is_cut = MAX_FINDINGS < ranked.shown.len() || MAX_FOLDED < ranked.folded.len();
        let is_long = tables::is_cut(self.report);
        if (is_cut || is_long) && !self.is_everything() {
            more.push("--verbose shows everything");
        }
        let has_page = self.report.written.iter().any(|it| it.path.ends_with(".html"));
        if !has_page {
            more.push("--report html=FILE writes a page to look through");
        }
        if !more.is_empty() {
            self.line(format_args!("{faint}more: {}{off}", more.join("; ")));
        }
    }

    /// Writes which files were written, and how to run the tests.
    fn written(&mut self) {
        let report = self.report;
        let of = |kind: WrittenKind| report.written.iter().filter(move |it| it.kind == kind);
        let reports: Vec<&str> = of(WrittenKind::Report).map(|it| it.path.as_str()).collect();
        if !reports.is_empty() {
            self.line(format_args!("report: {}", reports.join(", ")));
        }
        let tests: Vec<&str> = of(WrittenKind::Tests).map(|it| it.path.as_str()).collect();
        if let Some((first, rest)) = tests.split_first() {
            let more = match rest.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            self.line(format_args!("tests: {first}{more}"));
        }
        let mut commands = Vec::new();
        for command in of(WrittenKind::Tests).filter_map(|it| it.run_with.as_ref()) {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        for command in commands.iter().take(MAX_COMMANDS) {
            self.line(format_args!("run them with: {command}"));
        }
        if let more @ 1.. = commands.len().saturating_sub(MAX_COMMANDS) {
            self.line(format_args!("… and {more} more in the JSON report"));
        }
    }
}

/// Returns the failing line, if its source is known.
pub(super) fn snippet(report: &Report, finding: &Finding) -> Option<Snippet> {
    let (file, line) = (finding.file.as_ref()?, finding.line?);
    let text = report.source_line(file, line)?;
    Some(Snippet::of_line(file, usize::try_from(line).ok()?, text))
}

/// Returns the notes on a finding: why it matters, how often it was seen, and whether the real runtime agrees.
pub(super) fn notes(finding: &Finding, runtime: &str) -> Vec<String> {
    let mut res = vec![format!("{}: {}", finding.level.title(), finding.because)];
    res.extend(finding.why.iter().filter(|it| **it != finding.because).cloned());
    if let Some((first, rest)) = finding.also_through.split_first() {
        let more = rest.iter().take(MAX_THROUGH - 1).fold(first.clone(), |all, it| all + ", " + it);
        let n_more = finding.also_through.len().saturating_sub(MAX_THROUGH);
        let others = if n_more == 0 { String::new() } else { format!(" and {n_more} more") };
        res.push(format!("also through {more}{others}"));
    }
    if finding.count > 1 {
        let ends = if finding.schedule.is_some() {
            format!("{} runs end like this; this one has the fewest switches", finding.count)
        } else {
            format!("{} paths end like this; this is the smallest input", finding.count)
        };
        res.push(ends);
    }
    res.push(match &finding.unconfirmed_because {
        None if finding.confirmed => format!("confirmed on {runtime}"),
        None => "not confirmed".to_owned(),
        Some(why) => format!("not confirmed: {why}"),
    });
    res
}

/// Returns the goals of the setup and the goal itself as one goal that can be pasted.
fn whole(setup: &[String], call: &str) -> String {
    let setup: String = setup.iter().map(|it| format!("once({it}), ")).collect();
    format!("{setup}{call}")
}

/// Returns the answer to a goal on one line.
pub(super) fn answer(test: &Test) -> String {
    match test.outcome.as_str() {
        "false" => return "false".to_owned(),
        "throws" => return format!("throws {}", test.term.as_deref().unwrap_or_default()),
        _ => {}
    }
    let pairs = test.bindings.iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(name, value)| format!("{name} = {}", value.as_str().unwrap_or(""))).collect();
    let first = if pairs.is_empty() { "true".to_owned() } else { pairs.join(", ") };
    let n_more = test.answers.as_ref().map_or(0, Vec::len).saturating_sub(1);
    match (n_more, test.more == Some(true)) {
        (0, false) => first,
        (n, false) => format!("{first}  ; {n} more"),
        (_, true) => format!("{first}  ; ..."),
    }
}

/// The maximal length of an example within a line, in characters.
const MAX_EXAMPLE: usize = 80;

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_EXAMPLE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

impl From<Colours> for View {
    fn from(colours: Colours) -> View {
        View { colours, ..View::default() }
    }
}
