//! Signals with delays: those from one process to another arrive in the order of sending, in order with its
//! messages, but possibly after actions of other processes.

use conformance::{end_text, machine_with};
use engine::explore_schedules;
use engine::{Alone, Delivery, Dpor, Ended, ScheduleReport, ScheduleSettings, Stop};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::path::Path;
use term::{Atom, Domain};
use trace::Input;

fn explore(
    machine: &mut Machine,
    function: &str,
    settings: &ScheduleSettings,
) -> (ScheduleReport, BTreeSet<String>, bool) {
    let mut stage = Staged::new(machine, Atom::new("signals"), Atom::new(function));
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let seed = Input { args: Vec::new() };
    let (mut ends, mut are_prompt) = (BTreeSet::new(), false);
    let mut see = |ended: &Ended<'_>| {
        ends.insert(end_text(ended));
        are_prompt |= ended.performed.has_prompt_signals;
    };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, settings, &mut see, &mut |_| None);
    assert_eq!(report.trouble, None, "{function}");
    (report, ends, are_prompt)
}

/// The possible ends of a program: with immediate signals, with only signals delayed, and with messages
/// delayed as well, in causal order or in order per pair of processes.
#[test]
fn delayed_signals_have_the_expected_ends() {
    type Ends = &'static [&'static str];
    const SAME: Ends = &[];
    let cases: &[(&str, Ends, Ends, Ends, Ends)] = &[
        (
            "written_after_the_kill",
            &["true"],
            &["false", "false crash error:badarg", "true", "true crash error:badarg"],
            SAME,
            SAME,
        ),
        ("signal_then_message", &["boom"], SAME, SAME, SAME),
        ("trapped_then_message", &["one"], SAME, SAME, SAME),
        ("two_signals", &["{one,two}"], SAME, SAME, SAME),
        ("asked_after_the_kill", &["false"], SAME, SAME, SAME),
        ("watched_after_the_kill", &["killed", "noproc"], &["noproc"], SAME, SAME),
        ("told_by_another", &["killed"], SAME, SAME, &["killed", "normal"]),
        (
            "linked_and_late",
            &[
                "{bad,false} crash exit:bad",
                "{bad,true} crash exit:bad",
                "{normal,true} crash exit:bad",
            ],
            SAME,
            SAME,
            SAME,
        ),
        ("unlinked_in_time", &["bad", "nothing", "nothing crash exit:bad"], SAME, SAME, SAME),
        ("message_then_signal", &["boom", "{boom,hello}", "{normal,hello}"], SAME, SAME, SAME),
    ];
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schedules/signals.erl");
    let mut machine = machine_with(Atom::new("signals"), &file);
    let mut wrong = Vec::new();
    for (function, at_once, delayed, causal, free) in cases {
        let mut expect = *at_once;
        for (what, delivery, delays_signals, ends) in [
            ("at once", Delivery::Instant, false, at_once),
            ("delayed", Delivery::Instant, true, delayed),
            ("causal", Delivery::Causal, false, causal),
            ("free", Delivery::Free, false, free),
        ] {
            expect = if ends.is_empty() { expect } else { ends };
            let expect: BTreeSet<String> = expect.iter().map(|it| (*it).to_owned()).collect();
            let with = |dpor| {
                let max_runs = (dpor == Dpor::All).then_some(40_000);
                let settings = ScheduleSettings {
                    dpor,
                    delivery,
                    delays_signals,
                    ..ScheduleSettings::default()
                };
                ScheduleSettings { counts_classes: true, max_runs, ..settings }
            };
            let (found, ends, are_prompt) = explore(&mut machine, function, &with(Dpor::Optimal));
            let (all, all_ends, _) = explore(&mut machine, function, &with(Dpor::All));
            let is_whole = all.stop == Stop::Exhausted;
            let is_right = ends == expect
                && (found.n_runs, found.n_blocked) == (found.n_classes, 0)
                && found.stop == Stop::Exhausted
                && are_prompt == (what == "at once")
                && (!is_whole || (all.n_classes, &all_ends) == (found.n_runs, &ends));
            if !is_right {
                wrong.push(format!(
                    "{function}, {what}: {ends:?} of {all_ends:?}\n{found:?}\n{all:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
