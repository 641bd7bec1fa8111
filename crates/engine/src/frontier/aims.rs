//! Flips that may lead to alternatives in the code under test that no run has taken though some came by.
//!
//! A question for such an alternative fails when the choices before it rule it out: a list was found
//! to end too early, a counter has another value. So the choices of runs that came by are taken the
//! other way, the nearest first. Sees sites and counts, never terms.

use crate::frontier::flip::{FEW, Flip};
use crate::frontier::seen::{Goal, Seen, is_pin};
use crate::frontier::source::{Offer, Source, SourceName};
use crate::frontier::tree::{Above, NodeId, Tree};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Aims {
    aims: FxHashMap<Goal, Aim>,
    /// By how often each was worked on.
    order: BTreeSet<(u64, Goal)>,
    /// For which goal a flip was given out.
    given: FxHashMap<(NodeId, usize), Given>,
    n_walks: u64,
}

#[derive(Debug, Default)]
struct Aim {
    n_turns: u64,
    /// By how often each was used.
    walks: BTreeMap<(u64, u64), Walk>,
}

/// From a choice of a run upwards.
#[derive(Clone, Copy, Debug)]
struct Walk {
    at: Above,
    /// The depth of the choice below.
    depth: usize,
    /// The first depth that is no longer this run's own.
    floor: usize,
    run: usize,
    /// How many flips ago a run came by.
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
struct Given {
    goal: Goal,
    generation: u64,
    depth: usize,
}

/// Runs that came by the same goal differ little from some number on.
const MAX_WALKS: usize = 24;

/// A run that was made for a goal and did not come by may still do so after so many more flips.
const GENERATIONS: u64 = 3;

impl Aims {
    /// A run came to the choice below `at` and did not take this alternative, nor did any other.
    pub(super) fn came_by(&mut self, goal: Goal, at: Above, depth: usize, run: usize) {
        let walk = Walk { at, depth, floor: 0, run, generation: 0 };
        self.add(goal, walk);
    }

    /// A flip that was given out for a goal has been run; it came by only if `came_by` says so.
    pub(super) fn was_run(
        &mut self,
        flip: (NodeId, usize),
        last: Above,
        n_choices: usize,
        run: usize,
    ) {
        let Some(Given { goal, generation, depth }) = self.given.remove(&flip) else { return };
        if generation < GENERATIONS {
            let generation = generation + 1;
            let walk = Walk { at: last, depth: n_choices, floor: depth + 1, run, generation };
            self.add(goal, walk);
        }
    }

    fn add(&mut self, goal: Goal, walk: Walk) {
        let aim = self.aims.entry(goal).or_insert_with(|| {
            self.order.insert((0, goal));
            Aim::default()
        });
        if aim.walks.len() < MAX_WALKS {
            self.n_walks += 1;
            aim.walks.insert((walk.generation, self.n_walks), walk);
        }
    }

    /// The next flip for the goal that was worked on least.
    fn take(&mut self, seen: &Seen) -> Option<Flip> {
        while let Some((_, goal)) = self.order.pop_first() {
            if seen.is_covered(goal) {
                self.aims.remove(&goal);
                continue;
            }
            let Some(aim) = self.aims.get_mut(&goal) else { continue };
            let Some(((n_uses, age), mut walk)) = aim.walks.pop_first() else {
                // It comes back with the next run that comes by.
                self.aims.remove(&goal);
                continue;
            };
            aim.n_turns += 1;
            self.order.insert((aim.n_turns, goal));
            if let Some(flip) = walk.next(seen) {
                let given = Given { goal, generation: walk.generation, depth: flip.depth };
                aim.walks.insert((n_uses + 1, age), walk);
                self.given.insert((flip.node, flip.alternative), given);
                return Some(flip);
            }
        }
        None
    }
}

impl Source for Aims {
    fn offer(&mut self, seen: &Seen) -> Option<Offer> {
        self.take(seen).filter(|it| it.depth < seen.reach).map(Offer::of)
    }
}

impl Walk {
    /// The nearest flip above; `None`: there are no more.
    fn next(&mut self, seen: &Seen) -> Option<Flip> {
        let tree: &Tree = &seen.tree;
        loop {
            let (node, taken) = self.at?;
            let depth = self.depth.checked_sub(1).filter(|it| *it >= self.floor)?;
            let choice = tree.choice(node)?;
            let n = if is_pin(choice) { 0 } else { choice.n_alternatives() };
            let is_open = |it: &usize| *it != taken && !seen.is_done(node, *it);
            if n <= FEW
                && let Some(alternative) = (0..n).find(is_open)
            {
                let (site, run, source) = (choice.site, self.run, SourceName::Towards);
                return Some(Flip { node, alternative, site, depth, run, source });
            }
            self.at = tree.above(node);
            self.depth = depth;
        }
    }
}
