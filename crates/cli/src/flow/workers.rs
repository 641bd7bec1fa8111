//! Shares the units among threads, in rounds. Each thread has a machine of its own; the result of a unit
//! depends neither on the thread that explored it nor on the order in which units are done.

use crate::flow::budget::Budget;
use crate::flow::program::{Confirming, Done, Ended, Program, Slice};
use crate::flow::progress::Progress;
use crate::start::STACK_BYTES;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use trace::Covered;

/// The search over all units of all programs of a language.
pub(crate) struct Search<'a, P: Program> {
    pub(crate) programs: &'a [P],
    /// Each with the index of its program; the units of one program stand together.
    pub(crate) units: Vec<(usize, P::Unit)>,
    pub(crate) n_workers: usize,
    pub(crate) budget: Budget,
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
}

/// The state of a unit between two rounds; `None` before its first turn.
type Known<P> = Option<Result<<P as Program>::Explored, String>>;

impl<P: Program> Search<'_, P> {
    /// Explores all units, and has their findings replayed as soon as they are done. The results come
    /// in the order of the units, for each program.
    pub(crate) fn run(self, runtimes: &mut [Option<P::Runtime>]) -> Vec<Vec<Done<P>>> {
        let mut known: Vec<Known<P>> = self.units.iter().map(|_| None).collect();
        let mut open: Vec<usize> = (0..self.units.len()).collect();
        let mut n_confirmed = 0;
        let mut round = 0;
        while !open.is_empty() {
            let is_open = |n: usize, known: &Known<P>| self.is_open(n, known);
            let mut is_waiting: Vec<bool> = vec![false; self.units.len()];
            for n in &open {
                if let Some(slot) = is_waiting.get_mut(*n) {
                    *slot = true;
                }
            }
            self.round(round, &open, &mut known, &mut |n, known| {
                if let Some(slot) = is_waiting.get_mut(n) {
                    *slot = known.get(n).is_some_and(|it| is_open(n, it));
                }
                let n_done = is_waiting.iter().take_while(|it| !**it).count();
                n_confirmed = self.confirm(runtimes, known, n_confirmed, n_done);
            });
            open.retain(|n| known.get(*n).is_some_and(|it| self.is_open(*n, it)));
            let is_over = self.interrupt.load(Ordering::Relaxed)
                || !self.budget.has_more(open.len(), self.n_workers);
            if is_over && P::LEAST_ROUNDS <= round + 1 {
                break;
            }
            round += 1;
        }
        self.confirm(runtimes, &mut known, n_confirmed, usize::MAX);
        self.finish(known)
    }

    fn is_open(&self, n: usize, known: &Known<P>) -> bool {
        let program = self.units.get(n).and_then(|it| Some((self.programs.get(it.0)?, &it.1)));
        match (program, known) {
            (Some((program, unit)), Some(Ok(explored))) => program.is_open(unit, explored),
            (_, None) => true,
            (_, Some(_)) => false,
        }
    }

    /// Gives each open unit one turn, and calls `arrived` after each turn.
    fn round(
        &self,
        round: usize,
        open: &[usize],
        known: &mut [Known<P>],
        arrived: &mut dyn FnMut(usize, &mut [Known<P>]),
    ) {
        let elsewhere = self.covered(known);
        let jobs: Vec<Job<P>> =
            open.iter().filter_map(|n| Some(Mutex::new(known.get_mut(*n)?.take()))).collect();
        let next = AtomicUsize::new(0);
        let (results, done) = channel();
        let turns = &Turns { round, open, jobs: &jobs, elsewhere: &elsewhere, next: &next };
        thread::scope(|scope| {
            for n in 0..self.n_workers.min(open.len()).max(1) {
                let results = results.clone();
                let name = format!("gimlet {n}");
                let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
                // If a thread can't be started, the others take its units.
                drop(builder.spawn_scoped(scope, move || self.work(turns, &results)));
            }
            drop(results);
            for (n, explored) in done {
                if let Some(slot) = known.get_mut(n) {
                    *slot = explored;
                }
                arrived(n, known);
            }
        });
    }

    /// For each program, what its units covered so far.
    fn covered(&self, known: &[Known<P>]) -> Vec<Covered> {
        let mut res = vec![Covered::default(); self.programs.len()];
        for ((program, _), known) in self.units.iter().zip(known) {
            if let (Some(all), Some(Ok(explored))) = (res.get_mut(*program), known) {
                all.add(&P::covered(explored));
            }
        }
        res
    }

    /// Takes one unit after the other until there are none.
    fn work(&self, turns: &Turns<'_, P>, results: &Sender<(usize, Known<P>)>) {
        let mut own: Option<(usize, P::Worker)> = None;
        let nothing = Covered::default();
        loop {
            let nth = turns.next.fetch_add(1, Ordering::Relaxed);
            let (Some(n), Some(job)) = (turns.open.get(nth), turns.jobs.get(nth)) else { return };
            let Some((place, unit)) = self.units.get(*n) else { return };
            let Some(program) = self.programs.get(*place) else { return };
            let before = job.lock().unwrap_or_else(PoisonError::into_inner).take();
            let is_first = before.is_none();
            let is_interrupted = self.interrupt.load(Ordering::Relaxed);
            if is_first && (is_interrupted || self.budget.is_over()) {
                if results.send((*n, None)).is_err() {
                    return;
                }
                continue;
            }
            let slice = Slice {
                round: turns.round,
                time: self.budget.slice(turns.open.len() - nth, self.n_workers, turns.round),
                n_cores: (self.n_workers / turns.open.len().max(1)).max(1),
                elsewhere: turns.elsewhere.get(*place).unwrap_or(&nothing),
                interrupt: self.interrupt,
                progress: self.progress,
            };
            let explore = || -> Result<P::Explored, String> {
                if own.as_ref().is_none_or(|it| it.0 != *place) {
                    own = None;
                    own = Some((*place, program.worker(self.interrupt)?));
                }
                let Some((_, worker)) = &mut own else { return Err("no machine".to_owned()) };
                Ok(program.explore(worker, unit, before.and_then(Result::ok), &slice))
            };
            // A panic is a bug of ours. It ends the exploration of this unit only.
            let explored = catch_unwind(AssertUnwindSafe(explore))
                .unwrap_or_else(|_| Err("gimlet broke; that is a bug of ours".to_owned()));
            if explored.is_err() {
                own = None;
            }
            let n_findings = explored.as_ref().map_or(0, |it| P::n_findings(it));
            if turns.round == 0 {
                self.progress.unit_done(n_findings);
            }
            if results.send((*n, Some(explored))).is_err() {
                return;
            }
        }
    }

    /// Replays the findings of the units from `from` to `n_done`; a program whose findings are replayed
    /// together waits for its last unit. The result is the first unit that was not replayed.
    fn confirm(
        &self,
        runtimes: &mut [Option<P::Runtime>],
        known: &mut [Known<P>],
        from: usize,
        n_done: usize,
    ) -> usize {
        let n_done = n_done.min(self.units.len());
        let is_of = |n: usize| self.units.get(n).map(|it| it.0);
        let mut at = from;
        while at < n_done {
            let Some(place) = is_of(at) else { break };
            let end = (at..n_done).find(|it| is_of(*it) != Some(place)).unwrap_or(n_done);
            let is_whole = is_of(end) != Some(place);
            if P::CONFIRMING == Confirming::Program && !is_whole {
                break;
            }
            let units = self.units.get(at..end).unwrap_or_default().iter().map(|it| &it.1);
            let explored = known.get_mut(at..end).unwrap_or_default().iter_mut();
            let mut batch: Vec<(&P::Unit, &mut P::Explored)> = units
                .zip(explored)
                .filter_map(|(unit, known)| Some((unit, known.as_mut()?.as_mut().ok()?)))
                .collect();
            if let (Some(program), Some(Some(runtime))) =
                (self.programs.get(place), runtimes.get_mut(place))
            {
                program.confirm(runtime, &mut batch, self.budget.deadline());
            }
            at = end;
        }
        at
    }

    fn finish(self, known: Vec<Known<P>>) -> Vec<Vec<Done<P>>> {
        let mut res: Vec<Vec<Done<P>>> = self.programs.iter().map(|_| Vec::new()).collect();
        for ((program, unit), known) in self.units.into_iter().zip(known) {
            let ended = match known {
                Some(Ok(explored)) => Ended::Explored(explored),
                Some(Err(why)) => Ended::Failed { why },
                None => Ended::Untried,
            };
            if let Some(of_program) = res.get_mut(program) {
                of_program.push(Done { unit, ended });
            }
        }
        res
    }
}

/// What is known of a unit before its turn.
type Job<P> = Mutex<Known<P>>;

/// What the threads of one round share.
struct Turns<'a, P: Program> {
    round: usize,
    open: &'a [usize],
    jobs: &'a [Job<P>],
    elsewhere: &'a [Covered],
    next: &'a AtomicUsize,
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::args::{Command, CommandLine};
    use crate::asked::Asked;
    use crate::diagnostic::Diagnostic;
    use crate::explain::Code;
    use crate::flow::budget::Budget;
    use crate::flow::program::{Confirming, Done, Ended, File, Output, Program, Slice};
    use crate::flow::progress::Progress;
    use crate::flow::replay::{Again, Recorded};
    use ::report::{Report, Unit};
    use clap::Parser;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;
    use trace::Covered;

    /// A language whose unit 2 makes us panic, and whose unit 4 asks to stop.
    struct Fake;

    impl Program for Fake {
        type Unit = usize;
        type Worker = ();
        type Explored = usize;
        type Runtime = ();

        const CONFIRMING: Confirming = Confirming::Unit;
        const LEAST_ROUNDS: usize = 1;

        fn load(_: &[String], _: &Asked, _: &mut Vec<Diagnostic>) -> Vec<Fake> {
            vec![Fake]
        }

        fn plan(
            &mut self,
            _: &Asked,
            _: &Arc<AtomicBool>,
            _: &mut Vec<Diagnostic>,
        ) -> Result<Vec<usize>, Diagnostic> {
            Ok(Vec::new())
        }

        fn n_modules(&self) -> usize {
            1
        }

        fn worker(&self, _: &Arc<AtomicBool>) -> Result<(), String> {
            Ok(())
        }

        fn explore(&self, (): &mut (), unit: &usize, _: Option<usize>, slice: &Slice<'_>) -> usize {
            assert_ne!(*unit, 2, "a bug of ours");
            slice.interrupt.fetch_or(*unit == 4, Ordering::Relaxed);
            unit * 10
        }

        fn is_open(&self, _: &usize, _: &usize) -> bool {
            false
        }

        fn covered(_: &usize) -> Covered {
            Covered::default()
        }

        fn n_findings(_: &usize) -> usize {
            0
        }

        fn runtime(&self, _: &mut Vec<Diagnostic>) -> Option<()> {
            None
        }

        fn confirm(&self, (): &mut (), _: &mut [(&usize, &mut usize)], _: Option<Instant>) {}

        fn report(&self, _: &[Done<Fake>], _: &mut Report) {}

        fn files(&self, _: Option<&mut ()>, _: &Output<'_, Fake>) -> Vec<File> {
            Vec::new()
        }

        fn has(&self, _: &Recorded) -> bool {
            false
        }

        fn again(&self, (): &mut (), _: &Recorded) -> Result<Again, Diagnostic> {
            Err(Diagnostic::new(Code::BadRecord, "nothing is recorded"))
        }
    }

    #[test]
    fn a_panic_is_one_units_trouble_and_an_interrupt_leaves_the_rest_untried() {
        let line = CommandLine::try_parse_from(["gimlet", "test", "x"]).expect("arguments");
        let Command::Test(options) = line.command else { panic!("not `test`") };
        let budget = Budget::new(&options, 1, Instant::now(), 1);
        let interrupt = Arc::new(AtomicBool::new(false));
        let search = Search {
            programs: &[Fake],
            units: (0..6).map(|it| (0, it)).collect(),
            n_workers: 1,
            budget,
            interrupt: &interrupt,
            progress: &Progress::new(6, 1, budget),
        };
        let done = search.run(&mut [None]);
        let said = |it: &Done<Fake>| {
            let mut unit = Unit { unit: it.unit.to_string(), ..Unit::default() };
            it.excuse(&mut unit);
            match &it.ended {
                Ended::Explored(found) => format!("{}: {found}", unit.unit),
                Ended::Failed { .. } | Ended::Untried => {
                    format!("{}: {} {:?}", unit.unit, unit.stop.name(), unit.trouble)
                }
            }
        };
        let said: Vec<String> = done.iter().flatten().map(said).collect();
        assert_eq!(
            said,
            [
                "0: 0",
                "1: 10",
                "2: unsupported Some(\"gimlet broke; that is a bug of ours\")",
                "3: 30",
                "4: 40",
                "5: interrupted None",
            ]
        );
    }
}
