//! Draws the steps of a schedule as a message sequence chart.

use ::report::{Chart, Fate, Mail, Row};
use erlang::machine::Staged;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Actor, MessageId, Stage, Step, Take};

/// Returns the chart of these steps.
pub(crate) fn chart(stage: &Staged<'_>, steps: &[Step]) -> Chart {
    let mut actors: Vec<Actor> = Vec::new();
    let mut places: BTreeMap<Actor, usize> = BTreeMap::new();
    for step in steps {
        let all = step.sent.iter().chain(&step.lost).map(|it| it.to);
        let all = step.spawned.iter().copied().chain(all);
        for actor in std::iter::once(step.label.actor).chain(all) {
            places.entry(actor).or_insert_with(|| {
                actors.push(actor);
                actors.len() - 1
            });
        }
    }
    let place = |actor: Actor| places.get(&actor).copied();
    let taken = |it: &Step| if let Take::Message(id) = it.label.take { Some(id) } else { None };
    let taken: BTreeSet<MessageId> = steps.iter().filter_map(taken).collect();
    let is_taken = |id: MessageId| taken.contains(&id);
    let row = |step: &Step| {
        let text = step.text.clone().unwrap_or_default();
        let fate = |id| if is_taken(id) { Fate::Taken } else { Fate::Left };
        let sent = step.sent.iter().zip(text.sent).map(|(sent, text)| {
            let fate = fate(sent.message);
            ((sent, text), fate)
        });
        let lost = step.lost.iter().zip(text.lost).map(|it| (it, Fate::Lost));
        let mail = |((sent, text), fate): ((&trace::Sent, String), Fate)| {
            Some(Mail { to: place(sent.to)?, text, fate })
        };
        Some(Row {
            column: place(step.label.actor)?,
            what: text.what,
            sent: sent.chain(lost).filter_map(mail).collect(),
            started: step.spawned.iter().filter_map(|it| place(*it)).collect(),
        })
    };
    Chart {
        columns: actors.iter().map(|it| stage.name(*it)).collect(),
        rows: steps.iter().filter_map(row).collect(),
    }
}
