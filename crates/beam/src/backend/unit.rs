//! A unit that runs on BEAM, as an executor for the engine.
//!
//! BEAM determines the outcome, the machine the choices that led to it. Both make the same run; a difference is a bug
//! of the tool, and the run reports it.

use crate::backend::alike::is_alike;
use crate::backend::rewrite::{ClausePlace, mixed};
use crate::backend::runner::{End, Ran, Runner};
use crate::backend::scope::{RUNTIME, Witness};
use erlang::builtins::Stop;
use erlang::machine::{FromSpec, Recorder, Replay, SourceClause};
use erlang::{HostError, Machine, MachineError};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::{Atom, Exprs, Style, print};
use trace::{ClauseId, Covered, Executor, ExecutorError, Input, Loss, Outcome, Run, SiteId};

/// A function of the modules under test, called with symbolic arguments.
#[derive(Debug)]
pub struct BeamUnit<'m> {
    machine: &'m mut Machine,
    runner: &'m mut Runner,
    module: Atom,
    function: Atom,
    recorder: Recorder,
    tested: Vec<Atom>,
    /// The numbers of clauses in logs.
    numbers: FxHashMap<ClauseId, Option<i64>>,
    /// What this input has covered so far; an attempt that is repeated covers clauses, too.
    covered: Covered,
    /// Whether the unit still runs on the machine alone.
    is_here: bool,
    /// Why BEAM did not finish the last run.
    pub cut: Option<String>,
    /// Descriptions of the runs in which the machine differed from BEAM.
    pub differences: Vec<String>,
}

/// How many differences are described.
const MAX_DIFFERENCES: usize = 100;
/// How often a run is repeated because a function was moved.
const MAX_MOVES: usize = 8;

impl BeamUnit<'_> {
    pub fn new<'m>(
        machine: &'m mut Machine,
        runner: &'m mut Runner,
        module: Atom,
        function: Atom,
    ) -> BeamUnit<'m> {
        BeamUnit {
            machine,
            runner,
            module,
            function,
            recorder: Recorder::default(),
            tested: Vec::new(),
            numbers: FxHashMap::default(),
            covered: Covered::default(),
            is_here: false,
            cut: None,
            differences: Vec::new(),
        }
    }

    /// Sets the modules under test besides the unit's own; other modules count as libraries.
    #[must_use]
    pub fn testing(mut self, modules: &[Atom]) -> Self {
        self.tested = modules.iter().chain([&self.module]).cloned().collect();
        let clauses = self.tested.iter().flat_map(|it| self.machine.clauses(it));
        self.recorder.count_clauses(clauses.map(|it| it.id));
        self
    }

    /// Runs on the machine alone until a run shows that BEAM is needed or faster; see [`BeamUnit::is_better_there`].
    #[must_use]
    pub fn only_if_needed(mut self) -> Self {
        self.is_here = !self.runner.has_native();
        self
    }

    /// Whether BEAM runs the unit now.
    pub fn is_on_beam(&self) -> bool {
        !self.is_here
    }

    /// Restricts inputs and results to the spec.
    #[must_use]
    pub fn within(mut self, spec: FromSpec) -> Self {
        self.recorder = Recorder::within(spec);
        self
    }

    /// Records a difference between the machine and BEAM.
    fn differ(&mut self, what: String, losses: &mut Vec<Loss>) {
        let loss = format!("the machine and BEAM differ: {what}");
        losses.push(Loss { site: SiteId(0), what: loss });
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(what);
        }
    }

    /// Returns how the machine's path differed from BEAM's; `None` if it did not.
    fn compare(
        &mut self,
        entered: &[ClauseId],
        (on_beam, path): (&[i64], Option<i64>),
        input: &Input,
    ) -> Result<Option<String>, HostError> {
        match self.runner.witness() {
            Witness::Ends => Ok(None),
            Witness::Clauses => Ok(self.first_difference(entered, &self.runner.places(on_beam))),
            Witness::Path => {
                let ours = entered.iter().filter_map(|it| self.number(*it)).fold(0, mixed);
                if path.is_none_or(|it| it == ours) {
                    return Ok(None);
                }
                let on_beam = self.runner.clauses_of(&self.module, &self.function, &input.args)?;
                let found = self.first_difference(entered, &on_beam);
                Ok(Some(found.unwrap_or_else(|| "the paths of a run".to_owned())))
            }
        }
    }

    /// Returns the number of a clause that is logged on BEAM; `None` for other clauses.
    fn number(&mut self, id: ClauseId) -> Option<i64> {
        let BeamUnit { numbers, machine, runner, .. } = self;
        *numbers.entry(id).or_insert_with(|| {
            let (module, line, column) = machine.clause_place(id)?;
            let place = ClausePlace { module, line, column };
            runner.is_telling(&place).then(|| place.number())
        })
    }

    /// Returns the first clause at which the machine's path differed.
    fn first_difference(&self, entered: &[ClauseId], on_beam: &[ClausePlace]) -> Option<String> {
        let place = |id: &ClauseId| {
            let (module, line, column) = self.machine.clause_place(*id)?;
            let is_silent = RUNTIME.contains(&module.as_str());
            (!is_silent).then(|| format!("{}:{line}:{column}", module.as_str()))
        };
        let entered: Vec<String> = entered.iter().filter_map(place).collect();
        let beam_place =
            |it: &ClausePlace| format!("{}:{}:{}", it.module.as_str(), it.line, it.column);
        let n = entered.len().max(on_beam.len());
        (0..n).find_map(|at| {
            let ours = entered.get(at).cloned();
            let theirs = on_beam.get(at).map(beam_place);
            let text = |it: Option<String>| it.unwrap_or_else(|| "the end".to_owned());
            (ours != theirs)
                .then(|| format!("clause {at} is {} here and {} there", text(ours), text(theirs)))
        })
    }

    /// Runs an input on the machine alone; `None` if the unit moves to BEAM.
    fn attempt_here(&mut self, input: &Input) -> Result<Option<Run>, ExecutorError> {
        let recorder = std::mem::take(&mut self.recorder);
        let made = self.machine.replay(
            &self.module,
            &self.function,
            &input.args,
            recorder,
            Replay::default(),
        );
        let (run, recorder, replay) = made.map_err(|it| machine_error(&it))?;
        self.recorder = recorder;
        self.covered.add(&run.covered);
        if self.is_better_there(&run.outcome, &replay).map_err(|it| host_error(&it))? {
            self.is_here = false;
            return Ok(None);
        }
        let choices = std::mem::take(&mut self.recorder.choices);
        let losses = std::mem::take(&mut self.recorder.losses);
        let covered = std::mem::take(&mut self.covered);
        let trails = std::mem::take(&mut self.recorder.trails);
        Ok(Some(Run { outcome: run.outcome.into(), choices, trails, losses, covered }))
    }

    /// Whether the run needs something that the machine lacks, or spends long in a function that BEAM can run alone
    /// because it only computes on concrete values.
    fn is_better_there(
        &mut self,
        outcome: &erlang::Outcome,
        replay: &Replay,
    ) -> Result<bool, HostError> {
        if matches!(outcome, erlang::Outcome::Stopped(Stop::Unsupported { .. })) {
            return Ok(true);
        }
        for (function, _) in &replay.heavy {
            if self.runner.let_go(function)? {
                self.machine.let_go(function);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs an input on both sides; `None` if a function was moved and the run must be repeated.
    fn attempt(&mut self, input: &Input, is_last: bool) -> Result<Option<Run>, ExecutorError> {
        let ran = self
            .runner
            .run(&self.module, &self.function, &input.args)
            .map_err(|it| host_error(&it))?;
        let (on_beam, results, told) = match ran {
            Ran::Ended(end) => {
                let End { outcome, results, clauses, path, seen } = *end;
                self.cover(&seen);
                self.cut = None;
                (Some(outcome), results, (clauses, path))
            }
            Ran::Cut(why) => {
                self.cut = Some(why);
                (None, VecDeque::new(), (Vec::new(), None))
            }
        };
        let is_witnessed = on_beam.is_some() && self.runner.witness() != Witness::Ends;
        let outside = self.runner.outside();
        let entered = is_witnessed.then(Vec::new);
        let replay = Replay::new(outside, results, entered);
        let recorder = std::mem::take(&mut self.recorder);
        let made = self.machine.replay(&self.module, &self.function, &input.args, recorder, replay);
        let (run, recorder, replay) = made.map_err(|it| machine_error(&it))?;
        self.recorder = recorder;
        self.covered.add(&run.covered);
        if let Some(function) = &replay.misplaced {
            self.runner.keep(function).map_err(|it| host_error(&it))?;
            self.machine.take_back(function);
            return Ok(None);
        }
        let mut losses = std::mem::take(&mut self.recorder.losses);
        let choices = std::mem::take(&mut self.recorder.choices);
        let trails = std::mem::take(&mut self.recorder.trails);
        let ours = Outcome::from(run.outcome);
        // Moving a function helps only if BEAM itself finishes the run.
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
                        losses.push(Loss { site: SiteId(0), what: why.to_string() });
                    }
                    ours if !is_same(ours, &theirs) => {
                        self.differ(format!("{} and {}", text(ours), text(&theirs)), &mut losses);
                    }
                    Outcome::Value(_) | Outcome::Crash { .. } | Outcome::Deadlock => {
                        let entered = replay.entered.as_deref().unwrap_or_default();
                        let different = self.compare(entered, (&told.0, told.1), input);
                        if let Some(different) = different.map_err(|it| host_error(&it))? {
                            self.differ(different, &mut losses);
                        }
                    }
                }
                theirs
            }
        };
        let covered = std::mem::take(&mut self.covered);
        Ok(Some(Run { outcome, choices, trails, losses, covered }))
    }

    /// Adds the clauses that were entered on BEAM in functions that run outside.
    fn cover(&mut self, seen: &[i64]) {
        if seen.is_empty() {
            return;
        }
        let mut words = Vec::new();
        for module in self.runner.leaving() {
            for clause in self.machine.clauses(module) {
                let SourceClause { id, line, column, .. } = clause;
                let place = ClausePlace { module: module.clone(), line, column };
                if seen.contains(&place.number()) {
                    let (word, bit) = (id.0 as usize / 64, id.0 % 64);
                    words.resize(words.len().max(word + 1), 0);
                    words.iter_mut().skip(word).take(1).for_each(|it| *it |= 1 << bit);
                }
            }
        }
        self.covered.add(&Covered::from_words(words));
    }
}

impl Executor for BeamUnit<'_> {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        if self.is_here
            && let Some(run) = self.attempt_here(input)?
        {
            return Ok(run);
        }
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

/// Whether both outcomes are equal up to stack traces, which depend on BEAM's compiler.
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
        Outcome::Stopped(why) => why.to_string(),
    }
}

fn host_error(error: &HostError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}

fn machine_error(error: &MachineError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}
