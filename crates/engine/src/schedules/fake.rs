//! A test double: a program of tables whose actors read and write memory cells. Its value consists of all values read
//! and the final contents of the cells.

use crate::oracle::Alone;
use crate::report::Stop;
use crate::schedules::search::explore_schedules;
use crate::schedules::settings::{Dpor, Ended, ScheduleReport, ScheduleSettings};
use solve::{Chain, Effort};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use term::{Domain, Exprs, Term};
use trace::{
    Access, Actor, ActorName, Covered, ExecutorError, Input, Label, Match, MessageId, Mode, Object,
    Offer, OfferKind, Outcome, Performed, ReceiveId, Stage, Step,
};

#[derive(Clone, Copy, Debug)]
enum Op {
    Read(u64),
    Write(u64, i64),
}

use Op::{Read, Write};

#[derive(Debug, Default)]
struct Fake {
    actors: Vec<Vec<Op>>,
    exprs: Exprs,
    /// The state of the current run: how many steps each actor has taken, the contents of the cells, and the values
    /// read.
    done: Vec<usize>,
    cells: BTreeMap<u64, i64>,
    read: BTreeMap<(usize, usize), i64>,
}

impl Fake {
    fn next(&self, actor: usize) -> Option<Op> {
        self.actors.get(actor)?.get(*self.done.get(actor)?).copied()
    }

    fn access(op: Op) -> Access {
        match op {
            Read(cell) => Access { object: Object(cell), mode: Mode::Read },
            Write(cell, _) => Access { object: Object(cell), mode: Mode::Write },
        }
    }
}

impl Stage for Fake {
    fn order_mail(&mut self, _: bool) {}

    fn delay_signals(&mut self, _: bool) {}

    fn begin(&mut self, _: &Input) -> Result<(), ExecutorError> {
        self.done = vec![0; self.actors.len()];
        self.cells.clear();
        self.read.clear();
        Ok(())
    }

    fn begin_again(&mut self, input: &Input, _: usize) -> Result<usize, ExecutorError> {
        self.begin(input)?;
        Ok(0)
    }

    fn offers(&mut self) -> Result<Vec<Offer>, ExecutorError> {
        let offer = |n: usize| {
            let kind = OfferKind::Next {
                accesses: vec![Fake::access(self.next(n)?)],
                is_global: false,
                kills: Vec::new(),
                mail: None,
                may_lose: false,
                is_idle: false,
            };
            Some(Offer { actor: Actor(u32::try_from(n).ok()?), kind: Arc::new(kind) })
        };
        Ok((0..self.actors.len()).filter_map(offer).collect())
    }

    fn step(&mut self, label: Label) -> Result<Step, ExecutorError> {
        let n = label.actor.0 as usize;
        let op = self.next(n).ok_or_else(|| ExecutorError { why: "no such step".to_owned() })?;
        match op {
            Read(cell) => {
                let value = self.cells.get(&cell).copied().unwrap_or(0);
                self.read.insert((n, self.done[n]), value);
            }
            Write(cell, value) => {
                self.cells.insert(cell, value);
            }
        }
        self.done[n] += 1;
        Ok(Step {
            label,
            accesses: vec![Fake::access(op)],
            is_global: false,
            might_differ: false,
            sent: Vec::new(),
            lost: Vec::new(),
            spawned: Vec::new(),
            signals: Vec::new(),
            might_wait: false,
            killed: Vec::new(),
            receive: None,
            is_last: false,
            has_waited: false,
            spin: None,
            choices: 0..0,
            text: None,
        })
    }

    fn again(&mut self, label: Label, _: bool) -> Result<(), ExecutorError> {
        self.step(label).map(|_| ())
    }

    fn matches(&mut self, _: ReceiveId, _: MessageId) -> Result<Match, ExecutorError> {
        Ok(Match::default())
    }

    fn end(&mut self) -> Result<Performed, ExecutorError> {
        let values = self.read.values().chain(self.cells.values());
        let values = values.map(|it| Term::Int(*it)).collect();
        Ok(Performed {
            outcome: Outcome::Value(Term::Tuple(values)),
            crashes: Vec::new(),
            is_spinning: false,
            waiting: Vec::new(),
            blocked: Vec::new(),
            has_prompt_signals: false,
            unheard: Vec::new(),
            stopped: None,
            choices: Vec::new(),
            losses: Vec::new(),
            covered: Covered::default(),
        })
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.exprs
    }

    fn forget(&mut self) {}

    fn names(&self) -> Vec<ActorName> {
        Vec::new()
    }

    fn n_names(&self) -> usize {
        0
    }

    fn set_names(&mut self, _: &[ActorName]) {}

    fn name(&self, actor: Actor) -> String {
        format!("P{}", actor.0)
    }
}

fn explore(actors: &[&[Op]], settings: &ScheduleSettings) -> (ScheduleReport, BTreeSet<String>) {
    let actors = actors.iter().map(|it| it.to_vec()).collect();
    let mut stage = Fake { actors, ..Fake::default() };
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let mut ends = BTreeSet::new();
    let mut see = |ended: &Ended<'_>| {
        ends.insert(format!("{:?}", ended.performed.outcome));
    };
    let seed = Input { args: Vec::new() };
    let report =
        explore_schedules(&mut stage, &mut oracle, &seed, settings, &mut see, &mut |_| None);
    assert_eq!(report.trouble, None);
    (report, ends)
}

/// Checks the number of runs with each reduction (optimal, source sets, sleep sets, all interleavings), and that all
/// reductions find the same outcomes.
fn check(actors: &[&[Op]], expected: [usize; 4]) {
    let kinds = [Dpor::Optimal, Dpor::Source, Dpor::SleepSets, Dpor::All];
    let found = kinds.map(|dpor| {
        let settings =
            ScheduleSettings { dpor, counts_classes: true, ..ScheduleSettings::default() };
        explore(actors, &settings)
    });
    let [optimal, ..] = &found;
    assert_eq!((optimal.0.n_blocked, optimal.0.n_diverged), (0, 0), "{actors:?}");
    assert_eq!(optimal.0.n_classes, optimal.0.n_runs, "{actors:?}");
    for (report, ends) in &found {
        assert_eq!((report.stop, ends), (Stop::Exhausted, &optimal.1), "{actors:?}");
        assert_eq!(report.n_classes, optimal.0.n_classes, "{actors:?}");
    }
    assert_eq!(found.map(|it| it.0.n_runs), expected, "{actors:?}");
}

#[test]
fn independent_steps_have_one_order() {
    check(&[&[Write(1, 1)], &[Write(2, 1)], &[Read(3)]], [1, 1, 1, 6]);
    check(&[&[Read(1), Read(1)], &[Read(1), Read(1)]], [1, 1, 1, 6]);
}

#[test]
fn steps_that_conflict_have_all_orders() {
    check(&[&[Write(1, 1)], &[Write(1, 2)]], [2, 2, 2, 2]);
    check(&[&[Write(1, 1)], &[Write(1, 2)], &[Write(1, 3)]], [6, 6, 6, 6]);
}

/// One writer and two readers: each reader reads before or after the write.
#[test]
fn readers_do_not_conflict_with_each_other() {
    check(&[&[Write(1, 1)], &[Read(1)], &[Read(1)]], [4, 4, 4, 6]);
}

/// A write to one cell, and reads of it after reads of cells of their own [Abdulla et al. 2014]. Source sets try only
/// the writer and the readers first.
#[test]
fn readers_behind_other_steps() {
    check(&[&[Write(1, 1)], &[Read(2), Read(1)], &[Read(3), Read(1)]], [4, 4, 4, 30]);
}

#[test]
fn the_same_is_found_at_random() {
    let program: &[&[Op]] = &[&[Write(1, 1), Read(1)], &[Write(1, 2), Read(1)]];
    let all = explore(program, &ScheduleSettings::default()).1;
    for dpor in [Dpor::Random, Dpor::Pct { depth: 3 }] {
        let settings =
            ScheduleSettings { dpor, max_runs: Some(200), ..ScheduleSettings::default() };
        assert_eq!(explore(program, &settings).1, all, "{dpor:?}");
    }
}
