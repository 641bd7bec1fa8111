//! The trait of sources of flips, the list of all sources, and the schedule of their turns.
//!
//! A new search heuristic is a type that implements [`Source`], a [`SourceName`], and a row of [`TURNS`].

use crate::frontier::flip::{AlternativeCount, Flip};
use crate::frontier::seen::Seen;
use std::fmt::Debug;

/// Proposes flips.
pub(super) trait Source: Debug {
    /// Returns the next flip; `None` if the source has none now. The frontier drops flips that were asked before.
    fn offer(&mut self, seen: &Seen) -> Option<Offer>;
}

/// A flip that a source proposes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) flip: Flip,
    pub(super) alternative_count: AlternativeCount,
}

impl Offer {
    pub(super) fn of(flip: Flip) -> Offer {
        Offer { flip, alternative_count: AlternativeCount::Few }
    }
}

/// The sources of flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SourceName {
    /// Alternatives in the code under test that no run has taken.
    Uncovered,
    /// Alternatives that no run has taken, in code that the code under test uses.
    Library,
    /// All other flips, in the order of the strategy.
    Strategy,
    /// The last choices of runs with news, and of their descendants.
    Recent,
    /// The choices of runs whose paths were longer than all before.
    Longest,
    /// The choices of runs that came close to a wanted clause, and of their descendants.
    Close,
    /// The choices before an uncovered alternative, in runs that came by it.
    Towards,
    /// Flips whose alternative was seldom taken after the same trail of clauses.
    Rare,
    /// The flips of runs with news, asked again with these runs' inputs as hints.
    Again,
}

impl SourceName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SourceName::Uncovered => "uncovered",
            SourceName::Library => "library",
            SourceName::Strategy => "strategy",
            SourceName::Recent => "recent",
            SourceName::Longest => "longest",
            SourceName::Close => "close",
            SourceName::Towards => "towards",
            SourceName::Rare => "rare",
            SourceName::Again => "again",
        }
    }

    /// Whether the source proposes detours: flips asked for what their runs may lead to. Their alternatives may be
    /// covered, and they may lie beyond the depth limit.
    pub(super) fn is_detour(self) -> bool {
        match self {
            SourceName::Uncovered
            | SourceName::Library
            | SourceName::Strategy
            | SourceName::Recent => false,
            SourceName::Longest
            | SourceName::Close
            | SourceName::Towards
            | SourceName::Rare
            | SourceName::Again => true,
        }
    }
}

/// When a source is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// In turns whose number modulo `of` is `nth`.
    OneOf { of: u64, nth: u64 },
    /// In turns whose number modulo `of` is `nth`, while detours have cost no more than their share.
    Detour { of: u64, nth: u64 },
    /// At an interval that grows while the source brings no news ([`super::Adaptive`]), and in every turn when the
    /// strategy has no flips.
    Adaptive,
    /// In every turn; the rows before it come first.
    Always,
}

/// The schedule of the sources: in each turn the sources are asked in the order of the rows, and the first one that
/// proposes a flip wins. [`SourceName::Uncovered`] is not in the table because the frontier asks it first in every
/// turn.
pub(super) const TURNS: [(SourceName, Turn); 11] = [
    (SourceName::Longest, Turn::OneOf { of: 8, nth: 1 }),
    (SourceName::Close, Turn::OneOf { of: 8, nth: 3 }),
    (SourceName::Recent, Turn::OneOf { of: 2, nth: 0 }),
    (SourceName::Again, Turn::OneOf { of: 4, nth: 1 }),
    (SourceName::Towards, Turn::Detour { of: 4, nth: 2 }),
    (SourceName::Rare, Turn::Detour { of: 4, nth: 3 }),
    (SourceName::Library, Turn::Adaptive),
    (SourceName::Strategy, Turn::Always),
    (SourceName::Recent, Turn::Always),
    (SourceName::Close, Turn::Always),
    (SourceName::Longest, Turn::Always),
];
