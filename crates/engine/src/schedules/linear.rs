//! Runs that have ended: a linearisation of their steps, and the messages that no receive took.

use crate::schedules::order::{Delivery, Trace};
use trace::{Sent, Take};

impl Trace {
    /// Returns the messages that no receive of the run took.
    pub(super) fn unreceived(&self) -> Vec<Sent> {
        let steps = || self.events.iter().map(|it| &it.step);
        let is_taken = |it: &Sent| {
            let take = Take::Message(it.message);
            steps().any(|it| it.label.take == take)
        };
        steps().flat_map(|it| &it.sent).filter(|it| !is_taken(it)).copied().collect()
    }

    /// Returns the steps in an order in which they can be taken with instant delivery.
    pub(super) fn linear(&self) -> Vec<usize> {
        let n = self.events.len();
        if self.comes.iter().all(|it| it.first < it.second) || self.delivery != Delivery::Instant {
            return (0..n).collect();
        }
        let mut is_done = vec![false; n];
        let mut res = Vec::with_capacity(n);
        while res.len() < n {
            let is_left = |it: usize| !is_done.get(it).copied().unwrap_or(true);
            let is_free = |it: &usize| {
                let waits_for =
                    |other: usize| other != *it && is_left(other) && self.is_before(other, *it);
                is_left(*it) && !(0..n).any(waits_for)
            };
            let is_awaited =
                |it: usize| self.comes.iter().any(|come| come.second == it && is_left(come.first));
            // The end of a process may depend on two messages in another order than the mailbox has; the order of
            // sending counts then.
            let next = (0..n).filter(is_free).find(|it| !is_awaited(*it));
            let Some(next) = next.or_else(|| (0..n).find(is_free)) else { break };
            if let Some(done) = is_done.get_mut(next) {
                *done = true;
            }
            res.push(next);
        }
        debug_assert_eq!(res.len(), n, "what happens before something has no cycle");
        res
    }
}
