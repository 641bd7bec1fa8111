//! One unit: explore it, judge how its runs ended, make the findings small.

use crate::test::clock::Clock;
use crate::test::contract::Contract;
use crate::test::finding::{Finding, Judge, used_up};
use crate::test::gate::{Gated, OnBeam, is_refusal};
use crate::test::minimise::minimise;
use crate::test::pool::Pool;
use crate::test::progress::Progress;
use crate::test::schedules::leftover::Unreceived;
use crate::test::unit::UnitName;
use engine::{Alone, Report, ScheduleSettings, Settings, Stop, Strategy, Test, explore};
use erlang::Machine;
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use term::Atom;
use trace::{Covered, Input, Outcome, SiteId};

/// A unit and all that its exploration depends on.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) unit: UnitName,
    pub(crate) contract: Contract,
    pub(crate) settings: Settings,
    /// How to explore schedules, if that is wanted.
    pub(crate) schedules: Option<ScheduleSettings>,
    /// Whether nodes may go down then.
    pub(crate) nodes_fall: bool,
    pub(crate) time: Duration,
    /// Whether to look beyond the depth for clauses that were not entered.
    pub(crate) may_deepen: bool,
    /// Solvers that work for this unit at once.
    pub(crate) n_solvers: usize,
}

/// What all units share.
pub(crate) struct Around<'a> {
    pub(crate) interrupt: &'a AtomicBool,
    pub(crate) progress: &'a Progress,
    /// Makes more machines for the same project.
    pub(crate) machines: &'a (dyn Fn() -> Result<Machine, String> + Sync),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Explored {
    pub(crate) report: Report,
    pub(crate) findings: Vec<Finding>,
    /// Messages that lie in mailboxes to the end of some schedule.
    pub(crate) unreceived: Vec<Unreceived>,
    /// Functions in which the solver gave up on something that no run did.
    pub(crate) given_up: BTreeSet<UnitName>,
    /// Paths that were taken; not all have a test in the report.
    pub(crate) n_paths: usize,
    /// Runs that a precondition refused.
    pub(crate) n_refused: usize,
    pub(crate) elapsed: Duration,
    /// What kept us from going on.
    pub(crate) trouble: Option<String>,
}

/// Runs of a unit that goes on and on are cut here.
pub(crate) const MAX_REDUCTIONS: u64 = 1_000_000;
pub(crate) const MAX_MEMORY: usize = 512 << 20;

/// Making findings smaller may take this part of the time for exploring, but no more than is left of
/// it, or so much if nothing is.
pub(crate) const SHARE_OF_SHRINKING: u32 = 4;
pub(crate) const LEAST_SHRINKING: Duration = Duration::from_millis(700);

/// Where time is shared, the part of it for a unit that has entered all clauses it can come to.
const SHARE_OF_REPEATING: u32 = 3;

/// Paths that brought nothing new are kept up to this number.
const MAX_TESTS: usize = 5_000;

impl Task {
    pub(crate) fn perform(
        &self,
        machine: &mut Machine,
        runner: Option<OnBeam<'_>>,
        modules: &[Atom],
        (time, wanted): (Duration, &Covered),
        around: &Around<'_>,
    ) -> Explored {
        if let Some(settings) = &self.schedules {
            return self.perform_schedules(settings, machine, modules, around);
        }
        let Around { interrupt, progress, .. } = *around;
        let begin = Instant::now();
        let mut unit = match Gated::new(machine, runner, &self.unit, &self.contract, modules) {
            Ok(unit) => unit,
            Err(why) => return Explored { trouble: Some(why), ..Explored::default() },
        };
        let mut seen = progress.unit(&self.unit);
        let is_shared = self.settings.patience.is_some();
        let mut watch = |report: &Report| {
            seen.update(report);
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            let is_enough = is_shared && !report.covered.lacks_some_of(wanted);
            let time = if is_enough { time / SHARE_OF_REPEATING } else { time };
            (time <= begin.elapsed()).then_some(Stop::Time)
        };
        let contract = &self.contract;
        let settings = &mut self.settings.clone();
        if self.may_deepen {
            settings.wanted = wanted.clone();
        }
        // Whoever says how many runs there are wants no others.
        if settings.max_runs.is_none() && settings.strategy == Strategy::VisitedFirst {
            settings.changes = Some(contract.domain.clone());
        }
        let report = Clock::during(time, interrupt, |halt| {
            self.explore(&mut unit, settings, &mut watch, halt)
        });
        let trouble = report.trouble.clone();
        let mut res = Explored { report, trouble, ..Explored::default() };
        res.leave_out_refused();
        res.count_stopped();
        let judge = Judge { unit: &self.unit, contract, modules };
        let ends = res.report.tests.iter().map(|it| (&it.input, &it.outcome));
        let left = time.saturating_sub(begin.elapsed());
        let end = Instant::now() + (time / SHARE_OF_SHRINKING).min(left.max(LEAST_SHRINKING));
        let goes_on = || Instant::now() < end && !interrupt.load(Ordering::Relaxed);
        let mut solver = Chain::new(Effort::default());
        unit.be_patient();
        for (cause, mut finding) in judge.findings(ends) {
            minimise(&mut unit, &mut solver, &judge, &cause, &mut finding, &goes_on);
            res.findings.push(finding);
        }
        drop(unit);
        res.given_up =
            res.report.given_up.iter().filter_map(|it| function_at(machine, *it)).collect();
        res.keep_some_tests();
        res.elapsed = begin.elapsed();
        seen.done(&res);
        res
    }

    fn explore(
        &self,
        unit: &mut Gated<'_>,
        settings: &Settings,
        watch: &mut dyn FnMut(&Report) -> Option<Stop>,
        halt: &Arc<AtomicBool>,
    ) -> Report {
        let Contract { domain, seeds, .. } = &self.contract;
        if self.n_solvers > 1 {
            let mut pool = Pool::new(self.n_solvers, domain, halt);
            let report = explore(unit, &mut pool, seeds, settings, watch);
            return Report { solver: pool.finish(), ..report };
        }
        let mut solver = Chain::new(Effort::default()).halted_by(halt);
        let report =
            explore(unit, &mut Alone { solver: &mut solver, domain }, seeds, settings, watch);
        Report { solver: solver.statistics, ..report }
    }
}

fn function_at(machine: &Machine, site: SiteId) -> Option<UnitName> {
    let (module, function, arity) = machine.function_at(site)?;
    Some(UnitName { module, function, arity: usize::try_from(arity).ok()? })
}

impl Explored {
    /// A report of many units must not hold all the paths that there was time for.
    fn keep_some_tests(&mut self) {
        self.n_paths = self.report.tests.len();
        let mut n = 0;
        self.report.tests.retain(|it| {
            n += 1;
            it.is_news || n <= MAX_TESTS
        });
    }

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
