//! Tests `gimlet test` on exercise solutions and classic benchmarks without declarations: clauses are completed,
//! plunit files pass, findings are confirmed, and a second report equals the first.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test, and swipl")]

mod common;
#[path = "common/compare.rs"]
mod compare;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/prolog/covered");

/// Programs with the number of completed clauses, the number of all clauses, and the kinds of findings that count. A
/// clause that ends in `fail` or `throw/1` counts as completed when it does so; no goal reaches the uncompleted ones.
const EXERCISES: &[(&str, usize, usize, &[&str])] = &[
    ("account", 7, 7, &["crash"]),
    ("accumulate", 6, 6, &[]),
    ("adventure", 14, 14, &[]),
    ("acronym", 3, 3, &[]),
    ("allergies", 10, 10, &[]),
    ("allyourbase", 5, 5, &[]),
    ("anagram", 2, 2, &[]),
    ("arith", 20, 20, &[]),
    ("armstrong", 1, 1, &[]),
    ("atbash", 7, 7, &[]),
    ("automaton", 10, 10, &[]),
    ("bank", 8, 8, &[]),
    ("beer", 7, 7, &[]),
    ("bfs", 5, 5, &[]),
    ("binsearch", 6, 6, &[]),
    ("bob", 8, 8, &[]),
    ("bowling", 6, 6, &[]),
    ("brackets", 11, 11, &[]),
    ("browse", 27, 29, &[]),
    ("bst", 19, 19, &[]),
    ("caesar", 3, 3, &[]),
    ("calc", 10, 10, &[]),
    ("cells", 10, 10, &[]),
    ("clock", 4, 4, &[]),
    ("collatz", 4, 4, &[]),
    ("complexnum", 8, 8, &["crash"]),
    ("counter", 12, 12, &["crash"]),
    ("crypt", 19, 20, &[]),
    ("csv", 4, 4, &[]),
    ("customset", 9, 9, &[]),
    ("dates", 10, 10, &[]),
    ("deriv", 10, 10, &[]),
    ("determinant", 11, 12, &["crash"]),
    ("dfs", 8, 8, &[]),
    ("diamond", 4, 4, &[]),
    ("diffsquares", 3, 3, &[]),
    ("dnd", 3, 3, &[]),
    ("dominoes", 6, 6, &[]),
    ("eliza", 6, 6, &[]),
    ("etl", 1, 1, &[]),
    ("finite_domains", 10, 10, &[]),
    ("flatten", 23, 23, &[]),
    ("forth", 17, 17, &["crash", "crash", "crash"]),
    ("freq", 6, 6, &[]),
    ("grade", 9, 9, &["crash", "crash"]),
    ("gradeschool", 5, 5, &[]),
    ("grains", 3, 3, &[]),
    ("graph", 11, 11, &[]),
    ("hamming", 4, 4, &[]),
    ("handshake", 5, 5, &[]),
    ("higher", 9, 9, &[]),
    ("huffman", 6, 6, &[]),
    ("inventory", 9, 9, &["crash"]),
    ("isbn", 5, 5, &[]),
    ("isogram", 5, 5, &[]),
    ("jsonlite", 11, 11, &[]),
    ("knapsack", 4, 4, &[]),
    ("largestseries", 1, 1, &[]),
    ("last", 12, 12, &[]),
    ("leap", 2, 2, &[]),
    ("leapval", 5, 5, &[]),
    ("lending", 12, 12, &["crash", "crash"]),
    ("linkedqueue", 5, 5, &[]),
    ("logic", 12, 12, &[]),
    ("luhn", 6, 6, &[]),
    ("matrix", 9, 9, &[]),
    ("matrixsum", 4, 4, &[]),
    ("memo", 3, 3, &[]),
    ("meta", 14, 14, &[]),
    ("minesweeper", 5, 5, &[]),
    ("monkey", 2, 2, &[]),
    ("nucleotide", 2, 2, &[]),
    ("p99a", 14, 14, &[]),
    ("palindrome", 4, 4, &[]),
    ("pangram", 1, 1, &[]),
    ("parens", 11, 11, &[]),
    ("parse_expr_atom", 14, 14, &[]),
    ("parse_json", 17, 17, &[]),
    ("pascal", 5, 5, &[]),
    ("perfect", 6, 6, &[]),
    ("phone", 3, 3, &[]),
    ("poker", 21, 21, &[]),
    ("protein", 11, 11, &[]),
    ("proverb", 4, 4, &[]),
    ("queen_attack", 4, 4, &[]),
    ("queue", 5, 5, &[]),
    ("raindrops", 4, 4, &[]),
    ("resistor", 6, 6, &[]),
    ("rle", 7, 7, &[]),
    ("rna", 5, 5, &[]),
    ("robot", 15, 15, &[]),
    ("robot_simulator", 13, 13, &[]),
    ("roman", 16, 16, &[]),
    ("rot", 4, 4, &[]),
    ("say", 37, 37, &[]),
    ("scrabble", 8, 8, &[]),
    ("seating", 7, 7, &[]),
    ("sentences", 25, 25, &[]),
    ("sieve", 4, 4, &[]),
    ("simplecalc", 16, 16, &[]),
    ("simplify", 9, 9, &[]),
    ("sort", 16, 16, &[]),
    ("spaceage", 5, 5, &[]),
    ("spiral", 8, 8, &[]),
    ("stack", 9, 9, &["crash", "crash"]),
    ("stackvm", 7, 7, &[]),
    ("strain", 9, 9, &[]),
    ("sublist", 5, 5, &[]),
    ("teller", 9, 9, &["crash", "crash"]),
    ("text", 19, 19, &[]),
    ("time", 4, 4, &[]),
    ("tokens", 10, 10, &[]),
    ("transposes", 4, 4, &[]),
    ("tree99", 12, 12, &[]),
    ("trees", 23, 23, &[]),
    ("triangle", 4, 4, &[]),
    ("tttoe", 12, 12, &[]),
    ("twelve", 8, 8, &[]),
    ("twofer", 3, 3, &[]),
    ("typecheck", 7, 7, &[]),
    ("vowels", 5, 5, &[]),
    ("wordcount", 5, 5, &[]),
    ("wordy", 14, 14, &["crash", "crash", "crash", "crash"]),
    ("yacht", 15, 15, &[]),
    ("zebra", 7, 7, &[]),
];

#[test]
fn exercises_are_covered_and_their_tests_pass() {
    let dir = fresh_dir("exercises");
    for (name, completed, total, findings) in EXERCISES {
        let found = report(name, &dir);
        let clauses = &found["modules"][0]["clauses"];
        let counted = (&clauses["covered"], &clauses["total"]);
        assert_eq!(counted, (&Value::from(*completed), &Value::from(*total)), "{name}");
        for clause in list(&found["modules"][0]["uncovered"]) {
            let is_told = clause["why"] == "unsatisfiable" || clause["why"] == "unknown";
            assert!(is_told, "{name}: {clause}");
        }
        let mut kinds = Vec::new();
        for unit in list(&found["units"]) {
            for finding in list(&unit["findings"]) {
                assert_eq!(finding["confirmed"], true, "{name}: {finding}");
                assert!(finding["line"].is_u64(), "{name}: {finding}");
                if finding["kind"] != "rejected" {
                    kinds.push(finding["kind"].as_str().expect("a kind").to_owned());
                }
            }
            for test in list(&unit["tests"]) {
                assert_eq!(test["confirmed"], true, "{name}: {test}");
            }
        }
        assert_eq!(kinds, *findings, "{name}");
        passes(&dir.join(format!("{name}.plt")));
    }
}

/// Libraries of SWI-Prolog with the minimum number of completed clauses, and the number of all clauses. Most of the
/// others only fail or throw, or are for the sandbox or the toplevel.
const LIBRARIES: &[(&str, u64, u64)] = &[
    ("lists", 97, 104),
    ("assoc", 93, 102),
    ("pairs", 21, 21),
    ("ordsets", 90, 90),
    ("ugraphs", 100, 101),
    ("aggregate", 90, 115),
    ("option", 30, 42),
    ("rbtrees", 160, 190),
    ("heaps", 27, 30),
];

#[test]
fn libraries_are_covered() {
    let dir = fresh_dir("libraries");
    for (name, completed, total) in LIBRARIES {
        let found = report(&library(name), &dir);
        let clauses = &found["modules"][0]["clauses"];
        assert_eq!(clauses["total"], *total, "{name}");
        assert!(clauses["covered"].as_u64() >= Some(*completed), "{name}: {clauses}");
        for unit in list(&found["units"]) {
            for finding in list(&unit["findings"]) {
                assert_eq!(finding["confirmed"], true, "{name}: {finding}");
            }
        }
    }
}

/// The path of a library, as `swipl` finds it, without `.pl`.
fn library(name: &str) -> String {
    let goal = format!(
        "absolute_file_name(library({name}), P, [file_type(prolog)]), \
         file_name_extension(F, _, P), write(F)"
    );
    let done = Command::new("swipl").args(["-g", &goal, "-t", "halt"]).output();
    String::from_utf8_lossy(&done.expect("swipl is installed").stdout).into_owned()
}

#[test]
fn the_same_program_has_the_same_report() {
    let dir = fresh_dir("again");
    for name in ["parse_expr_atom", "graph", "higher", "sort"] {
        let timeless = || compare::timeless(report(name, &dir));
        compare::assert_same(&timeless(), &timeless(), name);
    }
}

fn list(of: &Value) -> &[Value] {
    of.as_array().expect("a list")
}

fn report(name: &str, dir: &Path) -> Value {
    let program = format!("{name}.pl");
    let options = ["test", "--format", "json", "--out"].map(OsStr::new);
    let done =
        common::gimlet(PROGRAMS, &[&options[..], &[dir.as_ref(), program.as_ref()]].concat());
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    // Goals `Module:Goal` whose module is no atom end differently on SWI-Prolog.
    let is_disagreement = |line: &str| line.starts_with("error[G036]") || line.starts_with("  ");
    assert!(said.lines().all(is_disagreement), "{name}: {said}");
    serde_json::from_slice(&done.stdout).expect("a document")
}

fn fresh_dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The directory need not exist.
    drop(fs::remove_dir_all(&dir));
    dir
}

/// Checks that `swipl -g run_tests -t halt FILE` passes without warnings.
#[track_caller]
fn passes(file: &Path) {
    let args = ["-g", "run_tests", "-t", "halt"];
    let done = Command::new("swipl").args(args).arg(file).output().expect("swipl is installed");
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(done.status.success(), "{}: {said}", file.display());
    assert!(said.contains("passed"), "{}: {said}", file.display());
    assert!(!said.contains("Warning") && !said.contains("ERROR"), "{}: {said}", file.display());
}
