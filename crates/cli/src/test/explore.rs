//! One unit: explore it, judge how its runs ended, make the findings small.

use crate::test::contract::Contract;
use crate::test::finding::{Finding, Judge, used_up};
use crate::test::gate::{Gated, OnBeam, is_refusal};
use crate::test::pool::Pool;
use crate::test::progress::Progress;
use crate::test::unit::UnitName;
use engine::{Alone, Report, ScheduleSettings, Settings, Stop, Test, explore};
use erlang::Machine;
use solve::{Chain, Effort};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use term::Atom;
use trace::{Input, Outcome};

/// A unit and all that its exploration depends on.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) unit: UnitName,
    pub(crate) contract: Contract,
    pub(crate) settings: Settings,
    /// How to explore schedules, if that is wanted.
    pub(crate) schedules: Option<ScheduleSettings>,
    pub(crate) time: Duration,
    /// Solvers that work for this unit at once.
    pub(crate) n_solvers: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Explored {
    pub(crate) report: Report,
    pub(crate) findings: Vec<Finding>,
    /// Runs that a precondition refused.
    pub(crate) n_refused: usize,
    pub(crate) elapsed: Duration,
    /// What kept us from going on.
    pub(crate) trouble: Option<String>,
}

/// Runs of a unit that goes on and on are cut here.
pub(crate) const MAX_REDUCTIONS: u64 = 1_000_000;
pub(crate) const MAX_MEMORY: usize = 512 << 20;

/// Making findings smaller may take this part of the time for exploring, and at least so much.
const SHARE_OF_SHRINKING: u32 = 4;
const LEAST_SHRINKING: Duration = Duration::from_millis(500);

impl Task {
    pub(crate) fn perform(
        &self,
        machine: &mut Machine,
        runner: Option<OnBeam<'_>>,
        modules: &[Atom],
        time: Duration,
        interrupt: &AtomicBool,
        progress: &Progress,
    ) -> Explored {
        if let Some(settings) = &self.schedules {
            return self.perform_schedules(settings, machine, modules, interrupt, progress);
        }
        let begin = Instant::now();
        let mut unit = match Gated::new(machine, runner, &self.unit, &self.contract, modules) {
            Ok(unit) => unit,
            Err(why) => return Explored { trouble: Some(why), ..Explored::default() },
        };
        let mut seen = progress.unit(&self.unit);
        let mut watch = |report: &Report| {
            seen.update(report);
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            (time <= begin.elapsed()).then_some(Stop::Time)
        };
        let Task { contract, settings, .. } = self;
        let seeds = &contract.seeds;
        let mut report;
        if self.n_solvers > 1 {
            let mut pool = Pool::new(self.n_solvers, &contract.domain);
            report = explore(&mut unit, &mut pool, seeds, settings, &mut watch);
            report.solver = pool.finish();
        } else {
            let mut solver = Chain::new(Effort::default());
            let mut oracle = Alone { solver: &mut solver, domain: &contract.domain };
            report = explore(&mut unit, &mut oracle, seeds, settings, &mut watch);
            report.solver = solver.statistics;
        }
        let trouble = report.trouble.clone();
        let mut res = Explored { report, trouble, ..Explored::default() };
        res.leave_out_refused();
        res.count_stopped();
        let judge = Judge { unit: &self.unit, contract, modules };
        let ends = res.report.tests.iter().map(|it| (&it.input, &it.outcome));
        let shrinking = (time / SHARE_OF_SHRINKING).max(LEAST_SHRINKING);
        let end = Instant::now() + shrinking;
        let goes_on = || Instant::now() < end && !interrupt.load(Ordering::Relaxed);
        for (cause, mut finding) in judge.findings(ends) {
            crate::test::minimise::minimise(&mut unit, &judge, &cause, &mut finding, &goes_on);
            res.findings.push(finding);
        }
        res.elapsed = begin.elapsed();
        seen.done(&res);
        res
    }
}

impl Explored {
    fn leave_out_refused(&mut self) {
        let n_tests = self.report.tests.len();
        self.report.tests.retain(|it| !is_refusal(&it.outcome));
        self.n_refused = n_tests - self.report.tests.len();
    }

    /// What the machine could not do or was not allowed to is a loss like any other.
    fn count_stopped(&mut self) {
        let mut n_cut_short = 0;
        for Test { outcome, .. } in &self.report.tests {
            let Outcome::Stopped(why) = outcome else { continue };
            *self.report.losses.entry(why.clone()).or_default() += 1;
            n_cut_short += usize::from(used_up(why).is_none());
        }
        let n_tests = self.report.tests.len();
        if 0 < n_tests && n_cut_short == n_tests && self.report.stop == Stop::Exhausted {
            self.report.stop = Stop::Unsupported;
        }
    }

    /// How the paths ended, in the order in which they were found.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (&Input, &Outcome)> {
        self.report.tests.iter().map(|it| (&it.input, &it.outcome))
    }
}
