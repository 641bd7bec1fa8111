//! Tests of JUnit's XML, which is read back by the crate `junit-parser`; the contents of elements, in which
//! `junit-parser` drops escaped characters, are read by `roxmltree`.

use crate::{awkward, samples, written};
use junit_parser::{TestCase, TestStatus, TestSuites};
use report::{FailOn, Finding, Report, Status, Unit, View};
use roxmltree::{Document, Node};

fn read(report: &Report) -> TestSuites {
    let text = written("junit", report, &View::default());
    junit_parser::from_reader(text.as_bytes()).unwrap_or_else(|it| panic!("{it}\n{text}"))
}

/// Returns the visible characters of a text, without white space and without characters that XML cannot represent.
fn essence(text: &str) -> String {
    let is_seen = |c: &char| !c.is_whitespace() && !c.is_control();
    text.chars().filter(is_seen).filter(|it| !"\u{fffe}\u{fffd}".contains(*it)).collect()
}

/// The texts within a case: of its failure or error, and of its output.
#[derive(Debug)]
struct Texts {
    status: String,
    out: String,
    err: String,
}

/// Returns the texts of all cases, in the order of the document.
fn texts(report: &Report) -> Vec<Texts> {
    let text = written("junit", report, &View::default());
    let document = Document::parse(&text).unwrap_or_else(|it| panic!("{it}\n{text}"));
    let cases = document.descendants().filter(|it| it.has_tag_name("testcase"));
    let of = |case: Node<'_, '_>, names: &[&str]| {
        let child = case.children().find(|it| names.contains(&it.tag_name().name()));
        essence(child.and_then(|it| it.text()).unwrap_or_default())
    };
    let texts = |it: Node<'_, '_>| Texts {
        status: of(it, &["failure", "error"]),
        out: of(it, &["system-out"]),
        err: of(it, &["system-err"]),
    };
    cases.map(texts).collect()
}

fn failing(unit: &Unit) -> Vec<&Finding> {
    unit.findings.iter().filter(|it| FailOn::Suspicious.counts(it)).collect()
}

#[test]
fn a_case_for_each_unit_in_the_suite_of_its_module() {
    for (name, report) in awkward::reports() {
        let read = read(&report);
        let texts = texts(&report);
        let cases: Vec<(&str, &TestCase, &Texts)> = read
            .suites
            .iter()
            .flat_map(|suite| suite.cases.iter().map(move |it| (suite.name.as_str(), it)))
            .zip(&texts)
            .map(|((suite, case), texts)| (suite, case, texts))
            .collect();
        assert_eq!(cases.len(), report.units.len(), "{name}");
        for unit in &report.units {
            let is_meant = |it: &&(&str, &TestCase, &Texts)| {
                essence(&it.1.original_name) == essence(&unit.title)
                    && it.1.file.as_deref() == unit.file.as_deref()
            };
            let (suite, case, texts) = cases.iter().find(is_meant).expect("a case");
            let module = report
                .modules
                .iter()
                .find(|it| it.module == unit.module && it.file == unit.file)
                .expect("a module");
            assert_eq!(*suite, module.title, "{name}");
            assert_eq!(case.classname.as_deref(), Some(module.title.as_str()), "{name}");
            let seconds = unit.elapsed_ms as f64 / 1000.0;
            assert!((case.time - seconds).abs() < 0.000_1, "{name}: {} s", case.time);
            check_status(name, unit, case, texts);
        }
    }
}

fn check_status(name: &str, unit: &Unit, case: &TestCase, texts: &Texts) {
    let failing = failing(unit);
    match &case.status {
        TestStatus::Failure(failure) => {
            let first = failing.first().expect("a finding");
            assert_eq!(failure.failure_type, first.kind.name(), "{name}");
            assert_eq!(essence(&failure.message), essence(&first.because), "{name}");
            let text = &texts.status;
            for finding in &failing {
                assert!(text.contains(&essence(&finding.shown)), "{name}: {text}");
                finding.says.iter().for_each(|it| assert!(text.contains(&essence(it)), "{name}"));
                let confirmed = if finding.confirmed { "confirmedon" } else { "notconfirmed" };
                assert!(text.contains(confirmed), "{name}: {text}");
            }
        }
        TestStatus::Error(error) => {
            assert!(failing.is_empty(), "{name}");
            let trouble = unit.trouble.as_deref().expect("trouble");
            assert_eq!(essence(&error.message), essence(trouble), "{name}");
            assert_eq!(texts.status, essence(trouble), "{name}");
        }
        TestStatus::Skipped(skipped) => {
            assert!(unit.is_untried() && failing.is_empty(), "{name}");
            assert!(skipped.message.contains("before this unit had its turn"), "{name}");
        }
        TestStatus::Success => {
            assert!(failing.is_empty() && unit.trouble.is_none() && !unit.is_untried(), "{name}");
        }
    }
    let output = &texts.out;
    for finding in unit.findings.iter().filter(|it| !failing.contains(it)) {
        assert!(output.contains(&essence(&finding.shown)), "{name}: {output}");
        if finding.status == Status::Ignored {
            assert!(output.contains("ignored"), "{name}: {output}");
        }
    }
    let trouble = unit.trouble.as_deref().unwrap_or_default();
    assert_eq!(texts.err, essence(trouble), "{name}");
}

#[test]
fn the_totals_are_those_of_the_report() {
    for (name, report) in awkward::reports() {
        let read = read(&report);
        let n = |is_meant: &dyn Fn(&Unit) -> bool| {
            report.units.iter().filter(|it| is_meant(it)).count() as u64
        };
        let is_failed = |it: &Unit| !failing(it).is_empty();
        let is_error = |it: &Unit| !is_failed(it) && it.trouble.is_some();
        assert_eq!(read.tests, report.units.len() as u64, "{name}");
        assert_eq!(read.failures, n(&is_failed), "{name}");
        assert_eq!(read.errors, n(&is_error), "{name}");
        assert_eq!(read.skipped, n(&Unit::is_untried), "{name}");
        let sum = |of: fn(&junit_parser::TestSuite) -> u64| read.suites.iter().map(of).sum::<u64>();
        assert_eq!(sum(|it| it.tests), read.tests, "{name}");
        assert_eq!(sum(|it| it.failures), read.failures, "{name}");
        assert_eq!(sum(|it| it.errors), read.errors, "{name}");
        assert_eq!(sum(|it| it.skipped), read.skipped, "{name}");
    }
    let interrupted = read(&samples::interrupted());
    let counts = (interrupted.failures, interrupted.errors, interrupted.skipped);
    assert_eq!(counts, (2, 1, 1));
}

#[test]
fn control_characters_are_replaced_and_not_dropped() {
    let text = written("junit", &samples::erlang(), &View::default());
    assert!(text.contains("were not enough\u{fffd}[31m\u{fffd}"), "{text}");
    assert!(!text.chars().any(|it| it.is_control() && it != '\n'), "{text}");
}
