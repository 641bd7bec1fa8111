//! The unit under test as the engine's executor: runs inputs.

use crate::builtins::Stop;
use crate::lift::address;
use crate::machine::run::{Machine, MachineError, Outcome, Run};
use crate::machine::{FromSpec, Recorder};
use term::{Atom, Exprs};
use trace::{ClauseId, Executor, ExecutorError, Input, SiteId, Tried};
use values::{AtomId, NoTerm};

/// A function of a loaded program, called with symbolic arguments.
#[derive(Debug)]
pub struct Unit<'m> {
    machine: &'m mut Machine,
    module: Atom,
    function: Atom,
    recorder: Recorder,
    /// The tested modules; if empty, all modules count as tested.
    tested: Vec<AtomId>,
    /// The number of endless runs so far, or `None` if runs are not cut short.
    n_endless: Option<usize>,
}

/// The bit that marks sites of choices made before the entry of the tested code.
const BEFORE: u32 = 1 << 31;

/// After this many runs that used up their reductions, further runs get only this fraction of them: there are probably
/// more endless runs, and their length has no value.
const ENOUGH_ENDLESS: usize = 2;
const SHARE_OF_ENDLESS: u64 = 10;

impl Unit<'_> {
    pub fn new(machine: &mut Machine, module: Atom, function: Atom) -> Unit<'_> {
        let recorder = Recorder::default();
        Unit { machine, module, function, recorder, tested: Vec::new(), n_endless: Some(0) }
    }

    /// From now on, every run may use all reductions.
    pub fn be_patient(&mut self) {
        self.n_endless = None;
    }

    /// Sets the clause by which the tested code is entered. Code that runs before only makes inputs: the sites of its
    /// choices are distinguished from those of the same code when it is tested, and count as outside of the tested
    /// code.
    #[must_use]
    pub fn entered_by(mut self, clause: Option<ClauseId>) -> Self {
        self.recorder.entry = clause;
        self
    }

    /// The site of a choice that was made before the entry of the tested code. Sites in the unit's own module keep
    /// their number, because they decide the input.
    fn before_entry(&self, site: SiteId) -> SiteId {
        let function = self.machine.program.function_at(address(site));
        let own = self.machine.world.atoms.find(self.module.as_str());
        let is_own = function.is_some_and(|it| Some(it.module) == own);
        if is_own { site } else { SiteId(site.0 | BEFORE) }
    }

    /// Runs `run` with the reductions that are allowed for a run at this point.
    fn bounded<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, MachineError>,
        outcome: impl Fn(&T) -> &Outcome,
    ) -> Result<T, ExecutorError> {
        let all = self.machine.world.limits.reductions;
        if self.n_endless.is_some_and(|it| ENOUGH_ENDLESS <= it) {
            self.machine.world.limits.reductions = all / SHARE_OF_ENDLESS;
        }
        let res = run(self);
        self.machine.world.limits.reductions = all;
        let res = res.map_err(|it| error(&it))?;
        if let (Outcome::Stopped(Stop::OutOfReductions), Some(n)) =
            (outcome(&res), &mut self.n_endless)
        {
            *n += 1;
        }
        Ok(res)
    }

    /// Sets the tested modules. The unit's own module is one of them; all other modules count as libraries.
    #[must_use]
    pub fn testing(mut self, modules: &[Atom]) -> Self {
        let atoms = &self.machine.world.atoms;
        let names = modules.iter().chain([&self.module]);
        self.tested = names.clone().filter_map(|it| atoms.find(it.as_str())).collect();
        self.recorder.count_clauses(names.flat_map(|it| self.machine.clauses(it)).map(|it| it.id));
        self
    }

    /// Restricts inputs and results by a spec.
    #[must_use]
    pub fn within(mut self, spec: FromSpec) -> Self {
        self.recorder = Recorder::within(spec);
        self
    }
}

impl Executor for Unit<'_> {
    fn run(&mut self, input: &Input) -> Result<trace::Run, ExecutorError> {
        let recorder = std::mem::take(&mut self.recorder);
        let (run, recorder) = self.bounded(
            |it| it.machine.record(&it.module, &it.function, &input.args, recorder),
            |it| &it.0.outcome,
        )?;
        self.recorder = recorder;
        let outcome = run.outcome.into();
        let mut choices = std::mem::take(&mut self.recorder.choices);
        if self.recorder.entry.is_some() {
            let n_before = self.recorder.n_before.unwrap_or(choices.len());
            choices.iter_mut().take(n_before).for_each(|it| it.site = self.before_entry(it.site));
        }
        let trails = std::mem::take(&mut self.recorder.trails);
        let losses = std::mem::take(&mut self.recorder.losses);
        Ok(trace::Run { outcome, choices, trails, losses, covered: run.covered })
    }

    fn try_out(&mut self, input: &Input) -> Result<Tried, ExecutorError> {
        let run = self.bounded(
            |it| it.machine.call(&it.module, &it.function, &input.args),
            |it| &it.outcome,
        )?;
        let Run { outcome, reductions, covered, .. } = run;
        Ok(Tried { outcome: outcome.into(), covered, reductions })
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.recorder.exprs
    }

    fn is_inside(&self, site: SiteId) -> bool {
        if site.0 & BEFORE != 0 {
            return false;
        }
        let function = self.machine.program.function_at(address(site));
        self.tested.is_empty() || function.is_none_or(|it| self.tested.contains(&it.module))
    }
}

impl From<Outcome> for trace::Outcome {
    fn from(outcome: Outcome) -> trace::Outcome {
        match outcome {
            Outcome::Value(value) => trace::Outcome::Value(value),
            Outcome::Raised { class, reason, trace } => {
                trace::Outcome::Crash { class, reason, trace }
            }
            Outcome::Killed { reason } => {
                trace::Outcome::Crash { class: Atom::new("exit"), reason, trace: term::Term::Nil }
            }
            Outcome::Deadlock { .. } => trace::Outcome::Deadlock,
            Outcome::NoTerm(NoTerm::TooDeep) => {
                let why = "the result is nested too deeply".to_owned();
                trace::Outcome::Stopped(trace::Stopped::Unsupported { why })
            }
            Outcome::NoTerm(NoTerm::TooLarge) => {
                let why = "the result is too large to be written out".to_owned();
                trace::Outcome::Stopped(trace::Stopped::Unsupported { why })
            }
            Outcome::Stopped(stop) => trace::Outcome::Stopped(stop.into()),
        }
    }
}

fn error(error: &MachineError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}
