//! Shows the progress of the search on a terminal, in one line at the bottom of standard error.

use crate::flow::budget::Budget;
use engine::Report;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Receives the progress of units; shared by the workers.
pub(crate) struct Progress {
    to: To,
}

enum To {
    Terminal(Line),
    /// Sends it to the owner process, which shows it.
    Owner(Box<dyn Fn(Seen) + Send + Sync>),
}

/// Counts over all units, and the line that shows them.
#[derive(Debug)]
struct Line {
    bar: ProgressBar,
    n_units: usize,
    n_workers: usize,
    budget: Budget,
    n_done: AtomicUsize,
    n_runs: AtomicUsize,
    n_paths: AtomicUsize,
    n_findings: AtomicUsize,
}

/// An increment of a unit's counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    unit: String,
    n_runs: usize,
    n_paths: usize,
}

/// Sends increments of one unit's counts.
#[derive(Debug)]
pub(crate) struct UnitProgress<'p> {
    progress: &'p Progress,
    name: String,
    n_runs: usize,
    n_paths: usize,
    shown: Instant,
}

const EVERY: Duration = Duration::from_millis(100);

impl Progress {
    pub(crate) fn new(n_units: usize, n_workers: usize, budget: Budget) -> Progress {
        // The bar hides itself unless standard error is a terminal.
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(u64::try_from(n_units).ok(), target);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let line = Line {
            bar,
            n_units,
            n_workers,
            budget,
            n_done: AtomicUsize::new(0),
            n_runs: AtomicUsize::new(0),
            n_paths: AtomicUsize::new(0),
            n_findings: AtomicUsize::new(0),
        };
        Progress { to: To::Terminal(line) }
    }

    /// Makes the progress of a worker, which sends increments to its owner.
    pub(super) fn told(tell: impl Fn(Seen) + Send + Sync + 'static) -> Progress {
        Progress { to: To::Owner(Box::new(tell)) }
    }

    pub(crate) fn unit(&self, name: &str) -> UnitProgress<'_> {
        let (name, shown) = (name.to_owned(), Instant::now());
        UnitProgress { progress: self, name, n_runs: 0, n_paths: 0, shown }
    }

    /// Counts a unit whose first turn has ended.
    pub(crate) fn unit_done(&self, n_findings: usize) {
        if let To::Terminal(line) = &self.to {
            line.n_findings.fetch_add(n_findings, Ordering::Relaxed);
            line.n_done.fetch_add(1, Ordering::Relaxed);
            line.bar.inc(1);
        }
    }

    pub(crate) fn clear(&self) {
        if let To::Terminal(line) = &self.to {
            line.bar.finish_and_clear();
        }
    }

    pub(super) fn add(&self, seen: Seen) {
        match &self.to {
            To::Terminal(line) => line.add(&seen),
            To::Owner(tell) => tell(seen),
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            To::Terminal(line) => line.fmt(f),
            To::Owner(_) => f.write_str("Progress"),
        }
    }
}

impl Line {
    fn add(&self, seen: &Seen) {
        let of = |it: &AtomicUsize| it.load(Ordering::Relaxed);
        self.n_runs.fetch_add(seen.n_runs, Ordering::Relaxed);
        self.n_paths.fetch_add(seen.n_paths, Ordering::Relaxed);
        let n_left = self.n_units.saturating_sub(of(&self.n_done)).max(1);
        self.bar.set_message(format!(
            "{}: {} runs, {} paths, {} findings, at most {} s left",
            seen.unit,
            of(&self.n_runs),
            of(&self.n_paths),
            of(&self.n_findings),
            self.budget.at_most(n_left, self.n_workers).as_secs(),
        ));
    }
}

impl UnitProgress<'_> {
    pub(crate) fn update(&mut self, report: &Report) {
        if self.shown.elapsed() < EVERY {
            return;
        }
        self.shown = Instant::now();
        let n_runs = report.n_runs.saturating_sub(self.n_runs);
        let n_paths = report.tests.len().saturating_sub(self.n_paths);
        (self.n_runs, self.n_paths) = (report.n_runs, report.tests.len());
        self.progress.add(Seen { unit: self.name.clone(), n_runs, n_paths });
    }
}
