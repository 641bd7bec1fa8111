//! The run queue: processes of the highest priority run first, processes of equal priority round-robin.
//!
//! As in BEAM's scheduler (`erl_process.c`), a process with priority `low` is skipped seven times out of eight. BEAM
//! runs several schedulers, so a busy process of high priority does not starve the others; this is modelled by two
//! schedulers.

use std::collections::VecDeque;
use values::{AtomId, PidId};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    Max,
    High,
    #[default]
    Normal,
    Low,
}

/// How many times a process of priority `low` comes to the front of the queue before it runs.
const TURNS_OF_LOW: u8 = 8;

impl Priority {
    /// The priority with a name; unknown names mean `normal`.
    pub fn of(name: AtomId) -> Priority {
        match name {
            AtomId::MAX => Priority::Max,
            AtomId::HIGH => Priority::High,
            AtomId::LOW => Priority::Low,
            _ => Priority::Normal,
        }
    }
}

/// How many schedulers take processes from the queue at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedulers {
    One,
    Two,
}

#[derive(Clone, Debug, Default)]
pub struct RunQueue {
    /// Processes that run before all others: they only paused for a service of the machine.
    at_once: VecDeque<PidId>,
    max: VecDeque<PidId>,
    high: VecDeque<PidId>,
    /// Processes of priority `normal` and `low`, each with how often it is still to be skipped.
    normal: VecDeque<(PidId, u8)>,
    /// The process that was taken last. With two schedulers, one still runs it while the other takes the next.
    last: Option<PidId>,
}

impl RunQueue {
    pub fn push(&mut self, pid: PidId, priority: Priority) {
        match priority {
            Priority::Max => self.max.push_back(pid),
            Priority::High => self.high.push_back(pid),
            Priority::Normal => self.normal.push_back((pid, 0)),
            Priority::Low => self.normal.push_back((pid, TURNS_OF_LOW - 1)),
        }
    }

    pub fn push_first(&mut self, pid: PidId) {
        self.at_once.push_front(pid);
    }

    pub fn take(&mut self, schedulers: Schedulers) -> Option<PidId> {
        if let Some(pid) = self.at_once.pop_front() {
            self.last = Some(pid);
            return Some(pid);
        }
        let busy = match schedulers {
            Schedulers::One => None,
            Schedulers::Two => self.last,
        };
        let taken = self.take_urgent(busy);
        let taken = taken.or_else(|| self.take_normal()).or_else(|| self.take_urgent(None));
        self.last = taken;
        taken
    }

    fn take_urgent(&mut self, busy: Option<PidId>) -> Option<PidId> {
        [&mut self.max, &mut self.high].into_iter().find_map(|it| {
            // A process is in the queue only once, so the second entry is another process.
            let place = usize::from(it.front().is_some_and(|it| Some(*it) == busy));
            it.remove(place)
        })
    }

    fn take_normal(&mut self) -> Option<PidId> {
        loop {
            match self.normal.pop_front()? {
                (pid, 0) => return Some(pid),
                (pid, passes) => self.normal.push_back((pid, passes - 1)),
            }
        }
    }

    pub fn remove(&mut self, pid: PidId) {
        self.retain(|it| it != pid);
    }

    pub fn retain(&mut self, keeps: impl Fn(PidId) -> bool) {
        for queue in [&mut self.at_once, &mut self.max, &mut self.high] {
            queue.retain(|it| keeps(*it));
        }
        self.normal.retain(|it| keeps(it.0));
    }

    /// The processes in the order in which they will run, as far as that is known.
    pub fn iter(&self) -> impl Iterator<Item = PidId> {
        let urgent = self.at_once.iter().chain(&self.max).chain(&self.high).copied();
        urgent.chain(self.normal.iter().map(|it| it.0))
    }

    pub fn len(&self) -> usize {
        self.at_once.len() + self.max.len() + self.high.len() + self.normal.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn clear(&mut self) {
        *self = RunQueue::default();
    }
}

#[cfg(test)]
mod tests {
    use super::{Priority, RunQueue, Schedulers};
    use values::PidId;

    /// The order in which processes run that are always runnable.
    fn turns(priorities: &[Priority], schedulers: Schedulers, n: usize) -> Vec<u32> {
        let mut queue = RunQueue::default();
        let of = |pid: PidId| priorities.get(pid.0 as usize).copied().unwrap_or_default();
        (0..).zip(priorities).for_each(|(n, it)| queue.push(PidId(n), *it));
        let mut res = Vec::new();
        for _ in 0..n {
            let Some(pid) = queue.take(schedulers) else { break };
            res.push(pid.0);
            queue.push(pid, of(pid));
        }
        res
    }

    #[test]
    fn the_highest_runs_first() {
        let all = [Priority::Normal, Priority::High, Priority::Max, Priority::High];
        assert_eq!(turns(&all, Schedulers::One, 3), [2, 2, 2]);
        assert_eq!(turns(&all, Schedulers::Two, 4), [2, 1, 2, 3]);
        let two = [Priority::Normal, Priority::High, Priority::Normal];
        assert_eq!(turns(&two, Schedulers::Two, 6), [1, 0, 1, 2, 1, 0]);
    }

    #[test]
    fn equals_take_turns() {
        let all = [Priority::Normal; 3];
        assert_eq!(turns(&all, Schedulers::One, 5), [0, 1, 2, 0, 1]);
        assert_eq!(turns(&all, Schedulers::Two, 5), [0, 1, 2, 0, 1]);
        assert_eq!(turns(&[Priority::High; 2], Schedulers::Two, 4), [0, 1, 0, 1]);
    }

    #[test]
    fn the_low_run_every_eighth_time() {
        let turns = turns(&[Priority::Normal, Priority::Low], Schedulers::One, 90);
        assert_eq!(turns.iter().filter(|it| **it == 1).count(), 10);
        let alone = [Priority::Low];
        assert_eq!(super::tests::turns(&alone, Schedulers::One, 3), [0, 0, 0]);
    }
}
