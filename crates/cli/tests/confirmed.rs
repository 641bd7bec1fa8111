//! Tests `gimlet test --schedules` on realistic systems: the race of each is found and confirmed on BEAM, and the
//! corrected version is explored to the end. Also tests that nearly all findings of the example programs are
//! confirmed.
#![expect(clippy::disallowed_methods, reason = "the binary and elixirc are started as users do")]

mod common;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The maximum number of runs of a function; larger functions are explored only up to this limit.
const RUNS: &str = "300";

fn report(dir: &Path, target: &str, functions: &[String]) -> Value {
    let options = ["--schedules", "--fail-on", "race", "--runs", RUNS, "--format", "json"];
    let mut args = vec!["test", target];
    args.extend(options);
    args.extend(functions.iter().flat_map(|it| ["-f", it.as_str()]));
    let dir = dir.to_str().expect("UTF-8");
    let done = common::gimlet(dir, &args);
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)))
}

fn units(report: &Value) -> &[Value] {
    report["units"].as_array().expect("units")
}

fn findings(unit: &Value) -> &[Value] {
    unit["findings"].as_array().expect("findings")
}

/// Checks that each function has a finding with the expected kind and beginning of the reason, and that all of its
/// findings are confirmed. An empty text means that the function is explored to the end without a finding.
#[track_caller]
fn check(dir: &Path, target: &str, expect: &[(&str, &str)]) {
    let functions: Vec<String> = expect.iter().map(|it| format!("{}/0", it.0)).collect();
    let report = report(dir, target, &functions);
    let mut wrong = Vec::new();
    for (name, reason) in expect {
        let is_it =
            |it: &&Value| it["unit"].as_str().is_some_and(|it| it.ends_with(&format!(":{name}/0")));
        let Some(unit) = units(&report).iter().find(is_it) else {
            wrong.push(format!("{name} was not tested"));
            continue;
        };
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let line = |it: &Value| format!("{} {}", text(&it["kind"]), text(&it["reason"]));
        let found: Vec<String> = findings(unit).iter().map(line).collect();
        let is_right = match *reason {
            "" => found.is_empty() && unit["stop"] == "exhausted" && unit["verdict"] == "clean",
            reason => found.iter().any(|it| it.starts_with(reason)),
        };
        if !is_right {
            wrong.push(format!("{name}: {found:?} {} {}", unit["stop"], unit["losses"]));
        }
        for it in findings(unit).iter().filter(|it| it["confirmed"] != true) {
            wrong.push(format!(
                "{name}: {} is not confirmed: {}",
                line(it),
                it["unconfirmed_because"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn schedules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schedules")
}

#[test]
fn races_of_systems_are_found_and_mended_ones_are_not() {
    let expect = [
        ("pool_lent", "deadlock"),
        ("pool_taken_back", ""),
        ("pool_checked", ""),
        ("lock_kept", "crash gave_back_for_another"),
        ("lock_given_back", ""),
        ("restarted", "crash badarg"),
        ("restarted_and_known", ""),
        ("intensity", ""),
        ("cache_lost", "crash badarg"),
        ("cache_inherited", ""),
        ("registered_twice", "crash {not_started,{badarg,"),
        ("registered_once", ""),
        ("groups", "crash not_gone"),
        ("groups_settled", ""),
        ("door", "crash locked_out"),
        ("door_mended", ""),
    ];
    check(&schedules(), "systems.erl", &expect);
}

#[test]
fn races_of_elixir_are_found_and_mended_ones_are_not() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("raced");
    std::fs::create_dir_all(&dir).expect("a directory");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/raced.ex");
    let done = Command::new("elixirc").arg("-o").arg(&dir).arg(source).output().expect("elixirc");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let expect = [
        ("agent_lost", "crash {badmatch,1}"),
        ("agent_kept", ""),
        ("registry_taken", "crash {badmatch,{error,{already_registered,"),
        ("registry_shared", ""),
        ("tasks_raced", "crash {badmatch,[{k,1}]}"),
        ("tasks_joined", ""),
        ("child_asked", "crash {noproc,"),
        ("child_waited_for", ""),
    ];
    check(&dir, "Elixir.Raced.beam", &expect);
}

/// Findings that can't be confirmed depend on something that BEAM does not repeat (the number of processes), or on a
/// step within the end of another process.
#[test]
fn nearly_all_findings_are_confirmed() {
    let (mut n, mut n_confirmed, mut missed) = (0, 0, Vec::new());
    for target in ["joint", "otp_races", "scenarios", "signals", "waits"] {
        let report = report(&schedules(), &format!("{target}.erl"), &[]);
        for unit in units(&report) {
            for finding in findings(unit) {
                n += 1;
                if finding["confirmed"] == true {
                    n_confirmed += 1;
                } else {
                    missed.push(format!("{} {}", unit["unit"], finding["unconfirmed_because"]));
                }
            }
        }
    }
    assert!(n > 60 && n_confirmed * 100 >= n * 95, "{n_confirmed} of {n}: {missed:#?}");
}
