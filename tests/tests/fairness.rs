//! Fairness between inputs and schedules: an input with tens of thousands of schedules does not delay other
//! inputs.

use conformance::{end_text, machine_with};
use engine::{Chains, Crew, Dpor, Ended, Gather, ScheduleSettings, Staging};
use erlang::machine::Staged;
use std::collections::BTreeSet;
use std::path::Path;
use term::{Atom, Domain, Term};
use trace::{Input, Stage};

#[derive(Default)]
struct Ends(BTreeSet<String>);

impl Gather for Ends {
    fn see(&mut self, ended: &Ended<'_>) {
        let args: Vec<String> = ended.input.args.iter().map(|it| format!("{it:?}")).collect();
        self.0.insert(format!("{} {}", args.join(", "), end_text(ended)));
    }

    fn join(&mut self, later: Ends) {
        self.0.extend(later.0);
    }
}

/// Whether a search with this number of runs finds an end with this input and this text.
fn finds(function: &str, dpor: Dpor, runs: usize, input: i64, text: &str) -> bool {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schedules/inputs.erl");
    let mut machine = machine_with(Atom::new("inputs"), &file);
    let mut stage = Staged::new(&mut machine, Atom::new("inputs"), Atom::new(function));
    stage.is_recorded = true;
    let settings =
        ScheduleSettings { dpor, max_runs: Some(runs), seed: 1, ..ScheduleSettings::default() };
    let oracles = Chains { domain: &Domain::default(), halt: None };
    let seed = Input { args: vec![Term::Int(0)] };
    let on: (&mut dyn Stage, &Staging<'_>) = (&mut stage, &|_| ());
    let crew = Crew::new(0, 0);
    let (report, found) =
        crew.explore(on, &oracles, &Ends::default, &seed, &settings, &mut |_| None);
    assert_eq!(report.trouble, None);
    let input = format!("{:?}", Term::Int(input));
    found.0.iter().any(|it| it.starts_with(&input) && it.contains(text))
}

#[test]
fn an_input_that_always_fails_is_met_before_the_schedules_of_another() {
    assert!(finds("crashes", Dpor::Optimal, 200, 42, "boom"));
    assert!(finds("crashes", Dpor::Source, 200, 42, "boom"));
}

#[test]
fn an_input_that_fails_in_some_schedules_has_its_share() {
    assert!(finds("races", Dpor::Optimal, 400, 77, "lost"));
}

#[test]
fn random_runs_take_other_inputs_too() {
    assert!(finds("races", Dpor::Random, 400, 77, "lost"));
    assert!(finds("races", Dpor::Pct { depth: 3 }, 400, 77, "lost"));
}
