//! Tests of files without problems, and of the arguments made of them.

use crate::good;
use config::{Config, Scope, Setting};
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(&good(text)));
}

fn shown(config: &Config) -> String {
    let Config { file, options, paths, units, ignores } = config;
    let mut res = format!("{file}\n");
    settings(&mut res, options);
    for (kind, scopes) in [("path", paths), ("unit", units)] {
        for Scope { pattern, settings: inner, skip, line } in scopes {
            writeln!(res, "{line}: {kind} {pattern}, skip {skip:?}").expect("memory");
            settings(&mut res, inner);
        }
    }
    for ignore in ignores {
        let glob = |it: &Option<config::Glob>| it.as_ref().map(ToString::to_string);
        let config::Ignore { unit, kind, fingerprint, reason, because, until, line } = ignore;
        writeln!(
            res,
            "{line}: ignore unit {:?} kind {kind:?} fingerprint {fingerprint:?} reason {:?} \
             because {because:?} until {until:?}",
            glob(unit),
            glob(reason),
        )
        .expect("memory");
    }
    res
}

fn settings(acc: &mut String, settings: &[Setting]) {
    for setting in settings {
        writeln!(acc, "{}: {}", setting.line, setting.arguments().join(" ")).expect("memory");
    }
}

#[test]
fn a_whole_file() {
    check(
        include_str!("whole.toml"),
        &expect![[r#"
            gimlet.toml
            2: --budget=2m
            3: --jobs=2
            4: --strict
            5: 
            6: --concrete=logger --concrete=lager:log/3
            7: --exclude=test/**
            10: --report=html=gimlet/report.html
            11: --report=sarif=gimlet.sarif
            13: path src/parser/**, skip None
            14: --time=10s
            15: path gen/**, skip Some(true)
            18: unit shop:total/1, skip Some(false)
            19: --pre=shop:valid/1
            22: ignore unit Some("shop:*") kind Some("crash") fingerprint Some("0123456789abcdef") reason Some("*badarg*") because "the caller checks it" until Some((2026, 12, 31))
            30: ignore unit None kind Some("timeout") fingerprint None reason None because "a server" until None
        "#]],
    );
}

#[test]
fn values_as_the_command_line_takes_them() {
    check(
        "seed = 1_000\nruns = 0x10\ndepth = +5\ntime = 1.5\nlossy = true\npre = []\nargs = '[-1, \"a\"]'\n\
         nodes = \"\"\nmode = [1, 2.5, true, \"x\"]\n",
        &expect![[r#"
            gimlet.toml
            1: --seed=1000
            2: --runs=16
            3: --depth=5
            4: --time=1.5
            5: --lossy=true
            6: 
            7: --args=[-1, "a"]
            8: --nodes=
            9: --mode=1 --mode=2.5 --mode=true --mode=x
        "#]],
    );
}

#[test]
fn other_ways_to_write_a_table() {
    check(
        r#"path."src/**".time = "1s"
unit = { "a:*" = { runs = 5 }, "b:*" = { skip = true } }
ignore = [{ kind = "crash", because = "known" }]
report.json = "r.json"
"#,
        &expect![[r#"
            gimlet.toml
            4: --report=json=r.json
            1: path src/**, skip None
            1: --time=1s
            2: unit a:*, skip None
            2: --runs=5
            2: unit b:*, skip Some(true)
            3: ignore unit None kind Some("crash") fingerprint None reason None because "known" until None
        "#]],
    );
}

#[test]
fn an_empty_file() {
    check(
        "",
        &expect![[r#"
            gimlet.toml
        "#]],
    );
}
