//! Flips ordered by how seldom runs took their alternative after the same sequence of last clauses (the trail).
//!
//! A program whose states are numbers and lists computed by itself shows no new choice when it comes to a new state; a
//! rare sequence of clauses is the best available sign of one. Sees sites and counts, never terms.

use crate::frontier::flip::Flip;
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use trace::Choice;

#[derive(Debug, Default)]
pub(super) struct Rare {
    /// How often an alternative was taken after a trail, by the hash of both.
    n_taken: FxHashMap<u64, u64>,
    /// The flips and the hashes of their trail and alternative, by the count at the time they were queued, and age.
    flips: BTreeMap<(u64, u64), (Flip, u64)>,
    n_flips: u64,
}

impl Rare {
    /// Counts a choice of a run that follows the trail.
    pub(super) fn count(&mut self, choice: &Choice, trail: u64) {
        let like = hash(&(trail, choice.site, choice.taken));
        *self.n_taken.entry(like).or_default() += 1;
    }

    /// Adds a flip of a choice that follows the trail.
    pub(super) fn add(&mut self, flip: Flip, trail: u64) {
        let like = hash(&(trail, flip.site, flip.alternative));
        self.insert(flip, like);
    }

    fn take(&mut self, seen: &Seen) -> Option<Flip> {
        while let Some(((n_taken, _), (flip, like))) = self.flips.pop_first() {
            if seen.is_done(flip.node, flip.alternative) {
                continue;
            }
            if n_taken < self.n_taken(like) {
                self.insert(flip, like);
                continue;
            }
            // The flip counts as taken, whatever its run does, so that flips with the same trail wait their turn.
            *self.n_taken.entry(like).or_default() += 1;
            return Some(flip);
        }
        None
    }

    fn insert(&mut self, flip: Flip, like: u64) {
        self.n_flips += 1;
        self.flips.insert((self.n_taken(like), self.n_flips), (flip, like));
    }

    fn n_taken(&self, like: u64) -> u64 {
        self.n_taken.get(&like).copied().unwrap_or(0)
    }
}

impl Source for Rare {
    fn offer(&mut self, seen: &Seen) -> Option<Offer> {
        self.take(seen).map(Offer::of)
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
