//! Implements the language-independent [`Program`] for Prolog.

use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::flow::clock::Clock;
use crate::flow::{
    Again, Confirming, Done, File, Output, Program, Recorded, Replaying, Slice, Until,
};
use crate::prolog::again::again;
use crate::prolog::bounded::explore_within;
use crate::prolog::explore::{
    Round, Search, completed, explore, finish, has_short_round, is_bounded,
};
use crate::prolog::plan::{Planned, plan};
use crate::prolog::refused::refused;
use crate::prolog::source::{Session, Source};
use crate::prolog::swipl::{LONGEST_GOAL, Swipl};
use crate::prolog::{expanded, plunit, report};
use ::report::Report;
use engine::Stop;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use trace::{Covered, Input};

/// Making tests takes at most this fraction of a predicate's time, but at least [`LEAST_FINISHING`].
const FINISHING: u32 = 4;
const LEAST_FINISHING: Duration = Duration::from_millis(500);
/// The minimum time for replaying, which starts `swipl`.
const LEAST_REPLAY: Duration = Duration::from_secs(2);

impl Planned {
    /// The number of rounds if time does not run out.
    fn n_rounds(&self) -> usize {
        if has_short_round(&self.options) { 2 } else { 1 }
    }
}

impl Program for Source {
    const CONFIRMING: Confirming = Confirming::Program;
    const LEAST_ROUNDS: usize = 2;

    type Unit = Planned;
    type Worker = Session;
    type Explored = Search;
    type Runtime = Swipl;

    fn load(targets: &[String], asked: &Asked, said: &mut Vec<Diagnostic>) -> Vec<Source> {
        let excluded = asked.excluded();
        let mut res = Vec::new();
        for target in expanded(targets).iter().filter(|it| !excluded.has(it)) {
            match Session::load(target) {
                // A file of a directory that defines no predicates is skipped silently.
                Ok(session) if !targets.contains(target) && !session.source.has_predicates() => {}
                Ok(session) => {
                    said.extend(session.diagnostics);
                    res.push(session.source);
                }
                Err(diagnostic) => said.push(diagnostic),
            }
        }
        res
    }

    fn plan(
        &mut self,
        asked: &Asked,
        _: &Arc<AtomicBool>,
        _: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Planned>, Diagnostic> {
        let mut session = Session::load(&self.path.display().to_string())?;
        let planned = plan(&mut session, asked)?;
        let rights = asked.test.build.rights.clone();
        *self = Source { rights, ..session.source };
        Ok(planned)
    }

    fn n_modules(&self) -> usize {
        1
    }

    fn title(unit: &Planned) -> String {
        unit.task.name.clone()
    }

    fn earlier(_: &Planned) -> &[Input] {
        &[]
    }

    fn worker(&self, _: &Arc<AtomicBool>) -> Result<Session, String> {
        Session::load(&self.path.display().to_string()).map_err(|it| it.title)
    }

    fn explore(
        &self,
        worker: &mut Session,
        unit: &Planned,
        before: Option<Search>,
        slice: &Slice<'_, Search>,
    ) -> Search {
        let Planned { task, options, .. } = unit;
        let mut search = before.unwrap_or_else(|| Search::new(task));
        // How far other predicates and rounds executed clause bodies on this machine must not influence the search.
        worker.machine.take_furthest();
        Clock::during(slice.time, slice.interrupt, |halt| {
            worker.machine.interrupt = Arc::clone(halt);
            if is_bounded(options) {
                explore_within(worker, unit, slice, &mut search);
            } else {
                let round = match slice.round {
                    0 if has_short_round(options) => Round::Short,
                    _ => Round::Long { elsewhere: marks(slice.elsewhere) },
                };
                explore(worker, unit, slice, &round, &mut search);
            }
        });
        search.n_rounds += 1;
        if unit.n_rounds() <= search.n_rounds {
            let time = (slice.time / FINISHING).max(LEAST_FINISHING);
            Clock::during(time, slice.interrupt, |halt| {
                worker.machine.interrupt = Arc::clone(halt);
                finish(worker, unit, &mut search);
            });
        }
        worker.machine.interrupt = Arc::default();
        worker.machine.note_furthest(&search.furthest);
        search.furthest = worker.machine.take_furthest();
        search
    }

    fn is_open(&self, unit: &Planned, explored: &Search) -> bool {
        let Planned { options, wanted, .. } = unit;
        let may_go_on = || {
            options.budget.is_some()
                && explored.res.stop == Stop::Time
                && !explored.res.has_all(wanted, options)
        };
        explored.n_rounds < unit.n_rounds() || may_go_on()
    }

    /// Completed clauses of the predicate and of its callees. Clauses that only an input calls are excluded.
    fn covered(explored: &Search) -> Covered {
        let res = &explored.res;
        let own = res.completed.iter().filter(|it| res.reachable.contains(it));
        completed(&own.copied().collect::<Vec<u32>>())
    }

    fn n_findings(explored: &Search) -> usize {
        explored.res.findings.len()
    }

    fn runtime(&self, interrupt: &Arc<AtomicBool>, said: &mut Vec<Diagnostic>) -> Option<Swipl> {
        let found = Swipl::find(&self.rights, interrupt);
        if found.is_none() && !said.iter().any(|it| it.code == Code::NoSwipl) {
            let title = "swipl could not be started: nothing is confirmed";
            said.push(Diagnostic::warning(Code::NoSwipl, title));
        }
        if let Some(swipl) = &found {
            said.extend(refused(swipl, self, said));
        }
        found
    }

    fn confirm(
        &self,
        runtime: &mut Swipl,
        batch: &mut [(&Planned, &mut Search)],
        which: Replaying,
        until: &Until<'_>,
    ) {
        if which == Replaying::Shown {
            return;
        }
        // With `--time`, replaying the goals of a predicate takes no longer than exploring it may.
        let times: Option<Vec<Duration>> = batch.iter().map(|it| it.0.options.time).collect();
        let own = times.map(|it| Instant::now() + it.iter().sum::<Duration>().max(LEAST_REPLAY));
        let deadline = [until.deadline, own].into_iter().flatten().min();
        let of_one = batch.iter().filter_map(|it| it.0.options.time).min();
        runtime.of_goal = of_one.map_or(LONGEST_GOAL, |it| (it / 2).min(LONGEST_GOAL));
        runtime.deadline = deadline;
        let mut explored: Vec<_> = batch.iter_mut().map(|it| &mut it.1.res).collect();
        runtime.confirm(self, &mut explored, deadline);
    }

    fn report(&self, done: &[Done<'_, Source>], into: &mut Report) {
        report::add(self, done, into);
    }

    fn files(
        &self,
        runtime: Option<&mut Swipl>,
        to: &Output<'_, Source>,
        _: &mut Vec<Diagnostic>,
    ) -> Vec<File> {
        let swipl = runtime.map(|it| {
            it.deadline = to.until.deadline;
            &*it
        });
        let explored: Vec<_> = to.done.iter().filter_map(|it| Some(&it.explored()?.res)).collect();
        plunit::file(to, self, swipl, &explored).into_iter().collect()
    }

    fn has(&self, recorded: &Recorded) -> bool {
        recorded.file.as_deref().is_none_or(|it| Path::new(it) == self.path)
    }

    fn again(&self, worker: &mut Session, recorded: &Recorded) -> Result<Again, Diagnostic> {
        again(worker, recorded)
    }
}

/// Decodes completed clauses from the coverage of a run: see [`prolog::concolic::Unit`].
fn marks(of: &Covered) -> BTreeSet<u32> {
    of.iter().filter(|it| it.0 % 2 == 1).map(|it| it.0 / 2).collect()
}
