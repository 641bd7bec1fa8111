//! The classes of equivalent runs (Mazurkiewicz traces).

use crate::schedules::cells::Gates;
use crate::schedules::doing::Doing;
use crate::schedules::order::{Trace, set};
use rustc_hash::{FxHashMap, FxHasher};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::mem::Discriminant;
use std::ops::Range;
use trace::{Actor, Performed, Stage, Take};

/// Whether runs are in different classes if messages came to one mailbox in different orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mail {
    Ordered,
    Free,
}

/// Returns a hash of a run's class: its steps with their partial order, and the choices made in each step.
pub(super) fn class_of(trace: &Trace, performed: &Performed, stage: &dyn Stage, mail: Mail) -> u64 {
    let mut hasher = FxHasher::default();
    class(trace, &|it| stage.name(it), mail).hash(&mut hasher);
    let choices = |it: Range<usize>| performed.choices.get(it).unwrap_or_default().iter();
    let first = trace.events.first().map_or(performed.choices.len(), |it| it.step.choices.start);
    let mut events: Vec<usize> = (0..trace.len()).collect();
    events.sort_by_key(|it| trace.place_of(*it));
    let steps = events.into_iter().filter_map(|it| trace.events.get(it));
    let chosen = steps.flat_map(|it| choices(it.step.choices.clone()));
    choices(0..first).chain(chosen).for_each(|it| (it.site, it.taken).hash(&mut hasher));
    hasher.finish()
}

/// A step of an actor in a class: what it takes, and its vector clock.
#[derive(Debug, Hash)]
struct Done {
    what: Discriminant<Take>,
    take: Option<(Option<usize>, u32)>,
    clock: Vec<u32>,
}

/// Returns the canonical form of a run's class, which equivalent runs share and others do not: the steps of each actor,
/// by the actor's name.
fn class(trace: &Trace, name: &dyn Fn(Actor) -> String, mail: Mail) -> Vec<(String, Vec<Done>)> {
    // Some actors were met in earlier runs only.
    let has_steps = |it: &(&Actor, &usize)| trace.last.get(*it.1).is_some_and(Option::is_some);
    let actors = trace.actors.iter().filter(has_steps);
    let names: BTreeMap<String, usize> = actors.map(|it| (name(*it.0), *it.1)).collect();
    let ranks: FxHashMap<usize, usize> = names.values().copied().zip(0..).collect();
    let rank = |actor: usize| ranks.get(&actor).copied().unwrap_or(usize::MAX);
    let mut res: Vec<(String, Vec<Done>)> = names.into_keys().map(|it| (it, Vec::new())).collect();
    let doings: Vec<Cow<'_, Doing>> = match mail {
        Mail::Ordered => trace.events.iter().map(|it| Cow::Borrowed(&*it.doing)).collect(),
        Mail::Free => trace.events.iter().map(|it| it.doing.without_mail_order()).collect(),
    };
    // The clocks of the trace include orders that only the cell imposes, so they are computed anew.
    let mut clocks: Vec<Vec<u32>> = Vec::with_capacity(trace.events.len());
    for (event, doing) in trace.events.iter().zip(&doings) {
        let mut clock = vec![0; res.len()];
        let causes =
            doings.iter().zip(&clocks).filter(|it| doing.depends_by(it.0, Gates::default()));
        for (_, cause) in causes {
            clock.iter_mut().zip(cause).for_each(|(own, n)| *own = (*own).max(*n));
        }
        set(&mut clock, rank(event.actor), event.nth + 1);
        let take = match event.step.label.take {
            Take::Message(id) => Some((trace.actors.get(&id.from).map(|it| rank(*it)), id.n)),
            Take::Next | Take::Timeout | Take::Lost => None,
        };
        let what = std::mem::discriminant(&event.step.label.take);
        if let Some((_, steps)) = res.get_mut(rank(event.actor)) {
            steps.push(Done { what, take, clock: clock.clone() });
        }
        clocks.push(clock);
    }
    res
}
