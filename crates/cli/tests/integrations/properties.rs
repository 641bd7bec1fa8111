//! Tests properties that are written for PropEr, with its generators.

use crate::project::Project;
use std::path::Path;

/// The model of a server that loses a value put under an existing key if the value is 7.
const MODEL: &str = "
-module(model).
-behaviour(proper_statem).
-include_lib(\"proper/include/proper.hrl\").
-export([prop_store/0, prop_fine/0, initial_state/0, command/1, precondition/2, postcondition/3, next_state/3]).
-export([put/2, get/1]).

prop_store() ->
    ?FORALL(Cmds, proper_statem:commands(?MODULE), begin
        erlang:put(store, #{}),
        {_, _, Result} = proper_statem:run_commands(?MODULE, Cmds),
        Result =:= ok
    end).

prop_fine() -> ?FORALL(N, ?SUCHTHAT(N, integer(), N > 10), N * 2 > 20).

put(K, V) ->
    Store = erlang:get(store),
    case maps:is_key(K, Store) of
        true when V =:= 7 -> ok;
        _ -> erlang:put(store, Store#{K => V}), ok
    end.
get(K) -> maps:get(K, erlang:get(store), none).

initial_state() -> #{}.
command(_) ->
    oneof([{call, ?MODULE, put, [integer(1, 2), integer()]}, {call, ?MODULE, get, [integer(1, 2)]}]).
precondition(_, _) -> true.
next_state(S, _, {call, _, put, [K, V]}) -> S#{K => V};
next_state(S, _, _) -> S.
postcondition(S, {call, _, get, [K]}, R) -> maps:get(K, S, none) =:= R;
postcondition(_, _, R) -> R =:= ok.
";

#[test]
fn counterexamples_in_propers_own_form() {
    let project = Project::new("properties", &[]);
    let ten = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/bench/prop_ten.erl");
    project.write("prop_ten.erl", &std::fs::read_to_string(ten).expect("the properties"));
    let names = ["magic", "interval", "let", "items", "crash"].map(|it| format!("prop_{it}/0"));
    let mut arguments = vec!["test", "prop_ten.erl", "--runs", "200", "--out", "out"];
    arguments.extend(names.iter().flat_map(|it| ["-f", it.as_str()]));
    let done = project.gimlet(&arguments);
    for expect in [
        "proper:check(prop_ten:prop_magic(), [48611])",
        "proper:check(prop_ten:prop_let(), [{4001,3984}])",
        "proper:check(prop_ten:prop_items(), [[{item,101,gold},{item,101,gold},{item,101,gold}]])",
        "proper:check(prop_ten:prop_crash(), [1234,0])",
        "5 of 5 confirmed on BEAM",
    ] {
        done.check(1, &[expect]);
    }
    // `7 A + 3 = B` with `B` beyond the bound has several solutions, so the values are not fixed.
    done.check(1, &["proper:check(prop_ten:prop_interval(), [{"]);
    let tests = project.read("out/prop_ten_gimlet_tests.erl");
    assert!(
        tests.contains("?_assertEqual(false, proper:check(prop_ten:prop_magic(), [48611]))"),
        "{tests}"
    );
    project.gimlet(&["replay", "out/report.json", "--id", "5d97dd55"]).check(0, &["as recorded"]);
}

#[test]
fn sequences_of_commands_are_explored() {
    let project = Project::new("model", &[("model.erl", MODEL)]);
    project.gimlet(&["test", "model.erl", "--runs", "600", "-f", "prop_store/0"]).check(
        1,
        &[
            "{call,model,put,[1,",
            "{call,model,put,[1,7]}",
            "{call,model,get,[1]}",
            "confirmed on BEAM",
        ],
    );
    project
        .gimlet(&["test", "model.erl", "-f", "prop_fine/0"])
        .check(0, &["nothing found in 1 function"]);
}
