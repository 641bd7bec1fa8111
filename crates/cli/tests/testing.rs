//! Tests `gimlet test` and `gimlet replay`: findings, tests and exit codes.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;
#[path = "common/compare.rs"]
mod compare;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs the binary in the directory of the programs.
fn gimlet(args: &[&str]) -> Ended {
    let done = common::gimlet(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs"), args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ended {
        code: done.status.code().expect("no signal"),
        stdout: text(done.stdout),
        stderr: text(done.stderr),
    }
}

/// The JSON report, and the exit code.
#[track_caller]
fn report(args: &[&str]) -> (Value, i32) {
    let ended = gimlet(&[&["test", "--format", "json"], args].concat());
    let document = serde_json::from_str(&ended.stdout);
    (document.unwrap_or_else(|_| panic!("{}{}", ended.stdout, ended.stderr)), ended.code)
}

/// The calls of the findings, all of which BEAM confirms.
fn confirmed_calls(unit: &Value) -> Vec<String> {
    let call = |it: &Value| {
        assert_eq!(it["confirmed"], true, "{it}");
        it["call"].as_str().expect("a call").to_owned()
    };
    unit["findings"].as_array().expect("findings").iter().map(call).collect()
}

/// The kind, class and reason of the findings of the first unit.
fn findings(report: &Value) -> Vec<String> {
    let text = |of: &Value, name: &str| of[name].as_str().expect(name).to_owned();
    let findings = report.pointer("/units/0/findings").and_then(Value::as_array).expect("findings");
    let line = |it: &Value| {
        assert_eq!(it["confirmed"], true, "{it}");
        format!("{} {} {}", text(it, "kind"), text(it, "class"), text(it, "reason"))
    };
    findings.iter().map(line).collect()
}

fn fresh_dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The directory need not exist.
    drop(fs::remove_dir_all(&dir));
    dir
}

#[test]
fn the_running_example_has_three_errors_and_specs_rule_them_out() {
    let case_clause = "crash error {case_clause,eq}";
    let function_clause = "crash error function_clause";
    let check = |args: &[&str], expect: &[&str]| {
        let (report, code) = report(&[&["fig1.erl"], args].concat());
        let mut found = findings(&report);
        found.sort();
        assert_eq!(found, expect, "{args:?}");
        assert_eq!(code, 1);
        assert_eq!(report["modules"][0]["clauses"]["total"], 7);
    };
    check(&["--args", "[[17]]"], &[function_clause, function_clause, case_clause]);
    check(&[], &[function_clause, function_clause, case_clause]);
    check(&["-D", "TERMS"], &[function_clause, case_clause]);
    check(&["-D", "INTEGERS"], &[case_clause]);
    check(&["-D", "INTEGERS", "--no-spec"], &[function_clause, function_clause, case_clause]);
}

#[test]
fn each_kind_of_end_is_what_it_is() {
    let check = |function: &str, expect: &[&str], code: i32| {
        let (report, found) = report(&["shop.erl", "--time", "20s", "-f", function]);
        assert_eq!(findings(&report), expect, "{function}");
        assert_eq!(found, code, "{function}");
    };
    check("price/1", &[], 0);
    check("label/1", &["rejected error function_clause"], 0);
    check("count/1", &["crash error badarith", "timeout timeout reductions"], 1);
    check("prop_small/1", &["property value false"], 1);
    check("double/1", &["spec value fourteen"], 1);
    check("stop/1", &["crash throw one"], 0);
    let (report, _) = report(&["shop.erl", "-f", "total/1"]);
    let found = findings(&report);
    assert!(found.contains(&"crash error {badmatch,error}".to_owned()), "{found:?}");
    assert!(found.contains(&"crash error badarith".to_owned()), "{found:?}");
    assert!(found.last().is_some_and(|it| it.starts_with("rejected")), "{found:?}");
}

#[test]
fn functions_of_functions_and_bits_of_bounded_size_have_plain_inputs() {
    let check = |function: &str, expect: &[&str]| {
        let (report, _) = report(&["applied.erl", "-f", function]);
        let unit = &report["units"][0];
        assert_eq!(confirmed_calls(unit), expect, "{function}");
        assert_eq!(unit["stop"], "exhausted", "{function}");
        assert!(!expect.is_empty() || unit["verdict"] == "clean", "{report}");
    };
    check("compose/2", &["applied:compose(fun (_) -> 42 end, 0)"]);
    check("knot/1", &["applied:knot(fun (_) -> fun (_) -> 7 end end)"]);
    check("even_nibble/1", &[]);
    check("framed/3", &["applied:framed(<<64,3>>, 0, 5)"]);
}

#[test]
fn a_call_that_the_input_names_may_be_of_each_function() {
    let check = |function: &str, expect: &[&str]| {
        let (report, _) = report(&["named.erl", "-f", function]);
        let unit = &report["units"][0];
        assert_eq!(confirmed_calls(unit), expect, "{function}");
        assert_eq!(unit["diverged"], 0, "{function}");
    };
    check("one/2", &["named:one(a, 0)", "named:one(all, 0)", "named:one(half, 1)"]);
    check("other/2", &["named:other(a, 0)", "named:other(named, 1)"]);
    check("all/1", &["named:all([])", "named:all([1,1])"]);
}

#[test]
fn inputs_of_findings_are_small() {
    let check = |function: &str, expect: &str| {
        let (report, _) = report(&["small.erl", "-f", function]);
        let found = &report["units"][0]["findings"][0];
        assert_eq!(found["call"], expect, "{function}");
        assert_eq!(found["confirmed"], true, "{function}");
    };
    check("flags/1", "small:flags(1029)");
    check("twice/1", "small:twice([0,0,32,0,0])");
    check("half/1", "small:half(499.5)");
}

#[test]
fn runs_that_do_not_end_leave_time_for_others() {
    let (report, _) = report(&["decoder.erl", "--time", "20s"]);
    let mut found = findings(&report);
    found.sort();
    assert_eq!(found, ["crash error function_clause", "timeout timeout reductions"]);
}

#[test]
fn a_result_that_breaks_the_spec_is_looked_for() {
    let check = |function: &str, expect: &[&str]| {
        let (report, code) = report(&["promises.erl", "-f", function]);
        let text = |it: &Value| {
            assert_eq!((&it["kind"], &it["confirmed"]), (&"spec".into(), &true.into()), "{it}");
            format!("{} {}", it["call"].as_str().expect("a call"), it["why"].as_str().expect("why"))
        };
        let found = report["units"][0]["findings"].as_array().expect("findings");
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expect, "{function}");
        assert_eq!(code, i32::from(!expect.is_empty()));
        assert!(!expect.is_empty() || report["units"][0]["verdict"] == "clean", "{report}");
    };
    let promised = "the spec promises";
    check("sum/1", &[&format!("promises:sum([-1]) {promised} non_neg_integer(), not -1")]);
    check(
        "tag/1",
        &[&format!("promises:tag(51) {promised} {{ok,1..100}} | error, not {{ok,102}}")],
    );
    check("items/2", &[&format!("promises:items(0, -7) {promised} [pos_integer()], not [1,0]")]);
    check("name/1", &[&format!("promises:name(d) {promised} a | b | c, not d")]);
    check("clamp/1", &[&format!("promises:clamp(256) {promised} 0..255, not 256")]);
    let record = "{r,pos_integer(),binary()}";
    check("record/1", &[&format!("promises:record(0) {promised} {record}, not {{r,0,<<>>}}")]);
    check(
        "maybe/1",
        &[&format!("promises:maybe([]) {promised} {{ok,integer()}} | none, not {{ok,[]}}")],
    );
    check("kept/1", &[]);
}

#[test]
fn refusals_count_when_asked() {
    assert_eq!(report(&["shop.erl", "-f", "label/1", "--strict"]).1, 1);
    let (report, _) = report(&["shop.erl", "-f", "price/1"]);
    assert_eq!(report["units"][0]["verdict"], "clean");
    assert_eq!(report["units"][0]["stop"], "exhausted");
}

#[test]
fn preconditions_rule_inputs_out() {
    let check = |args: &[&str], expect: &[&str]| {
        let (report, _) = report(&[&["dates.erl"], args].concat());
        assert_eq!(findings(&report), expect, "{args:?}");
        report
    };
    check(&["-f", "day/2"], &["crash error {badmatch,false}"]);
    check(&["-f", "day/2", "--pre", "dates:valid/2"], &[]);
    let by_attribute = check(&["-f", "checked/2"], &[]);
    let refused = by_attribute["units"][0]["refused"].as_u64();
    assert!(refused.is_some_and(|it| it > 0), "it was asked");
    check(&["-f", "hidden/1"], &[]);
    check(&["-f", "helper/1"], &["crash error badarith"]);
    let (all, _) = report(&["dates.erl", "-d", "4"]);
    let units = all["units"].as_array().expect("units").iter();
    let names: Vec<&str> = units.filter_map(|it| it["unit"].as_str()).collect();
    assert_eq!(
        names,
        ["dates:day/2", "dates:checked/2", "dates:valid/2", "dates:odd/2", "dates:hidden/1"]
    );
}

#[test]
fn what_is_run_concretely_is_not_followed() {
    let paths = |args: &[&str]| {
        let (report, _) = report(&[&["fig1.erl", "--args", "[[17]]"], args].concat());
        let unit = &report["units"][0];
        (unit["paths"].as_u64().expect("a number"), !unit["losses"].as_array().unwrap().is_empty())
    };
    let (all, has_losses) = paths(&["-d", "6"]);
    assert!(all > 3 && !has_losses);
    for what in ["fig1", "fig1:cmp/1", "lists"] {
        let (some, has_losses) = paths(&["-d", "6", "--concrete", what]);
        assert!(some < all && has_losses, "{what}: {some} of {all} paths");
    }
}

#[test]
fn the_document_has_all_fields() {
    let (report, _) = report(&["fig1.erl", "--runs", "20"]);
    let keys = |of: &Value| -> BTreeSet<String> {
        of.as_object().expect("an object").keys().cloned().collect()
    };
    let check = |of: &Value, fields: &str| {
        let keys = keys(of);
        for field in fields.split(' ') {
            assert!(keys.contains(field), "{field} in {keys:?}");
        }
    };
    check(&report, "schema tool units modules");
    assert_eq!(report["schema"], 1);
    check(&report["tool"], "name version");
    let unit = &report["units"][0];
    check(
        unit,
        "unit language verdict stop runs paths elapsed_ms solver coverage findings tests losses",
    );
    assert_eq!((&unit["unit"], &unit["language"]), (&"fig1:foo/1".into(), &"erlang".into()));
    assert_eq!((&unit["verdict"], &unit["stop"]), (&"findings".into(), &"runs".into()));
    check(&unit["solver"], "queries sat unsat unknown cache guess z3");
    check(&unit["coverage"], "clauses by_module");
    check(&unit["coverage"]["by_module"]["fig1"], "covered total");
    let fields = "kind class reason args call file line stack confirmed";
    unit["findings"].as_array().expect("a list").iter().for_each(|it| check(it, fields));
    let tests = unit["tests"].as_array().expect("a list");
    tests.iter().for_each(|it| check(it, "args call outcome term"));
    assert_eq!(unit["paths"].as_u64(), u64::try_from(tests.len()).ok());
    check(&report["modules"][0], "module clauses uncovered");
}

#[test]
fn uncovered_clauses_have_a_reason() {
    let (report, _) = report(&["shop.erl", "-f", "price/1"]);
    let module = &report["modules"][0];
    assert_eq!(module["clauses"]["covered"], 3);
    let uncovered = module["uncovered"].as_array().expect("a list");
    assert!(!uncovered.is_empty());
    assert!(uncovered.iter().all(|it| it["why"] == "not reachable"), "{uncovered:?}");
    let unit = &report["units"][0]["coverage"]["clauses"];
    assert_eq!((&unit["covered"], &unit["total"]), (&3.into(), &3.into()));
}

#[test]
fn two_runs_are_equal() {
    let run = |jobs: &str| {
        // The time must not matter, however slow the machine is.
        let options = ["-d", "6", "--budget", "1h", "-j", jobs];
        compare::timeless(report(&[&["shop.erl", "fig1.erl"], &options[..]].concat()).0)
    };
    let first = run("2");
    compare::assert_same(&first, &run("2"), "again");
    compare::assert_same(&first, &run("1"), "with one job");
}

#[test]
fn schedules_are_the_same_with_any_number_of_jobs() {
    let file = |name: &str| format!("{}/../../tests/schedules/{name}", env!("CARGO_MANIFEST_DIR"));
    let (shared, classic, joint) = (file("shared.erl"), file("classic.erl"), file("joint.erl"));
    let cases = [
        ("shared:readers/0", vec![&*shared, &*classic]),
        ("shared:last_zero/0", vec![&*shared, &*classic]),
        ("shared:philosophers/0", vec![&*shared, &*classic]),
        ("joint:many/1", vec![&*joint]),
        ("joint:crowd/1", vec![&*joint]),
    ];
    for (function, files) in cases {
        let run = |jobs: &str| {
            // The time must not matter, however slow the machine is.
            let options = ["-f", function, "--schedules", "--time", "1h", "--jobs", jobs];
            compare::timeless(report(&[&*files, &options].concat()).0)
        };
        compare::assert_same(&run("1"), &run("3"), function);
    }
}

#[test]
fn made_tests_compile_and_pass_and_inputs_can_be_replayed() {
    let dir = fresh_dir("out");
    let out = dir.to_str().expect("UTF-8");
    let ended = gimlet(&["test", "shop.erl", "fig1.erl", "--runs", "30", "--out", out]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let written = fs::read_to_string(dir.join("report.txt")).expect("a report");
    assert_eq!(written, ended.stdout);
    run_eunit(&dir, &["shop", "fig1"]);

    let corpus = dir.join("corpus/shop.total.1.corpus");
    let corpus = corpus.to_str().expect("UTF-8");
    let again = gimlet(&["replay", corpus]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    let json = dir.join("report.json");
    let again = gimlet(&["replay", json.to_str().expect("UTF-8"), "--format", "json"]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);

    // A different outcome is noticed, and its input can be selected by its id.
    let text = fs::read_to_string(corpus).expect("a corpus");
    assert!(text.contains("{value,0}"), "{text}");
    fs::write(corpus, text.replace("{value,0}", "{value,1}")).expect("written");
    let otherwise = gimlet(&["replay", corpus]);
    assert_eq!(otherwise.code, 1);
    assert!(otherwise.stdout.contains("recorded was value 1"), "{}", otherwise.stdout);
    let unknown = gimlet(&["replay", corpus, "--id", "nothing"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.starts_with("error[G019]: there is no input nothing"));

    // A later run of the tool begins with the recorded inputs.
    let (report, _) = report(&["fig1.erl", "--runs", "1", "--out", out]);
    assert!(report["units"][0]["runs"].as_u64() > Some(5), "{}", report["units"][0]["runs"]);
}

/// Compiles the test modules with warnings as errors, and runs them.
fn run_eunit(dir: &Path, modules: &[&str]) {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    for module in modules {
        let compile = |path: &Path, flags: &[&str]| {
            let done = Command::new("erlc").args(flags).arg("-o").arg(dir).arg(path).output();
            let done = done.expect("erlc; `make deps` installs it");
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(done.status.success() && said.is_empty(), "{said}");
        };
        compile(&programs.join(format!("{module}.erl")), &["+nowarn_unused_function"]);
        let tests = format!("{module}_gimlet_tests");
        compile(&dir.join(format!("{tests}.erl")), &["+warnings_as_errors"]);
        let run = format!("ok = eunit:test({tests}), halt(0).");
        let mut erl = Command::new("erl");
        erl.args(["-noshell", "-pa"]).arg(dir).args(["-eval", &run]);
        let done = erl.output().expect("erl; `make deps` installs it");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && said.contains("passed"), "{said}");
    }
}

#[test]
fn arguments_outside_of_the_spec_do_not_narrow_the_search() {
    let ended = gimlet(&["test", "shares.erl", "--args", "[many]"]);
    for call in ["share(many)", "share(777)"] {
        assert!(ended.stdout.contains(call), "{call}: {}", ended.stdout);
    }
}

#[test]
fn what_can_not_be_done_is_said() {
    let check = |args: &[&str], code: i32, words: &[&str]| {
        let ended = gimlet(&[&["test"], args].concat());
        assert_eq!(ended.code, code, "{args:?}: {}{}", ended.stdout, ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{args:?}: {}", ended.stderr);
        }
    };
    let fig1 = |args: &[&'static str]| [&["fig1.erl", "--runs", "3"], args].concat();
    check(&fig1(&["-f", "fo/1"]), 2, &["error[G011]", "did you mean fig1:foo/1?"]);
    check(&fig1(&["-f", "foo/2"]), 2, &["error[G011]", "there is fig1:foo/1"]);
    check(&fig1(&["-f", "fcmp/1"]), 2, &["error[G012]", "fig1.erl:15:1"]);
    check(&fig1(&["-f", "foo"]), 2, &["error[G014]", "module:function/arity"]);
    check(&fig1(&["-f", "fig2:foo/1"]), 2, &["error[G014]", "did you mean fig1?"]);
    check(&fig1(&["--args", "17"]), 2, &["error[G015]", "a list of arguments"]);
    check(&fig1(&["--args", "[1, 2]"]), 2, &["error[G015]", "takes one argument, --args has 2"]);
    check(&fig1(&["--args", "[X]"]), 2, &["error[G015]", "X is a variable"]);
    let broken = ["fig1.erl", "--runs", "20", "-D", "INTEGERS", "--args", "[[a]]"];
    check(&broken, 1, &["warning[G016]", "[a]"]);
    check(&fig1(&["--pre", "fig1:foo/2"]), 2, &["error[G011]"]);
    check(&fig1(&["--pre", "lists:nth/2"]), 2, &["error[G017]"]);
    check(&fig1(&["--concrete", "fig1:cmq/1"]), 2, &["error[G011]"]);
    check(&fig1(&["--concrete", "no_such_module"]), 2, &["error[G003]"]);
    check(&fig1(&["--strategy", "best"]), 2, &["visited-first"]);
    check(&["silent.erl"], 2, &["error[G013]"]);
    check(&["broken.erl"], 2, &["error[G005]", "broken.erl:3"]);
    check(&["nowhere.erl"], 2, &["error[G002]"]);
    check(&["shop.erl", "fig1.erl", "-f", "foo/1"], 2, &["error[G014]", "2 modules"]);
    // The other targets are tested.
    check(&["broken.erl", "fig1.erl", "--runs", "5"], 1, &["error[G005]"]);
    check(&["nowhere.erl", "fig1.erl", "--runs", "5"], 1, &["error[G002]"]);
    let ended = gimlet(&["replay", "fig1.erl"]);
    assert_eq!((ended.code, ended.stderr.starts_with("error[G019]")), (2, true));
}

/// Twelve choices lead there. That characters are integers is no choice, since the spec says so.
#[test]
fn what_the_spec_implies_is_no_choice() {
    let (report, code) = report(&["cipher.erl", "-d", "12", "--runs", "3000"]);
    assert_eq!((findings(&report), code), (vec!["crash error known".to_owned()], 1));
}

#[test]
fn all_paths_are_unfolded_and_what_they_reach_is_known() {
    let ended = gimlet(&["symbolic", "fig1.erl", "-f", "foo/1", "-d", "3"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let has = |text: &str| assert!(ended.stdout.contains(text), "{text} in {}", ended.stdout);
    has("hd(X1) =:= 42: fig1:foo([42]) → exception error: {case_clause,eq}");
    has("X1 =:= []: fig1:foo([]) → ok");
    has("cut off at the bound");
    let reach = |args: &[&str], expect: (&str, i32)| {
        let ended = gimlet(&[&["symbolic", "fig1.erl", "-f", "foo/1"], args].concat());
        let last = ended.stdout.lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with(expect.0), "{last}\n{}", ended.stderr);
        assert_eq!(ended.code, expect.1);
    };
    reach(&["--reach", "error"], ("yes: an exception is reached by fig1:foo(0)", 1));
    reach(&["--reach", "deadlock", "-d", "4"], ("no: a deadlock is not reached", 0));
    let ended = gimlet(&["symbolic", "fig1.erl", "-f", "foo/1", "--reach", "nowhere"]);
    assert_eq!((ended.code, ended.stderr.contains("names nothing to reach")), (2, true));
}

#[test]
fn all_schedules_are_unfolded_with_all_paths() {
    let ended = gimlet(&["symbolic", "races.erl", "-f", "waits/1", "--no-spec"]);
    let has = |text: &str| assert!(ended.stdout.contains(text), "{text} in {}", ended.stdout);
    has("races:waits(7) → deadlock");
    let ended = gimlet(&["symbolic", "races.erl", "-f", "overtakes/1"]);
    let has = |text: &str| assert!(ended.stdout.contains(text), "{text} in {}", ended.stdout);
    has("% which comes first");
    let reach = |function: &str, what: &str, expect: (&str, i32)| {
        let ended =
            gimlet(&["symbolic", "races.erl", "-f", function, "--no-spec", "--reach", what]);
        assert!(ended.stdout.contains(expect.0), "{}\n{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, expect.1);
    };
    let found = "yes: a deadlock is reached by races:waits(7) (confirmed on BEAM)\n  P     P.1";
    reach("waits/1", "deadlock", (found, 1));
    reach("lost_update/0", "error", ("yes: an exception is reached by races:lost_update()", 1));
    reach("mended/0", "error", ("no: an exception is not reached (all", 0));
}

#[test]
fn a_function_that_is_not_exported_is_shown_where_it_is() {
    let ended = gimlet(&["test", "races.erl", "-f", "below/1"]);
    let has = |text: &str| assert!(ended.stderr.contains(text), "{text} in {}", ended.stderr);
    has("races:below/1 is not exported");
    has("races.erl:46:1\n");
    has("46 │ below(N) when N > 100 -> exit(too_large);\n   │ ^^^^^ defined here");
}

/// An unknown function or process ends only the paths that need it.
#[test]
fn unknown_functions_and_processes_end_their_path_only() {
    let check = |function: &str, words: &[&str]| {
        let ended = gimlet(&["symbolic", "strangers.erl", "-f", function]);
        for word in words {
            assert!(ended.stdout.contains(word), "{word} in {}", ended.stdout);
        }
    };
    check("calls/2", &["{badfun,0}", "{badarity,", "strangers:calls(0, 0) → 1", " 0 unknown"]);
    let others = ["strangers:sends(0, 0) → {small,0}", "exception error: badarg"];
    check("sends/2", &others);
    let reach = |line: &str, answer: &str| {
        let args = ["symbolic", "strangers.erl", "-f", "sends/2", "--reach", line];
        let ended = gimlet(&args);
        assert!(ended.stdout.contains(answer), "{}", ended.stdout);
    };
    reach("9", "yes: the clause at strangers.erl:9 is reached");
}

#[test]
fn the_tree_is_data_too() {
    let ended = gimlet(&["symbolic", "fig1.erl", "-f", "foo/1", "-d", "2", "--format", "json"]);
    let tree: Value = serde_json::from_str(&ended.stdout).expect("a document");
    assert_eq!(tree["root"]["node"], 0);
    assert_eq!(tree["nodes"][0]["branches"][0]["if"], "is_cell(X1)");
    let sums = &tree["summary"];
    assert_eq!((sums["unknown"].as_u64(), sums["open"].as_u64()), (Some(0), Some(0)));
    assert_eq!(tree["ends"].as_array().map(|it| it.len() as u64), sums["feasible"].as_u64());
    let ended = gimlet(&["symbolic", "fig1.erl", "-f", "foo/1", "-d", "2", "--format", "dot"]);
    assert!(ended.stdout.starts_with("digraph paths {") && ended.stdout.contains("n0 -> "));
}

#[test]
fn schedules_are_explored_with_inputs_and_replayed() {
    let check = |function: &str, expect: &[(&str, &str)], runs: Option<u64>| {
        let args = ["races.erl", "-f", function, "--schedules", "--no-spec"];
        let (report, code) = report(&args);
        let unit = &report["units"][0];
        let found = unit["findings"].as_array().expect("findings");
        assert!(found.iter().all(|it| it["confirmed"] == true), "{function}: {found:?}");
        let line = |it: &Value| (it["kind"].clone(), it["call"].clone());
        let found: Vec<(Value, Value)> = found.iter().map(line).collect();
        let expect: Vec<(Value, Value)> =
            expect.iter().map(|it| (Value::from(it.0), Value::from(it.1))).collect();
        assert_eq!(found, expect, "{function}");
        assert_eq!(code, i32::from(!expect.is_empty()), "{function}");
        assert_eq!(unit["stop"], "exhausted", "{function}");
        if let Some(runs) = runs {
            assert_eq!(unit["runs"], runs, "{function}");
        }
    };
    check("lost_update/0", &[("crash", "races:lost_update()")], Some(6));
    check("mended/0", &[], Some(4));
    check("sleeps/0", &[("crash", "races:sleeps()")], Some(2));
    check("stays/0", &[("deadlock", "races:stays()")], Some(1));
    check("waits/1", &[("deadlock", "races:waits(7)")], Some(2));
    check("divides/1", &[("crash", "races:divides(10)"), ("crash", "races:divides([])")], Some(4));
    let (report, code) =
        report(&["races.erl", "-f", "divides/1", "--schedules", "--pre", "is_small/1"]);
    let unit = &report["units"][0];
    assert_eq!((&unit["verdict"], code), (&Value::from("clean"), 0), "{unit}");
    assert!(unit["refused"].as_u64() > Some(0), "{unit}");

    let dir = fresh_dir("schedules");
    let out = dir.to_str().expect("UTF-8");
    let text = gimlet(&["test", "races.erl", "-f", "lost_update/0", "--schedules", "--out", out]);
    assert!(text.stdout.contains("P.1") && text.stdout.contains('●'), "{}", text.stdout);
    let record = dir.join("report.json");
    let again = gimlet(&["replay", record.to_str().expect("UTF-8")]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("no match of right hand side value"), "{}", again.stdout);
}

/// The input and the schedule are minimal, and there is a chart.
#[test]
fn findings_of_schedules_are_small_and_drawn() {
    let dir = fresh_dir("charts");
    let out = dir.to_str().expect("UTF-8");
    let check = |args: &[&str], call: &str, n_switches: usize| {
        let (report, _) = report(&[&["races.erl", "--schedules", "--out", out], args].concat());
        let finding = &report["units"][0]["findings"][0];
        assert_eq!(finding["call"], call);
        assert_eq!(finding["confirmed"], true, "{finding}");
        let steps = finding.pointer("/schedule/steps").and_then(Value::as_array).expect("steps");
        let who: Vec<&str> = steps.iter().filter_map(|it| it.as_str()?.split(' ').next()).collect();
        let found = who.windows(2).filter(|it| it[0] != it[1]).count();
        assert_eq!(found, n_switches, "{who:?}");
    };
    check(&["-f", "overtakes/1", "--args", "[[17, 250, 3]]"], "races:overtakes([101])", 3);
    check(&["-f", "lost_update/0"], "races:lost_update()", 4);
    check(&["-f", "waits/1", "--no-spec"], "races:waits(7)", 1);
    let picture = fs::read_to_string(dir.join("charts/races.overtakes.1.1.svg")).expect("a chart");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    let has = |text: &str| assert!(picture.contains(text), "no {text} in {picture}");
    has("<title>crash in races:overtakes([101])</title>");
    ["P", "P.1", "P.2", "{second,[101]}"].iter().for_each(|it| has(&format!(">{it}</text>")));
    has("<text class=\"bad\"");
    // The text of a message can't break out of its element.
    let tags = picture.matches('<').count();
    assert_eq!(tags, picture.matches('>').count(), "{picture}");
}

/// Every finding is shrunk, and its steps lead to it again.
#[test]
fn small_schedules_lead_to_what_was_found() {
    let dir = fresh_dir("again");
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules");
    let mut n_findings = 0;
    for (program, options) in [
        ("scenarios.erl", &[][..]),
        ("meetings.erl", &[]),
        ("otp_races.erl", &["--no-spec"]),
        ("shared.erl", &["--delivery", "causal"]),
    ] {
        let out = dir.join(program);
        let (program, out) = (format!("{programs}/{program}"), out.to_str().expect("UTF-8"));
        let args = [&program, "--schedules", "--out", out, "--runs", "2000"];
        let (report, _) = report(&[&args[..], options].concat());
        let units = report["units"].as_array().expect("units").iter();
        n_findings +=
            units.map(|it| it["findings"].as_array().expect("findings").len()).sum::<usize>();
        let again = gimlet(&["replay", &format!("{out}/report.json")]);
        let text = again.stdout;
        assert!(again.code == 0 && !text.contains("recorded was"), "{program}: {text}");
    }
    assert!(n_findings > 100, "{n_findings}");
}

/// Findings due to a lost message have the message's name, and BEAM is made to lose it too.
#[test]
fn messages_that_nobody_takes_are_told_of() {
    let check = |function: &str, expect: &[&str]| {
        let (report, code) = report(&["left.erl", "--schedules", "-f", function]);
        let unit = &report["units"][0];
        let text = |of: &Value| {
            let [message, from, to] =
                ["message", "from", "to"].map(|it| of[it].as_str().expect("a text"));
            format!("{message} of {from} to {to} in {}", of["schedules"])
        };
        let found = unit["unreceived"].as_array().expect("messages");
        assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expect, "{function}");
        assert_eq!((&unit["verdict"], code), (&"clean".into(), 0), "for information only");
    };
    check("first/0", &["{1,x} of P.1 to P in 1", "{2,x} of P.2 to P in 1"]);
    check("unheard/0", &["hello of P to P.1 in 1"]);
    check("all/0", &[]);
}

#[test]
fn lost_messages_are_events() {
    let lossy = |function: &str, how: &[&str]| {
        let args = ["races.erl", "-f", function, "--schedules"];
        report(&[&args[..], how].concat())
    };
    let (clean, code) = lossy("asks/0", &[]);
    assert_eq!((&clean["units"][0]["verdict"], code), (&Value::from("clean"), 0));
    let (found, code) = lossy("asks/0", &["--lossy"]);
    assert_eq!(code, 1);
    let unit = &found["units"][0];
    // Three runs: no message is lost, the question is, or the answer is.
    assert_eq!((&unit["runs"], &unit["stop"]), (&Value::from(3), &Value::from("exhausted")));
    let finding = &unit["findings"][0];
    assert_eq!((&finding["kind"], &finding["confirmed"]), (&"deadlock".into(), &true.into()));
    let lost = finding.pointer("/schedule/lost/0").and_then(Value::as_str).expect("a message");
    assert!(lost.starts_with("the message {ask,<0."), "{lost}");
    assert!(lost.ends_with("of P to P.1 is lost"), "{lost}");
    // A process that asks three times gets an answer unless more messages are lost.
    let (clean, code) = lossy("insists/0", &["--lossy=2", "--preemptions", "0"]);
    assert_eq!(code, 0, "{clean}");

    let dir = fresh_dir("lossy");
    let out = dir.to_str().expect("UTF-8");
    let args = ["test", "races.erl", "-f", "asks/0", "--schedules", "--lossy", "--out", out];
    let text = gimlet(&args).stdout;
    assert!(text.contains('✗') && text.contains("(lost)"), "{text}");
    let picture = fs::read_to_string(dir.join("charts/races.asks.0.1.svg")).expect("a chart");
    assert!(picture.contains("class=\"lost\""), "{picture}");
    let record = dir.join("report.json");
    let again = gimlet(&["replay", record.to_str().expect("UTF-8")]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("** deadlock"), "{}", again.stdout);
}

/// Races of OTP code are found and confirmed on BEAM; the corrected code has none.
#[test]
fn races_of_otp_code_are_confirmed_on_beam() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/schedules/otp_races.erl");
    let found = |function: &str| {
        let name = format!("{function}/0");
        let (report, code) = report(&[program, "-f", &name, "--schedules", "--no-spec"]);
        let unit = &report["units"][0];
        assert_eq!(unit["stop"], "exhausted", "{function}");
        let findings = unit["findings"].as_array().expect("findings").iter();
        let kind = |it: &Value| (it["kind"] != "race").then(|| it["kind"].clone());
        let all: Vec<Value> = findings.clone().filter_map(kind).collect();
        let confirmed = findings.filter(|it| it["confirmed"] == true);
        (all, confirmed.filter_map(kind).collect::<Vec<Value>>(), code)
    };
    for (bug, kind) in [
        ("cast_call", "crash"),
        ("restart", "crash"),
        ("name", "crash"),
        ("timer", "crash"),
        ("pool", "deadlock"),
    ] {
        let (all, confirmed, code) = found(&format!("{bug}_bug"));
        assert!(confirmed.contains(&Value::from(kind)), "{bug}: {all:?}, confirmed {confirmed:?}");
        assert_eq!(code, 1, "{bug}");
        let (all, _, code) = found(&format!("{bug}_mended"));
        assert!(all.is_empty() && code == 0, "{bug}: {all:?}");
    }
}

/// The findings with their inputs, and the covered clauses, of all units.
fn essence(report: &Value) -> Vec<(String, Vec<String>, String)> {
    let units = report["units"].as_array().expect("units").iter();
    let of = |unit: &Value| {
        let findings = unit["findings"].as_array().expect("findings").iter();
        let finding = |it: &Value| format!("{} {} {}", it["kind"], it["reason"], it["call"]);
        let coverage = unit.pointer("/coverage/clauses").expect("coverage").to_string();
        (unit["unit"].to_string(), findings.map(finding).collect(), coverage)
    };
    units.map(of).collect()
}

#[test]
fn on_beam_the_same_is_found() {
    for program in ["fig1.erl", "dates.erl", "shop.erl"] {
        let (ours, code) = report(&[program, "--runs", "60", "--jobs", "1"]);
        let options = ["--runs", "60", "--jobs", "2", "--backend", "beam"];
        let (theirs, their_code) = report(&[&[program], options.as_slice()].concat());
        assert_eq!(essence(&ours), essence(&theirs), "{program}");
        assert_eq!(code, their_code, "{program}");
    }
}

/// Compares the exit codes, units and modules of the reports on all backends, except for durations and solver counts.
#[test]
fn options_mean_the_same_on_beam() {
    let essence = |args: &[&str], backend: &str| {
        let options = ["--backend", backend, "--jobs", "1", "--runs", "30"];
        let (mut report, code) = report(&[args, &options].concat());
        let units = report["units"].as_array_mut().expect("units");
        for unit in units {
            let unit = unit.as_object_mut().expect("a unit");
            unit.remove("elapsed_ms");
            unit.remove("solver");
            for finding in unit["findings"].as_array_mut().expect("findings") {
                // The text of a fun contains the name of the instrumented module's version.
                finding.as_object_mut().expect("a finding").remove("says");
            }
        }
        let (units, modules) = (report["units"].take(), report["modules"].take());
        json!({ "units": units, "modules": modules, "code": code })
    };
    let cases: [&[&str]; 8] = [
        &["options.erl"],
        &["options.erl", "-f", "f/1", "--pre", "options:pos/1"],
        &["options.erl", "-f", "f/1", "-D", "LIM=200", "--strict"],
        &["options.erl", "-f", "f/1", "--no-spec", "--args", "[7]"],
        &["options.erl", "-f", "h/1", "-d", "2"],
        &["options.erl", "-f", "m/1", "--strategy", "random", "--seed", "7"],
        &["fig1.erl", "--concrete", "lists"],
        &["lists", "-f", "keydelete/3"],
    ];
    for args in cases {
        let machine = essence(args, "machine");
        for backend in ["beam", "auto"] {
            compare::assert_same(&essence(args, backend), &machine, &format!("{args:?} {backend}"));
        }
    }
}

/// The run at the end of §5 of the paper: from `[a]`, with a bounded depth, to no, one, two and three elements.
#[test]
fn the_run_of_the_paper() {
    for backend in ["beam", "machine"] {
        let (report, code) = report(&[
            "append.erl",
            "-f",
            "main/1",
            "--args",
            "[[a]]",
            "--depth",
            "3",
            "--backend",
            backend,
        ]);
        let tests = report.pointer("/units/0/tests").and_then(Value::as_array).expect("tests");
        let args = |it: &Value| it["args"][0].as_str().expect("an argument").to_owned();
        let inputs: Vec<String> = tests.iter().map(args).collect();
        assert_eq!(inputs.first().map(String::as_str), Some("[a]"), "{backend}");
        let n_items = |it: &String| if it == "[]" { 0 } else { it.split(',').count() };
        let lengths: BTreeSet<usize> = inputs.iter().map(n_items).collect();
        assert_eq!(lengths, BTreeSet::from([0, 1, 2, 3]), "{backend}: {inputs:?}");
        assert_eq!((inputs.len(), code), (4, 0), "{backend}: {inputs:?}");
    }
}
