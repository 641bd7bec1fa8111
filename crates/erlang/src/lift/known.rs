//! The knowledge that the choices of a run imply about its expressions.
//!
//! A test with an implied outcome is not a choice: its other outcome is infeasible, and a query for it would be wasted.
//! This module tracks kinds, literals and bounds in the order of all terms.

use super::typed::SpecFacts;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;
use term::{Domain, Expr, ExprId, Exprs, Kind, Kinds, Op, Term};
use trace::Head;

#[derive(Clone, Debug, Default)]
pub(crate) struct PathFacts {
    /// The outcomes of the tests that were made.
    tests: FxHashMap<ExprId, bool>,
    kinds: FxHashMap<ExprId, Kinds>,
    arities: FxHashMap<ExprId, u32>,
    literals: FxHashMap<ExprId, Term>,
    bounds: FxHashMap<ExprId, Bounds>,
    /// The knowledge from the spec, which holds in every run.
    pub(super) typed: SpecFacts,
}

/// The bounds of a value in the order of all terms; the flag of a bound says whether the value may be equal to it.
#[derive(Clone, Debug, Default)]
struct Bounds {
    low: Option<(Term, bool)>,
    high: Option<(Term, bool)>,
}

impl Bounds {
    /// Whether every value within the bounds is greater than the term, or at least not less than it if `may_be_equal`.
    fn is_above(&self, term: &Term, may_be_equal: bool) -> bool {
        self.low.as_ref().is_some_and(|(low, includes)| match low.cmp_value(term) {
            Ordering::Greater => true,
            Ordering::Equal => may_be_equal || !includes,
            Ordering::Less => false,
        })
    }

    fn is_below(&self, term: &Term, may_be_equal: bool) -> bool {
        self.high.as_ref().is_some_and(|(high, includes)| match high.cmp_value(term) {
            Ordering::Less => true,
            Ordering::Equal => may_be_equal || !includes,
            Ordering::Greater => false,
        })
    }
}

/// A comparison with a constant: the expression, the constant, and whether the expression is the left operand.
type Compared<'a> = (ExprId, &'a Term, bool);

impl PathFacts {
    pub(crate) fn within(domain: Arc<Domain>) -> PathFacts {
        PathFacts { typed: SpecFacts::new(domain), ..PathFacts::default() }
    }

    /// Forgets the choices of the run; the knowledge from the spec is kept.
    pub(crate) fn clear(&mut self) {
        self.tests.clear();
        self.kinds.clear();
        self.arities.clear();
        self.literals.clear();
        self.bounds.clear();
    }

    /// Whether the choices so far imply the outcome of the test.
    pub(crate) fn implies(&mut self, exprs: &Exprs, test: ExprId) -> bool {
        if self.tests.contains_key(&test) {
            return true;
        }
        let Some(Expr::Apply(op, args)) = exprs.get(test) else { return false };
        match (op, &**args) {
            (Op::IsKind(kind), [of]) => {
                if self.literals.contains_key(of) {
                    return true;
                }
                let known = self.kinds(exprs, *of, DEPTH);
                let (asked, is_exact) = (Kinds::of(*kind), kind.is_whole());
                known.and(asked) == Kinds::NONE
                    || is_exact && known.is_within(asked)
                    || *kind == Kind::Binary && has_whole_bytes(exprs, *of)
            }
            (Op::IsTuple(arity), [of]) => {
                let known = self.kinds(exprs, *of, DEPTH);
                self.literals.contains_key(of)
                    || self.arities.contains_key(of)
                    || known.and(Kinds::TUPLE) == Kinds::NONE
                    || self.typed.arities(exprs, *of).is_some_and(|it| {
                        let is_it = |it: &u32| it == arity;
                        !it.iter().any(is_it) || known == Kinds::TUPLE && it.iter().all(is_it)
                    })
            }
            (Op::Same, [a, b]) => {
                let (a_literal, b_literal) = (self.literal(exprs, *a), self.literal(exprs, *b));
                a_literal.is_some() && b_literal.is_some()
                    || self.kinds(exprs, *a, DEPTH).and(self.kinds(exprs, *b, DEPTH)) == Kinds::NONE
                    || exprs.as_constant(*b).is_some_and(|it| !self.typed.admits(exprs, *a, it))
            }
            (Op::Equal | Op::Less | Op::LessEqual, [a, b]) => {
                let are_literals =
                    self.literal(exprs, *a).is_some() && self.literal(exprs, *b).is_some();
                are_literals || self.implies_order(exprs, *op, [*a, *b])
            }
            (Op::Not, [of]) => self.implies(exprs, *of),
            _ => false,
        }
    }

    /// Whether earlier comparisons imply the outcome of this one.
    fn implies_order(&mut self, exprs: &Exprs, op: Op, [a, b]: [ExprId; 2]) -> bool {
        let turned = if op == Op::Less {
            Op::LessEqual
        } else if op == Op::LessEqual {
            Op::Less
        } else {
            Op::Equal
        };
        let turned = exprs.applied(turned, &[b, a]);
        if turned.is_some_and(|it| self.tests.contains_key(&it)) {
            return true;
        }
        let Some((of, term, is_left)) = compared(exprs, [a, b]) else { return false };
        let Some(bounds) = self.bounds(exprs, of) else { return false };
        match (op, is_left) {
            (Op::Less, true) => bounds.is_below(term, false) || bounds.is_above(term, true),
            (Op::Less, false) => bounds.is_above(term, false) || bounds.is_below(term, true),
            (Op::LessEqual, true) => bounds.is_below(term, true) || bounds.is_above(term, false),
            (Op::LessEqual, false) => bounds.is_above(term, true) || bounds.is_below(term, false),
            _ => bounds.is_below(term, false) || bounds.is_above(term, false),
        }
    }

    /// The bounds from earlier choices, or else from the spec; the former are never wider than the latter.
    fn bounds(&mut self, exprs: &Exprs, of: ExprId) -> Option<&Bounds> {
        if !self.bounds.contains_key(&of) {
            let part = self.typed.part(exprs, of)?;
            let (low, high) = (part.low.clone(), part.high.clone());
            if low.is_none() && high.is_none() {
                return None;
            }
            let included = |it: Term| (it, true);
            self.bounds.insert(of, Bounds { low: low.map(included), high: high.map(included) });
        }
        self.bounds.get(&of)
    }

    /// Adds the outcome of a comparison to the knowledge.
    fn learn_order(&mut self, exprs: &Exprs, op: Op, args: [ExprId; 2], holds: bool) {
        let Some((of, term, is_left)) = compared(exprs, args) else { return };
        let known = self.bounds(exprs, of).cloned().unwrap_or_default();
        let bounds = self.bounds.entry(of).or_insert(known);
        // Whether the expression is now known to be less than the term (otherwise greater), and whether it may be equal
        // to it.
        let (is_below, may_be_equal) = match (op, holds) {
            (Op::Less, true) => (is_left, false),
            (Op::Less, false) => (!is_left, true),
            (Op::LessEqual, true) => (is_left, true),
            (Op::LessEqual, false) => (!is_left, false),
            (Op::Equal, true) => {
                bounds.low = Some((term.clone(), true));
                bounds.high = Some((term.clone(), true));
                return;
            }
            _ => return,
        };
        if is_below && !bounds.is_below(term, may_be_equal) {
            bounds.high = Some((term.clone(), may_be_equal));
        } else if !is_below && !bounds.is_above(term, may_be_equal) {
            bounds.low = Some((term.clone(), may_be_equal));
        }
    }

    /// Whether the knowledge implies which of the heads the value has.
    pub(crate) fn implies_head(&mut self, exprs: &Exprs, of: ExprId, heads: &[Head]) -> bool {
        if self.literals.contains_key(&of) {
            return true;
        }
        let known = self.kinds(exprs, of, DEPTH);
        let arities: Option<Vec<u32>> = match self.arities.get(&of) {
            Some(arity) => Some(vec![*arity]),
            None => self.typed.arities(exprs, of).map(<[u32]>::to_vec),
        };
        let is_few = heads.len() <= MAX_LITERALS;
        let mut is_possible = |head: &&Head| match head {
            Head::Kind(kind) => known.has(Kinds::of(*kind)),
            Head::Tuple(n) => {
                known.has(Kinds::TUPLE) && arities.as_ref().is_none_or(|it| it.contains(n))
            }
            Head::Literal(term) => {
                known.has(Kinds::of_term(term)) && (!is_few || self.typed.admits(exprs, of, term))
            }
        };
        let covers = |head: &Head| match head {
            Head::Kind(kind) => Kinds::of(*kind),
            Head::Tuple(n) if arities.as_ref().is_some_and(|it| it.iter().all(|it| it == n)) => {
                Kinds::TUPLE
            }
            Head::Literal(Term::Nil) => Kinds::NIL,
            Head::Tuple(_) | Head::Literal(_) => Kinds::NONE,
        };
        let mut possible = heads.iter().filter(|it| is_possible(it));
        match (possible.next(), possible.next()) {
            (None, _) => true,
            (Some(only), None) => known.is_within(covers(only)),
            (Some(_), Some(_)) => false,
        }
    }

    /// Adds the outcome of a test to the knowledge.
    pub(crate) fn learn(&mut self, exprs: &Exprs, test: ExprId, holds: bool) {
        self.tests.insert(test, holds);
        let Some(Expr::Apply(op, args)) = exprs.get(test) else { return };
        match (op, &**args) {
            (Op::IsKind(kind), [of]) => {
                let (asked, is_exact) = (Kinds::of(*kind), kind.is_whole());
                let known = self.kinds(exprs, *of, DEPTH);
                let left = match (holds, is_exact) {
                    (true, _) => known.and(asked),
                    (false, true) => known.without(asked),
                    (false, false) => known,
                };
                self.kinds.insert(*of, left);
            }
            (Op::IsTuple(arity), [of]) if holds => {
                self.kinds.insert(*of, Kinds::TUPLE);
                self.arities.insert(*of, *arity);
            }
            (Op::IsFunction(_), [of]) if holds => {
                self.kinds.insert(*of, Kinds::FUN);
            }
            (Op::Same, [a, b]) if holds => {
                if let Some(literal) = exprs.as_constant(*b) {
                    self.bind(*a, literal);
                } else if let Some(literal) = exprs.as_constant(*a) {
                    self.bind(*b, literal);
                }
            }
            (Op::Less | Op::LessEqual | Op::Equal, [a, b]) => {
                self.learn_order(exprs, *op, [*a, *b], holds);
            }
            (Op::Not, [of]) => self.learn(exprs, *of, !holds),
            (Op::And, [a, b]) if holds => {
                self.learn(exprs, *a, true);
                self.learn(exprs, *b, true);
            }
            (Op::Or, [a, b]) if !holds => {
                self.learn(exprs, *a, false);
                self.learn(exprs, *b, false);
            }
            _ => (),
        }
    }

    /// Adds the head of a value to the knowledge: `heads[taken]`, or none of them if `taken` is out of range.
    pub(crate) fn learn_head(&mut self, exprs: &Exprs, of: ExprId, heads: &[Head], taken: usize) {
        match heads.get(taken) {
            Some(Head::Kind(kind)) => {
                let known = self.kinds(exprs, of, DEPTH);
                self.kinds.insert(of, known.and(Kinds::of(*kind)));
            }
            Some(Head::Tuple(arity)) => {
                self.kinds.insert(of, Kinds::TUPLE);
                self.arities.insert(of, *arity);
            }
            Some(Head::Literal(term)) => self.bind(of, term),
            None => {
                let mut left = self.kinds(exprs, of, DEPTH);
                for head in heads {
                    match head {
                        Head::Kind(kind) => left = left.without(Kinds::of(*kind)),
                        Head::Literal(Term::Nil) => left = left.without(Kinds::NIL),
                        Head::Tuple(_) | Head::Literal(_) => (),
                    }
                }
                self.kinds.insert(of, left);
            }
        }
    }

    fn bind(&mut self, expr: ExprId, literal: &Term) {
        self.kinds.insert(expr, Kinds::of_term(literal));
        self.literals.insert(expr, literal.clone());
    }

    fn literal<'a>(&'a self, exprs: &'a Exprs, expr: ExprId) -> Option<&'a Term> {
        exprs.as_constant(expr).or_else(|| self.literals.get(&expr))
    }

    /// The kinds that the expression may have, according to the choices and to its operators.
    fn kinds(&mut self, exprs: &Exprs, expr: ExprId, depth: usize) -> Kinds {
        self.kinds_within(exprs, expr, depth, &mut Vec::new())
    }

    /// As [`PathFacts::kinds`]. `seen` memoises the results by expression and remaining depth, because expressions
    /// share subexpressions.
    fn kinds_within(
        &mut self,
        exprs: &Exprs,
        expr: ExprId,
        depth: usize,
        seen: &mut Vec<(ExprId, usize, Kinds)>,
    ) -> Kinds {
        if let Some(known) = self.kinds.get(&expr) {
            return *known;
        }
        if let Some(part) = self.typed.part(exprs, expr) {
            return part.kinds;
        }
        match exprs.get(expr) {
            Some(Expr::Const(term)) => Kinds::of_term(term),
            Some(Expr::Apply(Op::Head, args)) if is_text(exprs, args) => Kinds::INT,
            Some(Expr::Apply(op, args)) if depth > 0 => {
                if let Some(known) = seen.iter().find(|it| (it.0, it.1) == (expr, depth)) {
                    return known.2;
                }
                let mut arg = |n: usize| match args.get(n) {
                    Some(it) => self.kinds_within(exprs, *it, depth - 1, seen),
                    None => Kinds::ALL,
                };
                let res = of_result(*op, &mut arg);
                seen.push((expr, depth, res));
                res
            }
            Some(Expr::Var(_) | Expr::Apply(..)) | None => Kinds::ALL,
        }
    }
}

/// Whether the expression is a slice whose size is a multiple of eight bits.
fn has_whole_bytes(exprs: &Exprs, of: ExprId) -> bool {
    let is_even =
        |it: ExprId| exprs.as_constant(it).and_then(Term::as_int).is_some_and(|it| it % 8 == 0);
    let Some(Expr::Apply(Op::Slice, args)) = exprs.get(of) else { return false };
    let Some(len) = args.get(2) else { return false };
    match exprs.get(*len) {
        Some(Expr::Apply(Op::Multiply, factors)) => factors.iter().any(|it| is_even(*it)),
        _ => is_even(*len),
    }
}

/// Whether the list, or a list that it is a tail of, is the result of a conversion to text or bytes.
fn is_text(exprs: &Exprs, list: &[ExprId]) -> bool {
    let mut at = list.first().copied();
    while let Some(list) = at {
        match exprs.get(list) {
            Some(Expr::Apply(Op::Tail, of)) => at = of.first().copied(),
            Some(Expr::Apply(Op::Convert(_), _)) => return true,
            _ => return false,
        }
    }
    false
}

fn compared(exprs: &Exprs, [a, b]: [ExprId; 2]) -> Option<Compared<'_>> {
    match (exprs.as_constant(a), exprs.as_constant(b)) {
        (None, Some(term)) => Some((a, term, true)),
        (Some(term), None) => Some((b, term, false)),
        _ => None,
    }
}

/// The spec is consulted about literals only for switches with at most this many heads.
const MAX_LITERALS: usize = 16;

/// The maximum depth to which expressions are examined for kinds; a sum that is built in a loop is as deep as the loop
/// is long.
const DEPTH: usize = 8;

/// The kinds of an operator's result, given the kinds of its operands.
fn of_result(op: Op, arg: &mut dyn FnMut(usize) -> Kinds) -> Kinds {
    if matches!(op, Op::Negate | Op::Absolute) {
        return arg(0).and(Kinds::NUMBER);
    }
    if !matches!(op, Op::Add | Op::Subtract | Op::Multiply) {
        return op.result_kinds();
    }
    let (a, b) = (arg(0), arg(1));
    if a == Kinds::FLOAT || b == Kinds::FLOAT {
        Kinds::FLOAT
    } else if a.or(b).has(Kinds::FLOAT) {
        Kinds::NUMBER
    } else {
        Kinds::INT
    }
}
