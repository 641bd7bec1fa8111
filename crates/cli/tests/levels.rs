//! Tests the levels of findings: broken promises, suspicious findings and refusals.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

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

/// Checks the level and reason of each finding of a function of `meant.erl`, and the beginning of its explanation.
#[track_caller]
fn check(function: &str, expect: &[[&str; 3]]) {
    let report = report(&["meant.erl", "-f", function, "--runs", "400"]);
    let text = |it: &Value, name: &str| it[name].as_str().expect("text").to_owned();
    let found: Vec<[String; 3]> = findings(&report)
        .into_iter()
        .map(|it| ["level", "reason", "because"].map(|name| text(it, name)))
        .collect();
    let is_same = |(found, expect): (&[String; 3], &[&str; 3])| {
        found[..2] == expect[..2] && found[2].starts_with(expect[2])
    };
    assert!(
        found.len() == expect.len() && found.iter().zip(expect).all(is_same),
        "{function}: {found:#?} but expected {expect:#?}"
    );
}

const NO_INTEGER: &str = "no call ended well with an integer as argument 1";

#[test]
fn a_value_among_accepted_ones_is_suspicious() {
    let accepted = "inputs of this shape end well: meant:";
    let no_list = "no call ended well with a list as an element of argument 1";
    check(
        "average/1",
        &[
            ["refusal", "function_clause", NO_INTEGER],
            ["suspicious", "badarith", accepted],
            ["refusal", "badarith", no_list],
        ],
    );
    check(
        "port/1",
        &[
            ["suspicious", "function_clause", accepted],
            ["suspicious", "badarith", accepted],
            ["refusal", "function_clause", "no clause of meant:port/1 takes it"],
        ],
    );
    check(
        "parsed/1",
        &[
            ["suspicious", "function_clause", accepted],
            ["refusal", "function_clause", "no clause of meant:parsed/1 takes it"],
        ],
    );
    check("found/1", &[["suspicious", "found", "the code itself raises found"]]);
}

#[test]
fn an_explicit_spec_is_a_promise_where_it_says_something() {
    check("kept/1", &[["promise", "badarith", "the spec allows this input"]]);
    let no_list = "no call ended well with a list as argument 2";
    check("typed/2", &[["refusal", "badarith", no_list]]);
    check("loose/2", &[["refusal", "badarith", no_list]]);
}

#[test]
fn what_is_refused_on_purpose_or_misses_a_system_is_a_refusal() {
    check("thrown/1", &[["refusal", "{too_large,4}", "thrown/1 refuses such inputs"]]);
    check("checked/1", &[["refusal", "badarg", "checked/1 refuses such inputs"]]);
    check("looked_up/1", &[["refusal", "badarg", "it needs the table no_such_table"]]);
    let call = "{noproc,{gen_server,call,[no_such_server,[]]}}";
    check("asked/1", &[["refusal", call, "it needs a process"]]);
    check(
        "named/1",
        &[
            ["refusal", "badarg", "no call was found that ends well"],
            ["refusal", "undef", "it needs the function a:run"],
        ],
    );
}

#[test]
fn a_system_that_is_not_there_is_missing_whatever_the_spec_says() {
    check("memory/1", &[["refusal", "badarg", "it needs a registered process"]]);
    let call =
        |why: &str, node: &str| format!("{{{why},{{gen_server,call,[{{server,{node}}},ask]}}}}");
    check(
        "remote/1",
        &[
            ["refusal", &call("{nodedown,a}", "a"), "it needs another node"],
            ["refusal", &call("noproc", "nonode@nohost"), "it needs a process"],
        ],
    );
    check("letter/1", &[["refusal", "badarg", "it holds a surrogate code point"]]);
}

#[test]
fn what_the_clause_for_everything_else_raises_is_refused() {
    let check_refused = |function: &str, reason: &str, because: &str| {
        let report = report(&["meant.erl", "-f", function, "--runs", "400"]);
        let found = findings(&report);
        let is_it = |it: &&&Value| it["reason"].as_str().is_some_and(|it| it.starts_with(reason));
        let it = found.iter().find(is_it).unwrap_or_else(|| panic!("{reason}: {found:#?}"));
        assert_eq!(it["level"], "refusal", "{it:#}");
        assert!(it["because"].as_str().is_some_and(|it| it.starts_with(because)), "{it:#}");
    };
    check_refused("validated/1", "{unknown_option,", "validated/1 refuses such inputs");
    check_refused("option/1", "too_large", "option/1 refuses such inputs");
}

/// Checks the level and reason of each finding of a function of `unsaid.erl`, and the beginning of its explanation.
#[track_caller]
fn check_unsaid(function: &str, expect: &[[&str; 3]]) {
    let report = report(&["unsaid.erl", "-f", function, "--runs", "300"]);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let found: Vec<[String; 3]> = findings(&report)
        .into_iter()
        .map(|it| ["level", "reason", "because"].map(|name| text(it, name)))
        .collect();
    for it in expect {
        let is_it = |found: &&[String; 3]| {
            found[0] == it[0] && found[1].starts_with(it[1]) && found[2].starts_with(it[2])
        };
        assert!(found.iter().any(|found| is_it(&found)), "{function}: {it:?} of {found:#?}");
    }
    let is_shown = |it: &&[String; 3]| it[0] != "refusal";
    let n_shown = found.iter().filter(is_shown).count();
    let n_expected = expect.iter().filter(|it| it[0] != "refusal").count();
    assert_eq!(n_shown, n_expected, "{function}: {found:#?}");
}

#[test]
fn a_text_that_no_result_could_refuse_is_refused_by_an_exception() {
    let reads = "unsaid:month/1 reads a text, and no result of it says no";
    check_unsaid("month/1", &[["refusal", "function_clause", reads], ["refusal", "badarg", reads]]);
    check_unsaid("volume/1", &[["promise", "function_clause", "the spec allows this input"]]);
    check_unsaid("shout/1", &[["promise", "function_clause", "the spec allows this input"]]);
    let own = "day/1 refuses such inputs";
    check_unsaid(
        "day/1",
        &[["refusal", "badarg", own], ["promise", "function_clause", "the spec allows this input"]],
    );
}

#[test]
fn functions_of_which_no_spec_says_more_are_made_up() {
    let number = "no spec says how many arguments the function in argument 1 takes";
    check_unsaid("kept/2", &[["refusal", "{badarity,", number]]);
    let result = "no spec says what the function returns that is argument 1";
    check_unsaid("sorted/2", &[["refusal", "", result]]);
    check_unsaid("counted/2", &[["promise", "badarith", "the spec allows this input"]]);
}

#[test]
fn records_hold_what_the_project_puts_into_them() {
    check_unsaid("used/1", &[["suspicious", "badarith", "inputs of this shape end well"]]);
    let put = "no code in the project puts";
    check_unsaid("spent/1", &[["refusal", "badarith", put]]);
}

#[test]
fn what_another_function_does_not_take_is_not_of_the_one_that_asks_it() {
    let absent = "it needs the module unsaid_and_not_there, which is not there";
    check_unsaid("remote/1", &[["refusal", "undef", absent]]);
    let handed = "it only hands its arguments to queue:get/1";
    check_unsaid("front/1", &[["refusal", "empty", handed]]);
    check_unsaid("second/1", &[["promise", "empty", "the spec allows this input"]]);
    let args = "[unsaid, month, [\"x\"]]";
    let report = report(&["unsaid.erl", "-f", "called/3", "--args", args, "--runs", "1"]);
    let because = findings(&report)[0]["because"].clone();
    assert_eq!(because, "the input itself names the function that fails: unsaid:month");
}

#[test]
fn one_cause_is_shown_once_with_all_functions_that_lead_there() {
    let report = report(&["meant.erl", "-f", "outer/1", "-f", "inner/1", "--runs", "200"]);
    let [outer, inner] = findings(&report)[..] else { panic!("two findings: {report}") };
    assert_eq!(outer["cause"], inner["cause"]);
    let shown = if inner["same_as"].is_null() { [inner, outer] } else { [outer, inner] };
    assert_eq!(shown[1]["same_as"], shown[0]["id"]);
    assert_eq!(shown[0]["also_through"].as_array().map(Vec::len), Some(1));
}

/// `[42]` and `[42.0]` fail because of their values, since `[41]` and `[41.5]` end well.
#[test]
fn the_running_example_has_two_suspicious_findings() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/example.erl");
    let report = report(&[example]);
    let found: Vec<String> = findings(&report)
        .iter()
        .map(|it| format!("{} {}", it["level"], it["call"]).replace('"', ""))
        .collect();
    let expected = [
        "refusal example:foo(0)",
        "suspicious example:foo([42])",
        "suspicious example:foo([42.0])",
    ];
    assert_eq!(found, expected);
}

/// Crashes of functions private to the project on inputs that no call site passes are refusals. Functions that are
/// passed as data, or are public, are not bounded by call sites.
#[test]
fn what_no_call_in_the_project_gives_is_a_refusal() {
    let report = report(&["callers/front.erl", "callers/back.erl", "--runs", "300"]);
    let found: Vec<String> = findings(&report)
        .iter()
        .filter(|it| it["call"].as_str().is_some_and(|it| it.starts_with("back:")))
        .filter(|it| it["kind"] != "rejected")
        .map(|it| format!("{} {}: {}", it["level"], it["call"], it["because"]).replace('"', ""))
        .collect();
    let called = "the call is in front.erl";
    let expected = [
        "refusal back:product([0|0]): no call ended well with an integer as the rest of argument 1",
        "refusal back:product([[],0]): no call ended well with a list as an element of argument 1",
        &format!(
            "refusal back:ball({{cone,0}}): no call in the project gives a tuple of 2 that begins \
             with cone as argument 1: {called}:7"
        ),
        &format!(
            "refusal back:ball({{ball,[]}}): no call in the project gives a list as element 2 of \
             argument 1: {called}:7"
        ),
        "suspicious back:twice(0): inputs of this shape end well: back:twice(1)",
        &format!(
            "refusal back:twice([]): no call in the project gives a list as argument 1: {called}:10"
        ),
        "suspicious back:twice(7): inputs of this shape end well: back:twice(1)",
        "suspicious back:passed_on(0): inputs of this shape end well: back:passed_on(1)",
        "refusal back:hidden([]): no call in the project gives a list as argument 1: the call is in back.erl:15",
        "suspicious back:hidden(7): inputs of this shape end well: back:hidden(0)",
        "suspicious back:offered(0): inputs of this shape end well: back:offered(1)",
        "refusal back:scaled(0, 0): no call in the project gives an integer as argument 1: the call is in back.erl:14",
        "refusal back:scaled(a, []): no call in the project gives a as argument 1: the call is in back.erl:14",
        "refusal back:clamped(0): no call in the project gives 0 as argument 1: the call is in back.erl:21",
        "refusal back:clamped(1): no call in the project gives 1 as argument 1: the call is in back.erl:21",
        "refusal back:left_alone(0): its documentation hides it, and no call in the project shows what it is for",
    ];
    assert_eq!(found, expected, "{found:#?}");
}

/// `__info__`, which Elixir's compiler adds to each module, names all other functions without calling them.
#[test]
fn a_hidden_module_of_elixir_is_meant_for_what_the_project_gives_it() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hidden-module");
    fs::create_dir_all(&dir).expect("a directory");
    let out = dir.to_str().expect("a path");
    let done =
        Command::new("elixirc").args(["-o", out, "hidden.ex"]).current_dir(PROGRAMS).output();
    let done = done.expect("elixirc");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report = report(&[out, "--runs", "200"]);
    let inner: Vec<String> = findings(&report)
        .iter()
        .filter(|it| it["shown"].as_str().is_some_and(|it| it.starts_with("Till.Inner.")))
        .filter(|it| it["kind"] != "rejected")
        .map(|it| format!("{} {}: {}", it["level"], it["shown"], it["because"]).replace('"', ""))
        .collect();
    let no_call = "no call in the project gives a tuple of 2 that begins with tree as argument 1";
    let unknown = "the project keeps it to itself, and its calls do not show what it is given";
    assert!(inner.iter().all(|it| it.starts_with("refusal")), "{inner:#?}");
    for why in [no_call, unknown] {
        assert!(inner.iter().any(|it| it.contains(why)), "{why}: {inner:#?}");
    }
}
