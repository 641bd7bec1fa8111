//! One unit with all its schedules: what ends badly, in which order, and a chart of it.

use crate::test::clock::Clock;
use crate::test::explore::{Explored, Task};
use crate::test::finding::{Cause, Finding, Judge, Kind};
use crate::test::progress::Progress;
use crate::test::unit::UnitName;
use beam::{How, Turn};
use engine::{Alone, Ended, Report, ScheduleReport, ScheduleSettings, Stop, Test};
use engine::{explore_schedules, follow, step_name};
use erlang::Machine;
use erlang::machine::Staged;
use serde_json::{Value, json};
use solve::{Chain, Effort};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use term::{Atom, Style, Term, print};
use trace::{Actor, Blocked, Input, Label, Outcome, Performed, Stage, Step, Take};

/// An order of steps that a finding needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schedule {
    /// The names of the steps; see [`step_name`].
    pub(crate) steps: Vec<String>,
    /// The process that failed, if it is not the unit.
    pub(crate) process: Option<String>,
    /// Who waits, and what lies in their mailboxes.
    pub(crate) blocked: Vec<String>,
    pub(crate) chart: Vec<String>,
    /// The same for BEAM, with all that came after; known where it was found only.
    pub(crate) turns: Vec<Turn>,
}

impl Schedule {
    pub(crate) fn lines(&self) -> impl Iterator<Item = &String> {
        self.blocked.iter().chain(&self.chart)
    }

    pub(crate) fn json(&self) -> Value {
        let Schedule { steps, process, blocked, chart, turns: _ } = self;
        json!({"steps": steps, "process": process, "blocked": blocked, "chart": chart})
    }

    pub(crate) fn read(value: &Value) -> Option<Schedule> {
        let texts = |name: &str| -> Option<Vec<String>> {
            let items = value.get(name)?.as_array()?;
            items.iter().map(|it| it.as_str().map(str::to_owned)).collect()
        };
        let process = value.get("process").and_then(Value::as_str).map(str::to_owned);
        let (steps, blocked) = (texts("steps")?, texts("blocked")?);
        let (chart, turns) = (texts("chart")?, Vec::new());
        Some(Schedule { steps, process, blocked, chart, turns })
    }

    /// Takes the same steps again.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        unit: &UnitName,
        args: &[Term],
    ) -> Result<Outcome, String> {
        let mut stage = Staged::new(machine, unit.module.clone(), unit.function.clone());
        let input = Input { args: args.to_vec() };
        let (_, performed) = follow(&mut stage, &input, &self.steps).map_err(|it| it.why)?;
        let crash = performed.crashes.iter().find(|it| Some(stage.name(it.actor)) == self.process);
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

/// What is known of a cause: the run that shows it best.
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
    tests: Vec<Test>,
    known: BTreeSet<String>,
    /// For each input, the results and a run that leads to each.
    results: BTreeMap<String, BTreeMap<String, Shown>>,
    report: Report,
}

impl Task {
    pub(crate) fn perform_schedules(
        &self,
        settings: &ScheduleSettings,
        machine: &mut Machine,
        modules: &[Atom],
        interrupt: &AtomicBool,
        progress: &Progress,
    ) -> Explored {
        let begin = Instant::now();
        let UnitName { module, function, arity } = &self.unit;
        let spec = self.contract.spec();
        let mut stage = Staged::new(machine, module.clone(), function.clone()).within(spec);
        stage.is_recorded = *arity > 0;
        let nothing = Input { args: Vec::new() };
        let seed = self.contract.seeds.first().unwrap_or(&nothing);
        let judge = Judge { unit: &self.unit, contract: &self.contract, modules };
        let mut all = Gathered::default();
        let mut see = |ended: &Ended<'_>| all.see(&judge, ended);
        let mut seen = progress.unit(&self.unit);
        let mut watch = |report: &ScheduleReport| {
            let shown = Report { n_runs: report.n_runs, ..Report::default() };
            seen.update(&shown);
            if interrupt.load(Ordering::Relaxed) {
                return Some(Stop::Interrupted);
            }
            (self.time <= begin.elapsed()).then_some(Stop::Time)
        };
        let (found, statistics) = Clock::during(self.time, interrupt, |halt| {
            let mut solver = Chain::new(Effort::default()).halted_by(halt);
            let mut oracle = Alone { solver: &mut solver, domain: &self.contract.domain };
            let found =
                explore_schedules(&mut stage, &mut oracle, seed, settings, &mut see, &mut watch);
            (found, solver.statistics)
        });
        let Gathered { found: causes, deadlock, tests, results, mut report, .. } = all;
        report.solver = statistics;
        report.n_runs = found.n_runs;
        report.n_diverged = found.n_diverged;
        report.stop = found.stop;
        report.trouble.clone_from(&found.trouble);
        // What depends on the schedule is no test.
        let is_settled =
            |it: &Test| results.get(&args_text(&it.input)).is_none_or(|it| it.len() == 1);
        report.tests = tests.into_iter().filter(is_settled).collect();
        let mut shown: Vec<Shown> = causes.into_values().chain(deadlock).collect();
        shown.extend(results.into_values().filter_map(race));
        shown.sort_by_key(|it| (it.finding.kind, it.nth));
        stage.is_narrated = true;
        let findings = shown.into_iter().map(|it| explain(&mut stage, it)).collect();
        let trouble = found.trouble;
        let (n_paths, elapsed) = (report.tests.len(), begin.elapsed());
        let res = Explored { report, findings, trouble, n_paths, elapsed, ..Explored::default() };
        seen.done(&res);
        res
    }
}

impl Gathered {
    fn see(&mut self, judge: &Judge<'_>, ended: &Ended<'_>) {
        let Ended { input, schedule, performed } = ended;
        self.report.covered.add(&performed.covered);
        for loss in &performed.losses {
            *self.report.losses.entry(loss.what.clone()).or_default() += 1;
        }
        if let Some(why) = &performed.stopped {
            *self.report.losses.entry(why.clone()).or_default() += 1;
        }
        let is_switch = |it: &&[Label]| matches!(it, [a, b] if a.actor != b.actor);
        let n_switches = schedule.windows(2).filter(is_switch).count();
        let nth = self.known.len();
        let shown = |kind: Kind, outcome: &Outcome, actor: Option<Actor>| Shown {
            finding: judge.finding(kind, input, outcome),
            schedule: schedule.to_vec(),
            actor,
            n_switches,
            nth,
        };
        let outcome = &performed.outcome;
        if let Some(cause) = judge.cause(input, outcome) {
            keep(self.found.entry(cause), || shown(Kind::Crash, outcome, None));
        }
        for crash in &performed.crashes {
            let (class, reason, trace) =
                (crash.class.clone(), crash.reason.clone(), crash.trace.clone());
            let outcome = Outcome::Crash { class, reason, trace };
            if let Some(cause) = judge.cause(input, &outcome) {
                let actor = Some(crash.actor);
                keep(self.found.entry(cause), || shown(Kind::Crash, &outcome, actor));
            }
        }
        if *outcome == Outcome::Deadlock {
            let mut new = shown(Kind::Deadlock, outcome, None);
            match &mut self.deadlock {
                Some(known) => better(known, new),
                none => {
                    new.finding.count = 1;
                    *none = Some(new);
                }
            }
        }
        let args = args_text(input);
        let text = end_text(performed);
        if self.known.insert(format!("{args} {text}")) {
            let (input, outcome) = ((*input).clone(), outcome.clone());
            self.tests.push(Test { input, outcome, is_news: true });
        }
        let of_input = self.results.entry(args).or_default();
        of_input.entry(text).or_insert_with(|| shown(Kind::Race, outcome, None));
    }
}

fn keep(entry: std::collections::btree_map::Entry<'_, Cause, Shown>, make: impl FnOnce() -> Shown) {
    use std::collections::btree_map::Entry;
    let kind = entry.key().kind();
    let mut new = make();
    new.finding.kind = kind;
    match entry {
        Entry::Occupied(mut known) => better(known.get_mut(), new),
        Entry::Vacant(place) => {
            new.finding.count = 1;
            place.insert(new);
        }
    }
}

/// Keeps the run with fewer switches.
fn better(known: &mut Shown, mut new: Shown) {
    known.finding.count += 1;
    if (new.n_switches, new.schedule.len()) < (known.n_switches, known.schedule.len()) {
        new.finding.count = known.finding.count;
        new.nth = known.nth;
        *known = new;
    }
}

/// Results that differ although the input is the same.
fn race(results: BTreeMap<String, Shown>) -> Option<Shown> {
    if results.len() < 2
        || results.values().any(|it| !matches!(it.finding.outcome, Outcome::Value(_)))
    {
        return None;
    }
    let texts: Vec<&String> = results.keys().take(4).collect();
    let others = results.len() - texts.len();
    let texts = texts.into_iter().cloned().collect::<Vec<_>>().join(" or ");
    let more = if others > 0 { format!(" or one of {others} others") } else { String::new() };
    let mut shown = results.into_values().last()?;
    shown.finding.complaint = Some(format!("it returns {texts}{more}, by the schedule alone"));
    Some(shown)
}

fn args_text(input: &Input) -> String {
    let args: Vec<String> = input.args.iter().map(|it| print(it, Style::TW)).collect();
    args.join(",")
}

fn end_text(performed: &Performed) -> String {
    match &performed.outcome {
        Outcome::Value(value) => print(value, Style::TW),
        Outcome::Crash { class, reason, .. } => {
            format!("{}: {}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => why.clone(),
    }
}

/// Takes the steps once more, and tells what they do.
fn explain(stage: &mut Staged<'_>, shown: Shown) -> Finding {
    let Shown { mut finding, schedule, actor, .. } = shown;
    let steps: Vec<String> = schedule.iter().map(|it| step_name(stage, *it)).collect();
    let process = actor.map(|it| stage.name(it));
    let mut res = Schedule { steps, process, ..Schedule::default() };
    if let Ok((steps, performed)) = follow(stage, &finding.input, &res.steps) {
        if finding.kind == Kind::Deadlock {
            res.blocked = performed.blocked.iter().map(|it| blocked_text(stage, it)).collect();
        }
        res.chart = chart(stage, &steps);
        res.turns = steps.iter().map(|it| turn(stage, it)).collect();
    }
    if let Some(process) = &res.process {
        finding.complaint = Some(format!("process {process} failed, and nobody watched it"));
    }
    finding.schedule = Some(res);
    finding
}

fn turn(stage: &Staged<'_>, step: &Step) -> Turn {
    let how = match step.label.take {
        Take::Next => How::Next,
        Take::Message(_) => How::Takes,
        Take::Timeout => How::GivesUp,
    };
    let starts = step.spawned.iter().map(|it| stage.name(*it)).collect();
    Turn { name: stage.name(step.label.actor), how, starts }
}

fn blocked_text(stage: &Staged<'_>, blocked: &Blocked) -> String {
    let mailbox: Vec<String> = blocked.mailbox.iter().map(|it| print(it, Style::TW)).collect();
    let mailbox = if mailbox.is_empty() {
        "no message".to_owned()
    } else {
        format!("only {}", mailbox.join(", "))
    };
    format!("{} waits in {} and has {mailbox}", stage.name(blocked.actor), blocked.place)
}

/// Longer charts are cut in the middle.
const MAX_ROWS: usize = 60;

/// A message sequence chart: a column for each process, a row for each step.
fn chart(stage: &Staged<'_>, steps: &[Step]) -> Vec<String> {
    let mut columns: Vec<Actor> = Vec::new();
    for step in steps {
        for actor in std::iter::once(step.label.actor).chain(step.sent.iter().map(|it| it.to)) {
            if !columns.contains(&actor) {
                columns.push(actor);
            }
        }
    }
    let names: Vec<String> = columns.iter().map(|it| stage.name(*it)).collect();
    let width = names.iter().map(|it| it.chars().count()).max().unwrap_or(1) + 3;
    let mut res = vec![names.iter().map(|it| format!("{it:<width$}")).collect::<String>()];
    let place = |actor: Actor| columns.iter().position(|it| *it == actor).map(|it| it * width);
    for step in steps {
        let text = step.text.clone().unwrap_or_default();
        let from = place(step.label.actor).unwrap_or(0);
        let mut row: Vec<char> = vec![' '; columns.len() * width];
        for column in 0..columns.len() {
            put(&mut row, column * width, '│');
        }
        for to in step.sent.iter().filter_map(|it| place(it.to)).filter(|it| *it != from) {
            let between = from.min(to) + 1..from.max(to);
            between.for_each(|it| put(&mut row, it, '─'));
            put(&mut row, to, if from < to { '▶' } else { '◀' });
        }
        put(&mut row, from, '●');
        let sent = if text.sent.is_empty() {
            String::new()
        } else {
            format!("  {}", text.sent.join(", "))
        };
        res.push(format!("{}{}{sent}", row.into_iter().collect::<String>(), text.what));
    }
    if res.len() > MAX_ROWS {
        let n_cut = res.len() - MAX_ROWS;
        let half = MAX_ROWS / 2;
        res.splice(half..half + n_cut, [format!("… {n_cut} more steps …")]);
    }
    res
}

fn put(row: &mut [char], at: usize, c: char) {
    if let Some(slot) = row.get_mut(at) {
        *slot = c;
    }
}
