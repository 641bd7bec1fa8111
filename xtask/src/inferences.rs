//! `cargo xtask inferences`: measures inferences per second of our machine and of SWI-Prolog, on the same
//! computer in one run.
#![expect(clippy::disallowed_methods, reason = "it measures time and starts SWI-Prolog")]

use prolog::{Ending, File, Library, Limits, Machine};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

/// The minimum speed of a goal relative to SWI-Prolog.
const WANTED: f64 = 1.0 / 3.0;

const PROGRAM: &str = r"
:- use_module(library(clpfd)).
:- dynamic waiting/1, seen/2.
:- table ping/1, pong/1, path/2, near(_, _, min).
app([], L, L).
app([X|Xs], L, [X|Ys]) :- app(Xs, L, Ys).
nrev([], []).
nrev([X|Xs], Ys) :- nrev(Xs, Zs), app(Zs, [X], Ys).
range(N, N, [N]) :- !.
range(M, N, [M|L]) :- M < N, M1 is M + 1, range(M1, N, L).
bench_nrev :- range(1, 30, L), repeat_nrev(20000, L).
repeat_nrev(0, _) :- !.
repeat_nrev(N, L) :- nrev(L, _), M is N - 1, repeat_nrev(M, L).

tak(X, Y, Z, A) :- X =< Y, !, Z = A.
tak(X, Y, Z, A) :-
    X1 is X - 1, Y1 is Y - 1, Z1 is Z - 1,
    tak(X1, Y, Z, A1), tak(Y1, Z, X, A2), tak(Z1, X, Y, A3), tak(A1, A2, A3, A).
bench_tak :- tak(24, 16, 8, _).

sel(X, [X|Xs], Xs).
sel(X, [Y|Xs], [Y|Ys]) :- sel(X, Xs, Ys).
queens([], Qs, Qs).
queens(Left, Safe, Qs) :- sel(Q, Left, Rest), safe(Q, 1, Safe), queens(Rest, [Q|Safe], Qs).
safe(_, _, []).
safe(Q, D, [Q1|Qs]) :- Q =\= Q1 + D, Q =\= Q1 - D, D1 is D + 1, safe(Q, D1, Qs).
bench_queens :- range(1, 8, L), repeat_queens(100, L).
repeat_queens(0, _) :- !.
repeat_queens(N, L) :- ( queens(L, [], _), fail ; true ), M is N - 1, repeat_queens(M, L).

mem(X, [X|_]).
mem(X, [_|L]) :- mem(X, L).
right_of(X, Y, [Y, X|_]).
right_of(X, Y, [_|L]) :- right_of(X, Y, L).
next_to(X, Y, L) :- right_of(X, Y, L).
next_to(X, Y, L) :- right_of(Y, X, L).
zebra(Owner) :-
    Hs = [h(_, norwegian, _, _, _), _, h(_, _, _, milk, _), _, _],
    mem(h(red, english, _, _, _), Hs), mem(h(green, _, _, coffee, _), Hs),
    mem(h(_, spanish, dog, _, _), Hs), mem(h(_, ukrainian, _, tea, _), Hs),
    right_of(h(green, _, _, _, _), h(ivory, _, _, _, _), Hs),
    mem(h(_, _, snails, _, winston), Hs), mem(h(yellow, _, _, _, kools), Hs),
    next_to(h(_, _, _, _, chesterfield), h(_, _, fox, _, _), Hs),
    next_to(h(_, _, _, _, kools), h(_, _, horse, _, _), Hs),
    mem(h(_, _, _, juice, lucky), Hs), mem(h(_, japanese, _, _, parliament), Hs),
    next_to(h(_, norwegian, _, _, _), h(blue, _, _, _, _), Hs),
    mem(h(_, Owner, zebra, _, _), Hs).
bench_zebra :- repeat_zebra(300).
repeat_zebra(0) :- !.
repeat_zebra(N) :- zebra(_), M is N - 1, repeat_zebra(M).

count(N, N) :- !.
count(I, N) :- I1 is I + 1, count(I1, N).
bench_count :- count(0, 5000000).

bench_queue :- forall(between(1, 50000, I), assertz(waiting(I))), drain.
drain :- retract(waiting(_)), !, drain.
drain.
bench_store :- forall(between(1, 50000, I), assertz(seen(I, I))), forget(50000).
forget(0) :- !.
forget(N) :- retract(seen(N, _)), !, M is N - 1, forget(M).

ping(0).
ping(N) :- N > 0, M is N - 1, pong(M).
pong(0).
pong(N) :- N > 0, M is N - 1, ping(M).
bench_ping :- ping(20000).
edge(X, Y) :- between(1, 200, X), Y is (X * 7) mod 200 + 1.
edge(X, Y) :- between(1, 200, X), Y is (X * 11) mod 200 + 1.
path(X, Y) :- edge(X, Y).
path(X, Y) :- path(X, Z), edge(Z, Y).
bench_path :- abolish_all_tables, forall(path(_, _), true).
near(X, Y, 1) :- edge(X, Y).
near(X, Y, C) :- near(X, Z, B), edge(Z, Y), C is B + 1.
bench_near :- forall(between(1, 200, X), forall(near(X, _, _), true)).

sum_fd(N, N, _) :- !.
sum_fd(I, N, S) :- S1 #= S + I, I1 #= I + 1, I1 #> I, sum_fd(I1, N, S1).
bench_clpfd :- sum_fd(0, 100000, 0).
bench_fd :- length(Qs, 8), Qs ins 1..8, safe_fd(Qs), labeling([ff], Qs), fail.
bench_fd.
safe_fd([]).
safe_fd([Q|Qs]) :- apart(Q, Qs, 1), safe_fd(Qs).
apart(_, [], _).
apart(Q, [R|Rs], D) :- Q #\= R, abs(Q - R) #\= D, E is D + 1, apart(Q, Rs, E).

bench_sieve :- numlist(2, 6000, L), sieve(L, Ps), length(Ps, _).
sieve([], []).
sieve([P|Xs], [P|Ps]) :- exclude([X]>>(0 is X mod P), Xs, Ys), sieve(Ys, Ps).
bench_cross :- numlist(2, 20000, L), cross(L, Ps), length(Ps, _).
cross([], []).
cross([P|Xs], [P|Ps]) :- findall(X, ( member(X, Xs), X mod P =\= 0 ), Ys), ( P > 60 -> Ps = Ys ; cross(Ys, Ps) ).
bench_sort :- numlist(1, 200000, L), foldl([X, M0, M]>>(M is M0 xor X), L, 0, _), msort(L, _).
bench_assoc :- numlist(1, 30000, L), foldl([X, A0, A]>>put_assoc(X, A0, x, A), L, t, _).
bench_atoms :- forall(between(1, 50000, I), ( atom_concat(item_, I, A), atom_length(A, _), atom_codes(A, _) )).
bench_freeze :- numlist(1, 50000, L), wake(L).
wake([]).
wake([X|Xs]) :- freeze(Y, Y > 0), Y = X, wake(Xs).
";

const GOALS: &[&str] = &[
    "bench_nrev",
    "bench_tak",
    "bench_queens",
    "bench_zebra",
    "bench_count",
    "bench_queue",
    "bench_store",
    "bench_ping",
    "bench_path",
    "bench_near",
    "bench_clpfd",
    "bench_fd",
    "bench_sieve",
    "bench_cross",
    "bench_sort",
    "bench_assoc",
    "bench_atoms",
    "bench_freeze",
];

/// Returns the table of speeds, or an error if a goal is too slow.
pub(crate) fn table() -> Result<String, String> {
    let theirs = swipl()?;
    let mut out = String::from("goal          ours       swipl      ours/swipl\n");
    let mut slow = Vec::new();
    let mut logarithms = 0.0;
    for (goal, (inferences, seconds)) in GOALS.iter().zip(theirs) {
        let own = ours(goal)?;
        // Both times are related to SWI-Prolog's count of inferences, because the work is the same.
        let speed = |seconds: f64| inferences / seconds.max(1e-6) / 1e6;
        let ratio = speed(own) / speed(seconds);
        writeln!(out, "{goal:12} {:6.1} M/s {:6.1} M/s {ratio:8.2}", speed(own), speed(seconds))
            .map_err(|it| it.to_string())?;
        logarithms += ratio.ln();
        if ratio < WANTED {
            slow.push(*goal);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few goals")]
    let mean = (logarithms / GOALS.len() as f64).exp();
    writeln!(out, "geometric mean {mean:29.2}").map_err(|it| it.to_string())?;
    if slow.is_empty() { Ok(out) } else { Err(format!("{out}too slow: {}", slow.join(", "))) }
}

/// The directory of SWI-Prolog's library.
const LIBRARY: &str = "/usr/lib/swi-prolog/library";

struct Installed;

impl Library for Installed {
    fn library(&mut self, name: &str) -> Option<File> {
        let paths = ["", "clp/"].map(|it| format!("{LIBRARY}/{it}{name}.pl"));
        paths.into_iter().find_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            Some(File { path, text })
        })
    }

    fn file(&mut self, _: &str, _: &str) -> Option<File> {
        None
    }
}

/// Returns the CPU seconds of our machine for a goal whose libraries are already loaded.
fn ours(goal: &str) -> Result<f64, String> {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = File { path: "bench.pl".to_owned(), text: PROGRAM.to_owned() };
    machine.load(&file, &mut library);
    let query = machine.query(goal).map_err(|it| format!("{it:?}"))?;
    let mut seconds = 0.0;
    for _ in 0..2 {
        let start = seconds_used()?;
        let mut solutions = machine.solve(&mut library, &query.record, Limits::default());
        match solutions.next_answer() {
            Ending::True { .. } => seconds = seconds_used()? - start,
            other @ (Ending::False | Ending::Exception(_) | Ending::Stopped(_)) => {
                return Err(format!("{goal}: {other:?}"));
            }
        }
    }
    Ok(seconds)
}

/// Returns the CPU seconds of this thread. SWI-Prolog's `cputime` measures the same; neither depends on the
/// load of the computer.
fn seconds_used() -> Result<f64, String> {
    let path = "/proc/thread-self/schedstat";
    let text = fs::read_to_string(path).map_err(|it| format!("{path}: {it}"))?;
    let nanoseconds = text.split(' ').next().and_then(|it| it.parse::<f64>().ok());
    nanoseconds.map(|it| it / 1e9).ok_or_else(|| format!("{path} says {text}"))
}

/// Returns inferences and CPU seconds of each goal on SWI-Prolog.
fn swipl() -> Result<Vec<(f64, f64)>, String> {
    let path = std::env::temp_dir().join(format!("gimlet-bench-{}.pl", std::process::id()));
    let driver = "run(G) :- call(G), abolish_all_tables, statistics(inferences, I0), statistics(cputime, T0), call(G), \
                  statistics(cputime, T1), statistics(inferences, I1), I is I1 - I0, T is T1 - T0, \
                  format('~w ~w~n', [I, T]).\n";
    fs::write(&path, format!("{PROGRAM}{driver}")).map_err(|it| it.to_string())?;
    let goals: Vec<String> = GOALS.iter().map(|it| format!("run({it})")).collect();
    let out = Command::new("swipl")
        .args(["-q", "-O", "-g", &goals.join(","), "-t", "halt"])
        .arg(&path)
        .output()
        .map_err(|it| format!("swipl does not start: {it}"))?;
    fs::remove_file(&path).map_err(|it| it.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let number = |it: Option<&str>| it.and_then(|it| it.parse::<f64>().ok());
    text.lines()
        .map(|line| {
            let mut parts = line.split(' ');
            let (inferences, seconds) = (number(parts.next()), number(parts.next()));
            inferences.zip(seconds).ok_or_else(|| format!("swipl says {line}"))
        })
        .collect()
}
