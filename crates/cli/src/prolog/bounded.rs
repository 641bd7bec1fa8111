//! Explores one predicate within the limits that the user gives (`--time`, `--runs`). The modes of the predicate take
//! turns; each continues where it stopped, and runs that one does not use are left to the others.
//!
//! With a limit of runs, the clock has no influence before the time of the predicate is over.

use crate::args::{Criterion, Test};
use crate::flow::{Slice, SoFar, UnitProgress};
use crate::prolog::explore::{
    Search, Turn, has_words, in_words, is_due, is_too_much, needs_branches, settings, turns, unit,
};
use crate::prolog::finding::{Place, findings};
use crate::prolog::plan::{Outcome, Planned, Task, Way};
use crate::prolog::source::{Session, Source};
use engine::{Alone, Exploration, Settings, Stop};
use prolog::concolic::{Finished, Ran, Waiting};
use solve::{Chain, Effort};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much effort (in the unit of [`engine::Report::spent`]) without news ends a turn of the first round.
const PATIENCE: u64 = 100;
/// The factor by which [`PATIENCE`] grows with each round.
const MORE: u64 = 4;
/// The weight of the best mode when runs and time are shared; the others have weight 1.
const BEST: u32 = 8;

/// Explores a predicate within the limits and adds the results to the search.
pub(crate) fn explore_within(
    session: &mut Session,
    planned: &Planned,
    slice: &Slice<'_, Search>,
    search: &mut Search,
) {
    let Slice { interrupt, progress, time, .. } = *slice;
    let begin = Instant::now();
    let Planned { task, options, wanted, branches } = planned;
    let settings = settings(options, wanted);
    let has_words = has_words(&session.source);
    // How far clause bodies were executed on this machine by other predicates depends on scheduling, so it is set
    // aside.
    let furthest = session.machine.take_furthest();
    let is_of_use = |it: &(usize, &Way, Turn)| it.2 != Turn::Words || has_words;
    let mut strands: Vec<Strand<'_>> = turns(task)
        .into_iter()
        .filter(is_of_use)
        .map(|(n, way, turn)| {
            let seen = progress.unit(&task.name);
            Strand { n, way, turn, settings: &settings, seen, begun: None, is_over: false }
        })
        .collect();
    let mut rounds = Rounds {
        session,
        options,
        interrupt,
        wanted,
        branches,
        begin,
        time,
        n_runs: 0,
        is_seeking: true,
        search,
        so_far: slice.so_far,
    };
    let mut patience = PATIENCE;
    while rounds.have_turns(&mut strands, patience) {
        patience = patience.saturating_mul(MORE);
    }
    let why_over = rounds.why_over();
    for strand in strands {
        rounds.finish(strand, task, why_over);
    }
    search.note_tried(task);
    session.machine.note_furthest(&furthest);
    search.res.elapsed += begin.elapsed();
}

/// A mode of the predicate together with a way of making inputs; it can be paused.
struct Strand<'a> {
    n: usize,
    way: &'a Way,
    turn: Turn,
    settings: &'a Settings,
    seen: UnitProgress<'a>,
    begun: Option<Begun<'a>>,
    /// Whether nothing is left to explore.
    is_over: bool,
}

struct Begun<'a> {
    exploration: Exploration<'a>,
    unit: Waiting,
    solver: Chain,
}

/// The resources of one turn.
struct Share {
    runs: Option<usize>,
    time: Duration,
    patience: u64,
}

struct Rounds<'a> {
    session: &'a mut Session,
    options: &'a Test,
    interrupt: &'a AtomicBool,
    wanted: &'a [u32],
    branches: &'a [Outcome],
    begin: Instant,
    time: Duration,
    n_runs: usize,
    /// Whether something is missing that a strand could find.
    is_seeking: bool,
    search: &'a mut Search,
    so_far: &'a SoFar<'a, Search>,
}

impl Rounds<'_> {
    /// Gives each open strand a turn. Returns whether any was open.
    fn have_turns(&mut self, strands: &mut [Strand<'_>], patience: u64) -> bool {
        let mut is_something_left = false;
        self.is_seeking = strands.iter().any(|it| self.is_needed(it));
        let mut rest = strands;
        while let Some((strand, later)) = rest.split_first_mut() {
            if self.is_open(strand) && self.why_over().is_none() {
                is_something_left = true;
                let share = self.share(strand, later, patience);
                self.go_on(strand, &share);
            }
            rest = later;
        }
        is_something_left
    }

    /// Whether a strand gets a turn. While something is missing, strands that may find it do. Then strands that began
    /// are finished, and with `--coverage path` modes with variables in their inputs are explored as well.
    fn is_open(&self, strand: &Strand<'_>) -> bool {
        let has_paths = strand.way.is_open && self.options.coverage == Criterion::Path;
        let is_left = (strand.begun.is_some() || has_paths) && !strand.is_over;
        if self.is_seeking { self.is_needed(strand) } else { is_left }
    }

    fn is_needed(&self, strand: &Strand<'_>) -> bool {
        let Search { res, stopped, .. } = &*self.search;
        let is_needed = match strand.turn {
            Turn::Usual if is_due(strand.n, strand.way) => true,
            Turn::Deep if !stopped.contains(&strand.n) => false,
            // Inputs with variables are only for clauses that no other mode completes.
            Turn::Usual if strand.way.is_open => !res.has_clauses(self.wanted),
            Turn::Usual | Turn::Words | Turn::Deep => !res.has_all(self.wanted, self.options),
        };
        let is_needed = is_needed || needs_branches(res, self.branches, strand.turn);
        is_needed && !strand.is_over
    }

    /// Why no strand may continue; `None` if one may.
    fn why_over(&self) -> Option<Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            Some(Stop::Interrupted)
        } else if is_too_much(self.n_runs) {
            Some(Stop::Memory)
        } else if self.time <= self.begin.elapsed() {
            Some(Stop::Time)
        } else {
            self.options.runs.is_some_and(|it| it <= self.n_runs).then_some(Stop::Runs)
        }
    }

    /// The resources of a strand: its share, by weight, of what is left for it and the strands after it in this round.
    fn share(&self, strand: &Strand<'_>, later: &[Strand<'_>], patience: u64) -> Share {
        let own = strand.weight();
        let others = later.iter().filter(|it| self.is_open(it)).map(Strand::weight);
        let all = own + others.sum::<u32>();
        let runs = self.options.runs.map(|it| it.saturating_sub(self.n_runs));
        let runs = runs.map(|it| it.saturating_mul(own as usize).div_ceil(all as usize));
        let left = self.time.saturating_sub(self.begin.elapsed());
        let is_shared = self.options.time.is_some();
        let time = if is_shared { left.saturating_mul(own) / all } else { left };
        Share { runs, time, patience }
    }

    fn go_on(&mut self, strand: &mut Strand<'_>, share: &Share) {
        let begin = Instant::now();
        let begun = strand.begun.take().or_else(|| self.begin(strand));
        let Some(Begun { mut exploration, unit, mut solver }) = begun else {
            strand.is_over = true;
            return;
        };
        let Session { machine, files, source, .. } = &mut *self.session;
        let mut unit = unit.go_on(machine, files);
        let Strand { n, way, turn, seen, .. } = strand;
        unit.seek(self.search.res.missing(self.wanted, self.options));
        let before = exploration.report();
        let (n_before, n_logged) = (before.n_runs, unit.log.len());
        let (mut n_news, mut at_news) = (before.n_news, before.spent);
        if let Some(runs) = share.runs {
            exploration.allow_runs(n_before + runs);
        }
        let mut watch = |report: &engine::Report| {
            seen.update(report);
            if self.interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            if is_too_much(report.n_runs) {
                return Some(Stop::Memory);
            }
            if report.n_news != n_news {
                (n_news, at_news) = (report.n_news, report.spent);
            }
            let is_dull = at_news + share.patience <= report.spent;
            (is_dull || share.time <= begin.elapsed()).then_some(Stop::Time)
        };
        let mut oracle = Alone { solver: &mut solver, domain: &way.domain };
        exploration.go_on(&mut unit, &mut oracle, &mut watch);
        let report = exploration.report();
        self.n_runs += report.n_runs - n_before;
        strand.is_over = match report.stop {
            Stop::Exhausted | Stop::Depth | Stop::Unsupported => true,
            Stop::Time | Stop::Runs | Stop::Interrupted | Stop::Memory => false,
        };
        let new = unit.log.get(n_logged..).unwrap_or_default();
        self.search.keep(new, *n, way, *turn, self.options);
        self.so_far.note(self.n_runs, || {
            let mut found = self.search.so_far(self.begin.elapsed());
            // Deciding whether a stopped run is an infinite one takes long, so it is left for the end.
            let has_ended = |it: &&Ran| !matches!(it.finished, Finished::Stopped(_));
            let log: Vec<Ran> = unit.log.iter().filter(has_ended).cloned().collect();
            let path = source.path.display().to_string();
            let Source { program, declarations, .. } = &*source;
            let at = Place { program, path: &path, pred: found.res.pred, declarations };
            found.res.add_findings(findings(&mut unit, way, &log, way.is_trusted, &at));
            found
        });
        strand.begun = Some(Begun { exploration, unit: unit.wait(), solver });
    }

    /// Starts the exploration of a strand; `None` if it has no seeds.
    fn begin<'s>(&mut self, strand: &Strand<'s>) -> Option<Begun<'s>> {
        let Strand { n, way, turn, settings, .. } = strand;
        let Session { machine, files, source, .. } = &mut *self.session;
        let inference = &source.inference;
        let Search { res, kept, .. } = &*self.search;
        let mut unit = unit(machine, files, way, *turn, self.options);
        let seeds = match turn {
            Turn::Usual | Turn::Deep => way.seeds.clone(),
            Turn::Words => in_words(&mut unit, *n, way, inference, self.options, (res, kept)),
        };
        let exploration = Exploration::new(&seeds, settings);
        let solver = Chain::new(Effort::default());
        (!seeds.is_empty()).then(|| Begun { exploration, unit: unit.wait(), solver })
    }

    /// Adds the results of a strand. `why_over` is the stop reason of strands that could continue.
    fn finish(&mut self, strand: Strand<'_>, task: &Task, why_over: Option<Stop>) {
        let Strand { n, way, turn, begun, is_over, .. } = strand;
        let Some(Begun { exploration, unit, solver }) = begun else { return };
        let mut report = exploration.finish();
        if turn == Turn::Usual && report.stop == Stop::Exhausted && !report.is_saturated {
            self.search.exhausted.insert(n);
        }
        let res = &mut self.search.res;
        res.add_counts(&report);
        res.solver.add(&solver.statistics);
        if !is_over {
            report.stop = why_over.unwrap_or(report.stop);
        }
        if !is_over || turn == Turn::Usual {
            res.note_stop(&report, way);
        }
        let Session { machine, files, source, .. } = &mut *self.session;
        let Source { program, path, declarations, .. } = &*source;
        let path = path.display().to_string();
        let mut unit = unit.go_on(machine, files);
        let log = std::mem::take(&mut unit.log);
        let at = Place { program, path: &path, pred: task.pred, declarations };
        res.add_findings(findings(&mut unit, way, &log, way.is_trusted, &at));
    }
}

impl Strand<'_> {
    fn weight(&self) -> u32 {
        if self.n == 0 && self.turn == Turn::Usual { BEST } else { 1 }
    }
}
