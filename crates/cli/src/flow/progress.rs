//! Shows on a terminal what is going on, in one line at the bottom of standard error.

use crate::flow::budget::Budget;
use engine::Report;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Counts over all units; shared by the workers.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    n_units: usize,
    n_workers: usize,
    budget: Budget,
    n_done: AtomicUsize,
    n_runs: AtomicUsize,
    n_paths: AtomicUsize,
    n_findings: AtomicUsize,
}

/// The part of one unit in the counts.
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
        // Hides itself unless standard error is a terminal.
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(u64::try_from(n_units).ok(), target);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress {
            bar,
            n_units,
            n_workers,
            budget,
            n_done: AtomicUsize::new(0),
            n_runs: AtomicUsize::new(0),
            n_paths: AtomicUsize::new(0),
            n_findings: AtomicUsize::new(0),
        }
    }

    pub(crate) fn unit(&self, name: &str) -> UnitProgress<'_> {
        let (name, shown) = (name.to_owned(), Instant::now());
        UnitProgress { progress: self, name, n_runs: 0, n_paths: 0, shown }
    }

    /// A unit had its first turn.
    pub(crate) fn unit_done(&self, n_findings: usize) {
        self.n_findings.fetch_add(n_findings, Ordering::Relaxed);
        self.n_done.fetch_add(1, Ordering::Relaxed);
        self.bar.inc(1);
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, current: &str) {
        let of = |it: &AtomicUsize| it.load(Ordering::Relaxed);
        let n_left = self.n_units.saturating_sub(of(&self.n_done)).max(1);
        self.bar.set_message(format!(
            "{current}: {} runs, {} paths, {} findings, at most {} s left",
            of(&self.n_runs),
            of(&self.n_paths),
            of(&self.n_findings),
            self.budget.at_most(n_left, self.n_workers).as_secs(),
        ));
    }
}

impl UnitProgress<'_> {
    pub(crate) fn update(&mut self, report: &Report) {
        let add = |to: &AtomicUsize, now: usize, before: &mut usize| {
            to.fetch_add(now.saturating_sub(*before), Ordering::Relaxed);
            *before = now;
        };
        if self.shown.elapsed() < EVERY {
            return;
        }
        self.shown = Instant::now();
        add(&self.progress.n_runs, report.n_runs, &mut self.n_runs);
        add(&self.progress.n_paths, report.tests.len(), &mut self.n_paths);
        self.progress.show(&self.name);
    }
}
