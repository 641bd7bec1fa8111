//! Threads that make parts of a search, each on a stage of its own.
//!
//! A stage is set when there is something to do on it. Who waits for a part makes others in the meantime.
//! Knows nothing of what is searched for.

use crate::oracle::Oracle;
use crate::report::Stop;
use crate::schedules::part::{Leaf, LeafId, Part, PartId, perform};
use crate::schedules::search::Search;
use crate::schedules::settings::{Dpor, Gather, ScheduleReport, ScheduleSettings};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use trace::{Input, Stage};

/// How many threads, what each of them needs, and what is worth to be shared.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    pub n_helpers: usize,
    pub stack_bytes: usize,
    /// Runs of a search before anybody else sets a stage for it.
    pub min_search: usize,
    /// Runs of a branch like the one that is given away. To begin with it costs as much as a few of them.
    pub min_part: usize,
}

/// Sets a stage and lets somebody use it, on the thread that asks.
pub type Staging<'a> = dyn Fn(&mut dyn FnMut(&mut dyn Stage, &mut dyn Oracle)) + Sync + 'a;

impl Crew {
    pub fn new(n_helpers: usize, stack_bytes: usize) -> Crew {
        Crew { n_helpers, stack_bytes, min_search: 500, min_part: 48 }
    }

    /// Runs the program in all ways that differ, as [`explore_schedules`](crate::explore_schedules) does.
    /// What `make` makes gathers the runs of a part. `watch` is asked whether to go on.
    pub fn explore<G: Gather + Send>(
        self,
        staging: &Staging<'_>,
        make: &(dyn Fn() -> G + Sync),
        (stage, oracle): (&mut dyn Stage, &mut dyn Oracle),
        seed: &Input,
        settings: &ScheduleSettings,
        watch: &mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
    ) -> (ScheduleReport, G) {
        let search = Search::new(settings, seed);
        // Expressions belong to the machine that made them.
        let is_shared = self.n_helpers > 0 && !stage.has_symbols() && settings.dpor != Dpor::Random;
        if !is_shared {
            let hand = Hand::new(None, None, make(), watch);
            return search.explore(hand, stage, oracle);
        }
        let desk = Desk::new(self, make, seed, settings);
        thread::scope(|scope| {
            for n in 0..self.n_helpers {
                let builder = thread::Builder::new().name(format!("gimlet part {n}"));
                let thread = builder.stack_size(self.stack_bytes);
                // Whoever can't be had does not help.
                thread.spawn_scoped(scope, || desk.work(staging)).ok();
            }
            // Whatever becomes of the search, nobody must be left waiting.
            let _over = Over(&desk);
            let hand = Hand::new(Some(&desk), None, make(), watch);
            search.explore(hand, stage, oracle)
        })
    }
}

/// What a search or a part of one has of the world around it.
pub(super) struct Hand<'d, G> {
    desk: Option<&'d Desk<'d, G>>,
    order: Option<Arc<Order>>,
    pub(super) gathered: G,
    /// What others have made and whose turn has not come.
    pub(super) leaves: BTreeMap<LeafId, Leaf<G>>,
    watch: &'d mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
}

/// What somebody who makes a part should know.
#[derive(Default)]
struct Order {
    /// Nobody wants it any more.
    is_vain: AtomicBool,
    /// It is its turn: what has been begun is brought to its end.
    is_due: AtomicBool,
    /// Runs of the sequence that he is at.
    n_runs: AtomicUsize,
}

/// A part whose turn it is.
pub(super) struct Fetched<G> {
    pub(super) leaves: Vec<Leaf<G>>,
    /// Whether the stage was used for others in the meantime.
    pub(super) has_helped: bool,
}

/// Sequences that may wait for their turn.
const MAX_WAITING: usize = 3000;

/// Whoever has made more runs of a sequence is waited for.
const WORTH_WAITING: usize = 16;

/// How long one waits before one asks again whether to go on.
const A_WHILE: Duration = Duration::from_millis(20);

impl<'d, G: Gather> Hand<'d, G> {
    /// One does all alone.
    pub(super) fn alone(
        gathered: G,
        watch: &'d mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
    ) -> Hand<'d, G> {
        Hand::new(None, None, gathered, watch)
    }

    fn new(
        desk: Option<&'d Desk<'d, G>>,
        order: Option<Arc<Order>>,
        gathered: G,
        watch: &'d mut dyn FnMut(&ScheduleReport) -> Option<Stop>,
    ) -> Hand<'d, G> {
        Hand { desk, order, gathered, leaves: BTreeMap::new(), watch }
    }

    /// Why a search should stop after a run, if it should.
    pub(super) fn stop(&mut self, report: &ScheduleReport) -> Option<Stop> {
        let Some(desk) = self.desk else { return (self.watch)(report) };
        if let Some(order) = &self.order {
            order.n_runs.fetch_add(1, Ordering::Relaxed);
            if order.is_vain.load(Ordering::Relaxed) {
                return Some(Stop::Unsupported);
            }
        }
        desk.n_runs.fetch_add(1, Ordering::Relaxed);
        self.stop_all()
    }

    fn stop_all(&mut self) -> Option<Stop> {
        let desk = self.desk?;
        if desk.is_stopped.load(Ordering::Relaxed) {
            return desk.papers().stop;
        }
        let n_runs = desk.n_runs.load(Ordering::Relaxed);
        let stop = (self.watch)(&ScheduleReport { n_runs, ..ScheduleReport::default() })?;
        desk.stop(stop);
        Some(stop)
    }

    /// How large a part should be that somebody could do with, of a search that has made so many runs.
    pub(super) fn wants(&self, n_runs: usize) -> Option<usize> {
        let desk = self.desk?;
        let is_idle = desk.n_given.load(Ordering::Relaxed) < desk.n_idle.load(Ordering::Relaxed);
        if !is_idle || MAX_WAITING < self.leaves.len() {
            return None;
        }
        let is_large = self.order.is_some() || desk.crew.min_search <= n_runs;
        is_large.then_some(desk.crew.min_part)
    }

    pub(super) fn min_part(&self) -> usize {
        self.desk.map_or(0, |it| it.crew.min_part)
    }

    /// Whether somebody waits for the part.
    pub(super) fn is_due(&self) -> bool {
        self.order.as_ref().is_some_and(|it| it.is_due.load(Ordering::Relaxed))
    }

    pub(super) fn next_id(&self) -> PartId {
        PartId(self.desk.map_or(0, |it| it.n_parts.fetch_add(1, Ordering::Relaxed)))
    }

    pub(super) fn give(&self, part: Part) {
        let Some(desk) = self.desk else { return };
        let mut papers = desk.papers();
        papers.given.push_back(part);
        desk.n_given.store(papers.given.len(), Ordering::Relaxed);
        drop(papers);
        desk.is_changed.notify_all();
    }

    /// Nobody need go on with this.
    pub(super) fn forget(&self, id: PartId) {
        let Some(desk) = self.desk else { return };
        let mut papers = desk.papers();
        papers.take_back(id);
        papers.done.remove(&id);
        if let Some(order) = papers.begun.remove(&id) {
            order.is_vain.store(true, Ordering::Relaxed);
        }
        desk.n_given.store(papers.given.len(), Ordering::Relaxed);
    }

    /// One sequence of a part is made.
    pub(super) fn tell(&self, id: PartId, leaf: Leaf<G>) {
        let (Some(desk), Some(order)) = (self.desk, &self.order) else { return };
        order.n_runs.store(0, Ordering::Relaxed);
        let mut papers = desk.papers();
        if papers.begun.contains_key(&id) {
            papers.done.entry(id).or_default().push(leaf);
        }
    }

    /// What came of a part, if it is done.
    pub(super) fn hear(&self, id: PartId) -> Option<Vec<Leaf<G>>> {
        self.desk?.papers().take_done(id)
    }

    /// What came of a part. If somebody is at it still, he stops, unless he has made much of a sequence: then
    /// one makes other parts until he is at its end.
    pub(super) fn fetch(
        &mut self,
        id: PartId,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
    ) -> Fetched<G> {
        let mut has_helped = false;
        let Some(desk) = self.desk else { return Fetched { leaves: Vec::new(), has_helped } };
        loop {
            let mut papers = desk.papers();
            if papers.take_back(id).is_some() {
                desk.n_given.store(papers.given.len(), Ordering::Relaxed);
                return Fetched { leaves: Vec::new(), has_helped };
            }
            if let Some(order) = papers.begun.get(&id) {
                order.is_due.store(true, Ordering::Relaxed);
                if order.n_runs.load(Ordering::Relaxed) < WORTH_WAITING {
                    order.is_vain.store(true, Ordering::Relaxed);
                    papers.begun.remove(&id);
                }
            }
            if let Some(leaves) = papers.take_done(id) {
                return Fetched { leaves, has_helped };
            }
            let other = if papers.stop.is_none() { papers.given.pop_front() } else { None };
            if let Some(part) = other {
                let order = papers.begin(&part);
                desk.n_given.store(papers.given.len(), Ordering::Relaxed);
                drop(papers);
                has_helped = true;
                let names = stage.names();
                let hand = Hand::new(Some(desk), Some(order), (desk.make)(), &mut *self.watch);
                desk.perform(hand, stage, oracle, part);
                stage.set_names(&names);
            } else {
                desk.n_idle.fetch_add(1, Ordering::Relaxed);
                let waited = desk.is_changed.wait_timeout(papers, A_WHILE);
                desk.n_idle.fetch_sub(1, Ordering::Relaxed);
                drop(waited);
                self.stop_all();
            }
        }
    }
}

/// Where parts lie and what came of them.
pub(super) struct Desk<'a, G> {
    crew: Crew,
    make: &'a (dyn Fn() -> G + Sync),
    seed: &'a Input,
    settings: &'a ScheduleSettings,
    papers: Mutex<Papers<G>>,
    /// There is a part, or one is done, or there will be none.
    is_changed: Condvar,
    n_parts: AtomicUsize,
    n_given: AtomicUsize,
    /// Who has nothing to do.
    n_idle: AtomicUsize,
    /// Of all.
    n_runs: AtomicUsize,
    is_stopped: AtomicBool,
}

struct Papers<G> {
    given: VecDeque<Part>,
    /// What somebody is doing.
    begun: BTreeMap<PartId, Arc<Order>>,
    done: BTreeMap<PartId, Vec<Leaf<G>>>,
    /// Why everybody should stop.
    stop: Option<Stop>,
}

impl<G> Papers<G> {
    fn take_back(&mut self, id: PartId) -> Option<Part> {
        let place = self.given.iter().position(|it| it.id == id)?;
        self.given.remove(place)
    }

    fn take_done(&mut self, id: PartId) -> Option<Vec<Leaf<G>>> {
        let is_done = !self.begun.contains_key(&id) && self.given.iter().all(|it| it.id != id);
        is_done.then(|| self.done.remove(&id).unwrap_or_default())
    }

    fn begin(&mut self, part: &Part) -> Arc<Order> {
        let order = Arc::new(Order::default());
        self.begun.insert(part.id, Arc::clone(&order));
        order
    }
}

impl<'a, G: Gather> Desk<'a, G> {
    fn new(
        crew: Crew,
        make: &'a (dyn Fn() -> G + Sync),
        seed: &'a Input,
        settings: &'a ScheduleSettings,
    ) -> Desk<'a, G> {
        let papers = Papers {
            given: VecDeque::new(),
            begun: BTreeMap::new(),
            done: BTreeMap::new(),
            stop: None,
        };
        Desk {
            crew,
            make,
            seed,
            settings,
            papers: Mutex::new(papers),
            is_changed: Condvar::new(),
            n_parts: AtomicUsize::new(0),
            n_given: AtomicUsize::new(0),
            n_idle: AtomicUsize::new(0),
            n_runs: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        }
    }

    fn papers(&self) -> MutexGuard<'_, Papers<G>> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, staging: &Staging<'_>) {
        // A part is not kept waiting for a stage.
        if self.wait().stop.is_some() {
            return;
        }
        (staging)(&mut |stage, oracle| {
            while let Some((part, order)) = self.next() {
                let mut watch = |_: &ScheduleReport| None;
                let hand = Hand::new(Some(self), Some(order), (self.make)(), &mut watch);
                // After a bug of ours nobody knows what the stage is like.
                if !self.perform(hand, stage, oracle, part) {
                    return;
                }
            }
        });
    }

    /// `false`: it went wrong. What can't be done here is done where the node is.
    fn perform(
        &self,
        mut hand: Hand<'_, G>,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        part: Part,
    ) -> bool {
        let id = part.id;
        let about = (self.seed, self.settings);
        let perform = || perform(&mut hand, stage, oracle, about, part, self.make);
        let is_right = catch_unwind(AssertUnwindSafe(perform)).is_ok();
        self.papers().begun.remove(&id);
        self.is_changed.notify_all();
        is_right
    }

    /// Waits until there is something to do, or nothing will be.
    fn wait(&self) -> MutexGuard<'_, Papers<G>> {
        self.n_idle.fetch_add(1, Ordering::Relaxed);
        let is_idle = |it: &mut Papers<G>| it.given.is_empty() && it.stop.is_none();
        let papers = self.is_changed.wait_while(self.papers(), is_idle);
        self.n_idle.fetch_sub(1, Ordering::Relaxed);
        papers.unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<(Part, Arc<Order>)> {
        let mut papers = self.wait();
        if papers.stop.is_some() {
            return None;
        }
        let part = papers.given.pop_front()?;
        self.n_given.store(papers.given.len(), Ordering::Relaxed);
        let order = papers.begin(&part);
        Some((part, order))
    }

    fn stop(&self, stop: Stop) {
        self.papers().stop.get_or_insert(stop);
        self.is_stopped.store(true, Ordering::Relaxed);
        self.is_changed.notify_all();
    }
}

struct Over<'d, 'a, G: Gather>(&'d Desk<'a, G>);

impl<G: Gather> Drop for Over<'_, '_, G> {
    fn drop(&mut self) {
        self.0.stop(Stop::Interrupted);
        let papers = self.0.papers();
        papers.begun.values().for_each(|it| it.is_vain.store(true, Ordering::Relaxed));
    }
}
