//! Explores one unit, judges the outcomes of its runs, and shrinks the findings.

use crate::erlang::absent::misses_system_of;
use crate::erlang::callers::Calls;
use crate::erlang::contract::Contract;
use crate::erlang::evidence::{probe, rate};
use crate::erlang::finding::{Finding, Found, Judge};
use crate::erlang::harness::{Harnessed, OnBeam, is_refusal};
use crate::erlang::minimise::minimise;
use crate::erlang::pool::Pool;
use crate::erlang::properties::show_values;
use crate::erlang::reached::choices_of;
use crate::erlang::schedules::leftover::Unreceived;
use crate::erlang::setup::Setup;
use crate::erlang::texts::Results;
use crate::erlang::unit::UnitName;
use crate::flow::Slice;
use crate::flow::clock::{Clock, not_exhausted_if_interrupted};
use ::report::Kind;
use engine::{Alone, Report, ScheduleSettings, Settings, Shapes, Stop, Strategy, Test, explore};
use erlang::Machine;
use serde::{Deserialize, Serialize};
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use term::{Atom, Domain};
use trace::{Covered, Input, Outcome, SiteId, Stopped};

/// A unit with everything that its exploration depends on.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) unit: UnitName,
    /// The names of the arguments in the source.
    pub(crate) argument_names: Vec<String>,
    pub(crate) contract: Contract,
    /// Inputs that an earlier run of the tool recorded.
    pub(crate) earlier: Vec<Input>,
    pub(crate) settings: Settings,
    /// The settings for exploring schedules; `None` without `--schedules`.
    pub(crate) schedules: Option<ScheduleSettings>,
    /// Whether nodes may go down (`--node-down`).
    pub(crate) nodes_fall: bool,
    /// Whether processes that wait for ever are findings (`--blocked`).
    pub(crate) finds_blocked: bool,
    /// Whether clauses that were not entered are searched for beyond the depth.
    pub(crate) may_deepen: bool,
    /// The clauses that the unit can reach.
    pub(crate) wanted: Covered,
    /// How the project calls the unit, if all its calls are known.
    pub(crate) calls: Option<Arc<Calls>>,
    /// Whether the exploration ends as soon as a run misses a system that could be started.
    pub(crate) may_start: bool,
}

/// A function that makes further machines for the same project.
pub(crate) type Machines<'a> = &'a (dyn Fn() -> Result<Machine, String> + Sync);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Explored {
    pub(crate) report: Report,
    pub(crate) findings: Vec<Finding>,
    /// Messages that no process received by the end of some schedule.
    pub(crate) unreceived: Vec<Unreceived>,
    /// Functions in which the solver gave up on an alternative that no run took.
    pub(crate) given_up: BTreeSet<UnitName>,
    /// The number of explored paths; the report does not keep a test for each.
    pub(crate) n_paths: usize,
    /// The number of runs that a precondition refused.
    pub(crate) n_refused: usize,
    pub(crate) elapsed: Duration,
    /// What was done before each run.
    pub(crate) setups: Vec<Setup>,
    /// Whether the exploration ended because a run missed a system that could be started.
    pub(crate) misses_system: bool,
    /// The failure of our own code that ended the exploration.
    pub(crate) trouble: Option<String>,
}

/// The maximum number of reductions of a run.
pub(crate) const MAX_REDUCTIONS: u64 = 1_000_000;
pub(crate) const MAX_MEMORY: usize = 512 << 20;
/// The maximum size of a result that is kept, in bytes.
pub(crate) const MAX_TERM: usize = 16 << 20;

/// Shrinking takes at most 1/4 of the time for exploring.
const SHARE_OF_SHRINKING: u32 = 4;
/// The minimum time for shrinking if the exploration used up its time; never more than the time for exploring.
const LEAST_SHRINKING: Duration = Duration::from_millis(700);

/// The time for shrinking, from the `time` of a unit and what is `left` of it.
pub(crate) fn time_of_shrinking(time: Duration, left: Duration) -> Duration {
    (time / SHARE_OF_SHRINKING)
        .max(LEAST_SHRINKING.min(time))
        .min(left.max(LEAST_SHRINKING.min(time)))
}

/// When modules share a budget, a unit that has entered all its clauses gets 1/3 of its time.
const SHARE_OF_REPEATING: u32 = 3;

/// The loss reported if no recipe produced a value of a type.
const NOTHING_BUILT: &str = "calls that make its inputs: none led to a value, so they are made up";

/// The maximum number of paths without news that are kept.
const MAX_TESTS: usize = 5_000;

impl Task {
    /// Explores the unit with inputs that are built by recipes or, if none can be built, with made-up ones.
    pub(crate) fn perform(
        &self,
        machine: &mut Machine,
        mut runner: Option<OnBeam<'_>>,
        (modules, before): (&[Atom], Option<&Explored>),
        slice: &Slice<'_, Explored>,
        machines: Machines<'_>,
    ) -> Explored {
        let begin = Instant::now();
        let here = runner.as_mut().map(OnBeam::again);
        let is_made_up = |it: &Input| !self.contract.has(it);
        let Some(made_up) = &self.contract.made_up else {
            return self.perform_as(
                &self.contract,
                machine,
                here,
                (modules, before),
                slice,
                machines,
            );
        };
        let kept = before.iter().flat_map(|it| it.worth_keeping());
        if !kept.chain(slice.earlier.iter().cloned()).any(|it| is_made_up(&it)) {
            let res =
                self.perform_as(&self.contract, machine, here, (modules, before), slice, machines);
            if !res.report.tests.is_empty() || res.n_refused == 0 || self.schedules.is_some() {
                return res;
            }
        }
        let left = Slice { time: slice.time.saturating_sub(begin.elapsed()), ..*slice };
        let mut res = self.perform_as(made_up, machine, runner, (modules, before), &left, machines);
        res.report.losses.insert(NOTHING_BUILT.to_owned(), 1);
        res
    }

    /// Explores the unit from its seeds and from the news of earlier rounds.
    fn perform_as(
        &self,
        contract: &Contract,
        machine: &mut Machine,
        runner: Option<OnBeam<'_>>,
        (modules, before): (&[Atom], Option<&Explored>),
        slice: &Slice<'_, Explored>,
        machines: Machines<'_>,
    ) -> Explored {
        if let Some(settings) = &self.schedules {
            return self.perform_schedules(settings, machine, modules, slice, machines);
        }
        let Slice { interrupt, progress, time, .. } = *slice;
        let wanted = &self.wanted;
        let begin = Instant::now();
        let mut unit = match Harnessed::new(machine, runner, &self.unit, contract, modules) {
            Ok(unit) => unit,
            Err(why) => return Explored { trouble: Some(why), ..Explored::default() },
        };
        let mut seen = progress.unit(&self.unit.title());
        let is_shared = self.settings.patience.is_some();
        let calls = self.calls.as_deref();
        let judge = Judge::new(&self.unit, contract, modules, calls);
        let found_so_far = |report: &Report, judge: &Judge<'_>, elapsed: Duration| {
            let found = Explored::so_far(report, judge, elapsed);
            match before {
                Some(before) => found.after(before.clone()),
                None => found,
            }
        };
        let mut misses_system = false;
        let mut watch = |report: &Report| {
            seen.update(report);
            let last = report.tests.last().filter(|_| self.may_start);
            if last.is_some_and(|it| misses_system_of(&it.input, &it.outcome)) {
                misses_system = true;
                return Some(Stop::Interrupted);
            }
            slice.so_far.note(report.n_news, || found_so_far(report, &judge, begin.elapsed()));
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            let is_enough = is_shared && !report.covered.lacks_some_of(wanted);
            let time = if is_enough { time / SHARE_OF_REPEATING } else { time };
            (time <= begin.elapsed()).then_some(Stop::Time)
        };
        let settings = &mut self.settings.clone();
        if self.may_deepen {
            settings.wanted = wanted.clone();
        }
        // With `--runs` no further runs are wanted, and a unit without arguments has no variants of inputs.
        if settings.max_runs.is_none()
            && settings.strategy == Strategy::VisitedFirst
            && self.unit.arity > 0
        {
            settings.changes = Some(contract.domain.clone());
        }
        let earlier = before.iter().flat_map(|it| it.worth_keeping());
        let kept = slice.earlier.iter().cloned().chain(earlier);
        let seeds: Vec<Input> = contract.seeds.iter().cloned().chain(kept).collect();
        let report = Clock::during(time, interrupt, |halt| {
            self.explore(
                &mut unit,
                (&contract.domain, &seeds),
                settings,
                &mut watch,
                (slice.n_cores, halt),
            )
        });
        let setups = contract.setups.clone();
        let mut tests = report.tests.iter();
        misses_system |= self.may_start && tests.any(|it| misses_system_of(&it.input, &it.outcome));
        if misses_system {
            return Explored { misses_system, setups, ..Explored::default() };
        }
        let report = not_exhausted_if_interrupted(report, interrupt);
        let trouble = report.trouble.clone();
        let mut res = Explored { report, trouble, setups, ..Explored::default() };
        res.leave_out_refused();
        res.count_stopped();
        let ends = res.report.tests.iter().map(|it| (&it.input, &it.outcome));
        let found = judge.findings(ends);
        if !found.is_empty() {
            slice.so_far.now(|| found_so_far(&res.report, &judge, begin.elapsed()));
        }
        let accepted = accepted(&res.report, &judge);
        let is_in_question = |it: &Found| matches!(it.finding.kind, Kind::Crash | Kind::Timeout);
        let end = Instant::now() + time_of_shrinking(time, time.saturating_sub(begin.elapsed()));
        let goes_on = || Instant::now() < end && !interrupt.load(Ordering::Relaxed);
        let (mut shapes, recorded) = match found.iter().any(is_in_question) {
            true => {
                let recorded = Shapes::gather(&mut unit, contract.recorded.iter(), &goes_on);
                let mut shapes = Shapes::gather(&mut unit, accepted.into_iter(), &goes_on);
                shapes.add(&recorded);
                (shapes, recorded)
            }
            false => (Shapes::default(), Shapes::default()),
        };
        for it in found.iter().filter(|it| is_in_question(it)) {
            if goes_on() && it.finding.kind != Kind::Timeout {
                probe(&mut unit, &judge, it, &mut shapes, &goes_on);
            }
        }
        let results = Some(Results::of(&judge, res.ends()));
        let judge = Judge { shapes: Some(&shapes), recorded: Some(&recorded), results, ..judge };
        let mut solver = Chain::new(Effort::default());
        unit.be_patient();
        let mut reached = Vec::new();
        for mut found in found {
            if is_in_question(&found) {
                rate(&mut unit, &judge, &mut found, &goes_on);
            }
            let Found { cause, mut finding, .. } = found;
            minimise(&mut unit, &mut solver, &judge, &cause, &mut finding, &goes_on);
            let choices = choices_of(&mut unit, &self.unit, &self.argument_names, &finding.input);
            res.findings.push(finding);
            reached.push(choices);
        }
        drop(unit);
        for (finding, choices) in res.findings.iter_mut().zip(reached) {
            finding.reached_by(choices.iter().map(|it| it.told(machine)).collect());
        }
        if contract.is_drawn {
            show_values(machine, &self.unit, &mut res);
        }
        res.given_up =
            res.report.given_up.iter().filter_map(|it| function_at(machine, *it)).collect();
        res.keep_some_tests();
        res.elapsed = begin.elapsed();
        res
    }

    fn explore(
        &self,
        unit: &mut Harnessed<'_>,
        (domain, seeds): (&Domain, &[Input]),
        settings: &Settings,
        watch: &mut dyn FnMut(&Report) -> Option<Stop>,
        (n_solvers, halt): (usize, &Arc<AtomicBool>),
    ) -> Report {
        if n_solvers > 1 {
            let mut pool = Pool::new(n_solvers, domain, halt);
            let report = explore(unit, &mut pool, seeds, settings, watch);
            return Report { solver: pool.finish(), ..report };
        }
        let mut solver = Chain::new(Effort::default()).halted_by(halt);
        let report =
            explore(unit, &mut Alone { solver: &mut solver, domain }, seeds, settings, watch);
        Report { solver: solver.statistics, ..report }
    }
}

/// Inputs that ended well: first those of runs with news, then a sample of the others from the whole search.
fn accepted<'r>(report: &'r Report, judge: &Judge<'_>) -> Vec<&'r Input> {
    let is_well = |it: &&Test| {
        matches!(it.outcome, Outcome::Value(_)) && judge.cause(&it.input, &it.outcome).is_none()
    };
    let (news, others): (Vec<&Test>, Vec<&Test>) =
        report.tests.iter().filter(is_well).partition(|it| it.is_news);
    let n_others = MAX_ACCEPTED.saturating_sub(news.len());
    let every = others.len().div_ceil(n_others.max(1)).max(1);
    let others = others.into_iter().step_by(every).take(n_others);
    news.into_iter().take(MAX_ACCEPTED).chain(others).map(|it| &it.input).collect()
}

/// The maximum number of inputs that are run again to gather their shapes.
const MAX_ACCEPTED: usize = 400;

fn function_at(machine: &Machine, site: SiteId) -> Option<UnitName> {
    let (module, function, arity) = machine.function_at(site)?;
    Some(UnitName { module, function, arity: usize::try_from(arity).ok()? })
}

impl Explored {
    /// Interim results: the findings so far, neither shrunk nor rated by other inputs.
    fn so_far(report: &Report, judge: &Judge<'_>, elapsed: Duration) -> Explored {
        let is_kept = |it: &&Test| it.is_news && !is_refusal(&it.outcome);
        let tests: Vec<Test> = report.tests.iter().filter(is_kept).cloned().collect();
        let found = judge.findings(tests.iter().map(|it| (&it.input, &it.outcome)));
        let report = Report {
            tests,
            n_runs: report.n_runs,
            sources: report.sources.clone(),
            losses: report.losses.clone(),
            n_diverged: report.n_diverged,
            covered: report.covered.clone(),
            covering: report.covering.clone(),
            n_news: report.n_news,
            stop: Stop::Interrupted,
            given_up: report.given_up.clone(),
            ..Report::default()
        };
        let findings = found.into_iter().map(|it| it.finding).collect();
        let n_paths = report.tests.len();
        Explored { report, findings, n_paths, elapsed, ..Explored::default() }
    }

    /// Drops most paths without news, to bound the memory of a report of many units.
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
        if self.report.tests.is_empty() && self.n_refused > 0 {
            let what = "no input satisfied the precondition".to_owned();
            self.report.losses.insert(what, self.n_refused);
        }
    }

    /// Records runs that the machine could not follow, or was not allowed to, as losses.
    fn count_stopped(&mut self) {
        let mut n_cut_short = 0;
        for Test { outcome, .. } in &self.report.tests {
            let Outcome::Stopped(why) = outcome else { continue };
            *self.report.losses.entry(why.to_string()).or_default() += 1;
            n_cut_short += usize::from(!matches!(why, Stopped::OutOf(_)));
        }
        let n_tests = self.report.tests.len();
        if 0 < n_tests && n_cut_short == n_tests && self.report.stop == Stop::Exhausted {
            self.report.stop = Stop::Unsupported;
        }
    }

    /// Seeds for a later round: the inputs of runs with news.
    pub(crate) fn worth_keeping(&self) -> impl Iterator<Item = Input> {
        self.report.tests.iter().filter(|it| it.is_news).map(|it| it.input.clone())
    }

    /// Joins the results of this round with those of an earlier one.
    pub(crate) fn after(mut self, before: Explored) -> Explored {
        self.report.n_runs += before.report.n_runs;
        self.report.n_diverged += before.report.n_diverged;
        self.report.solver.add(&before.report.solver);
        self.report.covered.add(&before.report.covered);
        for (clause, input) in before.report.covering {
            self.report.covering.insert(clause, input);
        }
        for (source, of) in before.report.sources {
            self.report.sources.entry(source).or_default().add(of);
        }
        for (what, count) in before.report.losses {
            *self.report.losses.entry(what).or_default() += count;
        }
        self.n_refused += before.n_refused;
        for finding in &mut self.findings {
            let is_it = |it: &&Finding| it.cause == finding.cause && it.input == finding.input;
            if let Some(known) = before.findings.iter().find(is_it) {
                finding.confirmation = known.confirmation.clone();
            }
        }
        let known: BTreeSet<String> = self.findings.iter().map(|it| it.cause.clone()).collect();
        let lost = before.findings.into_iter().filter(|it| !known.contains(&it.cause));
        self.findings.extend(lost);
        self.elapsed += before.elapsed;
        self
    }

    /// The inputs and outcomes of the paths, in the order in which they were found.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (&Input, &Outcome)> {
        self.report.tests.iter().map(|it| (&it.input, &it.outcome))
    }
}
