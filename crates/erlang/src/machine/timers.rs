//! Timers on the virtual clock: time passes only when everyone waits.

use crate::data::{PidId, RefId, Roots, Value};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Timers {
    /// By when they fire, then in the order they were started.
    due: BTreeMap<(u64, u64), Timer>,
    n_started: u64,
}

#[derive(Clone, Debug)]
pub struct Timer {
    pub id: TimerId,
    pub to: TimerTarget,
    pub message: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Name(crate::data::AtomId),
}

impl Timers {
    pub fn start(&mut self, at: u64, timer: Timer) {
        self.n_started += 1;
        self.due.insert((at, self.n_started), timer);
    }

    /// Takes a timer away; when it would have fired.
    pub fn cancel(&mut self, id: TimerId) -> Option<u64> {
        let key = *self.due.iter().find(|it| it.1.id == id)?.0;
        self.due.remove(&key);
        Some(key.0)
    }

    pub fn when(&self, id: TimerId) -> Option<u64> {
        self.due.iter().find(|it| it.1.id == id).map(|it| it.0.0)
    }

    /// The next timer to fire, if it is due by then.
    pub fn take_due(&mut self, by: u64) -> Option<Timer> {
        let first = self.due.first_entry()?;
        (first.key().0 <= by).then(|| first.remove())
    }

    pub fn next_at(&self) -> Option<u64> {
        self.due.first_key_value().map(|it| it.0.0)
    }

    /// Forgets the timers that would have sent something to a process that is gone.
    pub fn drop_for(&mut self, pid: PidId) {
        self.due.retain(|_, it| {
            it.to != TimerTarget::Process(pid) || matches!(it.id, TimerId::Reference(_))
        });
    }
}

impl Roots for Timers {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        for timer in self.due.values_mut() {
            visitor(std::slice::from_mut(&mut timer.message));
        }
    }
}
