//! The expected outcome of a goal, as text that SWI-Prolog reads.

use crate::prolog::explore::ANSWERS;
use crate::prolog::finding::MANY_STEPS;
use crate::prolog::plan::Way;
use prolog::Limits;
use prolog::concolic::{Arg, Finished, Goal, Ran, Unit, term_text, term_texts};
use serde::{Deserialize, Serialize};
use term::{Atom, Reference, Term};
use trace::Input;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Expectation {
    Fails,
    /// The goal throws a ball. The text of an error is its formal part, without the context.
    Throws {
        ball: String,
        is_error: bool,
    },
    Answers(Answers),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// For each answer, the values of the results.
    pub(crate) values: Vec<Vec<String>>,
    /// Whether there may be more answers.
    pub(crate) is_open: bool,
    /// Whether no value contains a variable.
    pub(crate) is_ground: bool,
    /// Whether SWI-Prolog may return the answers in another order, because predicates are tabled.
    pub(crate) in_any_order: bool,
}

impl Expectation {
    /// The name of the outcome in reports.
    pub(crate) fn outcome(&self) -> &'static str {
        match self {
            Expectation::Fails => "false",
            Expectation::Throws { .. } => "throws",
            Expectation::Answers(_) => "true",
        }
    }
}

/// The expectation that a run gives; `None` if the run ended in a way that no test can state.
pub(crate) fn expect(unit: &mut Unit<'_>, ran: &Ran) -> Option<Expectation> {
    if ran.answers.is_empty() {
        return match &ran.finished {
            Finished::Exhausted { .. } => Some(Expectation::Fails),
            Finished::Thrown(ball, _) => Some(thrown(unit, ball)),
            Finished::Broken(_) => expect_untyped(unit, ran),
            Finished::More | Finished::Stopped(_) | Finished::Strange | Finished::Unmade => None,
        };
    }
    if matches!(ran.finished, Finished::Broken(_)) {
        return expect_untyped(unit, ran);
    }
    let is_open = !matches!(ran.finished, Finished::Exhausted { .. });
    let is_ground = ran.answers.iter().all(|it| it.values.iter().all(is_ground));
    let module = unit.goal.module.clone();
    let machine = unit.machine();
    let in_any_order = 1 < ran.answers.len() && machine.has_tables(&module);
    let values = ran.answers.iter().map(|it| term_texts(machine, &it.values)).collect();
    Some(Expectation::Answers(Answers { values, is_open, is_ground, in_any_order }))
}

/// The expectation of a goal with a result that is not of its declared type: runs the goal again without type checks.
fn expect_untyped(unit: &mut Unit<'_>, ran: &Ran) -> Option<Expectation> {
    let limits = Limits { steps: MANY_STEPS, ..Limits::default() };
    let ran = unit.solve_untyped(&ran.input, limits, ANSWERS)?;
    expect(unit, &ran)
}

fn thrown(unit: &mut Unit<'_>, ball: &Term) -> Expectation {
    let formal = match ball.as_tuple() {
        Some([name, formal, _]) if name.as_atom() == Some("error") => Some(formal),
        _ => None,
    };
    let mut said = formal.unwrap_or(ball).clone();
    if let Term::Tuple(parts) = &mut said
        && let [Term::Atom(name), of, _, _, Term::Atom(kind)] = parts.as_mut_slice()
        && (name.as_str(), kind.as_str()) == ("determinism_error", "property")
    {
        // Last-call optimisation decides which of several predicates the error names, so it is left open.
        *of = Term::Ref(Reference { node: Atom::new("prolog"), creation: 0, words: vec![0, 0, 0] });
    }
    let text = term_text(unit.machine(), &said);
    Expectation::Throws { ball: text, is_error: formal.is_some() }
}

pub(crate) fn is_ground(term: &Term) -> bool {
    !term.has_part(|it| matches!(it, Term::Ref(_)))
}

/// The text of a goal.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Goals that are called before it.
    pub(crate) setup: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) call: String,
}

impl Way {
    pub(crate) fn written(&self, unit: &mut Unit<'_>, input: &Input) -> Written {
        let mut given = input.args.iter();
        let before = self.goal.before.iter();
        let setup = before.map(|it| call(unit, it, &mut given, &[]).1).collect();
        let (args, call) = call(unit, &self.goal, &mut given, &self.results);
        Written { setup, args, call }
    }
}

/// The texts of a goal's arguments and of the goal.
fn call<'i>(
    unit: &mut Unit<'_>,
    goal: &Goal,
    given: &mut impl Iterator<Item = &'i Term>,
    results: &[String],
) -> (Vec<String>, String) {
    let mut results = results.iter();
    let mut args = Vec::new();
    for arg in &goal.args {
        args.push(match arg {
            Arg::Input => given.next().map_or("_".to_owned(), |it| term_text(unit.machine(), it)),
            Arg::Made(maker) => given
                .next()
                .and_then(|it| unit.made(*maker, it))
                .map_or("_".to_owned(), |it| term_text(unit.machine(), &it)),
            Arg::Result => results.next().cloned().unwrap_or_else(|| "_".to_owned()),
        });
    }
    let name = term_text(unit.machine(), &Term::atom(&goal.name));
    let call = if args.is_empty() { name } else { format!("{name}({})", args.join(", ")) };
    (args, call)
}

/// Joins the goals before a goal and the goal itself to one that can be pasted.
pub(crate) fn whole(setup: &[String], call: &str) -> String {
    let setup: String = setup.iter().map(|it| format!("once({it}), ")).collect();
    format!("{setup}{call}")
}
