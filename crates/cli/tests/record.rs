//! Tests `gimlet record`: which calls of a command's runtimes are recorded, and how `gimlet test` uses them.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;
#[path = "common/project.rs"]
#[expect(dead_code, reason = "other tests have programs in common")]
mod project;

use project::Project;
use serde_json::Value;

const SHOP: &str = r#"
-module(shop).
-export([price/2, total/1, first/1, stop/1]).
-spec price(atom(), pos_integer()) -> number().
price(apple, N) -> 3 * N;
price(pear, N) -> {wrong, N}.
total(Items) -> lists:sum([price(I, N) || {I, N} <- Items]) / length(Items).
%% Who is not told of the sixth letter never finds it.
first({"hidden key", [_, _ | N]}) -> 10 div length(N);
first(_) -> none.
stop(P) when is_pid(P) -> exit(P, normal).
"#;

/// A script in place of a project's own tests.
const TESTS: &str = "
    {ok, _} = compile:file(\"src/shop\", [debug_info, {outdir, \"ebin\"}]),
    6.0 = shop:total([{apple, 2}]), 5 = shop:first({\"hidden key\", [1, 2, 3, 4]}),
    0 = shop:price(apple, 0), {wrong, 1} = shop:price(pear, 1),
    {'EXIT', _} = (catch shop:price(plum, 1)), shop:stop(self()), init:stop(7)";

fn recorded(name: &str) -> Project {
    let project = Project::new(name, &[("src/shop.erl", SHOP), ("ebin/none", "")]);
    let ended = project.gimlet(&["record", "--", "erl", "-noshell", "-pa", "ebin", "-eval", TESTS]);
    assert_eq!((ended.code, ended.stdout.as_str()), (7, ""), "{}", ended.stderr);
    assert_eq!(ended.stderr, "recorded 5 calls of 3 functions in .gimlet/recorded.json\n");
    project
}

#[test]
fn calls_are_noted_and_the_exit_code_is_that_of_the_command() {
    let project = recorded("record_calls");
    let file: Value = serde_json::from_str(&project.read(".gimlet/recorded.json")).expect("JSON");
    let calls = |name: &str| file["functions"][name].to_string();
    assert_eq!(calls("shop:total/1"), r#"[{"args":"[[{apple,2}]]","returns":"6.0"}]"#);
    let price = concat!(
        r#"[{"args":"[apple,0]","returns":"0"},{"args":"[pear,1]","returns":"{wrong,1}"},"#,
        r#"{"args":"[plum,1]","raises":"error"}]"#
    );
    assert_eq!(calls("shop:price/2"), price);
    // A pid has no meaning in another runtime.
    assert_eq!(calls("shop:stop/1"), "null");
}

#[test]
fn recorded_calls_are_seeds_and_evidence() {
    let project = recorded("record_used");
    let levels = |more: &[&str]| {
        let args = ["src/shop.erl", "-f", "first/1", "--runs", "60"];
        let (report, _) = project.report(&[&args[..], more].concat());
        let findings = report["units"][0]["findings"].as_array().expect("findings").clone();
        findings.iter().map(|it| format!("{}: {}", it["level"], it["because"])).collect()
    };
    let found: Vec<String> = levels(&[]);
    let without: Vec<String> = levels(&["--no-recorded"]);
    let because =
        r#"a recorded call of this shape returned: shop:first({\"hidden key\",[1,2,3,4]})"#;
    assert_eq!(found.first(), Some(&format!(r#""suspicious": "{because}""#)), "{found:?}");
    assert_ne!(found, without);
}

#[test]
fn what_contradicts_a_spec_is_told_once_for_each_function() {
    let project = recorded("record_told");
    let ended = project.gimlet(&["test", "src/shop.erl", "--runs", "20"]);
    let told = "the spec of shop:price/2 excludes a recorded call: shop:price(apple, 0)";
    assert_eq!(ended.stderr.matches("warning[G042]").count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    assert!(ended.stderr.contains("note[G043]: 5 recorded calls"), "{}", ended.stderr);
    let ended = project.gimlet(&["test", "src/shop.erl", "--runs", "20", "--no-recorded"]);
    assert!(!ended.stderr.contains("recorded"), "{}", ended.stderr);
}

#[test]
fn a_bad_recording_or_command_is_a_diagnostic() {
    let project = Project::new("record_bad", &[("src/shop.erl", SHOP)]);
    project.write(".gimlet/recorded.json", "{");
    let ended = project.gimlet(&["test", "src/shop.erl", "-f", "stop/1", "--runs", "5"]);
    assert!(ended.stderr.contains("warning[G041]"), "{}", ended.stderr);
    assert_eq!(ended.code, 0);
    let ended = project.gimlet(&["record", "--", "true"]);
    assert!(ended.stderr.contains("`true` started no Erlang runtime"), "{}", ended.stderr);
    assert_eq!(ended.code, 0);
    assert_eq!(project.gimlet(&["record", "--", "/no/such/program"]).code, 2);
}
