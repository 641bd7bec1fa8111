//! What a search of schedules is to do, and what it says of itself.

use crate::report::Stop;
use crate::schedules::order::Delivery;
use solve::Statistics;
use std::ops::Range;
use trace::{Input, Label, Performed, Sent, Stage};

#[derive(Clone, Copy, Debug)]
pub struct ScheduleSettings {
    pub dpor: Dpor,
    pub delivery: Delivery,
    /// Whether signals that are no messages take their time, however messages travel.
    pub delays_signals: bool,
    /// How often a process may be left although it could go on. Every class is met that has a schedule
    /// within the bound.
    pub preemptions: Option<usize>,
    /// How many messages of a run may be lost.
    pub losses: usize,
    /// A run ends after so many steps, whether or not the program would have.
    pub steps: usize,
    pub max_runs: Option<usize>,
    /// Choices of a path that may be flipped.
    pub choices: usize,
    pub seed: u64,
    /// Whether classes are counted; that takes memory for each run.
    pub counts_classes: bool,
}

/// Steps of a run, unless somebody asks for more or fewer.
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

/// How much is left out because it would be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dpor {
    /// No two runs are equivalent.
    #[default]
    Optimal,
    /// Every class is met, some in vain; every order of messages in a mailbox counts.
    Source,
    /// Sleep sets alone: every actor that is enabled and not asleep is tried at every step.
    SleepSets,
    /// All interleavings.
    All,
    /// Random walks, as many as the budget allows: every step that is possible is as likely as the others.
    Random,
    /// Random priorities with few changes (probabilistic concurrency testing): a bug that needs `depth`
    /// ordering constraints is found by one run with a probability of at least 1/(n·k^(depth-1)), for n actors
    /// and k steps.
    Pct { depth: usize },
}

impl Dpor {
    /// Whether which message came first is decided where they are sent. If not, it is decided where
    /// they are taken.
    pub(super) fn orders_mail(self) -> bool {
        match self {
            Dpor::Source | Dpor::SleepSets => true,
            Dpor::Optimal | Dpor::All | Dpor::Random | Dpor::Pct { .. } => false,
        }
    }
}

impl ScheduleSettings {
    /// Tells a stage what is to be seen on it.
    pub(super) fn set(&self, stage: &mut dyn Stage) {
        stage.order_mail(self.orders_mail());
        stage.delay_signals(self.delays_signals || self.delivery != Delivery::Instant);
    }

    /// Whether which message came first is decided where they are sent. How dear a schedule is depends on it.
    pub(super) fn orders_mail(&self) -> bool {
        self.dpor.orders_mail() || self.is_bounded() && self.delivery == Delivery::Instant
    }

    /// Whether a receive takes the first message of those that are there.
    pub(super) fn takes_first(&self) -> bool {
        match self.dpor {
            Dpor::Optimal | Dpor::Source | Dpor::SleepSets => self.orders_mail(),
            // A message may lie there before a signal that comes first.
            Dpor::All => self.delivery == Delivery::Instant && !self.delays_signals,
            Dpor::Random | Dpor::Pct { .. } => !self.delays_signals,
        }
    }

    /// Whether runs are made at random, and none of them leads to others.
    pub(super) fn is_random(&self) -> bool {
        matches!(self.dpor, Dpor::Random | Dpor::Pct { .. })
    }

    /// Whether the search turns races within a bound.
    pub(super) fn is_bounded(&self) -> bool {
        self.preemptions.is_some() && matches!(self.dpor, Dpor::Optimal | Dpor::Source)
    }

    /// Whether equivalent runs may be made, of which only the first counts.
    pub(super) fn meets_again(&self) -> bool {
        self.is_bounded() || self.preemptions.is_some() && self.dpor == Dpor::SleepSets
    }
}

#[derive(Clone, Debug, Default)]
pub struct ScheduleReport {
    pub n_runs: usize,
    /// Runs that came to a place from where all had been seen, or were equivalent to an earlier one.
    pub n_blocked: usize,
    /// Runs that could not follow their plan.
    pub n_diverged: usize,
    /// Different classes of schedules and inputs, if they are counted.
    pub n_classes: usize,
    /// Cells that the search was divided into, if it was.
    pub n_cells: usize,
    /// What solvers were asked.
    pub solver: Statistics,
    pub stop: Stop,
    pub trouble: Option<String>,
}

impl ScheduleReport {
    /// Adds what is said of other runs.
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

/// A run that came to its end.
#[derive(Debug)]
pub struct Ended<'a> {
    pub input: &'a Input,
    /// In an order in which they can be taken with messages that are there when sent.
    pub schedule: &'a [Label],
    /// In the order in which they were taken, with the choices made in each.
    pub steps: &'a [(Label, Range<usize>)],
    /// What no receive took.
    pub unreceived: &'a [Sent],
    pub performed: &'a Performed,
    /// Equal runs have equal ones; known if classes are counted.
    pub class: Option<u64>,
    pub pass: Pass,
}

/// What a run is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// It belongs to the search.
    Search,
    /// It looks at what comes later; the search will come to it again.
    LookAhead,
}

/// What is made of the runs of a search, or of a part of it.
pub trait Gather {
    /// A run has ended.
    fn see(&mut self, ended: &Ended<'_>);

    /// What came of the runs after those that it has seen.
    fn join(&mut self, later: Self)
    where
        Self: Sized;
}
