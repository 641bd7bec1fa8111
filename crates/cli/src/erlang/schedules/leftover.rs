//! Messages that no process received although the run ended well. They are reported for information.

use engine::{Ended, Followed, follow, step_name};
use erlang::machine::Staged;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use trace::{Actor, Input, Label, MessageId, Outcome, Stage};

/// A message that was still in a mailbox at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unreceived {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) message: String,
    /// The input of the call, and the number of runs.
    pub(crate) input: Input,
    pub(crate) n_runs: usize,
}

/// The maximum number of messages that are reported; a program that leaves more behind reads none at all.
const MAX_TOLD: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Leftovers {
    found: BTreeMap<(Actor, MessageId), Leftover>,
}

/// The first run that left a message.
#[derive(Debug)]
struct Leftover {
    /// The rank in the order of discovery.
    nth: usize,
    n_runs: usize,
    input: Input,
    schedule: Vec<Label>,
}

impl Leftovers {
    /// Adds the messages of a run, unless it failed.
    pub(super) fn see(&mut self, ended: &Ended<'_>) {
        let Ended { input, schedule, unreceived, performed, .. } = ended;
        if !matches!(performed.outcome, Outcome::Value(_)) || !performed.crashes.is_empty() {
            return;
        }
        for sent in *unreceived {
            let key = (sent.to, sent.message);
            if let Some(known) = self.found.get_mut(&key) {
                known.n_runs += 1;
            } else {
                let (input, schedule) = ((*input).clone(), schedule.to_vec());
                let nth = self.found.len();
                self.found.insert(key, Leftover { nth, n_runs: 1, input, schedule });
            }
        }
    }

    /// Adds the messages of later runs.
    pub(super) fn join(&mut self, later: Leftovers) {
        let n_before = self.found.len();
        for (key, mut left) in later.found {
            left.nth += n_before;
            match self.found.entry(key) {
                Entry::Occupied(mut known) => known.get_mut().n_runs += left.n_runs,
                Entry::Vacant(place) => {
                    place.insert(left);
                }
            }
        }
    }

    /// Repeats the runs to read the texts of the messages.
    pub(super) fn tell(self, stage: &mut Staged<'_>) -> Vec<Unreceived> {
        let told = |((to, message), left): ((Actor, MessageId), Leftover)| {
            let Leftover { n_runs, input, schedule, .. } = left;
            stage.falling = stage.falls_in(&schedule);
            let names: Vec<String> = schedule.iter().map(|it| step_name(stage, *it)).collect();
            let Followed { steps, .. } = follow(stage, &input, &names).ok()?;
            let text = steps.iter().find_map(|step| {
                let place = step.sent.iter().position(|it| it.message == message)?;
                step.text.as_ref()?.sent.get(place).cloned()
            })?;
            let (from, to) = (stage.name(message.from), stage.name(to));
            Some(Unreceived { from, to, message: text, input, n_runs })
        };
        let mut first: Vec<usize> = self.found.values().map(|it| it.nth).collect();
        first.sort_unstable();
        let end = first.get(MAX_TOLD).copied().unwrap_or(usize::MAX);
        self.found.into_iter().filter(|it| it.1.nth < end).filter_map(told).collect()
    }
}
