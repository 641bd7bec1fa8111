//! Preconditions: a gate before the unit that lets through what they accept.
//!
//! The gate is code of its own, so that what a precondition looks at is explored like everything
//! else: inputs that it refuses lead to inputs that it accepts.

use crate::test::contract::Contract;
use crate::test::unit::UnitName;
use erlang::{Machine, ModuleCode};
use term::{Atom, Term};
use trace::Outcome;

#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) module: Atom,
    pub(crate) function: Atom,
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

impl Gate {
    /// `None` if there is nothing to ask before the unit.
    pub(crate) fn install(
        machine: &mut Machine,
        unit: &UnitName,
        contract: &Contract,
    ) -> Result<Option<Gate>, String> {
        if contract.preconditions.is_empty() {
            return Ok(None);
        }
        let gate = Gate {
            module: Atom::new(&format!("gimlet$gate:{unit}")),
            function: unit.function.clone(),
        };
        let code = ModuleCode {
            core: core(&gate, unit, &contract.preconditions),
            name: gate.module.clone(),
            forms: Term::Nil,
            attributes: Term::Nil,
            compile_info: Term::Nil,
            file: String::new(),
            md5: [0; 16],
        };
        machine.install(&code).map_err(|it| it.to_string())?;
        Ok(Some(gate))
    }
}

/// `f(A1, …) -> case pre(A1, …) of true -> m:f(A1, …); _ -> throw(…) end.` as Core Erlang. A
/// precondition that fails refuses.
fn core(gate: &Gate, unit: &UnitName, preconditions: &[UnitName]) -> Term {
    let vars: Vec<Term> = (0..unit.arity).map(|n| node("c_var", [number(n)])).collect();
    let mut body = call(&unit.module, &unit.function, &vars);
    for (n, precondition) in preconditions.iter().enumerate() {
        let asked = call(&precondition.module, &precondition.function, &vars);
        body = case(asked, body, unit.arity + N_VARS * n);
    }
    let name = Term::Tuple(vec![Term::Atom(gate.function.clone()), number(unit.arity)]);
    let name = node("c_var", [name]);
    let function = node("c_fun", [Term::proper_list(vars), body]);
    let definition = Term::Tuple(vec![name.clone(), function]);
    let parts =
        [literal(Term::Atom(gate.module.clone())), list([name]), Term::Nil, list([definition])];
    node("c_module", parts)
}

/// Variables of one question.
const N_VARS: usize = 5;

fn case(asked: Term, accepted: Term, first_var: usize) -> Term {
    let var = |n: usize| node("c_var", [number(first_var + n)]);
    let yes = literal(Term::atom("true"));
    let refuse =
        || call(&Atom::new("erlang"), &Atom::new("throw"), &[literal(Term::atom(REFUSED))]);
    let clause = |pattern: Term, body: Term| {
        let generated = list([Term::atom("compiler_generated")]);
        Term::Tuple(vec![
            Term::atom("c_clause"),
            generated,
            list([pattern]),
            literal(Term::atom("true")),
            body,
        ])
    };
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
