//! A queue of flips of runs that the frontier chose, ordered by a rank that it gives.

use crate::frontier::flip::Flip;
use crate::frontier::seen::Seen;
use crate::frontier::source::{Offer, Source};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Favoured {
    /// The flips, by the rank of their run (the least first) and age.
    flips: BTreeMap<(u64, u64), Flip>,
    n_flips: u64,
}

impl Favoured {
    pub(super) fn add(&mut self, rank: u64, flips: impl IntoIterator<Item = Flip>) {
        for flip in flips {
            self.n_flips += 1;
            self.flips.insert((rank, self.n_flips), flip);
        }
    }
}

impl Source for Favoured {
    fn offer(&mut self, _: &Seen) -> Option<Offer> {
        self.flips.pop_first().map(|it| Offer::of(it.1))
    }
}
