//! Tables of units and modules.

use crate::data::{Module, Report, Share, Source, Unit, Why};
use crate::formats::Detail;
use crate::paint::Paint;
use crate::summary::count;
use std::fmt::Write;

/// With more units than this there is no table of units, unless everything is asked for.
const MAX_UNITS: usize = 40;
/// How many modules have a row, unless everything is asked for: those with the most uncovered clauses.
const MAX_MODULES: usize = 20;
/// Up to this many modules, all uncovered clauses are listed.
const MAX_LISTED: usize = 3;
/// The maximal number of lines of that list.
const MAX_UNCOVERED: usize = 25;
/// How many functions are named that no tested unit calls.
const MAX_AWAY: usize = 5;

/// Whether the report is too large for all rows to be shown.
pub(super) fn is_cut(report: &Report) -> bool {
    MAX_UNITS < report.units.len() || MAX_LISTED < report.modules.len()
}

/// Returns the table of units: what was done, and why it ended.
pub(super) fn units(report: &Report, detail: Detail, paint: Paint) -> String {
    let mut out = String::new();
    if MAX_UNITS < report.units.len() && detail != Detail::Everything {
        return out;
    }
    let has_entered = report.units.iter().any(|it| it.coverage.clauses.entered.is_some());
    let word = report.units.first().map(|it| report.language(&it.language).unit);
    let word = word.filter(|it| !it.is_empty()).unwrap_or_else(|| "function".to_owned());
    let mut header = vec![word, "runs".into(), "paths".into(), "clauses".into()];
    if has_entered {
        header.push("entered".to_owned());
    }
    header.extend(["time", "stop", "losses"].map(str::to_owned));
    let row = |it: &Unit| {
        let losses: usize = it.losses.iter().map(|it| it.count).sum();
        let mut row = vec![
            it.title.clone(),
            it.runs.to_string(),
            it.paths.to_string(),
            share(it.coverage.clauses),
        ];
        if has_entered {
            row.push(it.coverage.clauses.entered.map_or("-".to_owned(), |it| it.to_string()));
        }
        row.push(seconds(it.elapsed_ms));
        row.push(it.stop.name().to_owned());
        row.push(if losses == 0 { "-".to_owned() } else { losses.to_string() });
        row
    };
    let stop = header.len() - 2;
    let rows: Vec<Vec<String>> = report.units.iter().map(row).collect();
    table(&mut out, &header, &rows, &[0, stop], paint);
    for unit in &report.units {
        if detail == Detail::Everything && !unit.sources.is_empty() {
            let of = |it: &Source| format!("{} {} of {}", it.source, it.news, it.runs);
            let all: Vec<String> = unit.sources.iter().map(of).collect();
            writeln!(out, "{}: runs with news, by source: {}", unit.title, all.join(", ")).ok();
        }
        for loss in &unit.losses {
            writeln!(out, "{}: not followed: {} ({})", unit.title, loss.what, loss.count).ok();
        }
    }
    out.push('\n');
    out
}

/// Returns the coverage of each module, and what was not reached and why.
pub(super) fn modules(report: &Report, detail: Detail, paint: Paint) -> String {
    let mut out = String::new();
    let is_everything = detail == Detail::Everything;
    if report.modules.len() <= MAX_LISTED || is_everything {
        report.modules.iter().for_each(|it| listed(&mut out, report, it, detail, paint));
        return out;
    }
    let mut modules: Vec<&Module> = report.modules.iter().collect();
    modules
        .sort_by_key(|it| std::cmp::Reverse(it.clauses.total.saturating_sub(it.clauses.covered)));
    let n_more = modules.len().saturating_sub(MAX_MODULES);
    modules.truncate(MAX_MODULES);
    let header = ["module", "units", "findings", "clauses"].map(str::to_owned);
    let row = |module: &&Module| {
        let units = || report.units.iter().filter(|it| it.module == module.module);
        let n_findings: usize = units().map(|it| it.findings.len()).sum();
        let (n_units, clauses) = (units().count(), share(module.clauses));
        vec![module.title.clone(), n_units.to_string(), n_findings.to_string(), clauses]
    };
    let rows: Vec<Vec<String>> = modules.iter().map(row).collect();
    table(&mut out, &header, &rows, &[0], paint);
    let all = report.modules.iter().fold(Share::default(), |all, it| Share {
        covered: all.covered + it.clauses.covered,
        total: all.total + it.clauses.total,
        entered: None,
    });
    if 0 < n_more {
        let others = count(n_more, "other module has", "other modules have");
        writeln!(out, "{others} fewer clauses left").ok();
    }
    let of = count(report.modules.len(), "module", "modules");
    writeln!(out, "{} clauses covered in {of}", share(all)).ok();
    out
}

/// Writes a module with its uncovered clauses.
fn listed(out: &mut String, report: &Report, module: &Module, detail: Detail, paint: Paint) {
    let Paint { bold, faint, off, .. } = paint;
    let covered = report.language(&module.language).covered;
    let covered = if covered.is_empty() { "covered".to_owned() } else { covered };
    let entered = match module.clauses.entered {
        Some(n) => format!(", {n} entered"),
        None => String::new(),
    };
    let title = &module.title;
    let branches = match module.branches {
        Some(of) => format!(", {} branches", share(of)),
        None => String::new(),
    };
    let clauses = share(module.clauses);
    writeln!(out, "{bold}{title}{off}: {clauses} clauses {covered}{entered}{branches}").ok();
    let (away, missed): (Vec<_>, Vec<_>) =
        groups(module).into_iter().partition(|it| it.why == Why::NotReachable);
    let most = if detail == Detail::Everything { usize::MAX } else { MAX_UNCOVERED };
    for group in missed.iter().take(most) {
        let Group { what, why } = group;
        let (name, meaning) = (why.name(), why.meaning());
        writeln!(out, "  not covered: {what} {faint}({name}: {meaning}){off}").ok();
    }
    if most < missed.len() {
        writeln!(out, "  not covered: {} more", missed.len() - most).ok();
    }
    for it in module.uncovered_branches.iter().take(most) {
        let clause = it.clause.map_or(String::new(), |n| format!("clause {n} of "));
        let place = format!("{}:{}: {clause}{}", module.title, it.line, it.function);
        let (name, meaning) = (it.why.name(), it.why.meaning());
        let branch = &it.branch;
        writeln!(out, "  not taken: {place}: {branch} {faint}({name}: {meaning}){off}").ok();
    }
    if !away.is_empty() {
        let mut names: Vec<&str> = module
            .uncovered
            .iter()
            .filter(|it| it.why == Why::NotReachable)
            .map(|it| it.function.as_str())
            .collect();
        let n_clauses = names.len();
        names.dedup();
        let more = names.len().saturating_sub(MAX_AWAY);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        names.truncate(MAX_AWAY);
        let (name, meaning) = (Why::NotReachable.name(), Why::NotReachable.meaning());
        let clauses = count(n_clauses, "clause", "clauses");
        let names = names.join(", ");
        writeln!(out, "  not covered: {clauses} of {names}{more} {faint}({name}: {meaning}){off}")
            .ok();
    }
}

/// Uncovered clauses that share a line.
struct Group {
    what: String,
    why: Why,
}

/// Groups neighbouring clauses of the same function with the same reason. A clause that was entered has a line of its
/// own, which says how far runs got in it.
fn groups(module: &Module) -> Vec<Group> {
    let mut res = Vec::new();
    let is_same = |left: &crate::Uncovered, right: &crate::Uncovered| {
        left.function == right.function
            && left.why == right.why
            && left.entered.is_none()
            && right.entered.is_none()
    };
    for group in module.uncovered.chunk_by(is_same) {
        let Some(first) = group.first() else { continue };
        let what = match (first.clause, first.entered) {
            (Some(n), Some(is_entered)) => {
                let how = match (&first.stuck, is_entered) {
                    (Some(goal), _) => format!("entered, but {goal} never succeeds"),
                    (None, true) => "entered, never completed".to_owned(),
                    (None, false) => "never entered".to_owned(),
                };
                let file = module.file.as_deref().unwrap_or_default();
                format!("{file}:{}: clause {n} of {}: {how}", first.line, first.function)
            }
            _ => {
                let lines: Vec<String> = group.iter().map(|it| it.line.to_string()).collect();
                let word = if lines.len() == 1 { "line" } else { "lines" };
                format!("{} {word} {}", first.function, lines.join(", "))
            }
        };
        res.push(Group { what, why: first.why });
    }
    res
}

/// Writes a table. The columns in `left` are aligned to the left (words), the others to the right (numbers).
fn table(out: &mut String, header: &[String], rows: &[Vec<String>], left: &[usize], paint: Paint) {
    let all = || std::iter::once(header).chain(rows.iter().map(Vec::as_slice));
    let width = |column: usize| {
        all().filter_map(|it| it.get(column)).map(|it| it.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    for (n, row) in all().enumerate() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (text, width))| {
            if left.contains(&column) {
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
}

fn share(of: Share) -> String {
    match of.percent() {
        Some(percent) => format!("{}/{} {percent}%", of.covered, of.total),
        None => "-".to_owned(),
    }
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10)
}
