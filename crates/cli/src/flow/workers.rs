//! Distributes the units among workers, in rounds. The result of a unit depends neither on the worker that explored it
//! nor on the order of the turns.
//!
//! Each worker has a thread here that gives it turns. If a worker dies, the unit of its turn is tried once more after
//! all others, alone and with the memory of all workers.

use crate::flow::budget::Budget;
use crate::flow::explorer::{Explorer, Fault, LostTurn};
use crate::flow::keep::Moment;
use crate::flow::program::{Confirming, Done, Ended, Program, Replaying, Until};
use crate::flow::progress::Progress;
use crate::flow::wire::{Turn, bytes_of, read};
use crate::start::STACK_BYTES;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use trace::Covered;

/// The search over all units of all programs of a language family.
pub(crate) struct Search<'a, P: Program> {
    pub(crate) programs: &'a [P],
    /// Each unit with the index of its program, in the order of the programs.
    pub(crate) units: &'a [(usize, P::Unit)],
    pub(crate) n_workers: usize,
    pub(crate) budget: Budget,
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
}

/// After this long without an event, the keeper is called all the same.
const PAUSE: Duration = Duration::from_millis(100);

/// A function that starts a worker.
pub(super) type StartWorker<'s, P> = &'s (dyn Fn(Alone) -> Result<Worker<'s, P>, String> + Sync);

/// A function that writes interim files, from the state of the units and the interim results of units being explored.
pub(super) type Keep<'k, P> =
    dyn FnMut(Moment, &[UnitState<P>], &[Option<<P as Program>::Explored>]) + 'k;

pub(super) type Worker<'s, P> = Box<dyn Explorer<P> + Send + 's>;

/// A function that is called with the index of a unit after each of its events, and with `None` from time to time.
type Arrived<'k, P> =
    dyn FnMut(Option<usize>, &mut [UnitState<P>], &[Option<<P as Program>::Explored>]) + 'k;

/// Whether a worker is the only one, and so may use the memory of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alone {
    Yes,
    No,
}

/// The state of a unit between two rounds; `None` before its first turn.
pub(super) type UnitState<P> =
    Option<Result<<P as Program>::Explored, Failed<<P as Program>::Explored>>>;

/// A unit whose exploration failed.
#[derive(Debug)]
pub(super) struct Failed<E> {
    why: String,
    so_far: Option<E>,
}

/// An event of a unit during a round.
enum Event<P: Program> {
    Over(UnitState<P>),
    /// The worker died; the turn may be tried again.
    Lost(Turn, LostTurn),
    /// The user interrupted the turn.
    Stopped,
    /// Interim results.
    SoFar(P::Explored),
}

impl<P: Program> Search<'_, P> {
    /// Explores all units and replays their findings. The results are in the order of the units.
    pub(crate) fn run(
        &self,
        start: StartWorker<'_, P>,
        runtimes: &mut [Option<P::Runtime>],
        keep: &mut Keep<'_, P>,
    ) -> Vec<UnitState<P>> {
        let idle = Mutex::new(Vec::new());
        let mut known: Vec<UnitState<P>> = self.units.iter().map(|_| None).collect();
        let mut open: Vec<usize> = (0..self.units.len()).collect();
        let mut round = 0;
        while !open.is_empty() {
            self.round(round, &open, &mut known, (start, &idle), &mut |event, known, so_far| {
                let moment = if event.is_some() { Moment::News } else { Moment::Pause };
                if let Some(n) = event.filter(|_| P::CONFIRMING == Confirming::Unit) {
                    self.confirm(runtimes, known, n..n + 1, Replaying::Shown);
                }
                keep(moment, known, so_far);
            });
            open.retain(|n| known.get(*n).is_some_and(|it| self.is_open(*n, it)));
            let is_over = self.interrupt.load(Ordering::Relaxed)
                || !self.budget.has_more(open.len(), self.n_workers);
            if is_over && P::LEAST_ROUNDS <= round + 1 {
                break;
            }
            round += 1;
        }
        // Findings that reports show come first, in case the time does not suffice for the refusals.
        for which in [Replaying::Shown, Replaying::All] {
            for place in 0..self.programs.len() {
                let first = self.units.partition_point(|it| it.0 < place);
                let end = self.units.partition_point(|it| it.0 <= place);
                self.confirm(runtimes, &mut known, first..end, which);
            }
        }
        known
    }

    fn is_open(&self, n: usize, known: &UnitState<P>) -> bool {
        let program = self.units.get(n).and_then(|it| Some((self.programs.get(it.0)?, &it.1)));
        match (program, known) {
            (Some((program, unit)), Some(Ok(explored))) => program.is_open(unit, explored),
            (_, None) => true,
            (_, Some(_)) => false,
        }
    }

    /// Gives each open unit one turn, and calls `arrived` for every event.
    fn round<'s>(
        &self,
        round: usize,
        open: &[usize],
        known: &mut [UnitState<P>],
        (start, idle): (StartWorker<'s, P>, &Idle<'s, P>),
        arrived: &mut Arrived<'_, P>,
    ) {
        let elsewhere = self.covered(known);
        let before = |n: &usize| known.get(*n)?.as_ref()?.as_ref().ok().map(bytes_of);
        let jobs: Vec<EarlierResults> = open.iter().map(|it| Mutex::new(before(it))).collect();
        let next = AtomicUsize::new(0);
        let (events, happened) = channel();
        let turns = &Round { round, open, jobs: &jobs, elsewhere: &elsewhere, next: &next };
        let mut lost = Vec::new();
        let mut so_far: Vec<Option<P::Explored>> = known.iter().map(|_| None).collect();
        thread::scope(|scope| {
            for n in 0..self.n_workers.min(open.len()).max(1) {
                let events = events.clone();
                let name = format!("gimlet {n}");
                let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
                // If a thread can't be started, the other threads take its units.
                drop(builder.spawn_scoped(scope, move || self.work(turns, (start, idle), &events)));
            }
            drop(events);
            lost = self.handle_events(round, &happened, known, &mut so_far, arrived);
        });
        lost.sort_by_key(|it| it.0);
        for (n, turn, how) in lost {
            let (events, happened) = channel();
            thread::scope(|scope| {
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                // If the thread can't be started, the unit stays untried.
                drop(builder.spawn_scoped(scope, move || self.retry(start, n, turn, how, &events)));
                self.handle_events(round, &happened, known, &mut so_far, arrived);
            });
        }
    }

    /// Handles events until all threads of the round have ended. Returns the turns that may be tried again.
    fn handle_events(
        &self,
        round: usize,
        happened: &Receiver<(usize, Event<P>)>,
        known: &mut [UnitState<P>],
        so_far: &mut [Option<P::Explored>],
        arrived: &mut Arrived<'_, P>,
    ) -> Vec<(usize, Turn, LostTurn)> {
        let mut lost = Vec::new();
        loop {
            let (n, event) = match happened.recv_timeout(PAUSE) {
                Ok(it) => it,
                Err(RecvTimeoutError::Timeout) => {
                    arrived(None, known, so_far);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return lost,
            };
            match event {
                Event::Over(state) => self.record_result(round, n, state, known, so_far),
                Event::Lost(turn, how) => lost.push((n, turn, how)),
                Event::Stopped => {
                    let found = so_far.get_mut(n).and_then(Option::take);
                    if let (Some(found), Some(slot)) = (found, known.get_mut(n)) {
                        *slot = Some(Ok(found));
                    }
                }
                Event::SoFar(found) => {
                    if let Some(slot) = so_far.get_mut(n) {
                        *slot = Some(found);
                    }
                }
            }
            arrived(Some(n), known, so_far);
        }
    }

    /// Records how the turn of a unit ended.
    fn record_result(
        &self,
        round: usize,
        n: usize,
        mut state: UnitState<P>,
        known: &mut [UnitState<P>],
        so_far: &mut [Option<P::Explored>],
    ) {
        let heard = so_far.get_mut(n).and_then(Option::take);
        if let Some(Err(failed)) = &mut state {
            failed.so_far = heard.or(failed.so_far.take());
        }
        if round == 0 {
            let explored = state.as_ref().and_then(|it| it.as_ref().ok());
            self.progress.unit_done(explored.map_or(0, P::n_findings));
        }
        if let Some(slot) = known.get_mut(n) {
            *slot = state;
        }
    }

    /// For each program, the clauses that its units covered so far.
    fn covered(&self, known: &[UnitState<P>]) -> Vec<Covered> {
        let mut res = vec![Covered::default(); self.programs.len()];
        for ((program, _), known) in self.units.iter().zip(known) {
            if let (Some(all), Some(Ok(explored))) = (res.get_mut(*program), known) {
                all.add(&P::covered(explored));
            }
        }
        res
    }

    /// The loop of a thread: has its worker explore one unit after the other until none is left.
    fn work<'s>(
        &self,
        turns: &Round<'_>,
        (start, idle): (StartWorker<'s, P>, &Idle<'s, P>),
        events: &Sender<(usize, Event<P>)>,
    ) {
        let mut worker = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        loop {
            let nth = turns.next.fetch_add(1, Ordering::Relaxed);
            let (Some(n), Some(job)) = (turns.open.get(nth), turns.jobs.get(nth)) else { break };
            let before = job.lock().unwrap_or_else(PoisonError::into_inner).take();
            let is_over = self.interrupt.load(Ordering::Relaxed) || self.budget.is_over();
            let event = match before {
                None if is_over => Event::Over(None),
                before => {
                    match self.turn_when_ready(turns, (nth, *n), before, (start, &mut worker)) {
                        Ok(turn) => self.perform_turn(turn, start, &mut worker, &mut |found| {
                            events.send((*n, Event::SoFar(found))).unwrap_or_default();
                        }),
                        Err(why) => Event::Over(Some(Err(Failed { why, so_far: None }))),
                    }
                }
            };
            if events.send((*n, event)).is_err() {
                break;
            }
        }
        idle.lock().unwrap_or_else(PoisonError::into_inner).extend(worker);
    }

    /// Makes the turn of a unit, whose slice is computed only after a worker is ready.
    fn turn_when_ready<'s>(
        &self,
        turns: &Round<'_>,
        (nth, n): (usize, usize),
        before: Option<Result<Vec<u8>, String>>,
        (start, worker): (StartWorker<'s, P>, &mut Option<Worker<'s, P>>),
    ) -> Result<Turn, String> {
        if worker.is_none() {
            // A worker that can't be started or dies here is reported when it is given the turn.
            let is_ready = |it: &mut Worker<'s, P>| it.prepare().is_ok();
            *worker = start(Alone::No).ok().and_then(|mut it| is_ready(&mut it).then_some(it));
        }
        self.turn(turns, nth, n, before)
    }

    fn turn(
        &self,
        turns: &Round<'_>,
        nth: usize,
        n: usize,
        before: Option<Result<Vec<u8>, String>>,
    ) -> Result<Turn, String> {
        let n_open = turns.open.len();
        let (place, unit) = self.units.get(n).ok_or("there is no such unit")?;
        Ok(Turn {
            n,
            round: turns.round,
            time: self.budget.slice(n_open - nth, self.n_workers, turns.round),
            n_cores: (self.n_workers / n_open.max(1)).max(1),
            earlier: P::earlier(unit).to_vec(),
            elsewhere: turns.elsewhere.get(*place).cloned().unwrap_or_default(),
            before: before.transpose()?,
        })
    }

    /// Has a worker perform a turn. A worker that failed is not used again.
    fn perform_turn<'s>(
        &self,
        turn: Turn,
        start: StartWorker<'s, P>,
        worker: &mut Option<Worker<'s, P>>,
        heard: &mut dyn FnMut(P::Explored),
    ) -> Event<P> {
        let before = before_of(&turn);
        let failed = |why| Event::Over(Some(Err(Failed { why, so_far: before })));
        let mut own = match worker.take().map_or_else(|| start(Alone::No), Ok) {
            Ok(own) => own,
            Err(why) => return failed(why),
        };
        match own.explore(&turn, self.progress, heard) {
            Ok(explored) => {
                *worker = Some(own);
                Event::Over(Some(Ok(explored)))
            }
            Err(lost) if lost.cause == Fault::Died => Event::Lost(turn, lost),
            Err(lost) if lost.cause == Fault::Stopped => Event::Stopped,
            Err(LostTurn { why, .. }) => failed(why),
        }
    }

    /// Retries a unit whose worker died.
    fn retry(
        &self,
        start: StartWorker<'_, P>,
        n: usize,
        turn: Turn,
        first: LostTurn,
        events: &Sender<(usize, Event<P>)>,
    ) {
        let is_over = self.interrupt.load(Ordering::Relaxed) || self.budget.is_over();
        let worker = match is_over {
            true => Err(first.why),
            false => start(Alone::Yes),
        };
        let event = match worker {
            Err(why) => Event::Over(Some(Err(Failed { why, so_far: before_of(&turn) }))),
            Ok(worker) => self.perform_turn(turn, start, &mut Some(worker), &mut |found| {
                events.send((n, Event::SoFar(found))).unwrap_or_default();
            }),
        };
        let event = match event {
            Event::Lost(turn, LostTurn { why, .. }) => {
                Event::Over(Some(Err(Failed { why, so_far: before_of(&turn) })))
            }
            Event::Over(_) | Event::Stopped | Event::SoFar(_) => event,
        };
        events.send((n, event)).unwrap_or_default();
    }

    /// Replays findings of the units of one program.
    fn confirm(
        &self,
        runtimes: &mut [Option<P::Runtime>],
        known: &mut [UnitState<P>],
        range: Range<usize>,
        which: Replaying,
    ) {
        let Some((place, _)) = self.units.get(range.start) else { return };
        let units = self.units.get(range.clone()).unwrap_or_default().iter().map(|it| &it.1);
        let explored = known.get_mut(range).unwrap_or_default().iter_mut();
        let mut batch: Vec<(&P::Unit, &mut P::Explored)> = units
            .zip(explored)
            .filter_map(|(unit, known)| Some((unit, found(known.as_mut()?)?)))
            .collect();
        if let (Some(program), Some(Some(runtime))) =
            (self.programs.get(*place), runtimes.get_mut(*place))
        {
            let deadline = Some(self.budget.end_of_replaying(batch.len()));
            let until = Until { deadline, interrupt: self.interrupt };
            program.confirm(runtime, &mut batch, which, &until);
        }
    }
}

/// The results of earlier rounds.
fn before_of<E: DeserializeOwned>(turn: &Turn) -> Option<E> {
    turn.before.as_deref().and_then(|it| read(it).ok())
}

/// The results of a unit, including the interim ones of a failed exploration.
fn found<E>(of: &mut Result<E, Failed<E>>) -> Option<&mut E> {
    match of {
        Ok(explored) => Some(explored),
        Err(failed) => failed.so_far.as_mut(),
    }
}

/// The units of each program with their results, or with their interim results if their turn has not ended.
pub(super) fn done<'a, P: Program>(
    n_programs: usize,
    units: &'a [(usize, P::Unit)],
    known: &'a [UnitState<P>],
    so_far: &'a [Option<P::Explored>],
) -> Vec<Vec<Done<'a, P>>> {
    let mut res: Vec<Vec<Done<'a, P>>> = (0..n_programs).map(|_| Vec::new()).collect();
    for (n, ((program, unit), known)) in units.iter().zip(known).enumerate() {
        let heard = so_far.get(n).and_then(Option::as_ref);
        let ended = match (known, heard) {
            (Some(Ok(explored)), _) | (None, Some(explored)) => Ended::Explored(explored),
            (Some(Err(Failed { why, so_far })), _) => {
                Ended::Failed { why, so_far: so_far.as_ref() }
            }
            (None, None) => Ended::Untried,
        };
        if let Some(of_program) = res.get_mut(*program) {
            of_program.push(Done { unit, ended });
        }
    }
    res
}

/// Workers that wait for the next round.
type Idle<'s, P> = Mutex<Vec<Worker<'s, P>>>;

/// The results of a unit before its turn, which the thread that takes the turn takes out.
type EarlierResults = Mutex<Option<Result<Vec<u8>, String>>>;

/// The data that the threads of one round share.
struct Round<'a> {
    round: usize,
    open: &'a [usize],
    jobs: &'a [EarlierResults],
    elsewhere: &'a [Covered],
    next: &'a AtomicUsize,
}

#[cfg(test)]
mod tests {
    use super::{Search, Worker, done};
    use crate::args::{Command, CommandLine};
    use crate::asked::Asked;
    use crate::diagnostic::Diagnostic;
    use crate::explain::Code;
    use crate::flow::budget::Budget;
    use crate::flow::explorer::{Explorer, Fault, InThread, LostTurn};
    use crate::flow::program::{
        Confirming, Done, Ended, File, Output, Program, Replaying, Slice, Until,
    };
    use crate::flow::progress::Progress;
    use crate::flow::replay::{Again, Recorded};
    use crate::flow::wire::Turn;
    use ::report::{Report, Unit};
    use clap::Parser;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Instant;
    use trace::{Covered, Input};

    /// A language whose unit 2 makes us panic, and whose unit 4 sets the interrupt flag.
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

        fn title(unit: &usize) -> String {
            unit.to_string()
        }

        fn earlier(_: &usize) -> &[Input] {
            &[]
        }

        fn worker(&self, _: &Arc<AtomicBool>) -> Result<(), String> {
            Ok(())
        }

        fn explore(
            &self,
            (): &mut (),
            unit: &usize,
            _: Option<usize>,
            slice: &Slice<'_, usize>,
        ) -> usize {
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

        fn runtime(&self, _: &Arc<AtomicBool>, _: &mut Vec<Diagnostic>) -> Option<()> {
            None
        }

        fn confirm(
            &self,
            (): &mut (),
            _: &mut [(&usize, &mut usize)],
            _: Replaying,
            _: &Until<'_>,
        ) {
        }

        fn report(&self, _: &[Done<'_, Fake>], _: &mut Report) {}

        fn files(
            &self,
            _: Option<&mut ()>,
            _: &Output<'_, Fake>,
            _: &mut Vec<Diagnostic>,
        ) -> Vec<File> {
            Vec::new()
        }

        fn has(&self, _: &Recorded) -> bool {
            false
        }

        fn again(&self, (): &mut (), _: &Recorded) -> Result<Again, Diagnostic> {
            Err(Diagnostic::new(Code::BadRecord, "nothing is recorded"))
        }
    }

    /// A worker that dies in the first turn of unit 1 and in all turns of unit 3.
    struct Mortal<'a> {
        inner: InThread<'a, Fake>,
        n_died: &'a AtomicUsize,
    }

    impl Explorer<Fake> for Mortal<'_> {
        fn prepare(&mut self) -> Result<(), LostTurn> {
            Ok(())
        }

        fn explore(
            &mut self,
            turn: &Turn,
            progress: &Progress,
            heard: &mut dyn FnMut(usize),
        ) -> Result<usize, LostTurn> {
            let dies = turn.n == 3 || turn.n == 1 && self.n_died.load(Ordering::Relaxed) == 0;
            if dies {
                self.n_died.fetch_add(1, Ordering::Relaxed);
                heard(turn.n);
                return Err(LostTurn { why: "its worker is gone".to_owned(), cause: Fault::Died });
            }
            self.inner.explore(turn, progress, heard)
        }
    }

    #[test]
    fn what_ends_a_worker_is_one_units_trouble_and_an_interrupt_leaves_the_rest_untried() {
        let line = CommandLine::try_parse_from(["gimlet", "test", "x"]).expect("arguments");
        let Command::Test(options) = line.command else { panic!("not `test`") };
        let budget = Budget::new(&options, 1, Instant::now(), 1);
        let interrupt = Arc::new(AtomicBool::new(false));
        let units: Vec<(usize, usize)> = (0..6).map(|it| (0, it)).collect();
        let n_died = AtomicUsize::new(0);
        let search = |stops: bool| {
            let units = if stops { units.as_slice() } else { &units[..4] };
            let search = Search {
                programs: &[Fake],
                units,
                n_workers: 1,
                budget,
                interrupt: &interrupt,
                progress: &Progress::new(6, 1, budget),
            };
            let start = |_| {
                let inner = InThread::new(&[Fake], units, &interrupt);
                let res: Worker<'_, Fake> = match stops {
                    true => Box::new(inner),
                    false => Box::new(Mortal { inner, n_died: &n_died }),
                };
                Ok(res)
            };
            let known = search.run(&start, &mut [None], &mut |_, _, _| ());
            done::<Fake>(1, units, &known, &[]).iter().flatten().map(said).collect::<Vec<String>>()
        };
        assert_eq!(
            search(false),
            [
                "0: 0",
                "1: 10",
                "2: unsupported Some(\"gimlet broke; that is a bug of ours\") None",
                "3: unsupported Some(\"its worker is gone\") Some(3)",
            ]
        );
        assert_eq!(n_died.load(Ordering::Relaxed), 3);
        assert_eq!(
            search(true),
            [
                "0: 0",
                "1: 10",
                "2: unsupported Some(\"gimlet broke; that is a bug of ours\") None",
                "3: 30",
                "4: 40",
                "5: interrupted None None",
            ]
        );
    }

    fn said(of: &Done<'_, Fake>) -> String {
        let mut unit = Unit { unit: of.unit.to_string(), ..Unit::default() };
        of.excuse(&mut unit);
        match &of.ended {
            Ended::Explored(found) => format!("{}: {found}", unit.unit),
            Ended::Failed { .. } | Ended::Untried => {
                let (stop, found) = (unit.stop.name(), of.explored());
                format!("{}: {stop} {:?} {found:?}", unit.unit, unit.trouble)
            }
        }
    }
}
