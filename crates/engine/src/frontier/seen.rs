//! What all runs have shown so far: the tree of their choices, and which alternatives they took.

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
    /// How many of them are in the code under test.
    n_covered_inside: usize,
    /// Whether a site is in the code under test.
    inside: FxHashMap<SiteId, bool>,
    /// Flips that were given out, and which source gave them first.
    asked: FxHashMap<(NodeId, usize), SourceName>,
    /// The nodes of the last run.
    pub(super) last: Vec<NodeId>,
    pub(super) n_runs: usize,
    /// How deep choices may lie that are flipped for what they may lead to later.
    pub(super) reach: usize,
    /// How often another value was asked for where values are not followed.
    n_pins: FxHashMap<SiteId, usize>,
}

/// Where values are not followed, so many others are asked for at one site.
const MAX_PINS: usize = 12;

impl Seen {
    pub(super) fn new(reach: usize) -> Seen {
        Seen { reach, ..Seen::default() }
    }

    /// A run begins to be learnt; its number.
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

    /// The next choice of the run that is being learnt.
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

    /// Whether a run has taken the flip or it was given out.
    pub(super) fn is_done(&self, node: NodeId, alternative: usize) -> bool {
        self.tree.is_taken(node, alternative) || self.is_asked(node, alternative)
    }

    pub(super) fn ask(&mut self, node: NodeId, alternative: usize, source: SourceName) {
        self.asked.insert((node, alternative), source);
    }

    pub(super) fn asked_by(&self, node: NodeId, alternative: usize) -> Option<SourceName> {
        self.asked.get(&(node, alternative)).copied()
    }

    /// Counts a choice on a value that is not followed symbolically; whether its site has had so many of
    /// them that no further values are asked for.
    pub(super) fn has_enough_pins(&mut self, choice: &Choice) -> bool {
        if !is_pin(choice) {
            return false;
        }
        let n_pins = self.n_pins.entry(choice.site).or_default();
        *n_pins += 1;
        *n_pins > MAX_PINS
    }
}

/// Whether the value that decides is not followed.
pub(super) fn is_pin(choice: &Choice) -> bool {
    matches!(choice.looked, Looked::Pin(..))
}
