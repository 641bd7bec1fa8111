//! Units and modules in rows and columns.

use crate::diagnostic::Paint;
use crate::elixir;
use crate::test::coverage::{ModuleCoverage, Share, Why};
use crate::test::report::UnitReport;
use crate::test::unit::quoted;
use erlang::machine::SourceClause;
use std::fmt::Write;
use std::time::Duration;
use term::Atom;

/// A row for each unit: what was done, and why it ended.
pub(super) fn units(of: &[UnitReport], paint: Paint) -> String {
    let header =
        ["function", "runs", "paths", "clauses", "time", "stop", "losses"].map(str::to_owned);
    let row = |it: &UnitReport| {
        let report = &it.explored.report;
        let losses: usize = report.losses.values().sum();
        [
            it.unit.title(),
            report.n_runs.to_string(),
            it.explored.n_paths.to_string(),
            share(it.coverage.all),
            seconds(it.explored.elapsed),
            report.stop.name().to_owned(),
            if losses == 0 { "-".to_owned() } else { losses.to_string() },
        ]
    };
    let mut rows = vec![header];
    rows.extend(of.iter().map(row));
    let mut out = String::new();
    for (n, row) in rows.iter().enumerate() {
        let cells = row.iter().enumerate().map(|(column, text)| {
            let width = rows.iter().filter_map(|it| it.get(column)).map(|it| it.chars().count());
            let width = width.max().unwrap_or(0);
            // Names to the left, numbers to the right.
            if matches!(column, 0 | 5) {
                format!("{text:width$}")
            } else {
                format!("{text:>width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        let Paint { faint, off, .. } = paint;
        if n == 0 {
            writeln!(out, "{faint}{line}{off}").ok();
        } else {
            writeln!(out, "{line}").ok();
        }
    }
    for unit in of {
        for (what, count) in &unit.explored.report.losses {
            writeln!(out, "{}: not followed: {what} ({count})", unit.unit.title()).ok();
        }
    }
    out
}

/// Coverage of each module, and what was not reached and why.
pub(super) fn modules(of: &[ModuleCoverage], paint: Paint) -> String {
    let mut out = String::new();
    for module in of {
        let Paint { bold, off, .. } = paint;
        let name = module_name(&module.module);
        writeln!(out, "{bold}{name}{off}: {} clauses covered", share(module.all)).ok();
        let (away, missed): (Vec<_>, Vec<_>) = groups(&module.uncovered)
            .into_iter()
            .partition(|it| it.1.iter().all(|it| it.1 == Why::NotReachable));
        for (function, group) in missed {
            let lines: Vec<String> = group.iter().map(|it| it.0.line.to_string()).collect();
            let word = if lines.len() == 1 { "line" } else { "lines" };
            let why = group.first().map_or(Why::Unknown, |it| it.1);
            let Paint { faint, off, .. } = paint;
            writeln!(
                out,
                "  not covered: {function} {word} {} {faint}({}: {}){off}",
                lines.join(", "),
                why.name(),
                meaning(why)
            )
            .ok();
        }
        if !away.is_empty() {
            let shown: Vec<&str> = away.iter().map(|it| it.0.as_str()).take(MAX_AWAY).collect();
            let more = away.len() - shown.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let n_clauses: usize = away.iter().map(|it| it.1.len()).sum();
            let Paint { faint, off, .. } = paint;
            writeln!(
                out,
                "  not covered: {n_clauses} clauses of {}{more} {faint}({}: {}){off}",
                shown.join(", "),
                Why::NotReachable.name(),
                meaning(Why::NotReachable)
            )
            .ok();
        }
    }
    out
}

fn module_name(module: &Atom) -> String {
    if elixir::is_elixir(module) { elixir::alias(module) } else { quoted(module) }
}

/// Functions that are named although nothing tested calls them.
const MAX_AWAY: usize = 5;

/// Neighbours of the same function that have the same reason.
fn groups(of: &[(SourceClause, Why)]) -> Vec<(String, &[(SourceClause, Why)])> {
    let key = |it: &(SourceClause, Why)| (it.0.function.clone(), it.0.arity, it.1);
    of.chunk_by(|left, right| key(left) == key(right))
        .filter_map(|group| {
            let first = &group.first()?.0;
            Some((format!("{}/{}", quoted(&first.function), first.arity), group))
        })
        .collect()
}

fn meaning(why: Why) -> &'static str {
    match why {
        Why::Unsatisfiable => "no input leads there",
        Why::Unknown => "the solver or the machine could not follow",
        Why::NotTried => "the budget ended first",
        Why::NotReachable => "no tested function calls it",
    }
}

fn share(of: Share) -> String {
    let Share { covered, total } = of;
    match (covered * 100).checked_div(total) {
        Some(percent) => format!("{covered}/{total} {percent}%"),
        None => "-".to_owned(),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
