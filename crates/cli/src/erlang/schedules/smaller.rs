//! Shrinks a finding that needs a schedule: its input, its lost messages, and its switches between processes.

use crate::erlang::finding::{Cause, Judge};
use crate::erlang::minimise::smaller_inputs;
use crate::erlang::schedules::ends::end_text;
use crate::erlang::schedules::{Gathered, Shown};
use ::report::Kind;
use engine::{Alone, Ended, Followed, Pass, ScheduleSettings, Stop};
use engine::{explore_schedules, follow, step_name};
use erlang::machine::Staged;
use solve::{Chain, Effort};
use term::Atom;
use trace::{Actor, Input, Label, Outcome, Performed, Step, Take};

/// The property of a finding that shrinking preserves.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Cause(Cause),
    Deadlock,
    /// A process waits for ever although the call has ended.
    Left,
    /// The result depends on the schedule.
    Race,
}

/// The maximum number of inputs per finding, and of runs per input.
const MAX_INPUTS: usize = 200;
const MAX_RUNS: usize = 100;
/// The maximum number of reorderings of a schedule.
const MAX_ORDERS: usize = 200;

pub(super) struct Smaller<'a, 'm> {
    pub(super) stage: &'a mut Staged<'m>,
    pub(super) judge: &'a Judge<'a>,
    /// The module of the unit's harness.
    pub(super) harness: Option<Atom>,
    pub(super) settings: ScheduleSettings,
    pub(super) goes_on: &'a dyn Fn() -> bool,
}

impl Smaller<'_, '_> {
    pub(super) fn make(&mut self, wanted: &Wanted, shown: &mut Shown) {
        let is_recorded = std::mem::replace(&mut self.stage.is_recorded, false);
        let (first, goes_on) = (shown.finding.input.clone(), self.goes_on);
        smaller_inputs(&first, self.judge.contract, MAX_INPUTS, goes_on, &mut |input| {
            let Some(mut found) = self.preserving_run(wanted, input, &shown.schedule) else {
                return Some(false);
            };
            found.finding.count = shown.finding.count;
            found.nth = shown.nth;
            *shown = found;
            Some(true)
        });
        if shown.finding.input != first {
            shown.finding.found_with = Some(first);
        }
        self.reduce_switches(wanted, shown);
        self.stage.is_recorded = is_recorded;
    }

    fn gathered(&self) -> Gathered {
        Gathered { harness: self.harness.clone(), finds_blocked: true, ..Gathered::default() }
    }

    /// Returns a run with this input that preserves the property: with the same schedule if possible, or else by a
    /// search.
    fn preserving_run(
        &mut self,
        wanted: &Wanted,
        input: &Input,
        schedule: &[Label],
    ) -> Option<Shown> {
        let mut all = self.gathered();
        let names = self.names(schedule);
        if let Ok(Followed { steps, performed, is_in_order: true, .. }) =
            follow(self.stage, input, &names)
        {
            let schedule = labels(&steps);
            all.see(
                self.judge,
                &Ended {
                    input,
                    schedule: &schedule,
                    steps: &[],
                    unreceived: &[],
                    performed: &performed,
                    class: None,
                    pass: Pass::Search,
                },
            );
            if let Some(found) = all.take(wanted) {
                return Some(found);
            }
        }
        let mut all = self.gathered();
        let settings = ScheduleSettings { max_runs: Some(MAX_RUNS), ..self.settings };
        let mut solver = Chain::new(Effort::default());
        let domain = &self.judge.contract.domain;
        let mut oracle = Alone { solver: &mut solver, domain };
        let mut see = |ended: &Ended<'_>| all.see(self.judge, ended);
        let mut watch = |_: &_| (!(self.goes_on)()).then_some(Stop::Time);
        explore_schedules(self.stage, &mut oracle, input, &settings, &mut see, &mut watch);
        all.take(wanted)
    }

    /// Reduces lost messages and preemptions as long as the property is preserved.
    fn reduce_switches(&mut self, wanted: &Wanted, shown: &mut Shown) {
        let names = self.names(&shown.schedule);
        let input = shown.finding.input.clone();
        let Ok(first) = follow(self.stage, &input, &names) else { return };
        let mut best = (n_lost(&shown.schedule), first.n_preemptions, n_switches(&shown.schedule));
        let mut n_tries = 0;
        'calmer: loop {
            for order in kept(&shown.schedule).into_iter().chain(orders(&shown.schedule)) {
                n_tries += 1;
                if n_tries > MAX_ORDERS || !(self.goes_on)() {
                    return;
                }
                let names = self.names(&order);
                let Ok(found) = follow(self.stage, &input, &names) else { return };
                let schedule = labels(&found.steps);
                let measure = (n_lost(&schedule), found.n_preemptions, n_switches(&schedule));
                if found.is_in_order
                    && measure < best
                    && self.is_same(wanted, shown, &found.performed)
                {
                    best = measure;
                    shown.n_switches = measure.2;
                    shown.schedule = schedule;
                    continue 'calmer;
                }
            }
            return;
        }
    }

    /// Whether a run of the same input has the same outcome.
    fn is_same(&self, wanted: &Wanted, shown: &Shown, performed: &Performed) -> bool {
        let input = &shown.finding.input;
        let is_alike = |outcome: &Outcome| end_text(outcome) == end_text(&shown.finding.outcome);
        match wanted {
            Wanted::Deadlock => performed.outcome == Outcome::Deadlock,
            Wanted::Left => {
                let is_it = |it: &Actor| Some(*it) == shown.actor;
                matches!(performed.outcome, Outcome::Value(_))
                    && performed.waiting.iter().any(is_it)
            }
            Wanted::Race => match &shown.finding.outcome {
                Outcome::Value(_) => is_alike(&performed.outcome),
                Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => false,
            },
            Wanted::Cause(cause) => {
                let is_caused = |outcome: &Outcome| {
                    is_alike(outcome) && self.judge.cause(input, outcome).as_ref() == Some(cause)
                };
                match shown.actor {
                    None => is_caused(&performed.outcome),
                    Some(actor) => performed.crashes.iter().any(|it| {
                        let outcome = Outcome::Crash {
                            class: it.class.clone(),
                            reason: it.reason.clone(),
                            trace: it.trace.clone(),
                        };
                        it.actor == actor && is_caused(&outcome)
                    }),
                }
            }
        }
    }

    fn names(&self, schedule: &[Label]) -> Vec<String> {
        schedule.iter().map(|it| step_name(self.stage, *it)).collect()
    }
}

impl Gathered {
    fn take(mut self, wanted: &Wanted) -> Option<Shown> {
        match wanted {
            Wanted::Cause(cause) => self.found.remove(cause),
            Wanted::Deadlock => self.deadlock,
            Wanted::Left => self.left,
            Wanted::Race => {
                let races = self.ends.races();
                races.into_iter().find(|it| it.finding.kind == Kind::Race)
            }
        }
    }
}

fn labels(steps: &[Step]) -> Vec<Label> {
    steps.iter().map(|it| it.label).collect()
}

pub(super) fn n_switches(schedule: &[Label]) -> usize {
    schedule.windows(2).filter(|it| matches!(it, [a, b] if a.actor != b.actor)).count()
}

pub(super) fn n_lost(schedule: &[Label]) -> usize {
    schedule.iter().filter(|it| it.take == Take::Lost).count()
}

/// Variants of a schedule in which one of the lost messages is delivered.
fn kept(schedule: &[Label]) -> Vec<Vec<Label>> {
    let lost = schedule.iter().enumerate().filter(|it| it.1.take == Take::Lost);
    let keep = |(n, label): (usize, &Label)| {
        let mut res = schedule.to_vec();
        if let Some(step) = res.get_mut(n) {
            *step = Label { take: Take::Next, ..*label };
        }
        res
    };
    lost.map(keep).collect()
}

/// Variants of a schedule in which two consecutive stretches of an actor are joined, at the place of either one.
fn orders(schedule: &[Label]) -> Vec<Vec<Label>> {
    let stretches: Vec<&[Label]> = schedule.chunk_by(|a, b| a.actor == b.actor).collect();
    let actor = |n: usize| stretches.get(n).and_then(|it| it.first()).map(|it| it.actor);
    let mut res = Vec::new();
    for second in (2..stretches.len()).rev() {
        let Some(first) = (0..second).rev().find(|it| actor(*it) == actor(second)) else {
            continue;
        };
        for (moved, to) in [(second, first + 1), (first, second - 1)] {
            let mut order: Vec<usize> = (0..stretches.len()).filter(|it| *it != moved).collect();
            order.insert(to, moved);
            let steps = order.iter().filter_map(|it| stretches.get(*it)).copied();
            res.push(steps.flatten().copied().collect());
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::{kept, n_lost, n_switches, orders};
    use trace::{Actor, Label, Take};

    #[test]
    fn stretches_move_together() {
        let steps = |actors: &[u32]| -> Vec<Label> {
            actors.iter().map(|it| Label { actor: Actor(*it), take: Take::Next }).collect()
        };
        let joined = [[1, 2, 2, 2, 1], [1, 1, 2, 2, 2], [1, 1, 2, 2, 2], [2, 2, 1, 1, 2]];
        assert_eq!(orders(&steps(&[1, 2, 2, 1, 2])), joined.map(|it| steps(&it)));
        assert!(orders(&steps(&[1, 1, 2])).is_empty());
        let lost = |take: &[Take]| -> Vec<Label> {
            take.iter().map(|it| Label { actor: Actor(1), take: *it }).collect()
        };
        let two = lost(&[Take::Lost, Take::Next, Take::Lost]);
        let ones = [[Take::Next, Take::Next, Take::Lost], [Take::Lost, Take::Next, Take::Next]];
        assert_eq!((n_lost(&two), kept(&two)), (2, ones.map(|it| lost(&it)).to_vec()));
        assert_eq!(n_switches(&steps(&[1, 2, 2, 1, 2])), 3);
    }
}
