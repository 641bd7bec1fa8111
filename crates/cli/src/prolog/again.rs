//! Replays a recorded goal on our machine.

use crate::diagnostic::Diagnostic;
use crate::flow::{Again, Recorded};
use crate::prolog::expect::{Expectation, expect, whole};
use crate::prolog::explore::ANSWERS;
use crate::prolog::finding::{MANY_STEPS, reason};
use crate::prolog::plan::{FirstGoal, first_goal};
use crate::prolog::source::Session;
use prolog::Limits;
use prolog::concolic::{Arg, Goal, Unit};
use serde_json::Value;
use term::Term;
use trace::Input;

pub(crate) fn again(session: &mut Session, recorded: &Recorded) -> Result<Again, Diagnostic> {
    let Goals { goal, given, results } = goals(session, recorded)?;
    let limits = Limits { steps: MANY_STEPS, ..Limits::default() };
    let mut unit = Unit::new(&mut session.machine, &mut session.files, goal, limits, ANSWERS);
    let ran = unit.solve(&Input { args: given }, limits, ANSWERS);
    let expectation = ran.and_then(|it| expect(&mut unit, &it));
    let (outcome, term) = outcome(expectation.as_ref(), &results);
    let is_same = |it: &String| Some(it) == term.as_ref() || *it == reason(expectation.as_ref());
    let is_as_recorded = recorded.outcome == outcome && recorded.term.as_ref().is_none_or(is_same);
    let says = format!("{outcome} {}", term.as_deref().unwrap_or_default());
    let shown = format!("?- {}.", whole(&recorded.setup, &recorded.call));
    let says = vec![says.trim_end().to_owned()];
    Ok(Again { outcome, term, shown, says, is_as_recorded })
}

/// A recorded goal, and the goals before it, in the machine's form.
struct Goals {
    goal: Goal,
    /// The arguments of all goals that are not variables.
    given: Vec<Term>,
    /// The variable names of the recorded goal.
    results: Vec<String>,
}

fn goals(session: &mut Session, of: &Recorded) -> Result<Goals, Diagnostic> {
    let (mut before, mut given) = (Vec::new(), Vec::new());
    for call in &of.setup {
        before.push(goal(session, call, &mut given)?.0);
    }
    let (goal, results) = goal(session, &of.call, &mut given)?;
    Ok(Goals { goal: Goal { before, ..goal }, given, results })
}

/// Reads a goal and the names of its variables, and adds its other arguments to `given`.
fn goal(
    session: &mut Session,
    call: &str,
    given: &mut Vec<Term>,
) -> Result<(Goal, Vec<String>), Diagnostic> {
    let FirstGoal { name, args, names } = first_goal(session, call)?;
    let (mut modes, mut results) = (Vec::new(), Vec::new());
    for (arg, name) in args.into_iter().zip(names) {
        match name {
            Some(name) if matches!(arg, Term::Ref(_)) => {
                modes.push(Arg::Result);
                results.push(name);
            }
            _ => {
                modes.push(Arg::Input);
                given.push(arg);
            }
        }
    }
    let module = session.source.program.module.clone();
    Ok((
        Goal {
            module,
            name,
            args: modes,
            before: Vec::new(),
            types: Vec::new(),
            conditions: Vec::new(),
        },
        results,
    ))
}

/// The outcome as reports name it, and the first answer or the thrown ball.
fn outcome(of: Option<&Expectation>, results: &[String]) -> (String, Option<String>) {
    match of {
        None => ("timeout".to_owned(), None),
        Some(Expectation::Fails) => ("false".to_owned(), None),
        Some(Expectation::Throws { ball, is_error }) => {
            let ball = if *is_error { format!("error({ball}, _)") } else { ball.clone() };
            ("throws".to_owned(), Some(ball))
        }
        Some(Expectation::Answers(answers)) => {
            let first = answers.values.first();
            let pairs = first.into_iter().flat_map(|it| results.iter().zip(it));
            let pairs = pairs.map(|it| (it.0.clone(), Value::from(it.1.as_str())));
            ("true".to_owned(), Some(Value::Object(pairs.collect()).to_string()))
        }
    }
}
