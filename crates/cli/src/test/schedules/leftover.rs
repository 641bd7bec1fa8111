//! Messages that nobody received although the run ended well, for information.

use engine::{Ended, Followed, follow, step_name};
use erlang::machine::Staged;
use std::collections::BTreeMap;
use trace::{Actor, Input, Label, MessageId, Outcome, Stage};

/// A message that lies in a mailbox to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreceived {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) message: String,
    /// In a call with this input, and in so many runs.
    pub(crate) input: Input,
    pub(crate) n_runs: usize,
}

/// Messages that are told of; a program that leaves more behind does not read any.
const MAX_TOLD: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Leftovers {
    found: BTreeMap<(Actor, MessageId), Leftover>,
}

/// The first run that left a message.
#[derive(Debug)]
struct Leftover {
    n_runs: usize,
    input: Input,
    schedule: Vec<Label>,
}

impl Leftovers {
    /// What a failure leaves behind is no news.
    pub(super) fn see(&mut self, ended: &Ended<'_>) {
        let Ended { input, schedule, unreceived, performed, .. } = ended;
        if !matches!(performed.outcome, Outcome::Value(_)) || !performed.crashes.is_empty() {
            return;
        }
        for sent in *unreceived {
            let key = (sent.to, sent.message);
            if let Some(known) = self.found.get_mut(&key) {
                known.n_runs += 1;
            } else if self.found.len() < MAX_TOLD {
                let (input, schedule) = ((*input).clone(), schedule.to_vec());
                self.found.insert(key, Leftover { n_runs: 1, input, schedule });
            }
        }
    }

    /// Takes the steps once more to read the messages.
    pub(super) fn tell(self, stage: &mut Staged<'_>) -> Vec<Unreceived> {
        let told = |((to, message), left): ((Actor, MessageId), Leftover)| {
            let Leftover { n_runs, input, schedule } = left;
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
        self.found.into_iter().filter_map(told).collect()
    }
}
