//! Probabilistic concurrency testing [Burckhardt et al. 2010]: the enabled actor with the highest priority takes the
//! next step. Priorities are random, and at a few random steps the actor that would be next gets the lowest priority.

use crate::schedules::turns::scramble;
use rustc_hash::FxHashMap;
use trace::{Actor, Label};

/// The state of a sequence of runs with random priorities.
#[derive(Debug, Default)]
pub(super) struct Walk {
    random: u64,
    /// The number of steps of the longest run so far.
    n_longest: usize,
    /// The priorities in the current run.
    priorities: Priorities,
}

impl Walk {
    pub(super) fn new(seed: u64) -> Walk {
        Walk { random: seed, ..Walk::default() }
    }

    /// Returns the actor to take the next step, of those with an enabled step in `labels`. Step 0 begins a new run.
    pub(super) fn choose(&mut self, depth: usize, step: usize, labels: &[Label]) -> Option<Actor> {
        if step == 0 {
            self.random = scramble(self.random.wrapping_add(1));
            self.priorities = Priorities::new(self.random, depth, self.n_longest);
        }
        self.n_longest = self.n_longest.max(step + 1);
        let mut actors: Vec<Actor> = labels.iter().map(|it| it.actor).collect();
        actors.dedup();
        self.priorities.choose(step, &actors)
    }
}

/// The priorities of the actors in one run.
#[derive(Debug, Default)]
struct Priorities {
    of: FxHashMap<Actor, u64>,
    /// The steps before which the priority of the next actor is lowered.
    changes: Vec<usize>,
    random: u64,
}

impl Priorities {
    /// Makes random priorities for a run of about `n_steps` steps, with `depth - 1` changes.
    fn new(seed: u64, depth: usize, n_steps: usize) -> Priorities {
        let mut res = Priorities { random: seed, ..Priorities::default() };
        let most = u64::try_from(n_steps.max(1)).unwrap_or(1);
        for _ in 1..depth {
            let step = res.next() % most;
            res.changes.push(usize::try_from(step).unwrap_or(0));
        }
        res
    }

    /// Returns which of these actors takes the step.
    fn choose(&mut self, step: usize, actors: &[Actor]) -> Option<Actor> {
        let n_changes = self.changes.iter().filter(|it| **it == step).count();
        for _ in 0..n_changes {
            let first = self.first(actors)?;
            let place = self.changes.iter().filter(|it| **it <= step).count();
            // Lower than all initial priorities, and the lower the later the change.
            self.of.insert(first, u64::try_from(self.changes.len() - place).unwrap_or(0));
        }
        self.first(actors)
    }

    fn first(&mut self, actors: &[Actor]) -> Option<Actor> {
        for actor in actors {
            if !self.of.contains_key(actor) {
                let priority = self.next() | 1 << 63;
                self.of.insert(*actor, priority);
            }
        }
        actors.iter().copied().max_by_key(|it| self.of.get(it).copied())
    }

    fn next(&mut self) -> u64 {
        self.random = scramble(self.random.wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the orders that `n_runs` runs of two actors with four steps each take.
    fn orders(depth: usize, n_runs: u64) -> std::collections::BTreeSet<Vec<u32>> {
        let run = |seed| {
            let mut priorities = Priorities::new(scramble(seed), depth, 8);
            let (mut left, mut order) = ([4, 4], Vec::new());
            while order.len() < 8 {
                let there: Vec<Actor> =
                    [0, 1].into_iter().filter(|it| left[*it as usize] > 0).map(Actor).collect();
                let actor = priorities.choose(order.len(), &there).expect("an actor");
                left[actor.0 as usize] -= 1;
                order.push(actor.0);
            }
            order
        };
        (0..n_runs).map(run).collect()
    }

    #[test]
    fn without_changes_an_actor_goes_on_until_it_is_over() {
        let expected = [vec![0, 0, 0, 0, 1, 1, 1, 1], vec![1, 1, 1, 1, 0, 0, 0, 0]];
        assert_eq!(orders(1, 50), expected.into_iter().collect());
    }

    #[test]
    fn each_change_is_one_more_preemption() {
        let n_switches = |it: &Vec<u32>| it.windows(2).filter(|it| it[0] != it[1]).count();
        let found = orders(2, 200);
        assert!(found.iter().all(|it| n_switches(it) <= 2), "{found:?}");
        assert!(found.contains(&vec![0, 1, 1, 1, 1, 0, 0, 0]), "{found:?}");
        assert!(orders(3, 200).len() > found.len());
    }
}
