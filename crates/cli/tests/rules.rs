//! Tests `gimlet run --trace`: derivations in the notation of [Vidal 2015].
#![expect(clippy::disallowed_methods, reason = "it starts the tool")]

mod common;

use expect_test::{Expect, expect};
use serde_json::Value;

fn gimlet(args: &[&str]) -> (String, i32) {
    let ended = common::gimlet(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs"), args);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    (String::from_utf8(ended.stdout).expect("UTF-8"), ended.status.code().unwrap_or(-1))
}

fn traced(args: &[&str]) -> Value {
    let (text, _) = gimlet(&[&["run", "--trace", "--format", "json"], args].concat());
    serde_json::from_str(&text).expect("a document")
}

/// Checks the rules in their order, and the outcome.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
fn check_rules(args: &[&str], expect: Expect) {
    let document = traced(args);
    let states = document.pointer("/trace/states").and_then(Value::as_array).expect("states");
    let rules: Vec<&str> = states.iter().filter_map(|it| it["rule"].as_str()).collect();
    let end = document.get("term").or(document.get("outcome")).and_then(Value::as_str);
    let end = end.expect("an end");
    expect.assert_eq(&format!("{}: {end}", rules.join(" ")));
}

/// Figure 5, line by line. The figure omits the module of `spawn`, and `…` stands for omitted parts.
#[test]
fn figure_5() {
    let (text, code) = gimlet(&["run", "client.erl", "client:start(1)", "--trace"]);
    assert_eq!(code, 0);
    expect![[r"
                  (⟨p0; start(1); []⟩, [])
        τ fun     (⟨p0; S = self(), C = spawn(client, client, [1, S]), server(1); []⟩, [])
        τ self    (⟨p0; S = p0, C = spawn(client, client, [1, S]), server(1); []⟩, [])
        τ match   (⟨p0; p0, C = spawn(client, client, [1, p0]), server(1); []⟩, [])
        τ seq     (⟨p0; C = spawn(client, client, [1, p0]), server(1); []⟩, [])
        τ spawn   (⟨p0; C = p1, server(1); []⟩ & ⟨p1; client(1, p0); []⟩, [])
        τ match   (⟨p0; p1, server(1); []⟩ & ⟨p1; client(1, p0); []⟩, [])
        τ seq     (⟨p0; server(1); []⟩ & ⟨p1; client(1, p0); []⟩, [])
        τ fun     (⟨p0; receive … end; []⟩ & ⟨p1; client(1, p0); []⟩, [])
        τ fun     (⟨p0; receive … end; []⟩ & ⟨p1; p0 ! {self(), 1}, receive … end; []⟩, [])
        τ self    (⟨p0; receive … end; []⟩ & ⟨p1; p0 ! {p1, 1}, receive … end; []⟩, [])
        τ send    (⟨p0; receive … end; []⟩ & ⟨p1; {p1, 1}, receive … end; []⟩, [(p1, p0, [{p1, 1}])])
        τ seq     (⟨p0; receive … end; []⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, [{p1, 1}])])
        α sched   (⟨p0; receive … end; [{p1, 1}]⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, [])])
        τ receive (⟨p0; p1 ! last; []⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, [])])
        τ send    (⟨p0; last; []⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, []), (p0, p1, [last])])
        α sched   (⟨p0; last; []⟩ & ⟨p1; receive … end; [last]⟩, [(p1, p0, []), (p0, p1, [])])
        τ receive (⟨p0; last; []⟩ & ⟨p1; case last of … end; []⟩, [(p1, p0, []), (p0, p1, [])])
        τ case    (⟨p0; last; []⟩ & ⟨p1; ok; []⟩, [(p1, p0, []), (p0, p1, [])])
        last
    "]]
    .assert_eq(&text);
}

/// Figure 7: from `start(K)` the clauses of the receive branch by `1 < K`. The states of the figure are those of the
/// run with the input that `gimlet symbolic` gives for its path.
#[test]
fn figure_7() {
    let (tree, code) = gimlet(&["symbolic", "client.erl", "-f", "start/1", "-d", "3"]);
    assert_eq!(code, 0);
    // The solver chooses the input of a path.
    let conditions: Vec<&str> =
        tree.lines().filter_map(|it| it.split("─ ").nth(1)?.split([':', '%']).next()).collect();
    let conditions: Vec<&str> = conditions.iter().map(|it| it.trim()).collect();
    assert_eq!(
        conditions,
        ["1 < X1", "2 < X1", "3 < X1", "3 >= X1", "2 >= X1", "1 >= X1"],
        "{tree}"
    );
    assert!(tree.contains("4 feasible, 0 infeasible, 0 unknown"), "{tree}");
    let args = ["symbolic", "client.erl", "-f", "start/1", "-d", "3", "--trace"];
    let (text, _) = gimlet(&args);
    let first = "          (⟨p0; start(X1); []⟩, [], true)\n\
                 τ fun     (⟨p0; S = self(), C = spawn(client, client, [1, S]), server(X1); []⟩, [], true)";
    assert!(text.contains(first), "{text}");
    let shown = [
        "α sched   (⟨p0; receive … end; [{p1, 1}]⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, [])], true)",
        "τ receive (⟨p0; p1 ! ok, server(X1); []⟩ & ⟨p1; receive … end; []⟩, [(p1, p0, [])], 1 < X1)",
        "τ send    (⟨p0; ok, server(X1); []⟩ & ⟨p1; receive … end; []⟩, \
         [(p1, p0, []), (p0, p1, [ok])], 1 < X1)",
        "τ seq     (⟨p0; server(X1); []⟩ & ⟨p1; receive … end; []⟩, \
         [(p1, p0, []), (p0, p1, [ok])], 1 < X1)",
        "τ fun     (⟨p0; receive … end; []⟩ & ⟨p1; receive … end; []⟩, \
         [(p1, p0, []), (p0, p1, [ok])], 1 < X1)",
    ];
    assert!(text.contains(&shown.join("\n")), "{text}");
}

#[test]
fn what_is_reduced_next_is_marked() {
    let document = traced(&["client.erl", "client:start(1)"]);
    let states = document.pointer("/trace/states").and_then(Value::as_array).expect("states");
    let redexes: Vec<&str> = states.iter().filter_map(|it| it["redex"].as_str()).collect();
    assert_eq!(
        redexes.get(..5),
        Some(
            &[
                "start(1)",
                "self()",
                "S = p0",
                "p0, C = spawn(client, client, [1, p0]), server(1)",
                "spawn(client, client, [1, p0])",
            ][..]
        )
    );
    assert_eq!(states[11]["process"], "p1");
    assert_eq!(states[13]["arrow"], "alpha");
    assert_eq!(states[13]["processes"][0]["mailbox"][0], "{p1, 1}");
}

#[test]
fn beyond_the_paper() {
    check_rules(
        &["beyond.erl", "beyond:dies()"],
        expect![
            "fun spawn match seq timer seq fun timer sched receive exit send sched receive: bye"
        ],
    );
    check_rules(
        &["beyond.erl", "beyond:sums([1, 1])"],
        expect![
            "fun comprehension builtin comprehension builtin comprehension try fun builtin fun builtin: 2"
        ],
    );
    check_rules(
        &["beyond.erl", "beyond:sums([0])"],
        expect!["fun comprehension catch builtin: #{why => badarith}"],
    );
}

#[test]
fn messages_travel_as_asked() {
    // With instant delivery every message has arrived when it was sent.
    check_rules(
        &["client.erl", "client:start(1)", "--delivery", "instant"],
        expect![
            "fun self match seq spawn match seq fun fun self send sched seq receive send sched receive case: last"
        ],
    );
    let end = |args: &[&str]| gimlet(&[&["run", "beyond.erl", "beyond:order()"], args].concat()).0;
    let ends = |how: &str| -> Vec<String> {
        let seeds = (0..12).map(|it| it.to_string());
        let mut all: Vec<String> =
            seeds.map(|it| end(&["--delivery", how, "--seed", &it])).collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(ends("causal"), ["{two,true}\n"]);
    assert_eq!(ends("free"), ["{one,true}\n", "{two,true}\n"]);
}

#[test]
fn messages_get_lost() {
    let lost: Vec<Value> = (0..6)
        .map(|it| traced(&["client.erl", "client:start(1)", "--lossy", "--seed", &it.to_string()]))
        .collect();
    for document in &lost {
        let states = document.pointer("/trace/states").and_then(Value::as_array).expect("states");
        let n_lost = states.iter().filter(|it| it["rule"] == "loss").count();
        assert!(n_lost <= 1, "{document}");
        // The program only deadlocks if a message is lost: the first one, so that the caller gets no answer.
        let is_deadlock = document["outcome"] == "deadlock";
        assert!(!is_deadlock || n_lost == 1, "{document}");
    }
    assert!(lost.iter().any(|it| it["outcome"] == "deadlock"));
    assert!(lost.iter().any(|it| it["outcome"] == "value"));
}

#[test]
fn an_endless_run_is_cut() {
    let (text, code) = gimlet(&["run", "client.erl", "client:server(1)", "--trace"]);
    assert_eq!(
        (text.lines().last(), code),
        (Some("** deadlock: every process waits for a message"), 1)
    );
    let (text, code) =
        gimlet(&["run", "client.erl", "client:start(100000)", "--trace", "--steps", "50"]);
    assert_eq!((text.lines().last(), code), (Some("** out of steps; --steps allows more"), 2));
}
