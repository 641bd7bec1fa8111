//! Goals of attributed variables are called as early as on SWI-Prolog: before the next call, cut or test.

use conformance::swipl::check;

#[test]
fn attributed_variables_wake_before_a_cut() {
    let program = "
c(1) :- !.
c(_).
d(X) :- X = 1, !, true.
d(_).
e(X, Y) :- X = 1, !, Y = a.
e(_, b).
g(X, Y) :- ( X = 1 -> Y = then ; Y = otherwise ).
h(1, Y) :- Y == 2, !.
h(_, none).
k(1, L) :- L = [in|_], !.
k(_, out).
m(f(X)) :- X > 0, !.
m(_).
n(1, R) :- var(R), !, R = first.
n(_, second).
o(X, Y, Z) :- X = 1, Z is Y + 1, !.
o(_, _, none).
p(X, [X, A]) :- q(X), !, A = yes.
p(_, no).
q(1).
q(2).
s([], []) :- !.
s([X|Xs], [X|Ys]) :- s(Xs, Ys), !.
";
    let goals = [
        "dif(X, 1), c(X)",
        "dif(X, 1), d(X)",
        "dif(X, 1), e(X, Y)",
        "dif(X, 1), g(X, Y)",
        "dif(X, 1), p(X, Y)",
        "freeze(X, fail), c(X)",
        "freeze(X, fail), m(f(X))",
        "freeze(X, fail), forall(member(X, [1]), true)",
        "freeze(X, throw(oops)), c(X)",
        "freeze(X, Y = 2), h(X, Y)",
        "freeze(X, Y = 2), n(X, Y)",
        "freeze(X, Y = 2), o(X, Y, Z)",
        "freeze(X, L = [woken|_]), k(X, L)",
        "freeze(X, member(Y, [a, b])), c(X)",
        "freeze(X, member(Y, [a, b])), e(X, Y)",
        "freeze(X, Y = 2), freeze(Y, Z = 3), c(X)",
        "when(ground(X), fail), c(X)",
        "dif(X, 1), \\+ X = 1",
        "dif(X, 1), ( X = 1, ! ; true )",
        "dif(X, 1), ( X = 1 -> Y = a ; Y = b )",
        "dif(X, 1), ( X = 1 *-> Y = a ; Y = b )",
        "dif(X, 1), once(X = 1)",
        "dif(X, 1), ignore(X = 1)",
        "dif(X, 1), findall(X, X = 1, L)",
        "dif(X, 1), call((X = 1, !))",
        "dif(X, b), s([a, X], L), X = c",
        "freeze(X, (X > 1, Y = big)), s([X, 2], [3|T])",
        "freeze(X, (X > 1, Y = big)), s([X, 2], [1|T])",
    ];
    check(program, &goals.map(str::to_owned));
    let program = format!(":- use_module(library(clpfd)).\n{program}");
    let goals = [
        "X #> 1, c(X), X = 5",
        "X in 2..3, d(X), X = 2",
        "X in 1..3, c(X)",
        "X #\\= 1, e(X, Y), X = 7",
        "X #> Y, Y = 0, g(X, Z)",
        "X #> 3, p(X, Y), X = 4",
    ];
    check(&program, &goals.map(str::to_owned));
}
