//! Tests what `gimlet test file.pl` does not claim: with losses, disagreements or parts that were not loaded, neither
//! a unit is `clean` nor a clause `unsatisfiable`.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// The report on a program, standard error and the exit code.
#[track_caller]
fn report(text: &str, options: &[&str]) -> (Value, String, i32) {
    let dir = TempDir::new().expect("a directory");
    fs::write(dir.path().join("program.pl"), text).expect("a file");
    let path = dir.path().to_str().expect("a path of text");
    let done =
        common::gimlet(path, &[&["test", "program.pl", "--format", "json"], options].concat());
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    let found = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    (found, stderr, done.status.code().expect("no signal"))
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The clauses reported as unsatisfiable, as `name/arity:line`.
fn unsatisfiable(found: &Value) -> Vec<String> {
    let modules = list(&found["modules"]);
    let uncovered = modules.iter().flat_map(|it| list(&it["uncovered"]));
    let those = uncovered.filter(|it| it["why"] == "unsatisfiable");
    those.map(|it| format!("{}:{}", it["function"], it["line"])).collect()
}

/// Programs whose clauses can all be completed, in some environment or by some goal.
const SATISFIABLE: &[&str] = &[
    "p(X) :- copy_term(X, f(Y)), q(Y).\nq(a).\n",
    "p(X) :- current_prolog_flag(my_flag, Y), q(Y, X).\nq(on, _).\n",
    "p(X) :- read(Y), q(Y, X).\nq(hello, _).\nq(end_of_file, _).\n",
    "p(X) :- random_between(10, 20, Y), q(Y, X).\nq(20, _).\nq(N, _) :- N < 20.\n",
    "p(X) :- between(1, 20, Y), q(X, Y).\nq(_, 15) :- r.\nq(_, _).\nr.\n",
    "p(X) :- get_time(T), T > X + 1.0e9, q.\nq.\n",
    "p(X) :- format(atom(Y), '~w-~w', [X, X]), q(Y).\nq('q-q').\n",
    "p(X) :- rational(X), \\+ integer(X), q.\nq.\n",
    "p(X) :- cyclic_term(X), q.\nq.\n",
    "p(X) :- getenv('HOME', V), q(X, V).\nq(_, x).\n",
];

#[test]
fn nothing_that_a_goal_completes_is_called_unsatisfiable() {
    for program in SATISFIABLE {
        let (found, stderr, _) = report(program, &["--runs", "300"]);
        let claimed = unsatisfiable(&found);
        assert!(claimed.is_empty(), "{program}: {claimed:?} {stderr}");
    }
}

#[test]
fn what_could_not_be_loaded_is_an_error() {
    for (program, says) in [
        (":- use_module(library(no_such_library)).\np(1).\n", "G031"),
        ("p(1).\nq(X :- .\n", "G030"),
        ("length(a, b).\np(1).\n", "No permission to modify static procedure"),
        (":- module(m, [p/1, missing/2]).\np(1).\n", "not defined"),
    ] {
        let (_, stderr, code) = report(program, &[]);
        assert!(stderr.contains(says), "{program}: {stderr}");
        assert_eq!(code, 2, "{program}: {stderr}");
    }
}

#[test]
fn a_runtime_that_disagrees_is_not_clean() {
    let (found, stderr, code) = report("length(a, b).\n", &[]);
    assert!(stderr.contains("G036"), "{stderr}");
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(found["units"][0]["verdict"], "bounded", "{found}");
    assert!(!list(&found["units"][0]["disagreements"]).is_empty(), "{found}");
}

/// An outcome that depends on the environment is no disagreement.
#[test]
fn random_numbers_are_no_disagreement() {
    let (found, stderr, code) = report("p(X) :- random_between(1, 1000000, X).\n", &["-f", "p/1"]);
    assert_eq!(code, 0, "{stderr} {found}");
}

/// Making the tests of endless goals has a limit of its own.
#[test]
fn tests_of_endless_goals_are_made_within_bounds() {
    let program = "mul(0, _, 0).\nmul(s(X), Y, Z) :- mul(X, Y, W), add(W, Y, Z).\n\
                   add(0, X, X).\nadd(s(X), Y, s(Z)) :- add(X, Y, Z).\n";
    let (found, stderr, _) = report(program, &["--mode", "mul(-,-,+)", "--runs", "40"]);
    assert_eq!(found["modules"][0]["clauses"]["covered"], 4, "{stderr}");
}

/// A name in the place of an atom, functor or arithmetic function is no call.
#[test]
fn predicates_named_like_data_are_tested() {
    let program = "div(X, Y) :- Y is X div 2.\nmain(X) :- Y is max(X, 3), Y > 2.\n\
                   max(X, Y, Z) :- ( X >= Y -> Z = X ; Z = Y ).\nfoo :- X = bar, atom(X).\n\
                   bar :- true.\nall(L) :- maplist(each, L).\neach(_).\n";
    let (found, _, _) = report(program, &[]);
    let units: Vec<&str> =
        list(&found["units"]).iter().filter_map(|it| it["unit"].as_str()).collect();
    assert_eq!(units, ["div/2", "main/1", "max/3", "foo/0", "bar/0", "all/1"]);
}

/// Clauses of a loaded file are not counted, and their errors are not attributed to lines of the loading file.
#[test]
fn clauses_belong_to_the_file_that_they_stand_in() {
    let dir = TempDir::new().expect("a directory");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("a file");
    write("inner.pl", "\n\n\ncheck(X) :- X > 0.\nunused(_).\n");
    write("outer.pl", ":- ensure_loaded(inner).\nrun(X) :- check(X).\n");
    let path = dir.path().to_str().expect("a path of text");
    let done = common::gimlet(path, &["test", "outer.pl", "--format", "json", "--strict"]);
    let found: Value = serde_json::from_slice(&done.stdout).expect("a report");
    assert_eq!(found["modules"][0]["clauses"]["total"], 1, "{found}");
    assert_eq!(list(&found["units"]).len(), 1, "{found}");
}

/// The findings of all predicates, as `level reason`.
fn findings(found: &Value) -> Vec<String> {
    let units = list(&found["units"]).iter();
    let all = units.flat_map(|it| list(&it["findings"]));
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    all.map(|it| format!("{} {}", text(it, "level"), text(it, "reason"))).collect()
}

#[test]
fn an_error_about_the_programs_own_terms_is_no_refusal() {
    for (program, wanted) in [
        ("typo(X, Y) :- Y is foo(X).\n", "suspicious type_error(evaluable,foo/1)"),
        ("p(X, Y) :- X > 0, Y is foo(X).\n", "suspicious type_error(evaluable,foo/1)"),
        ("p(X) :- Y > X.\n", "suspicious instantiation_error"),
        (
            "s(L, N) :- aggregate_all(max(X), member(X, L), N).\n",
            "refusal type_error(evaluable,a/0)",
        ),
    ] {
        let (found, stderr, _) = report(program, &[]);
        let all = findings(&found);
        assert!(all.iter().any(|it| it == wanted), "{program}: {all:?} {stderr}");
    }
}

#[test]
fn own_names_of_variables_are_no_disagreement() {
    let program =
        "p(X, A) :- term_to_atom(f(X, _), A).\ns(X, S) :- format(atom(S), \"~w\", [X-_]).\n";
    let (found, stderr, code) = report(program, &[]);
    assert!(!stderr.contains("G036"), "{stderr}");
    assert_eq!(code, 0, "{found}");
}

#[test]
fn frozen_goals_of_answers_are_no_disagreement() {
    let (_, stderr, code) = report("p(X, Y) :- freeze(Y, Y > X).\n", &["--mode", "p(+,-)"]);
    assert!(!stderr.contains("G036"), "{stderr}");
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn outcomes_of_catch_are_branches() {
    let program = "p(X, Y) :- catch(Y is 10 // X, error(_, _), Y = none).\n";
    let (found, stderr, _) = report(program, &["--mode", "p(+,-)"]);
    let of = &found["modules"][0]["branches"];
    assert_eq!((&of["covered"], &of["total"]), (&2.into(), &2.into()), "{found} {stderr}");
}

#[test]
fn goals_inside_of_aggregates_tell_types() {
    let program = "m(X, N) :- aggregate(count, Y^member(Y, X), N).\n";
    let (found, stderr, _) = report(program, &["--mode", "m(+,-)"]);
    assert_eq!(found["modules"][0]["clauses"]["covered"], 1, "{found} {stderr}");
}

/// A module with tests of its own: their goals are seeds, and errors that they expect are no findings.
const WITH_TESTS: &str = "\
:- module(own, [conv/2]).
conv(T, N) :- atom_codes(T, [0'<|R]), append(M, [0'>], R), number_codes(N, M).
:- begin_tests(own).
test(a, N == 42) :- conv('<42>', N).
test(b, error(syntax_error(_))) :- conv('<x>', _).
:- end_tests(own).
";

#[test]
fn the_programs_own_tests_are_heeded() {
    let (found, stderr, code) = report(WITH_TESTS, &[]);
    let tests: Vec<&Value> =
        list(&found["units"]).iter().flat_map(|it| list(&it["tests"])).collect();
    assert!(tests.iter().any(|it| it["call"] == "conv('<42>', R)"), "{tests:?} {stderr}");
    assert_eq!((findings(&found), code), (Vec::new(), 0), "{stderr}");
}

#[test]
fn a_directory_is_all_its_programs() {
    let dir = TempDir::new().expect("a directory");
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    file("pack.pl", "name(foo).\nversion('0.1').\n");
    file("prolog/foo.pl", ":- module(foo, [p/1]).\n:- use_module(bar).\np(X) :- q(X).\n");
    file("prolog/bar.pl", ":- module(bar, [q/1]).\nq(1).\n");
    file("t/foo.plt", ":- use_module('../prolog/foo').\n");
    file("tool.pl", "#!/usr/bin/perl\nuse strict;\n");
    let args = ["test", ".", "--format", "json"];
    let done = common::gimlet(dir.path(), &args);
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    let found: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let files: Vec<&str> =
        list(&found["modules"]).iter().filter_map(|it| it["file"].as_str()).collect();
    assert_eq!(files, ["./prolog/bar.pl", "./prolog/foo.pl"], "{stderr}");
    assert_eq!(done.status.code(), Some(0), "{stderr}");
}

/// Outcomes that occur for no input of the inferred types: inputs of other types are tried before an outcome is
/// reported as unsatisfiable.
#[test]
fn branches_are_taken_by_inputs_of_other_types() {
    for program in [
        "h(X, Y) :- catch(Y is 10 div X, error(type_error(_, _), _), Y = bad).\n",
        "f(X) :- ( var(X) -> true ; X > 1 ).\n",
        "g(X, Y) :- ( number(X) -> Y is X + 1 ; atom(X) -> Y = a ; string(X) -> Y = s ; Y = other ).\n",
    ] {
        for options in [&[] as &[&str], &["--runs", "400"]] {
            let (found, stderr, _) = report(program, options);
            let of = &found["modules"][0]["branches"];
            assert_eq!(of["covered"], of["total"], "{program}: {found} {stderr}");
        }
    }
}

#[test]
fn clauses_that_are_not_together_are_told() {
    let program = "p(1).\nq(X) :- p(X).\np(2).\n";
    for (directive, is_told) in [
        ("", true),
        (":- dynamic p/1.\n", true),
        (":- discontiguous p/1.\n", false),
        (":- multifile p/1.\n", false),
        (":- style_check(-discontiguous).\n", false),
    ] {
        let (_, stderr, _) = report(&format!("{directive}{program}"), &[]);
        let tells = stderr.contains("Clauses of p/1 are not together");
        assert_eq!(tells, is_told, "{directive}: {stderr}");
    }
}

/// A type that the program defines is a hook of another module, which no goal of the program calls directly.
#[test]
fn hooks_of_other_modules_are_no_predicates_of_the_program() {
    let program = ":- multifile error:has_type/2.\n\
                   error:has_type(color, X) :- memberchk(X, [red, green]).\n\
                   %! col(+C:color, -N:integer) is det.\ncol(red, 1).\ncol(green, 2).\n";
    let (found, stderr, _) = report(program, &[]);
    let units: Vec<&str> =
        list(&found["units"]).iter().filter_map(|it| it["unit"].as_str()).collect();
    assert_eq!(units, ["col/2"], "{stderr}");
    assert!(findings(&found).is_empty(), "{found}");
}

#[test]
fn preconditions_guard_the_predicates_whose_arguments_they_take() {
    let program = "avg(L, A) :- sum_list(L, S), length(L, N), A is S / N.\nok([_|_]).\n";
    let (found, _, _) = report(program, &["--runs", "60"]);
    assert!(findings(&found).iter().any(|it| it.contains("zero_divisor")), "{found}");
    let (found, stderr, code) = report(program, &["--runs", "60", "--pre", "ok/1"]);
    assert_eq!((findings(&found), code), (Vec::new(), 0), "{found} {stderr}");
    let units: Vec<&str> =
        list(&found["units"]).iter().filter_map(|it| it["unit"].as_str()).collect();
    assert_eq!(units, ["avg/2"], "{stderr}");
}

/// A goal that searches for more answers returns through more and more frames without calling a predicate.
#[test]
fn a_det_predicate_that_looks_for_more_answers_without_end_is_found() {
    let program = "%! len(-L:list, +N:nonneg) is det.\nlen([], 0).\n\
                   len([_|T], N) :- len(T, M), N is M + 1.\n";
    let (found, stderr, code) = report(program, &["--runs", "10"]);
    let units = list(&found["units"]);
    let finding = units.iter().flat_map(|it| list(&it["findings"])).next();
    let finding = finding.unwrap_or_else(|| panic!("{found} {stderr}"));
    assert_eq!(finding["reason"], "it looks for another answer without end", "{found}");
    assert_eq!(finding["confirmed"], true, "{found}");
    assert_eq!(code, 1, "{stderr}");
}

/// Loading the program does not end in SWI-Prolog either, but its goals are run nevertheless.
#[test]
fn an_endless_initialization_is_told() {
    let (found, stderr, _) = report("l :- l.\n:- initialization(l).\np(1).\n", &["-f", "p/1"]);
    assert!(stderr.contains("swipl has not loaded this"), "{stderr}");
    let tests: Vec<&Value> =
        list(&found["units"]).iter().flat_map(|it| list(&it["tests"])).collect();
    assert!(!tests.is_empty() && tests.iter().all(|it| it["confirmed"] == true), "{found}");
}

/// A tabled predicate is called by its own name, and its answers may come in any order.
#[test]
fn tabled_predicates_are_tested_by_their_names() {
    let program = ":- table path/2.\nedge(a, b).\nedge(b, c).\nedge(c, a).\npath(X, Y) :- edge(X, Y).\n\
                   path(X, Y) :- path(X, Z), edge(Z, Y).\n";
    let (found, stderr, code) = report(program, &[]);
    let unit = &found["units"][0];
    assert_eq!((&unit["unit"], code), (&"path/2".into(), 0), "{found} {stderr}");
    assert_eq!(found["modules"][0]["clauses"]["total"], 5, "{found}");
    assert!(list(&unit["tests"]).iter().all(|it| it["confirmed"] == true), "{found}");
    assert!(list(&unit["disagreements"]).is_empty(), "{found}");
}

#[test]
fn a_recursion_that_no_clause_ends_is_found() {
    let program = "sum([X|Xs], S) :- sum(Xs, S0), S is S0 + X.\n";
    let (found, stderr, code) = report(program, &["--mode", "sum(+,-)"]);
    assert_eq!((findings(&found), code), (vec!["suspicious false".to_owned()], 1), "{stderr}");
    assert_eq!(unsatisfiable(&found), ["\"sum/2\":1"], "{found}");
    // A loop that only an exception ends never fails.
    let loops = "loop(N) :- N > 5, throw(done).\nloop(N) :- N =< 5, M is N + 1, loop(M).\n";
    let (found, stderr, _) = report(loops, &["--runs", "30"]);
    assert!(!findings(&found).iter().any(|it| it.ends_with("false")), "{found} {stderr}");
}

#[test]
fn keys_of_declared_pairs_may_be_any_terms() {
    let program = "%! look(+Pairs:list(pair), +Name:atom, -V) is semidet.
look([Name-V|_], Name, V).
look([_|Rest], Name, V) :- look(Rest, Name, V).
";
    let (found, _, code) = report(program, &[]);
    assert_eq!(code, 1);
    let findings = list(&found["units"][0]["findings"]);
    let call = findings.first().and_then(|it| it["call"].as_str());
    assert_eq!(call, Some("look([a-0,a-0], a, R)"), "{findings:?}");
}

#[test]
fn facts_that_other_predicates_add_are_never_all_tried() {
    let program = ":- dynamic item/1.\npush(X) :- assertz(item(X)).\npop(X) :- retract(item(X)).\n";
    let (found, _, _) = report(program, &[]);
    let mut units = list(&found["units"]).iter();
    let pop = units.find(|it| it["unit"] == "pop/1").expect("a unit");
    assert_eq!((&pop["stop"], &pop["verdict"]), (&"depth".into(), &"bounded".into()));
}
