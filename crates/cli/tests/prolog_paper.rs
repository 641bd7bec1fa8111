//! Tests the features of the paper on concolic testing of Prolog [Vidal 2014]: derivations, path conditions with the
//! alternatives of choices, and execution trees; and programs that are run as a whole.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use expect_test::{Expect, expect};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/prolog");

/// Checks standard output and the exit code, in the directory of the programs.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
#[track_caller]
fn check(args: &[&str], expect: Expect) {
    let done = common::gimlet(PROGRAMS, args);
    let code = done.status.code().expect("no signal");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    expect.assert_eq(&format!("{text}exit {code}\n"));
}

#[track_caller]
fn in_program(text: &str, args: &[&str]) -> (String, String, i32) {
    let dir = TempDir::new().expect("a directory");
    fs::write(dir.path().join("program.pl"), text).expect("a file");
    let done = common::gimlet(dir.path(), args);
    let text = |it: Vec<u8>| String::from_utf8(it).expect("UTF-8");
    (text(done.stdout), text(done.stderr), done.status.code().expect("no signal"))
}

#[test]
fn figure_2_is_what_a_trace_shows() {
    check(
        &["run", "example1.pl", "main([a,b],s(s(0)),R)", "--trace"],
        expect![[r#"
                  ⟨main([a,b],s(s(0)),R); id; []⟩
        u(1,2)    ⟨length([a,b],s(s(0))), rev([a,b],[],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(8)      ⟨length([b],s(0)), rev([a,b],[],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(8)      ⟨length([],0), rev([a,b],[],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(7)      ⟨rev([a,b],[],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(4)      ⟨is_list([]), rev([b],[a],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(5)      ⟨rev([b],[a],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(4)      ⟨is_list([a]), rev([],[b,a],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(6)      ⟨is_list([]), rev([],[b,a],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(5)      ⟨rev([],[b,a],R), foo(a); id; [(2; {R/error}; true)]⟩
        u(3)      ⟨foo(a); {R/[b,a]}; [(2; {R/error}; true)]⟩
        b(2)      ⟨true; {R/error}; []⟩
        answer: {R/error}
        (1) main/3, line 1
        (2) main/3, line 2
        (3) rev/3, line 3
        (4) rev/3, line 4
        (5) is_list/1, line 5
        (6) is_list/1, line 6
        (7) length/2, line 7
        (8) length/2, line 8
        exit 0
    "#]],
    );
}

#[test]
fn cuts_conditions_and_builtins_are_steps() {
    let program =
        "len([], N, N) :- !.\nlen([_|T], M, N) :- ( M < 5 -> K is M+1 ; K = M ), len(T, K, N).\n";
    let (text, stderr, code) =
        in_program(program, &["run", "program.pl", "len([a], 0, N)", "--trace"]);
    expect![[r#"
                  ⟨len([a],0,N); id; []⟩
        u(2)      ⟨(0<5->K_1 is 0+1;K_1=0), len([],K_1,N); id; []⟩
        if        ⟨0<5, !, K_1 is 0+1, len([],K_1,N); id; [(else; id; K_1=0, len([],K_1,N))]⟩
        builtin   ⟨!, K_1 is 0+1, len([],K_1,N); id; [(else; id; K_1=0, len([],K_1,N))]⟩
        cut       ⟨K_1 is 0+1, len([],K_1,N); id; []⟩
        builtin   ⟨len([],1,N); id; []⟩
        u(1)      ⟨!; {N/1}; []⟩
        cut       ⟨true; {N/1}; []⟩
        answer: {N/1}
        (1) len/3, line 1
        (2) len/3, line 2
    "#]]
    .assert_eq(&text);
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn choices_are_explained() {
    let program = "f(X, Y) :- ( X =:= 42 -> Y = hit ; X > 100 -> Y = big ; Y = miss ).\n";
    let args = ["test", "program.pl", "--explain", "--format", "json"];
    let (text, stderr, _) = in_program(program, &args);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{stderr}"));
    let tests = report["units"][0]["tests"].as_array().expect("tests");
    let of = |call: &str| tests.iter().find(|it| it["call"] == call).expect("a test");
    let big = of("f(101, R)")["path"].as_array().expect("a path");
    let holds: Vec<&str> = big.iter().filter_map(|it| it["holds"].as_str()).collect();
    assert!(holds.contains(&"X1 =\\= 42") && holds.contains(&"100 < X1"), "{holds:?}");
}

#[test]
fn the_tree_of_a_predicate() {
    check(
        &["symbolic", "nrev.pl", "-f", "app/3", "-d", "2"],
        expect![[r#"
        app(X1, X2, R), up to 2 choices    % clauses of app/3
        ├─ X1 = []: ?- app([], [], R).  % R = []
        ├─ X1 = [_|_]    % clauses of app/3
        │  ├─ the rest of X1 after 1 = []: ?- app([0], [], R).  % R = [0]
        │  ├─ the rest of X1 after 1 = [_|_]: ?- app([0,0], [], R).  % R = [0,0] … 1 more choices
        │  └─ the rest of X1 after 1 \= [], the rest of X1 after 1 \= [_|_]: infeasible
        └─ X1 \= [], X1 \= [_|_]: infeasible

        paths: 3 feasible, 2 infeasible, 0 unknown, 0 not asked, 1 cut off at the bound
        exit 0
    "#]],
    );
}

#[test]
fn an_error_is_reached_or_not() {
    let program = "half(X, Y) :- ( X > 3 -> Y is 10 / (X - 7) ; Y = 0 ).\n";
    let args = ["symbolic", "program.pl", "-f", "half/2", "--reach", "error"];
    let (text, stderr, code) = in_program(program, &args);
    assert!(text.contains("yes: an error is reached by ?- half(7, R)."), "{text}{stderr}");
    assert_eq!(code, 1);
}

#[test]
fn a_program_runs_as_a_whole() {
    let program = ":- initialization(main, main).\nmain :- write(hello), nl.\n";
    let (text, _, code) = in_program(program, &["run", "program.pl"]);
    assert_eq!((text.as_str(), code), ("hello\n", 0));
    let (text, _, code) = in_program("p(1).\n", &["run", "program.pl"]);
    assert!(text.contains("gimlet run program.pl 'p'"), "{text}");
    assert_eq!(code, 0);
}

#[test]
fn a_reader_that_has_gone_away_ends_the_run() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gimlet"))
        .args(["run", "nrev.pl", "repeat, write(a), nl, fail"])
        .current_dir(PROGRAMS)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut out = child.stdout.take().expect("a pipe");
    let mut two = [0; 4];
    out.read_exact(&mut two).expect("two lines");
    drop(out);
    let status = child.wait().expect("an end");
    assert_eq!((&two, status.code()), (b"a\na\n", Some(0)));
}

#[test]
fn a_finding_says_how_it_was_reached() {
    let program = "%! p(+X:integer, -Y) is det.\np(X, Y) :- X < 10, q(X, Y).\nq(3, _) :- throw(three).\nq(X, X).\n";
    let (text, stderr, _) = in_program(program, &["test", "program.pl", "--format", "json"]);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{stderr}"));
    let findings = report["units"][0]["findings"].as_array().expect("findings");
    let three = findings.iter().find(|it| it["reason"] == "three").expect("the finding");
    let steps = three["reached"].as_array().expect("steps");
    let last = steps.last().and_then(|it| it["what"].as_str()).expect("a step");
    assert!(last.contains("clause 1 of q/2 matches") && last.contains("X = 3"), "{steps:?}");
}
