//! The harness of a unit: generated code that runs setups and preconditions before the unit and inspects its result.
//!
//! The harness is code of its own, so that its checks are explored like all others: the search finds inputs that
//! satisfy a precondition from inputs that it refuses, and a counterexample of a property from inputs for which it
//! holds.

use crate::erlang::contract::Contract;
use crate::erlang::core::{self, Definition};
use crate::erlang::properties;
use crate::erlang::recipes::{Made, made};
use crate::erlang::setup::{Application, Setup};
use crate::erlang::systems;
use crate::erlang::unit::UnitName;
use beam::backend::{BeamUnit, Runner};
use erlang::machine::{FromSpec, Unit};
use erlang::{Machine, ModuleCode};
use std::sync::Arc;
use term::{Atom, Exprs, Term};
use trace::{ClauseId, Covered, Executor, ExecutorError, Input, Outcome, Run, SiteId, Tried};

/// A unit, called through its harness if it needs one.
#[derive(Debug)]
pub(crate) struct Harnessed<'m> {
    unit: AnyUnit<'m>,
    harness: Option<Atom>,
    /// The clause of the harness that is entered after all recipes have produced their values.
    entry: Option<ClauseId>,
    contract: &'m Contract,
}

/// A unit on our machine, or on BEAM.
#[derive(Debug)]
enum AnyUnit<'m> {
    Here(Unit<'m>),
    OnBeam(BeamUnit<'m>),
}

/// A BEAM that runs units, and when it is used.
#[derive(Debug)]
pub(crate) enum OnBeam<'m> {
    Always(&'m mut Runner),
    IfNeeded(&'m mut Runner),
}

impl OnBeam<'_> {
    /// Borrows it for a shorter time.
    pub(crate) fn again(&mut self) -> OnBeam<'_> {
        match self {
            OnBeam::Always(runner) => OnBeam::Always(runner),
            OnBeam::IfNeeded(runner) => OnBeam::IfNeeded(runner),
        }
    }
}

const REFUSED: &str = "gimlet$refused";

/// Whether a run ended because a precondition refused its input.
pub(crate) fn is_refusal(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Crash { class, reason, .. } => {
            class.as_str() == "throw" && reason.as_atom() == Some(REFUSED)
        }
        Outcome::Value(_) | Outcome::Deadlock | Outcome::Stopped(_) => false,
    }
}

impl Harnessed<'_> {
    pub(crate) fn new<'m>(
        machine: &'m mut Machine,
        mut runner: Option<OnBeam<'m>>,
        unit: &UnitName,
        contract: &'m Contract,
        modules: &[Atom],
    ) -> Result<Harnessed<'m>, String> {
        let UnitName { module, function, .. } = unit;
        let spec = contract.spec();
        let Some(code) = harness(unit, contract) else {
            let unit =
                AnyUnit::new(machine, runner, (module.clone(), function.clone()), spec, modules);
            return Ok(Harnessed { unit, harness: None, entry: None, contract });
        };
        machine.install(&code).map_err(|it| it.to_string())?;
        let harness = code.name.clone();
        if let Some(OnBeam::Always(runner) | OnBeam::IfNeeded(runner)) = &mut runner {
            runner.add(&Arc::new(code)).map_err(|it| it.to_string())?;
        }
        let has_recipes = contract.signature.as_ref().is_some_and(|it| !it.makers.is_empty());
        let entry = machine.clauses(&harness).first().map(|it| it.id).filter(|_| has_recipes);
        let unit =
            AnyUnit::new(machine, runner, (harness.clone(), function.clone()), spec, modules);
        let unit = unit.entered_by(entry);
        Ok(Harnessed { unit, harness: Some(harness), entry, contract })
    }

    /// Lets every run from now on use all its reductions, so that runs can be compared with each other.
    pub(crate) fn be_patient(&mut self) {
        match &mut self.unit {
            AnyUnit::Here(unit) => unit.be_patient(),
            AnyUnit::OnBeam(_) => (),
        }
    }

    /// Turns the outcome into a refusal if a recipe failed, since that is no outcome of the unit, or if the input
    /// contains bytes where the spec asks for a text, or an incomplete struct.
    fn refuse_unmade(&self, input: &Input, covered: &Covered, outcome: &mut Outcome) {
        let Contract { structs, .. } = self.contract;
        if self.entry.is_some_and(|it| !covered.has(it))
            || self.contract.has_broken_text(input)
            || structs.completed(&input.args).is_some()
        {
            let (class, reason) = (Atom::new("throw"), Term::atom(REFUSED));
            *outcome = Outcome::Crash { class, reason, trace: Term::Nil };
        }
    }

    fn leave_out_harness(&self, outcome: &mut Outcome) {
        if let (Some(harness), Outcome::Crash { trace, .. }) = (&self.harness, outcome) {
            *trace = without_harness(trace, harness);
        }
    }
}

/// The harness of a unit, if it needs one: a function of the same name in a module of its own.
pub(crate) fn harness(unit: &UnitName, contract: &Contract) -> Option<ModuleCode> {
    if let Some(system) = &contract.system {
        return Some(systems::harness(system));
    }
    if contract.is_drawn {
        return Some(properties::harness(unit));
    }
    let Contract { preconditions, setups, signature, .. } = contract;
    let made = signature.as_ref().and_then(|it| made(it, &refuse));
    let is_plain = preconditions.is_empty() && setups.is_empty() && !unit.is_property();
    if is_plain && made.is_none() {
        return None;
    }
    let kind = if setups.is_empty() { "harness" } else { "started" };
    let name = Atom::new(&format!("gimlet${kind}:{unit}"));
    let exported = vec![definition(unit, preconditions, setups, made.as_ref())];
    Some(core::module(&name, exported, made.map(|it| it.definitions).unwrap_or_default()))
}

/// The name of the generated module that performs a setup, and of its function.
pub(crate) const SETUP: &str = "gimlet$setup";

/// A module whose function [`SETUP`] performs a setup.
pub(crate) fn setup_code(setup: &Setup) -> ModuleCode {
    let name = Atom::new(SETUP);
    let body = with_setup(setup, core::literal(Term::atom("ok")), 0);
    let definition = Definition { name: name.clone(), params: Vec::new(), body };
    core::module(&name, vec![definition], Vec::new())
}

/// Removes the frames of the harness, and of our driver, from a stack trace.
pub(crate) fn without_harness(trace: &Term, harness: &Atom) -> Term {
    let is_ours = |frame: &Term| match frame.as_tuple() {
        Some([Term::Atom(module), ..]) => {
            module == harness || module.as_str() == systems::DRIVER_NAME
        }
        Some(_) | None => false,
    };
    let frames = trace.as_list().unwrap_or_default().iter();
    Term::proper_list(frames.filter(|it| !is_ours(it)).cloned().collect())
}

impl<'m> AnyUnit<'m> {
    fn new(
        machine: &'m mut Machine,
        runner: Option<OnBeam<'m>>,
        (module, function): (Atom, Atom),
        spec: FromSpec,
        modules: &[Atom],
    ) -> AnyUnit<'m> {
        match runner {
            Some(OnBeam::Always(runner)) => {
                let unit = BeamUnit::new(machine, runner, module, function);
                AnyUnit::OnBeam(unit.within(spec).testing(modules))
            }
            Some(OnBeam::IfNeeded(runner)) => {
                let unit = BeamUnit::new(machine, runner, module, function).only_if_needed();
                AnyUnit::OnBeam(unit.within(spec).testing(modules))
            }
            None => {
                AnyUnit::Here(Unit::new(machine, module, function).within(spec).testing(modules))
            }
        }
    }

    /// Lets the machine distinguish code that makes inputs from code under test. BEAM does not.
    fn entered_by(self, clause: Option<ClauseId>) -> AnyUnit<'m> {
        match self {
            AnyUnit::Here(unit) => AnyUnit::Here(unit.entered_by(clause)),
            AnyUnit::OnBeam(_) => self,
        }
    }

    fn executor(&mut self) -> &mut dyn Executor {
        match self {
            AnyUnit::Here(unit) => unit,
            AnyUnit::OnBeam(unit) => unit,
        }
    }
}

impl Executor for Harnessed<'_> {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        let mut run = self.unit.executor().run(input)?;
        self.refuse_unmade(input, &run.covered, &mut run.outcome);
        self.leave_out_harness(&mut run.outcome);
        Ok(run)
    }

    fn completed(&self, input: Input) -> Input {
        match self.contract.structs.completed(&input.args) {
            Some(args) => Input { args },
            None => input,
        }
    }

    fn try_out(&mut self, input: &Input) -> Result<Tried, ExecutorError> {
        let mut tried = self.unit.executor().try_out(input)?;
        self.refuse_unmade(input, &tried.covered, &mut tried.outcome);
        self.leave_out_harness(&mut tried.outcome);
        Ok(tried)
    }

    fn exprs(&mut self) -> &mut Exprs {
        self.unit.executor().exprs()
    }

    fn is_inside(&self, site: SiteId) -> bool {
        match &self.unit {
            AnyUnit::Here(unit) => unit.is_inside(site),
            AnyUnit::OnBeam(unit) => unit.is_inside(site),
        }
    }
}

/// The function of the harness: `f(A1, …) -> case pre(A1, …) of true -> m:f(A1, …); _ -> throw(…) end.` An exception
/// in a precondition refuses the input.
///
/// If parameters are recipes, their values are made first. A recipe that fails is refused like an input that a
/// precondition refuses.
fn definition(
    unit: &UnitName,
    preconditions: &[UnitName],
    setups: &[Setup],
    made: Option<&Made>,
) -> Definition {
    let params: Vec<usize> = (0..unit.arity).collect();
    let first_arg =
        if made.is_some() { unit.arity + 1 + N_VARS * (preconditions.len() + 1) } else { 0 };
    let vars = || (first_arg..first_arg + unit.arity).map(core::variable).collect();
    let mut body = core::call(&unit.module, &unit.function, vars());
    if unit.is_property() {
        body = inspected_property(body, unit.arity);
    }
    for (n, precondition) in preconditions.iter().enumerate() {
        let asked = core::call(&precondition.module, &precondition.function, vars());
        body = if_accepted(asked, body, unit.arity + 1 + N_VARS * n);
    }
    if let Some(Made { args, .. }) = made {
        let unused = first_arg + unit.arity;
        body = core::entered(unused, body);
        let values = core::case(
            core::variable(first_made(unit, preconditions)),
            vec![(core::tuple(vars()), body)],
        );
        body = core::attempt(
            core::tuple(args.clone()),
            first_made(unit, preconditions),
            values,
            refuse(),
        );
    }
    // After the variables of the inner expressions.
    let first_var = 2 * unit.arity + 2 + N_VARS * (preconditions.len() + 1);
    for (n, setup) in setups.iter().enumerate().rev() {
        body = with_setup(setup, body, first_var + N_VARS * n);
    }
    Definition { name: unit.function.clone(), params, body }
}

/// Puts a setup before the body: `do m:f() body`. An application is started after the descriptions of all applications
/// are loaded: `case application:ensure_all_started(a) of {ok, _} -> body; Other -> error(Other) end`.
fn with_setup(setup: &Setup, body: Term, first_var: usize) -> Term {
    let application = Atom::new("application");
    match setup {
        Setup::Call(unit) => {
            core::sequence(core::call(&unit.module, &unit.function, Vec::new()), body)
        }
        Setup::Application(Application { name, all }) => {
            let var = |n: usize| core::variable(first_var + n);
            let ok = core::tuple(vec![core::literal(Term::atom("ok")), var(0)]);
            let name = core::literal(Term::Atom(name.clone()));
            let start = core::call(&application, &Atom::new("ensure_all_started"), vec![name]);
            let clauses = vec![(ok, body), (var(1), core::raise("error", var(1)))];
            let started = core::case(start, clauses);
            let load = |it: &Term| {
                core::call(&application, &Atom::new("load"), vec![core::literal(it.clone())])
            };
            all.iter().rev().fold(started, |body, it| core::sequence(load(it), body))
        }
    }
}

/// The first of the variables for values made by recipes.
fn first_made(unit: &UnitName, preconditions: &[UnitName]) -> usize {
    unit.arity + 1 + N_VARS * preconditions.len()
}

fn refuse() -> Term {
    core::raise("throw", core::literal(Term::atom(REFUSED)))
}

/// Makes the result of a property a choice: `case m:f(A1, …) of false -> false; Other -> Other end`
fn inspected_property(result: Term, var: usize) -> Term {
    let other = || core::variable(var);
    let no = || core::literal(Term::atom("false"));
    core::case(result, vec![(no(), no()), (other(), other())])
}

/// The number of variables that a call of a precondition needs.
const N_VARS: usize = 5;

fn if_accepted(asked: Term, accepted: Term, first_var: usize) -> Term {
    let yes = core::literal(Term::atom("true"));
    let clauses = vec![(yes, accepted), (core::variable(first_var + 4), refuse())];
    core::attempt(asked, first_var, core::case(core::variable(first_var), clauses), refuse())
}
