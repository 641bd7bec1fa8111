//! Tries boundary values near the current input, judged by evaluation.
//!
//! Most flips ask for one part of the input to be something else, and the query itself names what:
//! a constant, its neighbours, or another kind. Proves nothing impossible; what it can't guess goes
//! on to the next solver.

use crate::checked::complete;
use crate::{Answer, Counts, Query, Solver};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use term::{Expr, ExprId, Exprs, Model, Op, Term, Var, all_hold};

#[derive(Debug)]
pub struct Guess<S> {
    pub inner: S,
    pub counts: Counts,
}

/// More guesses than this cost more than asking.
const MAX_GUESSES: usize = 200;

impl<S: Solver> Guess<S> {
    pub fn new(inner: S) -> Guess<S> {
        Guess { inner, counts: Counts::default() }
    }
}

impl<S: Solver> Solver for Guess<S> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let Some(model) = guess(query) else { return self.inner.solve(query) };
        let answer = Answer::Sat(model);
        self.counts.count(&answer);
        answer
    }
}

fn guess(query: &Query<'_>) -> Option<Model> {
    let last = query.constraints.last()?;
    // The flipped constraint says where to change something, and mostly to what.
    let near = query.exprs.reachable([last.expr]);
    let places: Vec<Place> =
        near.iter().rev().filter_map(|it| Place::of(query.exprs, *it)).collect();
    let candidates = candidates(query.exprs, &near);
    let guesses = places.iter().flat_map(|place| candidates.iter().map(move |it| (place, it)));
    guesses.take(MAX_GUESSES).find_map(|(place, candidate)| {
        let old = query.hint.values.get(&place.var)?;
        let new = put(old, &place.steps, candidate)?;
        let model = Model { values: [(place.var, new)].into() };
        let full = complete(query, &model);
        all_hold(query.exprs, query.constraints, &full).then_some(model)
    })
}

/// A part of the input: a variable and how to get from it to the part.
struct Place {
    var: Var,
    steps: Vec<Op>,
}

impl Place {
    fn of(exprs: &Exprs, expr: ExprId) -> Option<Place> {
        let mut steps = Vec::new();
        let mut at = expr;
        loop {
            match exprs.get(at)? {
                Expr::Var(var) => {
                    steps.reverse();
                    return Some(Place { var: *var, steps });
                }
                Expr::Apply(op @ (Op::Head | Op::Tail | Op::Element(_)), args) => {
                    steps.push(*op);
                    at = *args.first()?;
                }
                Expr::Const(_) | Expr::Apply(..) => return None,
            }
        }
    }
}

fn put(term: &Term, steps: &[Op], new: &Term) -> Option<Term> {
    let Some((step, steps)) = steps.split_first() else { return Some(new.clone()) };
    match (step, term) {
        (Op::Head, Term::List(list)) => {
            let mut items = list.items.clone();
            let first = items.first_mut()?;
            *first = put(first, steps, new)?;
            Some(Term::list(items, list.tail.clone()))
        }
        (Op::Tail, Term::List(list)) => {
            let (first, rest) = list.items.split_first()?;
            let tail = put(&Term::list(rest.to_vec(), list.tail.clone()), steps, new)?;
            Some(Term::list(vec![first.clone()], tail))
        }
        (Op::Element(place), Term::Tuple(items)) => {
            let mut items = items.clone();
            let item = items.get_mut(*place as usize)?;
            *item = put(item, steps, new)?;
            Some(Term::Tuple(items))
        }
        _ => None,
    }
}

/// What the expressions name, what lies next to it, and one of each kind.
fn candidates(exprs: &Exprs, near: &[ExprId]) -> Vec<Term> {
    let mut res = Vec::new();
    for id in near {
        match exprs.get(*id) {
            Some(Expr::Const(term)) => {
                res.push(term.clone());
                neighbours(&mut res, term);
            }
            Some(Expr::Apply(Op::IsTuple(arity), _)) => {
                res.push(Term::Tuple(vec![Term::Int(0); *arity as usize]));
            }
            Some(Expr::Var(_) | Expr::Apply(..)) | None => (),
        }
    }
    res.extend([
        Term::Nil,
        Term::Int(0),
        Term::proper_list(vec![Term::Int(0)]),
        Term::atom("a"),
        Term::Float(0.0),
        Term::Tuple(vec![]),
        Term::Map(vec![]),
        Term::binary(vec![]),
        Term::atom("true"),
        Term::atom("false"),
    ]);
    res
}

fn neighbours(res: &mut Vec<Term>, term: &Term) {
    let big = if let Term::Float(value) = term {
        res.extend([Term::Float(value - 1.0), Term::Float(value + 1.0)]);
        BigInt::from_f64(*value)
    } else if let Term::Big(value) = term {
        Some((**value).clone())
    } else {
        term.as_int().map(BigInt::from)
    };
    let Some(big) = big else { return };
    res.extend([Term::integer(&big - 1), Term::integer(&big + 1)]);
    res.extend(big.to_f64().filter(|it| it.is_finite()).map(Term::Float));
}
