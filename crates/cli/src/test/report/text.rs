//! The report for people: findings that can be pasted, then what was done, then what is left.

use crate::exception::exception_text;
use crate::test::coverage::Share;
use crate::test::finding::{Confirmation, Finding, Kind};
use crate::test::report::{Report, UnitReport, id_of};
use crate::test::unit::UnitName;
use std::fmt::Write;
use term::{Style, print};
use trace::Outcome;

pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    for unit in &report.units {
        for finding in &unit.explored.findings {
            show_finding(&mut out, &unit.unit, finding);
        }
    }
    for unit in &report.units {
        show_unit(&mut out, unit);
    }
    for module in &report.modules {
        writeln!(
            out,
            "{}: {} of {} clauses",
            module.module.as_str(),
            module.all.covered,
            module.all.total
        )
        .ok();
        for (clause, why) in &module.uncovered {
            writeln!(
                out,
                "  {}/{} line {}: {}",
                clause.function.as_str(),
                clause.arity,
                clause.line,
                why.name()
            )
            .ok();
        }
    }
    out
}

fn show_finding(out: &mut String, unit: &UnitName, finding: &Finding) {
    writeln!(
        out,
        "{}: {}  [{}]",
        finding.kind.name(),
        unit.call(&finding.input.args),
        id_of(unit, &finding.input.args)
    )
    .ok();
    let end = match &finding.outcome {
        Outcome::Crash { class, reason, trace } => exception_text(class.as_str(), reason, trace),
        Outcome::Value(value) => format!("returns {}", print(value, Style::TW)),
        Outcome::Deadlock => "waits forever".to_owned(),
        Outcome::Stopped(why) => why.clone(),
    };
    for line in end.lines() {
        writeln!(out, "    {line}").ok();
    }
    if let Confirmation::Unconfirmed(why) = &finding.confirmation {
        writeln!(out, "    not confirmed: {why}").ok();
    }
    if finding.kind == Kind::Rejected {
        writeln!(out, "    the function's own clauses refuse it; no spec allows it").ok();
    }
    writeln!(out).ok();
}

fn show_unit(out: &mut String, of: &UnitReport) {
    let Share { covered, total } = of.coverage.all;
    let report = &of.explored.report;
    writeln!(
        out,
        "{}: {} runs, {} paths, {covered}/{total} clauses, {} ms, {}",
        of.unit,
        report.n_runs,
        report.tests.len(),
        of.explored.elapsed.as_millis(),
        report.stop.name()
    )
    .ok();
}
