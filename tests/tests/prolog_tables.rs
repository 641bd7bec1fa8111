//! Tabled predicates: the same answers as on SWI-Prolog, and work that grows as expected.

use conformance::swipl::{Installed, check};
use prolog::{Ending, File, Limits, Machine};
use std::fmt::Write as _;

const PROGRAM: &str = "
:- meta_predicate set(?, 0, -).
:- table path/2, ping/1, pong/1, fib/2, even/1, odd/1, near(_, _, min), far(_, _, max), first(_, -),
         sums(_, sum), latest(_, last), best(_, lattice(longer/3)), win/1, conn/2, a/1, b/1, c/1, big/1.
edge(1, 2). edge(2, 3). edge(3, 1). edge(3, 4). edge(4, 5). edge(5, 4).
path(X, Y) :- path(X, Z), edge(Z, Y).
path(X, Y) :- edge(X, Y).
conn(X, Y) :- conn(X, Z), conn(Z, Y).
conn(X, Y) :- edge(X, Y).
ping(0).
ping(N) :- N > 0, M is N - 1, pong(M).
pong(0).
pong(N) :- N > 0, M is N - 1, ping(M).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y.
even(0).
even(N) :- odd(M), N is M + 1, N < 10.
odd(N) :- even(M), N is M + 1, N < 10.
cost(a, b, 4). cost(a, c, 1). cost(c, b, 2). cost(b, d, 5). cost(c, d, 8). cost(d, a, 1).
near(X, Y, C) :- cost(X, Y, C).
near(X, Y, C) :- near(X, Z, A), cost(Z, Y, B), C is A + B.
far(X, Y, C) :- cost(X, Y, C).
far(X, Y, C) :- cost(X, Z, A), Z @> X, far(Z, Y, B), C is A + B.
first(a, 1). first(a, 2). first(b, 3).
sums(a, 1). sums(a, 2). sums(b, 3).
latest(a, 1). latest(a, 2). latest(b, 3).
longer(A, B, C) :- length(A, N), length(B, M), ( M > N -> C = B ; C = A ).
best(X, [X]) :- edge(X, _).
best(X, [X|P]) :- edge(X, Y), Y > X, best(Y, P).
win(X) :- edge(X, Y), X < Y, tnot(win(Y)).
a(X) :- b(X). a(1).
b(X) :- c(X). b(X) :- a(Y), X is Y + 1, X < 5.
c(X) :- a(Y), X is Y * 2, X < 9.
big(f(\"text\", 123456789012345678901234567890, 1r3, -0.0, _)).
big(f(\"text\", 123456789012345678901234567890, 1r3, 0.0, _)).
big(f(\"text\", 123456789012345678901234567890, 1r3, 0.0, Y)) :- atom(Y) ; Y = _.
set(T, G, S) :- findall(T, G, L), sort(L, S).
bad(X) :- path(X, Y), Y > 4, throw(found(Y)).
";

#[test]
fn answers() {
    let goals = [
        "set(Y, path(1, Y), S)",
        "set(X-Y, path(X, Y), S)",
        "set(X-Y, conn(X, Y), S)",
        "ping(40), pong(41)",
        "fib(80, F)",
        "set(N, even(N), S), set(M, odd(M), T)",
        "set(Y-C, near(a, Y, C), S)",
        "set(X-Y-C, near(X, Y, C), S)",
        "near(a, d, C)",
        "set(Y-C, far(a, Y, C), S)",
        "set(X-Y, first(X, Y), S)",
        "set(X-Y, sums(X, Y), S)",
        "set(X-Y, latest(X, Y), S)",
        "set(X-Y, best(X, Y), S)",
        "findall(X, ( member(X, [1, 2, 3, 4, 5]), win(X) ), L)",
        "set(X, a(X), A), set(X, b(X), B), set(X, c(X), C)",
        "findall(X, big(X), L), length(L, N)",
        "catch(bad(1), found(Y), true), set(Z, path(1, Z), S)",
        "path(1, 4), abolish_all_tables, path(1, 5)",
        "once(path(1, _)), set(Z, path(1, Z), S)",
    ];
    check(PROGRAM, &goals.map(str::to_owned));
}

/// Returns the number of steps that a goal takes.
fn steps(program: &str, goal: &str) -> u64 {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = File { path: "program.pl".to_owned(), text: program.to_owned() };
    machine.load(&file, &mut library);
    let query = machine.query(goal).expect("a goal");
    let limits = Limits { steps: 50_000_000, memory_bytes: 1 << 30 };
    let mut solutions = machine.solve(&mut library, &query.record, limits);
    let ending = solutions.next_answer();
    assert!(matches!(ending, Ending::True { .. }), "{goal}: {ending:?}");
    solutions.machine().steps()
}

/// Twice the input takes about twice the work.
#[test]
fn calls_that_need_no_answers_of_their_own_are_evaluated_once() {
    for goal in ["ping", "pong"] {
        let [small, large] = [500, 1000].map(|n| steps(PROGRAM, &format!("{goal}({n})")));
        assert!(large < small * 5 / 2, "{goal}: {small} and {large} steps");
    }
    let [small, large] = [500, 1000].map(|n| steps(PROGRAM, &format!("fib({n}, _)")));
    assert!(large < small * 5 / 2, "fib: {small} and {large} steps");
}

/// Retracting the first clause takes constant time, whatever the number of clauses.
#[test]
fn the_first_clause_is_retracted_without_looking_at_the_others() {
    let program = "
:- dynamic c/1, d/2.
fill(N) :- forall(between(1, N, I), ( assertz(c(I)), assertz(d(I, x)) )).
drain :- retract(c(_)), !, drain.
drain.
pick(0) :- !.
pick(N) :- retract(d(N, _)), !, M is N - 1, pick(M).
";
    for goal in ["drain", "pick(N)"] {
        let [small, large] = [1000, 2000].map(|n| {
            let goal = goal.replace('N', &n.to_string());
            steps(program, &format!("fill({n}), {goal}"))
        });
        assert!(large < small * 5 / 2, "{goal}: {small} and {large} steps");
    }
    let goals = [
        "fill(5), retract(c(X)), X >= 3",
        "fill(3), findall(X, ( retract(c(X)), assertz(c(9)) ), L), findall(Y, c(Y), K)",
        "fill(3), retract(c(X)), retractall(c(_))",
        "fill(12), retract(d(7, X)), \\+ d(7, _), findall(Y, d(Y, _), L)",
        "fill(12), assertz(d(3, y)), findall(X, retract(d(3, X)), L), findall(Y, d(Y, _), K)",
        "fill(12), clause(d(3, X), true)",
        "fill(2), clause(c(X), true), retract(c(2))",
        "fill(12), asserta(d(3, z)), clause(d(3, X), B)",
        "fill(3), clause(c(X), B, R), erase(R), findall(Y, c(Y), L)",
        "assertz((c(X) :- X > 1, true)), retract((c(Y) :- B))",
    ];
    check(program, &goals.map(str::to_owned));
    let mut long = String::new();
    for n in 0..20 {
        write!(long, "c({n}). ").expect("strings can be written to");
    }
    check(&format!(":- dynamic c/1.\n{long}"), &["retract(c(X)), X > 17".to_owned()]);
}
