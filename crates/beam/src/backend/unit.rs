//! A unit that runs on BEAM, as the engine sees it.
//!
//! BEAM says how a run ends, the machine which choices led there. They make the same run: where they
//! do not, that is a bug of ours, and the run says so.

use crate::backend::alike::is_alike;
use crate::backend::runner::{Ran, Runner};
use crate::backend::scope::Witness;
use erlang::machine::{Recorder, Replay};
use erlang::{HostError, Machine, MachineError};
use std::collections::VecDeque;
use std::sync::Arc;
use term::{Atom, Domain, Exprs, Style, print};
use trace::{ClauseId, Executor, ExecutorError, Input, Loss, Outcome, Run, SiteId};

/// A function of the modules under test, called with symbolic arguments.
#[derive(Debug)]
pub struct BeamUnit<'m> {
    machine: &'m mut Machine,
    runner: &'m mut Runner,
    module: Atom,
    function: Atom,
    recorder: Recorder,
    tested: Vec<Atom>,
    /// Runs in which the machine went another way than BEAM, and how.
    pub differences: Vec<String>,
}

/// More are counted by nobody.
const MAX_DIFFERENCES: usize = 100;
/// How often a run is made again because a function went to the other side.
const MAX_MOVES: usize = 8;

impl BeamUnit<'_> {
    pub fn new<'m>(
        machine: &'m mut Machine,
        runner: &'m mut Runner,
        module: Atom,
        function: Atom,
    ) -> BeamUnit<'m> {
        let (recorder, tested) = (Recorder::default(), Vec::new());
        BeamUnit { machine, runner, module, function, recorder, tested, differences: Vec::new() }
    }

    /// What is not in these modules and the unit's own is only used by what is tested.
    #[must_use]
    pub fn testing(mut self, modules: &[Atom]) -> Self {
        self.tested = modules.iter().chain([&self.module]).cloned().collect();
        self
    }

    /// Inputs come from this domain: what it implies is no choice.
    #[must_use]
    pub fn within(mut self, domain: Arc<Domain>) -> Self {
        self.recorder = Recorder::within(domain);
        self
    }

    /// Says that the two sides differ.
    fn differ(&mut self, what: String, losses: &mut Vec<Loss>) {
        let loss = format!("the machine and BEAM differ: {what}");
        losses.push(Loss { site: SiteId(0), what: loss });
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(what);
        }
    }

    /// The first clause where the machine went another way.
    fn compare(&self, entered: &[ClauseId], on_beam: &[u32]) -> Option<String> {
        let place = |id: &ClauseId| {
            let (module, line, column) = self.machine.clause_place(*id)?;
            Some(format!("{}:{line}:{column}", module.as_str()))
        };
        let beam_place = |number: &u32| {
            let it = self.runner.clause(*number)?;
            Some(format!("{}:{}:{}", it.module.as_str(), it.line, it.column))
        };
        let n = entered.len().max(on_beam.len());
        (0..n).find_map(|at| {
            let ours = entered.get(at).and_then(place);
            let theirs = on_beam.get(at).and_then(beam_place);
            let text = |it: Option<String>| it.unwrap_or_else(|| "the end".to_owned());
            (ours != theirs)
                .then(|| format!("clause {at} is {} here and {} there", text(ours), text(theirs)))
        })
    }

    /// One input, or `None` if a function went to the other side and the run counts for nothing.
    fn attempt(&mut self, input: &Input, is_last: bool) -> Result<Option<Run>, ExecutorError> {
        let ran = self
            .runner
            .run(&self.module, &self.function, &input.args)
            .map_err(|it| host_error(&it))?;
        let (on_beam, results, clauses) = match ran {
            Ran::Ended { outcome, results, clauses } => (Some(outcome), results, clauses),
            Ran::Cut(_) => (None, VecDeque::new(), Vec::new()),
        };
        let is_witnessed = on_beam.is_some() && self.runner.witness() == Witness::Clauses;
        let outside = self.runner.outside();
        let entered = is_witnessed.then(Vec::new);
        let replay = Replay::new(outside, results, entered);
        let recorder = std::mem::take(&mut self.recorder);
        let made = self.machine.replay(&self.module, &self.function, &input.args, recorder, replay);
        let (run, recorder, replay) = made.map_err(|it| machine_error(&it))?;
        self.recorder = recorder;
        if let Some(function) = &replay.misplaced {
            self.runner.keep(function).map_err(|it| host_error(&it))?;
            self.machine.take_back(function);
            return Ok(None);
        }
        let mut losses = std::mem::take(&mut self.recorder.losses);
        let choices = std::mem::take(&mut self.recorder.choices);
        let ours = Outcome::from(run.outcome);
        // Nothing is gained where BEAM itself does not get through.
        if on_beam.is_some() && !is_last {
            for (function, _) in &replay.heavy {
                if self.runner.let_go(function).map_err(|it| host_error(&it))? {
                    self.machine.let_go(function);
                    if let Outcome::Stopped(_) = ours {
                        return Ok(None);
                    }
                    break;
                }
            }
        }
        let outcome = match on_beam {
            None => ours,
            Some(theirs) => {
                match &ours {
                    Outcome::Stopped(why) => {
                        losses.push(Loss { site: SiteId(0), what: why.clone() });
                    }
                    ours if !is_same(ours, &theirs) => {
                        self.differ(format!("{} and {}", text(ours), text(&theirs)), &mut losses);
                    }
                    Outcome::Value(_) | Outcome::Crash { .. } | Outcome::Deadlock => {
                        let entered = replay.entered.as_deref();
                        let different = entered.and_then(|it| self.compare(it, &clauses));
                        if let Some(different) = different {
                            self.differ(different, &mut losses);
                        }
                    }
                }
                theirs
            }
        };
        Ok(Some(Run { outcome, choices, losses, covered: run.covered }))
    }
}

impl Executor for BeamUnit<'_> {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        for n in 0..=MAX_MOVES {
            if let Some(run) = self.attempt(input, n == MAX_MOVES)? {
                return Ok(run);
            }
        }
        Err(ExecutorError {
            why: "functions go to and fro between BEAM and the machine".to_owned(),
        })
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.recorder.exprs
    }

    fn is_inside(&self, site: SiteId) -> bool {
        let module = self.machine.module_at(site);
        self.tested.is_empty() || module.is_none_or(|it| self.tested.contains(&it))
    }
}

/// Whether both sides ended alike. Stack traces are BEAM's compiler's business.
fn is_same(ours: &Outcome, theirs: &Outcome) -> bool {
    match (ours, theirs) {
        (Outcome::Value(ours), Outcome::Value(theirs)) => is_alike(ours, theirs),
        (
            Outcome::Crash { class, reason, .. },
            Outcome::Crash { class: their_class, reason: their_reason, .. },
        ) => class == their_class && is_alike(reason, their_reason),
        (Outcome::Deadlock, Outcome::Deadlock) => true,
        (Outcome::Stopped(ours), Outcome::Stopped(theirs)) => ours == theirs,
        (Outcome::Value(_) | Outcome::Crash { .. }, _)
        | (Outcome::Deadlock | Outcome::Stopped(_), _) => false,
    }
}

fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(value) => format!("returns {}", print(value, Style::TW)),
        Outcome::Crash { class, reason, .. } => {
            format!("raises {}: {}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "waits for ever".to_owned(),
        Outcome::Stopped(why) => why.clone(),
    }
}

fn host_error(error: &HostError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}

fn machine_error(error: &MachineError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}
