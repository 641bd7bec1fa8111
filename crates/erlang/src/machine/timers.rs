//! Timers on the virtual clock. The clock advances with the work done, and jumps to the next timer when all processes
//! wait.

use std::collections::{BTreeMap, BTreeSet};
use values::{AtomId, PidId, RefId, Roots, Value};

#[derive(Clone, Debug, Default)]
pub struct Timers {
    due: BTreeMap<TimerKey, Timer>,
    by_id: BTreeMap<TimerId, TimerKey>,
    /// Timers with a process as target that were started by `erlang:send_after` and similar functions.
    by_target: BTreeSet<(PidId, TimerKey)>,
    n_started: u64,
}

/// When a timer fires, in nanoseconds, and the ordinal number of its start.
type TimerKey = (u64, u64);

#[derive(Clone, Copy, Debug)]
pub struct Timer {
    pub id: TimerId,
    pub to: TimerTarget,
    pub message: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerId {
    /// The timeout of a process's current receive.
    Receive(PidId),
    /// Started by `erlang:send_after` and similar functions.
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

    /// Removes a timer. Returns when it would have fired.
    pub fn cancel(&mut self, id: TimerId) -> Option<u64> {
        let place = *self.by_id.get(&id)?;
        self.remove(place);
        Some(place.0)
    }

    pub fn when(&self, id: TimerId) -> Option<u64> {
        self.by_id.get(&id).map(|it| it.0)
    }

    /// The process to which a timer sends; `None` if the target is a registered name.
    pub fn target(&self, id: RefId) -> Option<PidId> {
        let place = self.by_id.get(&TimerId::Reference(id))?;
        self.due.get(place)?.target_process()
    }

    /// The registered name to which a timer sends.
    pub fn target_name(&self, id: RefId) -> Option<AtomId> {
        let place = self.by_id.get(&TimerId::Reference(id))?;
        match self.due.get(place)?.to {
            TimerTarget::Name(name) => Some(name),
            TimerTarget::Process(_) => None,
        }
    }

    /// Removes and returns the next timer, if it is due by then.
    pub fn take_due(&mut self, by: u64) -> Option<Timer> {
        let place = *self.due.first_key_value()?.0;
        if place.0 <= by { self.remove(place) } else { None }
    }

    pub fn next_at(&self) -> Option<u64> {
        self.due.first_key_value().map(|it| it.0.0)
    }

    /// The timers that programs have started, with their due times.
    pub fn running(&self) -> Vec<(u64, RefId)> {
        let reference = |(place, timer): (&TimerKey, &Timer)| match timer.id {
            TimerId::Reference(id) => Some((place.0, id)),
            TimerId::Receive(_) => None,
        };
        self.due.iter().filter_map(reference).collect()
    }

    /// The targets and messages of all timers.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (Value, Value)> {
        self.due.values().map(|it| match it.to {
            TimerTarget::Process(pid) => (Value::pid(pid), it.message),
            TimerTarget::Name(name) => (Value::atom(name), it.message),
        })
    }

    /// Removes a timer to fire it.
    pub fn take(&mut self, id: TimerId) -> Option<Timer> {
        let place = *self.by_id.get(&id)?;
        self.remove(place)
    }

    /// Removes the timers whose target is a process that has ended.
    pub fn drop_for(&mut self, pid: PidId) {
        self.cancel(TimerId::Receive(pid));
        let first = (pid, (0, 0));
        let last = (pid, (u64::MAX, u64::MAX));
        let places: Vec<TimerKey> = self.by_target.range(first..=last).map(|it| it.1).collect();
        for place in places {
            self.remove(place);
        }
    }

    fn remove(&mut self, place: TimerKey) -> Option<Timer> {
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
