//! What all runs have shown so far: the tree of their choices, and the alternatives they took.

use crate::frontier::source::SourceName;
use crate::frontier::tree::{Above, Met, NodeId, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use trace::{Choice, Looked, SiteId};

/// An alternative of a site.
pub(crate) type Goal = (SiteId, usize);

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) tree: Tree,
    /// Alternatives of sites that some run has taken.
    covered: FxHashSet<Goal>,
    /// How many of `covered` are in the code under test.
    n_covered_inside: usize,
    /// Whether a site is in the code under test.
    inside: FxHashMap<SiteId, bool>,
    /// Flips that were given out, with the first source that proposed each.
    asked: FxHashMap<(NodeId, usize), SourceName>,
    /// The nodes of the last run's choices.
    pub(super) last: Vec<NodeId>,
    pub(super) n_runs: usize,
    /// The depth limit of detours.
    pub(super) reach: usize,
    /// How many pins runs had at each site.
    n_pins: FxHashMap<SiteId, usize>,
}

/// How many pins of one site are flipped.
const MAX_PINS: usize = 12;

impl Seen {
    pub(super) fn new(reach: usize) -> Seen {
        Seen { reach, ..Seen::default() }
    }

    /// Begins to record a run, and returns its number.
    pub(super) fn begin(
        &mut self,
        choices: &[Choice],
        is_inside: impl Fn(SiteId) -> bool,
    ) -> usize {
        for Choice { site, taken, .. } in choices {
            let is_inside = *self.inside.entry(*site).or_insert_with(|| is_inside(*site));
            let is_new = self.covered.insert((*site, *taken));
            self.n_covered_inside += usize::from(is_new && is_inside);
        }
        self.last.clear();
        self.n_runs += 1;
        self.n_runs - 1
    }

    /// Records the next choice of the run.
    pub(super) fn meet(&mut self, above: Above, choice: &Choice) -> Met {
        let met = self.tree.meet(above, choice);
        self.last.push(met.node);
        met
    }

    pub(super) fn is_inside(&self, site: SiteId) -> bool {
        self.inside.get(&site).is_none_or(|it| *it)
    }

    pub(super) fn is_covered(&self, goal: Goal) -> bool {
        self.covered.contains(&goal)
    }

    pub(super) fn n_covered_inside(&self) -> usize {
        self.n_covered_inside
    }

    pub(super) fn is_asked(&self, node: NodeId, alternative: usize) -> bool {
        self.asked.contains_key(&(node, alternative))
    }

    /// Whether a run took the alternative or it was asked for.
    pub(super) fn is_done(&self, node: NodeId, alternative: usize) -> bool {
        self.tree.is_taken(node, alternative) || self.is_asked(node, alternative)
    }

    pub(super) fn ask(&mut self, node: NodeId, alternative: usize, source: SourceName) {
        self.asked.insert((node, alternative), source);
    }

    pub(super) fn asked_by(&self, node: NodeId, alternative: usize) -> Option<SourceName> {
        self.asked.get(&(node, alternative)).copied()
    }

    /// Counts a pin; returns whether its site had so many that no further values are asked for. Returns `false` for a
    /// choice that is no pin.
    pub(super) fn has_enough_pins(&mut self, choice: &Choice) -> bool {
        if !is_pin(choice) {
            return false;
        }
        let n_pins = self.n_pins.entry(choice.site).or_default();
        *n_pins += 1;
        *n_pins > MAX_PINS
    }
}

/// Whether the choice is a pin: the value that decides is not followed symbolically.
pub(super) fn is_pin(choice: &Choice) -> bool {
    matches!(choice.looked, Looked::Pin(..))
}
