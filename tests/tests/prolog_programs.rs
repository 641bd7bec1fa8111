//! Compares whole Prolog programs on our machine and on SWI-Prolog: classic ones, and small random ones.
#![expect(clippy::disallowed_methods, reason = "programs are files")]

use conformance::swipl::{check, our_units, swipl_units};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const CLASSICS: &str = r#"
nrev([], []).
nrev([X|Xs], Ys) :- nrev(Xs, Zs), app(Zs, [X], Ys).
app([], L, L).
app([X|Xs], L, [X|Ys]) :- app(Xs, L, Ys).

queens(N, Qs) :- numlist(1, N, Ns), select_queens(Ns, [], Qs).
select_queens([], Qs, Qs).
select_queens(Left, Safe, Qs) :-
    select(Q, Left, Rest), \+ attacks(Q, 1, Safe), select_queens(Rest, [Q|Safe], Qs).
attacks(Q, D, [Q1|_]) :- ( Q =:= Q1 + D ; Q =:= Q1 - D ), !.
attacks(Q, D, [_|Qs]) :- D1 is D + 1, attacks(Q, D1, Qs).

tak(X, Y, Z, A) :- X =< Y, !, Z = A.
tak(X, Y, Z, A) :-
    X1 is X - 1, Y1 is Y - 1, Z1 is Z - 1,
    tak(X1, Y, Z, A1), tak(Y1, Z, X, A2), tak(Z1, X, Y, A3), tak(A1, A2, A3, A).

hanoi(0, _, _, _, []) :- !.
hanoi(N, A, B, C, Moves) :-
    M is N - 1, hanoi(M, A, C, B, Before), hanoi(M, C, B, A, After),
    append(Before, [A-B|After], Moves).

right_of(X, Y, [Y, X|_]).
right_of(X, Y, [_|L]) :- right_of(X, Y, L).
next_to(X, Y, L) :- right_of(X, Y, L) ; right_of(Y, X, L).
zebra(Owner) :-
    Hs = [h(_, norwegian, _, _, _), _, h(_, _, _, milk, _), _, _],
    member(h(red, english, _, _, _), Hs), member(h(green, _, _, coffee, _), Hs),
    member(h(_, spanish, dog, _, _), Hs), member(h(_, ukrainian, _, tea, _), Hs),
    right_of(h(green, _, _, _, _), h(ivory, _, _, _, _), Hs),
    member(h(_, _, snails, _, winston), Hs), member(h(yellow, _, _, _, kools), Hs),
    next_to(h(_, _, _, _, chesterfield), h(_, _, fox, _, _), Hs),
    next_to(h(_, _, _, _, kools), h(_, _, horse, _, _), Hs),
    member(h(_, _, _, juice, lucky), Hs), member(h(_, japanese, _, _, parliament), Hs),
    next_to(h(_, norwegian, _, _, _), h(blue, _, _, _, _), Hs),
    member(h(_, Owner, zebra, _, _), Hs).

ack(0, N, R) :- !, R is N + 1.
ack(M, 0, R) :- !, M1 is M - 1, ack(M1, 1, R).
ack(M, N, R) :- M1 is M - 1, N1 is N - 1, ack(M, N1, R1), ack(M1, R1, R).

quick([], []).
quick([X|Xs], S) :-
    partition([Y]>>(Y =< X), Xs, Small, Large), quick(Small, S1), quick(Large, S2),
    append(S1, [X|S2], S).

primes(N, Ps) :- numlist(2, N, L), sieve(L, Ps).
sieve([], []).
sieve([P|Xs], [P|Ps]) :- exclude([X]>>(X mod P =:= 0), Xs, Ys), sieve(Ys, Ps).

expr(X) --> term(X0), expr_rest(X0, X).
expr_rest(X0, X) --> "+", !, term(Y), { X1 is X0 + Y }, expr_rest(X1, X).
expr_rest(X0, X) --> "-", !, term(Y), { X1 is X0 - Y }, expr_rest(X1, X).
expr_rest(X, X) --> [].
term(X) --> factor(X0), term_rest(X0, X).
term_rest(X0, X) --> "*", !, factor(Y), { X1 is X0 * Y }, term_rest(X1, X).
term_rest(X, X) --> [].
factor(X) --> "(", !, expr(X), ")".
factor(X) --> digits(Ds), { Ds = [_|_], number_codes(X, Ds) }.
digits([D|Ds]) --> [D], { code_type(D, digit) }, !, digits(Ds).
digits([]) --> [].
calc(Text, X) :- string_codes(Text, Codes), phrase(expr(X), Codes).

greeting --> [hello], name.
name --> [world] | [prolog].
anbn --> [] ; [a], anbn, [b].

solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve((A ; B)) :- !, ( solve(A) ; solve(B) ).
solve(H) :- predicate_property(H, dynamic), !, clause(H, B), solve(B).
solve(H) :- call(H).
:- dynamic edge/2, reach/2, memo/2, counter/1.
edge(a, b). edge(b, c). edge(c, d). edge(d, b).
reach(X, Y) :- edge(X, Y).
reach(X, Y) :- edge(X, Z), Z \== b, reach(Z, Y).
fib(N, F) :- memo(N, F), !.
fib(N, F) :- N < 2, !, F = N.
fib(N, F) :- A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y, assertz(memo(N, F)).
counter(0).
tick(N) :- retract(counter(N0)), N is N0 + 1, assertz(counter(N)).

d(X, X, 1) :- !.
d(C, _, 0) :- atomic(C), !.
d(A + B, X, DA + DB) :- d(A, X, DA), d(B, X, DB).
d(A * B, X, A * DB + DA * B) :- d(A, X, DA), d(B, X, DB).

tree(nil, []).
tree(t(L, X, R), Xs) :- append(Ls, [X|Rs], Xs), tree(L, Ls), tree(R, Rs).
classify(X, Kind) :-
    (   X < 0 -> Kind = negative ; X =:= 0 -> Kind = zero ; X < 10 -> Kind = small ; Kind = large ).
sub_sum([], 0, []).
sub_sum([X|Xs], S, [X|Ys]) :- S >= X, S1 is S - X, sub_sum(Xs, S1, Ys).
sub_sum([_|Xs], S, Ys) :- sub_sum(Xs, S, Ys).
:- table path/2.
link(1, 2). link(2, 3). link(3, 1). link(3, 4).
path(X, Y) :- path(X, Z), link(Z, Y).
path(X, Y) :- link(X, Y).
"#;

#[test]
fn classics() {
    let goals = [
        "numlist(1, 30, L), nrev(L, R)",
        "queens(6, Qs)",
        "queens(8, Qs)",
        "tak(12, 8, 4, A)",
        "hanoi(5, left, right, middle, M), length(M, N)",
        "zebra(Owner)",
        "ack(2, 3, R)",
        "quick([3, 1, 2, 3, 0], S)",
        "primes(50, Ps)",
        "calc(\"2*(3+4)-5\", X)",
        "calc(\"2*(3\", X)",
        "phrase(greeting, [hello, X])",
        "phrase(anbn, [a, a, b, b])",
        "phrase(anbn, [a, b, b])",
        "solve(reach(a, X))",
        "fib(60, F)",
        "tick(A), tick(B), counter(C)",
        "d(x * x + 3 * x, x, D)",
        "tree(T, [1, 2, 3])",
        "maplist(classify, [-5, 0, 7, 99], Ks)",
        "sub_sum([1, 2, 3, 4, 5], 6, L)",
        "setof(Y, path(1, Y), Ys)",
        "catch(queens(a, Q), E, true)",
        "setof(X-Y, edge(X, Y), L)",
        "bagof(X, edge(X, Y), L)",
        "forall(edge(X, _), atom(X))",
        "aggregate_all(count, edge(_, _), N)",
        "retract(edge(b, X)), \\+ edge(b, _)",
        "length(L, N), N >= 2, !, L = [a|_]",
        "between(1, 5, X), X mod 2 =:= 0",
        "atom_codes(A, \"xyz\"), atom_length(A, N)",
        "copy_term(f(X, Y, X), T)",
        "msort([c, a, b, a], L)",
        "sort(0, @>=, [1, 3, 2, 3], L)",
        "nb_setval(k, 1), nb_getval(k, V)",
        "catch(number_codes(N, \"3x\"), error(E, _), true)",
        "string_concat(X, Y, \"ab\")",
        "sub_atom(hello, B, 2, A, S)",
        "tab(3), write(x), nl",
    ];
    check(CLASSICS, &goals.map(str::to_owned));
}

/// Solutions of exercises, and classic benchmarks. The goals are in lines that begin with `%?-`.
#[test]
fn exercises() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("prolog/exercises");
    let files = fs::read_dir(&dir).expect("the exercises are there");
    let mut paths: Vec<_> = files.map(|it| it.expect("a file").path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "pl"));
    paths.sort();
    assert!(30 < paths.len(), "{}", paths.len());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let goals: Vec<String> = text
            .lines()
            .filter_map(|it| it.strip_prefix("%?- "))
            .map(|it| it.trim_end().trim_end_matches('.').to_owned())
            .collect();
        assert!(!goals.is_empty(), "{}", path.display());
        check(&text, &goals);
    }
}

/// Unit tests of every kind, successful and failing: the reports have the same text.
#[test]
fn units() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("prolog/units");
    let files = fs::read_dir(&dir).expect("the units are there");
    let mut paths: Vec<_> = files.map(|it| it.expect("a file").path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "plt"));
    paths.sort();
    assert!(20 < paths.len(), "{}", paths.len());
    for path in paths {
        assert_eq!(our_units(&path), swipl_units(&path), "{}", path.display());
    }
}

/// A generator of pseudo-random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(usize::try_from(self.roll(of.len() as u64)).unwrap_or(0)).copied().unwrap_or("a")
    }
}

const PROGRAMS: u64 = 400;
const PREDICATES: u64 = 4;

/// The predicates of a random program call only later ones, so every goal terminates.
#[test]
fn random_programs() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut text = String::from(":- style_check(-singleton).\n:- style_check(-discontiguous).\n");
    let mut goals = Vec::new();
    for program in 0..PROGRAMS {
        writeln!(text, ":- dynamic m{program}/1.").expect("strings can be written to");
        for pred in 0..PREDICATES {
            for _ in 0..=dice.roll(3) {
                let clause = clause(&mut dice, program, pred);
                writeln!(text, "{clause}").expect("strings can be written to");
            }
        }
        goals.push(format!("retractall(m{program}(_)), p{program}_0(X, Y)"));
        goals.push(format!("retractall(m{program}(_)), p{program}_0(1, Y)"));
        goals.push(format!("retractall(m{program}(_)), p{program}_0(X, [a])"));
    }
    check(&text, &goals);
}

fn clause(dice: &mut Dice, program: u64, pred: u64) -> String {
    // The heads are such that no cyclic terms arise, because SWI-Prolog takes too long on them.
    let head = dice.pick(&["X, Y", "X, X", "1, Y", "X, [a]", "a, Y", "X, 2", "f(1), Y", "b, c"]);
    let n_goals = 1 + dice.roll(3);
    let goals: Vec<String> = (0..n_goals).map(|_| goal(dice, program, pred, 2)).collect();
    format!("p{program}_{pred}({head}) :- {}.", goals.join(", "))
}

fn goal(dice: &mut Dice, program: u64, pred: u64, depth: u32) -> String {
    let sub = |dice: &mut Dice| goal(dice, program, pred, depth - 1);
    if 0 < depth && dice.roll(2) == 0 {
        let (a, b, c) = (sub(dice), sub(dice), sub(dice));
        return match dice.roll(10) {
            0 => format!("( {a} -> {b} ; {c} )"),
            1 => format!("( {a} *-> {b} ; {c} )"),
            2 => format!("( {a} ; {b} )"),
            3 => format!("\\+ ( {a}, {b} )"),
            4 => format!("catch(( {a}, {b} ), E, ( E = error(F, _) -> Z = F ; Z = E ))"),
            5 => format!("findall(X-Y, ( {a}, {b} ), W)"),
            6 => format!("once(( {a} ; {b} ))"),
            7 => format!("forall(( {a} ), ( {b} ))"),
            8 => format!("( {a} -> {b} )"),
            _ => format!("call(( {a}, ! ; {b} ))"),
        };
    }
    let callee = pred + 1 + dice.roll(2);
    if callee < PREDICATES && dice.roll(2) == 0 {
        let args = dice.pick(&["X, Y", "Y, X", "X, Z", "Z, V", "1, Z", "f(1), Y", "Y, [a]"]);
        return format!("p{program}_{callee}({args})");
    }
    let m = format!("m{program}");
    match dice.roll(18) {
        0 => "!".to_owned(),
        1 => "X = Y".to_owned(),
        2 => "member(Z, [1, 2, a])".to_owned(),
        3 => "X == Y".to_owned(),
        4 => "Z is 1 + 2".to_owned(),
        5 => "Z is X * 2".to_owned(),
        6 => "X < 2".to_owned(),
        7 => "between(1, 3, Y)".to_owned(),
        8 => "throw(oops(X))".to_owned(),
        9 => format!("assertz({m}(X))"),
        10 => format!("{m}(Y)"),
        11 => format!("retract({m}(Z))"),
        12 => "Y = [a]".to_owned(),
        13 => "var(X)".to_owned(),
        14 => "X = 1".to_owned(),
        15 => "atom(Y)".to_owned(),
        16 => "fail".to_owned(),
        _ => "append(_, [V|_], [1, a])".to_owned(),
    }
}
