//! Tests `gimlet test --schedules`: loops that wait, delayed signals, links and monitors.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;

/// The report of a function of `late.erl`, and the exit code.
#[track_caller]
fn report(function: &str, options: &[&str]) -> (Value, i32) {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let args = ["test", "late.erl", "-f", function, "--schedules", "--format", "json"];
    let done = common::gimlet(dir, &[&args, options].concat());
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    (serde_json::from_str(&text).expect("a report"), done.status.code().expect("no signal"))
}

/// The kind and reason of each finding, all of which BEAM confirms.
#[track_caller]
fn findings(report: &Value) -> Vec<String> {
    let findings = report.pointer("/units/0/findings").and_then(Value::as_array).expect("findings");
    let line = |it: &Value| {
        assert_eq!(it["confirmed"], true, "{it}");
        format!(
            "{} {}",
            it["kind"].as_str().expect("a kind"),
            it["reason"].as_str().expect("a reason")
        )
    };
    findings.iter().map(line).collect()
}

#[test]
fn a_loop_that_waits_ends_when_what_it_waits_for_comes() {
    let (report, code) = report("told/0", &[]);
    assert_eq!((&report["units"][0]["verdict"], code), (&"clean".into(), 0), "{report}");
}

#[test]
fn a_bound_of_steps_is_no_finding() {
    let (report, code) = report("counts/0", &["--steps", "40"]);
    let unit = &report["units"][0];
    assert_eq!((&unit["verdict"], &unit["stop"], code), (&"bounded".into(), &"depth".into(), 0));
    let loss = unit["losses"][0]["what"].as_str().expect("a loss");
    assert_eq!(loss, "a run had not ended after 40 steps (--steps)");
    assert!(findings(&report).is_empty(), "{report}");
}

#[test]
fn who_is_to_be_ended_goes_on_for_a_while() {
    let (found, code) = report("written/0", &[]);
    assert_eq!((findings(&found), code), (vec!["crash {badmatch,[{c,1}]}".to_owned()], 1));
    let (report, code) = report("written/0", &["--delivery", "instant"]);
    let unit = &report["units"][0];
    assert_eq!((&unit["verdict"], code), (&"bounded".into(), 0), "{report}");
    let loss = unit["losses"][0]["what"].as_str().expect("a loss");
    assert!(loss.contains("--delivery instant"), "{loss}");
}

#[test]
fn a_monitor_that_was_called_off_hides_no_crash() {
    let (report, code) = report("called_once/0", &[]);
    assert_eq!((findings(&report).len(), code), (1, 1), "{report}");
    assert!(findings(&report)[0].starts_with("crash later"), "{report}");
}

#[test]
fn a_message_that_was_flushed_is_not_one_that_nobody_received() {
    let (report, code) = report("flushed/0", &[]);
    assert_eq!(code, 0, "{report}");
    let left = report.pointer("/units/0/unreceived").and_then(Value::as_array).expect("messages");
    let texts: Vec<&str> = left.iter().filter_map(|it| it["message"].as_str()).collect();
    assert!(texts.iter().all(|it| *it == "hello"), "{texts:?}");
}

#[test]
fn processes_that_wait_for_ever_are_reported_if_asked_for() {
    let (quiet, code) = report("left/0", &[]);
    assert_eq!((findings(&quiet).len(), code), (0, 0));
    let (report, code) = report("left/0", &["--blocked"]);
    assert_eq!((findings(&report), code), (vec!["deadlock ".to_owned()], 1));
}

#[test]
fn loops_that_wait_for_each_other_are_a_deadlock() {
    let (report, code) = report("each_other/0", &[]);
    assert_eq!((findings(&report), code), (vec!["deadlock ".to_owned()], 1));
    let blocked = &report["units"][0]["findings"][0]["schedule"]["blocked"];
    let texts: Vec<&str> =
        blocked.as_array().expect("them").iter().filter_map(Value::as_str).collect();
    assert!(texts.iter().all(|it| it.contains("goes round in late:until/2")), "{texts:?}");
}
