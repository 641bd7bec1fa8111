//! The report for people: findings that can be pasted, then what was done, then what is left.

use crate::diagnostic::{Colours, Paint, Place};
use crate::elixir;
use crate::exception::exception_text;
use crate::test::contract::Contract;
use crate::test::explore::{Explored, MAX_REDUCTIONS};
use crate::test::finding::{Confirmation, Finding, Kind, used_up};
use crate::test::report::{Report, UnitReport, id_of, table};
use crate::test::schedules::leftover::Unreceived;
use crate::test::unit::UnitName;
use std::fmt::Write;
use std::fs;
use term::{Atom, Style, print};
use trace::Outcome;

pub(crate) fn text(report: &Report, colours: Colours) -> String {
    let mut page = Page { out: String::new(), paint: Paint::new(colours), colours };
    let modules: Vec<Atom> = report.modules.iter().map(|it| it.module.clone()).collect();
    let mut findings: Vec<(&UnitReport, &Finding)> = report
        .units
        .iter()
        .flat_map(|unit| unit.explored.findings.iter().map(move |it| (unit, it)))
        .collect();
    findings.sort_by_key(|it| it.1.kind);
    for (unit, finding) in &findings {
        page.finding(unit, finding, &modules);
    }
    report.units.iter().for_each(|it| page.unreceived(it));
    page.out.push_str(&table::units(&report.units, page.paint));
    page.out.push('\n');
    page.out.push_str(&table::modules(&report.modules, page.paint));
    page.out.push('\n');
    page.summary(report, &findings);
    page.out
}

struct Page {
    out: String,
    paint: Paint,
    colours: Colours,
}

impl Page {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").ok();
    }

    fn finding(&mut self, unit: &UnitReport, finding: &Finding, modules: &[Atom]) {
        let Paint { error, warning, bold, faint, off, .. } = self.paint;
        let is_information = matches!(finding.kind, Kind::Rejected | Kind::Race);
        let colour = if is_information { warning } else { error };
        let id = id_of(&unit.unit, &finding.input.args);
        let kind = finding.kind.name();
        self.line(format_args!(
            "{colour}{kind}{off} in {bold}{}{off} {faint}{id}{off}",
            unit.unit.title()
        ));
        self.line(format_args!("  {bold}{}{off}", unit.unit.shown(&finding.input.args)));
        end(unit, finding).lines().for_each(|it| self.line(format_args!("  {it}")));
        if let Some(place) = source(finding, modules) {
            let shown = place.render(self.colours);
            shown.lines().for_each(|it| self.line(format_args!("  {it}")));
        }
        if let Some(schedule) = &finding.schedule {
            schedule.lines().for_each(|it| self.line(format_args!("  {it}")));
        }
        for note in notes(&unit.unit, &unit.contract, finding) {
            self.line(format_args!("  {faint}={off} {note}"));
        }
        self.out.push('\n');
    }

    /// Messages that were sent in vain.
    fn unreceived(&mut self, unit: &UnitReport) {
        let Paint { warning, bold, off, .. } = self.paint;
        let Explored { unreceived, report, .. } = &unit.explored;
        if unreceived.is_empty() {
            return;
        }
        let title = unit.unit.title();
        self.line(format_args!("{warning}never received{off} in {bold}{title}{off}"));
        for it in unreceived {
            let Unreceived { from, to, message, n_runs, .. } = it;
            let of = count(report.n_runs, "schedule", "schedules");
            self.line(format_args!("  {message} of {from} to {to}, in {n_runs} of {of}"));
        }
        self.out.push('\n');
    }

    fn summary(&mut self, report: &Report, findings: &[(&UnitReport, &Finding)]) {
        let Paint { error, good, warning, off, .. } = self.paint;
        let n_units = report.units.len();
        let n_rejected = findings.iter().filter(|it| it.1.kind == Kind::Rejected).count();
        let n_races = findings.iter().filter(|it| it.1.kind == Kind::Race).count();
        let n_found = findings.len() - n_rejected - n_races;
        let n_confirmed = findings.iter().filter(|it| it.1.is_confirmed()).count();
        let mut units: Vec<&UnitName> =
            findings.iter().filter(|it| is_found(it.1)).map(|it| &it.0.unit).collect();
        units.dedup();
        units.sort();
        units.dedup();
        let functions = count(n_units, "function", "functions");
        if n_found == 0 {
            let is_all = report.units.iter().all(UnitReport::is_complete);
            let tried = if is_all { "all paths were tried" } else { "not all paths were tried" };
            self.line(format_args!("{good}nothing found{off} in {functions}; {tried}"));
        } else {
            let found = count(n_found, "finding", "findings");
            self.line(format_args!("{error}{found}{off} in {} of {functions}", units.len()));
        }
        if n_rejected > 0 {
            let kinds = count(n_rejected, "kind of input is", "kinds of input are");
            self.line(format_args!(
                "{warning}{kinds}{off} refused by a function's own clauses; --strict counts them"
            ));
        }
        if !findings.is_empty() {
            self.line(format_args!("{n_confirmed} of {} confirmed on BEAM", findings.len()));
        }
        let n_diverged: usize = report.units.iter().map(|it| it.explored.report.n_diverged).sum();
        if n_diverged > 0 {
            let runs = count(n_diverged, "run", "runs");
            self.line(format_args!("{runs} did not take the way that their input was made for"));
        }
    }
}

fn is_found(finding: &Finding) -> bool {
    !matches!(finding.kind, Kind::Rejected | Kind::Race)
}

pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn end(unit: &UnitReport, finding: &Finding) -> String {
    let is_elixir = elixir::is_elixir(&unit.unit.module);
    match &finding.outcome {
        Outcome::Crash { class, reason, trace } if is_elixir => {
            elixir::exception_text(class.as_str(), reason, trace)
        }
        Outcome::Crash { class, reason, trace } => exception_text(class.as_str(), reason, trace),
        Outcome::Value(value) if is_elixir => format!("returns {}", elixir::term(value)),
        Outcome::Value(value) => format!("returns {}", print(value, Style::TP)),
        Outcome::Deadlock => "waits for a message that nobody sends".to_owned(),
        Outcome::Stopped(why) => match used_up(why) {
            Some("reductions") => {
                format!("does not end: {MAX_REDUCTIONS} function calls were not enough")
            }
            Some(budget) => format!("does not end: it has no bound on its {budget}"),
            None => why.clone(),
        },
    }
}

/// The line of the source, if the source is there.
fn source(finding: &Finding, modules: &[Atom]) -> Option<Place> {
    let (file, line) = finding.place(modules)?;
    let line = usize::try_from(line).ok()?;
    let text = fs::read_to_string(&file).ok()?.lines().nth(line.checked_sub(1)?)?.to_owned();
    let column = text.chars().take_while(|it| it.is_whitespace()).count() + 1;
    let n_chars = text.trim().chars().count();
    // A tab would shift the marks.
    let text = text.replace('\t', " ");
    Some(Place { origin: file, line, column, text, n_chars, label: String::new() })
}

/// Why it counts, how often it was seen, and what BEAM says.
fn notes(unit: &UnitName, contract: &Contract, finding: &Finding) -> Vec<String> {
    let why = match finding.kind {
        Kind::Crash if contract.allows(&finding.input) => "the spec allows this input".to_owned(),
        Kind::Crash => "nobody catches this exception".to_owned(),
        Kind::Rejected if contract.signature.is_some() => {
            "the spec does not allow this input".to_owned()
        }
        Kind::Rejected => {
            format!("no clause of {} takes it, and no spec says that one should", unit.title())
        }
        Kind::Spec => finding.complaint.clone().unwrap_or_default(),
        Kind::Property => "a property must return true".to_owned(),
        Kind::Timeout => "it may run forever".to_owned(),
        Kind::Deadlock => "nobody can go on".to_owned(),
        Kind::Race => finding.complaint.clone().unwrap_or_default(),
    };
    let mut res = vec![why];
    if finding.count > 1 {
        let ends = if finding.schedule.is_some() {
            format!("{} runs end like this; this one has the fewest switches", finding.count)
        } else {
            format!("{} paths end like this; this is the smallest input", finding.count)
        };
        res.push(ends);
    }
    res.push(match &finding.confirmation {
        Confirmation::Confirmed => "confirmed on BEAM".to_owned(),
        Confirmation::Unconfirmed(why) => format!("not confirmed: {why}"),
    });
    res
}
