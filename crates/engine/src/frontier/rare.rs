//! Flips in the order of how seldom runs took the same alternative after the same last clauses of the code
//! under test.
//!
//! A program whose states are numbers and lists of its own shows no new choice when it comes to a new
//! state; sequences of clauses that were seen less often are what comes nearest to it. Sees sites and
//! counts, never terms.

use crate::frontier::flip::Flip;
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use trace::Choice;

#[derive(Debug, Default)]
pub(super) struct Rare {
    /// How often an alternative was taken after such choices.
    n_taken: FxHashMap<u64, u64>,
    /// By how often it was when they were put here.
    flips: BTreeMap<(u64, u64), (Flip, u64)>,
    n_flips: u64,
}

impl Rare {
    /// A choice of a run, behind such clauses.
    pub(super) fn count(&mut self, choice: &Choice, trail: u64) {
        let like = hash(&(trail, choice.site, choice.taken));
        *self.n_taken.entry(like).or_default() += 1;
    }

    /// A flip of a choice behind such clauses.
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
            // So that those like it wait their turn, whatever becomes of it.
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
