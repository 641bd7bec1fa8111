//! Tests `gimlet test file.pl`: goals that complete the clauses, plunit files, findings.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test, and swipl")]

mod common;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/prolog");

/// Standard output, standard error and the exit code.
fn gimlet(args: &[&str]) -> (String, String, i32) {
    let done = common::gimlet(PROGRAMS, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(done.stdout), text(done.stderr), done.status.code().expect("no signal"))
}

#[track_caller]
fn report(args: &[&str]) -> (Value, i32) {
    let (stdout, stderr, code) = gimlet(&[&["test", "--format", "json"], args].concat());
    (serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}")), code)
}

fn fresh_dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The directory need not exist.
    drop(fs::remove_dir_all(&dir));
    dir
}

/// The number of completed clauses and of all clauses of the program, over all its units.
fn clauses(report: &Value) -> (u64, u64) {
    let number = |name: &str| report.pointer(&format!("/modules/0/clauses/{name}"));
    let number = |name: &str| number(name).and_then(Value::as_u64).expect("a number");
    (number("covered"), number("total"))
}

fn tests_of(report: &Value) -> Vec<&Value> {
    let units = report["units"].as_array().expect("units");
    units.iter().flat_map(|it| it["tests"].as_array().expect("tests")).collect()
}

#[test]
fn the_program_of_section_5_2_is_covered_by_few_tests() {
    section_5_2("reverse.pl", false);
    // SWI-Prolog forbids to define `length/2`; it confirms the tests under another name.
    section_5_2("reverse_renamed.pl", true);
}

#[track_caller]
fn section_5_2(file: &str, is_confirmed: bool) {
    let goal = "main([a,b],s(0),R)";
    let (report, code) = report(&[file, "--mode", "main(+,+,-)", "--goal", goal]);
    assert_eq!(code, if is_confirmed { 0 } else { 2 });
    assert_eq!(clauses(&report), (8, 8));
    assert_eq!(report.pointer("/units/0/unit"), Some(&Value::from("main/3")));
    assert_eq!(report.pointer("/units/0/coverage/clauses/entered"), Some(&Value::from(8)));
    let tests = tests_of(&report);
    assert!(tests.len() <= 4, "{tests:?}");
    let first = tests.first().expect("a test");
    assert_eq!(first["args"], serde_json::json!(["[a,b]", "s(0)", "R"]));
    assert_eq!(first["outcome"], "true");
    assert_eq!(first["bindings"], serde_json::json!({"R": "error"}));
    assert!(tests.iter().all(|it| it["confirmed"] == is_confirmed), "{tests:?}");
}

#[test]
fn example_1_has_a_clause_that_nothing_completes() {
    let goal = "main([a,b],s(0),R)";
    let args = ["example1.pl", "--mode", "main(+,+,-)", "--goal", goal];
    let (found, _) = report(&args);
    assert_eq!(clauses(&found), (7, 9));
    let uncovered = found.pointer("/modules/0/uncovered").and_then(Value::as_array);
    let uncovered = uncovered.expect("uncovered clauses");
    let first = uncovered.first().expect("a clause");
    assert_eq!(first["function"], "main/3");
    assert_eq!(first["line"], 1);
    assert_eq!(first["entered"], true);
    assert_eq!(first["stuck"], "foo(a)");
    assert!(uncovered.iter().all(|it| it["why"] == "unsatisfiable"), "{uncovered:?}");
    let (text, _, _) = gimlet(&[&["test"][..], &args].concat());
    assert!(text.contains("clause 1 of main/3: entered, but foo(a) never succeeds"), "{text}");
}

#[test]
fn example_2_needs_another_goal() {
    let (report, _) = report(&["example2.pl", "--goal", "p(a)"]);
    assert_eq!(clauses(&report), (5, 5));
    let calls: Vec<&str> = tests_of(&report).iter().filter_map(|it| it["call"].as_str()).collect();
    assert_eq!(calls, ["p(a)", "p(b)"]);
}

/// Programs with the number of completed clauses, and the number of all clauses. Clauses that end in `fail` or
/// `throw/1`, and facts that no goal of the program asks for, can't be completed.
const CLASSICS: &[(&str, u64, u64)] = &[
    ("applast", 5, 5),
    ("classifier", 3, 3),
    ("cuts", 11, 11),
    ("depth", 8, 8),
    ("exceptions", 9, 9),
    ("expression", 13, 13),
    ("family", 16, 19),
    ("fibonacci", 3, 3),
    ("flip", 3, 3),
    ("hanoi", 2, 2),
    ("nrev", 4, 4),
    ("peano_fibonacci", 5, 5),
    ("queens", 11, 11),
    ("quicksort", 5, 5),
    ("regexp", 8, 8),
    ("rules", 3, 3),
    ("trees", 2, 2),
];

#[test]
fn every_reachable_clause_of_the_classics_is_completed() {
    let dir = fresh_dir("classics");
    for (name, completed, total) in CLASSICS {
        let file = format!("{name}.pl");
        let out = dir.to_str().expect("a path of text");
        let (found, _) = report(&[&file, "--out", out]);
        assert_eq!(clauses(&found), (*completed, *total), "{name}");
        let uncovered = found.pointer("/modules/0/uncovered").and_then(Value::as_array);
        for clause in uncovered.expect("uncovered clauses") {
            assert_eq!(clause["why"], "unsatisfiable", "{name}: {clause}");
        }
        for test in tests_of(&found) {
            assert_eq!(test["confirmed"], true, "{name}: {test}");
        }
        passes(&dir.join(format!("{name}.plt")));
    }
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

#[test]
fn promises_that_are_not_kept_are_found_and_confirmed() {
    let dir = fresh_dir("promises");
    let out = dir.to_str().expect("a path of text");
    let (found, code) = report(&["promises.pl", "--out", out]);
    assert_eq!(code, 1);
    let units = found["units"].as_array().expect("units");
    let mut lines = Vec::new();
    for unit in units {
        for it in unit["findings"].as_array().expect("findings") {
            assert_eq!(it["confirmed"], true, "{it}");
            let text = |name: &str| it[name].as_str().expect("text").to_owned();
            lines.push(format!("{} {} {}", text("kind"), text("call"), text("reason")));
        }
    }
    let expected = ["spec first(", "crash divide(", "spec pick(", "timeout loop("];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, start) in lines.iter().zip(expected) {
        assert!(line.starts_with(start), "{lines:#?}");
    }
    passes(&dir.join("promises.plt"));
    let record = dir.join("report.json");
    let (text, stderr, code) = gimlet(&["replay", record.to_str().expect("a path of text")]);
    assert_eq!(code, 0, "{text}{stderr}");
    assert!(text.contains("as recorded"), "{text}");
}

#[test]
fn choices_and_paths_are_covered_too() {
    let tests = |kind: &str| {
        let (found, _) = report(&["classifier.pl", "--coverage", kind]);
        tests_of(&found).len()
    };
    let (clause, choice, path) = (tests("clause"), tests("choice"), tests("path"));
    assert!(clause <= choice, "{clause} {choice}");
    assert!(6 <= choice, "{choice}");
    assert!(choice <= path, "{choice} {path}");
}

/// The report has the sets of clauses that calls match, including those with a clause that must not match.
#[test]
fn sets_of_clauses_that_calls_match() {
    let (found, _) = report(&["example2.pl", "--goal", "p(a)", "--coverage", "choice"]);
    let matched = found.pointer("/units/0/coverage/matched").and_then(Value::as_array);
    let sets = |name: &str| -> Vec<String> {
        let of = matched.expect("sets of clauses").iter().filter(|it| it["function"] == name);
        of.map(|it| it["clauses"].to_string()).collect()
    };
    assert_eq!(sets("s/1"), ["[]", "[1]", "[2]"], "{matched:?}");
    assert_eq!(sets("r/1"), ["[]", "[1]"], "{matched:?}");
    assert_eq!(found.pointer("/units/0/diverged"), Some(&Value::from(0)));
}

#[test]
fn without_swipl_nothing_is_confirmed() {
    let done = Command::new(env!("CARGO_BIN_EXE_gimlet"))
        .args(["test", "example2.pl", "--format", "json"])
        .current_dir(PROGRAMS)
        .env("PATH", "")
        .output()
        .expect("the binary starts");
    let found: Value = serde_json::from_slice(&done.stdout).expect("a report");
    assert_eq!(clauses(&found), (5, 5));
    assert!(tests_of(&found).iter().all(|it| it["confirmed"] == false));
    assert!(String::from_utf8_lossy(&done.stderr).contains("G034"));
}

/// Writes a program to a file and returns its path.
fn program(dir: &Path, name: &str, text: &str) -> String {
    fs::create_dir_all(dir).expect("a directory");
    let path = dir.join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("a path of text").to_owned()
}

/// A predicate for each kind of outcome.
const FORMS: &str = "
:- module(forms, [double/2, small/1, pick/2, either/1, strict/2, count/1]).
:- dynamic seen/1.
double(X, Y) :- Y is X * 2.
small(X) :- X < 10.
pick(X, [X|_]).
pick(X, [_|T]) :- pick(X, T).
either(X) :- member(X, [a, b]).
strict(X, _) :- X > 5, !, throw(error(too_large(X), _)).
strict(X, X).
count(N) :- retract(seen(M)), !, N is M + 1, assertz(seen(N)).
count(1) :- assertz(seen(1)).
";

#[test]
fn tests_have_every_form_and_pass() {
    let dir = fresh_dir("forms");
    let file = program(&dir, "forms.pl", FORMS);
    let out = dir.to_str().expect("a path of text");
    let (found, _) = report(&[&file, "--out", out]);
    assert_eq!(clauses(&found), (9, 9));
    let text = fs::read_to_string(dir.join("forms.plt")).expect("tests");
    let forms = ["true(", "fail]", "all(", "throws(error(", "nondet]", "setup(forms:count("];
    for form in forms {
        assert!(text.contains(form), "{form}: {text}");
    }
    passes(&dir.join("forms.plt"));
    // A replay repeats the goals before the recorded one.
    let record = dir.join("report.json");
    let (text, stderr, code) = gimlet(&["replay", record.to_str().expect("a path of text")]);
    assert_eq!(code, 0, "{text}{stderr}");
    assert!(text.contains("once(count("), "{text}");
}

/// Declarations of the same predicate in the usual notations.
const DECLARED: &[&str] = &[
    "%! total(+L:list(integer), -S:integer) is det.\n",
    ":- pred total(+list(integer), -integer).\n",
    ":- mode total(+list(integer), -integer) is det.\n",
    "",
];

/// Inputs are of the declared or inferred types: no partial lists, and no unrelated terms in them.
#[test]
fn inputs_are_of_the_declared_kind() {
    let dir = fresh_dir("declared");
    for declared in DECLARED {
        let clauses_of = "total([], 0).\ntotal([X|Xs], S) :- total(Xs, S0), S is S0 + X.\n";
        let file = program(&dir, "total.pl", &format!("{declared}{clauses_of}"));
        let (found, code) = report(&[&file]);
        assert_eq!(code, 0, "{declared}: {found:#}");
        assert_eq!(clauses(&found), (2, 2), "{declared}");
        for test in tests_of(&found) {
            let list = test["args"][0].as_str().expect("a list");
            let items = list.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            let items = items.expect("a list").split(',').filter(|it| !it.is_empty());
            let is_number = |it: &str| it.trim().parse::<i64>().is_ok();
            assert!(items.clone().all(is_number), "{declared}: {test}");
            assert_eq!(test["args"][1], "R", "{declared}: {test}");
        }
    }
}

/// Every generated goal takes the path that it was generated for, also where clauses must not match.
#[test]
fn goals_take_the_paths_that_they_were_made_for() {
    for file in ["classifier.pl", "quicksort.pl", "regexp.pl", "cuts.pl", "expression.pl"] {
        for kind in ["clause", "choice", "path"] {
            let (found, _) = report(&[file, "--coverage", kind, "--runs", "300"]);
            for unit in found["units"].as_array().expect("units") {
                assert_eq!(unit["diverged"], 0, "{file} {kind}: {unit}");
            }
        }
    }
}

/// Any of pairs and keys may be a result, and there are always longer lists.
const WAYS: &str = "
:- module(ways, [pairs/3]).
%!  pairs(?Pairs:list, ?Keys:list, ?Values:list) is nondet.
pairs(Pairs, Keys, Values) :- var(Pairs), !, nonvar(Keys), join(Keys, Values, Pairs).
pairs(Pairs, Keys, Values) :- var(Keys), !, keys(Pairs, Values, Keys).
pairs(Pairs, Keys, Values) :- both(Pairs, Keys, Values).
join([], [], []).
join([K|Keys], [V|Values], [K-V|Pairs]) :- join(Keys, Values, Pairs).
keys([], [], []).
keys([K-V|Pairs], [V|Values], [K|Keys]) :- keys(Pairs, Values, Keys).
both([], [], []).
both([K-V|Pairs], [K|Keys], [V|Values]) :- both(Pairs, Keys, Values).
";

/// Each mode of a predicate has a share of the limits, and together the modes use them up.
#[test]
fn bounds_are_shared_by_the_ways_to_call_a_predicate() {
    let dir = fresh_dir("ways");
    let file = program(&dir, "ways.pl", WAYS);
    let (in_time, _) = report(&[&file, "--time", "2s"]);
    assert_eq!(clauses(&in_time), (9, 9));
    let unit = in_time.pointer("/units/0").expect("a unit");
    assert_eq!(unit["stop"], "time", "{unit}");
    let within = |n: u64| {
        let (mut found, _) = report(&[&file, "--runs", &n.to_string()]);
        let unit = found.pointer_mut("/units/0").and_then(Value::as_object_mut);
        let mut unit = unit.expect("a unit").clone();
        assert_eq!(unit["runs"], n, "{unit:?}");
        assert_eq!(unit["stop"], "runs", "{unit:?}");
        unit.remove("elapsed_ms");
        (clauses(&found), unit)
    };
    for n in [3, 60, 300] {
        let (completed, unit) = within(n);
        assert!(n < 60 || completed == (9, 9), "{n}: {unit:?}");
        assert_eq!(within(n).1, unit);
    }
}

/// A mode whose paths are all explored leaves the rest of its share to the others.
#[test]
fn what_one_way_does_not_need_is_for_the_others() {
    let dir = fresh_dir("rest");
    let text = "%! kind(?X:oneof([a, b]), ?Xs:list) is nondet.\n\
                kind(X, Xs) :- nonvar(X), nonvar(Xs), !.\n\
                kind(X, Xs) :- var(X), nonvar(Xs), walk(Xs).\n\
                walk([]).\nwalk([_|Xs]) :- walk(Xs).\n";
    let file = program(&dir, "rest.pl", text);
    let (found, _) = report(&[&file, "--runs", "100"]);
    assert_eq!(clauses(&found), (4, 4));
    let unit = found.pointer("/units/0").expect("a unit");
    assert_eq!((&unit["runs"], &unit["stop"]), (&Value::from(100), &Value::from("runs")), "{unit}");
}

/// `:- det` is checked at run time, as SWI-Prolog does.
#[test]
fn predicates_that_are_declared_det_are_checked() {
    let dir = fresh_dir("det");
    let text = ":- det(sign/2).\nsign(X, neg) :- X < 0, !.\nsign(X, pos) :- X > 0.\n\
                :- det(pick/2).\npick([X|_], X).\npick([_, X|_], X).\n\
                :- det(fine/1).\nfine(X) :- ( X > 0 -> true ; true ).\n";
    let file = program(&dir, "det.pl", text);
    let run = |goal: &str| gimlet(&["run", &file, goal]).0;
    assert_eq!(run("sign(3, S)"), "S = pos.\n");
    assert_eq!(run("sign(0, S)"), "ERROR: Deterministic procedure sign/2 failed\n");
    let said = "ERROR: Deterministic procedure pick/2 succeeded with a choicepoint\n";
    assert_eq!(run("once(pick([1, 2], X))"), said);
    let out = dir.to_str().expect("a path of text");
    let (stdout, stderr, _) = gimlet(&["test", &file, "--format", "json", "--out", out]);
    let found: Value = serde_json::from_str(&stdout).expect("a report");
    for (unit, n) in [("sign/2", 1), ("pick/2", 1), ("fine/1", 0)] {
        let units = found["units"].as_array().expect("units");
        let unit = units.iter().find(|it| it["unit"] == unit).expect("the unit");
        let findings = unit["findings"].as_array().expect("findings");
        let broken = findings.iter().filter(|it| it["kind"] == "spec");
        let broken: Vec<&Value> = broken.inspect(|it| assert_eq!(it["confirmed"], true)).collect();
        assert_eq!(broken.len(), n, "{unit} {stderr}");
    }
    passes(&dir.join("det.plt"));
}

/// Reading continues after a syntax error, and the rest is tested.
#[test]
fn the_rest_of_a_file_with_mistakes_is_tested() {
    let dir = fresh_dir("mistakes");
    let text = "good(a).\nbad(X :- X.\ngood(b).\nloop(X) :- loop(X).\n";
    let file = program(&dir, "mistakes.pl", text);
    let (stdout, stderr, code) = gimlet(&["test", &file, "--format", "json"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("mistakes.pl:2:"), "{stderr}");
    let found: Value = serde_json::from_str(&stdout).expect("a report");
    assert_eq!(clauses(&found), (2, 3));
    let of_loop =
        found["units"].as_array().and_then(|it| it.iter().find(|it| it["unit"] == "loop/1"));
    let of_loop = of_loop.expect("a unit");
    assert_eq!(of_loop["findings"][0]["kind"], "timeout", "{of_loop}");
    assert_eq!(of_loop["findings"][0]["confirmed"], true, "{of_loop}");
}

/// A request that can't be carried out is an error with a code.
#[test]
fn bad_input() {
    let cases: &[(&[&str], &str)] = &[
        (&["nowhere.pl"], "G002"),
        (&["nrev.pl", "-f", "nrev/3"], "G032"),
        (&["nrev.pl", "-f", "nrev"], "G014"),
        (&["nrev.pl", "--mode", "nrev(+,+,-)"], "G033"),
        (&["nrev.pl", "--mode", "nonsense"], "G033"),
        (&["nrev.pl", "--goal", "nrev([a], "], "G033"),
        (&["nrev.pl", "--goal", "12"], "G033"),
        (&["nrev.pl", "--goal", "rev([a], R)"], "G032"),
        (&["nrev.pl", "--mode", "nrev(+,-)", "--goal", "nrev([X], R)"], "G033"),
    ];
    for (args, code) in cases {
        let (_, stderr, status) = gimlet(&[&["test"], *args].concat());
        assert_eq!(status, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(code), "{args:?}: {stderr}");
    }
}
