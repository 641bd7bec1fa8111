//! Tests that the claims of a report are true: verdicts, exit codes, tested units, and confirmations on BEAM.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;
#[path = "common/project.rs"]
#[expect(dead_code, reason = "the projects of other tests are there too")]
mod project;

use project::Project;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// The verdict of each unit, and the names of its losses.
fn verdicts(report: &Value) -> Vec<(String, String, Vec<String>)> {
    let text = |it: &Value| it.as_str().expect("text").to_owned();
    let units = report["units"].as_array().expect("units").iter();
    let losses = |it: &Value| {
        it["losses"].as_array().expect("losses").iter().map(|it| text(&it["what"])).collect()
    };
    units.map(|it| (text(&it["unit"]), text(&it["verdict"]), losses(it))).collect()
}

#[test]
fn what_the_environment_answers_is_not_the_whole_truth() {
    let reads = [
        "erlang:system_info({allocator, temp_alloc})",
        "erlang:system_info(wordsize)",
        "erlang:system_time()",
        "erlang:unique_integer()",
        "erlang:memory(total)",
        "erlang:statistics(runtime)",
        "erlang:process_info(self(), total_heap_size)",
        "erlang:module_loaded(crypto)",
        "init:get_argument(flag)",
        "application:get_env(kernel, flag)",
        "application:which_applications()",
        "os:getenv(\"HOME\")",
        "os:type()",
        "code:lib_dir(kernel)",
        "code:get_path()",
        "calendar:local_time()",
    ];
    let mut text = "-module(reads).\n-compile(export_all).\n".to_owned();
    for (n, read) in reads.iter().enumerate() {
        text.push_str(&format!(
            "-spec f{n}(atom()) -> atom().\nf{n}(X) -> case {read} of {{never, this}} -> other; _ -> X end.\n"
        ));
    }
    text.push_str(
        "-spec own(atom()) -> atom().\nown(X) -> put(x, X), process_info(self(), links), get(x).\n",
    );
    let project = Project::new("truth_environment", &[("reads.erl", &text)]);
    let (report, code) = project.report(&["reads.erl", "--runs", "20"]);
    assert_eq!(code, 0, "{report:#}");
    for (unit, verdict, losses) in verdicts(&report) {
        let expected = if unit == "reads:own/1" { "clean" } else { "bounded" };
        assert_eq!(
            (verdict.as_str(), losses.is_empty()),
            (expected, expected == "clean"),
            "{unit}"
        );
    }
    let uncovered = report["modules"][0]["uncovered"].as_array().expect("clauses");
    assert_eq!(uncovered.len(), reads.len(), "{uncovered:#?}");
    for clause in uncovered {
        assert_eq!(clause["why"], "unknown", "{clause}");
    }
}

#[test]
fn nothing_is_clean_if_no_input_satisfied_the_precondition() {
    let text = "-module(pre).\n-export([f/1, never/1]).\n-spec f(integer()) -> integer().\n\
                f(X) -> X.\n-spec never(integer()) -> boolean().\nnever(_) -> false.\n";
    let project = Project::new("truth_precondition", &[("pre.erl", text)]);
    let (report, _) =
        project.report(&["pre.erl", "-f", "f/1", "--pre", "pre:never/1", "--runs", "20"]);
    let losses = vec!["no input satisfied the precondition".to_owned()];
    assert_eq!(verdicts(&report), [("pre:f/1".to_owned(), "bounded".to_owned(), losses)]);
}

#[test]
fn what_could_not_be_done_is_exit_code_2() {
    let text = "-module(m).\n-export([f/1, loop/0]).\nf(X) -> X.\nloop() -> loop().\n";
    let project = Project::new("truth_codes", &[("m.erl", text), ("p.pl", "p :- p.\n")]);
    let check = |args: &[&str]| assert_eq!(project.gimlet(args).code, 2, "{args:?}");
    check(&["test", "m.erl", "-f", "f/1", "--runs", "5", "-j", "0"]);
    check(&["test", "m.erl", "-f", "f/1", "--runs", "5", "--out", "/proc/nowhere"]);
    check(&["test", "m.erl", "-f", "f/1", "--runs", "5", "--report", "json=/dev/full"]);
    check(&["run", "m.erl", "m:loop()", "--reductions", "1000"]);
    check(&["run", "p.pl", "p", "--reductions", "1000"]);
    for args in [
        &["run", "m.erl", "m:f(1)"][..],
        &["test", "m.erl", "-f", "f/1", "--runs", "5"],
        &["explain", "G001"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let status = Command::new(env!("CARGO_BIN_EXE_gimlet"))
            .args(args)
            .current_dir(&project.dir)
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .stdout(full)
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("it starts").code(), Some(2), "{args:?}");
    }
}

#[test]
fn old_code_is_named() {
    let project = Project::new(
        "truth_stale",
        &[("app/src/m.erl", "-module(m).\n-export([f/0]).\nf() -> 1.\n")],
    );
    fs::create_dir_all(project.dir.join("app/ebin")).expect("a directory");
    let erlc = ["+debug_info", "-o", "app/ebin", "app/src/m.erl"];
    let status = Command::new("erlc").args(erlc).current_dir(&project.dir).status();
    assert!(status.expect("erlc").success());
    let run = || project.gimlet(&["test", "app/ebin", "--runs", "5"]);
    let set = |time: SystemTime| {
        let file =
            File::options().write(true).open(project.dir.join("app/src/m.erl")).expect("a file");
        file.set_modified(time).expect("its time");
    };
    set(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let ended = run();
    assert!(!ended.stderr.contains("G028"), "{}", ended.stderr);
    set(SystemTime::now() + Duration::from_secs(3600));
    let ended = run();
    assert!(ended.stderr.contains("warning[G028]"), "{}", ended.stderr);
    assert_eq!(ended.code, 0);
}

#[test]
fn a_module_without_a_test_is_named() {
    let source = "-module(opaque).\n-export([me/1]).\nme(_) -> self().\n";
    let project = Project::new("truth_no_tests", &[("opaque.erl", source)]);
    let ended = project.gimlet(&["test", "opaque.erl", "--runs", "5", "--out", "out"]);
    assert!(ended.stderr.contains("warning[G029]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 left out: the value can't be compared"), "{}", ended.stderr);
    assert!(!project.dir.join("out/opaque_gimlet_tests.erl").exists());
}

/// Functions with lasting side effects, in a runtime that all tests share.
const LEFT: &str = "\
-module(left).
-export([table/1, serve/1, linked/1, trace/1, give/1, env/1]).
-spec table(integer()) -> atom().
table(N) -> ets:new(left, [named_table, public]), case N of 7 -> seven; _ -> other end.
-spec serve(integer()) -> boolean().
serve(N) -> register(left_server, spawn(fun() -> receive stop -> ok end end)), case N of 7 -> true; _ -> false end.
-spec linked(integer()) -> boolean().
linked(N) ->
    register(left_linked, spawn_link(fun() -> process_flag(trap_exit, true), receive stop -> ok end end)),
    case N of 7 -> true; _ -> false end.
-spec trace([integer()]) -> term().
trace(L) -> try lists:foldl(fun(X, _) when X > 3 -> X end, 0, L) catch _:R:S -> {R, S} end.
-spec give(fun(() -> integer())) -> atom().
give(F) -> case F() of 5 -> case F() of 5 -> five; _ -> x end; _ -> other end.
-spec env(integer()) -> integer().
env(N) ->
    case application:get_env(kernel, left) of
        undefined -> application:set_env(kernel, left, 1), N;
        {ok, 1} -> N + 1
    end.
";

#[test]
fn tests_pass_in_the_file_that_they_stand_in() {
    let project = Project::new(
        "truth_tests",
        &[("left.erl", LEFT), ("empty.erl", "-module(empty).\n-export([f/1]).\nf(X) -> X ! x.\n")],
    );
    let n_tests = |args: &[&str]| {
        let out = project.dir.join("out");
        fs::remove_dir_all(&out).ok();
        let ended =
            project.gimlet(&[&["test", "left.erl", "--runs", "60", "--out", "out"], args].concat());
        assert!(
            ended.stdout.contains("out/left_gimlet_tests.erl"),
            "{}{}",
            ended.stdout,
            ended.stderr
        );
        let erlc = ["+warnings_as_errors", "-o", "out", "left.erl", "out/left_gimlet_tests.erl"];
        let done =
            Command::new("erlc").args(erlc).current_dir(&project.dir).output().expect("erlc");
        assert!(
            done.status.success() && done.stdout.is_empty(),
            "{}",
            String::from_utf8_lossy(&done.stdout)
        );
        let run =
            ["-noshell", "-pa", "out", "-eval", "ok = eunit:test(left_gimlet_tests), halt(0)."];
        let done = Command::new("erl").args(run).current_dir(&project.dir).output().expect("erl");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        project.read("out/left_gimlet_tests.erl").matches("?_assert").count()
    };
    let (few, all) = (n_tests(&[]), n_tests(&["--tests", "all"]));
    assert!(8 <= few && few < all, "{few} of {all}");
    let text = project.read("out/left_gimlet_tests.erl");
    assert!(!text.contains("() -> 0; ()"), "{text}");
    assert!(text.contains("{lists,foldl") && !text.contains("{line,"), "{text}");
    assert!(text.contains("left out: they fail or warn together with the others"), "{text}");
    // A file without tests is not written.
    project.gimlet(&["test", "empty.erl", "--args", "[1]", "--runs", "1", "--out", "none"]);
    assert!(
        !project.dir.join("none/empty_gimlet_tests.erl").exists()
            || project.read("none/empty_gimlet_tests.erl").contains("?_assert")
    );
}

#[test]
fn what_a_call_on_beam_reached_for_is_named() {
    let text = "-module(m).\n-export([f/1]).\n-spec f(integer()) -> ok.\nf(X) when X > 3 ->\n\
                \x20   case element(1, date()) > 2025 of\n        true -> ok = file:write_file(\"/tmp/gimlet-m\", \"a\");\n\
                \x20       false -> error(early)\n    end;\nf(_) -> ok.\n";
    let project = Project::new("truth_touches", &[("m.erl", text)]);
    let (report, _) = project.report(&["m.erl", "--runs", "30"]);
    let finding = &report["units"][0]["findings"][0];
    assert_eq!(finding["confirmed"], false, "{finding:#}");
    let why = "it touches file:write_file/2, which --allow does not name";
    assert_eq!(finding["unconfirmed_because"], why);
}

#[test]
fn output_has_a_size_and_shows_no_control_characters() {
    let text = "-module(big).\n-export([f/1]).\n-spec f(integer()) -> ok.\n\
                f(3) -> g(lists:duplicate(40000, {some, term}));\nf(_) -> ok.\n\
                g([]) -> \"\u{1b}[31m\"; g({a}) -> ok.\n";
    let project = Project::new("truth_size", &[("big.erl", text)]);
    let ended = project.gimlet(&["test", "big.erl", "-f", "f/1", "--runs", "30", "--out", "out"]);
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    let lengths = [
        ended.stdout.len(),
        project.read("out/report.json").len(),
        project.read("out/report.txt").len(),
    ];
    assert!(lengths.iter().all(|it| *it < 60_000), "{lengths:?}");
    assert!(ended.stdout.contains("characters)"), "{}", ended.stdout);
    assert!(ended.stdout.contains("␛[31m") && !ended.stdout.contains('\u{1b}'), "{}", ended.stdout);
    let replayed = project.gimlet(&["replay", "out/report.json"]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}
