//! Tests of configuration files: their contents, their problems, and the settings of a unit.

mod holds;
mod options;
mod reads;
mod syntax;
mod tables;
mod templates;

use config::{Config, Extent, Kind, Known, Problem};
use expect_test::Expect;

/// The options of `gimlet test` with a long name.
const OPTIONS: &[(&str, Kind)] = &[
    ("allow", Kind::Many),
    ("args", Kind::One),
    ("backend", Kind::One),
    ("baseline", Kind::One),
    ("budget", Kind::One),
    ("concrete", Kind::Many),
    ("coverage", Kind::One),
    ("delivery", Kind::One),
    ("depth", Kind::One),
    ("dpor", Kind::One),
    ("emit", Kind::Many),
    ("exclude", Kind::Many),
    ("fail-on", Kind::One),
    ("format", Kind::One),
    ("function", Kind::Many),
    ("goal", Kind::One),
    ("jobs", Kind::One),
    ("lossy", Kind::One),
    ("mode", Kind::Many),
    ("no-spec", Kind::Flag),
    ("node-down", Kind::Flag),
    ("nodes", Kind::One),
    ("out", Kind::One),
    ("pa", Kind::Many),
    ("pre", Kind::Many),
    ("preemptions", Kind::One),
    ("report", Kind::Many),
    ("runs", Kind::One),
    ("schedules", Kind::Flag),
    ("seed", Kind::One),
    ("strategy", Kind::One),
    ("strict", Kind::Flag),
    ("time", Kind::One),
    ("verbose", Kind::Flag),
];

const REPORTS: &[&str] =
    &["text", "json", "sarif", "junit", "lcov", "cobertura", "github", "markdown", "html"];

/// Options that cannot be set for a part of the project.
const OF_RUN: &[&str] = &["baseline", "budget", "out", "report"];

fn known(options: &[(&str, Kind)]) -> Vec<Known> {
    let extent = |name: &str| if OF_RUN.contains(&name) { Extent::Run } else { Extent::Unit };
    let known =
        |it: &(&str, Kind)| Known { name: it.0.to_owned(), kind: it.1, extent: extent(it.0) };
    options.iter().map(known).collect()
}

fn parse(text: &str) -> Result<Config, Vec<Problem>> {
    config::parse("gimlet.toml", text, &known(OPTIONS), REPORTS)
}

/// Returns the configuration of a text that has no problems.
#[track_caller]
fn good(text: &str) -> Config {
    parse(text).unwrap_or_else(|problems| panic!("{}", drawn(text, &problems)))
}

/// Compares the problems of a text with the expected ones.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&drawn(text, &parse(text).expect_err("problems")));
}

/// Draws each problem with its line, as a terminal would show it.
fn drawn(text: &str, problems: &[Problem]) -> String {
    let mut res = String::new();
    for Problem { line, column, length, title, hint } in problems {
        let source = text.lines().nth(line - 1).unwrap_or_default();
        let marks = format!("{}{}", " ".repeat(column - 1), "^".repeat(*length));
        res.push_str(&format!("{title}\n{line} | {source}\n  | {marks}\n"));
        if let Some(hint) = hint {
            res.push_str(&format!("  = {hint}\n"));
        }
    }
    res
}
