//! What a source of flips is, which sources there are, and when each has its turn.
//!
//! A new way to search is a type that implements [`Source`], a name, and a row of [`TURNS`].

use crate::frontier::flip::{Flip, Kin};
use crate::frontier::seen::Seen;
use std::fmt::Debug;

/// Proposes choices of past runs to take the other way.
pub(super) trait Source: Debug {
    /// The next flip, if the source has one now. The frontier leaves out what was asked before.
    fn offer(&mut self, seen: &Seen) -> Option<Offer>;
}

/// A flip that a source proposes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) flip: Flip,
    pub(super) kin: Kin,
}

impl Offer {
    pub(super) fn of(flip: Flip) -> Offer {
        Offer { flip, kin: Kin::Few }
    }
}

/// The sources of flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SourceName {
    /// Alternatives in the code under test that no run has taken.
    Uncovered,
    /// The same in code that is only used by the code under test.
    Library,
    /// All other flips, in the order of the strategy.
    Strategy,
    /// The last choices of runs that found something new, and of runs made of these.
    Recent,
    /// The choices of runs that were longer than all before them.
    Longest,
    /// The choices of runs that came close to a clause that is wanted, and of runs made of these.
    Close,
    /// The choices before an uncovered alternative, of runs that came by.
    Towards,
    /// Flips whose alternative was seldom taken after the same clauses.
    Rare,
    /// The flips of runs that found something new, asked again from their inputs.
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

    /// Whether the source proposes flips for what they may lead to later. Their alternatives need not be
    /// uncovered, and they may lie beyond the depth.
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
    /// In the turns whose number leaves the remainder `nth` when it is divided by `of`.
    OneOf { of: u64, nth: u64 },
    /// The same, as long as detours have cost no more than the rest of the search.
    Detour { of: u64, nth: u64 },
    /// Less and less often while nothing comes of it; always when the strategy has nothing.
    Adaptive,
    /// Whenever the sources before it had nothing.
    Always,
}

/// Who is asked in which turn, the first that has a flip gives it. [`SourceName::Uncovered`] comes before all
/// of them, in every turn.
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
