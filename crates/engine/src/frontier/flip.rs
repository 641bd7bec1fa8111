//! A flip: a choice of a past run and the alternative to take instead; and the entries of queues of flips.

use crate::frontier::source::SourceName;
use crate::frontier::tree::NodeId;
use trace::SiteId;

/// A choice of a past run with another alternative than the run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    pub node: NodeId,
    pub alternative: usize,
    pub site: SiteId,
    pub depth: usize,
    /// The first run that met the choice.
    pub run: usize,
    /// The source that proposes the flip.
    pub source: SourceName,
}

/// A choice with more alternatives than this is queued as one entry. A table of characters can have a thousand
/// alternatives at each character of a text.
pub(super) const MAX_SINGLE_FLIPS: usize = 16;

/// An entry of a queue of flips.
#[derive(Clone, Copy, Debug)]
pub(super) enum QueueEntry {
    One(Flip),
    /// The flip, then the alternatives after it up to and including this one.
    Many(Flip, usize),
}

impl QueueEntry {
    pub(super) fn depth(&self) -> usize {
        match self {
            QueueEntry::One(flip) | QueueEntry::Many(flip, _) => flip.depth,
        }
    }

    /// Splits the entry into its next flip and the entry that remains.
    pub(super) fn split(self) -> (Flip, Option<QueueEntry>) {
        match self {
            QueueEntry::One(flip) => (flip, None),
            QueueEntry::Many(flip, last) if flip.alternative < last => {
                let next = Flip { alternative: flip.alternative + 1, ..flip };
                (flip, Some(QueueEntry::Many(next, last)))
            }
            QueueEntry::Many(flip, _) => (flip, None),
        }
    }

    pub(super) fn alternative_count(&self) -> AlternativeCount {
        match self {
            QueueEntry::One(_) => AlternativeCount::Few,
            QueueEntry::Many(..) => AlternativeCount::Many,
        }
    }
}

/// Whether the choice of a flip has at most [`MAX_SINGLE_FLIPS`] alternatives or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlternativeCount {
    Few,
    Many,
}
