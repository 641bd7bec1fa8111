//! Tests worker processes: the death of a worker costs the results of one unit only, killing the tool loses nothing
//! that was written, and signals end it with a report.

#![expect(clippy::disallowed_methods, reason = "it starts the binary under test, and shells")]

mod common;
#[path = "common/compare.rs"]
mod compare;
#[path = "common/project.rs"]
mod project;

use project::{LEDGER, Project, SHOP, units};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// A unit that is explored quickly, one with more paths than can be explored in time, and another one.
const ENDLESS: &str = "-module(w).
-export([a_quick/1, b_slow/1, c_quick/1]).
a_quick(1) -> error(one);
a_quick(X) -> X.
b_slow([1 | T]) -> b_slow(T);
b_slow([2 | T]) -> b_slow(T);
b_slow([3 | T]) -> b_slow(T);
b_slow([4 | T]) -> b_slow(T);
b_slow([5 | T]) -> b_slow(T);
b_slow([6 | T]) -> b_slow(T);
b_slow([_ | T]) -> b_slow(T);
b_slow(X) -> X.
c_quick([1, 2 | _]) -> error(three);
c_quick(X) -> X.
";

/// How often a condition is polled before the test fails.
const PATIENCE: usize = 3_000;
const TICK: Duration = Duration::from_millis(20);

fn start(project: &Project, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gimlet"))
        .args(["test", "--format", "json"])
        .args(args)
        .current_dir(&project.dir)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// Polls until there is a value.
#[track_caller]
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    (0..PATIENCE)
        .find_map(|_| {
            let found = look();
            if found.is_none() {
                thread::sleep(TICK);
            }
            found
        })
        .expect("it happens in the end")
}

/// The process ids of a process's workers.
fn workers(of: &Child) -> Vec<i32> {
    let lists = fs::read_dir(format!("/proc/{}/task", of.id())).into_iter().flatten().flatten();
    let children = lists.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    let ids = children.flat_map(|it| {
        it.split_whitespace().filter_map(|it| it.parse().ok()).collect::<Vec<i32>>()
    });
    let is_worker = |it: &i32| {
        let line = fs::read_to_string(format!("/proc/{it}/cmdline")).unwrap_or_default();
        line.split('\0').nth(1) == Some("__work")
    };
    ids.filter(is_worker).collect()
}

fn send(id: i32, signal: Signal) {
    kill_process(Pid::from_raw(id).expect("a process"), signal).expect("it is there");
}

fn id(of: &Child) -> i32 {
    i32::try_from(of.id()).expect("a small number")
}

#[track_caller]
fn report(of: &Output) -> Value {
    let errors = String::from_utf8_lossy(&of.stderr);
    serde_json::from_slice(&of.stdout).unwrap_or_else(|it| panic!("{it}: {errors}"))
}

fn unit<'r>(report: &'r Value, name: &str) -> &'r Value {
    let units = report["units"].as_array().expect("units");
    units.iter().find(|it| it["unit"] == name).expect("the unit")
}

/// The report on disk, if there is one.
fn on_disk(project: &Project) -> Option<Value> {
    let text = fs::read_to_string(project.dir.join("out/report.json")).ok()?;
    Some(serde_json::from_str(&text).expect("what is there is whole"))
}

fn has_finding(report: &Value, name: &str) -> bool {
    unit(report, name)["findings"].as_array().is_some_and(|it| !it.is_empty())
}

fn n_findings(report: &Value) -> usize {
    let units = report["units"].as_array().expect("units").iter();
    units.filter_map(|it| it["findings"].as_array().map(Vec::len)).sum()
}

#[test]
fn a_worker_that_is_killed_costs_its_unit_only_if_it_is_killed_again() {
    let project = Project::new("workers_killed", &[("w.erl", ENDLESS)]);
    let args = ["w.erl", "--time", "10m", "-j", "1", "--out", "out"];
    for n_kills in [1, 2] {
        fs::remove_dir_all(project.dir.join("out")).ok();
        let child = start(&project, &args);
        // A worker explores the slow unit once the results of the first unit are written.
        wait_for(|| on_disk(&project).filter(|it| has_finding(it, "w:a_quick/1")));
        workers(&child).into_iter().for_each(|it| send(it, Signal::KILL));
        // Another worker gets the last unit, and then a third one the slow unit, alone.
        wait_for(|| on_disk(&project).filter(|it| has_finding(it, "w:c_quick/1")));
        let both = wait_for(|| Some(workers(&child)).filter(|it| it.len() == 2));
        if n_kills == 1 {
            // The test does not wait until the unit's time is over.
            send(id(&child), Signal::INT);
        } else {
            both.into_iter().for_each(|it| send(it, Signal::KILL));
        }
        let report = report(&child.wait_with_output().expect("it ends"));
        assert_eq!(units(&report).len(), 3);
        assert!(has_finding(&report, "w:a_quick/1") && has_finding(&report, "w:c_quick/1"));
        let trouble = &unit(&report, "w:b_slow/1")["trouble"];
        if n_kills == 1 {
            assert_eq!(*trouble, Value::Null);
        } else {
            assert_eq!(trouble, "its worker process was killed (signal 9)");
        }
    }
}

#[test]
fn the_memory_of_the_tool_bounds_each_run() {
    let source = "-module(m).
-export([eats/1, fine/1]).
eats(X) -> grow(X, <<0:8000000>>).
grow(X, B) -> grow(X, <<B/binary, B/binary>>).
fine(1) -> error(one);
fine(X) -> X.
";
    let project = Project::new("workers_memory", &[("m.erl", source)]);
    let (report, code) = project.report(&["m.erl", "--runs", "20", "--memory", "256M", "-j", "1"]);
    assert_eq!(code, 1);
    assert_eq!(unit(&report, "m:fine/1")["findings"][0]["call"], "m:fine(1)");
    assert_eq!(unit(&report, "m:eats/1")["findings"][0]["reason"], "memory");
}

/// The values are products of products, so an expression visited without regard to sharing takes exponential time.
#[test]
fn a_run_is_no_slower_for_what_its_values_share() {
    let source = "-module(sq).
-export([sq/1]).
-spec sq(integer()) -> integer().
sq(N) -> sq(N * N).
";
    let project = Project::new("workers_shared", &[("sq.erl", source)]);
    let (report, code) = project.report(&["sq.erl", "--runs", "8"]);
    assert_eq!(code, 1);
    let sq = unit(&report, "sq:sq/1");
    assert_eq!(sq["trouble"], Value::Null);
    assert_eq!(sq["findings"][0]["kind"], "timeout");
}

#[test]
fn signals_end_it_with_a_report_and_the_code_of_the_signal() {
    let project = Project::new("workers_signals", &[("w.erl", ENDLESS)]);
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        fs::remove_dir_all(project.dir.join("out")).ok();
        let child = start(&project, &["w.erl", "--time", "10m", "-j", "1", "--out", "out"]);
        wait_for(|| on_disk(&project).filter(|it| 0 < n_findings(it)));
        let workers = workers(&child);
        send(id(&child), signal);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(code));
        let report = report(&ended);
        assert_eq!(report["interrupted"], true);
        assert_eq!(unit(&report, "w:a_quick/1")["findings"][0]["call"], "w:a_quick(1)");
        assert_eq!(unit(&report, "w:b_slow/1")["stop"], "interrupted");
        assert_eq!(unit(&report, "w:c_quick/1")["stop"], "interrupted");
        let tests = project.read("out/w_gimlet_tests.erl");
        assert!(tests.contains("w:a_quick(1)") && says_not_run(&tests), "{tests}");
        for worker in workers {
            assert!(!fs::exists(format!("/proc/{worker}")).expect("a directory"), "it is gone");
        }
    }
}

fn says_not_run(tests: &str) -> bool {
    tests.lines().nth(1).is_some_and(|it| it.ends_with("Nobody ran these tests: some may fail."))
}

#[test]
fn tests_that_were_run_are_not_replaced_by_tests_that_were_not() {
    let project = Project::new("workers_tests", &[("w.erl", ENDLESS)]);
    let args = ["w.erl", "-f", "a_quick/1", "--runs", "50", "--out", "out"];
    assert_eq!(project.report(&args).1, 1);
    let before = project.read("out/w_gimlet_tests.erl");
    assert!(before.contains("w:a_quick(1)") && !says_not_run(&before), "{before}");
    let child = start(&project, &["w.erl", "--time", "10m", "--out", "out"]);
    wait_for(|| on_disk(&project).filter(|it| it["interrupted"] == true && 0 < n_findings(it)));
    send(id(&child), Signal::INT);
    child.wait_with_output().expect("it ends");
    assert_eq!(project.read("out/w_gimlet_tests.erl"), before);
}

#[test]
fn what_was_written_is_whole_whenever_it_is_killed() {
    let project = Project::new("workers_moments", &[("w.erl", ENDLESS)]);
    let args = ["w.erl", "--time", "10m", "-j", "2", "--out", "out"];
    let mut n_found = 0;
    let n_kills = n_kills();
    for n in 0..n_kills {
        fs::remove_dir_all(project.dir.join("out")).ok();
        let mut child = start(&project, &args);
        // The moments are spread from the start until after the first report, in no particular order.
        thread::sleep(LAST_MOMENT.mul_f64(scattered(n)));
        let workers = workers(&child);
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        n_found += on_disk(&project).map_or(0, |it| n_findings(&it));
        let corpus = fs::read_dir(project.dir.join("out/corpus")).into_iter().flatten().flatten();
        for file in
            corpus.map(|it| it.path()).filter(|it| it.extension() == Some("corpus".as_ref()))
        {
            let file = file.display().to_string();
            let again = project.gimlet(&["replay", &file]);
            assert!([0, 1].contains(&again.code), "{file}: {}", again.stderr);
        }
        // No worker survives.
        wait_for(|| workers.iter().all(|it| !is_running(*it)).then_some(()));
    }
    // The last moments suffice on a machine of usual speed; on a slower one the test waits for the first finding.
    wait_for(|| (0 < n_found).then_some(()).or_else(|| found_in_the_end(&project, &args)));
}

/// Returns how often the tool is killed: the number in `GIMLET_KILLS`, or 20.
fn n_kills() -> u32 {
    let asked = std::env::var("GIMLET_KILLS").ok();
    asked.map_or(20, |it| it.parse().expect("GIMLET_KILLS is a number"))
}

/// The latest moment of a kill, which is after the first report.
const LAST_MOMENT: Duration = Duration::from_millis(1_940);

/// Returns a number between 0 and 1. The fractional parts of multiples of the golden ratio are evenly distributed.
fn scattered(n: u32) -> f64 {
    (f64::from(n) * 0.618_033_988_749_895).fract()
}

/// Whether a process is running and not a zombie.
fn is_running(id: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|it| !it.is_empty() && !it.starts_with('Z'))
}

/// Kills the process after it has written a finding.
fn found_in_the_end(project: &Project, args: &[&str]) -> Option<()> {
    let mut child = start(project, args);
    wait_for(|| on_disk(project).filter(|it| 0 < n_findings(it)));
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    Some(())
}

#[test]
fn a_full_disk_leaves_the_report_that_was_there() {
    // Larger files can't be written, as if the disk were full.
    let project = Project::new("workers_full", &[("w.erl", ENDLESS)]);
    let args = ["w.erl", "-f", "a_quick/1", "--runs", "50", "--out", "out"];
    assert_eq!(project.report(&args).1, 1);
    let before = project.read("out/report.json");
    let gimlet = env!("CARGO_BIN_EXE_gimlet");
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec {gimlet} test {}", args.join(" "));
    let ended = Command::new("sh")
        .args(["-c", &limited])
        .current_dir(&project.dir)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("a shell");
    assert_eq!(ended.status.code(), Some(2), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(project.read("out/report.json"), before);
    let left = fs::read_dir(project.dir.join("out")).expect("a directory").flatten();
    let parts = left.filter(|it| it.path().extension() == Some("part".as_ref()));
    assert_eq!(parts.count(), 0);
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let files = [("w.erl", ENDLESS), ("shop.erl", SHOP), ("ledger.pl", LEDGER)];
    let project = Project::new("workers_number", &files);
    let of = |jobs: &str| {
        let (report, _) = project.report(&[
            "w.erl",
            "shop.erl",
            "ledger.pl",
            "--runs",
            "60",
            "--time",
            "1h",
            "-j",
            jobs,
        ]);
        compare::timeless(report)
    };
    compare::assert_same(&of("1"), &of("3"), "reports of one and of three workers");
}
