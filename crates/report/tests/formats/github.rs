//! Tests of workflow commands, by the rules of GitHub's runner and with a golden file.

use crate::{awkward, samples, written};
use expect_test::expect_file;
use report::{Kind, Level, Report, Summary, View, ranked};
use std::collections::BTreeMap;

fn text(report: &Report) -> String {
    written("github", report, &View::default())
}

/// A workflow command as the runner reads it.
#[derive(Debug)]
struct Command {
    name: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// Reads a line as the runner does (`ActionCommand.TryParseV2`): white space, two colons, a name, a space, properties
/// separated by commas, two colons, the message.
fn command(line: &str) -> Option<Command> {
    let (head, message) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let property = |it: &str| {
        let (name, value) = it.split_once('=').expect("a value");
        (name.to_owned(), plain(value))
    };
    let properties = properties.split(',').filter(|it| !it.is_empty()).map(property).collect();
    Some(Command { name: name.to_owned(), properties, message: plain(message) })
}

fn plain(text: &str) -> String {
    let replaced = [("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")];
    replaced.iter().fold(text.to_owned(), |text, it| text.replace(it.0, it.1))
}

fn expected(kind: Kind, level: Level) -> &'static str {
    match (kind, level) {
        (Kind::Race, _) | (_, Level::Refusal) => "notice",
        (_, Level::Promise) => "error",
        (_, Level::Suspicious) => "warning",
    }
}

fn printable(text: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\r' | '\t' => c,
        _ if c.is_control() || c == '\u{fffe}' => '\u{fffd}',
        _ => c,
    };
    text.chars().map(safe).collect()
}

#[test]
fn annotations_are_the_findings_that_are_shown() {
    for (name, report) in awkward::reports() {
        let text = text(&report);
        let mut commands = text.lines().filter_map(command);
        let ranked = ranked(&report);
        let mut n_shown: BTreeMap<&str, usize> = BTreeMap::new();
        let mut n_more = 0;
        for (unit, finding) in &ranked.shown {
            let kind = expected(finding.kind, finding.level);
            let n = n_shown.entry(kind).or_default();
            *n += 1;
            if *n > if kind == "notice" { 8 } else { 10 } {
                n_more += 1;
                continue;
            }
            let command = commands.next().expect("a command");
            assert_eq!(command.name, kind, "{name}");
            let title = format!("{} in {}", finding.kind.name(), unit.title);
            let title = printable(&title);
            let words: Vec<&str> = title.split_whitespace().collect();
            let read: Vec<&str> = command.properties["title"].split(' ').collect();
            assert_eq!(read, words, "{name}");
            let file = finding.file.as_ref().or(unit.file.as_ref());
            assert_eq!(command.properties.get("file"), file, "{name}");
            if let Some(line) = finding.line.filter(|it| *it != 0) {
                assert_eq!(command.properties["line"], line.to_string(), "{name}");
            }
            assert!(command.message.starts_with(&printable(&finding.shown)), "{name}");
            assert!(command.message.ends_with(&printable(&finding.because)), "{name}");
        }
        if 0 < n_more {
            let group = commands.next().expect("a group");
            assert_eq!((group.name.as_str(), n_more), ("group", leading_number(&group.message)));
            assert_eq!(commands.next().expect("an end").name, "endgroup", "{name}");
        }
        let summary = Summary::of(&report);
        if 0 < summary.n_refusals {
            let refusals = commands.next().expect("the refusals");
            assert_eq!(leading_number(&refusals.message), summary.n_refusals, "{name}");
        }
        let last = commands.next().expect("a summary");
        assert!(last.message.ends_with(&summary.headline()), "{name}: {last:?}");
        assert_eq!(last.message.starts_with("interrupted"), report.interrupted, "{name}");
        assert!(commands.next().is_none(), "{name}: the summary is the last");
    }
}

fn leading_number(text: &str) -> usize {
    text.split(' ').next().and_then(|it| it.parse().ok()).expect("a number")
}

#[test]
fn no_text_starts_a_command() {
    // There are so many findings that some become lines of the log.
    let mut report = awkward::report();
    let findings = report.units[0].findings.clone();
    report.units[0].findings = findings.iter().cycle().take(60).cloned().collect();
    let text = text(&report);
    for line in text.lines() {
        match command(line) {
            Some(it) => {
                let names = ["error", "warning", "notice", "group", "endgroup"];
                assert!(names.contains(&it.name.as_str()), "{line}");
                assert_ne!(it.message, "injected", "{line}");
            }
            // A command of the older form may begin anywhere in a line.
            None => assert!(!line.contains("##["), "{line}"),
        }
    }
    assert_eq!(text.lines().filter(|it| it.starts_with("::")).count(), 8 + 10 + 1 + 2 + 2);
    assert!(!text.contains('\r'), "ends of lines are escaped");
}

#[test]
fn golden() {
    expect_file!["golden/erlang.github.txt"].assert_eq(&text(&samples::erlang()));
    expect_file!["golden/interrupted.github.txt"].assert_eq(&text(&samples::interrupted()));
    expect_file!["golden/awkward.github.txt"].assert_eq(&text(&awkward::report()));
}
