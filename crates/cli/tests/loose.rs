//! Tests how crashes are rated where a spec is too wide: on atoms, keys, texts, handles and functions that the types
//! allow but the code does not intend, they are refusals; on intended inputs, they stay findings.
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

/// Checks the findings of a function of `loose.erl`: the level, and the beginning of the line that gives the reason.
#[track_caller]
fn check(function: &str, expect: &[[&str; 2]]) {
    let report = report(&["loose.erl", "-f", function, "--runs", "300"]);
    let found = findings(&report);
    let found: Vec<[&str; 2]> = found
        .iter()
        .map(|it| [it["level"].as_str().expect("text"), it["because"].as_str().expect("text")])
        .collect();
    let is_same = |(found, expect): (&[&str; 2], &[&str; 2])| {
        found[0] == expect[0] && found[1].starts_with(expect[1])
    };
    assert!(
        found.len() == expect.len() && found.iter().zip(expect).all(is_same),
        "{function}: {found:#?} but expected {expect:#?}"
    );
}

const ALLOWED: &str = "the spec allows this input";

#[test]
fn an_atom_that_no_clause_takes_is_refused_unless_a_result_says_no() {
    check(
        "setting/1",
        &[["refusal", "the spec says no more of argument 1 than that it is an atom"]],
    );
    check("known/1", &[["promise", ALLOWED]]);
}

#[test]
fn a_key_that_is_not_there_is_refused() {
    check("take/2", &[["refusal", "take/2 looks for a key that is not there, and gets error"]]);
    check("held/2", &[["promise", ALLOWED]]);
    check("share/2", &[["promise", ALLOWED]]);
}

#[test]
fn a_text_stands_for_what_the_runtime_has() {
    check("process/2", &[["refusal", "it needs what "]]);
    check("told/2", &[["refusal", "it needs the device a"]]);
}

#[test]
fn an_atom_for_one_text_and_a_part_of_a_text_are_no_way_to_say_no() {
    check("method/1", &[["refusal", "loose:method/1 reads a text"]]);
    check("say/2", &[["refusal", "loose:say/2 reads a text"]]);
}

#[test]
fn a_format_that_is_read_is_not_every_text() {
    let reads = "loose:key/1 reads a text";
    check("key/1", &[["refusal", reads], ["refusal", reads]]);
    check("digits/1", &[["refusal", "digits/1 refuses such texts with an exception of its own"]]);
    check("either/1", &[["refusal", "loose:either/1 reads a text"]]);
    let bytes = "it is used as bytes, and iolist_size/1 takes no such one";
    let report = report(&["loose.erl", "-f", "size_of/1", "--runs", "300"]);
    let found = findings(&report);
    assert!(found.iter().any(|it| it["because"] == bytes), "{found:#?}");
    assert!(found.iter().all(|it| it["level"] == "refusal"), "{found:#?}");
}

#[test]
fn what_is_accepted_beside_other_parts_only_is_refused() {
    let report = report(&["loose.erl", "-f", "sized/2", "--runs", "300"]);
    let found: Vec<String> = findings(&report)
        .iter()
        .filter(|it| it["kind"] != "rejected")
        .map(|it| format!("{} {}: {}", it["level"], it["call"], it["because"]).replace('"', ""))
        .collect();
    let expected = [
        "refusal loose:sized(list, 0): no call ended well with an integer as argument 2 and the atom list as argument 1",
        "suspicious loose:sized(list, [3]): inputs of this shape end well: ",
    ];
    for it in expected {
        assert!(found.iter().any(|found| found.starts_with(it)), "{it}: {found:#?}");
    }
    let is_of_number = |it: &&String| it.contains("loose:sized(number, ");
    assert!(found.iter().filter(is_of_number).all(|it| it.starts_with("refusal")), "{found:#?}");
}

#[test]
fn a_builtin_says_what_is_a_match_specification() {
    check("compiled/1", &[["refusal", "it hands on what ets:match_spec_compile does not take"]]);
}

#[test]
fn each_function_is_taken_for_what_the_spec_says_of_it() {
    check("first/2", &[["refusal", "the function in argument 2 returned it"]]);
    let number = "no spec says how many arguments the function takes that lists:map/2";
    check("each/2", &[["refusal", number]]);
}

#[test]
fn a_result_that_is_handed_on_is_one_finding() {
    let report = report(&["loose.erl", "-f", "total/1", "-f", "total/2", "--runs", "50"]);
    let found = findings(&report);
    let [first, second] = found[..] else { panic!("two findings: {found:#?}") };
    let shown: Vec<&Value> = found.iter().copied().filter(|it| it["same_as"].is_null()).collect();
    assert_eq!((shown.len(), &first["level"]), (1, &second["level"]), "{found:#?}");
    assert_eq!(shown[0]["also_through"].as_array().map(Vec::len), Some(1), "{found:#?}");
}

#[test]
fn a_callback_is_meant_for_what_the_calls_of_some_module_give() {
    let report = report(&["handlers/bus.erl", "handlers/printer.erl", "--runs", "300"]);
    let found = findings(&report);
    let of_printer: Vec<String> = found
        .iter()
        .filter(|it| it["call"].as_str().is_some_and(|it| it.starts_with("printer:")))
        .filter(|it| it["kind"] != "rejected")
        .map(|it| format!("{} {}", it["level"], it["call"]).replace('"', ""))
        .collect();
    assert!(of_printer.contains(&"suspicious printer:event({number,7})".to_owned()), "{found:#?}");
    assert!(
        of_printer.iter().any(|it| it.starts_with("refusal printer:event({word,")),
        "{found:#?}"
    );
}

#[test]
fn a_struct_that_nobody_makes_is_refused() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("parcel");
    fs::create_dir_all(&dir).expect("a directory");
    let out = dir.to_str().expect("a path");
    let done =
        Command::new("elixirc").args(["-o", out, "parcel.ex"]).current_dir(PROGRAMS).output();
    let done = done.expect("elixirc");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report = report(&[out, "--runs", "300"]);
    let found = findings(&report);
    let levels: Vec<(&str, &str)> = found
        .iter()
        .filter(|it| it["kind"] != "rejected")
        .map(|it| (it["level"].as_str().expect("text"), it["because"].as_str().expect("text")))
        .collect();
    let is_unmade = |it: &&(&str, &str)| it.1.contains("that nobody makes");
    assert!(levels.iter().any(|it| is_unmade(&it)), "{found:#?}");
    assert!(levels.iter().filter(is_unmade).all(|it| it.0 == "refusal"), "{found:#?}");
    assert!(levels.iter().any(|it| it.0 == "suspicious"), "{found:#?}");
}
