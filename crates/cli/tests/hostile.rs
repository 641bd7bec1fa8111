//! Tests programs that use up one of the resources: none of them ends the tool or a worker, none prevents the tool
//! from ending, and the findings of the other functions are kept.

#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::fs;
use std::path::Path;

/// A function's name, its source, and the reason of its finding: an exhausted budget or an exception. There is no
/// finding if the real runtime shows within its time that the call ends otherwise.
type Row = (&'static str, &'static str, &'static str);

/// The expected reason of functions without a finding, or with a refusal only.
const ENDS: &str = "";

const ERLANG: &[Row] = &[
    ("shl", "shl(N) when is_integer(N) -> 1 bsl (N + 100000000000).", "system_limit"),
    (
        "shl2",
        "shl2(N) when is_integer(N) -> (1 bsl 400000000) * (N + (1 bsl 400000000)).",
        "system_limit",
    ),
    (
        "share",
        "share(N) when is_integer(N) -> lists:foldl(fun(_, A) -> {A, A} end, N, lists:seq(1, 60)).",
        ENDS,
    ),
    ("share_eq", "share_eq(N) -> share(N) =:= share(N).", "function_clause"),
    (
        "share_send",
        "share_send(N) -> self() ! share(N), receive X -> element(1, X) end.",
        "function_clause",
    ),
    ("share_raise", "share_raise(N) when is_integer(N) -> error(share(N)).", ENDS),
    ("share_bin", "share_bin(N) -> term_to_binary(share(N)).", "memory"),
    ("share_dict", "share_dict(N) -> put(k, share(N)), get().", "function_clause"),
    (
        "share_spawn",
        "share_spawn(N) -> S = share(N), spawn(fun() -> S end), ok.",
        "function_clause",
    ),
    ("share_exit", "share_exit(N) -> exit(share(N)).", "function_clause"),
    ("share_throw", "share_throw(N) -> throw(share(N)).", "function_clause"),
    ("wide", "wide(N) when is_integer(N) -> io_lib:format(\"~100000000000p\", [N]).", ENDS),
    (
        "wide2",
        "wide2(N) when is_integer(N) -> io_lib:format(\"~*s\", [N + 100000000000, \"a\"]).",
        ENDS,
    ),
    ("copy", "copy(N) when is_integer(N) -> binary:copy(<<\"abc\">>, N + 100000000000).", "memory"),
    ("copy2", "copy2(B) when is_binary(B) -> binary:copy(<<B/binary, 0>>, 1000000000).", "memory"),
    ("rx4", "rx4(N) -> re:run(\"aaaa\", \"(a{1,1000}){1,1000}\" ++ N).", "badarg"),
    ("timers2", "timers2(N) -> timer:sleep(1 bsl 40), N.", ENDS),
    ("bins", "bins(B) when is_binary(B) -> bins(<<B/binary, B/binary, 1>>).", "memory"),
    ("bits", "bits(N) when is_integer(N) -> <<N:100000000000>>.", "memory"),
    ("bits2", "bits2(N) when is_integer(N), N > 100000000000 -> <<0:N>>.", ENDS),
    ("bits3", "bits3(B) when byte_size(B) > 65535 -> error(big).", ENDS),
    ("spec1", "spec1(_) -> ok.", ENDS),
    ("tuple", "tuple(N) when is_integer(N) -> erlang:make_tuple(N + 100000000000, a).", "badarg"),
    ("deep", "deep(N) -> [deep(N)].", "reductions"),
    ("deep2", "deep2(N) -> dd(N, 10000000).", "reductions"),
    ("deep3", "deep3(N) -> {a, dd(N, 90000)} =:= {a, dd(N, 90000)}.", ENDS),
    ("halt1", "halt1(N) -> halt(N).", ENDS),
    ("halt2", "halt2(N) -> init:stop(N), receive after infinity -> ok end.", ENDS),
    ("crypto", "crypto(N) -> crypto:strong_rand_bytes(N + 100000000000).", "badarith"),
    (
        "zlib2",
        "zlib2(B) -> zlib:uncompress(zlib:compress(binary:copy(<<0>>, 1000000000))) ++ B.",
        "memory",
    ),
    ("b64", "b64(B) -> base64:encode(binary:copy(<<B/binary, 1>>, 500000000)).", "memory"),
    ("t2b", "t2b(N) -> binary_to_term(<<131, 104, 255, N, N, N>>).", "badarg"),
    ("t2b2", "t2b2(N) -> binary_to_term(<<131, 109, 16#7fffffff:32, N>>).", "badarg"),
    ("t2b3", "t2b3(N) -> binary_to_term(<<131, 110, 255, 0, N>>).", "badarg"),
    ("t2b4", "t2b4(N) -> binary_to_term(<<131, 105, 16#7fffffff:32, N>>).", "badarg"),
    ("t2b5", "t2b5(N) -> binary_to_term(<<131, 80, 16#7fffffff:32, N>>).", "badarg"),
    (
        "t2b6",
        "t2b6(N) -> binary_to_term(iolist_to_binary([131, lists:duplicate(1000000, 108), N])).",
        "reductions",
    ),
    ("cyclic", "cyclic(N) -> F = fun(G) -> G(G) end, F(F), N.", "reductions"),
    ("cnt", "cnt(N) -> counters:new(100000000000 + N, []).", "memory"),
    ("atm", "atm(N) -> atomics:new(100000000000, [{signed, N}]).", "memory"),
    ("arr", "arr(N) -> array:new([{size, 100000000000}, {default, N}, {fixed, true}]).", ENDS),
    (
        "perms",
        "perms([]) -> [[]];\nperms(L) -> [[H | T] || H <- L, T <- perms(L -- [H])].",
        "{bad_generator,0}",
    ),
    ("bsplit", "bsplit(B) -> binary:split(binary:copy(<<\"a\">>, 100000000), B, [global]).", ENDS),
    ("fl", "fl(N) -> float_to_list(1.0e300 + N, [{decimals, 253}]).", "badarg"),
    (
        "bigdiv",
        "bigdiv(N) when is_integer(N) -> ((1 bsl 20000000) + N) div ((1 bsl 10000000) + 7).",
        "reductions",
    ),
    (
        "bigrem",
        "bigrem(N) when is_integer(N) -> ((1 bsl 20000000) + N) rem ((1 bsl 10000000) + 7).",
        "reductions",
    ),
    (
        "bigband",
        "bigband(N) when is_integer(N) -> ((1 bsl 30000000) + N) band ((1 bsl 30000000) - 7).",
        ENDS,
    ),
    (
        "biggcd",
        "biggcd(N) when is_integer(N) -> gcd((1 bsl 200000) + 13, (1 bsl 199999) + N).",
        ENDS,
    ),
    (
        "bigfloat",
        "bigfloat(N) when is_integer(N) -> (1 bsl 100000000 + N) / (1 bsl 99999999).",
        "system_limit",
    ),
    (
        "ets3",
        "ets3(N) -> ets:new(N, [named_table]), ets3(list_to_atom([$a | atom_to_list(N)])).",
        "badarg",
    ),
];

/// Functions that the rows call.
const OF_ERLANG: &str = "\
dd(N, 0) -> N;
dd(N, I) -> dd([N], I - 1).
gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).
";

const PROLOG: &[Row] = &[
    ("p1", "p1(X) :- call(X).", ENDS),
    ("q1", "q1(X) :- X = s(X).", ENDS),
    ("q3", "q3(X) :- X = [a|X], length(X, _).", ENDS),
    ("q4", "q4(X) :- X = f(X), atom_to_term('f(A)', T, _), T = X, copy_term(X, Y), Y = X.", ENDS),
    ("q6", "q6(X) :- X = f(X, Z), ground(X), Z = 1.", ENDS),
    ("q7", "q7(X) :- X = f(X), write(X).", ENDS),
    ("q8", "q8(X) :- X = f(X), term_variables(X, _), numbervars(X, 0, _).", ENDS),
    ("q9", "q9(X) :- X = [1|X], msort(X, _).", ENDS),
    ("q10", "q10(X) :- X = [1|X], sum_list(X, _).", ENDS),
    ("q11", "q11(X) :- X = f(X), assertz(fact(X)).", ENDS),
    ("q12", "q12(X) :- X = f(X), findall(X, true, L), L = [Y], Y = X.", ENDS),
    ("q13", "q13(X) :- X = f(X), throw(X).", ENDS),
    ("functor1", "functor1(X) :- functor(X, f, 10000000000).", ENDS),
    ("functor2", "functor2(X) :- functor(X, f, 100000000), arg(5, X, a).", ENDS),
    ("functor3", "functor3(N) :- functor(_, f, N).", ENDS),
    ("len3", "len3(L) :- length(L, 10000000000).", ENDS),
    ("tab1", "tab1(N) :- tab(N).", ENDS),
    ("tab2", "tab2(N) :- M is N + 100000000000, tab(M).", "it does not end"),
    ("fmt1", "fmt1(N) :- format(\"~*c\", [N, 0'a]).", "format"),
    ("fmt2", "fmt2(X) :- format(\"~100000000000|~w\", [X]).", "it does not end"),
    ("fmt3", "fmt3(X) :- format(\"~t~w~1000000000|\", [X]).", "it does not end"),
    ("fmt4", "fmt4(X) :- format(\"~1000000000e\", [X]).", ENDS),
    ("fmt5", "fmt5(X) :- format(atom(_), \"~`-t~100000000000|~w\", [X]).", "it does not end"),
    ("pow2", "pow2(N) :- integer(N), X is 2 ^ (N + 100000000000), X > 0.", ENDS),
    ("pow3", "pow3(N) :- integer(N), X is (1 << 1000000000000) + N, X > 0.", ENDS),
    ("pow4", "pow4(N) :- sq(N + 3).", "it does not end"),
    ("pow5", "pow5(N) :- X is 7 ^ 7 ^ 7 ^ 7 + N, X > 0.", "resource_error(memory)"),
    ("share5", "share5(N) :- share(N, T), throw(T).", ENDS),
    ("nd", "nd(X) :- repeat, X == b, !.", "it does not end"),
    ("catch2", "catch2(X) :- catch(throw(X), _, true), catch2(X).", "it does not end"),
    ("choice", "choice(X) :- choice(f(X)).\nchoice(X) :- X = a.", "it does not end"),
    ("between1", "between1(X) :- between(1, inf, X), X < 0.", "it does not end"),
    ("freeze1", "freeze1(X) :- freeze(X, freeze1(Y)), X = Y, Y = 1.", "it does not end"),
    ("findall1", "findall1(L) :- findall(X, repeat, L0), L = [X|L0].", "it does not end"),
    ("num", "num(L) :- numlist(1, 10000000000, L).", "it does not end"),
    ("univ", "univ(X) :- numlist(1, 10000000, L), X =.. [f|L].", "it does not end"),
    ("fmt6", "fmt6(X) :- format(\"~100000000000c~w\", [97, X]).", "it does not end"),
    ("fmt7", "fmt7(X) :- format(\"~100000000000n~w\", [X]).", "it does not end"),
    ("fmt8", "fmt8(X) :- integer(X), format(\"~100000000000d\", [X]).", "it does not end"),
    ("tnot", "tnot(X) :- \\+ tnot(X).", "it does not end"),
    ("assert_loop", "assert_loop(N) :- assertz(fact(N)), assert_loop(N).", "it does not end"),
];

/// Predicates that the rows call.
const OF_PROLOG: &str = "\
:- dynamic fact/1.
share(N, T) :- sh(60, N, T).
sh(0, T, T).
sh(N, A, T) :- N > 0, M is N - 1, sh(M, f(A, A), T).
sq(N) :- M is N * N, sq(M).
";

/// A function whose finding must be reported beside all other functions.
const GOOD_ERLANG: &str = "good(1) -> error(one);\ngood(X) -> X.\n";
const GOOD_PROLOG: &str = "good(1) :- throw(one).\ngood(X) :- X == ok.\n";

/// Checks that each row was explored and, if it has a finding, ended as the row says.
#[track_caller]
fn check(report: &Value, rows: &[Row], unit_of: impl Fn(&str) -> String) {
    let units = report["units"].as_array().expect("units");
    let mut wrong = Vec::new();
    for (name, _, expected) in rows {
        let title = unit_of(name);
        let unit = units.iter().find(|it| it["unit"] == title.as_str());
        let found = unit.map_or_else(|| "not tested".to_owned(), ending);
        if found != ENDS && found != *expected {
            wrong.push(format!("{title}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns how the runs of a unit ended: the trouble that prevented its exploration, else the exhausted budget, else
/// an exception that is no refusal.
fn ending(unit: &Value) -> String {
    if let Some(trouble) = unit["trouble"].as_str() {
        return format!("trouble: {trouble}");
    }
    let findings = unit["findings"].as_array().expect("findings");
    let of_kind = |kind: &str| findings.iter().find(|it| it["kind"] == kind);
    let found = of_kind("timeout").or_else(|| of_kind("crash"));
    let reason = found.and_then(|it| it["reason"].as_str()).unwrap_or(ENDS);
    // A long reason is cut after its first word.
    let end = reason.find([',', '(']).filter(|_| LONGEST_REASON < reason.len());
    reason[..end.unwrap_or(reason.len())].to_owned()
}

const LONGEST_REASON: usize = 40;

/// Returns the report of a file; asserts that it has a finding.
#[track_caller]
fn report(name: &str, text: &str, args: &[&str]) -> Value {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    fs::create_dir_all(&dir).expect("a directory");
    fs::write(dir.join(name), text).expect("a file");
    let done = common::gimlet(&dir, &[&["test", name, "--format", "json"], args].concat());
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{errors}");
    serde_json::from_slice(&done.stdout).unwrap_or_else(|it| panic!("{it}: {errors}"))
}

/// Returns the arguments for a few runs of the rows' functions and of `good/1`.
fn few_runs(rows: &[Row]) -> Vec<String> {
    let names = rows.iter().map(|it| it.0).chain(["good"]);
    let functions = names.flat_map(|it| ["-f".to_owned(), format!("{it}/1")]);
    let bounds = ["--runs", "2", "--time", "1h", "--memory", "2G", "-j", "2"].map(str::to_owned);
    bounds.into_iter().chain(functions).collect()
}

fn has_finding(report: &Value, unit: &str, reason: &str) -> bool {
    let mut units = report["units"].as_array().expect("units").iter();
    let unit = units.find(|it| it["unit"] == unit).expect("the unit");
    let mut findings = unit["findings"].as_array().expect("findings").iter();
    findings.any(|it| it["reason"] == reason && it["confirmed"] == true)
}

#[test]
fn hostile_functions_of_erlang_cost_themselves_only() {
    let sources: String = ERLANG.iter().map(|it| format!("{}\n", it.1)).collect();
    let text = format!(
        "-module(h).\n-compile([export_all, nowarn_export_all]).\n{GOOD_ERLANG}{OF_ERLANG}{sources}"
    );
    let args = few_runs(ERLANG);
    let report = report("h.erl", &text, &args.iter().map(String::as_str).collect::<Vec<&str>>());
    check(&report, ERLANG, |it| format!("h:{it}/1"));
    assert!(has_finding(&report, "h:good/1", "one"));
}

#[test]
fn hostile_predicates_cost_themselves_only() {
    let sources: String = PROLOG.iter().map(|it| format!("{}\n", it.1)).collect();
    let text = format!("{GOOD_PROLOG}{OF_PROLOG}{sources}");
    let args = few_runs(PROLOG);
    let report = report("h.pl", &text, &args.iter().map(String::as_str).collect::<Vec<&str>>());
    check(&report, PROLOG, |it| format!("{it}/1"));
    assert!(has_finding(&report, "good/1", "one"));
}

/// The term shares its parts, so it is small in our machine. Its copy in an ETS table is not shared and exceeds the
/// memory of a runtime.
#[test]
fn a_runtime_that_takes_all_the_memory_costs_one_confirmation() {
    let text = "-module(t).
-export([fine/1, greedy/1]).
fine(1) -> error(one);
fine(X) -> X.
greedy(1) ->
    T = lists:foldl(fun(_, A) -> {A, A} end, x, lists:seq(1, 27)),
    ets:insert(ets:new(t, []), {k, T}),
    error(one);
greedy(X) -> X.
";
    let report = report("t.erl", text, &["--runs", "20", "--memory", "1G", "-j", "1"]);
    assert!(has_finding(&report, "t:fine/1", "one"));
    assert!(!has_finding(&report, "t:greedy/1", "one"));
    assert_eq!(report["units"][1]["findings"][0]["reason"], "one");
}
