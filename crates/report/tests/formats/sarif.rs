//! Tests of SARIF, which is read back by the crate `serde-sarif`; its types are made from the official schema.

use crate::{awkward, samples, written};
use report::{Finding, Kind, Level, Report, Status, Unit, View};
use serde_sarif::sarif::{Location, ReportingDescriptor, Result as Found, ResultLevel, Run, Sarif};

fn read(report: &Report) -> Run {
    let text = written("sarif", report, &View::default());
    let mut log: Sarif = serde_json::from_str(&text).unwrap_or_else(|it| panic!("{it}\n{text}"));
    assert_eq!(log.version, "2.1.0");
    assert_eq!(log.runs.len(), 1);
    log.runs.remove(0)
}

fn level(finding: &Finding) -> ResultLevel {
    match (finding.kind, finding.level) {
        (Kind::Race, _) | (_, Level::Refusal) => ResultLevel::Note,
        (_, Level::Promise) => ResultLevel::Error,
        (_, Level::Suspicious) => ResultLevel::Warning,
    }
}

fn uri(location: &Location) -> Option<&str> {
    let physical = location.physical_location.as_ref()?;
    physical.artifact_location.as_ref()?.uri.as_deref()
}

fn line(location: &Location) -> Option<i64> {
    location.physical_location.as_ref()?.region.as_ref()?.start_line
}

/// Returns the path of a URI.
fn path(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next(), rest.next()].map(|it| it.expect("a digit"));
            let digits = String::from_utf8_lossy(&digits).into_owned();
            bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
        } else {
            assert!(byte.is_ascii_alphanumeric() || b"-._~/@+=".contains(&byte), "{uri}");
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn every_finding_is_a_result() {
    for (name, report) in awkward::reports() {
        let run = read(&report);
        let results = run.results.expect("results");
        let findings: Vec<(&Unit, &Finding)> = report.findings().collect();
        assert_eq!(results.len(), findings.len(), "{name}");
        for (result, (unit, finding)) in results.iter().zip(findings) {
            check_result(name, result, unit, finding);
            check_rule(result, finding, run.tool.driver.rules.as_deref().expect("rules"));
        }
        assert_eq!(run.column_kind, Some("utf16CodeUnits".into()), "{name}");
        assert_eq!(run.tool.driver.name, "gimlet", "{name}");
        assert_eq!(run.tool.driver.semantic_version, Some(report.tool.version), "{name}");
    }
}

fn check_result(name: &str, result: &Found, unit: &Unit, finding: &Finding) {
    assert_eq!(result.level, Some(level(finding)), "{name}");
    let message = result.message.text.as_deref().expect("a text");
    let plain = |text: &str| text.replace("](", "] (");
    assert!(message.starts_with(&plain(&finding.shown)), "{name}: {message}");
    assert!(finding.says.iter().all(|it| message.contains(&plain(it))), "{name}: {message}");
    assert!(message.ends_with(&plain(&finding.because)), "{name}: {message}");

    let location = result.locations.iter().flatten().next().expect("a location");
    let logical = location.logical_locations.iter().flatten().next().expect("a unit");
    assert_eq!(logical.fully_qualified_name.as_ref(), Some(&unit.unit), "{name}");
    match finding.file.as_ref().or(unit.file.as_ref()) {
        Some(file) => assert_eq!(&path(uri(location).expect("a file")), file, "{name}"),
        None => assert!(location.physical_location.is_none(), "{name}"),
    }
    if finding.file.is_some() {
        let expected = finding.line.filter(|it| *it != 0).map(i64::from);
        assert_eq!(line(location), expected, "{name}");
    }

    let prints = result.partial_fingerprints.as_ref().expect("fingerprints");
    assert_eq!(prints["gimlet/v1"], finding.fingerprint, "{name}");
    let properties = &result.properties.as_ref().expect("properties").additional_properties;
    assert_eq!(properties["call"], finding.call, "{name}");
    assert_eq!(properties["id"], finding.id, "{name}");
    assert_eq!(properties["confirmed"], finding.confirmed, "{name}");
    assert_eq!(properties["count"], finding.count, "{name}");
    check_ways(name, result, finding);
    check_state(name, result, finding);
}

/// Checks stacks and code flows.
fn check_ways(name: &str, result: &Found, finding: &Finding) {
    let flows = result.code_flows.as_deref().unwrap_or_default();
    assert_eq!(flows.len(), usize::from(!finding.reached.is_empty()), "{name}");
    if let Some(flow) = flows.first() {
        let steps = &flow.thread_flows.first().expect("a thread").locations;
        assert_eq!(steps.len(), finding.reached.len() + 1, "{name}");
        for (step, reached) in steps.iter().zip(&finding.reached) {
            let location = step.location.as_ref().expect("a location");
            assert_eq!(uri(location).map(path), reached.file, "{name}");
            assert_eq!(line(location), reached.line.map(i64::from), "{name}");
        }
    }
    let stacks = result.stacks.as_deref().unwrap_or_default();
    let n_frames: usize = stacks.iter().map(|it| it.frames.len()).sum();
    assert_eq!(n_frames, finding.stack.len(), "{name}");
}

fn check_state(name: &str, result: &Found, finding: &Finding) {
    let suppressions = result.suppressions.as_deref().unwrap_or_default();
    assert_eq!(suppressions.len(), usize::from(finding.status == Status::Ignored), "{name}");
    for suppression in suppressions {
        assert_eq!(suppression.kind, "external", "{name}");
        assert_eq!(suppression.justification, finding.ignored_because, "{name}");
    }
    let state = result.baseline_state.as_ref().and_then(|it| it.as_str());
    match finding.status {
        Status::Known => assert_eq!(state, Some("unchanged"), "{name}"),
        Status::Ignored => assert_eq!(state, None, "{name}"),
        Status::New => assert!(matches!(state, None | Some("new")), "{name}"),
    }
}

fn check_rule(result: &Found, finding: &Finding, rules: &[ReportingDescriptor]) {
    let id = format!("gimlet/{}", finding.kind.name());
    assert_eq!(result.rule_id.as_ref(), Some(&id));
    let index = usize::try_from(result.rule_index.expect("an index")).expect("an index");
    let rule = rules.get(index).expect("a rule");
    assert_eq!(rule.id, id);
    let title = rule.short_description.as_ref().expect("a title");
    assert_eq!(title.text, finding.kind.title());
    assert!(rule.help.is_some());
}

#[test]
fn what_is_new_is_said_only_where_there_is_a_baseline() {
    let states = |report: &Report| {
        let results = read(report).results.expect("results");
        results.iter().filter(|it| it.baseline_state == Some("new".into())).count()
    };
    assert_eq!(states(&samples::erlang()), 4);
    assert_eq!(states(&samples::prolog()), 0);
}

#[test]
fn trouble_and_interruption_are_notifications() {
    for (name, report) in awkward::reports() {
        let invocations = read(&report).invocations.expect("invocations");
        let [invocation] = &invocations[..] else { panic!("{name}: one invocation") };
        let troubles: Vec<&String> =
            report.units.iter().filter_map(|it| it.trouble.as_ref()).collect();
        assert_eq!(invocation.execution_successful, troubles.is_empty(), "{name}");
        let notes = invocation.tool_execution_notifications.as_deref().unwrap_or_default();
        assert_eq!(notes.len(), troubles.len() + usize::from(report.interrupted), "{name}");
        for (note, trouble) in notes.iter().zip(troubles) {
            let text = note.message.text.as_deref().expect("a text");
            assert_eq!(text, trouble.replace("](", "] ("), "{name}");
        }
    }
}

#[test]
fn frames_of_the_project_have_a_place_and_those_of_a_runtime_have_none() {
    let results = read(&awkward::report()).results.expect("results");
    let stack = results.iter().find_map(|it| it.stacks.as_ref()).expect("a stack");
    let places: Vec<Option<(String, Option<i64>)>> = stack[0]
        .frames
        .iter()
        .map(|it| it.location.as_ref().expect("a location"))
        .map(|it| uri(it).map(|uri| (uri.to_owned(), line(it))))
        .collect();
    let first = ("file:///srv/with%20space/%C3%A9%23%25%3F.ex".to_owned(), Some(7));
    assert_eq!(places, [Some(first), None, None]);
}

#[test]
fn a_finding_without_a_place_is_where_its_unit_begins() {
    let report = samples::erlang();
    let results = read(&report).results.expect("results");
    let location = &results[0].locations.as_ref().expect("locations")[0];
    assert_eq!(report.units[0].findings[0].file, None);
    assert_eq!((uri(location), line(location)), (Some("src/example.erl"), Some(5)));
}
