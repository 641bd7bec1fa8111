//! Which past choice to take the other way.
//!
//! Sees sites and alternatives, never terms.

use crate::again::Again;
use crate::aims::Aims;
use crate::rare::Rare;
use crate::strategy::Strategy;
use crate::tree::{Above, Met, NodeId, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
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

/// What waits to be taken.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    One(Flip),
    /// The flip, and then the alternatives after it up to this one.
    Many(Flip, usize),
}

impl Waiting {
    fn depth(&self) -> usize {
        match self {
            Waiting::One(flip) | Waiting::Many(flip, _) => flip.depth,
        }
    }
}

/// Why a flip is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// It led where no run had been when it was added.
    New,
    /// So did this, in what is only used by what is tested.
    Aside,
    Known,
    /// For what it may lead to later.
    Sideways,
    /// It may have been taken; from another input it leads elsewhere.
    Again,
}

/// The choices on the paths that were asked for: a question costs about as much as it is long.
#[derive(Debug, Default)]
struct Work {
    ahead: usize,
    sideways: usize,
}

impl Work {
    fn count(&mut self, origin: Origin, depth: usize) {
        match origin {
            Origin::New | Origin::Aside | Origin::Known => self.ahead += depth + 1,
            Origin::Sideways | Origin::Again => self.sideways += depth + 1,
        }
    }
}

/// What lies near is looked at first.
const FROM_RUN: usize = 100;

/// Where questions are hard, detours are fewer.
const COSTLY_SHARE: usize = 4;

/// How often something has its turn: less and less while nothing comes of it.
#[derive(Debug)]
struct Turns {
    every: u64,
    n_idle: u64,
}

impl Turns {
    fn count(&mut self, is_news: bool) {
        self.n_idle = if is_news { 0 } else { self.n_idle + 1 };
        if is_news {
            self.every = LEAST_ASIDE;
        } else if self.n_idle.is_multiple_of(IDLE_ASIDE) {
            self.every = (self.every * 2).min(MOST_ASIDE);
        }
    }
}

/// What is new in a library has every fourth turn at first, and every eighth at last.
const LEAST_ASIDE: u64 = 4;
const MOST_ASIDE: u64 = 8;

/// So many of them without news in what is tested make their turns fewer.
const IDLE_ASIDE: u64 = 24;

type Queue = BTreeMap<(u64, u64), Waiting>;

#[derive(Debug)]
pub(crate) struct Frontier {
    strategy: Strategy,
    seed: u64,
    max_depth: usize,
    /// How deep choices may lie that are flipped for what was never or seldom taken.
    reach: usize,
    /// Flips that led where no run had been when they were added.
    new: Queue,
    /// Such flips in what is only used by what is tested.
    aside: Queue,
    open: Queue,
    /// The last flips of runs that went where none had been, and of runs made of these.
    near: Queue,
    aims: Aims,
    rare: Rare,
    again: Again,
    /// The flips of runs that were longer than all before them, those of the last one first.
    further: Queue,
    /// The flips of runs that came close to something wanted, and of runs made of these.
    close: Queue,
    /// Flips that were given out, if there is more than one way to come to them, and why.
    asked: FxHashMap<(NodeId, usize), Origin>,
    turns_aside: Turns,
    /// The nodes of the last run.
    last: Vec<NodeId>,
    /// How many flips of a site were new.
    n_new: FxHashMap<SiteId, u64>,
    n_flips: u64,
    n_runs: usize,
    /// How often there was a choice between those aside and the open ones.
    n_turns: u64,
    work: Work,
    /// Whether the solver has a hard time with what it is asked.
    pub(crate) is_costly: bool,
    /// Alternatives of sites that some run has taken.
    visited: FxHashSet<(SiteId, usize)>,
    /// How many of them are in what is tested.
    n_inside: usize,
    /// Whether a site is in what is tested.
    inside: FxHashMap<SiteId, bool>,
    /// How often an alternative was looked for beyond the depth.
    deep_tries: FxHashMap<(SiteId, usize), usize>,
    /// How often another value was asked for where values are not followed.
    pin_tries: FxHashMap<SiteId, usize>,
    /// Flips beyond the depth, as far as they are kept.
    beyond: Queue,
    /// Whether something beyond the depth was left alone.
    pub(crate) is_cut: bool,
    pub(crate) tree: Tree,
}

/// So many new alternatives of a site count as one step of depth.
const NEW_AT_ONCE: u64 = 8;

/// More alternatives than these wait as one: tables of characters have a thousand, at every
/// character of a text.
pub(crate) const FEW: usize = 16;

/// Deeper than any choice.
const AFTER_ALL: u64 = 1 << 32;

/// Beyond the depth, an alternative that no run has taken is still worth so many attempts.
const DEEP_TRIES: usize = 8;

/// How much deeper than before, if there is reason to look further.
const DEEPER: usize = 25;

/// How much deeper choices are flipped for what was never or seldom taken.
const FURTHER: usize = 250;

/// More flips beyond the depth are forgotten.
const MAX_BEYOND: usize = 200_000;

/// So many choices at the end of a run are near to where it came.
const N_NEAR: usize = 20;

/// So many choices at the end of a run that is pursued are flipped.
const N_FURTHER: usize = 60;

/// Values that are not followed are tried at random, so to speak: a few of them.
const PIN_TRIES: usize = 12;

impl Frontier {
    pub(crate) fn new(
        strategy: Strategy,
        seed: u64,
        max_depth: usize,
        may_deepen: bool,
    ) -> Frontier {
        Frontier {
            strategy,
            seed,
            max_depth,
            reach: if may_deepen { max_depth + FURTHER } else { max_depth },
            new: Queue::new(),
            aside: Queue::new(),
            open: Queue::new(),
            near: Queue::new(),
            aims: Aims::default(),
            rare: Rare::default(),
            again: Again::default(),
            further: Queue::new(),
            close: Queue::new(),
            asked: FxHashMap::default(),
            turns_aside: Turns { every: LEAST_ASIDE, n_idle: 0 },
            last: Vec::new(),
            n_new: FxHashMap::default(),
            n_flips: 0,
            n_runs: 0,
            n_turns: 0,
            work: Work::default(),
            is_costly: false,
            visited: FxHashSet::default(),
            n_inside: 0,
            inside: FxHashMap::default(),
            deep_tries: FxHashMap::default(),
            pin_tries: FxHashMap::default(),
            beyond: Queue::new(),
            is_cut: false,
            tree: Tree::default(),
        }
    }

    /// Adds the flips of a run that no run before it had. `false`: the run contradicts an earlier
    /// one, which means that the program is not deterministic.
    pub(crate) fn learn(
        &mut self,
        choices: &[Choice],
        trails: &[u64],
        is_inside: impl Fn(SiteId) -> bool,
    ) -> bool {
        let run = self.n_runs;
        self.n_runs += 1;
        for Choice { site, taken, .. } in choices {
            let is_inside = *self.inside.entry(*site).or_insert_with(|| is_inside(*site));
            let is_new = self.visited.insert((*site, *taken));
            self.n_inside += usize::from(is_new && is_inside);
        }
        let mut above = None;
        let mut is_consistent = true;
        self.last.clear();
        for (depth, choice) in choices.iter().enumerate() {
            let trail = trails.get(depth).copied().unwrap_or(0);
            let Met { node, is_new, is_conflict } = self.tree.meet(above, choice);
            is_consistent &= !is_conflict;
            let is_inside = self.inside.get(&choice.site).is_none_or(|it| *it);
            if is_new && !self.is_pinned_enough(choice) {
                self.add_all(node, choice, depth, run);
                if self.strategy.prefers_new() {
                    self.look_around(above, node, choice, (depth, run, trail), is_inside);
                }
            }
            self.rare.count(choice, trail);
            self.last.push(node);
            above = Some((node, choice.taken));
        }
        is_consistent
    }

    /// What the choice leads to that is wanted or seldom.
    fn look_around(
        &mut self,
        above: Above,
        node: NodeId,
        choice: &Choice,
        (depth, run, trail): (usize, usize, u64),
        is_inside: bool,
    ) {
        let n_alternatives = choice.n_alternatives();
        if n_alternatives > FEW || matches!(choice.looked, Looked::Pin(..)) {
            return;
        }
        for alternative in (0..n_alternatives).filter(|it| *it != choice.taken) {
            let goal = (choice.site, alternative);
            if is_inside && !self.visited.contains(&goal) {
                self.aims.came_by(goal, above, depth, run);
            }
            if depth < self.reach {
                self.rare.add(Flip { node, alternative, site: choice.site, depth, run }, trail);
            }
        }
    }

    /// The flip was run, as the last one.
    pub(crate) fn was_run(
        &mut self,
        flip: Flip,
        (n_choices, last_taken): (usize, Option<usize>),
        is_news: bool,
    ) {
        if self.asked.get(&(flip.node, flip.alternative)) == Some(&Origin::Aside) {
            self.turns_aside.count(is_news);
        }
        let last = self.last.last().copied().zip(last_taken);
        let run = self.n_runs.saturating_sub(1);
        self.aims.was_run((flip.node, flip.alternative), last, n_choices, run);
    }

    /// The last run went where none had been.
    pub(crate) fn went_new(&mut self, choices: &[Choice]) {
        if self.strategy.prefers_new() {
            let flips = self.both_ends(choices, 0);
            self.again.found(flips);
        }
    }

    /// The last run was made of this flip and went nowhere new.
    pub(crate) fn went_on(&mut self, flip: &Flip, choices: &[Choice]) {
        if self.again.leads_on(flip) {
            let flips = self.both_ends(choices, flip.depth + 1);
            self.again.go_on(flip, flips);
        }
    }

    /// The last flips of the last run, from a depth on, wait where they take turns with the others.
    /// `generation`: how many flips ago a run went where none had been.
    pub(crate) fn favour(&mut self, choices: &[Choice], from: usize, generation: u64) {
        let run = self.n_runs.saturating_sub(1);
        let last = choices.iter().zip(self.last.clone()).enumerate().skip(from);
        let last: Vec<(usize, (&Choice, NodeId))> = last.take(self.max_depth).collect();
        for (depth, (choice, node)) in last.into_iter().rev().take(N_NEAR) {
            let is_pin = matches!(choice.looked, Looked::Pin(..));
            if depth >= self.max_depth || choice.n_alternatives() > FEW || is_pin {
                continue;
            }
            for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
                let flip = Flip { node, alternative, site: choice.site, depth, run };
                self.n_flips += 1;
                self.near.insert((generation, self.n_flips), Waiting::One(flip));
            }
        }
    }

    /// The flips of the last run, from a depth on and however deep they are, come before those of all
    /// runs that were pursued before: a loop that must go round often is not left half way.
    pub(crate) fn pursue(&mut self, choices: &[Choice], from: usize) {
        let key = |n: u64, run: usize| (u64::MAX - run as u64, n);
        let flips = self.both_ends(choices, from);
        for (n, flip) in (0..).zip(flips) {
            self.further.insert(key(n, flip.run), Waiting::One(flip));
        }
    }

    /// The flips of a run that came close to something wanted, or was made of one.
    pub(crate) fn approach(&mut self, choices: &[Choice], from: usize, n_steps: u64) {
        for flip in self.both_ends(choices, from) {
            self.n_flips += 1;
            self.close.insert((n_steps, self.n_flips), Waiting::One(flip));
        }
    }

    fn both_ends(&self, choices: &[Choice], from: usize) -> Vec<Flip> {
        let run = self.n_runs.saturating_sub(1);
        let mut res = Vec::new();
        let last = choices.iter().zip(self.last.clone()).enumerate().skip(from);
        let mut last: VecDeque<(usize, (&Choice, NodeId))> = last.collect();
        // From both ends: how long a text is comes before its letters, how long a list is after.
        for n in 0..N_FURTHER {
            let next = if n % 2 == 0 { last.pop_front() } else { last.pop_back() };
            let Some((depth, (choice, node))) = next else { break };
            let is_pin = matches!(choice.looked, Looked::Pin(..));
            if choice.n_alternatives() > FEW || is_pin {
                continue;
            }
            for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
                res.push(Flip { node, alternative, site: choice.site, depth, run });
            }
        }
        res
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

    fn add_all(&mut self, node: NodeId, choice: &Choice, depth: usize, run: usize) {
        let (site, n_alternatives) = (choice.site, choice.n_alternatives());
        let flip = |alternative| Flip { node, alternative, site, depth, run };
        if n_alternatives > FEW {
            let key = self.key(&flip(0));
            self.insert(site, key, Waiting::Many(flip(0), n_alternatives - 1));
            return;
        }
        for alternative in (0..n_alternatives).filter(|it| *it != choice.taken) {
            let flip = flip(alternative);
            let is_new = !self.visited.contains(&(site, alternative));
            if depth >= self.max_depth && !is_new {
                self.cut(flip);
                continue;
            }
            let key = self.key(&flip);
            if is_new && self.strategy.prefers_new() {
                let key = self.count_new(site, key);
                self.insert(site, key, Waiting::One(flip));
            } else {
                self.open.insert(key, Waiting::One(flip));
            }
        }
    }

    fn key(&mut self, flip: &Flip) -> (u64, u64) {
        let key = self.strategy.key(flip, self.n_flips, self.seed);
        self.n_flips += 1;
        key
    }

    /// One switch of a thousand literals must not keep all other sites waiting.
    fn count_new(&mut self, site: SiteId, (first, second): (u64, u64)) -> (u64, u64) {
        let n_of_site = self.n_new.entry(site).or_default();
        let steps = *n_of_site / NEW_AT_ONCE;
        *n_of_site += 1;
        (first.saturating_add(steps), second)
    }

    fn insert(&mut self, site: SiteId, key: (u64, u64), waiting: Waiting) {
        let is_inside = self.inside.get(&site).is_none_or(|it| *it);
        let queue = match (self.strategy.prefers_new(), is_inside) {
            (false, _) => &mut self.open,
            (true, true) => &mut self.new,
            (true, false) => &mut self.aside,
        };
        queue.insert(key, waiting);
    }

    /// How many alternatives some run has taken of sites in what is tested.
    pub(crate) fn n_visited(&self) -> usize {
        self.n_inside
    }

    pub(crate) fn take(&mut self) -> Option<Flip> {
        loop {
            let (key, waiting, origin) = self.next()?;
            if let (Waiting::One(flip), Origin::Again) = (waiting, origin) {
                self.work.count(origin, flip.depth);
                return Some(flip);
            }
            let (flip, is_of_many) = match waiting {
                Waiting::One(flip) => (flip, false),
                Waiting::Many(flip, last) => {
                    self.put_back(key, flip, last);
                    (flip, true)
                }
            };
            let target = (flip.node, flip.alternative);
            if self.tree.is_taken(flip.node, flip.alternative) || self.asked.contains_key(&target) {
                continue;
            }
            // What was new may have been visited since; it then waits with the others.
            let was_new = matches!(origin, Origin::New | Origin::Aside);
            if was_new && self.visited.contains(&(flip.site, flip.alternative)) {
                if flip.depth < self.max_depth {
                    let mut key = self.key(&flip);
                    // The same letter at another place of a text, a thousand times.
                    key.0 += if is_of_many { AFTER_ALL } else { 0 };
                    self.open.insert(key, Waiting::One(flip));
                } else {
                    self.cut(flip);
                }
                continue;
            }
            if origin == Origin::Sideways || !self.is_too_deep(&flip) {
                self.work.count(origin, flip.depth);
                self.asked.insert(target, origin);
                return Some(flip);
            }
        }
    }

    /// What is new in what is tested comes first. What is new elsewhere and what is not new take
    /// turns: a library may have more alternatives than there is time.
    fn next(&mut self) -> Option<((u64, u64), Waiting, Origin)> {
        if let Some((key, waiting)) = self.new.pop_first() {
            return Some((key, waiting, Origin::New));
        }
        self.n_turns += 1;
        let favoured = match self.n_turns % 8 {
            1 => self.further.pop_first(),
            3 => self.close.pop_first(),
            _ => None,
        };
        if let Some((key, waiting)) = favoured {
            return Some((key, waiting, Origin::Sideways));
        }
        if self.n_turns.is_multiple_of(2)
            && let Some((key, waiting)) = self.near.pop_first()
        {
            return Some((key, waiting, Origin::Known));
        }
        if self.n_turns % 4 == 1
            && let Some(flip) = self.once_more()
        {
            return Some(((0, 0), Waiting::One(flip), Origin::Again));
        }
        let is_over = self.open.is_empty() && self.aside.is_empty();
        let share = if self.is_costly { COSTLY_SHARE } else { 1 };
        let is_turn = FROM_RUN <= self.n_runs && self.work.sideways * share <= self.work.ahead;
        if !is_over
            && is_turn
            && let Some(flip) = self.sideways()
        {
            return Some(((0, 0), Waiting::One(flip), Origin::Sideways));
        }
        let is_aside = self.open.is_empty() || self.n_turns.is_multiple_of(self.turns_aside.every);
        if is_aside && let Some((key, waiting)) = self.aside.pop_first() {
            return Some((key, waiting, Origin::Aside));
        }
        if let Some((key, waiting)) = self.open.pop_first().or_else(|| self.near.pop_first()) {
            return Some((key, waiting, Origin::Known));
        }
        let (key, waiting) = self.close.pop_first().or_else(|| self.further.pop_first())?;
        Some((key, waiting, Origin::Sideways))
    }

    /// A flip of a run that went where none had been, unless nothing takes it.
    fn once_more(&mut self) -> Option<Flip> {
        let Frontier { again, tree, asked, reach, .. } = self;
        again.take(|it| {
            let is_asked = asked.contains_key(&(it.node, it.alternative));
            *reach <= it.depth || is_asked && !tree.is_taken(it.node, it.alternative)
        })
    }

    /// In turn with what the strategy says: towards what was never taken, and what seldom was.
    fn sideways(&mut self) -> Option<Flip> {
        let Frontier { aims, rare, tree, visited, asked, .. } = self;
        let is_done = |node, it| tree.is_taken(node, it) || asked.contains_key(&(node, it));
        match self.n_turns % 4 {
            2 => {
                let flip = aims.take(tree, |it| visited.contains(&it), is_done)?;
                (flip.depth < self.reach).then_some(flip)
            }
            3 => rare.take(is_done),
            _ => None,
        }
    }

    /// The alternatives after this one.
    fn put_back(&mut self, key: (u64, u64), flip: Flip, last: usize) {
        if flip.alternative < last {
            let rest = Flip { alternative: flip.alternative + 1, ..flip };
            let is_asked = !self.visited.contains(&(flip.site, flip.alternative));
            let key = if is_asked && self.strategy.prefers_new() {
                let base = self.strategy.key(&flip, key.1, self.seed).0;
                self.count_new(flip.site, (base, key.1))
            } else {
                key
            };
            self.insert(flip.site, key, Waiting::Many(rest, last));
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
        if is_too_deep {
            self.cut(*flip);
        }
        is_too_deep
    }

    fn cut(&mut self, flip: Flip) {
        self.is_cut = true;
        if self.beyond.len() < MAX_BEYOND {
            let key = self.key(&flip);
            self.beyond.insert(key, Waiting::One(flip));
        }
    }

    /// Goes on beyond the depth; `false`: there is nothing.
    pub(crate) fn deepen(&mut self) -> bool {
        let Some(nearest) = self.beyond.values().map(Waiting::depth).min() else { return false };
        self.max_depth = self.max_depth.max(nearest) + DEEPER;
        self.open.append(&mut self.beyond);
        self.deep_tries.clear();
        self.is_cut = false;
        true
    }

    pub(crate) fn is_visited(&self, alternative: (SiteId, usize)) -> bool {
        self.visited.contains(&alternative)
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
        let mut frontier = Frontier::new(strategy, 0, 3, false);
        paths.iter().for_each(|it| assert!(frontier.learn(&path(it), &[], |_| true)));
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
    fn what_is_tested_comes_before_what_it_uses() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 9, false);
        let path = path(&[(7, 0), (7, 0), (1, 0), (1, 1), (8, 0), (8, 0)]);
        assert!(frontier.learn(&path, &[], |it| it.0 < 5));
        let depths: Vec<usize> =
            std::iter::from_fn(|| frontier.take()).map(|it| it.depth).collect();
        // Nothing is new inside; the others take turns, and so does what was seldom taken.
        assert_eq!(depths, [2, 3, 0, 1, 4, 5]);
    }

    #[test]
    fn what_no_run_has_taken_is_looked_for_from_where_runs_came_by() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 20, false);
        // The other way at site 9 was never taken; both ways at site 1 were.
        let first: Vec<(u32, usize)> = (0..6).map(|it| (1, it % 2)).chain([(9, 0)]).collect();
        (0..FROM_RUN).for_each(|_| assert!(frontier.learn(&path(&first), &[], |_| true)));
        let depths: Vec<usize> =
            std::iter::from_fn(|| frontier.take()).map(|it| it.depth).collect();
        // At once, then by turns: the least depth, and the nearest before it.
        assert_eq!(depths.first(), Some(&6));
        assert_eq!(depths.get(1..3), Some([0, 5].as_slice()));
        assert_eq!(depths.len(), 7);
    }

    #[test]
    fn many_alternatives_come_one_by_one() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 9, false);
        let heads: Vec<trace::Head> = (0..40).map(trace::Head::Tuple).collect();
        let looked = Looked::Heads(ExprId(0), heads.into());
        let choice = Choice { site: SiteId(1), taken: 3, looked };
        assert!(frontier.learn(&[choice], &[], |_| true));
        let alternatives: Vec<usize> =
            std::iter::from_fn(|| frontier.take()).map(|it| it.alternative).collect();
        assert_eq!(alternatives, (0..=40).filter(|it| *it != 3).collect::<Vec<_>>());
    }

    #[test]
    fn a_run_that_contradicts_another_is_noticed() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 3, false);
        assert!(frontier.learn(&path(&[(1, 0), (2, 0)]), &[], |_| true));
        assert!(!frontier.learn(&path(&[(1, 0), (3, 0)]), &[], |_| true));
    }
}
