//! Explores all schedules of a function without arguments, and collects their equivalence classes and ends.

use crate::end_text;
use engine::{Chains, Crew, Ended, Gather, ScheduleReport, ScheduleSettings, Staging};
use erlang::Machine;
use erlang::machine::Staged;
use std::collections::BTreeSet;
use term::{Atom, Domain};
use trace::{Input, Stage};

#[derive(Debug)]
pub struct Classes {
    pub report: ScheduleReport,
    /// The numbers of the classes. Equivalent schedules have the same number.
    pub classes: BTreeSet<u64>,
    pub ends: BTreeSet<String>,
}

impl Classes {
    /// Whether no class was met twice and no run was blocked or diverged.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.report.n_runs == self.classes.len()
            && (self.report.n_blocked, self.report.n_diverged) == (0, 0)
    }
}

#[derive(Default)]
struct Gathered {
    classes: BTreeSet<u64>,
    ends: BTreeSet<String>,
}

impl Gather for Gathered {
    fn see(&mut self, ended: &Ended<'_>) {
        self.classes.extend(ended.class);
        self.ends.insert(end_text(ended));
    }

    fn join(&mut self, later: Gathered) {
        self.classes.extend(later.classes);
        self.ends.extend(later.ends);
    }
}

/// Explores the function.
///
/// # Panics
/// If the search fails.
pub fn classes_of(
    machine: &mut Machine,
    (module, function): (&str, &str),
    settings: &ScheduleSettings,
    crew: Crew,
) -> Classes {
    let mut stage = Staged::new(machine, Atom::new(module), Atom::new(function));
    let oracles = Chains { domain: &Domain::default(), halt: None };
    let seed = Input { args: Vec::new() };
    let on: (&mut dyn Stage, &Staging<'_>) = (&mut stage, &|_| ());
    let (report, Gathered { classes, ends }) =
        crew.explore(on, &oracles, &Gathered::default, &seed, settings, &mut |_| None);
    assert_eq!(report.trouble, None, "{module}:{function}");
    Classes { report, classes, ends }
}
