//! The report for people: findings that can be pasted, then what was done, then what is left.

use crate::diagnostic::{Colours, Paint};
use crate::test::prolog::expect::{Expectation, whole};
use crate::test::prolog::explore::{Explored, Verdict};
use crate::test::prolog::finding::{Finding, Kind};
use crate::test::prolog::report::{FileReport, Report};
use std::fmt::Write;

pub(crate) fn text(report: &Report, colours: Colours) -> String {
    let paint = Paint::new(colours);
    let mut out = String::new();
    for file in &report.files {
        let mut findings: Vec<(&Explored, &Finding)> = file
            .units
            .iter()
            .flat_map(|unit| unit.findings.iter().map(move |it| (unit, it)))
            .collect();
        findings.sort_by_key(|it| it.1.kind);
        for (unit, it) in findings {
            finding(&mut out, paint, file, unit, it);
        }
    }
    for file in &report.files {
        units(&mut out, paint, file);
        tests(&mut out, paint, file);
        coverage(&mut out, paint, file);
        if let Some(path) = &file.tests_file {
            writeln!(out, "tests are in {}", path.display()).ok();
        }
    }
    summary(&mut out, paint, report);
    out
}

fn finding(out: &mut String, paint: Paint, file: &FileReport, unit: &Explored, of: &Finding) {
    let Paint { error, warning, bold, faint, off, .. } = paint;
    let colour = if of.kind == Kind::Rejected { warning } else { error };
    writeln!(out, "{colour}{}{off} in {bold}{}{off}", of.kind.name(), unit.name).ok();
    writeln!(out, "  {bold}?- {}.{off}", whole(&of.setup, &of.call)).ok();
    writeln!(out, "  {}", of.reason).ok();
    if let Some(line) = of.line {
        writeln!(out, "  {faint}at{off} {}:{line}", file.path).ok();
    }
    writeln!(out, "  {faint}={off} {}", of.why).ok();
    if 1 < of.count {
        writeln!(out, "  {faint}={off} {} runs end like this", of.count).ok();
    }
    let confirmed = match &of.verdict {
        Verdict::Same { .. } => "confirmed by swipl".to_owned(),
        Verdict::Differs(why) | Verdict::Unknown(why) => format!("not confirmed: {why}"),
    };
    writeln!(out, "  {faint}={off} {confirmed}\n").ok();
}

fn units(out: &mut String, paint: Paint, file: &FileReport) {
    let header = ["predicate", "runs", "paths", "completed", "entered", "tests", "time", "stop"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    for it in &file.units {
        let n_all = it.reachable.len();
        rows.push(vec![
            it.name.clone(),
            it.n_runs.to_string(),
            it.n_paths.to_string(),
            format!("{}/{n_all}", it.completed.len()),
            format!("{}/{n_all}", it.entered.len()),
            it.tests.len().to_string(),
            format!("{:.2} s", it.elapsed.as_secs_f64()),
            it.stop.name().to_owned(),
        ]);
    }
    for (n, row) in rows.iter().enumerate() {
        let cells = row.iter().enumerate().map(|(column, text)| {
            let width = rows.iter().filter_map(|it| it.get(column)).map(|it| it.chars().count());
            let width = width.max().unwrap_or(0);
            if matches!(column, 0 | 7) {
                format!("{text:width$}")
            } else {
                format!("{text:>width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let Paint { faint, off, .. } = paint;
        if n == 0 {
            writeln!(out, "{faint}{}{off}", line.trim_end()).ok();
        } else {
            writeln!(out, "{}", line.trim_end()).ok();
        }
    }
    out.push('\n');
}

fn tests(out: &mut String, paint: Paint, file: &FileReport) {
    for case in file.units.iter().flat_map(|it| &it.tests) {
        let end = match &case.expectation {
            Expectation::Fails => "false".to_owned(),
            Expectation::Throws { ball, .. } => format!("throws {ball}"),
            Expectation::Answers(answers) => {
                let first = answers.values.first();
                let pairs = first.into_iter().flat_map(|it| case.results.iter().zip(it));
                let pairs: Vec<String> = pairs.map(|it| format!("{} = {}", it.0, it.1)).collect();
                let first = if pairs.is_empty() { "true".to_owned() } else { pairs.join(", ") };
                let more = answers.values.len().saturating_sub(1);
                match (more, answers.is_open) {
                    (0, false) => first,
                    (n, false) => format!("{first}  ; {n} more"),
                    (_, true) => format!("{first}  ; ..."),
                }
            }
        };
        let Paint { faint, off, .. } = paint;
        let call = whole(&case.setup, &case.call);
        writeln!(out, "{faint}?-{off} {call}.  {faint}%{off} {end}").ok();
    }
    out.push('\n');
}

fn coverage(out: &mut String, paint: Paint, file: &FileReport) {
    let Paint { faint, off, .. } = paint;
    let FileReport { n_completed, n_entered, n_clauses, .. } = file;
    writeln!(
        out,
        "{}: {n_completed} of {n_clauses} clauses completed, {n_entered} entered",
        file.path
    )
    .ok();
    for it in &file.uncovered {
        let how = match (&it.stuck, it.is_entered) {
            (Some(goal), _) => format!("entered, but {goal} never succeeds"),
            (None, true) => "entered, never completed".to_owned(),
            (None, false) => "never entered".to_owned(),
        };
        let why = it.why;
        writeln!(
            out,
            "  {}:{}: clause {} of {}: {how} {faint}({why}){off}",
            file.path, it.line, it.number, it.predicate
        )
        .ok();
    }
    out.push('\n');
}

fn summary(out: &mut String, paint: Paint, report: &Report) {
    let Paint { error, good, off, .. } = paint;
    let n_units = report.units().count();
    let count = |kind: fn(&Finding) -> bool| -> usize {
        report.units().map(|it| it.findings.iter().filter(|it| kind(it)).count()).sum()
    };
    let n_found = count(|it| it.kind != Kind::Rejected);
    let n_rejected = count(|it| it.kind == Kind::Rejected);
    let predicates = if n_units == 1 { "predicate" } else { "predicates" };
    if n_found == 0 {
        writeln!(out, "{good}nothing found{off} in {n_units} {predicates}").ok();
    } else {
        let findings = if n_found == 1 { "finding" } else { "findings" };
        writeln!(out, "{error}{n_found} {findings}{off} in {n_units} {predicates}").ok();
    }
    if 0 < n_rejected {
        writeln!(
            out,
            "{n_rejected} kinds of input are refused with an error; --strict counts them"
        )
        .ok();
    }
    let n_diverged: usize = report.units().map(|it| it.n_diverged).sum();
    if 0 < n_diverged {
        writeln!(out, "{n_diverged} runs did not take the way that their input was made for").ok();
    }
}
