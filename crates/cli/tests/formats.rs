//! Tests reports of real runs: every format for every language, the written files, and exit codes.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test, and shells")]

mod common;
#[path = "common/project.rs"]
mod project;

use project::{LEDGER, Project, SHOP, units};
use serde_json::Value;
use std::process::{Command, Stdio};

const KINDS: [&str; 9] =
    ["text", "json", "sarif", "junit", "lcov", "cobertura", "github", "markdown", "html"];

fn mixed(name: &str) -> Project {
    Project::new(name, &[("shop.erl", SHOP), ("ledger.pl", LEDGER)])
}

#[test]
fn every_format_is_written_for_both_languages_in_one_run() {
    let project = mixed("formats_all");
    let files: Vec<String> = KINDS.iter().map(|it| format!("{it}=reports/{it}")).collect();
    let reports = files.iter().flat_map(|it| ["--report", it.as_str()]);
    let args: Vec<&str> = ["test", "shop.erl", "ledger.pl"].into_iter().chain(reports).collect();
    let ended = project.gimlet(&args);
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    for kind in KINDS {
        let text = project.read(&format!("reports/{kind}"));
        // Formats of coverage have the files, all others the findings.
        let expected = match kind {
            "lcov" | "cobertura" => ["shop.erl", "ledger.pl"],
            _ => ["shop:total(13)", "share(0, R)"],
        };
        let text = text.replace("&#40;", "(").replace("&#41;", ")");
        for it in expected {
            assert!(text.contains(it), "{kind} has no {it}:\n{text}");
        }
        if kind == "text" {
            assert_eq!(text, ended.stdout);
        }
    }
    let report: Value = serde_json::from_str(&project.read("reports/json")).expect("JSON");
    let languages: Vec<&Value> =
        report["languages"].as_array().expect("languages").iter().map(|it| &it["name"]).collect();
    assert_eq!(languages, ["erlang", "prolog"]);
    assert_eq!(report["written"].as_array().map(Vec::len), Some(KINDS.len()));
}

#[test]
fn each_format_goes_to_stdout_too() {
    let project = Project::new("formats_stdout", &[("ledger.pl", LEDGER)]);
    let starts = [
        ("text", "crash in share/2"),
        ("json", "{"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("lcov", "TN:"),
        ("cobertura", "<?xml"),
        ("github", "::"),
        ("markdown", "<!-- gimlet -->"),
        ("html", "<!doctype html>"),
    ];
    for (kind, start) in starts {
        let ended = project.gimlet(&["test", "ledger.pl", "--format", kind]);
        assert_eq!((ended.code, ended.stderr.as_str()), (1, ""), "{kind}");
        let first = ended.stdout.lines().next().unwrap_or_default();
        assert!(ended.stdout.starts_with(start), "{kind} begins with {first}");
    }
    let ended = project.gimlet(&["test", "ledger.pl", "--format", "pdf"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("there is text, json, html"), "{}", ended.stderr);
    let ended = project.gimlet(&["test", "ledger.pl", "--report", "html"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("write it as KIND=FILE"), "{}", ended.stderr);
}

#[test]
fn what_can_not_be_written_ends_in_2_and_nothing_else_is_lost() {
    let project = mixed("formats_unwritable");
    // A file at the place of the report's directory.
    project.write("wall", "");
    let args = ["test", "shop.erl", "ledger.pl", "--report", "html=wall/report.html"];
    let ended = project.gimlet(&[&args[..], &["--report", "json=report.json"]].concat());
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stdout.contains("shop:total(13)"), "{}", ended.stdout);
    assert!(ended.stderr.contains("wall/report.html can't be written"), "{}", ended.stderr);
    assert!(ended.stdout.contains("report: report.json\n"), "{}", ended.stdout);
    let report: Value = serde_json::from_str(&project.read("report.json")).expect("JSON");
    let written = report["written"].as_array().expect("written");
    assert_eq!(written.len(), 1, "a report names what was written: {written:?}");

    let ended = project.gimlet(&["test", "shop.erl", "ledger.pl", "--out", "wall/out"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.contains("share(0, R)"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("run them with"), "{}", ended.stdout);
    let ended = project.gimlet(&["test", "ledger.pl", "-f", "known/1", "--out", "wall/out"]);
    assert_eq!(ended.code, 2, "nothing found is no success then");
}

/// The last lines of the report are commands, which the test runs like a user who pastes them.
#[test]
fn the_last_lines_say_what_was_written_and_how_to_run_it() {
    let project = Project::new("formats_last_lines", &[("ledger.pl", LEDGER)]);
    project.write("app/include/shop.hrl", "-define(UNLUCKY, 13).\n");
    let shop = SHOP.replace("-export", "-include(\"shop.hrl\").\n-export");
    project.write("app/src/shop.erl", &shop.replace("total(13)", "total(?UNLUCKY)"));
    project.write("app/src/more.erl", "-module(more).\n-export([f/1]).\nf(x) -> y.\n");
    let targets = ["app/src/shop.erl", "app/src/more.erl", "ledger.pl"];
    let ended = project.gimlet(&[&["test", "--out", "out of here"], &targets[..]].concat());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let last: Vec<&str> = ended.stdout.lines().rev().take(5).collect();
    let commands: Vec<&str> =
        last.iter().filter_map(|it| it.strip_prefix("run them with: ")).collect();
    assert_eq!(commands.len(), 2, "{}", ended.stdout);
    assert!(ended.stdout.contains("report: out of here/report.json"), "{}", ended.stdout);
    assert!(ended.stdout.contains("tests: out of here/"), "{}", ended.stdout);
    assert!(last.first().is_some_and(|it| it.starts_with("more: ")), "{}", ended.stdout);
    for command in commands {
        let mut shell = Command::new("sh");
        let done = shell.args(["-c", command]).current_dir(&project.dir).output().expect("sh");
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        assert!(done.status.success(), "{command}:\n{said}");
        assert!(said.contains("tests passed"), "{command}:\n{said}");
    }
}

#[test]
fn a_large_project_is_summed_up_on_one_screen() {
    let project = Project::new("formats_large", &[]);
    let names: Vec<String> = (0..60).map(|it| format!("m{it}")).collect();
    for name in &names {
        let text = format!(
            "-module({name}).\n-export([f/1]).\n-spec f(integer()) -> integer().\n\
             f(7) -> error(seven);\nf(X) -> X.\n"
        );
        project.write(&format!("src/{name}.erl"), &text);
    }
    let sources: Vec<String> = names.iter().map(|it| format!("src/{it}.erl")).collect();
    let args: Vec<&str> =
        ["test", "--runs", "9"].into_iter().chain(sources.iter().map(String::as_str)).collect();
    let ended = project.gimlet(&args);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let (_, summary) = ended.stdout.split_once("findings like these\n").expect("a cut list");
    assert!(summary.lines().count() <= 40, "{summary}");
    assert!(summary.contains("60 findings in 60 of 60 functions"), "{summary}");
    assert!(summary.contains("more: --verbose shows everything"), "{summary}");
    let (report, _) = project.report(&args[1..]);
    assert_eq!(units(&report).len(), 60, "programs get everything");
}

#[test]
fn exit_codes_say_what_was_asked_for() {
    let project = mixed("formats_exit_codes");
    let code = |args: &[&str]| project.gimlet(&[&["test"], args].concat()).code;
    assert_eq!(code(&["shop.erl", "-f", "size/1"]), 0);
    assert_eq!(code(&["shop.erl", "-f", "total/1"]), 1);
    assert_eq!(code(&["shop.erl", "-f", "total/1", "--fail-on", "promise"]), 1);
    // `label/1` has no spec and refuses everything except `pen`.
    assert_eq!(code(&["shop.erl", "-f", "label/1"]), 0);
    assert_eq!(code(&["shop.erl", "-f", "label/1", "--strict"]), 1);
    assert_eq!(code(&["shop.erl", "-f", "label/1", "--fail-on", "any"]), 1);
    assert_eq!(code(&["ledger.pl", "-f", "known/1"]), 0);
    assert_eq!(code(&["ledger.pl", "-f", "share/2"]), 1);
    assert_eq!(code(&["ledger.pl", "shop.erl"]), 1);
    // A missing target is never a success, and never hides a finding.
    assert_eq!(code(&["nothing.erl"]), 2);
    assert_eq!(code(&["nothing.pl", "ledger.pl", "-f", "known/1"]), 2);
    assert_eq!(code(&["nothing.erl", "ledger.pl", "-f", "share/2"]), 1);
    assert_eq!(code(&["shop.erl", "-f", "nobody/1"]), 2);
    assert_eq!(code(&["shop.erl", "--fail-on", "everything"]), 2);
}

/// The program creates a file when it runs, and the signal is sent then. It has more paths than can be explored in
/// time.
#[test]
fn an_interrupted_run_reports_what_it_has() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let project = Project::new(&format!("formats_interrupted{signal}"), &[]);
        project.write(
            "busy.erl",
            "-module(busy).\n-export([first/1, later/1]).\n\
             -spec first(integer() | [integer()]) -> ok.\n\
             first(7) -> error(seven);\n\
             first([N | Ns]) -> ok = file:write_file(\"started\", <<>>), many(N, Ns);\n\
             first(_) -> ok.\n\
             many(1, [N | Ns]) -> many(N, Ns);\n\
             many(2, [N | Ns]) -> many(N, Ns);\n\
             many(3, [N | Ns]) -> many(N, Ns);\n\
             many(_, [N | Ns]) -> many(N, Ns);\n\
             many(_, []) -> ok.\n\
             later(X) -> X.\n",
        );
        let mut child = Command::new(env!("CARGO_BIN_EXE_gimlet"))
            .args(["test", "busy.erl", "-j", "1", "--time", "1h", "--allow", "files"])
            .args(["--report", "json=report.json", "--report", "html=report.html"])
            .current_dir(&project.dir)
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        while !project.dir.join("started").exists() {
            assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
        let done = child.wait_with_output().expect("the binary ends");
        let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(stdout.contains("interrupted: this is what was found until then"), "{stdout}");
        assert_eq!(done.status.code(), Some(code), "{stdout}");
        let report: Value = serde_json::from_str(&project.read("report.json")).expect("JSON");
        assert_eq!(report["interrupted"], true);
        assert_eq!(units(&report), ["busy:first/1", "busy:later/1"]);
        assert_eq!(report["units"][1]["stop"], "interrupted");
        assert_eq!(report["units"][1]["runs"], 0);
        assert!(project.read("report.html").contains("Interrupted"));
    }
}

#[test]
fn the_tree_of_all_paths_is_a_page_too() {
    let project = Project::new("formats_tree", &[("shop.erl", SHOP)]);
    let ended = project
        .gimlet(&["symbolic", "shop.erl", "-f", "total/1", "--reach", "error", "--format", "html"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    for it in ["<!doctype html>", "shop:total(X1), up to 12 choices", "shop:total(13)", "yes: "] {
        assert!(ended.stdout.contains(it), "{it}: {}", ended.stdout);
    }
}
