//! What stands between the engine and a unit: setups and preconditions before it, a look at its result after.
//!
//! The gate is code of its own, so that what it asks is explored like everything else: inputs that a
//! precondition refuses lead to inputs that it accepts, a property that holds to one that does not.

use crate::erlang::contract::Contract;
use crate::erlang::setup::{Application, Setup};
use crate::erlang::unit::UnitName;
use beam::backend::{BeamUnit, Runner};
use erlang::machine::{FromSpec, Unit};
use erlang::{Machine, ModuleCode};
use std::sync::Arc;
use term::{Atom, Exprs, Term};
use trace::{Executor, ExecutorError, Input, Outcome, Run, SiteId, Tried};

/// A unit, seen through its gate if it has one.
#[derive(Debug)]
pub(crate) struct Gated<'m> {
    unit: Runs<'m>,
    gate: Option<Atom>,
}

/// Where the unit runs.
#[derive(Debug)]
enum Runs<'m> {
    Here(Unit<'m>),
    OnBeam(BeamUnit<'m>),
}

/// A BEAM to run units on, and when to use it.
#[derive(Debug)]
pub(crate) enum OnBeam<'m> {
    Always(&'m mut Runner),
    IfNeeded(&'m mut Runner),
}

impl OnBeam<'_> {
    /// The same for a shorter time.
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

impl Gated<'_> {
    pub(crate) fn new<'m>(
        machine: &'m mut Machine,
        mut runner: Option<OnBeam<'m>>,
        unit: &UnitName,
        contract: &Contract,
        modules: &[Atom],
    ) -> Result<Gated<'m>, String> {
        let UnitName { module, function, .. } = unit;
        let spec = contract.spec();
        let Some(code) = gate(unit, contract) else {
            let unit =
                Runs::new(machine, runner, (module.clone(), function.clone()), spec, modules);
            return Ok(Gated { unit, gate: None });
        };
        machine.install(&code).map_err(|it| it.to_string())?;
        let gate = code.name.clone();
        if let Some(OnBeam::Always(runner) | OnBeam::IfNeeded(runner)) = &mut runner {
            runner.add(&Arc::new(code)).map_err(|it| it.to_string())?;
        }
        let unit = Runs::new(machine, runner, (gate.clone(), function.clone()), spec, modules);
        Ok(Gated { unit, gate: Some(gate) })
    }

    /// Runs are made to be compared from here on.
    pub(crate) fn be_patient(&mut self) {
        match &mut self.unit {
            Runs::Here(unit) => unit.be_patient(),
            Runs::OnBeam(_) => (),
        }
    }

    fn leave_out_gate(&self, outcome: &mut Outcome) {
        if let (Some(gate), Outcome::Crash { trace, .. }) = (&self.gate, outcome) {
            *trace = without_gate(trace, gate);
        }
    }
}

/// The code of a unit's gate, if it needs one: a function of the same name in a module of its own.
pub(crate) fn gate(unit: &UnitName, contract: &Contract) -> Option<ModuleCode> {
    let Contract { preconditions, setups, .. } = contract;
    if preconditions.is_empty() && setups.is_empty() && !unit.is_property() {
        return None;
    }
    let kind = if setups.is_empty() { "gate" } else { "started" };
    let gate = Atom::new(&format!("gimlet${kind}:{unit}"));
    Some(module(gate.clone(), core(&gate, unit, preconditions, setups)))
}

/// The function that does a setup, in a module of its own.
pub(crate) const SETUP: &str = "gimlet$setup";

/// A module whose function [`SETUP`] does a setup.
pub(crate) fn setup_code(setup: &Setup) -> ModuleCode {
    let name = Atom::new(SETUP);
    let ok = literal(Term::atom("ok"));
    let core = module_of(&name, &name, &[], before(setup, ok, 0));
    module(name, core)
}

fn module(name: Atom, core: Term) -> ModuleCode {
    ModuleCode {
        core,
        name,
        forms: Term::Nil,
        attributes: Term::Nil,
        compile_info: Term::Nil,
        file: String::new(),
        md5: [0; 16],
        closures: Vec::new(),
    }
}

/// A trace without the frames of the gate.
pub(crate) fn without_gate(trace: &Term, gate: &Atom) -> Term {
    let is_ours = |frame: &Term| match frame.as_tuple() {
        Some([Term::Atom(module), ..]) => module == gate,
        Some(_) | None => false,
    };
    let frames = trace.as_list().unwrap_or_default().iter();
    Term::proper_list(frames.filter(|it| !is_ours(it)).cloned().collect())
}

impl<'m> Runs<'m> {
    fn new(
        machine: &'m mut Machine,
        runner: Option<OnBeam<'m>>,
        (module, function): (Atom, Atom),
        spec: FromSpec,
        modules: &[Atom],
    ) -> Runs<'m> {
        match runner {
            Some(OnBeam::Always(runner)) => {
                let unit = BeamUnit::new(machine, runner, module, function);
                Runs::OnBeam(unit.within(spec).testing(modules))
            }
            Some(OnBeam::IfNeeded(runner)) => {
                let unit = BeamUnit::new(machine, runner, module, function).only_if_needed();
                Runs::OnBeam(unit.within(spec).testing(modules))
            }
            None => Runs::Here(Unit::new(machine, module, function).within(spec).testing(modules)),
        }
    }

    fn executor(&mut self) -> &mut dyn Executor {
        match self {
            Runs::Here(unit) => unit,
            Runs::OnBeam(unit) => unit,
        }
    }
}

impl Executor for Gated<'_> {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        let mut run = self.unit.executor().run(input)?;
        self.leave_out_gate(&mut run.outcome);
        Ok(run)
    }

    fn try_out(&mut self, input: &Input) -> Result<Tried, ExecutorError> {
        let mut tried = self.unit.executor().try_out(input)?;
        self.leave_out_gate(&mut tried.outcome);
        Ok(tried)
    }

    fn exprs(&mut self) -> &mut Exprs {
        self.unit.executor().exprs()
    }

    fn is_inside(&self, site: SiteId) -> bool {
        match &self.unit {
            Runs::Here(unit) => unit.is_inside(site),
            Runs::OnBeam(unit) => unit.is_inside(site),
        }
    }
}

/// As Core Erlang: `f(A1, …) -> case pre(A1, …) of true -> m:f(A1, …); _ -> throw(…) end.` A
/// precondition that fails refuses.
fn core(gate: &Atom, unit: &UnitName, preconditions: &[UnitName], setups: &[Setup]) -> Term {
    let vars: Vec<Term> = (0..unit.arity).map(|n| node("c_var", [number(n)])).collect();
    let mut body = call(&unit.module, &unit.function, &vars);
    if unit.is_property() {
        body = looked_at(body, unit.arity);
    }
    for (n, precondition) in preconditions.iter().enumerate() {
        let asked = call(&precondition.module, &precondition.function, &vars);
        body = case(asked, body, unit.arity + 1 + N_VARS * n);
    }
    let first_var = unit.arity + 1 + N_VARS * preconditions.len();
    for (n, setup) in setups.iter().enumerate().rev() {
        body = before(setup, body, first_var + N_VARS * n);
    }
    module_of(gate, &unit.function, &vars, body)
}

/// A module with one function.
fn module_of(name: &Atom, function: &Atom, vars: &[Term], body: Term) -> Term {
    let name_of = Term::Tuple(vec![Term::Atom(function.clone()), number(vars.len())]);
    let name_of = node("c_var", [name_of]);
    let function = node("c_fun", [Term::proper_list(vars.to_vec()), body]);
    let definition = Term::Tuple(vec![name_of.clone(), function]);
    let name = literal(Term::Atom(name.clone()));
    node("c_module", [name, list([name_of]), Term::Nil, list([definition])])
}

/// The body behind a setup: `do m:f() body`, or the descriptions of all applications loaded and
/// `case application:ensure_all_started(a) of {ok, _} -> body; Other -> error(Other) end`.
fn before(setup: &Setup, body: Term, first_var: usize) -> Term {
    let application = Atom::new("application");
    match setup {
        Setup::Call(unit) => node("c_seq", [call(&unit.module, &unit.function, &[]), body]),
        Setup::Application(Application { name, all }) => {
            let var = |n: usize| node("c_var", [number(first_var + n)]);
            let ok = node("c_tuple", [list([literal(Term::atom("ok")), var(0)])]);
            let raise = call(&Atom::new("erlang"), &Atom::new("error"), &[var(1)]);
            let name = literal(Term::Atom(name.clone()));
            let start = call(&application, &Atom::new("ensure_all_started"), &[name]);
            let clauses = list([clause(ok, body), clause(var(1), raise)]);
            let started = node("c_case", [start, clauses]);
            let load = |it: &Term| call(&application, &Atom::new("load"), &[literal(it.clone())]);
            all.iter().rev().fold(started, |body, it| node("c_seq", [load(it), body]))
        }
    }
}

/// `case m:f(A1, …) of false -> false; Other -> Other end`
fn looked_at(result: Term, var: usize) -> Term {
    let other = node("c_var", [number(var)]);
    let no = literal(Term::atom("false"));
    let clauses = [clause(no.clone(), no), clause(other.clone(), other)];
    node("c_case", [result, list(clauses)])
}

fn clause(pattern: Term, body: Term) -> Term {
    let generated = list([Term::atom("compiler_generated")]);
    let guard = literal(Term::atom("true"));
    Term::Tuple(vec![Term::atom("c_clause"), generated, list([pattern]), guard, body])
}

/// Variables of one question.
const N_VARS: usize = 5;

fn case(asked: Term, accepted: Term, first_var: usize) -> Term {
    let var = |n: usize| node("c_var", [number(first_var + n)]);
    let yes = literal(Term::atom("true"));
    let refuse =
        || call(&Atom::new("erlang"), &Atom::new("throw"), &[literal(Term::atom(REFUSED))]);
    let result = var(0);
    let decided =
        node("c_case", [result.clone(), list([clause(yes, accepted), clause(var(1), refuse())])]);
    let raised = list([var(2), var(3), var(4)]);
    node("c_try", [asked, list([result]), decided, raised, refuse()])
}

fn call(module: &Atom, function: &Atom, args: &[Term]) -> Term {
    let name = |it: &Atom| literal(Term::Atom(it.clone()));
    node("c_call", [name(module), name(function), Term::proper_list(args.to_vec())])
}

fn literal(term: Term) -> Term {
    node("c_literal", [term])
}

/// A record of Core Erlang without annotations.
fn node<const N: usize>(kind: &str, parts: [Term; N]) -> Term {
    Term::Tuple([Term::atom(kind), Term::Nil].into_iter().chain(parts).collect())
}

fn list<const N: usize>(items: [Term; N]) -> Term {
    Term::proper_list(items.into())
}

fn number(n: usize) -> Term {
    Term::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
