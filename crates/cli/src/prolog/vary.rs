//! Makes the inputs of tests more telling: parts that the path does not depend on become distinct.
//!
//! For example, a list of two equal items does not show what a predicate does with their order.

use crate::prolog::explore::end_of;
use crate::prolog::plan::Way;
use prolog::concolic::{Finished, Ran, Unit};
use term::Term;
use trace::{Executor, Input};

/// How many parts of an input are varied.
const MAX_PARTS: usize = 24;

/// Returns a run with a more telling input that takes the same path; the given run if there is none.
pub(crate) fn vary(unit: &mut Unit<'_>, way: &Way, ran: Ran, is_given: bool) -> Ran {
    if is_given && way.seeds.contains(&ran.input) {
        return ran;
    }
    let Some(mut best) = again(unit, &ran.input) else { return ran };
    if matches!(best.finished, Finished::Stopped(_)) {
        return ran;
    }
    let mut n = 0;
    let mut names = ('a'..='z').map(|it| Term::atom(&it.to_string()));
    let mut name = names.next();
    while n < MAX_PARTS {
        let Some(old) = part(&best.input, n).cloned() else { break };
        for new in readable(&old) {
            let mut input = best.input.clone();
            replace(&mut input, n, &new);
            let other = way.domain.has(&input.args).then(|| again(unit, &input)).flatten();
            // Another character may be classified by other choices; the covered clauses and the end must be the same.
            let is_same = |it: &Ran| {
                it.completed == best.completed
                    && it.entered == best.entered
                    && it.answers.len() == best.answers.len()
                    && end_of(it) == end_of(&best)
            };
            if let Some(other) = other.filter(is_same) {
                best = other;
                break;
            }
        }
        let is_dull = matches!(&old, Term::Int(0)) || old.as_atom() == Some("a");
        if is_dull {
            let number = Term::Int(i64::try_from(n).unwrap_or(0) + 1);
            for new in [name.clone(), Some(number)].into_iter().flatten() {
                let mut input = best.input.clone();
                replace(&mut input, n, &new);
                if input == best.input {
                    name = names.next();
                    break;
                }
                if !way.domain.has(&input.args) {
                    continue;
                }
                if let Some(other) = again(unit, &input)
                    && other.path == best.path
                    && other.answers.len() == best.answers.len()
                {
                    best = other;
                    if Some(&new) == name.as_ref() {
                        name = names.next();
                    }
                    break;
                }
            }
        }
        n += 1;
    }
    best
}

/// Variants of a text with plain letters in place of unreadable characters; empty if all are readable.
fn readable(term: &Term) -> Vec<Term> {
    let is_bad = |c: char| c.is_control() || !c.is_ascii();
    let Some(text) = term.as_text().filter(|it| it.contains(is_bad)) else { return Vec::new() };
    let with = |letter: char| {
        let new: String = text.chars().map(|c| if is_bad(c) { letter } else { c }).collect();
        if term.as_atom().is_some() { Term::atom(&new) } else { Term::binary(new.into_bytes()) }
    };
    ['x', '-', ' ', '7', 'X'].map(with).to_vec()
}

fn again(unit: &mut Unit<'_>, input: &Input) -> Option<Ran> {
    unit.run(input).ok()?;
    // A goal that a precondition refuses is not an input.
    unit.log.pop().filter(|it| it.finished != Finished::Unmade)
}

/// The n-th atomic part of an input, counted through all arguments.
pub(crate) fn part(input: &Input, n: usize) -> Option<&Term> {
    let mut left = n;
    input.args.iter().find_map(|it| find(it, &mut left))
}

fn find<'t>(term: &'t Term, left: &mut usize) -> Option<&'t Term> {
    if let Some(items) = items(term) {
        return items.iter().find_map(|it| find(it, left));
    }
    if *left == 0 {
        return Some(term);
    }
    *left -= 1;
    None
}

/// The parts of a list or compound; `None` for an atomic term.
fn items(term: &Term) -> Option<&[Term]> {
    if let Term::List(list) = term {
        return Some(&list.items);
    }
    if let Some(items) = term.as_tuple() {
        return items.get(1..);
    }
    matches!(term, Term::Nil).then_some(&[])
}

pub(crate) fn replace(input: &mut Input, n: usize, new: &Term) {
    let mut left = n;
    for arg in &mut input.args {
        if put(arg, &mut left, new) {
            return;
        }
    }
}

fn put(term: &mut Term, left: &mut usize, new: &Term) -> bool {
    if let Term::List(list) = term {
        return list.items.iter_mut().any(|it| put(it, left, new));
    }
    if let Term::Tuple(items) = term {
        return items.iter_mut().skip(1).any(|it| put(it, left, new));
    }
    if matches!(term, Term::Nil) {
        return false;
    }
    if *left == 0 {
        *term = new.clone();
        return true;
    }
    *left -= 1;
    false
}
