//! What each operator computes, exactly as Erlang does. This is the definition with which a solver's encoding must
//! agree.
//!
//! `None` stands for an exception in Erlang. Knows nothing of expressions and models.

mod bits;
mod numbers;
mod text;

pub use bits::float_bits;

use crate::expr::Op;
use crate::ground::{Atom, Term};
use smol_str::SmolStr;
use std::cmp::Ordering;

pub(crate) static TRUE: Term = Term::Atom(Atom(SmolStr::new_static("true")));
pub(crate) static FALSE: Term = Term::Atom(Atom(SmolStr::new_static("false")));

/// Applies an operator to terms. Returns `None` where Erlang raises an exception, and for numbers and bitstrings of
/// more than a million bits.
pub fn apply(op: Op, args: &[&Term]) -> Option<Term> {
    match (op, args) {
        (Op::Tuple, items) => Some(Term::Tuple(items.iter().map(|it| (*it).clone()).collect())),
        (Op::Concat, parts) => bits::concat(parts),
        (Op::Call, [fun, args @ ..]) => call(fun, args),
        (op, [of]) => of_one(op, of),
        (op, [left, right]) => of_two(op, left, right),
        (Op::Put, [key, value, map]) => {
            let mut pairs = pairs(map)?.to_vec();
            let pair = ((*key).clone(), (*value).clone());
            match find(&pairs, key) {
                Ok(at) => pairs.splice(at..=at, [pair]).for_each(drop),
                Err(at) => pairs.insert(at, pair),
            }
            Some(Term::Map(pairs))
        }
        (Op::Slice, [of, offset, len]) => bits::slice(of, offset, len),
        _ => None,
    }
}

pub(crate) fn as_truth(term: &Term) -> Option<bool> {
    match term.as_atom() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others take another number of operands")]
fn of_one(op: Op, of: &Term) -> Option<Term> {
    match op {
        Op::Head => list(of)?.items.first().cloned(),
        Op::Tail => {
            let list = list(of)?;
            Some(Term::list(list.items.get(1..)?.to_vec(), list.tail.clone()))
        }
        Op::Element(place) => of.as_tuple()?.get(place as usize).cloned(),
        Op::Key(place) => pairs(of)?.get(place as usize).map(|it| it.0.clone()),
        Op::Length => size(of.as_list()?.len()),
        Op::TupleSize => size(of.as_tuple()?.len()),
        Op::MapSize => size(pairs(of)?.len()),
        Op::BitSize => size(bits::of(of)?.bit_len()),
        Op::BitsToInteger { is_signed, is_little } => bits::to_integer(of, is_signed, is_little),
        Op::Convert(conversion) => text::convert(conversion, of),
        Op::Converts(conversion) => truth(text::convert(conversion, of).is_some()),
        Op::IsKind(kind) => truth(kind.has(of)),
        Op::IsTuple(arity) => truth(of.as_tuple().is_some_and(|it| it.len() == arity as usize)),
        Op::IsFunction(arity) => {
            let is = if let Term::Fun(fun) = of { fun.arity() == arity } else { false };
            truth(is)
        }
        Op::IsProper => truth(of.as_list().is_some()),
        Op::Not => truth(!as_truth(of)?),
        _ => numbers::of_one(op, of),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others take another number of operands")]
fn of_two(op: Op, left: &Term, right: &Term) -> Option<Term> {
    match op {
        Op::Cons => Some(Term::list(vec![left.clone()], right.clone())),
        Op::Get => {
            let pairs = pairs(right)?;
            pairs.get(find(pairs, left).ok()?).map(|it| it.1.clone())
        }
        Op::HasKey => truth(find(pairs(right)?, left).is_ok()),
        Op::Remove => {
            let mut pairs = pairs(right)?.to_vec();
            if let Ok(at) = find(&pairs, left) {
                pairs.remove(at);
            }
            Some(Term::Map(pairs))
        }
        Op::IntegerToBits { is_little } => bits::from_integer(left, right, is_little),
        Op::Same => truth(left.cmp_exact(right).is_eq()),
        Op::Equal => truth(left.cmp_value(right).is_eq()),
        Op::Less => truth(left.cmp_value(right).is_lt()),
        Op::LessEqual => truth(left.cmp_value(right).is_le()),
        Op::And => truth(as_truth(left)? & as_truth(right)?),
        Op::Or => truth(as_truth(left)? | as_truth(right)?),
        _ => numbers::of_two(op, left, right),
    }
}

fn call(fun: &Term, args: &[&Term]) -> Option<Term> {
    let Term::Fun(fun) = fun else { return None };
    let args: Vec<Term> = args.iter().map(|it| (*it).clone()).collect();
    fun.look_up(&args).cloned()
}

fn truth(holds: bool) -> Option<Term> {
    Some(if holds { TRUE.clone() } else { FALSE.clone() })
}

fn size(len: usize) -> Option<Term> {
    i64::try_from(len).ok().map(Term::Int)
}

fn list(term: &Term) -> Option<&crate::ground::List> {
    if let Term::List(list) = term { Some(list) } else { None }
}

fn pairs(term: &Term) -> Option<&[(Term, Term)]> {
    if let Term::Map(pairs) = term { Some(pairs) } else { None }
}

/// Returns the index of a key, or the index at which it would be inserted.
fn find(pairs: &[(Term, Term)], key: &Term) -> Result<usize, usize> {
    pairs.binary_search_by(|it: &(Term, Term)| -> Ordering { it.0.cmp_exact(key) })
}

#[cfg(test)]
mod tests;
