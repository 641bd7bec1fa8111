//! The settings and the report of a search of schedules, and what it passes on about each run.

use crate::report::Stop;
use crate::schedules::order::Delivery;
use solve::Statistics;
use std::ops::Range;
use trace::{Input, Label, Performed, Sent, Stage};

#[derive(Clone, Copy, Debug)]
pub struct ScheduleSettings {
    pub dpor: Dpor,
    pub delivery: Delivery,
    /// Whether signals that are no messages are delayed, even with instant delivery of messages.
    pub delays_signals: bool,
    /// The bound on preemptions: how often the search may switch away from an actor that could continue. Every class
    /// with a schedule within the bound is explored. `None`: no bound.
    pub preemptions: Option<usize>,
    /// How many messages of a run may be lost.
    pub losses: usize,
    /// The limit on the number of steps of a run; a longer run is cut off.
    pub steps: usize,
    pub max_runs: Option<usize>,
    /// How many choices of a path may be flipped.
    pub choices: usize,
    pub seed: u64,
    /// Whether classes are counted, which takes memory for each run.
    pub counts_classes: bool,
}

/// The default limit on the number of steps of a run.
pub const STEPS: usize = 5000;

impl Default for ScheduleSettings {
    fn default() -> ScheduleSettings {
        ScheduleSettings {
            dpor: Dpor::Optimal,
            delivery: Delivery::Instant,
            delays_signals: false,
            preemptions: None,
            losses: 0,
            steps: STEPS,
            max_runs: None,
            choices: 25,
            seed: 0,
            counts_classes: false,
        }
    }
}

/// The reduction: which equivalent executions are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dpor {
    /// Optimal DPOR: no two complete runs are equivalent.
    #[default]
    Optimal,
    /// DPOR with source sets: every class is explored, some by redundant runs that are cut off. Different orders of
    /// messages in a mailbox are different classes.
    Source,
    /// Sleep sets only: at every step, every actor that is enabled and not asleep is tried.
    SleepSets,
    /// No reduction: all interleavings.
    All,
    /// Random walks, as many as the budget allows: every enabled step is equally likely.
    Random,
    /// Random priorities with few changes (probabilistic concurrency testing, [Burckhardt et al. 2010]): a bug that
    /// needs `depth` ordering constraints is found by one run with a probability of at least 1/(n·k^(depth-1)), for n
    /// actors and k steps.
    Pct { depth: usize },
}

impl Dpor {
    /// Whether the order of two messages in a mailbox is decided where they are sent; otherwise it is decided where
    /// they are received.
    pub(super) fn orders_mail(self) -> bool {
        match self {
            Dpor::Source | Dpor::SleepSets => true,
            Dpor::Optimal | Dpor::All | Dpor::Random | Dpor::Pct { .. } => false,
        }
    }
}

impl ScheduleSettings {
    /// Configures a stage for this search.
    pub(super) fn set(&self, stage: &mut dyn Stage) {
        stage.order_mail(self.orders_mail());
        stage.delay_signals(self.delays_signals || self.delivery != Delivery::Instant);
    }

    /// Whether the order of two messages in a mailbox is decided where they are sent. A search with a bound on
    /// preemptions needs this, because the cost of a schedule depends on that order.
    pub(super) fn orders_mail(&self) -> bool {
        self.dpor.orders_mail() || self.is_bounded() && self.delivery == Delivery::Instant
    }

    /// Whether a receive takes the first matching message of the mailbox only.
    pub(super) fn takes_first(&self) -> bool {
        match self.dpor {
            Dpor::Optimal | Dpor::Source | Dpor::SleepSets => self.orders_mail(),
            // With delayed signals, a message may lie in the mailbox that must wait for a signal to arrive first.
            Dpor::All => self.delivery == Delivery::Instant && !self.delays_signals,
            Dpor::Random | Dpor::Pct { .. } => !self.delays_signals,
        }
    }

    /// Whether runs are made at random, independently of each other.
    pub(super) fn is_random(&self) -> bool {
        matches!(self.dpor, Dpor::Random | Dpor::Pct { .. })
    }

    /// Whether the search reverses races within a bound on preemptions.
    pub(super) fn is_bounded(&self) -> bool {
        self.preemptions.is_some() && matches!(self.dpor, Dpor::Optimal | Dpor::Source)
    }

    /// Whether the search may make equivalent runs, of which only the first counts.
    pub(super) fn meets_again(&self) -> bool {
        self.is_bounded() || self.preemptions.is_some() && self.dpor == Dpor::SleepSets
    }
}

#[derive(Clone, Debug, Default)]
pub struct ScheduleReport {
    pub n_runs: usize,
    /// Runs that were cut off because all their continuations were explored, or that were equivalent to an earlier run.
    pub n_blocked: usize,
    /// Runs that could not follow their plan.
    pub n_diverged: usize,
    /// The number of different classes of schedules and inputs; 0 if they are not counted.
    pub n_classes: usize,
    /// The number of cells that the search was divided into; 0 if it was not divided.
    pub n_cells: usize,
    /// The statistics of the solvers.
    pub solver: Statistics,
    pub stop: Stop,
    pub trouble: Option<String>,
}

impl ScheduleReport {
    /// Adds the report on other runs.
    pub(super) fn add(&mut self, other: ScheduleReport) {
        self.n_runs += other.n_runs;
        self.n_blocked += other.n_blocked;
        self.n_diverged += other.n_diverged;
        self.n_classes += other.n_classes;
        self.solver.add(&other.solver);
        if matches!(self.stop, Stop::Exhausted | Stop::Depth) && other.stop != Stop::Exhausted {
            self.stop = other.stop;
        }
        self.trouble = self.trouble.take().or(other.trouble);
    }
}

/// A run that ended.
#[derive(Debug)]
pub struct Ended<'a> {
    pub input: &'a Input,
    /// The steps in an order in which they can be taken with instant delivery.
    pub schedule: &'a [Label],
    /// The steps in the order in which they were taken, with the range of choices made in each.
    pub steps: &'a [(Label, Range<usize>)],
    /// Messages that no receive took.
    pub unreceived: &'a [Sent],
    pub performed: &'a Performed,
    /// A hash that equivalent runs share; `None` if classes are not needed.
    pub class: Option<u64>,
    pub pass: Pass,
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The run belongs to the search.
    Search,
    /// The run looks ahead; the search will make an equivalent run later.
    LookAhead,
}

/// Collects something about the runs of a search, or of a part of it.
pub trait Gather {
    /// Adds a run that has ended.
    fn see(&mut self, ended: &Ended<'_>);

    /// Adds what was collected about later runs.
    fn join(&mut self, later: Self)
    where
        Self: Sized;
}
