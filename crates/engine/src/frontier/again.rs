//! Flips of runs with news, asked once more with these runs' inputs as hints.
//!
//! A flip is first asked with the input of the run that met its choice first, and the solver leaves everything else in
//! that input as it was. With the input of a later run that shares the beginning of the path, the same flip leads
//! elsewhere: a list that holds the right items so far gets one more, for example. Sees sites and counts, never terms.

use crate::frontier::flip::Flip;
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use crate::frontier::tree::NodeId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

#[derive(Debug, Default)]
pub(super) struct Again {
    /// One family for each run with news.
    families: Vec<Family>,
    /// The families that have flips left, by how many they gave out; among equals the youngest comes first. An
    /// entry is the number of flips and `usize::MAX` minus the index of the family.
    order: BTreeSet<(usize, usize)>,
    given: FxHashMap<(NodeId, usize, usize), Given>,
}

#[derive(Debug, Default)]
struct Family {
    n_given: usize,
    /// The flips of each generation: index 0 has those of the run with news, index n those of its descendants n flips
    /// later.
    flips: [VecDeque<Flip>; GENERATIONS],
}

#[derive(Clone, Copy, Debug)]
struct Given {
    family: usize,
    generation: usize,
}

/// How many flips in a row without news are followed.
const GENERATIONS: usize = 3;

/// How many flips of one family are given out.
const MAX_GIVEN: usize = 200;

impl Again {
    /// Starts a family for a run with news, with these flips.
    pub(super) fn found(&mut self, flips: Vec<Flip>) {
        self.families.push(Family::default());
        self.add(self.families.len() - 1, 0, flips);
    }

    /// Whether the flips of the run made for this flip are still within the generations to follow.
    pub(super) fn leads_on(&self, flip: &Flip) -> bool {
        let given = self.given.get(&(flip.node, flip.alternative, flip.run));
        given.is_some_and(|it| it.generation + 1 < GENERATIONS)
    }

    /// Adds the later flips of the run made for `flip`, which had no news, to the flip's family.
    pub(super) fn go_on(&mut self, flip: &Flip, flips: Vec<Flip>) {
        let given = self.given.remove(&(flip.node, flip.alternative, flip.run));
        if let Some(Given { family, generation }) = given {
            self.add(family, generation + 1, flips);
        }
    }

    fn add(&mut self, family: usize, generation: usize, flips: Vec<Flip>) {
        let Some(of) = self.families.get_mut(family) else { return };
        let Some(waiting) = of.flips.get_mut(generation) else { return };
        waiting.extend(flips);
        if of.n_given < MAX_GIVEN {
            self.order.insert((of.n_given, usize::MAX - family));
        }
    }

    /// Takes the next flip of the family that gave out the fewest.
    fn take(&mut self, seen: &Seen) -> Option<Flip> {
        while let Some((n_given, place)) = self.order.pop_first() {
            let family = usize::MAX - place;
            let Some(of) = self.families.get_mut(family) else { continue };
            let Some((generation, flip)) = of.next() else { continue };
            // The flip lies too deep, or it was asked before and no input takes it.
            let is_taken = seen.tree.is_taken(flip.node, flip.alternative);
            let is_refused = seen.is_asked(flip.node, flip.alternative) && !is_taken;
            if seen.reach <= flip.depth || is_refused {
                self.order.insert((n_given, place));
                continue;
            }
            of.n_given += 1;
            if of.n_given < MAX_GIVEN {
                self.order.insert((of.n_given, place));
            }
            let given = Given { family, generation };
            self.given.insert((flip.node, flip.alternative, flip.run), given);
            return Some(flip);
        }
        None
    }
}

impl Source for Again {
    fn offer(&mut self, seen: &Seen) -> Option<Offer> {
        self.take(seen).map(Offer::of)
    }
}

impl Family {
    /// Takes the next flip of the family. Its generations take turns, so that the latest is pursued and no older one is
    /// starved.
    fn next(&mut self) -> Option<(usize, Flip)> {
        let generations = (0..GENERATIONS).map(|it| (it + self.n_given) % GENERATIONS);
        let waiting = |it: &usize| self.flips.get(*it).is_some_and(|it| !it.is_empty());
        let generation = generations.into_iter().find(waiting)?;
        Some((generation, self.flips.get_mut(generation)?.pop_front()?))
    }
}
