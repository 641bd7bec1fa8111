//! Arithmetic on symbolic values: the expressions of results, and the path constraints under which they are
//! defined.

use crate::code::{ArithOp, Compare, arith_op};
use crate::concolic::convert::{expr_of, shadow_of};
use crate::concolic::facts;
use crate::concolic::recorder::{Recorder, TestPlace};
use crate::data::{Number, Tag, Value, View};
use crate::machine::{Fault, Machine};
use std::sync::Arc;
use term::{ExprId, Kind, Op, Term};
use trace::Head;

/// The nesting depth of expressions from which on they are evaluated without a symbolic expression.
const MAX_DEPTH: usize = 500;

impl Machine {
    /// Evaluates an operation; the result has its symbolic expression. The operands are dereferenced.
    pub(crate) fn arith_recorded(
        &mut self,
        op: ArithOp,
        a: Value,
        b: Value,
    ) -> Result<Value, Fault> {
        let place = self.here(0);
        self.arith_at(place, op, a, b)
    }

    pub(super) fn arith_at(
        &mut self,
        place: TestPlace,
        op: ArithOp,
        a: Value,
        b: Value,
    ) -> Result<Value, Fault> {
        let is_unary = matches!(op, ArithOp::Negate | ArithOp::Abs);
        let b = if is_unary { Value::int(0) } else { self.number_recorded(place, b)? };
        let a = self.number_recorded((place.0, place.1, place.2 + 1), a)?;
        let divides = matches!(
            op,
            ArithOp::Divide
                | ArithOp::IntDivide
                | ArithOp::FloorDivide
                | ArithOp::Mod
                | ArithOp::Rem
        );
        if divides
            && b.is_integer()
            && let Some(expr) = expr_of(b)
        {
            let place = (place.0, place.1, place.2 + 2);
            self.look_literal(place, expr, b, Term::Int(0));
        }
        let res = self.plain_arith(op, a, b)?;
        if expr_of(a).is_none() && expr_of(b).is_none() {
            return Ok(res);
        }
        let (Some(x), Some(y)) = (self.expr_or_constant(a), self.expr_or_constant(b)) else {
            return Ok(res);
        };
        let expr = self.record(|machine, it| {
            let order = machine.order_of_numbers(a, b);
            express(it, place, op, (a, x), (b, y), res, order)
        });
        let Some(Some(expr)) = expr else {
            self.pin(place, a);
            self.pin(place, b);
            return Ok(res);
        };
        let kind = if res.is_integer() { facts::INTEGER } else { facts::FLOAT };
        self.record(|_, it| it.is_of_kind(expr, kind));
        Ok(res.with_shadow(shadow_of(expr)))
    }

    fn order_of_numbers(&self, a: Value, b: Value) -> std::cmp::Ordering {
        crate::data::compare(&self.heap, &self.atoms, a, b)
    }

    /// Returns the number that an operand is or evaluates to, with its symbolic expression.
    pub(super) fn number_recorded(
        &mut self,
        place: TestPlace,
        value: Value,
    ) -> Result<Value, Fault> {
        let value = self.heap.deref(value);
        if let Some(expr) = expr_of(value) {
            let heads: Arc<[Head]> =
                Arc::from([Head::Kind(Kind::Integer), Head::Kind(Kind::Float)]);
            let top = self.top(value);
            let place = (place.0, place.1, place.2 + 3);
            self.record(|_, it| it.choose(place, expr, &top, &heads));
        }
        if value.is_number() {
            return Ok(value);
        }
        self.evaluate_recorded(place, value, MAX_DEPTH)
    }

    /// Evaluates an expression that is a term at run time.
    pub(crate) fn evaluate_here(&mut self, value: Value) -> Result<Value, Fault> {
        let place = self.here(0);
        self.number_recorded(place, value)
    }

    fn evaluate_recorded(
        &mut self,
        place: TestPlace,
        value: Value,
        depth: usize,
    ) -> Result<Value, Fault> {
        if let View::Struct(functor, _) = value.view()
            && expr_of(value).is_none()
            && 0 < depth
        {
            let (name, arity) = self.atoms.name_arity(functor);
            if let Some(op) = arith_op(self.atoms.text(name), arity) {
                let mut args = [Value::int(0); 2];
                for (n, arg) in args.iter_mut().enumerate().take(arity) {
                    let inner = self.heap.arg(value, n);
                    *arg = if inner.tag() == Tag::Struct && expr_of(inner).is_none() {
                        self.evaluate_recorded(place, inner, depth - 1)?
                    } else {
                        self.number_recorded(place, inner)?
                    };
                }
                return self.arith_at(place, op, args[0], args[1]);
            }
        }
        let is_followed = !self.is_symbolic(value);
        let res = self.evaluate(value)?;
        if !is_followed {
            self.pin(place, value);
            self.lose_arithmetic(place, value);
        }
        Ok(res.store(&mut self.heap))
    }

    fn lose_arithmetic(&mut self, place: TestPlace, value: Value) {
        let what = match self.heap.name_arity(value, &self.atoms) {
            Some((name, arity)) => format!("{}/{arity} of arithmetic", self.atoms.text(name)),
            None => "arithmetic".to_owned(),
        };
        self.record(|_, it| it.lose(place, what));
    }

    fn plain_arith(&mut self, op: ArithOp, a: Value, b: Value) -> Result<Value, Fault> {
        let (x, y): (Number, Number) = (self.evaluate(a)?, self.evaluate(b)?);
        let res = self.arith_numbers(op, x, y)?;
        Ok(res.store(&mut self.heap))
    }

    /// Records how two numbers compare. Returns them evaluated.
    pub(crate) fn look_compare(
        &mut self,
        op: Compare,
        a: Value,
        b: Value,
    ) -> Result<(Value, Value), Fault> {
        let place = self.here(0);
        self.look_compare_at(place, op, a, b)
    }

    pub(super) fn look_compare_at(
        &mut self,
        place: TestPlace,
        op: Compare,
        a: Value,
        b: Value,
    ) -> Result<(Value, Value), Fault> {
        let a = self.number_recorded(place, a)?;
        let b = self.number_recorded((place.0, place.1, place.2 + 4), b)?;
        if expr_of(a).is_none() && expr_of(b).is_none() {
            return Ok((a, b));
        }
        let (Some(x), Some(y)) = (self.expr_or_constant(a), self.expr_or_constant(b)) else {
            return Ok((a, b));
        };
        let order = {
            let (x, y) = (self.evaluate(a)?, self.evaluate(b)?);
            x.compare(&y)
        };
        let Some(order) = order else { return Ok((a, b)) };
        let place = (place.0, place.1, place.2 + 9);
        self.record(|_, it| {
            let (expr, holds) = match op {
                Compare::Less => (it.apply(Op::Less, &[x, y]), order.is_lt()),
                Compare::GreaterEqual => (it.apply(Op::Less, &[x, y]), order.is_lt()),
                Compare::Greater => (it.apply(Op::Less, &[y, x]), order.is_gt()),
                Compare::LessEqual => (it.apply(Op::Less, &[y, x]), order.is_gt()),
                Compare::Equal | Compare::NotEqual => (it.apply(Op::Equal, &[x, y]), order.is_eq()),
            };
            it.test(place, expr, holds);
        });
        Ok((a, b))
    }
}

/// Returns the symbolic expression of a result; `None` if the theory has none.
fn express(
    it: &mut Recorder,
    place: TestPlace,
    op: ArithOp,
    (a, x): (Value, ExprId),
    (b, y): (Value, ExprId),
    res: Value,
    order: std::cmp::Ordering,
) -> Option<ExprId> {
    let integers = a.is_integer() && b.is_integer();
    if matches!(res.tag(), Tag::Rational) || matches!(a.tag(), Tag::Rational) {
        return None;
    }
    let plain = |op: Op, it: &mut Recorder| Some(it.apply(op, &[x, y]));
    match op {
        ArithOp::Add => plain(Op::Add, it),
        ArithOp::Sub => plain(Op::Subtract, it),
        ArithOp::Mul => plain(Op::Multiply, it),
        ArithOp::Negate => Some(it.apply(Op::Negate, &[x])),
        ArithOp::Abs => Some(it.apply(Op::Absolute, &[x])),
        ArithOp::Divide if integers => {
            let rest = it.apply(Op::Remainder, &[x, y]);
            let zero = it.exprs.constant(Term::Int(0));
            let is_whole = it.apply(Op::Same, &[rest, zero]);
            it.test((place.0, place.1, place.2 + 5), is_whole, res.is_integer());
            plain(if res.is_integer() { Op::Quotient } else { Op::Divide }, it)
        }
        ArithOp::Divide => plain(Op::Divide, it),
        ArithOp::IntDivide => plain(Op::Quotient, it),
        ArithOp::Rem => plain(Op::Remainder, it),
        ArithOp::Mod => Some(modulo(it, x, y)),
        ArithOp::FloorDivide => {
            let rest = modulo(it, x, y);
            let whole = it.apply(Op::Subtract, &[x, rest]);
            Some(it.apply(Op::Quotient, &[whole, y]))
        }
        ArithOp::Min | ArithOp::Max => {
            if !integers {
                return None;
            }
            let less = it.apply(Op::Less, &[x, y]);
            it.test((place.0, place.1, place.2 + 5), less, order.is_lt());
            Some(if order.is_lt() == (op == ArithOp::Min) { x } else { y })
        }
        ArithOp::ShiftLeft => plain(Op::ShiftLeft, it),
        ArithOp::ShiftRight => plain(Op::ShiftRight, it),
        ArithOp::And => plain(Op::BitAnd, it),
        ArithOp::Or => plain(Op::BitOr, it),
        ArithOp::Xor => plain(Op::BitXor, it),
    }
}

/// Returns the remainder with the sign of the divisor.
fn modulo(it: &mut Recorder, x: ExprId, y: ExprId) -> ExprId {
    let rest = it.apply(Op::Remainder, &[x, y]);
    let shifted = it.apply(Op::Add, &[rest, y]);
    it.apply(Op::Remainder, &[shifted, y])
}
