//! Tests `gimlet run` on Prolog: goals, answers in the format of the toplevel, exit codes.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use expect_test::{Expect, expect};

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

/// Runs the binary in the directory of the test programs.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
#[track_caller]
fn check(args: &[&str], expect: Expect) {
    let done = common::gimlet(PROGRAMS, args);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let code = done.status.code().map_or("a signal".to_owned(), |it| it.to_string());
    expect.assert_eq(&format!("{}{}exit {code}\n", text(&done.stdout), text(&done.stderr)));
}

/// Checks the answers of a goal.
#[track_caller]
fn answers(goal: &str, expect: Expect) {
    check(&["run", "answers.pl", goal], expect);
}

#[test]
fn answers_one_by_one() {
    answers(
        "p(X)",
        expect![[r#"
        X = 1 ;
        X = 2 ;
        X = 3.
        exit 0
    "#]],
    );
    answers(
        "p(X), X < 2",
        expect![[r#"
        X = 1 ;
        false.
        exit 0
    "#]],
    );
    answers(
        "p(1), !",
        expect![[r#"
        true.
        exit 0
    "#]],
    );
    answers(
        "q(X)",
        expect![[r#"
        false.
        exit 1
    "#]],
    );
    answers(
        "X = 1, Y = 2, Z = 1",
        expect![[r#"
        X = Z, Z = 1,
        Y = 2.
        exit 0
    "#]],
    );
    answers(
        "X = Y, Z = f(X, _, V, V)",
        expect![[r#"
        X = Y,
        Z = f(Y, _, V, V).
        exit 0
    "#]],
    );
    answers(
        "length(L, 2), append(L, L, M)",
        expect![[r#"
        L = [_A, _B],
        M = [_A, _B, _A, _B].
        exit 0
    "#]],
    );
    answers(
        "X = 'A b', Y = \"s\", Z = [(a :- b), - 1, 1 - -1, {x, y}]",
        expect![[r#"
        X = 'A b',
        Y = "s",
        Z = [(a:-b), - 1, 1- -1, {x, y}].
        exit 0
    "#]],
    );
    answers(
        "X = f(X), Y = [a|Y]",
        expect![[r#"
        X = f(X),
        Y = [a|Y].
        exit 0
    "#]],
    );
    answers(
        "freeze(X, true)",
        expect![[r#"
        freeze(X, true).
        exit 0
    "#]],
    );
    answers(
        "write(a), nl, write(b)",
        expect![[r#"
        a
        b
        true.
        exit 0
    "#]],
    );
}

#[test]
fn errors() {
    answers(
        "X is foo + 1",
        expect![[r#"
        ERROR: Arithmetic: `foo/0' is not a function
        exit 1
    "#]],
    );
    answers(
        "atom_length(_, N)",
        expect![[r#"
        ERROR: Arguments are not sufficiently instantiated
        exit 1
    "#]],
    );
    answers(
        "p(X), throw(found(X))",
        expect![[r#"
        ERROR: Unhandled exception: Unknown message: found(1)
        exit 1
    "#]],
    );
    answers(
        "halt(3)",
        expect![[r#"
        exit 3
    "#]],
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said_and_the_rest_goes_on() {
    check(
        &["run", "family.pl", "ancestor(ann, X)"],
        expect![[r#"
        X = bob ;
        X = cid ;
        X = dan ;
        false.
        warning[G031]: Singleton variables: [Unused]
           ┌─ family.pl:13:1
        13 │ odd(X, Unused) :- parent(X, _).
           │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        error[G030]: an operator was expected here
           ┌─ family.pl:14:25
        14 │ broken(X :- parent(X, _).
           │                         ^
        exit 0
    "#]],
    );
}

#[test]
fn goals_that_can_not_be_run() {
    answers(
        "r(X)",
        expect![[r#"
        error[G032]: there is no predicate r/1
          = hint: did you mean p/1?
        exit 2
    "#]],
    );
    answers(
        "p(X, Y)",
        expect![[r#"
        error[G032]: there is no predicate p/2
          = hint: there is p/1
        exit 2
    "#]],
    );
    answers(
        "p(X",
        expect![[r#"
        error[G001]: an operator was expected here
          ┌─ goal:1:5
        1 │ p(X
          │     ^
          = hint: write it as at the toplevel of SWI-Prolog: 'append(X, Y, [a, b])'
        exit 2
    "#]],
    );
    answers(
        "3",
        expect![[r#"
        error[G001]: 3 is no goal
          = hint: write it as at the toplevel of SWI-Prolog: 'append(X, Y, [a, b])'
        exit 2
    "#]],
    );
    check(
        &["run", "missing.pl", "true"],
        expect![[r#"
        error[G002]: there is no file missing.pl
          = hint: paths are relative to the current directory
        exit 2
    "#]],
    );
}

#[test]
fn budgets() {
    check(
        &["run", "--reductions", "1000", "answers.pl", "repeat, fail"],
        expect![[r#"
        ** out of reductions; --reductions allows more
        exit 2
    "#]],
    );
    check(
        &["run", "--time", "100ms", "answers.pl", "repeat, fail"],
        expect![[r#"
        ** out of time; --time allows more
        exit 2
    "#]],
    );
    check(
        &["run", "--memory", "10M", "answers.pl", "length(L, 10000000)"],
        expect![[r#"
        ** out of memory; --memory allows more
        exit 2
    "#]],
    );
    // Terms that are small if subterms are shared, and huge if they are copied.
    for goal in ["assertz(kept(T))", "term_to_atom(T, _)", "format(atom(_), '~w', [T])"] {
        let goal = format!("length(L, 60), foldl([_,X,f(X,X)]>>true, L, a, T), {goal}");
        check(
            &["run", "--memory", "100M", "answers.pl", &goal],
            expect![[r#"
            ** out of memory; --memory allows more
            exit 2
        "#]],
        );
    }
    check(
        &["run", "--reductions", "1000", "answers.pl", "X is 3 ** (1 << 30)"],
        expect![[r#"
        ** out of reductions; --reductions allows more
        exit 2
    "#]],
    );
    answers(
        "open(x, write, S)",
        expect![[r#"
            ** refused: open/3 touches the file x; --allow files lets it
            exit 1
        "#]],
    );
}

#[test]
fn json() {
    check(
        &["run", "--format", "json", "answers.pl", "p(X), Y = Z"],
        expect![[r#"
        {
          "schema": 1,
          "tool": {
            "name": "gimlet",
            "version": "0.1.0"
          },
          "goal": "p(X), Y = Z",
          "outcome": "true",
          "answers": [
            {
              "bindings": {
                "X": "1",
                "Y": "Z"
              },
              "constraints": []
            },
            {
              "bindings": {
                "X": "2",
                "Y": "Z"
              },
              "constraints": []
            },
            {
              "bindings": {
                "X": "3",
                "Y": "Z"
              },
              "constraints": []
            }
          ],
          "output": ""
        }
        exit 0
    "#]],
    );
    check(
        &["run", "--format", "json", "answers.pl", "p(X), X > 2, throw(x(X))"],
        expect![[r#"
        {
          "schema": 1,
          "tool": {
            "name": "gimlet",
            "version": "0.1.0"
          },
          "goal": "p(X), X > 2, throw(x(X))",
          "outcome": "throws",
          "ball": "x(3)",
          "message": "Unhandled exception: Unknown message: x(3)",
          "answers": [],
          "output": ""
        }
        exit 1
    "#]],
    );
}

/// Figures 7 and 10 of the paper on program instrumentation, on the events of its example 2: the run computes `[X, X]`
/// of `[X]`, and the inputs `[]`, `[X]` and `[X, Y | R]` take all alternatives.
#[test]
fn symbolic_execution_from_events() {
    check(
        &["run", "events.pl", "sym(Res, Vars)"],
        expect![[r#"
            Res = [_A, _A],
            Vars = [[_A]] ;
            false.
            exit 0
        "#]],
    );
    check(
        &["run", "events.pl", "input_alt(Vars)"],
        expect![[r#"
            Vars = [[_]] ;
            Vars = [[_, _|_]] ;
            Vars = [[]] ;
            false.
            exit 0
        "#]],
    );
}

#[test]
fn programs_of_several_files() {
    check(
        &["run", "sums.pl", "show(X)"],
        expect![[r#"
        1<+>2
        3
        X = 1<+>2.
        exit 0
    "#]],
    );
}

#[test]
fn goals_before_the_end() {
    answers(
        "at_halt(writeln(bye)), halt(3)",
        expect![[r#"
        bye
        exit 3
    "#]],
    );
}

#[test]
fn terms_inside_themselves() {
    answers(
        "X = f(Y, X), Y = g(X)",
        expect![[r#"
        X = f(g(X), X),
        Y = g(X).
        exit 0
    "#]],
    );
    // A copy of a cyclic term preserves its sharing.
    answers(
        "X = f(X, g(X), [X, X]), catch(throw(X), Y, true), X == Y, \
         with_output_to(string(S), print(Y)), string_length(S, N), N >= 100",
        expect![[r#"
        false.
        exit 1
    "#]],
    );
}
