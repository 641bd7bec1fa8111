//! Evidence of which inputs are meant: similar inputs of a crash that end well, and the parts of the input that the
//! crash's own run inspected.

use crate::erlang::finding::{Finding, Found, Judge, size_of};
use ::report::Kind;
use engine::{Shapes, all_parts, last_parts};
use term::Term;
use trace::{Executor, Input, Outcome};

/// Runs neighbours of the inputs of a finding, with other numbers and atoms in the same places, and adds the shapes
/// of those that end well, because the search may not have tried them. `goes_on` is called before each run; `false`
/// stops the probing.
pub(crate) fn probe(
    executor: &mut dyn Executor,
    judge: &Judge<'_>,
    found: &Found,
    shapes: &mut Shapes,
    goes_on: &dyn Fn() -> bool,
) {
    let inputs = std::iter::once(&found.finding.input).chain(found.others.iter().take(MAX_PROBED));
    for neighbour in inputs.flat_map(neighbours).filter(|it| judge.contract.has(it)) {
        if !goes_on() {
            return;
        }
        let Ok(run) = executor.run(&neighbour) else { continue };
        let is_well = matches!(run.outcome, Outcome::Value(_))
            && judge.cause(&neighbour, &run.outcome).is_none();
        if is_well {
            shapes.accept(executor.exprs(), &run.choices, &neighbour);
        }
    }
}

/// The maximum number of further inputs of a finding whose variants are run.
const MAX_PROBED: usize = 3;

/// Variants of the input: all numbers a little smaller, all a little larger, and other atoms.
fn neighbours(input: &Input) -> Vec<Input> {
    let changed = |change: &dyn Fn(&Term) -> Option<Term>| {
        let args = input.args.iter().map(|it| with_leaves(it, change)).collect();
        Input { args }
    };
    let inputs = [changed(&|it| shifted(it, -1)), changed(&|it| shifted(it, 1)), changed(&another)];
    inputs.into_iter().filter(|it| it != input).collect()
}

fn shifted(term: &Term, by: i64) -> Option<Term> {
    match term {
        Term::Int(n) => n.checked_add(by).map(Term::Int),
        // By one half, so that a float with an integral value gets a fraction.
        Term::Float(x) => Some(Term::Float(if by < 0 { x - 0.5 } else { x + 0.5 })),
        Term::Big(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::List(_)
        | Term::Tuple(_)
        | Term::Map(_)
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => None,
    }
}

/// Another atom; a boolean stays a boolean.
fn another(term: &Term) -> Option<Term> {
    let other = match term.as_atom()? {
        "true" => "false",
        "false" => "true",
        "a" => "b",
        _ => "a",
    };
    Some(Term::atom(other))
}

/// Replaces the numbers and atoms of a term for which `change` returns a value, except the tags of tuples.
fn with_leaves(term: &Term, change: &dyn Fn(&Term) -> Option<Term>) -> Term {
    let all =
        |items: &[Term]| -> Vec<Term> { items.iter().map(|it| with_leaves(it, change)).collect() };
    match term {
        Term::Int(_) | Term::Float(_) | Term::Atom(_) => change(term).unwrap_or(term.clone()),
        Term::List(list) => Term::list(all(&list.items), with_leaves(&list.tail, change)),
        Term::Tuple(items) => match &items[..] {
            [tag @ Term::Atom(_), rest @ ..] => {
                Term::Tuple(std::iter::once(tag.clone()).chain(all(rest)).collect())
            }
            items => Term::Tuple(all(items)),
        },
        Term::Big(_)
        | Term::Nil
        | Term::Map(_)
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => term.clone(),
    }
}

/// Chooses the most important one of the inputs that show the same cause, and rates it by the parts that its run
/// examined. `goes_on` is called before each run but the first; `false` stops the rating.
pub(crate) fn rate(
    executor: &mut dyn Executor,
    judge: &Judge<'_>,
    found: &mut Found,
    goes_on: &dyn Fn() -> bool,
) {
    let Found { cause, finding, others } = found;
    let is_endless = finding.kind == Kind::Timeout;
    let others = if is_endless { Vec::new() } else { std::mem::take(others) };
    let first = finding.input.clone();
    let mut is_rated = false;
    for (n, input) in std::iter::once(&first).chain(&others).enumerate() {
        if 0 < n && !goes_on() {
            return;
        }
        let Ok(run) = executor.run(input) else { continue };
        if judge.cause(input, &run.outcome).as_ref() != Some(cause) {
            continue;
        }
        let decided_by = last_parts(executor.exprs(), &run.choices, input);
        let looked_at = all_parts(executor.exprs(), &run.choices, input);
        let judge = Judge { looked_at: Some(&looked_at), ..*judge };
        let rated = judge.rate(finding.kind, input, &run.outcome, &decided_by);
        let is_better = rated.level < finding.rated.level
            || rated.level == finding.rated.level && size_of(input) < size_of(&finding.input);
        if !is_rated || is_better {
            let chosen = judge.finding(finding.kind, input, &run.outcome);
            *finding = Finding { count: finding.count, rated, ..chosen };
            is_rated = true;
        }
    }
}
