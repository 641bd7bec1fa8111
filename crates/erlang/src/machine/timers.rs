//! Timers on the virtual clock: time passes only when everyone waits.

use std::collections::{BTreeMap, BTreeSet};
use values::{AtomId, PidId, RefId, Roots, Value};

#[derive(Clone, Debug, Default)]
pub struct Timers {
    due: BTreeMap<Place, Timer>,
    by_id: BTreeMap<TimerId, Place>,
    /// Timers of `erlang:send_after` and the like whose target is a process.
    by_target: BTreeSet<(PidId, Place)>,
    n_started: u64,
}

/// When a timer fires, then as the how-manieth it was started.
type Place = (u64, u64);

#[derive(Clone, Copy, Debug)]
pub struct Timer {
    pub id: TimerId,
    pub to: TimerTarget,
    pub message: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerId {
    /// The `after` of a process's receive.
    Receive(PidId),
    /// Started by `erlang:send_after` and the like.
    Reference(RefId),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimerTarget {
    Process(PidId),
    /// A registered name, looked up when the timer fires.
    Name(AtomId),
}

impl Timers {
    pub fn start(&mut self, at: u64, timer: Timer) {
        self.n_started += 1;
        let place = (at, self.n_started);
        self.by_id.insert(timer.id, place);
        if let Some(pid) = timer.target_process() {
            self.by_target.insert((pid, place));
        }
        self.due.insert(place, timer);
        debug_assert_eq!(self.due.len(), self.by_id.len(), "every timer has a name of its own");
    }

    /// Takes a timer away; when it would have fired.
    pub fn cancel(&mut self, id: TimerId) -> Option<u64> {
        let place = *self.by_id.get(&id)?;
        self.remove(place);
        Some(place.0)
    }

    pub fn when(&self, id: TimerId) -> Option<u64> {
        self.by_id.get(&id).map(|it| it.0)
    }

    /// The process that a timer sends to, if it is not one with a name.
    pub fn target(&self, id: RefId) -> Option<PidId> {
        let place = self.by_id.get(&TimerId::Reference(id))?;
        self.due.get(place)?.target_process()
    }

    /// The name that a timer sends to.
    pub fn target_name(&self, id: RefId) -> Option<AtomId> {
        let place = self.by_id.get(&TimerId::Reference(id))?;
        match self.due.get(place)?.to {
            TimerTarget::Name(name) => Some(name),
            TimerTarget::Process(_) => None,
        }
    }

    /// The next timer to fire, if it is due by then.
    pub fn take_due(&mut self, by: u64) -> Option<Timer> {
        let place = *self.due.first_key_value()?.0;
        if place.0 <= by { self.remove(place) } else { None }
    }

    pub fn next_at(&self) -> Option<u64> {
        self.due.first_key_value().map(|it| it.0.0)
    }

    /// Timers that programs have started, and when they are due.
    pub fn running(&self) -> Vec<(u64, RefId)> {
        let reference = |(place, timer): (&Place, &Timer)| match timer.id {
            TimerId::Reference(id) => Some((place.0, id)),
            TimerId::Receive(_) => None,
        };
        self.due.iter().filter_map(reference).collect()
    }

    /// What timers will send, and to whom.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (Value, Value)> {
        self.due.values().map(|it| match it.to {
            TimerTarget::Process(pid) => (Value::pid(pid), it.message),
            TimerTarget::Name(name) => (Value::atom(name), it.message),
        })
    }

    /// Takes a timer away to fire it.
    pub fn take(&mut self, id: TimerId) -> Option<Timer> {
        let place = *self.by_id.get(&id)?;
        self.remove(place)
    }

    /// Forgets the timers that would have sent something to a process that is gone.
    pub fn drop_for(&mut self, pid: PidId) {
        self.cancel(TimerId::Receive(pid));
        let first = (pid, (0, 0));
        let last = (pid, (u64::MAX, u64::MAX));
        let places: Vec<Place> = self.by_target.range(first..=last).map(|it| it.1).collect();
        for place in places {
            self.remove(place);
        }
    }

    fn remove(&mut self, place: Place) -> Option<Timer> {
        let timer = self.due.remove(&place)?;
        self.by_id.remove(&timer.id);
        if let Some(pid) = timer.target_process() {
            self.by_target.remove(&(pid, place));
        }
        Some(timer)
    }
}

impl Timer {
    fn target_process(&self) -> Option<PidId> {
        match (self.id, self.to) {
            (TimerId::Reference(_), TimerTarget::Process(pid)) => Some(pid),
            (TimerId::Reference(_), TimerTarget::Name(_)) | (TimerId::Receive(_), _) => None,
        }
    }
}

impl Roots for Timers {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        for timer in self.due.values_mut() {
            visitor(std::slice::from_mut(&mut timer.message));
        }
    }
}
