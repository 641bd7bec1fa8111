//! Tests modules with a state: sequences of messages and calls that make them fail, and the tests made of these.
#![expect(
    clippy::disallowed_methods,
    reason = "the binary, OTP and Elixir are started as users do"
)]

mod common;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

fn report(args: &[&str]) -> Value {
    let done = common::gimlet(PROGRAMS, &[&["test", "--format", "json"], args].concat());
    serde_json::from_slice(&done.stdout).unwrap_or_else(|_| {
        panic!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
    })
}

/// The findings of a unit other than refusals: the call, and its outcome.
fn found(report: &Value, unit: &str) -> Vec<[String; 2]> {
    let units = report["units"].as_array().expect("units").iter();
    let of = units.filter(|it| it["unit"] == unit).map(|it| it["findings"].as_array());
    let all = of.flat_map(|it| it.expect("findings")).filter(|it| it["level"] != "refusal");
    let text = |it: &Value, name: &str| it[name].as_str().expect("text").to_owned();
    let mut res: Vec<[String; 2]> = all
        .map(|it| {
            assert_eq!(it["confirmed"], true, "{it:#}");
            ["shown", "reason"].map(|name| text(it, name))
        })
        .collect();
    res.sort();
    res
}

#[track_caller]
fn check(args: &[&str], unit: &str, expect: &[[&str; 2]]) {
    let report = report(args);
    let found = found(&report, unit);
    assert!(
        found.len() == expect.len() && found.iter().zip(expect).all(|it| it.0 == it.1),
        "{found:#?} but expected {expect:#?}"
    );
}

#[test]
fn a_server_that_breaks_after_some_message() {
    let start = "{ok,V1} = pile:start_link(1), ";
    let line = |rest: &str| format!("{start}{rest}");
    let [spoiled_average, spoiled_total, empty] = [
        "pile:add(V1, 77), pile:average(V1)",
        "pile:add(V1, 77), pile:total(V1)",
        "pile:average(V1)",
    ]
    .map(line);
    check(
        &["pile.erl", "--runs", "3000"],
        "pile:'$gen_server'/2",
        &[[&spoiled_average, "badarith"], [&spoiled_total, "badarith"], [&empty, "badarith"]],
    );
}

#[test]
fn a_state_machine_that_breaks_in_one_state() {
    let wrong = "lock:code(V1, 0), lock:code(V1, 0), lock:code(V1, [1,7]), lock:push(V1)";
    let steps = format!("{{ok,V1}} = lock:start_link(), {wrong}");
    check(&["lock.erl", "--runs", "4000"], "lock:'$gen_statem'/2", &[[&steps, "badarith"]]);
}

#[test]
fn calls_that_share_a_table() {
    check(
        &["tally.erl", "--sequence", "4", "--runs", "1000"],
        "tally:'$functions'/2",
        &[["tally:start(), tally:dec(b)", "{badmatch,[]}"]],
    );
}

#[test]
fn callbacks_are_no_units_unless_somebody_asks() {
    let names = |args: &[&str]| -> Vec<String> {
        let report = report(args);
        let units = report["units"].as_array().expect("units").iter();
        units.map(|it| it["unit"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&["pile.erl", "--runs", "10"]), ["pile:'$gen_server'/2"]);
    let asked = ["pile.erl", "-f", "pile:handle_call/3", "--runs", "10"];
    assert_eq!(names(&asked), ["pile:handle_call/3"]);
    let system = ["pile.erl", "-f", "pile:'$gen_server'/2", "--runs", "10"];
    assert_eq!(names(&system), ["pile:'$gen_server'/2"]);
}

fn empty_dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::remove_dir_all(&dir).ok();
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

fn passes(command: &mut Command, dir: &Path) {
    let done = command.current_dir(dir).output().expect("it starts");
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(done.status.success() && !said.contains("Failed: "), "{said}");
}

#[test]
fn its_tests_pass_and_its_inputs_can_be_replayed() {
    let dir = &empty_dir("systems_erlang");
    std::fs::copy(format!("{PROGRAMS}/pile.erl"), dir.join("pile.erl")).expect("a copy");
    let done = common::gimlet(dir, &["test", "pile.erl", "--out", "out", "--runs", "200"]);
    assert_eq!(done.status.code(), Some(1));
    let files = ["pile.erl", "out/pile_gimlet_tests.erl"];
    passes(Command::new("erlc").args(["-o", "out"]).args(files), dir);
    let run = "case eunit:test(pile_gimlet_tests) of ok -> halt(0); _ -> halt(1) end.";
    passes(Command::new("erl").args(["-noshell", "-pa", "out", "-eval", run]), dir);
    let replayed = common::gimlet(dir, &["replay", "out/report.json"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stdout));
}

#[test]
fn a_server_in_elixir() {
    let dir = &empty_dir("systems_elixir");
    let source = format!("{PROGRAMS}/purse.ex");
    let Ok(done) = Command::new("elixirc").args(["-o", "ebin", &source]).current_dir(dir).output()
    else {
        return;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let args = ["test", "ebin", "--out", "out", "--runs", "1500", "--format", "json"];
    let done = common::gimlet(dir, &args);
    let report: Value = serde_json::from_slice(&done.stdout).expect("a report");
    let found = found(&report, "'Elixir.Purse':'$gen_server'/2");
    let start = "{:ok, v1} = Purse.start_link(0); ";
    let shown: Vec<&str> = found.iter().filter_map(|it| it[0].strip_prefix(start)).collect();
    assert_eq!(shown, ["Purse.average(v1)", "Purse.put(v1, :a, 13); Purse.value(v1, :a)"]);
    let run = ["-pa", "ebin", "-e", "ExUnit.start()", "-r", "out/purse_gimlet_test.exs"];
    passes(Command::new("elixir").args(run), dir);
}
