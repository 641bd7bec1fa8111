//! Flips in the order of the strategy, down to the depth. What lies deeper is kept until the depth grows.

use crate::frontier::flip::{Flip, Kin, Waiting};
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
    flips: BTreeMap<(u64, u64), Waiting>,
    n_flips: u64,
    /// Flips beyond the depth, as far as they are kept.
    beyond: BTreeMap<(u64, u64), Waiting>,
    /// Whether something beyond the depth was left alone.
    pub(super) is_cut: bool,
    /// How often an uncovered alternative was looked for beyond the depth.
    n_deep: FxHashMap<Goal, usize>,
}

/// Greater than the depth of any choice: flips whose key has it come after all others.
const LAST: u64 = 1 << 32;

/// An uncovered alternative is worth so many attempts beyond the depth.
const MAX_DEEP: usize = 8;

/// How much the depth grows.
const DEEPER: usize = 25;

/// More flips beyond the depth are forgotten.
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
        self.flips.insert(key, Waiting::One(flip));
    }

    pub(super) fn add_many(&mut self, flip: Flip, last: usize) {
        let key = self.key(&flip);
        self.flips.insert(key, Waiting::Many(flip, last));
    }

    /// A flip that waited as uncovered, and that another run has covered since.
    pub(super) fn add_covered(&mut self, offer: Offer) {
        if self.max_depth <= offer.flip.depth {
            self.cut(offer.flip);
            return;
        }
        let mut key = self.key(&offer.flip);
        // The same letter at another place of a text, a thousand times.
        if offer.kin == Kin::Many {
            key.0 += LAST;
        }
        self.flips.insert(key, Waiting::One(offer.flip));
    }

    /// Leaves a flip beyond the depth alone.
    pub(super) fn cut(&mut self, flip: Flip) {
        self.is_cut = true;
        if self.beyond.len() < MAX_BEYOND {
            let key = self.key(&flip);
            self.beyond.insert(key, Waiting::One(flip));
        }
    }

    /// Whether the flip lies too deep to be asked now. It is kept then.
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

    /// Goes on beyond the depth; `false`: there is nothing.
    pub(super) fn deepen(&mut self) -> bool {
        let Some(nearest) = self.beyond.values().map(Waiting::depth).min() else { return false };
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
        Some(Offer { flip, kin: waiting.kin() })
    }
}
