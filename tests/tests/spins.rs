//! Loops that wait for other processes (spin loops): an iteration without effect is not repeated, and no end
//! is lost by that. Brute force repeats iterations up to the limit of steps.

use conformance::{Random, end_text, machine_with};
use engine::{
    Alone, Delivery, Dpor, Ended, ScheduleReport, ScheduleSettings, Stop, explore_schedules,
};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::path::Path;
use term::{Atom, Domain, Term};
use trace::{Input, Performed, Stopped};

/// Whether spin loops are detected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spins {
    Seen,
    Unseen,
}

fn explore(
    machine: &mut Machine,
    (module, function): (&str, &str),
    args: &[Term],
    settings: &ScheduleSettings,
    spins: Spins,
) -> (ScheduleReport, BTreeSet<String>) {
    let mut stage = Staged::new(machine, Atom::new(module), Atom::new(function));
    stage.is_recorded = !args.is_empty();
    stage.sees_spins = spins == Spins::Seen;
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let seed = Input { args: args.to_vec() };
    let mut ends = BTreeSet::new();
    let mut see = |ended: &Ended<'_>| {
        if !is_cut(ended.performed) {
            ends.insert(end_text(ended));
        }
    };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, settings, &mut see, &mut |_| None);
    assert_eq!(report.trouble, None, "{module}:{function}");
    (report, ends)
}

fn is_cut(performed: &Performed) -> bool {
    matches!(performed.stopped, Some(Stopped::OutOfSteps { .. }))
}

fn waits() -> Machine {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schedules/waits.erl");
    machine_with(Atom::new("waits"), &file)
}

fn with(dpor: Dpor) -> ScheduleSettings {
    ScheduleSettings { dpor, counts_classes: true, ..ScheduleSettings::default() }
}

/// The exploration finds exactly the possible ends of programs with spin loops.
#[test]
fn all_ends_are_met() {
    let cases: &[(&str, &[&str])] = &[
        ("message", &["ok"]),
        ("message_or_more", &["[more,ok]", "[ok,more]"]),
        ("key", &["[{k,1}]", "[{k,1}] crash error:badarg", "[{k,2}]"]),
        ("busy", &["[{k,1}]"]),
        ("name", &["stop"]),
        ("life", &["gone"]),
        (
            "either",
            &[
                "{false,true}",
                "{false,true} crash error:badarg",
                "{true,false}",
                "{true,false} crash error:badarg",
                "{true,true}",
            ],
        ),
        ("both_receives", &["b"]),
        ("each_other", &["deadlock"]),
        ("deadline", &["in_time"]),
        ("clocked", &["too_late"]),
        ("told", &["ok"]),
        (
            "slept",
            &["{in_time,1}", "{in_time,2}", "{in_time,3}", "never", "never crash error:badarg"],
        ),
        ("killed", &["false", "true"]),
        (
            "killed_by_another",
            &[
                "{killed,false}",
                "{killed,false} crash error:badarg",
                "{killed,true}",
                "{normal,true}",
            ],
        ),
        ("long", &["deadlock"]),
        ("two_keys", &["[{c,false}]", "[{c,false}] crash error:badarg", "[{c,true}]"]),
        ("polls", &["[a,b]", "[b,a]"]),
        ("late", &["ticked"]),
        ("mailbox", &["1", "2"]),
    ];
    let mut machine = waits();
    let mut wrong = Vec::new();
    for (function, expect) in cases {
        let expect: BTreeSet<String> = expect.iter().map(|it| (*it).to_owned()).collect();
        for dpor in [Dpor::Optimal, Dpor::Source, Dpor::SleepSets] {
            let unit = ("waits", *function);
            let settings = ScheduleSettings { max_runs: Some(5000), steps: 300, ..with(dpor) };
            let (report, ends) = explore(&mut machine, unit, &[], &settings, Spins::Seen);
            if (&ends, report.stop) != (&expect, Stop::Exhausted) {
                wrong.push(format!("{dpor:?} {function}: {ends:?} {report:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Loops whose iterations have effects do not terminate; reaching the limit of steps is not reported as a
/// deadlock.
#[test]
fn reaching_the_step_limit_is_no_deadlock() {
    let mut machine = waits();
    for (function, expect) in [("counted", &["0", "1", "2"][..]), ("server", &["up"][..])] {
        let settings = ScheduleSettings { steps: 60, max_runs: Some(200), ..with(Dpor::Optimal) };
        let (report, ends) =
            explore(&mut machine, ("waits", function), &[], &settings, Spins::Seen);
        assert!(matches!(report.stop, Stop::Depth | Stop::Runs), "{function}: {report:?}");
        assert!(expect.iter().all(|it| ends.contains(*it)), "{function}: {ends:?}");
        assert!(!ends.contains("deadlock"), "{function}: {ends:?}");
    }
}

/// The condition of a spin loop depends on the input.
#[test]
fn loops_wait_with_inputs() {
    let mut machine = waits();
    let settings = with(Dpor::Optimal);
    let unit = ("waits", "asked");
    let (report, ends) = explore(&mut machine, unit, &[Term::Int(1)], &settings, Spins::Seen);
    assert_eq!(report.stop, Stop::Exhausted, "{report:?}");
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), ["error:bad", "ok"]);
}

/// The maximum number of steps of a run of brute force, and of its runs.
const MAX_STEPS: usize = 26;
const MAX_RUNS: usize = 6000;

#[test]
fn no_end_is_lost_with_messages_that_are_there() {
    check(21, 60, Delivery::Instant);
}

#[test]
fn no_end_is_lost_with_messages_that_take_their_time() {
    check(22, 30, Delivery::Causal);
    check(23, 30, Delivery::Free);
}

fn check(seed: u64, n_programs: usize, delivery: Delivery) {
    let mut random = Random(seed);
    let module = format!("spins_{seed}");
    let mut text = format!("-module({module}).\n-compile([export_all, nowarn_export_all]).\n\n");
    let programs: Vec<String> = (0..n_programs).map(|n| program(&mut random, n)).collect();
    text += &programs.concat();
    let dir = std::env::temp_dir().join("gimlet-spins");
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join(format!("{module}.erl"));
    std::fs::write(&file, &text).expect("a file");
    let mut machine = machine_with(Atom::new(&module), &file);
    let (mut wrong, mut n_ends, mut n_whole) = (Vec::new(), 0, 0);
    for (n, program) in programs.iter().enumerate() {
        let name = format!("p{n}");
        let unit = (module.as_str(), name.as_str());
        let limit = |dpor, max_runs, steps| {
            let max_runs = Some(max_runs);
            ScheduleSettings { delivery, max_runs, steps, ..with(dpor) }
        };
        let all = limit(Dpor::All, MAX_RUNS, MAX_STEPS);
        let (_, all) = explore(&mut machine, unit, &[], &all, Spins::Unseen);
        let chance = limit(Dpor::Random, 300, MAX_STEPS * 4);
        let (_, chance) = explore(&mut machine, unit, &[], &chance, Spins::Unseen);
        let (report, found) =
            explore(&mut machine, unit, &[], &limit(Dpor::Optimal, 4000, 400), Spins::Seen);
        n_whole += usize::from(report.stop == Stop::Exhausted);
        let optimal = (report.n_runs, report.n_blocked, report.n_diverged);
        let mut is_right = report.stop == Stop::Runs
            || all.union(&chance).all(|it| found.contains(it))
                && (report.n_classes, report.n_diverged) == (report.n_runs, 0);
        if delivery == Delivery::Instant {
            let others = [Dpor::Source, Dpor::SleepSets]
                .map(|it| explore(&mut machine, unit, &[], &limit(it, 4000, 400), Spins::Seen));
            is_right &= others.iter().all(|it| it.0.stop == Stop::Runs || it.1 == found);
        }
        n_ends += found.len();
        if !is_right {
            let lost: Vec<&String> = all.union(&chance).filter(|it| !found.contains(*it)).collect();
            wrong.push(format!("{program}lost {lost:?} of {found:?}\n{optimal:?} {report:?}\n"));
        }
    }
    assert!(n_ends > n_programs && n_whole > n_programs / 2, "{n_ends}, {n_whole}");
    wrong.sort_by_key(String::len);
    let shown = wrong.get(..wrong.len().min(3)).unwrap_or_default().join("\n");
    assert!(wrong.is_empty(), "{} of {n_programs}:\n{shown}", wrong.len());
}

/// Generates a program: a process that starts one or two others; one of them, or the process itself, waits in
/// a loop.
fn program(random: &mut Random, n: usize) -> String {
    let mut text = format!("p{n}() ->\n  Me = self(), T = ets:new(t, [public]),\n");
    let n_children = 1 + random.index(2);
    for child in 1..=n_children {
        let n_steps = 1 + random.index(3 - n_children.min(2));
        let steps: Vec<String> = (0..n_steps).map(|_| step(random, child)).collect();
        text += &format!("  P{child} = spawn(fun() -> {} end),\n", steps.join(", "));
    }
    let own = wait(random, n_children + 1);
    let known: Vec<String> = (1..=n_children).map(|it| format!("_ = P{it}")).collect();
    text +=
        &format!("  {}, R = {own},\n  {{R, lists:sort(ets:tab2list(T))}}.\n\n", known.join(", "));
    text
}

fn step(random: &mut Random, child: usize) -> String {
    let key = random.pick(&["a", "b"]);
    let other =
        if child > 1 { format!("P{}", 1 + random.index(child - 1)) } else { "Me".to_owned() };
    match random.index(9) {
        0..=2 => format!("(catch ets:insert(T, {{{key}, {child}}}))"),
        3 | 4 => format!("{other} ! {key}"),
        5 => format!("Me ! {key}"),
        6 => format!("exit({other}, kill)"),
        7 => format!("(catch register(spins_{key}, self()))"),
        _ => wait(random, child),
    }
}

fn wait(random: &mut Random, child: usize) -> String {
    let key = random.pick(&["a", "b"]);
    let other = random.pick(&["a", "b"]);
    if random.index(4) == 0 {
        // A loop with a finite number of iterations that all differ.
        return format!(
            "(fun F(3, L) -> L; F(N, L) -> receive {key} -> {{N, L}} after 10 -> F(N + 1, [ets:info(T, size) | L]) end end)(0, [])"
        );
    }
    let body = match random.index(9) {
        0 => format!("receive {key} -> {key} after 10 -> F() end"),
        1 => format!("case (catch ets:lookup(T, {key})) of [] -> F(); L -> {{l, L}} end"),
        2 => format!(
            "case (catch ets:member(T, {key})) of false -> receive {other} -> {other} after 5 -> F() end; true -> set; _ -> no end"
        ),
        3 => format!(
            "receive {key} -> {key} after 0 -> receive {other} -> {other} after 10 -> F() end end"
        ),
        4 => {
            format!("case whereis(spins_{key}) of undefined -> timer:sleep(1), F(); _ -> named end")
        }
        5 if child > 1 => {
            "case is_process_alive(P1) of true -> receive after 1 -> F() end; false -> dead end"
                .to_owned()
        }
        6 => "case erlang:process_info(self(), message_queue_len) of {_, 0} -> F(); _ -> mail end"
            .to_owned(),
        7 => format!(
            "begin M = (catch ets:member(T, {key})), N = (catch ets:member(T, {other})), receive X -> {{M, N, X}} after 1 -> case N of true -> {{M, N}}; _ -> F() end end end"
        ),
        _ => format!(
            "case (catch {{ets:member(T, a), ets:member(T, b)}}) of {{false, false}} -> timer:sleep(3), F(); B when is_tuple(B), element(1, B) =/= 'EXIT' -> {{B, receive {key} -> {key} after 0 -> no end}}; _ -> no end"
        ),
    };
    format!("(fun F() -> {body} end)()")
}
