//! Programs on several nodes: compared with nodes of BEAM, and explored with nodes that go down.

use conformance::{Call, OnNodes, Report, beam_nodes, end_text, machine_on_nodes, our_result};
use engine::{Alone, Dpor, Ended, ScheduleSettings, Stop, explore_schedules};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use term::{Atom, Domain};
use trace::Input;

fn source(dir: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(dir).join("nodes.erl")
}

#[test]
#[expect(clippy::print_stderr, reason = "a comparison that was not made must not go unnoticed")]
fn as_on_nodes_of_beam() {
    let path = source("programs");
    let OnNodes { names, answers } = match beam_nodes(&path) {
        Ok(it) => it,
        Err(why) => {
            eprintln!("skipped: BEAM can't be distributed on this host: {why}");
            return;
        }
    };
    let module = Atom::new("nodes");
    let mut machine = machine_on_nodes(module.clone(), &path, names);
    let mut report = Report::default();
    for (function, theirs) in answers {
        let call = Call { module: module.clone(), function, args: Vec::new() };
        report.compare(&call, &our_result(&mut machine, &call), &theirs);
    }
    assert!(17 <= report.n_cases(), "only {} programs", report.n_cases());
    report.expect_no_difference();
}

/// Returns the ends of all schedules of a program, and the number of runs.
fn ends(
    machine: &mut Machine,
    function: &str,
    dpor: Dpor,
    falls: bool,
) -> (BTreeSet<String>, usize) {
    let mut stage = Staged::new(machine, Atom::new("nodes"), Atom::new(function));
    if falls {
        stage.falling = stage.other_nodes();
    }
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let mut ends = BTreeSet::new();
    let mut see = |ended: &Ended<'_>| {
        ends.insert(end_text(ended));
    };
    let seed = Input { args: Vec::new() };
    let settings = ScheduleSettings { dpor, ..ScheduleSettings::default() };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, &settings, &mut see, &mut |_| None);
    assert_eq!((report.trouble, report.stop), (None, Stop::Exhausted), "{function}");
    (ends, report.n_runs)
}

#[test]
fn programs_whose_nodes_go_down_have_the_expected_ends() {
    let names = vec!["a@h".to_owned(), "b@h".to_owned()];
    let mut machine = machine_on_nodes(Atom::new("nodes"), &source("schedules"), names);
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("watched", &["42"], &["42", "noconnection"]),
        ("unwatched", &["42"], &["42", "deadlock"]),
        ("linked", &["normal"], &["noconnection", "normal"]),
        ("called", &["3"], &["3", "{badrpc,nodedown}"]),
        ("seen", &["{1,1}"], &["{0,0}", "{1,0}", "{1,1}"]),
        ("told", &["up"], &["down", "up"]),
        (
            "both",
            &["[none,none]"],
            &["[a,b]", "[a,none]", "[b,a]", "[b,none]", "[none,a]", "[none,b]", "[none,none]"],
        ),
        ("named", &["noproc", "up"], &["noconnection", "noproc", "up"]),
        ("stored", &["0", "undefined"], &["0", "undefined", "{badrpc,nodedown}"]),
    ];
    let mut wrong = Vec::new();
    for (function, usual, with_falls) in cases {
        for (expect, falls) in [(usual, false), (with_falls, true)] {
            let expect: BTreeSet<String> = expect.iter().map(|it| (*it).to_owned()).collect();
            let (all, n_all) = ends(&mut machine, function, Dpor::SleepSets, falls);
            let (found, n_found) = ends(&mut machine, function, Dpor::Optimal, falls);
            if found != expect || all != expect || n_found > n_all {
                wrong.push(format!(
                    "{function}, nodes fall: {falls}: {found:?} in {n_found} runs, {all:?} in \
                     {n_all}, not {expect:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_nodes_can_go_down_in_either_order() {
    let names = ["a@h", "b@h", "c@h"].map(str::to_owned).to_vec();
    let mut machine = machine_on_nodes(Atom::new("nodes"), &source("schedules"), names);
    let expect = ["{0,0}", "{1,0}", "{1,1}", "{2,0}", "{2,1}", "{2,2}"];
    for dpor in [Dpor::SleepSets, Dpor::Optimal] {
        let (found, _) = ends(&mut machine, "seen", dpor, true);
        assert_eq!(found, expect.map(str::to_owned).into(), "{dpor:?}");
    }
}
