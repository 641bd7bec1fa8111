//! Flips of runs that found something new, asked once more from their inputs.
//!
//! A flip is asked of the run that came to its choice first, and what the answer leaves open stays
//! as it was there. From a later run with the same beginning it leads elsewhere: a list that holds
//! the right items so far gets one more. Sees sites and counts, never terms.

use crate::frontier::flip::Flip;
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use crate::frontier::tree::NodeId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

#[derive(Debug, Default)]
pub(super) struct Again {
    /// One for each run that found something new.
    families: Vec<Family>,
    /// Those with flips, by how many they gave; of equals, the last.
    order: BTreeSet<(usize, usize)>,
    given: FxHashMap<(NodeId, usize, usize), Given>,
}

#[derive(Debug, Default)]
struct Family {
    n_given: usize,
    /// By how many flips lie between it and the run that made the family.
    flips: [VecDeque<Flip>; GENERATIONS],
}

#[derive(Clone, Copy, Debug)]
struct Given {
    family: usize,
    generation: usize,
}

/// So many flips in a row are tried without news.
const GENERATIONS: usize = 3;

/// So much is made of one run.
const MAX_GIVEN: usize = 200;

impl Again {
    /// A run found something new; these are its flips.
    pub(super) fn found(&mut self, flips: Vec<Flip>) {
        self.families.push(Family::default());
        self.add(self.families.len() - 1, 0, flips);
    }

    /// Whether the run that was made of this flip may lead on by its own flips.
    pub(super) fn leads_on(&self, flip: &Flip) -> bool {
        let given = self.given.get(&(flip.node, flip.alternative, flip.run));
        given.is_some_and(|it| it.generation + 1 < GENERATIONS)
    }

    /// The run that was made of the flip found nothing new; these are its flips from there on.
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

    /// The next flip of the run of which least was made.
    fn take(&mut self, seen: &Seen) -> Option<Flip> {
        while let Some((n_given, place)) = self.order.pop_first() {
            let family = usize::MAX - place;
            let Some(of) = self.families.get_mut(family) else { continue };
            let Some((generation, flip)) = of.next() else { continue };
            // It lies too deep, or was asked and nothing takes it.
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
    /// All generations take turns: what was flipped last is pursued, and nothing waits for long.
    fn next(&mut self) -> Option<(usize, Flip)> {
        let generations = (0..GENERATIONS).map(|it| (it + self.n_given) % GENERATIONS);
        let waiting = |it: &usize| self.flips.get(*it).is_some_and(|it| !it.is_empty());
        let generation = generations.into_iter().find(waiting)?;
        Some((generation, self.flips.get_mut(generation)?.pop_front()?))
    }
}
