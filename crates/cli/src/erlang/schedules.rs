//! Explores the schedules of one unit: which findings there are, in which order of steps, and a chart of it.

pub(crate) mod chart;
mod ends;
pub(crate) mod leftover;
mod smaller;

use crate::erlang::explore::{Explored, Machines, Task, time_of_shrinking};
use crate::erlang::finding::{Cause, Finding, Judge};
use crate::erlang::harness::{harness, is_refusal, without_harness};
use crate::erlang::schedules::chart::chart;
use crate::erlang::schedules::ends::Ends;
use crate::erlang::schedules::leftover::Leftovers;
use crate::erlang::schedules::smaller::{Smaller, Wanted, n_lost, n_switches};
use crate::erlang::unit::UnitName;
use crate::flow::Slice;
use crate::flow::clock::Clock;
use crate::start::STACK_BYTES;
use ::report::Kind;
use beam::{How, Turn};
use engine::{
    Chains, Crew, Ended, Followed, Gather, Pass, Report, ScheduleReport, ScheduleSettings, Staging,
    Stop, Test,
};
use engine::{follow, step_name};
use erlang::Machine;
use erlang::machine::Staged;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;
use term::{Atom, Style, print};
use trace::{Actor, Blocked, Input, Label, Outcome, Sent, Stage, Step, Stopped, Take};
use values::NodeId;

/// The order of steps that leads to a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// The names of the steps; see [`step_name`].
    pub(crate) steps: Vec<String>,
    /// The process that failed; `None` if it is the unit's own.
    pub(crate) process: Option<String>,
    /// Messages that were lost.
    pub(crate) lost: Vec<String>,
    /// The processes that wait, with their mailboxes.
    pub(crate) blocked: Vec<String>,
    pub(crate) lines: Vec<String>,
    /// The data of the lines, and the turns for a replay on BEAM; only known in the run that found the schedule.
    pub(crate) chart: Option<::report::Chart>,
    pub(crate) turns: Vec<Turn>,
}

impl Schedule {
    /// Converts the schedule for a report.
    pub(crate) fn reported(&self) -> ::report::Schedule {
        let Schedule { steps, process, lost, blocked, lines, chart, turns: _ } = self.clone();
        ::report::Schedule { steps, process, lost, blocked, chart: lines, drawing: chart }
    }

    pub(crate) fn read(of: &::report::Schedule) -> Schedule {
        let ::report::Schedule { steps, process, lost, blocked, chart, .. } = of.clone();
        Schedule { steps, process, lost, blocked, lines: chart, ..Schedule::default() }
    }

    /// Takes the same steps again.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        (module, function): (Atom, Atom),
        input: &Input,
    ) -> Result<Outcome, String> {
        let mut stage = Staged::new(machine, module, function);
        stage.falling = stage.falls_named(&self.steps);
        stage.delays_signals = self.steps.iter().any(|it| is_signal(it));
        let Followed { performed, .. } =
            follow(&mut stage, input, &self.steps).map_err(|it| it.why)?;
        let crash = performed.crashes.iter().find(|it| Some(stage.name(it.actor)) == self.process);
        let is_left = |it: &Actor| Some(stage.name(*it)) == self.process;
        if performed.waiting.iter().any(is_left) {
            return Ok(Outcome::Deadlock);
        }
        Ok(match crash {
            Some(it) => Outcome::Crash {
                class: it.class.clone(),
                reason: it.reason.clone(),
                trace: it.trace.clone(),
            },
            None => performed.outcome,
        })
    }
}

/// The loss under `--delivery instant`, which BEAM does not guarantee for exit signals.
const PROMPT_SIGNALS: &str = "exit signals were there when they were sent (--delivery instant)";

/// Whether a step is the arrival of a signal; the actors of such steps are named `P.s0`.
fn is_signal(step: &str) -> bool {
    let name = step.split(' ').next().and_then(|it| it.rsplit('.').next());
    let digits = name.and_then(|it| it.strip_prefix('s')).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}

/// The best run of a cause: with the fewest lost messages and switches.
struct Shown {
    finding: Finding,
    schedule: Vec<Label>,
    actor: Option<Actor>,
    n_switches: usize,
    nth: usize,
}

#[derive(Default)]
struct Gathered {
    found: BTreeMap<Cause, Shown>,
    deadlock: Option<Shown>,
    /// A run with a process that waits for ever although the call has ended.
    left: Option<Shown>,
    finds_blocked: bool,
    /// The first run of each input.
    tests: Vec<Test>,
    ends: Ends,
    leftovers: Leftovers,
    report: Report,
    /// The module of the unit's harness, and the number of runs that it refused.
    harness: Option<Atom>,
    n_refused: usize,
}

impl Task {
    pub(crate) fn perform_schedules(
        &self,
        settings: &ScheduleSettings,
        machine: &mut Machine,
        modules: &[Atom],
        slice: &Slice<'_, Explored>,
        machines: Machines<'_>,
    ) -> Explored {
        let Slice { interrupt, progress, time, .. } = *slice;
        let begin = Instant::now();
        let UnitName { module, function, arity } = &self.unit;
        let harness = harness(&self.unit, &self.contract);
        if let Some(Err(why)) = harness.as_ref().map(|it| machine.install(it)) {
            return Explored { trouble: Some(why.to_string()), ..Explored::default() };
        }
        let code = harness;
        let harness = code.as_ref().map(|it| it.name.clone());
        let first = harness.as_ref().unwrap_or(module).clone();
        let mut stage =
            Staged::new(machine, first.clone(), function.clone()).within(self.contract.spec());
        stage.is_recorded = *arity > 0;
        let nothing = Input { args: Vec::new() };
        let seed = self.contract.seeds.first().or(slice.earlier.first()).unwrap_or(&nothing);
        let calls = self.calls.as_deref();
        let (unit, contract) = (&self.unit, &self.contract);
        let judge = Judge::new(unit, contract, modules, calls);
        let gather = || Gathering {
            judge: &judge,
            all: Gathered {
                harness: harness.clone(),
                finds_blocked: self.finds_blocked,
                ..Gathered::default()
            },
        };
        let mut gathered = gather();
        let mut seen = progress.unit(&self.unit.title());
        let mut watch = |report: &ScheduleReport| {
            let shown = Report { n_runs: report.n_runs, ..Report::default() };
            seen.update(&shown);
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            (time <= begin.elapsed()).then_some(Stop::Time)
        };
        let found = Clock::during(time, interrupt, |halt| {
            let oracles = Chains { domain: &self.contract.domain, halt: Some(halt) };
            let mut all = ScheduleReport::default();
            for falling in self.falls(&stage) {
                stage.falling = falling;
                let mut watch = |report: &ScheduleReport| {
                    let n_runs = all.n_runs + report.n_runs;
                    watch(&ScheduleReport { n_runs, ..report.clone() })
                };
                let falling = stage.falling.clone();
                // Makes another machine for the same unit, which explores a part of the schedules.
                let staging = |perform: &mut dyn FnMut(&mut dyn Stage)| {
                    let Ok(mut machine) = machines() else { return };
                    if let Some(Err(_)) = code.as_ref().map(|it| machine.install(it)) {
                        return;
                    }
                    let stage = Staged::new(&mut machine, first.clone(), function.clone());
                    let mut stage = stage.within(self.contract.spec());
                    stage.is_recorded = *arity > 0;
                    stage.falling.clone_from(&falling);
                    perform(&mut stage);
                };
                let crew = Crew::new(slice.n_cores - 1, STACK_BYTES);
                let on: (&mut dyn Stage, &Staging<'_>) = (&mut stage, &staging);
                let (found, later) =
                    crew.explore(on, &oracles, &gather, seed, settings, &mut watch);
                gathered.join(later);
                all.n_runs += found.n_runs;
                all.n_blocked += found.n_blocked;
                all.n_diverged += found.n_diverged;
                all.solver.add(&found.solver);
                if found.stop != Stop::Exhausted {
                    (all.stop, all.trouble) = (found.stop, found.trouble);
                }
                if !matches!(found.stop, Stop::Exhausted | Stop::Depth) {
                    break;
                }
            }
            all
        });
        let Gathered { found: causes, deadlock, left, tests, ends, leftovers, .. } = gathered.all;
        let Gathered { mut report, n_refused, .. } = gathered.all;
        report.solver = found.solver;
        report.n_runs = found.n_runs;
        report.n_diverged = found.n_diverged;
        report.n_in_vain = found.n_blocked;
        report.stop = found.stop;
        report.trouble.clone_from(&found.trouble);
        // An input whose outcome depends on the schedule makes no test.
        report.tests = tests.into_iter().filter(|it| ends.is_settled(&it.input)).collect();
        let mut shown = wanted(causes, [deadlock, left], ends);
        let rest = time.saturating_sub(begin.elapsed());
        let end = Instant::now() + time_of_shrinking(time, rest);
        let goes_on = || Instant::now() < end && !interrupt.load(Ordering::Relaxed);
        let mut smaller = Smaller {
            stage: &mut stage,
            judge: &judge,
            harness,
            settings: *settings,
            goes_on: &goes_on,
        };
        for it in &mut shown {
            smaller.stage.falling = smaller.stage.falls_in(&it.shown.schedule);
            smaller.make(&it.wanted, &mut it.shown);
            if it.is_by_schedule {
                let Finding { kind, input, outcome, .. } = &it.shown.finding;
                let judge = Judge { is_by_schedule: true, ..judge };
                it.shown.finding.rated = judge.rate(*kind, input, outcome, &[]);
            }
        }
        stage.is_narrated = true;
        let findings = shown.into_iter().map(|it| explain(&mut stage, it.shown)).collect();
        let unreceived = leftovers.tell(&mut stage);
        let trouble = found.trouble;
        let (n_paths, elapsed) = (report.tests.len(), begin.elapsed());
        Explored {
            report,
            findings,
            unreceived,
            trouble,
            n_paths,
            n_refused,
            elapsed,
            ..Explored::default()
        }
    }
}

/// A run to be shown in the report, with the finding that it shows.
struct ToShow {
    wanted: Wanted,
    shown: Shown,
    /// Whether the finding depends on the schedule: other schedules of the same input do not have it.
    is_by_schedule: bool,
}

/// Returns the runs of a search to be shown, in the order of the report.
fn wanted(
    causes: BTreeMap<Cause, Shown>,
    [deadlock, left]: [Option<Shown>; 2],
    ends: Ends,
) -> Vec<ToShow> {
    let of = |wanted: Wanted, shown: Shown| ToShow { wanted, shown, is_by_schedule: false };
    let caused = |(cause, shown): (Cause, Shown)| {
        let is_by_schedule = ends.is_by_schedule(&shown.finding.input, &cause);
        ToShow { wanted: Wanted::Cause(cause), shown, is_by_schedule }
    };
    let mut res: Vec<ToShow> = causes.into_iter().map(caused).collect();
    res.extend(deadlock.map(|it| of(Wanted::Deadlock, it)));
    res.extend(left.map(|it| of(Wanted::Left, it)));
    res.extend(ends.races().map(|it| of(Wanted::Race, it)));
    res.sort_by_key(|it| (it.shown.finding.kind, it.shown.nth));
    res
}

impl Task {
    /// The sets of nodes that may go down, each explored separately. The empty set comes first.
    fn falls(&self, stage: &Staged<'_>) -> Vec<Vec<NodeId>> {
        let mut res = vec![Vec::new()];
        for node in stage.other_nodes().into_iter().filter(|_| self.nodes_fall) {
            let with = |it: &Vec<NodeId>| it.iter().copied().chain([node]).collect();
            let more: Vec<Vec<NodeId>> = res.iter().map(with).collect();
            res.extend(more);
        }
        res.sort_by_key(Vec::len);
        res
    }
}

/// The collected results, and the judge of outcomes.
struct Gathering<'j> {
    judge: &'j Judge<'j>,
    all: Gathered,
}

impl Gather for Gathering<'_> {
    fn see(&mut self, ended: &Ended<'_>) {
        self.all.see(self.judge, ended);
    }

    fn join(&mut self, later: Self) {
        self.all.join(later.all);
    }
}

impl Gathered {
    fn see(&mut self, judge: &Judge<'_>, ended: &Ended<'_>) {
        let Ended { input, schedule, performed, .. } = ended;
        self.report.cover(&performed.covered, input);
        for loss in &performed.losses {
            *self.report.losses.entry(loss.what.clone()).or_default() += 1;
        }
        if let Some(why) = &performed.stopped {
            *self.report.losses.entry(why.to_string()).or_default() += 1;
        }
        if performed.has_prompt_signals {
            *self.report.losses.entry(PROMPT_SIGNALS.to_owned()).or_default() += 1;
        }
        if is_refusal(&performed.outcome) {
            self.n_refused += 1;
            return;
        }
        self.leftovers.see(ended);
        let mut outcome = performed.outcome.clone();
        if let (Some(harness), Outcome::Crash { trace, .. }) = (&self.harness, &mut outcome) {
            *trace = without_harness(trace, harness);
        }
        let outcome = &outcome;
        let n_switches = n_switches(schedule);
        let nth = self.ends.len();
        let shown = |kind: Kind, outcome: &Outcome, actor: Option<Actor>| Shown {
            finding: judge.finding(kind, input, outcome),
            schedule: schedule.to_vec(),
            actor,
            n_switches,
            nth,
        };
        let mut causes = BTreeSet::new();
        if let Some(cause) = judge.cause(input, outcome) {
            causes.insert(cause.clone());
            keep(self.found.entry(cause), || shown(Kind::Crash, outcome, None));
        }
        for crash in &performed.crashes {
            let (class, reason, trace) =
                (crash.class.clone(), crash.reason.clone(), crash.trace.clone());
            let outcome = Outcome::Crash { class, reason, trace };
            if let Some(cause) = judge.cause(input, &outcome) {
                let actor = Some(crash.actor);
                causes.insert(cause.clone());
                keep(self.found.entry(cause), || shown(Kind::Crash, &outcome, actor));
            }
        }
        self.ends.ran(input, causes);
        if *outcome == Outcome::Deadlock {
            let mut new = shown(Kind::Deadlock, outcome, None);
            new.finding.count = 1;
            match &mut self.deadlock {
                Some(known) => better(known, new),
                none => *none = Some(new),
            }
        }
        // The outcome of a run that exceeded its steps is unknown.
        if matches!(performed.stopped, Some(Stopped::OutOfSteps { .. })) {
            return;
        }
        if let (true, Outcome::Value(_), Some(actor)) =
            (self.finds_blocked, outcome, performed.waiting.first())
        {
            let mut new = shown(Kind::Deadlock, &Outcome::Deadlock, Some(*actor));
            new.finding.count = 1;
            match &mut self.left {
                Some(known) => better(known, new),
                none => *none = Some(new),
            }
        }
        // Runs that look ahead are not recorded as tests: the search repeats their inputs in the order of the tests.
        if ended.pass == Pass::LookAhead {
            return;
        }
        // A run that repeats itself for ever makes no test.
        let is_first = self.ends.see(input, outcome, || shown(Kind::Race, outcome, None));
        if is_first && !performed.is_spinning {
            let (input, outcome) = ((*input).clone(), outcome.clone());
            let covered = performed.covered.clone();
            self.tests.push(Test { input, outcome, is_news: true, covered });
        }
    }

    /// Joins the results of later runs, as if they had been collected here.
    fn join(&mut self, later: Gathered) {
        let Gathered { found, deadlock, left, tests, ends, report, n_refused, leftovers, .. } =
            later;
        self.report.covered.add(&report.covered);
        for (clause, input) in report.covering {
            self.report.covering.entry(clause).or_insert(input);
        }
        for (loss, n) in report.losses {
            *self.report.losses.entry(loss).or_default() += n;
        }
        self.n_refused += n_refused;
        self.leftovers.join(leftovers);
        self.tests.extend(tests.into_iter().filter(|it| !self.ends.has(&it.input)));
        let n_known = self.ends.join(ends);
        let placed = |it: Shown| {
            let nth = n_known.get(it.nth).copied().unwrap_or(it.nth);
            Shown { nth, ..it }
        };
        for (cause, shown) in found {
            match self.found.entry(cause) {
                Entry::Occupied(mut known) => better(known.get_mut(), placed(shown)),
                Entry::Vacant(place) => {
                    place.insert(placed(shown));
                }
            }
        }
        for (known, new) in [(&mut self.deadlock, deadlock), (&mut self.left, left)] {
            match (&mut *known, new.map(placed)) {
                (Some(known), Some(new)) => better(known, new),
                (none, new) => *none = none.take().or(new),
            }
        }
    }
}

fn keep(entry: Entry<'_, Cause, Shown>, make: impl FnOnce() -> Shown) {
    let kind = entry.key().kind();
    let mut new = make();
    new.finding.kind = kind;
    new.finding.count = 1;
    match entry {
        Entry::Occupied(mut known) => better(known.get_mut(), new),
        Entry::Vacant(place) => {
            place.insert(new);
        }
    }
}

/// Keeps the run that loses fewer messages or else has fewer switches between processes.
fn better(known: &mut Shown, mut new: Shown) {
    known.finding.count += new.finding.count;
    let measure = |it: &Shown| (n_lost(&it.schedule), it.n_switches, it.schedule.len());
    if measure(&new) < measure(known) {
        new.finding.count = known.finding.count;
        new.nth = known.nth;
        *known = new;
    }
}

/// Takes the steps once more and records a description of each.
fn explain(stage: &mut Staged<'_>, shown: Shown) -> Finding {
    let Shown { mut finding, schedule, actor, .. } = shown;
    stage.falling = stage.falls_in(&schedule);
    let steps: Vec<String> = schedule.iter().map(|it| step_name(stage, *it)).collect();
    let process = actor.map(|it| stage.name(it));
    let mut res = Schedule { steps, process, ..Schedule::default() };
    if let Ok(Followed { steps, performed, .. }) = follow(stage, &finding.input, &res.steps) {
        if finding.kind == Kind::Deadlock {
            res.blocked = performed.blocked.iter().map(|it| blocked_text(stage, it)).collect();
        }
        res.lost = steps.iter().flat_map(|it| lost_texts(stage, it)).collect();
        let chart = chart(stage, &steps);
        res.lines = chart.lines();
        res.chart = Some(chart);
        res.turns = steps.iter().map(|it| turn(stage, it)).collect();
    }
    if let Some(process) = &res.process {
        finding.complaint = Some(if finding.kind == Kind::Deadlock {
            format!("process {process} waits for ever, though the call has ended")
        } else {
            format!("process {process} failed, and nobody heard of it")
        });
    }
    finding.schedule = Some(res);
    finding
}

/// Returns the turns for a replay on BEAM, and the lines of a chart.
pub(crate) fn told(
    stage: &mut Staged<'_>,
    input: &Input,
    steps: &[String],
) -> (Vec<Turn>, Vec<String>) {
    stage.is_narrated = true;
    let Ok(Followed { steps, .. }) = follow(stage, input, steps) else {
        return (Vec::new(), Vec::new());
    };
    (steps.iter().map(|it| turn(stage, it)).collect(), chart(stage, &steps).lines())
}

fn lost_texts(stage: &Staged<'_>, step: &Step) -> Vec<String> {
    let texts = step.text.iter().flat_map(|it| &it.lost);
    let of = |(lost, text): (&Sent, &String)| {
        let (from, to) = (stage.name(step.label.actor), stage.name(lost.to));
        format!("the message {text} of {from} to {to} is lost")
    };
    step.lost.iter().zip(texts).map(of).collect()
}

fn turn(stage: &Staged<'_>, step: &Step) -> Turn {
    let how = match step.label.take {
        Take::Next => How::Next,
        Take::Message(_) => How::Takes,
        Take::Timeout => How::GivesUp,
        Take::Lost => How::Loses,
    };
    let starts = step.spawned.iter().map(|it| stage.name(*it)).collect();
    let module = step.text.as_ref().and_then(|it| it.module.clone());
    Turn { name: stage.name(step.label.actor), how, starts, module }
}

fn blocked_text(stage: &Staged<'_>, blocked: &Blocked) -> String {
    if blocked.is_spinning {
        let (name, place) = (stage.name(blocked.actor), &blocked.place);
        return format!("{name} goes round in {place}, and nothing changes any more");
    }
    let mailbox: Vec<String> = blocked.mailbox.iter().map(|it| print(it, Style::TW)).collect();
    let mailbox = if mailbox.is_empty() {
        "no message".to_owned()
    } else {
        format!("only {}", mailbox.join(", "))
    };
    format!("{} waits in {} and has {mailbox}", stage.name(blocked.actor), blocked.place)
}
