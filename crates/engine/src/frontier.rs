//! Which past choice to take the other way (002, Algorithm 1): one that leads where no run has been,
//! else the one of the smallest depth.
//!
//! Sees sites and alternatives, never terms.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use trace::{Choice, SiteId};

/// A choice of a past run to take the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Which run, in the order in which they were added.
    pub run: usize,
    /// Which of its choices; those before stay as they are.
    pub choice: usize,
    pub alternative: usize,
    pub site: SiteId,
}

#[derive(Debug, Default)]
pub struct Frontier {
    /// By depth, then by age.
    open: BTreeMap<(usize, usize), Flip>,
    n_flips: usize,
    n_runs: usize,
    /// Alternatives of sites that some run has taken.
    visited: FxHashSet<(SiteId, usize)>,
    tree: Tree,
}

/// All paths so far, with what is common to them held once. Node 0 is the start of every run.
#[derive(Debug, Default)]
struct Tree {
    children: FxHashMap<(u32, SiteId, usize), u32>,
    n_nodes: u32,
}

impl Frontier {
    /// Adds the flips of a run that no run before it had.
    pub fn learn(&mut self, choices: &[Choice]) {
        let mut node = 0;
        for (n, choice) in choices.iter().enumerate() {
            self.visited.insert((choice.site, choice.taken));
            for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
                if self.tree.child(node, choice.site, alternative).is_err() {
                    let flip = Flip { run: self.n_runs, choice: n, alternative, site: choice.site };
                    self.open.insert((n, self.n_flips), flip);
                    self.n_flips += 1;
                }
            }
            node = match self.tree.child(node, choice.site, choice.taken) {
                Ok(known) | Err(known) => known,
            };
        }
        self.n_runs += 1;
    }

    pub fn take(&mut self) -> Option<Flip> {
        let is_new = |it: &Flip| !self.visited.contains(&(it.site, it.alternative));
        let key = self.open.iter().find(|it| is_new(it.1)).or_else(|| self.open.iter().next());
        let key = *key?.0;
        self.open.remove(&key)
    }

    /// The alternatives of sites that some run has taken.
    pub fn n_visited(&self) -> usize {
        self.visited.len()
    }
}

impl Tree {
    /// The node behind an alternative: `Ok` if it was there, `Err` if it is new.
    fn child(&mut self, node: u32, site: SiteId, alternative: usize) -> Result<u32, u32> {
        let key = (node, site, alternative);
        if let Some(known) = self.children.get(&key) {
            return Ok(*known);
        }
        self.n_nodes += 1;
        self.children.insert(key, self.n_nodes);
        Err(self.n_nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::ExprId;
    use trace::Looked;

    fn path(choices: &[(u32, usize)]) -> Vec<Choice> {
        let choice = |it: &(u32, usize)| Choice {
            site: SiteId(it.0),
            taken: it.1,
            looked: Looked::Test(ExprId(0)),
        };
        choices.iter().map(choice).collect()
    }

    fn check(paths: &[&[(u32, usize)]], expect: &[(usize, usize)]) {
        let mut frontier = Frontier::default();
        paths.iter().for_each(|it| frontier.learn(&path(it)));
        let flips: Vec<(usize, usize)> =
            std::iter::from_fn(|| frontier.take()).map(|it| (it.run, it.choice)).collect();
        assert_eq!(flips, expect);
    }

    #[test]
    fn new_alternatives_come_first_then_small_depths() {
        check(&[&[(1, 0), (2, 0)]], &[(0, 0), (0, 1)]);
        // Both ways at site 1 are known, at site 2 only one.
        check(&[&[(1, 0), (1, 1), (2, 0)]], &[(0, 2), (0, 0), (0, 1)]);
    }

    #[test]
    fn nothing_is_flipped_twice() {
        check(&[&[(1, 0)], &[(1, 0)]], &[(0, 0)]);
        // The second run is the flip of the first; the flip itself is already on its way.
        check(&[&[(1, 0), (2, 0)], &[(1, 1), (3, 0)]], &[(0, 1), (1, 1), (0, 0)]);
    }
}
