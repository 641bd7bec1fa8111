//! Tests properties written for PropEr: functions `prop_*` without arguments that call `proper:forall/2`.
//!
//! PropEr's own generators run on the machine. In place of random numbers they draw the next number of the input,
//! which is a list of numbers (`draws.erl`), so a generator is followed symbolically like the code under test. Reports
//! show the generated values, which PropEr accepts for a check.

use crate::erlang::core::{self, Definition};
use crate::erlang::explore::Explored;
use crate::erlang::finding::Finding;
use crate::erlang::project::Project;
use crate::erlang::script::{Script, Syntax};
use crate::erlang::unit::UnitName;
use crate::flow::Rated;
use ::report::{Kind, Level};
use beam::Otp;
use erlang::machine::Outcome as Ended;
use erlang::{Host, HostError, Machine, ModuleCode};
use term::{Atom, Code, CodeStep, Domain, Kind as TermKind, Style, Term, Type, Types, print};
use trace::{Input, Outcome};

/// The module that draws numbers from the input.
const DRAWS: &str = include_str!("draws.erl");
pub(crate) const DRAWS_NAME: &str = "gimlet_property";
/// The module of PropEr that draws random numbers, and the functions of it that do.
const RANDOM: &str = "proper_arith";
const DRAWN: &[(&str, i64)] = &[
    ("rand_int", 1),
    ("rand_non_neg_int", 1),
    ("rand_int", 2),
    ("smart_rand_int", 3),
    ("rand_float", 1),
    ("rand_non_neg_float", 1),
    ("rand_float", 2),
    ("jumble", 1),
];
/// The default depth of flips: generators make many choices before the property inspects a value.
pub(crate) const DEPTH: usize = 100;
/// The maximum number of inputs in a report in addition to the findings.
const MAX_TESTS: usize = 40;

/// Whether a unit is a property with generators.
pub(crate) fn is_drawn(project: &Project, unit: &UnitName) -> bool {
    let Some(module) = project.module(&unit.module) else { return false };
    let mut called = module.references.iter().flat_map(|it| it.called());
    is_property(unit) && called.any(|it| it.0.is_some_and(|it| it.as_str() == "proper"))
}

/// Whether a unit has the name and arity of a property.
pub(crate) fn is_property(unit: &UnitName) -> bool {
    unit.is_property() && unit.arity == 0
}

/// The modules that redirect random numbers of PropEr to the input.
pub(crate) fn helpers(host: &mut Otp) -> Result<Vec<ModuleCode>, HostError> {
    let random = host.load(&Atom::new(RANDOM))?;
    Ok(vec![host.load_text(DRAWS)?, redirected(random)])
}

/// The domain of inputs: a list of numbers.
pub(crate) fn domain() -> Domain {
    let mut types = Types::default();
    let integer = types.add(Type::Kind(TermKind::Integer));
    let float = types.add(Type::Kind(TermKind::Float));
    let item = types.add(Type::Union([integer, float].into()));
    let tail = types.add(Type::Literal(Term::Nil));
    let numbers = types.add(Type::List { item, tail, may_be_empty: true });
    let args = types.add(Type::Tuple([numbers].into()));
    Domain { types, args: Some(args) }
}

/// The seeds: no numbers, and small ones, since the first number is often a length.
pub(crate) fn seeds() -> Vec<Input> {
    let all = [vec![], vec![1, 1, 1, 1], vec![3, 2, 1, 0, 3, 2, 1, 0], vec![2; 16]];
    let input = |it: Vec<i64>| {
        let numbers = Term::proper_list(it.into_iter().map(Term::Int).collect());
        Input { args: vec![numbers] }
    };
    all.into_iter().map(input).collect()
}

/// The harness of a property: a function of the same name that takes the list of numbers.
pub(crate) fn harness(unit: &UnitName) -> ModuleCode {
    let name = Atom::new(&format!("gimlet$harness:{unit}"));
    let literal = |it: &Atom| core::literal(Term::Atom(it.clone()));
    let args = vec![literal(&unit.module), literal(&unit.function), core::variable(0)];
    let result = core::call(&Atom::new(DRAWS_NAME), &Atom::new("run"), args);
    let no = || core::literal(Term::atom("false"));
    let body = core::case(result, vec![(no(), no()), (core::variable(1), core::variable(1))]);
    let definition = Definition { name: unit.function.clone(), params: vec![0], body };
    core::module(&name, vec![definition], Vec::new())
}

/// The call that checks a property for generated values: `proper:check(m:prop_x(), [Value])`.
pub(crate) fn script(unit: &UnitName, args: &[Term]) -> Option<Script> {
    let [values] = args else { return None };
    let call = |module: &str, function: &Atom, args: Vec<Code>| Code::Call {
        module: Atom::new(module),
        function: function.clone(),
        args,
    };
    is_property(unit).then(|| {
        let property = call(unit.module.as_str(), &unit.function, Vec::new());
        let args = vec![property, Code::Term(values.clone())];
        let value = call("proper", &Atom::new("check"), args);
        Script::new(vec![CodeStep { binds: None, value }], Syntax::Erlang)
    })
}

/// Replaces the numbers of findings and tests by the values that were generated from them.
pub(crate) fn show_values(machine: &mut Machine, unit: &UnitName, explored: &mut Explored) {
    explored.findings.retain_mut(|it| match values(machine, unit, &it.input) {
        Some(input) => {
            show(it, input);
            true
        }
        None => false,
    });
    let mut n = 0;
    explored.report.tests.retain_mut(|it| {
        n += 1;
        let is_failure = !matches!(it.outcome, Outcome::Value(_));
        if MAX_TESTS < n || is_failure {
            return false;
        }
        values(machine, unit, &it.input).map(|input| it.input = input).is_some()
    });
}

/// Reports an exception as a false property, as PropEr does.
fn show(finding: &mut Finding, input: Input) {
    finding.input = input;
    finding.found_with = None;
    if let Outcome::Crash { class, reason, .. } = &finding.outcome {
        let reason = print(reason, Style::TW);
        finding.complaint = Some(format!("it ends with {}:{reason}", class.as_str()));
        finding.kind = Kind::Property;
        finding.rated = Rated::new(Level::Promise, "a property must return true");
        finding.outcome = Outcome::Value(Term::atom("false"));
    }
}

/// The values that a property generates from an input.
fn values(machine: &mut Machine, unit: &UnitName, input: &Input) -> Option<Input> {
    let numbers = input.args.first()?.clone();
    let args = [Term::Atom(unit.module.clone()), Term::Atom(unit.function.clone()), numbers];
    let run = machine.call(&Atom::new(DRAWS_NAME), &Atom::new("values"), &args).ok()?;
    let Ended::Value(values) = run.outcome else { return None };
    values.as_list().is_some().then(|| Input { args: vec![values] })
}

/// Redirects the functions of the module that draw random numbers.
fn redirected(mut code: ModuleCode) -> ModuleCode {
    if let Term::Tuple(parts) = &mut code.core
        && let Some(definitions) = parts.get_mut(5)
    {
        let all = definitions.as_list().unwrap_or_default().iter();
        let all = all.map(|it| redirection(it).unwrap_or_else(|| it.clone()));
        *definitions = Term::proper_list(all.collect());
    }
    code
}

fn redirection(definition: &Term) -> Option<Term> {
    let [variable, _] = definition.as_tuple()? else { return None };
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [Term::Atom(name), Term::Int(arity)] = name.as_tuple()? else { return None };
    DRAWN.iter().find(|it| it.0 == name.as_str() && it.1 == *arity)?;
    let params: Vec<usize> = (0..usize::try_from(*arity).ok()?).collect();
    let args = params.iter().map(|it| core::variable(*it)).collect();
    let body = core::call(&Atom::new(DRAWS_NAME), name, args);
    Some(Term::Tuple(vec![variable.clone(), core::function(&params, body)]))
}
