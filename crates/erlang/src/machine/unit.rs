//! The unit under test as the engine sees it: an input goes in, a run comes out.

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
    /// The modules that are tested; all, if there are none.
    tested: Vec<AtomId>,
    /// How many runs went on and on, as long as the later ones are cut short.
    n_endless: Option<usize>,
}

/// Marks sites of choices that were made before the tested code was entered.
const BEFORE: u32 = 1 << 31;

/// After so many runs that used up all reductions, others may use this part of them: there are
/// more that do not end, and nothing is learnt from how long they take.
const ENOUGH_ENDLESS: usize = 2;
const SHARE_OF_ENDLESS: u64 = 10;

impl Unit<'_> {
    pub fn new(machine: &mut Machine, module: Atom, function: Atom) -> Unit<'_> {
        let recorder = Recorder::default();
        Unit { machine, module, function, recorder, tested: Vec::new(), n_endless: Some(0) }
    }

    /// From here on every run may use all reductions.
    pub fn be_patient(&mut self) {
        self.n_endless = None;
    }

    /// What runs before the body of this clause only makes inputs: in choices it is told from the same
    /// code when it is tested, and counts as outside.
    #[must_use]
    pub fn entered_by(mut self, clause: Option<ClauseId>) -> Self {
        self.recorder.entry = clause;
        self
    }

    /// The site of a choice that was made before the tested code was entered. Those of the unit's own
    /// module decide what the input is.
    fn before_entry(&self, site: SiteId) -> SiteId {
        let function = self.machine.program.function_at(address(site));
        let own = self.machine.world.atoms.find(self.module.as_str());
        let is_own = function.is_some_and(|it| Some(it.module) == own);
        if is_own { site } else { SiteId(site.0 | BEFORE) }
    }

    /// Does it with the reductions that are left to runs.
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

    /// What is not in these modules and the unit's own is only used by what is tested.
    #[must_use]
    pub fn testing(mut self, modules: &[Atom]) -> Self {
        let atoms = &self.machine.world.atoms;
        let names = modules.iter().chain([&self.module]);
        self.tested = names.clone().filter_map(|it| atoms.find(it.as_str())).collect();
        self.recorder.count_clauses(names.flat_map(|it| self.machine.clauses(it)).map(|it| it.id));
        self
    }

    /// Inputs and results are as the spec says.
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
