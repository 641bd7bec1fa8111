//! Tests of text and JSON: the summary fits on a screen, and the JSON keeps its schema.

mod awkward;
mod cobertura;
mod github;
mod junit;
mod lcov;
mod markdown;
mod samples;
mod sarif;

use expect_test::{expect, expect_file};
use report::{Detail, Report, View, format_named, schema_text};

fn written(name: &str, report: &Report, view: &View) -> String {
    format_named(name).expect("a format").text(report, view)
}

#[test]
fn a_report_survives_json() {
    for (name, report) in samples::all() {
        let text = written("json", &report, &View::default());
        let mut again: Report =
            serde_json::from_str(&text).unwrap_or_else(|it| panic!("{name}: {it}"));
        again.sources.clone_from(&report.sources);
        for unit in again.units.iter_mut().zip(&report.units) {
            for finding in unit.0.findings.iter_mut().zip(&unit.1.findings) {
                if let (Some(read), Some(known)) = (&mut finding.0.schedule, &finding.1.schedule) {
                    read.drawing.clone_from(&known.drawing);
                }
            }
        }
        assert_eq!(again, report, "{name}");
    }
}

/// The schema is written again by `UPDATE_EXPECT=1 cargo test -p report`.
#[test]
fn the_published_schema_is_that_of_the_types() {
    expect_file!["../../../../docs/report.schema.json"].assert_eq(&schema_text());
}

#[test]
fn every_report_keeps_the_published_schema() {
    let schema: serde_json::Value = serde_json::from_str(&schema_text()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for (name, report) in samples::all() {
        let text = written("json", &report, &View::default());
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        if let Err(error) = validator.validate(&document) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
    }
}

#[test]
fn refusals_are_folded_unless_they_are_asked_for() {
    let report = samples::erlang();
    let folded = written("text", &report, &View::default());
    assert!(
        folded.contains("refused by example:foo/1: 1 kind of input, for example example:foo(0)")
    );
    assert!(!folded.contains("rejected in"), "{folded}");
    let view = View { detail: Detail::Refusals, ..View::default() };
    assert!(written("text", &report, &view).contains("rejected in example:foo/1"));
}

#[test]
fn the_most_important_comes_first_and_the_summary_last() {
    let text = written("text", &samples::erlang(), &View::default());
    let starts: Vec<&str> = text.lines().filter(|it| it.contains(" in example:")).take(3).collect();
    expect![[r#"
        [
            "crash in example:foo/1 b35bc96d",
            "deadlock in example:wait/0 4b482471",
            "P waits in example:wait/0 and has only {hello,1}",
        ]"#]]
    .assert_eq(&format!(
        "{:#?}",
        starts.iter().map(|it| it.trim()).filter(|it| !it.starts_with("in ")).collect::<Vec<_>>()
    ));
    let last: Vec<&str> = text.lines().rev().take(8).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    expect![[r#"
        3 findings in 2 of 2 functions: 2 broken promises, 1 suspicious
        1 kind of input is refused by 1 unit; --strict shows and counts them
        1 finding is known from the baseline
        1 finding is ignored
        5 of 6 confirmed on BEAM
        tests: gimlet/example_gimlet_tests.erl
        run them with: erlc -o gimlet gimlet/*.erl && erl -pa gimlet
        more: --report html=FILE writes a page to look through"#]]
    .assert_eq(&last.join("\n"));
}

#[test]
fn the_summary_of_a_large_project_fits_on_a_screen() {
    let text = written("text", &samples::large(500, 8), &View::default());
    let after_findings = text.rsplit("\n\n").take(2).map(|it| it.lines().count()).sum::<usize>();
    assert!(after_findings < 40, "{after_findings} lines at the end:\n{text}");
    assert!(text.lines().count() < 1000, "{} lines", text.lines().count());
}
