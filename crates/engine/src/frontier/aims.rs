//! Flips that may lead to uncovered alternatives in the code under test that runs came by without taking.
//!
//! A question for such an alternative fails when the choices before it rule it out: a list ended too early, or a
//! counter has another value. So the choices before it are flipped, in the runs that came by, the nearest first. Sees
//! sites and counts, never terms.

use crate::frontier::flip::{Flip, MAX_SINGLE_FLIPS};
use crate::frontier::seen::{Goal, Seen, is_pin};
use crate::frontier::source::{Offer, Source, SourceName};
use crate::frontier::tree::{Above, NodeId, Tree};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Aims {
    aims: FxHashMap<Goal, Aim>,
    /// The goals, by how many flips were given out for each.
    order: BTreeSet<(u64, Goal)>,
    /// The goal for which each flip was given out.
    given: FxHashMap<(NodeId, usize), Given>,
    n_walks: u64,
}

#[derive(Debug, Default)]
struct Aim {
    n_turns: u64,
    /// The walks to the goal, by how many flips each gave out, and age.
    walks: BTreeMap<(u64, u64), Walk>,
}

/// A walk from a choice of a run upwards to the root; it proposes the flips on its way.
#[derive(Clone, Copy, Debug)]
struct Walk {
    at: Above,
    /// The depth of the choice below `at`.
    depth: usize,
    /// The least depth at which the walk flips choices; the choices above it belong to the parent's walk.
    floor: usize,
    run: usize,
    /// The run's distance in flips from a run that came by the goal; 0 if it came by itself.
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
struct Given {
    goal: Goal,
    generation: u64,
    depth: usize,
}

/// How many walks a goal has at most: further runs that come by the same goal differ little.
const MAX_WALKS: usize = 24;

/// How many generations of runs that were made for a goal and did not come by it are still followed.
const GENERATIONS: u64 = 3;

impl Aims {
    /// Records that a run reached the choice below `at` while no run has taken the alternative `goal` of it.
    pub(super) fn came_by(&mut self, goal: Goal, at: Above, depth: usize, run: usize) {
        let walk = Walk { at, depth, floor: 0, run, generation: 0 };
        self.add(goal, walk);
    }

    /// Records the run of a flip. If the flip was given out for a goal, the run's own later choices become a walk to
    /// the goal.
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

    /// Takes the next flip for the goal for which the fewest were given out.
    fn take(&mut self, seen: &Seen) -> Option<Flip> {
        while let Some((_, goal)) = self.order.pop_first() {
            if seen.is_covered(goal) {
                self.aims.remove(&goal);
                continue;
            }
            let Some(aim) = self.aims.get_mut(&goal) else { continue };
            let Some(((n_uses, age), mut walk)) = aim.walks.pop_first() else {
                // The goal is added again when the next run comes by.
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
    /// Returns the nearest flip above; `None` if there are no more.
    fn next(&mut self, seen: &Seen) -> Option<Flip> {
        let tree: &Tree = &seen.tree;
        loop {
            let (node, taken) = self.at?;
            let depth = self.depth.checked_sub(1).filter(|it| *it >= self.floor)?;
            let choice = tree.choice(node)?;
            let n = if is_pin(choice) { 0 } else { choice.n_alternatives() };
            let is_open = |it: &usize| *it != taken && !seen.is_done(node, *it);
            if n <= MAX_SINGLE_FLIPS
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
