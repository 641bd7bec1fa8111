//! A choice of a past run that can be taken the other way.

use crate::frontier::source::SourceName;
use crate::frontier::tree::NodeId;
use trace::SiteId;

/// A choice of a past run to take the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    pub node: NodeId,
    pub alternative: usize,
    pub site: SiteId,
    pub depth: usize,
    /// The run that came to the choice first.
    pub run: usize,
    /// Which source gives it out.
    pub source: SourceName,
}

/// A choice with more alternatives than these waits as one flip: tables of characters have a thousand
/// alternatives, at every character of a text.
pub(super) const FEW: usize = 16;

/// What waits in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    One(Flip),
    /// The flip, and then the alternatives after it up to this one.
    Many(Flip, usize),
}

impl Waiting {
    pub(super) fn depth(&self) -> usize {
        match self {
            Waiting::One(flip) | Waiting::Many(flip, _) => flip.depth,
        }
    }

    /// The next flip, and what waits after it.
    pub(super) fn split(self) -> (Flip, Option<Waiting>) {
        match self {
            Waiting::One(flip) => (flip, None),
            Waiting::Many(flip, last) if flip.alternative < last => {
                let next = Flip { alternative: flip.alternative + 1, ..flip };
                (flip, Some(Waiting::Many(next, last)))
            }
            Waiting::Many(flip, _) => (flip, None),
        }
    }

    pub(super) fn kin(&self) -> Kin {
        match self {
            Waiting::One(_) => Kin::Few,
            Waiting::Many(..) => Kin::Many,
        }
    }
}

/// How many alternatives the choice of a flip has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kin {
    Few,
    Many,
}
