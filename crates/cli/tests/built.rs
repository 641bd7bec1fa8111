//! Tests types whose values only their own module constructs: recipes of calls in the search, in reports, in tests, in
//! recorded calls and in replays.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

fn gimlet(args: &[&str]) -> Output {
    common::gimlet(PROGRAMS, args)
}

fn report(args: &[&str]) -> Value {
    let done = gimlet(&[&["test", "--format", "json"], args].concat());
    serde_json::from_slice(&done.stdout).unwrap_or_else(|_| {
        panic!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
    })
}

fn items<'v>(of: &'v Value, name: &str) -> &'v [Value] {
    of[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(of: &'v Value, name: &str) -> &'v str {
    of[name].as_str().unwrap_or_default()
}

/// Checks the findings of a function, reason and call, all of which BEAM confirms.
#[track_caller]
fn check(options: &[&str], function: &str, expect: &[[&str; 2]]) {
    let all =
        [&["stacks.erl", "stack_user.erl", "--runs", "300", "-f", function], options].concat();
    let report = report(&all);
    let findings = items(&report, "units");
    let findings: Vec<&Value> = findings.iter().flat_map(|it| items(it, "findings")).collect();
    let found: Vec<[&str; 2]> =
        findings.iter().map(|it| [text(it, "reason"), text(it, "call")]).collect();
    assert_eq!(found, expect);
    for finding in findings {
        assert_eq!(
            (text(finding, "level"), &finding["confirmed"]),
            ("promise", &Value::Bool(true))
        );
    }
}

#[test]
fn a_finding_shows_the_calls_that_make_its_input() {
    let lost = "stacks:pop(element(2, stacks:of_list([7,0,0])))";
    check(&[], "stacks:pop/1", &[["lost", lost]]);
    let two = "stack_user:total([element(2, stacks:of_list([0,0]))])";
    check(&[], "stack_user:total/1", &[["two_first", two]]);
    check(
        &[],
        "stack_user:drain/1",
        &[["forty_two", "stack_user:drain(queue:in(42, queue:new()))"]],
    );
}

#[test]
fn a_value_is_taken_out_of_what_it_comes_with() {
    let report = report(&["greeted.erl", "--runs", "200", "-f", "told/1"]);
    let findings = items(&report["units"][0], "findings");
    let found: Vec<[&str; 3]> =
        findings.iter().map(|it| ["level", "reason", "call"].map(|name| text(it, name))).collect();
    assert_eq!(found, [["promise", "seven", "greeted:told(element(3, greeted:start(7)))"]]);
}

#[test]
fn values_that_no_program_has_are_not_tried() {
    for function in ["stacks:depth/1", "stacks:name/1", "stack_user:plain/1"] {
        check(&[], function, &[]);
    }
    let made_up = report(&["stacks.erl", "--runs", "300", "-f", "name/1", "--made-up"]);
    let call = text(&items(&made_up["units"][0], "findings")[0], "call");
    assert!(call.starts_with("stacks:name({box,"), "{call}");
}

#[test]
fn what_goes_wrong_while_an_input_is_made_is_no_finding() {
    // The stacks come from `checked/1` and `forever/1`, which fail for some integers.
    let report = report(&["stacks.erl", "--runs", "300", "-f", "broken/1"]);
    let unit = &report["units"][0];
    let reasons: Vec<&str> = items(unit, "findings").iter().map(|it| text(it, "reason")).collect();
    assert_eq!(reasons, ["two"]);
    assert!(unit["refused"].as_u64().is_some_and(|it| it > 0), "{unit:#}");
}

#[test]
fn parts_of_arguments_are_built_too() {
    let report =
        report(&["stacks.erl", "stack_user.erl", "--runs", "300", "-f", "stack_user:pair/1"]);
    let unit = &report["units"][0];
    let call = text(&items(unit, "findings")[0], "call");
    assert!(call.contains("#{left => stacks:") || call.contains("#{left => element(2, "), "{call}");
    assert!(call.contains("right => {some,queue:"), "{call}");
    assert_eq!(unit["coverage"]["clauses"]["covered"], unit["coverage"]["clauses"]["total"]);
}

#[test]
fn tests_and_records_make_the_same_calls() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("built-by-calls");
    fs::remove_dir_all(&dir).ok();
    let out = dir.to_str().expect("a path");
    gimlet(&["test", "stacks.erl", "-f", "pop/1", "--runs", "200", "--out", out]);
    let tests = fs::read_to_string(dir.join("stacks_gimlet_tests.erl")).expect("tests");
    assert!(tests.contains("?_assertEqual(empty, stacks:pop(stacks:new()))"), "{tests}");
    assert!(tests.contains("?_assertError(lost, stacks:pop("), "{tests}");
    for file in ["report.json", "corpus/stacks.pop.1.corpus"] {
        let path = dir.join(file);
        let done = gimlet(&["replay", path.to_str().expect("a path")]);
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && said.contains("stacks:pop(stacks:new())"), "{said}");
    }
}

#[test]
fn structs_are_shown_as_elixir_makes_them() {
    let report = report(&["Elixir.MapSet", "--runs", "40", "-f", "size/1"]);
    let tests = items(&report["units"][0], "tests");
    assert!(tests.iter().any(|it| text(it, "call").contains("'Elixir.MapSet':put(")), "{tests:#?}");
    assert!(
        tests
            .iter()
            .all(|it| text(it, "call").starts_with("'Elixir.MapSet':size('Elixir.MapSet':"))
    );
}

#[test]
fn an_argument_that_is_given_is_taken_as_it_is() {
    let args = ["stacks.erl", "-f", "depth/1", "--runs", "1", "--args", "[{stack,3,[]}]"];
    let report = report(&args);
    let call = text(&items(&report["units"][0], "findings")[0], "call");
    assert!(call.starts_with("stacks:depth({stack,"), "{call}");
}
