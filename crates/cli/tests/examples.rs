//! Tests that the examples in `examples/` show what their `.out` files say. `UPDATE_EXPECT=1` writes these files anew.
#![expect(clippy::disallowed_methods, reason = "it reads the files beside the examples")]

mod common;

use expect_test::expect_file;
use std::path::PathBuf;

fn directory() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

/// Compares the findings that a command prints with a file. Calls from OTP's own functions are left out, because
/// their lines depend on the release; so are the tables after the findings, which contain times.
#[track_caller]
fn check(file: &str, options: &[&str]) {
    let done = common::gimlet(directory(), &[&["test", file], options].concat());
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let is_table = |it: &&str| it.starts_with("function ") || it.starts_with("predicate ");
    let findings = text.lines().take_while(|it| !is_table(it));
    let findings: Vec<&str> =
        findings.filter(|it| !it.starts_with("       in call from ")).collect();
    let command = [&["gimlet", "test", file], options].concat().join(" ");
    let found = format!("$ {command}\n{}\n", findings.join("\n").trim_end());
    let name = file.split('.').next().unwrap_or(file);
    expect_file![directory().join(format!("{name}.out"))].assert_eq(&found);
}

#[test]
fn a_gen_server_is_tested_by_sequences_of_calls() {
    check("till.erl", &["--runs", "300"]);
}

#[test]
fn a_race_is_found_by_the_order_of_steps() {
    check("hits.erl", &["--schedules"]);
}

#[test]
fn a_parser_is_given_messages() {
    check("wire.erl", &["--runs", "100"]);
}

#[test]
fn an_elixir_module_is_given_structs_and_texts() {
    check("booking.ex", &["--runs", "100"]);
}

#[test]
fn a_grammar_is_run_both_ways() {
    check("recipe.pl", &["--runs", "200"]);
}
