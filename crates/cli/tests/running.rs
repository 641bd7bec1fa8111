//! Tests setups before a unit is called: the application of its module, or the function of `--setup`.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test, and compilers")]

mod common;
#[path = "common/project.rs"]
#[expect(dead_code, reason = "other tests have programs in common")]
mod project;

use project::Project;
use serde_json::Value;
use std::process::Command;

const TILL: &str = r#"
-module(till).
-behaviour(gen_server).
-export([start_link/0, pay/1, share/2, limit/1, plain/1, counted/1, prepare/0, broken/0]).
-export([init/1, handle_call/3, handle_cast/2]).
start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
pay(N) when is_integer(N) -> gen_server:call(?MODULE, {pay, N}).
share(Name, N) -> [{_, P}] = ets:lookup(till_prices, Name), N div P.
limit(N) -> {ok, L} = application:get_env(till, limit), 10 div (N - L).
plain(N) -> 10 div (N - 3).
counted(N) -> 10 div (N - ets:lookup_element(till_counts, start, 2)).
prepare() -> ets:new(till_counts, [named_table]), ets:insert(till_counts, {start, 77}).
broken() -> error(broken).
init([]) -> {ok, 10}.
handle_call({pay, N}, _From, Sum) -> {reply, 100 div (N - Sum), Sum}.
handle_cast(_, S) -> {noreply, S}.
"#;

const APP: &str = r#"
-module(till_app).
-behaviour(supervisor).
-export([start/2, stop/1, init/1]).
start(_, _) -> BEFORE, supervisor:start_link({local, till_sup}, ?MODULE, []).
stop(_) -> ok.
init([]) ->
    ets:new(till_prices, [named_table, public]),
    ets:insert(till_prices, [{apple, 3}, {free, 0}]),
    {ok, {#{}, [#{id => till, start => {till, start_link, []}}]}}.
"#;

const DESCRIBED: &str = "{application, till, [{vsn, \"1\"}, {modules, [till, till_app]}, \
    {applications, [kernel, stdlib]}, {mod, {till_app, []}}, {env, [{limit, 5}]}]}.\n";

/// A compiled application that runs `before` when it starts.
fn built(name: &str, before: &str) -> Project {
    let app = APP.replace("BEFORE", before);
    let files = [("till.erl", TILL), ("till_app.erl", &app), ("ebin/till.app", DESCRIBED)];
    let project = Project::new(name, &files);
    let done = Command::new("erlc")
        .args(["+debug_info", "-o", "ebin", "till.erl", "till_app.erl"])
        .current_dir(&project.dir)
        .status();
    assert!(done.expect("erlc starts").success());
    project
}

/// For each finding of the functions its level, call and reason, and whether it is confirmed; and the number of runs.
fn found(project: &Project, functions: &[&str], more: &[&str]) -> Vec<String> {
    let mut args = vec!["ebin", "--runs", "200"];
    args.extend(functions.iter().flat_map(|it| ["-f", it]));
    args.extend(more);
    let (report, _) = project.report(&args);
    let units = report.get("units").and_then(Value::as_array).expect("units");
    let findings = units.iter().flat_map(|it| it["findings"].as_array().expect("findings"));
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    findings
        .filter(|it| it["kind"] == "crash")
        .map(|it| {
            assert_eq!(it["confirmed"], true, "{it}");
            format!("{} {}: {}", text(it, "level"), text(it, "call"), text(it, "because"))
        })
        .collect()
}

#[test]
fn the_application_is_started_for_functions_that_need_it() {
    let project = built("running_app", "ok");
    let running = "the application till is running";
    let of = |function: &str, more: &[&str]| found(&project, &[function], more);
    assert_eq!(
        of("till:pay/1", &[]),
        [format!("suspicious till:pay(10): inputs of this shape end well: till:pay(0); {running}")]
    );
    let share = of("till:share/2", &[]);
    let free = format!(
        "suspicious till:share(free, 0): inputs of this shape end well: till:share(apple, 0); {running}"
    );
    assert!(share.contains(&free), "{share:#?}");
    let limit = of("till:limit/1", &[]);
    let five = format!(
        "suspicious till:limit(5): inputs of this shape end well: till:limit(0); {running}"
    );
    assert!(limit.contains(&five), "{limit:#?}");
    let plain = of("till:plain/1", &[]);
    assert!(plain.iter().all(|it| !it.contains(running)), "{plain:#?}");
    let missing = "refusal till:pay(0): it needs a process, which is not there";
    assert_eq!(of("till:pay/1", &["--no-start"]), [missing]);
}

#[test]
fn tests_start_what_they_need() {
    let project = built("running_tests", "ok");
    let functions = ["-f", "till:pay/1", "-f", "till:limit/1", "--runs", "50", "--out", "out"];
    project.report(&[&["ebin"], &functions[..]].concat());
    let eval = "logger:set_primary_config(level, none), {ok, M} = compile:file(\"out/till_gimlet_tests\"), \
        ok = eunit:test(M), init:stop()";
    let done = Command::new("erl")
        .args(["-noshell", "-pa", "ebin", "-eval", eval])
        .current_dir(&project.dir)
        .output()
        .expect("erl starts");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("tests passed"), "{text}");
}

#[test]
fn what_can_not_be_started_is_said_once() {
    let project = built("running_refused", "file:write_file(\"/tmp/till\", <<>>)");
    let ended = project.gimlet(&["test", "ebin", "-f", "till:pay/1", "-f", "till:share/2"]);
    assert_eq!(ended.stderr.matches("note[G044]").count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("the application till is not started"), "{}", ended.stderr);
    assert_eq!(ended.code, 0, "{}", ended.stdout);
}

#[test]
fn a_setup_runs_before_each_input() {
    let project = built("running_setup", "ok");
    let of = |setup: &str| found(&project, &["till:counted/1"], &["--setup", setup]);
    let found = of("till:prepare/0");
    let expected = "suspicious till:counted(77): inputs of this shape end well: till:counted(0); \
                    after till:prepare/0";
    assert!(found.iter().any(|it| it == expected), "{found:#?}");
    let test = |setup: &str| {
        project.gimlet(&["test", "ebin", "-f", "till:plain/1", "--runs", "9", "--setup", setup])
    };
    let ended = test("till:broken/0");
    assert!(ended.stderr.contains("the setup till:broken() is left out: it fails with broken"));
    for wrong in ["till:none/0", "till:plain/1", "plain"] {
        let ended = test(wrong);
        assert!(ended.code == 2 && ended.stderr.contains("error[G045]"), "{}", ended.stderr);
    }
}
