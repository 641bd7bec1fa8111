//! Parts of a search that somebody else makes: sequences that are planned behind one branch.
//!
//! What lies behind a sequence that is planned is determined by the steps to its end, what sleeps on the
//! way and which actors have names. So whoever explores it finds the same, in the same order. What his runs
//! give reason to at nodes on the way he tells (`wishes`), and whoever has them looks at it when it is the
//! sequence's turn; what is planned in the meantime comes after it. A search is the same, run by run,
//! however it is divided.

use crate::oracle::Oracle;
use crate::report::Stop;
use crate::schedules::crew::Hand;
use crate::schedules::doing::Doing;
use crate::schedules::node::Node;
use crate::schedules::offers::{fits, is_open};
use crate::schedules::plan::Settlements;
use crate::schedules::search::{Search, Sleepers};
use crate::schedules::settings::{Dpor, Gather, ScheduleReport, ScheduleSettings};
use crate::schedules::wakeup::{Asleep, Branch};
use crate::schedules::wishes::{Told, Wish};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use trace::{ActorName, ExecutorError, Input, Label, Offer, Stage};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PartId(pub(super) usize);

/// A sequence of a part, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LeafId(pub(super) PartId, pub(super) usize);

/// A branch to be explored, as far as it is planned.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) id: PartId,
    /// The path; the branch is the first one of the last node.
    nodes: Vec<Node>,
    /// Branches of the last node that come before it and have not been begun: what their steps do is
    /// known only in part.
    before: Vec<Branch>,
    settled: Settlements,
    names: Vec<ActorName>,
    max_runs: Option<usize>,
}

/// What came of one of its sequences.
#[derive(Debug)]
pub(super) struct Leaf<G> {
    /// Its steps.
    labels: Vec<Label>,
    /// What they do and how many preemptions there are after each, for the last of them: the others are
    /// those of the sequence before.
    doings: Vec<(Arc<Doing>, usize)>,
    pub(super) report: ScheduleReport,
    is_cut: bool,
    classes: FxHashSet<u64>,
    told: Vec<Told>,
    /// How many steps are those of the run before, in all runs since something was told.
    n_known: usize,
    gathered: G,
}

/// More than this, and whoever has the nodes had better look for himself.
const MAX_TOLD: usize = 10_000;

/// They take memory until it is their turn.
const MAX_LEAVES: usize = 1000;

impl Search {
    /// Gives a branch away if somebody wants one: the first of those that are nearest to the start.
    pub(super) fn give<G: Gather>(&mut self, hand: &mut Hand<'_, G>, stage: &dyn Stage) {
        let Some(min_part) = hand.wants(self.report.n_runs) else { return };
        for (depth, place, id) in self.given() {
            if let Some(leaves) = hand.hear(id) {
                self.attach(hand, (depth, place), id, leaves);
            }
        }
        let Some((depth, place)) = self.candidate(min_part) else { return };
        let id = hand.next_id();
        let Some((node, path)) = self.nodes.get(..=depth).and_then(|it| it.split_last()) else {
            return;
        };
        let input = &self.input;
        let outline = |it: &Node| {
            let tree = it.tree.iter().map(|it| it.outline(input)).collect();
            Node::new(it.sleep.clone(), tree, it.n_preemptions, 0)
        };
        let mut nodes: Vec<Node> = path.iter().map(outline).collect();
        let mut last = outline(node);
        if let (Some(branch), Some(whole)) = (last.tree.get_mut(place), node.tree.get(place)) {
            *branch = whole.first_of(&mut { MAX_LEAVES });
        }
        let mut before: Vec<Branch> = last.tree.drain(..place).collect();
        last.sleep.push(before.remove(0).into_asleep());
        nodes.push(last);
        if let Some(branch) = self.nodes.get_mut(depth).and_then(|it| it.tree.get_mut(place)) {
            branch.given = Some(id);
        }
        let max_runs = self.settings.max_runs.map(|it| it.saturating_sub(self.report.n_runs));
        let (settled, names) = (self.settled.before(depth), stage.names());
        hand.give(Part { id, nodes, before, settled, names, max_runs });
    }

    /// A node and the place of a branch of it that is worth to be given away: one with many sequences whose
    /// turn comes soon, or else one that may have many runs.
    fn candidate(&self, min_part: usize) -> Option<(usize, usize)> {
        let first = |depth: usize, node: &Node, n: usize| {
            let mut others = node.tree.iter().enumerate().skip(1);
            let is_free = |it: &Branch| it.given.is_none() && it.known.is_none();
            let found = others.find(|it| is_free(it.1) && n <= it.1.n_left(n));
            found.map(|it| (depth, it.0))
        };
        let own = || self.nodes.iter().enumerate().skip(self.n_others);
        let many = own().rev().find_map(|it| first(it.0, it.1, min_part));
        many.or_else(|| {
            own().find_map(|(depth, node)| {
                let n_runs = self.report.n_runs.saturating_sub(node.size.n_before);
                let is_large = min_part <= n_runs.max(node.size.largest);
                is_large.then(|| first(depth, node, node.size.min_given)).flatten()
            })
        })
    }

    /// All that others have, in the order of their turns.
    pub(super) fn given(&self) -> Vec<(usize, usize, PartId)> {
        let nodes = self.nodes.iter().enumerate().skip(self.n_others).rev();
        let of = |(depth, node): (usize, &Node)| {
            let given = node.tree.iter().enumerate();
            let given = given.filter_map(move |(place, it)| Some((depth, place, it.given?)));
            given.collect::<Vec<_>>()
        };
        nodes.flat_map(of).collect()
    }

    /// Notes at a branch which of its sequences were made.
    pub(super) fn attach<G: Gather>(
        &mut self,
        hand: &mut Hand<'_, G>,
        (depth, place): (usize, usize),
        id: PartId,
        leaves: Vec<Leaf<G>>,
    ) {
        let Some(node) = self.nodes.get_mut(depth) else { return };
        let n_runs: usize = leaves.iter().map(|it| it.report.n_runs).sum();
        if n_runs < hand.min_part() {
            node.size.min_given = hand.min_part();
        }
        let Some(branch) = node.tree.get_mut(place) else { return };
        branch.given = None;
        for (n, mut leaf) in leaves.into_iter().enumerate() {
            let n_same = leaf.labels.len().saturating_sub(leaf.doings.len());
            let mut doings = std::mem::take(&mut leaf.doings).into_iter();
            let mut at = Some(&mut *branch);
            for (nth, label) in leaf.labels.iter().enumerate().skip(1) {
                let Some(it) = at else { break };
                if n_same < nth
                    && let Some((doing, n_preemptions)) = doings.next()
                {
                    (it.doing, it.known) = (doing, Some(n_preemptions));
                }
                at = it.children.iter_mut().find(|it| it.doing.label == *label);
            }
            if let (Some(it), Some((doing, n_preemptions))) = (at, doings.next()) {
                (it.doing, it.known, it.made) = (doing, Some(n_preemptions), Some(LeafId(id, n)));
                hand.leaves.insert(LeafId(id, n), leaf);
            }
        }
    }

    /// Adds what came of a sequence, whose turn it is. `false`: with so many runs more the search comes to
    /// its end, and that has to be seen here.
    pub(super) fn join<G: Gather>(
        &mut self,
        hand: &mut Hand<'_, G>,
        stage: &mut dyn Stage,
        id: LeafId,
    ) -> bool {
        let Some(mut leaf) = hand.leaves.remove(&id) else { return false };
        let n_runs = self.report.n_runs + leaf.report.n_runs;
        if self.settings.max_runs.is_some_and(|it| it <= n_runs) {
            return false;
        }
        for told in std::mem::take(&mut leaf.told) {
            self.listen(stage, told);
        }
        self.n_known = self.n_known.min(leaf.n_known);
        self.settled.truncate(leaf.n_known);
        self.count(hand, leaf);
        true
    }

    /// Plans what a run of somebody else gave reason to, as if it had been made here.
    fn listen(&mut self, stage: &mut dyn Stage, Told { n_known, wishes }: Told) {
        self.settled.truncate(n_known);
        self.n_known = self.n_known.min(n_known);
        let is_optimal = self.settings.dpor == Dpor::Optimal;
        let is_news = |it: &Wish| !is_optimal || !it.plan.is_settled(&self.settled);
        let wishes: Vec<Wish> = wishes.into_iter().filter(is_news).collect();
        let (mut settled, mut further) = (Vec::new(), Vec::new());
        for wish in wishes {
            if wish.plan.at < self.n_others {
                further.push(wish);
                continue;
            }
            let Wish { plan, sequence } = wish;
            let inputs = vec![(Arc::clone(&self.input), 0)];
            let sequence = &sequence.iter();
            let place = self.put(stage.exprs(), plan.at, sequence, inputs, &None, Sleepers::Others);
            settled.extend(place.and_then(|it| plan.settled(it)));
        }
        settled.into_iter().for_each(|it| self.settled.add(it));
        self.tell_others(further);
    }

    /// Tells those who have the first nodes what a run gave reason to there.
    pub(super) fn tell_others(&mut self, wishes: Vec<Wish>) {
        if !wishes.is_empty() {
            let n_known = std::mem::replace(&mut self.n_known, usize::MAX);
            self.told.push(Told { n_known, wishes });
        }
    }

    /// The search ends before its time: what was found by others in the meantime counts too.
    pub(super) fn join_rest<G: Gather>(
        &mut self,
        hand: &mut Hand<'_, G>,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
    ) {
        for (_, _, id) in self.given() {
            let leaves = hand.fetch(id, stage, oracle).leaves;
            leaves.into_iter().for_each(|it| self.count(hand, it));
        }
        for leaf in std::mem::take(&mut hand.leaves).into_values() {
            self.count(hand, leaf);
        }
    }

    fn count<G: Gather>(&mut self, hand: &mut Hand<'_, G>, leaf: Leaf<G>) {
        let Leaf { report, is_cut, classes, gathered, .. } = leaf;
        self.report.n_runs += report.n_runs;
        self.report.n_shared += report.n_runs;
        self.report.n_blocked += report.n_blocked;
        self.report.n_diverged += report.n_diverged;
        self.is_cut |= is_cut;
        if self.settings.counts_classes {
            self.classes.extend(classes);
            self.report.n_classes = self.classes.len();
        }
        hand.gathered.join(gathered);
    }

    /// Whether somebody else can't go on: actors that have no name yet may get another one where it is
    /// their turn.
    pub(super) fn is_hopeless(&self, stage: &dyn Stage) -> bool {
        self.n_names.is_some_and(|it| it < stage.n_names()) || MAX_TOLD < self.told.len()
    }
}

/// Explores the sequences of a branch on any stage, one after the other, until there are enough. Those that
/// are not made whoever has the node should make.
pub(super) fn perform<G: Gather>(
    hand: &mut Hand<'_, G>,
    stage: &mut dyn Stage,
    oracle: &mut dyn Oracle,
    (seed, settings): (&Input, &ScheduleSettings),
    part: Part,
    make: &dyn Fn() -> G,
) {
    let Part { id, nodes, before, settled, names, max_runs, .. } = part;
    stage.set_names(&names);
    stage.order_mail(settings.dpor.orders_mail());
    let mut search = Search::new(&ScheduleSettings { max_runs, ..*settings }, seed);
    search.nodes = nodes.iter().map(|it| it.own(&search.input)).collect();
    search.settled = settled;
    search.n_names = Some(names.len());
    let n_first = search.nodes.len();
    let Ok(asleep) = search.try_each(stage, &before) else { return };
    if let Some(node) = search.nodes.last_mut() {
        node.sleep.extend(asleep);
    }
    let mut is_over = false;
    loop {
        let n_same = search.nodes.len() - n_first;
        search.n_others = search.n_dictated();
        match search.go_on(hand, stage, oracle) {
            Ok(Stop::Exhausted | Stop::Depth) => (),
            Ok(Stop::Time | Stop::Interrupted) => {
                is_over = true;
                search.join_rest(hand, stage, oracle);
            }
            Ok(Stop::Runs | Stop::Unsupported) | Err(_) => {
                search.given().into_iter().for_each(|it| hand.forget(it.2));
                hand.leaves.clear();
                break;
            }
        }
        // A bound may have cut the sequence itself.
        if search.nodes.len() < search.n_others {
            break;
        }
        let chain = search.nodes.get(n_first - 1..search.n_others).unwrap_or_default();
        let own = |(n, it): (usize, &Node)| {
            let doing = Arc::new(Doing::clone(&it.tree.first()?.doing));
            Some((doing, chain.get(n + 1).map_or(0, |it| it.n_preemptions)))
        };
        let leaf = Leaf {
            labels: chain.iter().filter_map(Node::label).collect(),
            doings: chain.iter().enumerate().skip(n_same).filter_map(own).collect(),
            report: std::mem::take(&mut search.report),
            is_cut: std::mem::take(&mut search.is_cut),
            classes: std::mem::take(&mut search.classes),
            told: std::mem::take(&mut search.told),
            n_known: std::mem::replace(&mut search.n_known, usize::MAX),
            gathered: std::mem::replace(&mut hand.gathered, make()),
        };
        hand.tell(id, leaf);
        search.n_others = n_first;
        if is_over || hand.is_due() || !search.go_back(stage, oracle) {
            break;
        }
    }
}

impl Search {
    /// What the first steps of branches do after the path.
    fn try_each(
        &self,
        stage: &mut dyn Stage,
        branches: &[Branch],
    ) -> Result<Vec<Arc<Asleep>>, ExecutorError> {
        let Some((node, path)) = self.nodes.split_last() else { return Ok(Vec::new()) };
        let path: Vec<Label> = path.iter().filter_map(Node::label).collect();
        let last = path.last().map(|it| it.actor);
        let (mut res, mut has_begun) = (Vec::new(), false);
        for branch in branches {
            let is_known = branch.known.is_some();
            let mut branch = branch.outline(&self.input);
            if is_known {
                res.push(branch.into_asleep());
                continue;
            }
            let n_taken = if has_begun {
                stage.begin_again(&self.input, path.len())?
            } else {
                stage.begin(&self.input)?;
                0
            };
            has_begun = true;
            for label in path.iter().skip(n_taken) {
                stage.offers()?;
                stage.step(*label)?;
            }
            let (label, offers) = (branch.doing.label, stage.offers()?);
            let leaves =
                |of: &Offer| Some(of.actor) == last && of.actor != label.actor && is_open(of);
            let n_preemptions = node.n_preemptions + usize::from(offers.iter().any(leaves));
            let is_within = self.settings.preemptions.is_none_or(|it| n_preemptions <= it);
            if is_within && offers.iter().any(|it| fits(it, label)) {
                branch.doing = Doing::of_step(&mut stage.step(label)?);
            }
            stage.end()?;
            res.push(branch.into_asleep());
        }
        Ok(res)
    }
}
