//! Flips in the order of the strategy, within the depth limit. Flips beyond the limit are kept until it grows.

use crate::frontier::flip::{AlternativeCount, Flip, QueueEntry};
use crate::frontier::seen::{Goal, Seen};
use crate::frontier::source::{Offer, Source};
use crate::strategy::Strategy;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Ordered {
    strategy: Strategy,
    seed: u64,
    pub(super) max_depth: usize,
    flips: BTreeMap<(u64, u64), QueueEntry>,
    n_flips: u64,
    /// Flips beyond the depth limit, at most [`MAX_BEYOND`] of them.
    beyond: BTreeMap<(u64, u64), QueueEntry>,
    /// Whether flips were left out because of the depth limit.
    pub(super) is_cut: bool,
    /// How often each alternative was proposed beyond the depth limit.
    n_deep: FxHashMap<Goal, usize>,
}

/// Added to the keys of flips that come after all others; greater than any depth.
const AFTER_ALL_DEPTHS: u64 = 1 << 32;

/// How many flips to an uncovered alternative are asked beyond the depth limit.
const MAX_DEEP: usize = 8;

/// By how much the depth limit grows.
const DEEPER: usize = 25;

/// How many flips beyond the depth limit are kept; further ones are dropped.
const MAX_BEYOND: usize = 200_000;

impl Ordered {
    pub(super) fn new(strategy: Strategy, seed: u64, max_depth: usize) -> Ordered {
        Ordered {
            strategy,
            seed,
            max_depth,
            flips: BTreeMap::new(),
            n_flips: 0,
            beyond: BTreeMap::new(),
            is_cut: false,
            n_deep: FxHashMap::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flips.is_empty()
    }

    pub(super) fn add(&mut self, flip: Flip) {
        let key = self.key(&flip);
        self.flips.insert(key, QueueEntry::One(flip));
    }

    pub(super) fn add_many(&mut self, flip: Flip, last: usize) {
        let key = self.key(&flip);
        self.flips.insert(key, QueueEntry::Many(flip, last));
    }

    /// Adds a flip that was queued as uncovered and whose alternative another run has covered since.
    pub(super) fn add_covered(&mut self, offer: Offer) {
        if self.max_depth <= offer.flip.depth {
            self.cut(offer.flip);
            return;
        }
        let mut key = self.key(&offer.flip);
        // A choice with many alternatives is often the same test repeated for each character of a text, so its covered
        // alternatives come last.
        if offer.alternative_count == AlternativeCount::Many {
            key.0 += AFTER_ALL_DEPTHS;
        }
        self.flips.insert(key, QueueEntry::One(offer.flip));
    }

    /// Keeps a flip that lies beyond the depth limit for later.
    pub(super) fn cut(&mut self, flip: Flip) {
        self.is_cut = true;
        if self.beyond.len() < MAX_BEYOND {
            let key = self.key(&flip);
            self.beyond.insert(key, QueueEntry::One(flip));
        }
    }

    /// Whether the flip lies too deep to be asked now; it is then kept for later.
    pub(super) fn is_too_deep(&mut self, flip: &Flip, seen: &Seen) -> bool {
        if flip.depth < self.max_depth {
            return false;
        }
        let goal = (flip.site, flip.alternative);
        let n_deep = self.n_deep.entry(goal).or_default();
        *n_deep += 1;
        let is_too_deep = seen.is_covered(goal) || *n_deep > MAX_DEEP;
        if is_too_deep {
            self.cut(*flip);
        }
        is_too_deep
    }

    /// Raises the depth limit; returns `false` if there is no flip beyond it.
    pub(super) fn deepen(&mut self) -> bool {
        let Some(nearest) = self.beyond.values().map(QueueEntry::depth).min() else { return false };
        self.max_depth = self.max_depth.max(nearest) + DEEPER;
        self.flips.append(&mut self.beyond);
        self.n_deep.clear();
        self.is_cut = false;
        true
    }

    fn key(&mut self, flip: &Flip) -> (u64, u64) {
        let key = self.strategy.key(flip, self.n_flips, self.seed);
        self.n_flips += 1;
        key
    }
}

impl Source for Ordered {
    fn offer(&mut self, _: &Seen) -> Option<Offer> {
        let (key, waiting) = self.flips.pop_first()?;
        let (flip, rest) = waiting.split();
        if let Some(rest) = rest {
            self.flips.insert(key, rest);
        }
        Some(Offer { flip, alternative_count: waiting.alternative_count() })
    }
}
