//! Which past choice to take the other way.
//!
//! Sees sites and alternatives, never terms.

use crate::strategy::Strategy;
use crate::tree::{Met, NodeId, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use trace::{Choice, Looked, SiteId};

/// A choice of a past run to take the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    pub node: NodeId,
    pub alternative: usize,
    pub site: SiteId,
    pub depth: usize,
    /// The run that came to the choice first.
    pub run: usize,
}

#[derive(Debug)]
pub(crate) struct Frontier {
    strategy: Strategy,
    seed: u64,
    max_depth: usize,
    /// Flips that led where no run had been when they were added.
    new: BTreeMap<(u64, u64), Flip>,
    open: BTreeMap<(u64, u64), Flip>,
    /// How many flips of a site were new.
    n_new: FxHashMap<SiteId, u64>,
    n_flips: u64,
    n_runs: usize,
    /// Alternatives of sites that some run has taken.
    visited: FxHashSet<(SiteId, usize)>,
    /// How often an alternative was looked for beyond the depth.
    deep_tries: FxHashMap<(SiteId, usize), usize>,
    /// How often another value was asked for where values are not followed.
    pin_tries: FxHashMap<SiteId, usize>,
    /// Whether something beyond the depth was left alone.
    pub(crate) is_cut: bool,
    pub(crate) tree: Tree,
}

/// So many new alternatives of a site count as one step of depth.
const NEW_AT_ONCE: u64 = 8;

/// Beyond the depth, an alternative that no run has taken is still worth so many attempts.
const DEEP_TRIES: usize = 8;

/// Values that are not followed are tried at random, so to speak: a few of them.
const PIN_TRIES: usize = 4;

impl Frontier {
    pub(crate) fn new(strategy: Strategy, seed: u64, max_depth: usize) -> Frontier {
        Frontier {
            strategy,
            seed,
            max_depth,
            new: BTreeMap::new(),
            open: BTreeMap::new(),
            n_new: FxHashMap::default(),
            n_flips: 0,
            n_runs: 0,
            visited: FxHashSet::default(),
            deep_tries: FxHashMap::default(),
            pin_tries: FxHashMap::default(),
            is_cut: false,
            tree: Tree::default(),
        }
    }

    /// Adds the flips of a run that no run before it had. `false`: the run contradicts an earlier
    /// one, which means that the program is not deterministic.
    pub(crate) fn learn(&mut self, choices: &[Choice]) -> bool {
        let run = self.n_runs;
        self.n_runs += 1;
        self.visited.extend(choices.iter().map(|it| (it.site, it.taken)));
        let mut above = None;
        let mut is_consistent = true;
        for (depth, choice) in choices.iter().enumerate() {
            let Met { node, is_new, is_conflict } = self.tree.meet(above, choice);
            is_consistent &= !is_conflict;
            if is_new && !self.is_pinned_enough(choice) {
                for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
                    self.add(Flip { node, alternative, site: choice.site, depth, run });
                }
            }
            above = Some((node, choice.taken));
        }
        is_consistent
    }

    /// Whether other values were asked for often enough where values are not followed.
    fn is_pinned_enough(&mut self, choice: &Choice) -> bool {
        if !matches!(choice.looked, Looked::Pin(..)) {
            return false;
        }
        let n_tries = self.pin_tries.entry(choice.site).or_default();
        *n_tries += 1;
        *n_tries > PIN_TRIES
    }

    fn add(&mut self, flip: Flip) {
        let is_new = !self.visited.contains(&(flip.site, flip.alternative));
        if flip.depth >= self.max_depth && !is_new {
            self.is_cut = true;
            return;
        }
        let mut key = self.strategy.key(&flip, self.n_flips, self.seed);
        self.n_flips += 1;
        if !(is_new && self.strategy.prefers_new()) {
            self.open.insert(key, flip);
            return;
        }
        // One switch of a thousand literals must not keep all other sites waiting.
        let n_of_site = self.n_new.entry(flip.site).or_default();
        key.0 += *n_of_site / NEW_AT_ONCE;
        *n_of_site += 1;
        self.new.insert(key, flip);
    }

    /// How many alternatives of sites some run has taken.
    pub(crate) fn n_visited(&self) -> usize {
        self.visited.len()
    }

    pub(crate) fn take(&mut self) -> Option<Flip> {
        loop {
            // What was new may have been visited since; it then waits with the others.
            let flip = if let Some((key, flip)) = self.new.pop_first() {
                if self.visited.contains(&(flip.site, flip.alternative)) {
                    self.open.insert(key, flip);
                    continue;
                }
                flip
            } else {
                self.open.pop_first()?.1
            };
            if self.tree.is_taken(flip.node, flip.alternative) || self.is_too_deep(&flip) {
                continue;
            }
            return Some(flip);
        }
    }

    fn is_too_deep(&mut self, flip: &Flip) -> bool {
        if flip.depth < self.max_depth {
            return false;
        }
        let target = (flip.site, flip.alternative);
        let n_tries = self.deep_tries.entry(target).or_default();
        *n_tries += 1;
        let is_too_deep = self.visited.contains(&target) || *n_tries > DEEP_TRIES;
        self.is_cut |= is_too_deep;
        is_too_deep
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::ExprId;

    fn path(choices: &[(u32, usize)]) -> Vec<Choice> {
        let choice = |it: &(u32, usize)| Choice {
            site: SiteId(it.0),
            taken: it.1,
            looked: Looked::Test(ExprId(0)),
        };
        choices.iter().map(choice).collect()
    }

    fn check(strategy: Strategy, paths: &[&[(u32, usize)]], expect: &[(usize, usize)]) {
        let mut frontier = Frontier::new(strategy, 0, 3);
        paths.iter().for_each(|it| assert!(frontier.learn(&path(it))));
        let flips: Vec<(usize, usize)> =
            std::iter::from_fn(|| frontier.take()).map(|it| (it.run, it.depth)).collect();
        assert_eq!(flips, expect);
    }

    #[test]
    fn new_alternatives_come_first_then_small_depths() {
        check(Strategy::VisitedFirst, &[&[(1, 0), (2, 0)]], &[(0, 0), (0, 1)]);
        // Both ways at site 1 are known, at site 2 only one.
        check(Strategy::VisitedFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 2), (0, 0), (0, 1)]);
        check(Strategy::BreadthFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 0), (0, 1), (0, 2)]);
        check(Strategy::DepthFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 2), (0, 1), (0, 0)]);
    }

    #[test]
    fn nothing_is_flipped_twice() {
        check(Strategy::VisitedFirst, &[&[(1, 0)], &[(1, 0)]], &[(0, 0)]);
        // The second run is the flip of the first.
        let paths: &[&[(u32, usize)]] = &[&[(1, 0), (2, 0)], &[(1, 1), (3, 0)]];
        check(Strategy::VisitedFirst, paths, &[(0, 1), (1, 1)]);
    }

    #[test]
    fn beyond_the_depth_only_what_is_new_is_flipped() {
        let path: &[(u32, usize)] = &[(1, 0), (1, 1), (2, 0), (1, 0), (3, 0)];
        check(Strategy::VisitedFirst, &[path], &[(0, 2), (0, 4), (0, 0), (0, 1)]);
    }

    #[test]
    fn a_run_that_contradicts_another_is_noticed() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 3);
        assert!(frontier.learn(&path(&[(1, 0), (2, 0)])));
        assert!(!frontier.learn(&path(&[(1, 0), (3, 0)])));
    }
}
