//! Threads that explore the cells of a search, each on its own stage.
//!
//! A search begins on one thread. When it has many runs, cells are made from what was found until then, and idle
//! threads take cells. The first thread continues the undivided search for a while, as it may end soon; if it does not,
//! its findings are discarded and those of the cells are used. So the report does not depend on the number of threads.

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

/// How many threads a search may use, and when it is divided.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    pub n_helpers: usize,
    pub stack_bytes: usize,
    /// How many runs a search makes before it is divided and other threads set up their stages.
    pub min_search: usize,
    /// How many runs the undivided search makes before its findings are discarded for those of the cells.
    pub max_alone: usize,
}

/// Sets up a stage on the calling thread and passes it to the function.
pub type Staging<'a> = dyn Fn(&mut dyn FnMut(&mut dyn Stage)) + Sync + 'a;

/// Returns the reason to stop; `None` to continue.
type Watch<'a> = dyn FnMut(&ScheduleReport) -> Option<Stop> + 'a;

/// The interval between two calls of `watch` while the owner waits for the other threads.
const A_WHILE: Duration = Duration::from_millis(20);

impl Crew {
    pub fn new(n_helpers: usize, stack_bytes: usize) -> Crew {
        Crew { n_helpers, stack_bytes, min_search: 500, max_alone: 4000 }
    }

    /// Explores all executions of the program that are not equivalent, as
    /// [`explore_schedules`](crate::explore_schedules) does. `make` makes the collector for each cell's runs; `watch`
    /// may stop the search.
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
                // If a thread cannot be started, the search runs without it.
                thread.spawn_scoped(scope, || division.help(staging)).ok();
            }
            // Even after a panic of this thread, no helper must wait for ever.
            let _over = Over(&division);
            division.lead(stage, watch)
        })
    }
}

/// The findings of a cell, or of the undivided search.
struct Explored<G> {
    report: ScheduleReport,
    gathered: G,
}

/// The undivided search so far, and whether it was divided.
struct Begun<G> {
    alone: Explored<G>,
    is_divided: bool,
}

/// A search that is divided into cells, shared by the threads that explore them.
struct Division<'a, G> {
    crew: Crew,
    oracles: &'a dyn Oracles,
    make: &'a (dyn Fn() -> G + Sync),
    seed: &'a Input,
    settings: &'a ScheduleSettings,
    progress: Mutex<Progress<G>>,
    /// Signalled when cells were made, when a cell is done, and when the search is over.
    is_changed: Condvar,
    /// The runs of all threads.
    n_runs: AtomicUsize,
    is_over: AtomicBool,
}

struct Progress<G> {
    cells: Vec<Cell>,
    /// The actors that were known when the cells were made.
    names: Vec<ActorName>,
    n_begun: usize,
    n_done: usize,
    /// The findings of each cell that is done; `None` if the cell has actors that were not known when the cells were
    /// made and must be explored later.
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

    /// Leads the whole search on the calling thread.
    fn lead(&self, stage: &mut dyn Stage, watch: &mut Watch<'_>) -> (ScheduleReport, G) {
        let Begun { alone, is_divided } = self.begin(stage, watch);
        if !is_divided {
            return (alone.report, alone.gathered);
        }
        let names = stage.names();
        let stop = self.share(stage, watch);
        let mut all = Explored { report: ScheduleReport::default(), gathered: (self.make)() };
        if let Some(stop) = stop {
            // The cells that were finished in time may not contain all that the undivided search found.
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

    /// Runs the undivided search until it ends or exceeds [`Crew::max_alone`], and makes cells when it has exceeded
    /// [`Crew::min_search`].
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

    /// Whether the search can be divided. Cells cover all executions only under optimal DPOR without a bound on
    /// preemptions, which depends on the steps that are enabled without a cell, and without lost messages, which change
    /// which questions have answers.
    fn may_divide(&self) -> bool {
        let ScheduleSettings { dpor, preemptions, losses, .. } = *self.settings;
        dpor == Dpor::Optimal && preemptions.is_none() && losses == 0
    }

    /// Explores cells until none is left. Returns the reason if the search was stopped before that.
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

    /// Joins the findings of the cells in their order, and explores those that were left for later.
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
        // The stage is set up only once there are cells, since helpers of short searches need none; a cell is
        // taken when the stage is ready.
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

    /// Explores the next cell. Returns `false` if there is none, or if the stage cannot be used any more.
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
        // After a panic the state of the stage is unknown.
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

/// Ends the search when the thread that leads it returns or panics.
struct Over<'d, 'a, G: Gather>(&'d Division<'a, G>);

impl<G: Gather> Drop for Over<'_, '_, G> {
    fn drop(&mut self) {
        // The lock makes sure that every thread that waits checks `is_over` after it is set.
        let progress = self.0.progress();
        self.0.is_over.store(true, Ordering::Relaxed);
        drop(progress);
        self.0.is_changed.notify_all();
    }
}
