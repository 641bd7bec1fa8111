//! Exploring schedules: how many there are that differ, and what they lead to.

use conformance::machine_with;
use engine::{Alone, Dpor, Ended, ScheduleReport, ScheduleSettings, Stop, explore_schedules};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use term::{Atom, Domain, Style, Term, print};
use trace::{Input, Outcome};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schedules/{name}.erl"))
}

fn machine_of(name: &str) -> Machine {
    machine_with(Atom::new(name), &source(name))
}

/// How all runs of a call ended, and the report.
fn explore(
    machine: &mut Machine,
    (module, function): (&str, &str),
    args: &[Term],
    settings: ScheduleSettings,
    is_recorded: bool,
) -> (ScheduleReport, BTreeSet<String>, Vec<Vec<Term>>) {
    let mut stage = Staged::new(machine, Atom::new(module), Atom::new(function));
    stage.is_recorded = is_recorded;
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let seed = Input { args: args.to_vec() };
    let (mut ends, mut inputs) = (BTreeSet::new(), Vec::new());
    let mut see = |ended: &Ended<'_>| {
        ends.insert(end_text(ended));
        inputs.push(ended.input.args.clone());
    };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, &settings, &mut see, &mut |_| None);
    assert_eq!(report.trouble, None, "{module}:{function}");
    (report, ends, inputs)
}

fn end_text(ended: &Ended<'_>) -> String {
    let mut text = match &ended.performed.outcome {
        Outcome::Value(value) => print(value, Style::TW),
        Outcome::Crash { class, reason, .. } => {
            format!("{}:{}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => format!("stopped: {why}"),
    };
    for crash in &ended.performed.crashes {
        text += &format!(" crash {}:{}", crash.class.as_str(), print(&crash.reason, Style::TW));
    }
    text
}

fn with(dpor: Dpor) -> ScheduleSettings {
    ScheduleSettings { dpor, counts_classes: true, ..ScheduleSettings::default() }
}

/// The number of schedules that differ, none of them met twice.
fn check_counts(machine: &mut Machine, cases: &[(&str, &[i64], usize)]) {
    let mut wrong = Vec::new();
    for (function, args, expect) in cases {
        let args: Vec<Term> = args.iter().map(|it| Term::Int(*it)).collect();
        let unit = ("classic", *function);
        let (report, _, _) = explore(machine, unit, &args, with(Dpor::Optimal), false);
        let ScheduleReport { n_runs, n_blocked, n_diverged, n_classes, stop, .. } = report;
        let found = (n_runs, n_classes, n_blocked, n_diverged, stop);
        if found != (*expect, *expect, 0, 0, Stop::Exhausted) {
            wrong.push(format!("{function}{args:?}: {found:?} instead of {expect}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn optimal_counts() {
    let cases: &[(&str, &[i64], usize)] = &[
        ("silent", &[], 1),
        ("readers", &[2], 4),
        ("readers", &[6], 64),
        ("readers", &[8], 256),
        ("readers", &[10], 1024),
        ("last_zero", &[3], 12),
        ("last_zero", &[5], 64),
        ("last_zero", &[8], 704),
        ("last_zero", &[10], 3328),
        ("writers", &[4], 24),
        ("wild", &[3], 6),
        ("wild", &[5], 120),
        ("sel", &[3], 1),
        ("sel", &[5], 1),
        ("counter", &[2], 12),
        ("counter", &[3], 540),
        ("increments", &[2], 8),
        ("increments", &[3], 216),
        ("philosophers", &[2], 5),
        ("philosophers", &[3], 37),
        ("one_client", &[1], 1),
        ("one_client", &[5], 1),
        ("server", &[1, 2], 2),
        ("server", &[2, 2], 6),
        ("server", &[3, 2], 20),
    ];
    check_counts(&mut machine_of("classic"), cases);
}

/// Brute force over all interleavings of random programs: the same outcomes, and as many classes as
/// there are runs.
#[test]
fn all_interleavings_of_random_programs() {
    let n_programs = 200;
    let mut random = Random(42);
    let mut text =
        "-module(sched_random).\n-compile([export_all, nowarn_export_all]).\n".to_owned();
    for n in 0..n_programs {
        text += &program(&mut random, n);
    }
    let dir = std::env::temp_dir().join("gimlet-schedules-random");
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("sched_random.erl");
    std::fs::write(&file, &text).expect("a file");
    let mut machine = machine_with(Atom::new("sched_random"), &file);
    let (mut wrong, mut n_compared, mut n_classes) = (Vec::new(), 0, 0);
    for n in 0..n_programs {
        let name = format!("p{n}");
        let unit = ("sched_random", name.as_str());
        let brute = ScheduleSettings { max_runs: Some(3_000), ..with(Dpor::None) };
        let (all, all_ends, _) = explore(&mut machine, unit, &[], brute, false);
        let (found, ends, _) = explore(&mut machine, unit, &[], with(Dpor::Optimal), false);
        let (source, source_ends, _) = explore(&mut machine, unit, &[], with(Dpor::Source), false);
        assert_eq!(found.stop, Stop::Exhausted);
        if all.stop != Stop::Exhausted {
            continue;
        }
        n_compared += 1;
        n_classes += all.n_classes;
        let is_right = found.n_runs == all.n_classes
            && found.n_classes == all.n_classes
            && (found.n_blocked, found.n_diverged) == (0, 0)
            && ends == all_ends
            && source_ends == all_ends
            && source.n_classes == all.n_classes;
        if !is_right {
            let lost: Vec<&String> = all_ends.difference(&ends).collect();
            let made: Vec<&String> = ends.difference(&all_ends).collect();
            let from = text.find(&format!("p{n}() ->")).unwrap_or(0);
            let to = text.get(from..).and_then(|it| it.find("\n\n")).unwrap_or(0);
            wrong.push(format!(
                "{}\nall {all:?}\noptimal {found:?}\nsource {source:?}\nlost {lost:?}\nmade up {made:?}\n",
                text.get(from..from + to).unwrap_or_default()
            ));
        }
    }
    assert!(n_compared > n_programs / 2, "{n_compared}");
    assert!(n_classes > 2 * n_compared, "programs have {n_classes} classes");
    wrong.sort_by_key(String::len);
    assert!(
        wrong.is_empty(),
        "{} of {n_compared}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }
}

/// A process that starts two or three others, all of which do a little, and tells how they ended.
fn program(random: &mut Random, n: usize) -> String {
    let n_children = 2 + random.below(2);
    let budget = if n_children == 2 { 3 } else { 2 };
    let mut text = format!("p{n}() ->\n  Me = self(), T = ets:new(t, [public]),\n");
    for child in 1..=n_children {
        let n_steps = 1 + random.below(budget);
        let steps: Vec<String> = (0..n_steps).map(|_| step(random, child, n)).collect();
        text += &format!(
            "  {{P{child}, R{child}}} = spawn_monitor(fun() -> exit({{log, [{}]}}) end),\n",
            steps.join(", ")
        );
    }
    let own: Vec<String> = (0..random.below(2)).map(|_| step(random, n_children + 1, n)).collect();
    text += &format!("  Own = [{}],\n", own.join(", "));
    let ends: Vec<String> = (1..=n_children)
        .map(|it| format!("receive {{'DOWN', R{it}, _, _, E{it}}} -> E{it} end"))
        .collect();
    text + &format!("  [Own, T == Me | [{}]].\n\n", ends.join(", "))
}

/// One thing to do, with what is seen of it as its value. A child knows those before it.
fn step(random: &mut Random, child: usize, n: usize) -> String {
    let other =
        if child > 1 { format!("P{}", 1 + random.below(child - 1)) } else { "Me".to_owned() };
    let to = if random.below(2) == 0 { "Me".to_owned() } else { other.clone() };
    let key = if random.below(2) == 0 { "k" } else { "l" };
    let name = format!("name{n}_{}", random.below(2));
    let tag = if random.below(2) == 0 { "a" } else { "b" };
    let value = random.below(3);
    match random.below(22) {
        0..=3 => format!("{to} ! {{{tag}, {value}}}"),
        4 => format!("receive {{{tag}, X}} -> X end"),
        5 => format!("receive {{{tag}, X}} -> X after 0 -> none end"),
        6 => format!("receive {{X, {value}}} -> X after 10 -> none end"),
        7 => "receive {X, Y} -> {X, Y} after 100 -> none end".to_owned(),
        8 => format!("ets:insert(T, {{{key}, {value}}})"),
        9 => format!("ets:lookup(T, {key})"),
        10 => "ets:tab2list(T)".to_owned(),
        11 => format!("(catch ets:update_counter(T, {key}, 1, {{{key}, 0}}))"),
        12 => format!("(catch register({name}, self()))"),
        13 => format!("(catch ({name} ! {{{tag}, {value}}}))"),
        14 => format!("(whereis({name}) == undefined)"),
        15 => format!("(catch link({other}))"),
        16 => format!("exit({other}, kill)"),
        17 => format!("exit({other}, boom)"),
        18 => "process_flag(trap_exit, true)".to_owned(),
        19 => format!("is_process_alive({other})"),
        20 => format!(
            "begin M = monitor(process, {other}), receive {{'DOWN', M, _, _, W}} -> W after 0 -> alive end end"
        ),
        _ => format!(
            "begin S = erlang:send_after({value}, self(), tick), erlang:cancel_timer(S) == false end"
        ),
    }
}

/// Runs that came to their end, what they led to, and whether nothing was left.
fn check_joint(function: &str, arg: i64, n_runs: usize, expect: &[&str]) {
    let mut machine = machine_of("joint");
    let (unit, args) = (("joint", function), [Term::Int(arg)]);
    let (report, ends, inputs) = explore(&mut machine, unit, &args, with(Dpor::Optimal), true);
    let found: Vec<&str> = ends.iter().map(String::as_str).collect();
    assert_eq!(found, expect, "{function}: {inputs:?}");
    assert_eq!((report.n_runs, report.stop), (n_runs, Stop::Exhausted), "{function}: {inputs:?}");
}

/// One process: one order; two: two; three: six.
const MANY: [&str; 10] = [
    "[1,2,3]", "[1,2]", "[1,3,2]", "[1]", "[2,1,3]", "[2,1]", "[2,3,1]", "[3,1,2]", "[3,2,1]", "[]",
];

#[test]
fn inputs_and_schedules_together() {
    check_joint("guarded", 0, 2, &["a", "b"]);
    check_joint("guarded", 9, 2, &["a", "b"]);
    check_joint("both", 0, 3, &["error:found", "ok"]);
    check_joint("waits", 0, 2, &["deadlock", "ok"]);
    check_joint("waits", 17, 2, &["deadlock", "ok"]);
    check_joint("forced", 0, 3, &["{a,big}", "{b,big}", "{b,small}"]);
    check_joint("forced", 9, 3, &["{a,big}", "{b,big}", "{b,small}"]);
    let mut machine = machine_of("joint");
    let (unit, args) = (("joint", "many"), [Term::Int(0)]);
    let (report, ends, _) = explore(&mut machine, unit, &args, with(Dpor::Optimal), true);
    assert_eq!(report.stop, Stop::Exhausted);
    assert!(MANY.iter().all(|it| ends.contains(*it)), "{ends:?}");
    assert_eq!(report.n_runs, report.n_classes);
}

#[test]
fn otp_races_are_found_and_mended_ones_are_not() {
    let mut machine = machine_of("otp_races");
    let bugs = [
        ("cast_call_bug", "error:{badmatch,0}"),
        ("restart_bug", "error:badarg"),
        ("name_bug", "crash error:badarg"),
        ("timer_bug", "error:{badmatch,first}"),
        ("pool_bug", "deadlock"),
    ];
    let mut wrong = Vec::new();
    for (function, bug) in bugs {
        let settings = ScheduleSettings { max_runs: Some(3000), ..with(Dpor::Optimal) };
        let (report, ends, _) =
            explore(&mut machine, ("otp_races", function), &[], settings, false);
        if !ends.iter().any(|it| it.contains(bug)) {
            wrong.push(format!("{function}: {report:?} {ends:?}"));
        }
    }
    for function in ["cast_call", "restart", "name", "timer", "pool"] {
        let name = format!("{function}_mended");
        let settings = ScheduleSettings { max_runs: Some(3000), ..with(Dpor::Optimal) };
        let (report, ends, _) = explore(&mut machine, ("otp_races", &name), &[], settings, false);
        if ends
            .iter()
            .any(|it| it.contains("error:") || it.contains("exit:") || it.contains("deadlock"))
        {
            wrong.push(format!("{name}: {report:?} {ends:?}"));
        }
        assert_eq!((report.stop, report.n_diverged), (Stop::Exhausted, 0), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Example 4 of the paper: the call with 1 and one with a greater number take all clauses.
#[test]
fn two_calls_cover_all_of_the_client_and_server() {
    let mut machine = machine_of("joint");
    let mut covered = [trace::Covered::default(), trace::Covered::default()];
    let (mut inputs, mut n) = (Vec::new(), 0);
    let mut stage = Staged::new(&mut machine, Atom::new("joint"), Atom::new("start"));
    stage.is_recorded = true;
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let settings = ScheduleSettings { max_runs: Some(5), ..with(Dpor::Optimal) };
    let mut see = |ended: &Ended<'_>| {
        covered[usize::from(n >= 2)].add(&ended.performed.covered);
        inputs.push(ended.input.args[0].as_int());
        n += 1;
    };
    let seed = Input { args: vec![Term::Int(1)] };
    explore_schedules(&mut stage, &mut oracle, &seed, &settings, &mut see, &mut |_| None);
    assert_eq!(inputs[0], Some(1));
    assert!(inputs[1].is_some_and(|it| it > 1), "{inputs:?}");
    let [first, later] = covered;
    assert!(!first.lacks_some_of(&later), "{inputs:?}");
}
