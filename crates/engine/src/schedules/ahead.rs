//! Runs of a search that others make ahead of their turn.
//!
//! A run is determined by the steps that are dictated to it and by what sleeps where they end. So
//! somebody else can make it before its turn, on another machine: he gets a branch that is planned at a
//! node of the path, and explores it as if it were its turn. What he finds is a guess at what the search
//! will need. When the search comes to a run that was made so, with the same steps dictated and the same
//! steps asleep, it takes what came of it and plans what the run gives reason to, in the trees as they
//! are by now; else it makes the run itself. The search is the same, run by run, whoever made them.

use crate::oracle::Oracle;
use crate::schedules::doing::Doing;
use crate::schedules::node::Node;
use crate::schedules::offers::fits;
use crate::schedules::plan::{Plan, Settlements};
use crate::schedules::search::{Put, Ran, Search};
use crate::schedules::settings::ScheduleSettings;
use crate::schedules::wakeup::{Asleep, Branch};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use trace::{ActorName, ExecutorError, Input, Label, Stage};

/// Who makes runs ahead of their turn.
pub trait Helpers {
    /// Whether somebody could do with one more job, if so many runs wait for their turn.
    fn want(&self, n_waiting: usize) -> bool;

    fn give(&mut self, job: Job);

    /// What has been found since one asked.
    fn hear(&mut self) -> Vec<News>;

    /// Nobody need go on with this.
    fn take_back(&mut self, id: JobId);
}

/// One does all alone.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Helpers for Nobody {
    fn want(&self, _: usize) -> bool {
        false
    }

    fn give(&mut self, _: Job) {}

    fn hear(&mut self) -> Vec<News> {
        Vec::new()
    }

    fn take_back(&mut self, _: JobId) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId(usize);

/// A branch to be explored.
#[derive(Debug)]
pub struct Job {
    pub(super) id: JobId,
    /// The path; the branch is the first one of the last node.
    nodes: Vec<Node>,
    /// Branches of the last node that come before it and have not been tried: what their steps do is
    /// known only in part.
    before: Vec<Branch>,
    settled: Settlements,
    names: Vec<ActorName>,
}

/// A run that was made for a job.
#[derive(Debug)]
pub struct News {
    id: JobId,
    /// Of the steps that were dictated.
    mark: u64,
    ran: Ran,
}

/// All that is needed to put a run in its place that was made elsewhere.
#[derive(Debug)]
pub(super) struct Aside {
    /// Of what slept at the first node where it differs from the run before.
    mark: u64,
    /// For each of these, at how many of the nodes after it they sleep too.
    lasting: Vec<usize>,
    /// The steps from there on.
    steps: Vec<Taken>,
    pub(super) plans: Vec<(Plan, Put)>,
    /// Plans that were settled.
    pub(super) skipped: Vec<(usize, Label)>,
}

#[derive(Debug)]
struct Taken {
    doing: Arc<Doing>,
    n_preemptions: usize,
    /// What else could be done, if all of it is to be tried.
    others: Vec<Branch>,
}

/// What others do for a search.
pub(super) struct Ahead<'h> {
    helpers: &'h mut dyn Helpers,
    given: Vec<Given>,
    waiting: FxHashMap<u64, (JobId, Ran)>,
    n_jobs: usize,
}

struct Given {
    id: JobId,
    depth: usize,
    label: Label,
    is_wanted: bool,
}

/// A search with fewer runs is not worth the machines that helpers need.
const SMALL: usize = 500;

/// Runs of a branch that is worth to be given away. To begin with it costs as much as a few of them.
const LARGE: usize = 24;

/// Runs that one job is for. They take memory until it is their turn.
const MAX_RUNS: usize = 1000;

impl<'h> Ahead<'h> {
    pub(super) fn new(helpers: &'h mut dyn Helpers) -> Ahead<'h> {
        Ahead { helpers, given: Vec::new(), waiting: FxHashMap::default(), n_jobs: 0 }
    }

    /// The run that is to be made now, if others have made it; it is in its place then.
    pub(super) fn take(&mut self, search: &mut Search, stage: &mut dyn Stage) -> Option<Ran> {
        if self.given.is_empty() {
            return None;
        }
        for News { id, mark, ran } in self.helpers.hear() {
            if self.given.iter().any(|it| it.id == id) {
                self.waiting.insert(mark, (id, ran));
            }
        }
        let found = self.waiting.remove(&mark_dictated(&search.nodes));
        let found = found.and_then(|it| search.adopt(stage, it.1));
        if found.is_none() {
            // Whoever is at this branch is not before us any more.
            for it in self.given.iter_mut().filter(|it| it.is_wanted && it.is_in(&search.nodes)) {
                it.is_wanted = false;
                self.helpers.take_back(it.id);
            }
        }
        found
    }

    /// Gives a branch away, if somebody wants one: of those that are large enough, one of the last, as
    /// its turn comes soon.
    pub(super) fn give(&mut self, search: &Search, stage: &dyn Stage) {
        self.forget(&search.nodes);
        if search.report.n_runs < SMALL || !self.helpers.want(self.waiting.len()) {
            return;
        }
        let Some((depth, place)) = self.candidate(search) else { return };
        let Some((node, path)) = search.nodes.get(..=depth).and_then(|it| it.split_last()) else {
            return;
        };
        let Some(branch) = node.tree.get(place) else { return };
        let mut nodes: Vec<Node> = path.iter().map(|it| it.outline(it.tree.iter())).collect();
        let later = node.tree.iter().skip(place + 1);
        let mut last = node.outline(later);
        last.tree.insert(0, branch.clone());
        let mut before: Vec<Branch> = node.tree.iter().take(place).map(Branch::outline).collect();
        last.sleep.push(before.remove(0).into_asleep());
        nodes.push(last);
        let id = JobId(self.n_jobs);
        self.n_jobs += 1;
        self.given.push(Given { id, depth, label: branch.doing.label, is_wanted: true });
        let settled = search.settled.before(depth);
        self.helpers.give(Job { id, nodes, before, settled, names: stage.names() });
    }

    /// Branches that are done are nobody's business any more.
    fn forget(&mut self, nodes: &[Node]) {
        let is_open = |it: &Given| {
            let tree = nodes.get(it.depth).map(|it| &*it.tree).unwrap_or_default();
            tree.iter().any(|of| of.doing.label == it.label)
        };
        let Ahead { helpers, given, waiting, .. } = self;
        given.retain(|it| {
            let is_open = is_open(it);
            if !is_open {
                helpers.take_back(it.id);
                waiting.retain(|_, of| of.0 != it.id);
            }
            is_open
        });
    }

    /// A node and the place of a branch of it.
    fn candidate(&self, search: &Search) -> Option<(usize, usize)> {
        // The last node is the one whose branch is made next.
        let depths = (0..search.nodes.len().saturating_sub(1)).rev();
        depths.into_iter().find_map(|depth| {
            let node = search.nodes.get(depth)?;
            let n_runs = search.report.n_runs.saturating_sub(node.size.n_before);
            if n_runs.max(node.size.largest) < LARGE {
                return None;
            }
            let is_given =
                |label: Label| self.given.iter().any(|it| it.depth == depth && it.label == label);
            let mut branches = node.tree.iter().enumerate().skip(1);
            branches.find(|it| !is_given(it.1.doing.label)).map(|it| (depth, it.0))
        })
    }
}

impl Given {
    /// Whether the search is at this branch.
    fn is_in(&self, nodes: &[Node]) -> bool {
        nodes.get(self.depth).and_then(Node::label) == Some(self.label)
    }
}

/// A hash of all steps that the next run has to take.
fn mark_dictated(nodes: &[Node]) -> u64 {
    let mut hasher = FxHasher::default();
    nodes.iter().for_each(|it| it.label().hash(&mut hasher));
    let branch = nodes.last().and_then(|it| it.tree.first());
    let further = std::iter::successors(branch, |it| it.children.first()).skip(1);
    further.for_each(|it| Some(it.doing.label).hash(&mut hasher));
    hasher.finish()
}

fn mark_asleep(sleep: &[Arc<Asleep>]) -> u64 {
    let mut hasher = FxHasher::default();
    sleep.iter().for_each(|it| it.mark.hash(&mut hasher));
    hasher.finish()
}

/// Explores a branch as long as one should go on, on another stage than that of the search.
pub fn perform_job(
    stage: &mut dyn Stage,
    oracle: &mut dyn Oracle,
    seed: &Input,
    settings: &ScheduleSettings,
    job: Job,
    goes_on: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(News),
) -> Result<(), ExecutorError> {
    stage.set_names(&job.names);
    stage.order_mail(settings.dpor.orders_mail());
    let mut search = Search::new(settings, seed);
    search.is_ahead = true;
    search.nodes = job.nodes;
    search.settled = job.settled;
    let asleep = try_each(stage, &search, &job.before)?;
    let n_first = search.nodes.len();
    if let Some(node) = search.nodes.last_mut() {
        *node = node.own(&search.input);
        node.sleep.extend(asleep);
    }
    for _ in 0..MAX_RUNS {
        let mark = mark_dictated(&search.nodes);
        let ran = search.run(stage, oracle)?;
        // Actors that the search has not met yet may get other numbers there.
        if ran.is_diverged || job.names.len() < stage.n_names() {
            break;
        }
        tell(News { id: job.id, mark, ran });
        if !goes_on() || !search.go_back(stage, oracle, n_first) {
            break;
        }
    }
    Ok(())
}

/// What the first steps of branches do after the path.
fn try_each(
    stage: &mut dyn Stage,
    search: &Search,
    branches: &[Branch],
) -> Result<Vec<Arc<Asleep>>, ExecutorError> {
    let path = search.nodes.split_last().map(|it| it.1).unwrap_or_default();
    let path: Vec<Label> = path.iter().filter_map(Node::label).collect();
    let mut res = Vec::new();
    for branch in branches {
        let n_taken = if res.is_empty() {
            stage.begin(&search.input)?;
            0
        } else {
            stage.begin_again(&search.input, path.len())?
        };
        for label in path.iter().skip(n_taken) {
            stage.offers()?;
            stage.step(*label)?;
        }
        let (label, mut branch) = (branch.doing.label, branch.clone());
        if stage.offers()?.iter().any(|it| fits(it, label)) {
            branch.doing = Doing::of_step(&mut stage.step(label)?);
        }
        stage.end()?;
        res.push(branch.into_asleep());
    }
    Ok(res)
}

impl Aside {
    /// Of a run before anything is planned because of it: from the node on which it differs from the run
    /// before, with so many further steps dictated.
    pub(super) fn new(nodes: &[Node], first: usize, n_dictated: usize) -> Aside {
        let fresh = nodes.get(first..).unwrap_or_default();
        let sleep = fresh.first().map(|it| &*it.sleep).unwrap_or_default();
        let mut lasting = vec![0; sleep.len()];
        for node in fresh.iter().skip(1) {
            let mut left = node.sleep.iter().peekable();
            for (it, n) in sleep.iter().zip(&mut lasting) {
                *n += usize::from(left.next_if(|of| Arc::ptr_eq(it, of)).is_some());
            }
        }
        let taken = |(n, node): (usize, &Node)| {
            let (first, others) = node.tree.split_first()?;
            // Where steps are dictated, whoever dictated them has the tree.
            let others = if n_dictated < n { others } else { &[] };
            let doing = Arc::new(Doing::clone(&first.doing));
            Some(Taken { doing, n_preemptions: node.n_preemptions, others: others.to_vec() })
        };
        let steps = fresh.iter().enumerate().filter_map(taken).collect();
        let (plans, skipped) = (Vec::new(), Vec::new());
        Aside { mark: mark_asleep(sleep), lasting, steps, plans, skipped }
    }
}

impl Search {
    /// Puts a run in its place that somebody else has made. `None`: he assumed what has not come true.
    fn adopt(&mut self, stage: &mut dyn Stage, mut ran: Ran) -> Option<Ran> {
        let Aside { mark, lasting, steps, plans, skipped } = ran.aside.take()?;
        self.settled.truncate(ran.n_known);
        let is_settled = |it: &(usize, Label)| self.settled.hold(it.0, it.1);
        let sleep = self.nodes.last()?.sleep.clone();
        if mark_asleep(&sleep) != mark || !skipped.iter().all(is_settled) {
            return None;
        }
        let mut dictated = Vec::new();
        for (n, Taken { doing, n_preemptions, others }) in steps.into_iter().enumerate() {
            if n > 0 {
                let mut tree = std::mem::take(&mut dictated);
                if tree.is_empty() {
                    tree.push(Branch::free(Arc::clone(&doing), &self.input));
                    tree.extend(others.iter().map(|it| it.own(&self.input)));
                }
                let lasting = sleep.iter().zip(&lasting).filter(|it| n <= *it.1);
                let sleep = lasting.map(|it| Arc::clone(it.0)).collect();
                self.nodes.push(Node::new(sleep, tree, n_preemptions, self.report.n_runs));
            }
            let branch = self.nodes.last_mut()?.tree.first_mut()?;
            branch.doing = doing;
            dictated = std::mem::take(&mut branch.children);
        }
        let mut settled = Vec::new();
        for (plan, put) in plans {
            if plan.may_be_settled && self.settled.hold(plan.at, plan.last.label) {
                continue;
            }
            let doing = |it: &usize| self.nodes.get(*it).and_then(Node::doing);
            let mut sequence: Vec<Arc<Doing>> = plan.guided.iter().filter_map(doing).collect();
            sequence.push(Arc::clone(&plan.last));
            let inputs = vec![(Arc::clone(&self.input), 0)];
            let sequence = &sequence.iter();
            let put = self.put(stage.exprs(), plan.at, sequence, inputs, &None, Some(put));
            settled.extend(put.and_then(|it| plan.settled(it.place?)));
        }
        settled.into_iter().for_each(|it| self.settled.add(it));
        self.n_in_trace = self.n_in_trace.min(ran.n_known);
        Some(ran)
    }
}
