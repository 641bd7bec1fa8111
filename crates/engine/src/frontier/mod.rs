//! The frontier: which choice of a past run is flipped next.
//!
//! Flips are proposed by [`source::Source`]s that take turns ([`source::TURNS`]). The frontier tells the sources what
//! each run has shown, and drops flips that were asked before. Sees sites and alternatives, never terms.

mod again;
mod aims;
mod favoured;
mod flip;
mod ordered;
mod rare;
mod seen;
mod source;
mod tree;
mod uncovered;

pub(crate) use flip::Flip;

use crate::frontier::again::Again;
use crate::frontier::aims::Aims;
use crate::frontier::favoured::Favoured;
use crate::frontier::flip::MAX_SINGLE_FLIPS;
use crate::frontier::ordered::Ordered;
use crate::frontier::rare::Rare;
use crate::frontier::seen::{Goal, Seen, is_pin};
use crate::frontier::source::{Offer, Source, SourceName, TURNS, Turn};
use crate::frontier::tree::{Above, Met, NodeId, Tree};
use crate::frontier::uncovered::Uncovered;
use crate::strategy::Strategy;
use std::collections::VecDeque;
use trace::{Choice, SiteId};

#[derive(Debug)]
pub(crate) struct Frontier {
    strategy: Strategy,
    seen: Seen,
    uncovered: Uncovered,
    library: Uncovered,
    ordered: Ordered,
    recent: Favoured,
    longest: Favoured,
    close: Favoured,
    aims: Aims,
    rare: Rare,
    again: Again,
    turns_of_library: Adaptive,
    /// How often no alternative in the code under test was uncovered, so that the other sources took turns.
    n_turns: u64,
    cost: Cost,
    /// Whether the solver needs much more effort than the runs; detours then get a smaller share.
    pub(crate) is_costly: bool,
}

/// How far beyond the depth limit detours may flip choices.
const DETOUR_DEPTH: usize = 250;

/// The number of runs before the first detour.
const FIRST_DETOUR: usize = 100;

/// While solving is costly, detours may cost at most one part in this many of the cost of all other flips.
const SHARE_OF_DETOURS: usize = 4;

/// How many of the last choices of a run with news are queued for flipping first.
const N_LAST: usize = 20;

/// How many choices of a pursued run are flipped, taken alternately from its beginning and its end.
const N_PURSUED: usize = 60;

impl Frontier {
    pub(crate) fn new(
        strategy: Strategy,
        seed: u64,
        max_depth: usize,
        may_deepen: bool,
    ) -> Frontier {
        let reach = if may_deepen { max_depth + DETOUR_DEPTH } else { max_depth };
        Frontier {
            strategy,
            seen: Seen::new(reach),
            uncovered: Uncovered::default(),
            library: Uncovered::default(),
            ordered: Ordered::new(strategy, seed, max_depth),
            recent: Favoured::default(),
            longest: Favoured::default(),
            close: Favoured::default(),
            aims: Aims::default(),
            rare: Rare::default(),
            again: Again::default(),
            turns_of_library: Adaptive::default(),
            n_turns: 0,
            cost: Cost::default(),
            is_costly: false,
        }
    }

    /// Adds the flips of the choices of a run that are new to the tree. Returns `false` if the run contradicts an
    /// earlier one, which means that the program is not deterministic.
    pub(crate) fn learn(
        &mut self,
        choices: &[Choice],
        trails: &[u64],
        is_inside: impl Fn(SiteId) -> bool,
    ) -> bool {
        let run = self.seen.begin(choices, is_inside);
        let mut above = None;
        let mut is_consistent = true;
        for (depth, choice) in choices.iter().enumerate() {
            let trail = trails.get(depth).copied().unwrap_or(0);
            let Met { node, is_new, is_conflict } = self.seen.meet(above, choice);
            is_consistent &= !is_conflict;
            if is_new && !self.seen.has_enough_pins(choice) {
                self.add_all(node, choice, depth, run);
                if self.strategy.prefers_uncovered() {
                    self.look_around(above, node, choice, (depth, run, trail));
                }
            }
            self.rare.count(choice, trail);
            above = Some((node, choice.taken));
        }
        is_consistent
    }

    /// Queues the alternatives of a choice that no run met before.
    fn add_all(&mut self, node: NodeId, choice: &Choice, depth: usize, run: usize) {
        let (site, n_alternatives) = (choice.site, choice.n_alternatives());
        let is_inside = self.seen.is_inside(site);
        let prefers_uncovered = self.strategy.prefers_uncovered();
        let (uncovered, source) = match is_inside {
            true => (&mut self.uncovered, SourceName::Uncovered),
            false => (&mut self.library, SourceName::Library),
        };
        let source = if prefers_uncovered { source } else { SourceName::Strategy };
        let flip = |alternative| Flip { node, alternative, site, depth, run, source };
        if n_alternatives > MAX_SINGLE_FLIPS {
            match prefers_uncovered {
                true => uncovered.add_many(flip(0), n_alternatives - 1),
                false => self.ordered.add_many(flip(0), n_alternatives - 1),
            }
            return;
        }
        for alternative in (0..n_alternatives).filter(|it| *it != choice.taken) {
            let flip = flip(alternative);
            let is_covered = self.seen.is_covered((site, alternative));
            if is_covered && self.ordered.max_depth <= depth {
                self.ordered.cut(flip);
            } else if !is_covered && prefers_uncovered {
                uncovered.add(flip);
            } else {
                self.ordered.add(flip);
            }
        }
    }

    /// Tells the sources of detours about a choice that no run met before.
    fn look_around(
        &mut self,
        above: Above,
        node: NodeId,
        choice: &Choice,
        (depth, run, trail): (usize, usize, u64),
    ) {
        let (site, n_alternatives) = (choice.site, choice.n_alternatives());
        if n_alternatives > MAX_SINGLE_FLIPS || is_pin(choice) {
            return;
        }
        let is_inside = self.seen.is_inside(site);
        for alternative in (0..n_alternatives).filter(|it| *it != choice.taken) {
            let goal = (site, alternative);
            if is_inside && !self.seen.is_covered(goal) {
                self.aims.came_by(goal, above, depth, run);
            }
            if depth < self.seen.reach {
                let source = SourceName::Rare;
                self.rare.add(Flip { node, alternative, site, depth, run, source }, trail);
            }
        }
    }

    /// Records that the last run's input was made for the flip. The pair is the length of the run's path and the
    /// alternative that its last choice took.
    pub(crate) fn was_run(
        &mut self,
        flip: Flip,
        (n_choices, last_taken): (usize, Option<usize>),
        is_news: bool,
    ) {
        let target = (flip.node, flip.alternative);
        if self.seen.asked_by(flip.node, flip.alternative) == Some(SourceName::Library) {
            self.turns_of_library.count(is_news);
        }
        let last = self.seen.last.last().copied().zip(last_taken);
        self.aims.was_run(target, last, n_choices, self.last_run());
    }

    /// Queues the flips of the last run, which had news, to be asked again with its input as the hint.
    pub(crate) fn ask_again(&mut self, choices: &[Choice]) {
        if self.strategy.prefers_uncovered() {
            let flips = self.both_ends(choices, 0, SourceName::Again);
            self.again.found(flips);
        }
    }

    /// Queues the later flips of the last run, which was made for `flip` and had no news, if the flip came from
    /// [`SourceName::Again`].
    pub(crate) fn ask_on(&mut self, flip: &Flip, choices: &[Choice]) {
        if self.again.leads_on(flip) {
            let flips = self.both_ends(choices, flip.depth + 1, SourceName::Again);
            self.again.go_on(flip, flips);
        }
    }

    /// Queues the last flips of the last run, from depth `from` on, for soon. `generation` is the run's distance in
    /// flips from the nearest ancestor with news.
    pub(crate) fn ask_soon(&mut self, choices: &[Choice], from: usize, generation: u64) {
        let max_depth = self.ordered.max_depth;
        let nodes = self.seen.last.iter().copied();
        let within = choices.iter().zip(nodes).enumerate().skip(from).take(max_depth);
        let within: Vec<(usize, (&Choice, NodeId))> = within.collect();
        let last = within.into_iter().rev().take(N_LAST).filter(|it| it.0 < max_depth);
        let flips: Vec<Flip> =
            last.flat_map(|it| self.alternatives(it, SourceName::Recent)).collect();
        self.recent.add(generation, flips);
    }

    /// Queues the flips of the last run from depth `from` on, however deep, before those of all runs pursued earlier. A
    /// loop that must be repeated often is thus followed to its end.
    pub(crate) fn pursue(&mut self, choices: &[Choice], from: usize) {
        let flips = self.both_ends(choices, from, SourceName::Longest);
        self.longest.add(u64::MAX - self.last_run() as u64, flips);
    }

    /// Queues the flips of a run that came close to a wanted clause, or that is a descendant of such a run at a
    /// distance of `n_steps` flips.
    pub(crate) fn approach(&mut self, choices: &[Choice], from: usize, n_steps: u64) {
        let flips = self.both_ends(choices, from, SourceName::Close);
        self.close.add(n_steps, flips);
    }

    fn last_run(&self) -> usize {
        self.seen.n_runs.saturating_sub(1)
    }

    /// Returns the flips of the last run from depth `from` on, alternately from the beginning and the end of the path.
    /// The length of a text is chosen before its letters are, that of a list after its elements.
    fn both_ends(&self, choices: &[Choice], from: usize, source: SourceName) -> Vec<Flip> {
        let nodes = self.seen.last.iter().copied();
        let mut left: VecDeque<(usize, (&Choice, NodeId))> =
            choices.iter().zip(nodes).enumerate().skip(from).collect();
        let ends = (0..N_PURSUED).map_while(|n: usize| match n.is_multiple_of(2) {
            true => left.pop_front(),
            false => left.pop_back(),
        });
        ends.flat_map(|it| self.alternatives(it, source)).collect()
    }

    /// Returns the flips of one choice of the last run.
    fn alternatives(
        &self,
        (depth, (choice, node)): (usize, (&Choice, NodeId)),
        source: SourceName,
    ) -> impl Iterator<Item = Flip> + use<> {
        let (site, taken, run) = (choice.site, choice.taken, self.last_run());
        let n = choice.n_alternatives();
        let n = if n > MAX_SINGLE_FLIPS || is_pin(choice) { 0 } else { n };
        let flip = move |alternative| Flip { node, alternative, site, depth, run, source };
        (0..n).filter(move |it| *it != taken).map(flip)
    }

    /// Takes the next flip to ask for; `None` if there is none within the depth limit.
    pub(crate) fn take(&mut self) -> Option<Flip> {
        loop {
            let (source, offer) = self.next()?;
            let flip = Flip { source, ..offer.flip };
            if source == SourceName::Again {
                self.cost.count(&flip);
                return Some(flip);
            }
            if self.seen.is_done(flip.node, flip.alternative) {
                continue;
            }
            // Another run may have covered the alternative since the flip was queued; it then waits in the order of the
            // strategy.
            let was_uncovered = matches!(source, SourceName::Uncovered | SourceName::Library);
            if was_uncovered && self.seen.is_covered((flip.site, flip.alternative)) {
                self.ordered.add_covered(offer);
                continue;
            }
            if source.is_detour() || !self.ordered.is_too_deep(&flip, &self.seen) {
                self.cost.count(&flip);
                self.seen.ask(flip.node, flip.alternative, source);
                return Some(flip);
            }
        }
    }

    fn next(&mut self) -> Option<(SourceName, Offer)> {
        if let Some(offer) = self.uncovered.offer(&self.seen) {
            return Some((SourceName::Uncovered, offer));
        }
        self.n_turns += 1;
        TURNS.into_iter().find_map(|(source, turn)| {
            let offer = self.has_turn(turn).then(|| self.offer(source))?;
            Some((source, offer?))
        })
    }

    fn has_turn(&self, turn: Turn) -> bool {
        match turn {
            Turn::OneOf { of, nth } => self.n_turns % of == nth,
            Turn::Detour { of, nth } => self.n_turns % of == nth && self.may_detour(),
            Turn::Adaptive => {
                self.ordered.is_empty() || self.n_turns.is_multiple_of(self.turns_of_library.every)
            }
            Turn::Always => true,
        }
    }

    fn may_detour(&self) -> bool {
        let is_rest_over = self.ordered.is_empty() && self.library.is_empty();
        let share = if self.is_costly { SHARE_OF_DETOURS } else { 1 };
        !is_rest_over
            && FIRST_DETOUR <= self.seen.n_runs
            && self.cost.of_detours * share <= self.cost.of_rest
    }

    fn offer(&mut self, source: SourceName) -> Option<Offer> {
        let source: &mut dyn Source = match source {
            SourceName::Uncovered => &mut self.uncovered,
            SourceName::Library => &mut self.library,
            SourceName::Strategy => &mut self.ordered,
            SourceName::Recent => &mut self.recent,
            SourceName::Longest => &mut self.longest,
            SourceName::Close => &mut self.close,
            SourceName::Towards => &mut self.aims,
            SourceName::Rare => &mut self.rare,
            SourceName::Again => &mut self.again,
        };
        source.offer(&self.seen)
    }

    /// Raises the depth limit; returns `false` if there is no flip beyond it.
    pub(crate) fn deepen(&mut self) -> bool {
        self.ordered.deepen()
    }

    /// Whether flips were left out because of the depth limit.
    pub(crate) fn is_cut(&self) -> bool {
        self.ordered.is_cut
    }

    pub(crate) fn is_covered(&self, goal: Goal) -> bool {
        self.seen.is_covered(goal)
    }

    /// Returns how many alternatives of sites in the code under test were taken by runs.
    pub(crate) fn n_covered(&self) -> usize {
        self.seen.n_covered_inside()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.seen.tree
    }
}

/// The interval between the turns of a source; it grows while the source's flips bring no news.
#[derive(Debug)]
struct Adaptive {
    every: u64,
    n_idle: u64,
}

/// The interval at first and at most, in turns. It is limited because a library may have more alternatives than the
/// search has time for.
const EVERY_AT_FIRST: u64 = 4;
const EVERY_AT_LAST: u64 = 8;

/// The interval doubles after this many flips in a row without news.
const MAX_IDLE: u64 = 24;

impl Default for Adaptive {
    fn default() -> Adaptive {
        Adaptive { every: EVERY_AT_FIRST, n_idle: 0 }
    }
}

impl Adaptive {
    fn count(&mut self, is_news: bool) {
        self.n_idle = if is_news { 0 } else { self.n_idle + 1 };
        if is_news {
            self.every = EVERY_AT_FIRST;
        } else if self.n_idle.is_multiple_of(MAX_IDLE) {
            self.every = (self.every * 2).min(EVERY_AT_LAST);
        }
    }
}

/// The cost of all flips asked so far. The cost of a question is estimated by the length of its path in choices.
#[derive(Debug, Default)]
struct Cost {
    of_rest: usize,
    of_detours: usize,
}

impl Cost {
    fn count(&mut self, flip: &Flip) {
        let of = if flip.source.is_detour() { &mut self.of_detours } else { &mut self.of_rest };
        *of += flip.depth + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_DETOUR, Frontier};
    use crate::strategy::Strategy;
    use term::ExprId;
    use trace::{Choice, Looked, SiteId};

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
        // Both alternatives at site 1 are covered, at site 2 only one.
        check(Strategy::VisitedFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 2), (0, 0), (0, 1)]);
        check(Strategy::BreadthFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 0), (0, 1), (0, 2)]);
        check(Strategy::DepthFirst, &[&[(1, 0), (1, 1), (2, 0)]], &[(0, 2), (0, 1), (0, 0)]);
    }

    #[test]
    fn nothing_is_flipped_twice() {
        check(Strategy::VisitedFirst, &[&[(1, 0)], &[(1, 0)]], &[(0, 0)]);
        // The second run took the flip of the first.
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
        // No alternative inside is uncovered; the strategy, the library and the rare sequences take turns.
        assert_eq!(depths, [2, 3, 0, 1, 4, 5]);
    }

    #[test]
    fn what_no_run_has_taken_is_looked_for_from_where_runs_came_by() {
        let mut frontier = Frontier::new(Strategy::VisitedFirst, 0, 20, false);
        // The other alternative at site 9 was never taken; both alternatives at site 1 were.
        let first: Vec<(u32, usize)> = (0..6).map(|it| (1, it % 2)).chain([(9, 0)]).collect();
        (0..FIRST_DETOUR).for_each(|_| assert!(frontier.learn(&path(&first), &[], |_| true)));
        let depths: Vec<usize> =
            std::iter::from_fn(|| frontier.take()).map(|it| it.depth).collect();
        // The uncovered alternative comes first; then the strategy (the least depth) and the detour (the choice nearest
        // before site 9) take turns.
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
