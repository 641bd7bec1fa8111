//! Threads that explore the cells of a search, each on a stage of its own.
//!
//! A search begins alone. If it has many runs it is divided, by what was found until then, and whoever has
//! nothing to do takes a cell. It goes on alone for a while, as it may be over soon; when it is not, what it
//! found is thrown away and the cells count. So a report is the same however many threads there are.

use crate::oracle::{Oracle, Oracles};
use crate::report::Stop;
use crate::schedules::cells::Cell;
use crate::schedules::inputs::{BEFORE, Watching};
use crate::schedules::questions::{N_SAMPLES, divide, sample};
use crate::schedules::search::Search;
use crate::schedules::settings::{Dpor, Ended, Gather, ScheduleReport, ScheduleSettings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use trace::{ActorName, ExecutorError, Input, Stage};

/// How many threads, what each of them needs, and which searches are worth to be divided.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    pub n_helpers: usize,
    pub stack_bytes: usize,
    /// Runs before cells are made, and anybody else sets a stage.
    pub min_search: usize,
    /// Runs of a search that is not divided. What it found is found again if it has more.
    pub max_alone: usize,
}

/// Sets a stage and lets somebody use it, on the thread that asks.
pub type Staging<'a> = dyn Fn(&mut dyn FnMut(&mut dyn Stage)) + Sync + 'a;

/// Says whether to stop, and why.
type Watch<'a> = dyn FnMut(&ScheduleReport) -> Option<Stop> + 'a;

/// How long one waits before one asks again whether to go on.
const A_WHILE: Duration = Duration::from_millis(20);

impl Crew {
    pub fn new(n_helpers: usize, stack_bytes: usize) -> Crew {
        Crew { n_helpers, stack_bytes, min_search: 500, max_alone: 4000 }
    }

    /// Runs the program in all ways that differ, as [`explore_schedules`](crate::explore_schedules) does.
    /// What `make` makes gathers the runs of a cell. `watch` is asked whether to go on.
    pub fn explore<G: Gather + Send>(
        self,
        (stage, staging): (&mut dyn Stage, &Staging<'_>),
        oracles: &dyn Oracles,
        make: &(dyn Fn() -> G + Sync),
        seed: &Input,
        settings: &ScheduleSettings,
        watch: &mut Watch<'_>,
    ) -> (ScheduleReport, G) {
        let division = Division::new(self, oracles, make, seed, settings);
        thread::scope(|scope| {
            for n in 0..self.n_helpers {
                let builder = thread::Builder::new().name(format!("gimlet cell {n}"));
                let thread = builder.stack_size(self.stack_bytes);
                // Whoever can't be had does not help.
                thread.spawn_scoped(scope, || division.help(staging)).ok();
            }
            // Whatever becomes of the search, nobody must be left waiting.
            let _over = Over(&division);
            division.lead(stage, watch)
        })
    }
}

/// What came of a cell, or of the search before it was divided.
struct Explored<G> {
    report: ScheduleReport,
    gathered: G,
}

/// A search before it was divided, if it was.
struct Begun<G> {
    alone: Explored<G>,
    is_divided: bool,
}

/// A search that is divided into cells, for the threads that explore them.
struct Division<'a, G> {
    crew: Crew,
    oracles: &'a dyn Oracles,
    make: &'a (dyn Fn() -> G + Sync),
    seed: &'a Input,
    settings: &'a ScheduleSettings,
    progress: Mutex<Progress<G>>,
    /// There are cells, or one is done, or there will be none.
    is_changed: Condvar,
    /// Of all.
    n_runs: AtomicUsize,
    is_over: AtomicBool,
}

struct Progress<G> {
    cells: Vec<Cell>,
    /// Actors that were known when the cells were made.
    names: Vec<ActorName>,
    n_begun: usize,
    n_done: usize,
    /// What came of each cell. Nothing, if it can't be explored yet: it has actors that nobody knew.
    done: Vec<Option<Explored<G>>>,
}

impl<'a, G: Gather> Division<'a, G> {
    fn new(
        crew: Crew,
        oracles: &'a dyn Oracles,
        make: &'a (dyn Fn() -> G + Sync),
        seed: &'a Input,
        settings: &'a ScheduleSettings,
    ) -> Division<'a, G> {
        let (cells, names, done) = (Vec::new(), Vec::new(), Vec::new());
        Division {
            crew,
            oracles,
            make,
            seed,
            settings,
            progress: Mutex::new(Progress { cells, names, n_begun: 0, n_done: 0, done }),
            is_changed: Condvar::new(),
            n_runs: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress<G>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole search, with those who help.
    fn lead(&self, stage: &mut dyn Stage, watch: &mut Watch<'_>) -> (ScheduleReport, G) {
        let Begun { alone, is_divided } = self.begin(stage, watch);
        if !is_divided {
            return (alone.report, alone.gathered);
        }
        let names = stage.names();
        let stop = self.share(stage, watch);
        let mut all = Explored { report: ScheduleReport::default(), gathered: (self.make)() };
        if let Some(stop) = stop {
            // What was found alone may not be in the cells that there was time for.
            stage.set_names(&names);
            all = Explored { report: ScheduleReport { stop, ..alone.report }, ..alone };
        } else {
            stage.set_names(&self.progress().names);
            all.report.solver = alone.report.solver;
        }
        self.join(all, stage, watch)
    }

    fn begin(&self, stage: &mut dyn Stage, watch: &mut Watch<'_>) -> Begun<G> {
        let mut gathered = (self.make)();
        let mut search = Search::new(self.settings, self.seed, Cell::default());
        let mut ended = Ok(None);
        let asked = self.oracles.lend(&mut |oracle| {
            ended = self.explore_alone(&mut search, stage, oracle, &mut gathered, watch);
        });
        let is_divided = matches!(ended, Ok(None));
        let report = ScheduleReport { solver: asked, ..search.into_report(ended) };
        Begun { alone: Explored { report, gathered }, is_divided }
    }

    /// Explores alone as long as that is worth it, and makes cells in the meantime.
    fn explore_alone(
        &self,
        search: &mut Search,
        stage: &mut dyn Stage,
        oracle: &mut dyn Oracle,
        gathered: &mut G,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stop>, ExecutorError> {
        self.settings.set(stage);
        let mut see = |ended: &Ended<'_>| gathered.see(ended);
        let until = self.may_divide().then_some(self.crew.min_search);
        let before = until.map_or(BEFORE, |it| it.min(BEFORE));
        let mut stop = search.go_on(stage, oracle, Some(before), &mut see, watch)?;
        if stop.is_none() {
            let mut watching = Watching { see: &mut see, watch };
            stop = search.look_ahead(stage, oracle, self.seed, &mut watching)?;
        }
        if stop.is_none() && until != Some(before) {
            stop = search.go_on(stage, oracle, until, &mut see, watch)?;
        }
        if stop.is_some() {
            return Ok(stop);
        }
        let samples: Result<Vec<_>, _> =
            (0..N_SAMPLES).map(|nth| sample(stage, self.seed, self.settings, nth)).collect();
        search.forget_stage();
        let cells = divide(&samples?, self.settings.delivery);
        let until = (cells.len() > 1).then_some(self.crew.max_alone);
        if until.is_some() {
            let mut progress = self.progress();
            progress.done.resize_with(cells.len(), || None);
            (progress.cells, progress.names) = (cells, stage.names());
            drop(progress);
            self.is_changed.notify_all();
        }
        search.go_on(stage, oracle, until, &mut see, watch)
    }

    /// Bounds other than that of the depth depend on what is possible without a cell.
    /// What is lost changes which questions have answers: cells do not hold all runs then.
    fn may_divide(&self) -> bool {
        let ScheduleSettings { dpor, preemptions, losses, .. } = *self.settings;
        dpor == Dpor::Optimal && preemptions.is_none() && losses == 0
    }

    /// Explores cells until there are none left. Says why not all of them were.
    fn share(&self, stage: &mut dyn Stage, watch: &mut Watch<'_>) -> Option<Stop> {
        let mut stop = None;
        let mut watch_all = |_: &ScheduleReport| {
            let n_runs = self.n_runs.load(Ordering::Relaxed);
            stop = stop.or(watch(&ScheduleReport { n_runs, ..ScheduleReport::default() }));
            if stop.is_some() {
                self.is_over.store(true, Ordering::Relaxed);
            }
            stop
        };
        while self.explore_next(stage, &mut watch_all) {}
        let mut progress = self.progress();
        while progress.n_done < progress.n_begun {
            let waited = self.is_changed.wait_timeout(progress, A_WHILE);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
            watch_all(&ScheduleReport::default());
        }
        stop
    }

    /// Adds up what came of the cells, in their order.
    fn join(
        &self,
        all: Explored<G>,
        stage: &mut dyn Stage,
        watch: &mut Watch<'_>,
    ) -> (ScheduleReport, G) {
        let Explored { mut report, mut gathered } = all;
        let mut progress = self.progress();
        report.n_cells = progress.cells.len();
        let cells = std::mem::take(&mut progress.cells);
        let done = std::mem::take(&mut progress.done);
        drop(progress);
        let is_over = self.is_over.load(Ordering::Relaxed);
        for (cell, done) in cells.into_iter().zip(done) {
            let max_runs = self.settings.max_runs.map(|it| it.saturating_sub(report.n_runs));
            let is_within = |it: &Explored<G>| max_runs.is_none_or(|most| it.report.n_runs < most);
            let explored = match done {
                Some(it) if is_over || is_within(&it) => it,
                Some(_) | None if is_over => continue,
                Some(_) | None => {
                    let settings = ScheduleSettings { max_runs, ..*self.settings };
                    let search = Search::new(&settings, self.seed, cell);
                    self.explore(search, stage, watch)
                }
            };
            gathered.join(explored.gathered);
            report.add(explored.report);
            if matches!(report.stop, Stop::Runs | Stop::Unsupported) {
                break;
            }
        }
        (report, gathered)
    }

    fn help(&self, staging: &Staging<'_>) {
        // A cell is not kept waiting for a stage.
        let is_idle =
            |it: &mut Progress<G>| it.cells.is_empty() && !self.is_over.load(Ordering::Relaxed);
        drop(self.is_changed.wait_while(self.progress(), is_idle));
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        (staging)(&mut |stage| {
            let mut watch = |_: &ScheduleReport| {
                self.is_over.load(Ordering::Relaxed).then_some(Stop::Interrupted)
            };
            while self.explore_next(stage, &mut watch) {}
        });
    }

    /// Explores a cell that nobody has begun. `false`: there is none, or the stage is of no use any more.
    fn explore_next(&self, stage: &mut dyn Stage, watch: &mut Watch<'_>) -> bool {
        let mut progress = self.progress();
        let n = progress.n_begun;
        let Some(cell) = progress.cells.get(n).cloned() else { return false };
        if self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        progress.n_begun += 1;
        let names = progress.names.clone();
        drop(progress);
        let explored = || {
            stage.set_names(&names);
            let mut watch = |report: &ScheduleReport| {
                self.n_runs.fetch_add(1, Ordering::Relaxed);
                watch(report)
            };
            let search = Search::new(self.settings, self.seed, cell).among(names.len());
            let found = self.explore(search, stage, &mut watch);
            (stage.n_names() <= names.len()).then_some(found)
        };
        // After a bug of ours nobody knows what the stage is like.
        let found = catch_unwind(AssertUnwindSafe(explored));
        let is_right = found.is_ok();
        let mut progress = self.progress();
        progress.n_done += 1;
        if let Some(place) = progress.done.get_mut(n) {
            *place = found.ok().flatten();
        }
        drop(progress);
        self.is_changed.notify_all();
        is_right
    }

    fn explore(
        &self,
        mut search: Search,
        stage: &mut dyn Stage,
        watch: &mut Watch<'_>,
    ) -> Explored<G> {
        stage.forget();
        self.settings.set(stage);
        let mut gathered = (self.make)();
        let mut see = |ended: &Ended<'_>| gathered.see(ended);
        let mut ended = Ok(None);
        let asked = self.oracles.lend(&mut |oracle| {
            ended = search.go_on(stage, oracle, None, &mut see, watch);
        });
        let report = ScheduleReport { solver: asked, ..search.into_report(ended) };
        Explored { report, gathered }
    }
}

struct Over<'d, 'a, G: Gather>(&'d Division<'a, G>);

impl<G: Gather> Drop for Over<'_, '_, G> {
    fn drop(&mut self) {
        // Who is about to wait has looked at it already, or will.
        let progress = self.0.progress();
        self.0.is_over.store(true, Ordering::Relaxed);
        drop(progress);
        self.0.is_changed.notify_all();
    }
}
