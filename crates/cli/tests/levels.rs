//! How much findings matter: which are broken promises, which are suspicious, and what a unit only refuses.

mod common;

use serde_json::Value;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

fn report(args: &[&str]) -> Value {
    let done = common::gimlet(PROGRAMS, &[&["test", "--format", "json"], args].concat());
    serde_json::from_slice(&done.stdout).unwrap_or_else(|_| {
        panic!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
    })
}

fn findings(report: &Value) -> Vec<&Value> {
    let units = report["units"].as_array().expect("units");
    units.iter().flat_map(|it| it["findings"].as_array().expect("findings")).collect()
}

/// The level, the reason and the call of each finding of a function, in the order of the report.
#[track_caller]
fn check(function: &str, expect: &[&str]) {
    let report = report(&["meant.erl", "-f", function, "--runs", "400"]);
    let text = |it: &Value, name: &str| it[name].as_str().expect("text").to_owned();
    let line =
        |it: &&Value| format!("{} {} {}", text(it, "level"), text(it, "reason"), text(it, "because"));
    let found: Vec<String> = findings(&report).iter().map(line).collect();
    let is_as_expected = found.len() == expect.len()
        && found.iter().zip(expect).all(|(found, expect)| found.starts_with(expect));
    assert!(is_as_expected, "{function}: {found:#?} but expected {expect:#?}");
}

#[test]
fn draft() {
    for f in ["shared/1", "average/1", "port/1", "first/1", "kept/1", "parsed/1", "named/1", "asked/1", "looked_up/1", "found/1", "thrown/1", "checked/1", "typed/2", "loose/2", "outer/1", "unknown/1"] {
        let report = report(&["meant.erl", "-f", f, "--runs", "400"]);
        for it in findings(&report) {
            eprintln!("{f} {} {} | {} | {} | {}", it["level"], it["kind"], it["reason"], it["call"], it["because"]);
        }
    }
}
