//! Uncovered alternatives, the least depth first (CutEr's heuristic, [Giantsios et al. 2015]).

use crate::frontier::flip::{Flip, QueueEntry};
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace::SiteId;

#[derive(Debug, Default)]
pub(super) struct Uncovered {
    /// The entries, by depth plus a penalty for sites with many entries, and age.
    flips: BTreeMap<(u64, u64), QueueEntry>,
    n_flips: u64,
    n_of_site: FxHashMap<SiteId, u64>,
}

/// The penalty is one level of depth for each of this many entries of the same site, so that a switch with a thousand
/// literals does not starve all other sites.
const OF_SITE_PER_STEP: u64 = 8;

impl Uncovered {
    pub(super) fn is_empty(&self) -> bool {
        self.flips.is_empty()
    }

    pub(super) fn add(&mut self, flip: Flip) {
        let age = self.age();
        let key = self.spread(&flip, age);
        self.flips.insert(key, QueueEntry::One(flip));
    }

    /// Adds the flip and the alternatives after it up to and including `last`.
    pub(super) fn add_many(&mut self, flip: Flip, last: usize) {
        let key = (flip.depth as u64, self.age());
        self.flips.insert(key, QueueEntry::Many(flip, last));
    }

    fn age(&mut self) -> u64 {
        self.n_flips += 1;
        self.n_flips
    }

    fn spread(&mut self, flip: &Flip, age: u64) -> (u64, u64) {
        let n_of_site = self.n_of_site.entry(flip.site).or_default();
        let steps = *n_of_site / OF_SITE_PER_STEP;
        *n_of_site += 1;
        (flip.depth as u64 + steps, age)
    }
}

impl Source for Uncovered {
    fn offer(&mut self, seen: &Seen) -> Option<Offer> {
        let (key, waiting) = self.flips.pop_first()?;
        let (flip, rest) = waiting.split();
        if let Some(rest) = rest {
            let is_uncovered = !seen.is_covered((flip.site, flip.alternative));
            let key = if is_uncovered { self.spread(&flip, key.1) } else { key };
            self.flips.insert(key, rest);
        }
        Some(Offer { flip, alternative_count: waiting.alternative_count() })
    }
}
