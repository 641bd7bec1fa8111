//! Tests `gimlet.toml`, `gimlet init` and `gimlet config`: values of options, their origins, and mistakes.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;
#[path = "common/project.rs"]
mod project;

use expect_test::{Expect, expect};
use project::{LEDGER, Project, SHOP, units};
use serde_json::Value;

/// Value and origin of an option, as `gimlet config` shows them.
#[track_caller]
fn shown(project: &Project, args: &[&str], option: &str) -> String {
    let ended = project.gimlet(&[&["config"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let words = |it: &str| it.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let line = ended.stdout.lines().map(words).find(|it| it.first().is_some_and(|it| it == option));
    let line = line.unwrap_or_else(|| panic!("no {option} in {}", ended.stdout));
    line.split_first().expect("a name").1.join(" ")
}

/// Checks the diagnostics of an invalid configuration: the exit code is 2, and nothing is tested.
#[track_caller]
fn check_mistakes(name: &str, text: &str, expect: &Expect) {
    let project = Project::new(name, &[("shop.erl", SHOP), ("gimlet.toml", text)]);
    let ended = project.gimlet(&["test", "shop.erl"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    expect.assert_eq(&ended.stderr);
    let shown = project.gimlet(&["config"]);
    assert_eq!((shown.code, &shown.stderr), (2, &ended.stderr), "config says the same");
}

#[test]
fn the_command_line_beats_the_file_and_the_file_beats_defaults() {
    let text = "time = \"7s\"\nstrict = true\npre = [\"shop:a/1\", \"shop:b/1\"]\n";
    let project = Project::new("config_order", &[("shop.erl", SHOP), ("gimlet.toml", text)]);
    assert_eq!(shown(&project, &[], "time"), "7s gimlet.toml:1");
    assert_eq!(shown(&project, &[], "strict"), "true gimlet.toml:2");
    assert_eq!(shown(&project, &[], "pre"), "shop:a/1, shop:b/1 gimlet.toml:3");
    assert_eq!(shown(&project, &[], "backend"), "machine default");
    assert_eq!(shown(&project, &["--time", "5s"], "time"), "5s command line");
    assert_eq!(shown(&project, &["shop.erl", "--time=5s"], "time"), "5s command line");
    assert_eq!(shown(&project, &["--no-config"], "time"), "- default");

    project.write("gimlet.toml", "format = \"json\"\nfunction = \"size/1\"\n");
    let ended = project.gimlet(&["test", "shop.erl"]);
    assert!(ended.stdout.starts_with('{'), "{}", ended.stdout);
    let ended = project.gimlet(&["test", "shop.erl", "--format", "text"]);
    assert!(ended.stdout.contains("nothing found in 1 function"), "{}", ended.stdout);
    let (report, _) = project.report(&["shop.erl", "-f", "label/1"]);
    assert_eq!(units(&report), ["shop:label/1"], "a list of the command line replaces the file's");
    let (report, _) = project.report(&["shop.erl", "--no-config"]);
    assert_eq!(units(&report).len(), 3);
    project.write("other.toml", "function = \"total/1\"\n");
    let (report, _) = project.report(&["shop.erl", "--config", "other.toml"]);
    assert_eq!(units(&report), ["shop:total/1"]);
}

#[test]
fn the_nearest_file_above_holds() {
    let project = Project::new("config_above", &[("gimlet.toml", "time = \"7s\"\n")]);
    project.write("apps/shop/shop.erl", SHOP);
    let inner = Project { dir: project.dir.join("apps/shop") };
    let file = project.dir.canonicalize().expect("a directory").join("gimlet.toml");
    assert_eq!(shown(&inner, &[], "time"), format!("7s {}:1", file.display()));
    inner.write("gimlet.toml", "time = \"8s\"\n");
    assert_eq!(shown(&inner, &[], "time"), "8s gimlet.toml:1");
    assert_eq!(shown(&project, &["apps/shop"], "time"), "8s apps/shop/gimlet.toml:1");
}

#[test]
fn parts_of_a_project_have_options_of_their_own() {
    let other = SHOP.replace("shop", "other");
    let project =
        Project::new("config_parts", &[("src/shop.erl", SHOP), ("src/gen/other.erl", &other)]);
    project.write(
        "gimlet.toml",
        "runs = 9\n[path.\"src/gen/**\"]\nskip = true\n\
         [unit.\"shop:*\"]\nruns = 3\n[unit.\"shop:total/1\"]\nno-spec = true\n",
    );
    let targets = ["src/shop.erl", "src/gen/other.erl"];
    let (report, _) = project.report(&targets);
    assert_eq!(units(&report), ["shop:total/1", "shop:label/1", "shop:size/1"]);
    let modules: Vec<&Value> =
        report["modules"].as_array().expect("modules").iter().map(|it| &it["module"]).collect();
    assert_eq!(modules, ["shop"], "a module that is left out is not one with no coverage");
    let runs = |report: &Value| report["units"][0]["runs"].as_u64().expect("runs");
    assert!(runs(&report) <= 3, "the later pattern adds an option and keeps the others");
    let because = &report["units"][0]["findings"][0]["because"];
    assert_ne!(because, "the spec allows this input");

    project.write(
        "gimlet.toml",
        "[unit.\"shop:*\"]\nskip = true\n[unit.\"shop:size/1\"]\nskip = false\n",
    );
    let (report, _) = project.report(&["src/shop.erl"]);
    assert_eq!(units(&report), ["shop:size/1"], "of two patterns the later wins");

    project.write("gimlet.toml", "[unit.\"shop:*\"]\nskip = true\n");
    let ended = project.gimlet(&["test", "src/shop.erl"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("the configuration leaves every function out"),
        "{}",
        ended.stderr
    );
}

#[test]
fn parts_of_prolog_programs_have_options_too() {
    let project = Project::new("config_prolog", &[("ledger.pl", LEDGER)]);
    project.write("gimlet.toml", "[unit.\"share/2\"]\nskip = true\n");
    let (report, code) = project.report(&["ledger.pl"]);
    assert_eq!((units(&report), code), (vec!["known/1"], 0));
}

#[test]
fn mistakes_are_all_told_at_once_with_their_lines() {
    check_mistakes(
        "config_mistakes",
        "tiem = \"3s\"\nstrict = \"yes\"\n[unit.\"shop:*\"]\nbudget = \"3s\"\nskpi = true\n\
         [path.\"src/[\"]\nskip = true\n[[ignor]]\nx = 1\n[[ignore]]\nunit = \"shop:*\"\n",
        &expect![[r#"
            error[G023]: there is no option `tiem`
              ┌─ gimlet.toml:1:1
            1 │ tiem = "3s"
              │ ^^^^
              = hint: did you mean `time`?
            error[G023]: `strict` wants true or false, not a string
              ┌─ gimlet.toml:2:10
            2 │ strict = "yes"
              │          ^^^^^
              = hint: write `strict = true`, without quotes
            error[G023]: `budget` holds for the whole run, not for some units
              ┌─ gimlet.toml:4:1
            4 │ budget = "3s"
              │ ^^^^^^
              = hint: move it to the top of the file
            error[G023]: there is no option `skpi`
              ┌─ gimlet.toml:5:1
            5 │ skpi = true
              │ ^^^^
              = hint: did you mean `skip`?
            error[G023]: `src/[` is not a pattern: unclosed character class; missing ']'
              ┌─ gimlet.toml:6:7
            6 │ [path."src/["]
              │       ^^^^^^^
              = hint: a pattern looks like `src/**`
            error[G023]: there is no table `ignor`
              ┌─ gimlet.toml:8:3
            8 │ [[ignor]]
              │   ^^^^^
              = hint: did you mean `[[ignore]]`?
            error[G023]: an ignore needs a `because`
               ┌─ gimlet.toml:10:1
            10 │ [[ignore]]
               │ ^^^^^^^^^^
               = hint: say why it is fine: `because = "the caller checks it"`
        "#]],
    );
    check_mistakes(
        "config_value",
        "runs = 5\ntime = \"soon\"\n",
        &expect![[r#"
        error[G023]: invalid value 'soon' for '--time <TIME>': soon does not start with a number
          ┌─ gimlet.toml:2:1
        2 │ time = "soon"
          │ ^^^^^^^^^^^^^
    "#]],
    );
    check_mistakes(
        "config_value_of_unit",
        "[unit.\"nobody:*\"]\nbackend = \"jvm\"\n",
        &expect![[r#"
            error[G023]: invalid value 'jvm' for '--backend <NAME>'
              ┌─ gimlet.toml:2:1
            2 │ backend = "jvm"
              │ ^^^^^^^^^^^^^^^
              = hint: there is machine, beam, auto
        "#]],
    );
}

#[test]
fn accepted_findings_do_not_fail_until_their_day() {
    let project = Project::new("config_ignores", &[("shop.erl", SHOP)]);
    let check = |ignore: &str, code: i32, status: &str, warning: &str| {
        project.write("gimlet.toml", &format!("[[ignore]]\nbecause = \"a joke\"\n{ignore}\n"));
        let (report, found) = project.report(&["shop.erl", "-f", "total/1"]);
        assert_eq!(found, code, "{ignore}");
        let finding = &report["units"][0]["findings"][0];
        assert_eq!(finding["status"].as_str().unwrap_or("new"), status, "{ignore}: {finding}");
        let ended = project.gimlet(&["test", "shop.erl", "-f", "total/1"]);
        assert!(ended.stderr.contains(warning), "{ignore}: {}", ended.stderr);
    };
    check("unit = \"shop:*\"", 0, "ignored", "");
    check("kind = \"crash\"\nreason = \"unl*\"", 0, "ignored", "");
    check("reason = \"lucky\"", 1, "new", "");
    check("unit = \"shop:total/1\"\nuntil = 2999-12-31", 0, "ignored", "");
    check(
        "unit = \"shop:total/1\"\nuntil = 2020-01-31",
        1,
        "new",
        "the ignore at gimlet.toml:1 has expired: a joke",
    );
    project.write("gimlet.toml", "[[ignore]]\nbecause = \"a joke\"\nunit = \"shop:*\"\n");
    let ended = project.gimlet(&["test", "shop.erl", "-f", "total/1"]);
    assert!(ended.stdout.contains("1 finding is ignored"), "{}", ended.stdout);
}

#[test]
fn only_what_a_baseline_lacks_fails() {
    let project = Project::new("config_baseline", &[("shop.erl", SHOP), ("ledger.pl", LEDGER)]);
    let ended = project.gimlet(&["test", "shop.erl", "ledger.pl", "--report", "json=base.json"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let again = ["shop.erl", "ledger.pl", "--baseline", "base.json"];
    let (report, code) = project.report(&again);
    assert_eq!(code, 0, "{report}");
    // A known finding stays known when its line moves; a new one makes the exit code 1.
    project.write("shop.erl", &SHOP.replace("total(13)", "\n\ntotal(14) -> exit(new);\ntotal(13)"));
    let ended = project.gimlet(&[&["test"], &again[..]].concat());
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("exception exit: new"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("unlucky"), "{}", ended.stdout);
    assert!(ended.stdout.contains("findings are known from the baseline"), "{}", ended.stdout);

    project.write("base.json", "[1, 2]");
    let ended = project.gimlet(&[&["test"], &again[..]].concat());
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("is not a report of gimlet test"), "{}", ended.stderr);
}

#[test]
fn what_is_excluded_is_not_tested() {
    let files = [("src/shop.erl", SHOP), ("src/ledger.pl", LEDGER)];
    let project = Project::new("config_exclude", &files);
    let targets = ["src/shop.erl", "src/ledger.pl"];
    let names = |exclude: &str| {
        let (report, _) = project.report(&[&targets[..], &["--exclude", exclude]].concat());
        units(&report).join(" ")
    };
    assert_eq!(names("shop"), "share/2 known/1");
    assert_eq!(names("src/*.erl"), "share/2 known/1");
    assert_eq!(names("**/*.pl"), "shop:total/1 shop:label/1 shop:size/1");
    project.write("gimlet.toml", "exclude = [\"src/*.pl\"]\n");
    assert_eq!(names("nothing"), "shop:total/1 shop:label/1 shop:size/1 share/2 known/1");
    let ended = project.gimlet(&["test", "src/ledger.pl"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("--exclude leaves every target out"), "{}", ended.stderr);
}

#[test]
fn init_writes_a_configuration_for_what_it_finds() {
    let check = |name: &str, file: &str, kind: &str, start: &str| {
        let project = Project::new(name, &[(file, "")]);
        let ended = project.gimlet(&["init"]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains(kind), "{}", ended.stdout);
        let text = project.read("gimlet.toml");
        assert!(text.contains(start), "{text}");
        assert!(shown(&project, &[], "budget").contains("gimlet.toml:"));
        let again = project.gimlet(&["init"]);
        assert_eq!(again.code, 2);
        assert!(again.stderr.contains("is there already"), "{}", again.stderr);
        assert_eq!(project.read("gimlet.toml"), text);
    };
    check("init_rebar", "rebar.config", "a rebar3 project", "gimlet test .");
    check("init_mix", "mix.exs", "a mix project", "gimlet test .");
    check("init_erlang", "src/shop.erl", "Erlang files", "gimlet test src/*.erl");
    check("init_prolog", "ledger.pl", "Prolog files", "gimlet test FILE.pl");
    check("init_nothing", "notes.txt", "no project that it knows", "gimlet test FILE");
    let nowhere = Project::new("init_nowhere", &[]).gimlet(&["init", "there"]);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.stderr.contains("there is no directory there"), "{}", nowhere.stderr);
}

/// The limit of runs ends the endless functions, so the time budget never matters.
#[test]
fn within_one_budget_every_exported_function_is_tried() {
    let project = Project::new("config_budget", &[]);
    let n_modules = 12;
    let mut targets = Vec::new();
    for n in 0..n_modules {
        let text = format!(
            "-module(m{n}).\n-export([id/1, grow/2, none/0]).\n\
             id(X) -> X.\ngrow(N, L) when N > 0 -> grow(N - 1, [N | L]);\ngrow(_, L) -> L.\n\
             none() -> ok.\n"
        );
        project.write(&format!("src/m{n}.erl"), &text);
        targets.push(format!("src/m{n}.erl"));
    }
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let (report, _) = project.report(&[&targets[..], &["--budget", "1h", "--runs", "20"]].concat());
    assert_eq!(units(&report).len(), 3 * n_modules);
    for unit in report["units"].as_array().expect("units") {
        assert!(unit["runs"].as_u64().is_some_and(|it| (1..=20).contains(&it)), "{unit}");
    }
    assert_eq!(report["interrupted"], false);
}
