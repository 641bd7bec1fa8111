//! Tests programs on several nodes: running them, exploring them while nodes go down, and replaying.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::path::Path;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

/// The exit code, standard output and standard error.
fn gimlet(args: &[&str]) -> (i32, String, String) {
    let done = common::gimlet(PROGRAMS, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (done.status.code().expect("no signal"), text(done.stdout), text(done.stderr))
}

const NODES: [&str; 2] = ["--nodes", "a@host,b@host"];

#[test]
fn a_call_runs_on_the_first_node() {
    let run = |nodes: &[&str]| {
        let (code, out, _) =
            gimlet(&[&["run", "cluster.erl", "cluster:where()"][..], nodes].concat());
        format!("{}{code}", out)
    };
    assert_eq!(run(&NODES), "{a@host,[b@host]}\n0");
    assert_eq!(run(&["--nodes", "x@y"]), "{x@y,[]}\n0");
    assert_eq!(run(&[]), "{nonode@nohost,[]}\n0");
}

#[test]
fn names_of_nodes_are_looked_at() {
    for names in ["a", "a@", "a@h,a@h"] {
        let (code, _, complaint) =
            gimlet(&["run", "cluster.erl", "cluster:where()", "--nodes", names]);
        assert_eq!(code, 2, "{names}: {complaint}");
    }
    let alone = ["test", "cluster.erl", "-f", "ask/0", "--schedules", "--node-down"];
    assert_eq!(gimlet(&alone).0, 2);
    let (code, _, complaint) =
        gimlet(&[&["test", "cluster.erl", "--backend", "beam"][..], &NODES].concat());
    assert!(code == 2 && complaint.contains("--nodes"), "{complaint}");
}

fn explore(function: &str, more: &[&str]) -> (i32, Value) {
    let test = ["test", "cluster.erl", "-f", function, "--schedules", "--format", "json"];
    let (code, out, complaint) = gimlet(&[&test[..], &NODES, more].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{complaint}")))
}

#[test]
fn a_node_that_goes_down_leaves_who_does_not_watch_it_waiting() {
    let (code, report) = explore("ask/0", &[]);
    assert_eq!((code, &report["units"][0]["findings"]), (0, &Value::Array(vec![])));

    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nodes");
    let dir = dir.to_str().expect("text");
    let (code, report) = explore("ask/0", &["--node-down", "--out", dir]);
    let findings = report["units"][0]["findings"].as_array().expect("findings");
    let deadlock = findings.iter().find(|it| it["kind"] == "deadlock").expect("a deadlock");
    assert_eq!((code, deadlock["confirmed"].as_bool()), (1, Some(true)), "{deadlock}");
    let chart = deadlock["schedule"]["chart"].as_array().expect("a chart");
    assert!(chart.iter().any(|it| it.as_str().is_some_and(|it| it.ends_with("goes down"))));
    let steps = deadlock["schedule"]["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|it| it == "b@host"), "{steps:?}");

    let (code, out, complaint) = gimlet(&["replay", &format!("{dir}/report.json")]);
    assert!(code == 0 && !out.contains("recorded was"), "{out}{complaint}");
}

/// Real nodes of BEAM take the same turns.
#[test]
fn what_happens_between_nodes_is_confirmed_on_beam() {
    for (function, more) in [
        ("overtaken/0", &[][..]),
        ("called/0", &[]),
        ("killed_from_afar/0", &[]),
        ("started_too_late/0", &["--node-down"]),
        ("asks_once/0", &["--lossy"]),
    ] {
        let (code, report) = explore(function, more);
        let findings = report["units"][0]["findings"].as_array().expect("findings");
        let is_bad = |it: &&Value| it["kind"] != "race";
        assert!(code == 1 && findings.iter().any(|it| is_bad(&it)), "{function}: {report}");
        for it in findings.iter().filter(is_bad) {
            assert_eq!(it["confirmed"], true, "{function}: {it}");
        }
    }
    // A finding without a schedule is confirmed too.
    let test = ["test", "cluster.erl", "-f", "where_is_the_answer/1", "--format", "json"];
    let (_, out, complaint) = gimlet(&[&test[..], &NODES].concat());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{complaint}"));
    let finding = &report["units"][0]["findings"][0];
    let found = [&finding["call"], &finding["confirmed"]];
    assert_eq!(
        found,
        [&"cluster:where_is_the_answer([42])".into(), &Value::from(true)],
        "{report}"
    );
}

#[test]
fn who_watches_is_told() {
    let (code, report) = explore("ask_watched/0", &["--node-down"]);
    let unit = &report["units"][0];
    let kinds: Vec<&Value> =
        unit["findings"].as_array().expect("findings").iter().map(|it| &it["kind"]).collect();
    assert_eq!((code, &unit["stop"]), (0, &Value::from("exhausted")), "{report}");
    assert_eq!(kinds, [&Value::from("race")]);
}
