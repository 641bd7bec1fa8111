//! Arithmetic between nodes: propagation of kinds and intervals, and exact inverses.

#![expect(clippy::wildcard_enum_match_arm, reason = "other operators say nothing here")]

use super::facts::fact;
use super::range::{Range, integer};
use super::state::{Consistency, Contradiction, NodeId, State};
use super::value::Value;
use num_bigint::BigInt;
use num_traits::Signed;
use term::{Kinds, Op, Term};

impl<'q> State<'q> {
    /// Propagates an arithmetic definition. Returns `true` if it is settled and can be dropped.
    pub(super) fn examine_number(
        &mut self,
        node: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        match (op, args) {
            (Op::Add | Op::Subtract | Op::Multiply, [a, b]) => {
                self.narrow_sum_kinds(node, *a, *b)?;
                if self.kinds(node) != Kinds::INT {
                    return Ok(false);
                }
                match op {
                    Op::Add => self.sum(node, *a, *b),
                    Op::Subtract => self.sum(*a, node, *b),
                    _ => self.product(node, *a, *b),
                }
            }
            (Op::Negate | Op::Absolute, [a]) => {
                self.restrict(node, self.kinds(*a))?;
                self.restrict(*a, self.kinds(node))?;
                if self.kinds(node) != Kinds::INT {
                    return Ok(false);
                }
                let (whole, part) = (self.range(node), self.range(*a));
                if op == Op::Negate {
                    self.narrow_range(node, part.negate())?;
                    self.narrow_range(*a, whole.negate())?;
                    return Ok(false);
                }
                self.narrow_range(node, Range::new(0, i128::MAX))?;
                let whole = self.range(node);
                self.narrow_range(node, part.or(part.negate()))?;
                self.narrow_range(*a, whole.or(whole.negate()))?;
                Ok(false)
            }
            (Op::BitNot, [a]) => {
                let one = Range::new(-1, -1);
                self.narrow_range(node, self.range(*a).negate().add(one))?;
                self.narrow_range(*a, self.range(node).negate().add(one))?;
                Ok(false)
            }
            (Op::Truncate | Op::Round | Op::Floor | Op::Ceiling, [a]) => {
                if self.kinds(*a) == Kinds::INT {
                    return self.unify(node, *a).map(|()| true);
                }
                self.bound_rounded(self.range(node), *a).map(|()| false)
            }
            (Op::Quotient | Op::Remainder, [a, b]) => self.division(node, op, *a, *b),
            (Op::BitAnd, [a, b]) => {
                for (one, other) in [(*a, *b), (*b, *a)] {
                    let (mask, of) = (self.range(one), self.range(other));
                    if mask.low >= 0 {
                        self.narrow_range(node, Range::new(0, mask.high))?;
                    }
                    if mask.low >= 0 && of.low >= 0 {
                        self.narrow_range(node, Range::new(0, of.high))?;
                    }
                }
                Ok(false)
            }
            (Op::BitXor, [a, b])
                if [node, *a, *b].iter().filter(|it| self.known(**it).is_some()).count() == 2 =>
            {
                self.exclusive_or(node, *a, *b).map(|()| true)
            }
            (Op::BitOr | Op::BitXor, [a, b]) => {
                let (left, right) = (self.range(*a), self.range(*b));
                if left.low >= 0 && right.low >= 0 {
                    let low = if op == Op::BitOr { left.low.max(right.low) } else { 0 };
                    let top = left.high.max(right.high);
                    let is_small = top < 1 << 100;
                    let high =
                        if is_small { (top + 1).unsigned_abs().next_power_of_two() } else { 0 };
                    let high = i128::try_from(high).ok().filter(|_| is_small);
                    self.narrow_range(node, Range::new(low, high.map_or(i128::MAX, |it| it - 1)))?;
                }
                Ok(false)
            }
            (Op::ShiftLeft, [a, b]) => {
                if let Some(by @ 0..=60) = self.known_int(*b) {
                    let factor = self.literal(integer(1 << by));
                    return self.product(node, *a, factor);
                }
                Ok(false)
            }
            (Op::ShiftRight, [a, b]) => {
                if let Some(by @ 0..=60) = self.known_int(*b) {
                    let (of, shifted) = (self.range(*a), self.range(node));
                    let low = if of.has_low() { of.low >> by } else { i128::MIN };
                    let high = if of.has_high() { of.high >> by } else { i128::MAX };
                    self.narrow_range(node, Range::new(low, high))?;
                    let scale = |it: i128| it.checked_mul(1 << by);
                    let low = shifted.has_low().then(|| scale(shifted.low)).flatten();
                    let high = shifted.has_high().then(|| scale(shifted.high + 1)).flatten();
                    let high = high.map_or(i128::MAX, |it| it - 1);
                    self.narrow_range(*a, Range::new(low.unwrap_or(i128::MIN), high))?;
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Narrows the kinds of the result and the operands of `+`, `-` and `*`.
    fn narrow_sum_kinds(&mut self, node: NodeId, a: NodeId, b: NodeId) -> Consistency {
        let (left, right) = (self.kinds(a), self.kinds(b));
        if left == Kinds::INT && right == Kinds::INT {
            return self.restrict(node, Kinds::INT);
        }
        if left == Kinds::FLOAT || right == Kinds::FLOAT {
            return self.restrict(node, Kinds::FLOAT);
        }
        if self.kinds(node) == Kinds::INT {
            self.restrict(a, Kinds::INT)?;
            return self.restrict(b, Kinds::INT);
        }
        if self.kinds(node) == Kinds::FLOAT {
            for (one, other) in [(a, b), (b, a)] {
                if self.kinds(one) == Kinds::INT {
                    self.restrict(other, Kinds::FLOAT)?;
                }
            }
        }
        Ok(())
    }

    /// Propagates `node = a + b` for integers.
    fn sum(&mut self, node: NodeId, a: NodeId, b: NodeId) -> Result<bool, Contradiction> {
        self.restrict(node, Kinds::INT)?;
        self.restrict(a, Kinds::INT)?;
        self.restrict(b, Kinds::INT)?;
        let (left, right) = (self.range(a), self.range(b));
        self.narrow_range(node, left.add(right))?;
        let whole = self.range(node);
        self.narrow_range(a, whole.add(right.negate()))?;
        self.narrow_range(b, whole.add(left.negate()))?;
        // Handles numbers outside the intervals' range, and conclusions that intervals cannot express.
        match (self.integer(node), self.integer(a), self.integer(b)) {
            (Some(whole), Some(part), None) => self.bind_integer(b, whole - part).map(|()| true),
            (Some(whole), None, Some(part)) => self.bind_integer(a, whole - part).map(|()| true),
            (None, Some(a), Some(b)) => self.bind_integer(node, a + b).map(|()| true),
            (Some(whole), Some(a), Some(b)) => {
                if whole == a + b {
                    Ok(true)
                } else {
                    Err(Contradiction)
                }
            }
            // The operands are the same node.
            (Some(whole), None, None) if self.is_same_node(a, b) => {
                if (&whole % 2u8) != BigInt::ZERO {
                    return Err(Contradiction);
                }
                self.bind_integer(a, whole / 2u8).map(|()| true)
            }
            _ => Ok(false),
        }
    }

    fn product(&mut self, node: NodeId, a: NodeId, b: NodeId) -> Result<bool, Contradiction> {
        let (left, right) = (self.range(a), self.range(b));
        if self.is_same_node(a, b) {
            self.narrow_range(node, Range::new(0, i128::MAX))?;
            if let Some(square) = self.integer(node) {
                let root =
                    if square.is_negative() { return Err(Contradiction) } else { square.sqrt() };
                if &root * &root != square {
                    return Err(Contradiction);
                }
                if root == BigInt::ZERO {
                    return self.bind_int(a, 0).map(|()| true);
                }
                let plus = self.literal(Value::own(Term::integer(root.clone())));
                let minus = self.literal(Value::own(Term::integer(-root)));
                let same = |it| vec![fact(Op::Same, &[a, it], true)];
                self.either(vec![same(plus), same(minus)]);
                return Ok(true);
            }
        }
        self.narrow_range(node, left.multiply(right))?;
        for (one, other) in [(a, b), (b, a)] {
            let Some(factor) = self.integer(one) else { continue };
            if factor == BigInt::ZERO {
                return self.bind_int(node, 0).map(|()| true);
            }
            if let Some(whole) = self.integer(node) {
                if &whole % &factor != BigInt::ZERO {
                    return Err(Contradiction);
                }
                return self.bind_integer(other, whole / factor).map(|()| true);
            }
            if let Ok(factor) = i128::try_from(&factor) {
                let whole = self.range(node);
                self.narrow_range(other, divide(whole, factor))?;
            }
        }
        Ok(false)
    }

    fn division(
        &mut self,
        node: NodeId,
        op: Op,
        a: NodeId,
        b: NodeId,
    ) -> Result<bool, Contradiction> {
        self.exclude(b, &Value::own(Term::Int(0)))?;
        let (of, whole) = (self.range(a), self.range(node));
        let Some(by) = self.integer(b).and_then(|it| i128::try_from(it).ok()) else {
            return Ok(false);
        };
        if by == 0 {
            return Err(Contradiction);
        }
        if op == Op::Remainder {
            let most = by.abs() - 1;
            let low = if of.low >= 0 { 0 } else { -most };
            let high = if of.high <= 0 { 0 } else { most };
            self.narrow_range(node, Range::new(low, high))?;
            return Ok(false);
        }
        if by > 0 {
            let low = if of.has_low() { of.low / by } else { i128::MIN };
            let high = if of.has_high() { of.high / by } else { i128::MAX };
            self.narrow_range(node, Range::new(low, high))?;
            // Division truncates towards zero: the quotient of a positive divisor is q > 0 from q * by up to q * by +
            // by - 1.
            let least = |q: i128| {
                if q > 0 { q.checked_mul(by) } else { q.checked_mul(by)?.checked_sub(by - 1) }
            };
            let most = |q: i128| {
                if q >= 0 { q.checked_mul(by)?.checked_add(by - 1) } else { q.checked_mul(by) }
            };
            let low = whole.has_low().then(|| least(whole.low)).flatten().unwrap_or(i128::MIN);
            let high = whole.has_high().then(|| most(whole.high)).flatten().unwrap_or(i128::MAX);
            self.narrow_range(a, Range::new(low, high))?;
        }
        Ok(false)
    }

    /// Binds the third number when two of `node`, `a` and `b` are known: each is the exclusive or of the other two.
    fn exclusive_or(&mut self, node: NodeId, a: NodeId, b: NodeId) -> Consistency {
        let all = [node, a, b];
        let known: Vec<BigInt> = all.iter().filter_map(|it| self.integer(*it)).collect();
        let open = all.into_iter().find(|it| self.known(*it).is_none());
        match (known.as_slice(), open) {
            ([left, right], Some(open)) => self.bind_integer(open, left ^ right),
            _ => Ok(()),
        }
    }

    /// Bounds the operand of a rounding operation to within 1 of the result.
    fn bound_rounded(&mut self, whole: Range, of: NodeId) -> Consistency {
        if let Some(low) = Range::new(whole.low.saturating_sub(1), 0).low_value()
            && whole.has_low()
        {
            self.at_least(of, low, false)?;
        }
        if let Some(high) = Range::new(0, whole.high.saturating_add(1)).high_value()
            && whole.has_high()
        {
            self.at_most(of, high, false)?;
        }
        Ok(())
    }

    pub(super) fn integer(&self, id: NodeId) -> Option<BigInt> {
        match &*self.known(id)?.term() {
            Term::Big(value) => Some((**value).clone()),
            term => term.as_int().map(BigInt::from),
        }
    }

    pub(super) fn bind_integer(&mut self, id: NodeId, value: BigInt) -> Consistency {
        self.bind(id, &Value::own(Term::integer(value)))
    }
}

/// Returns the interval of the numbers whose product with the factor lies in `whole`.
fn divide(whole: Range, factor: i128) -> Range {
    let (low, high) = if factor > 0 { (whole.low, whole.high) } else { (whole.high, whole.low) };
    let is_bound = |it: i128| it != i128::MIN && it != i128::MAX;
    let up = |it: i128| it.div_euclid(factor) + i128::from(it.rem_euclid(factor) != 0);
    let down = |it: i128| it.div_euclid(factor);
    if factor > 0 {
        Range {
            low: if is_bound(low) { up(low) } else { i128::MIN },
            high: if is_bound(high) { down(high) } else { i128::MAX },
        }
    } else {
        // Euclidean division by a negative number rounds up.
        Range {
            low: if is_bound(low) { low.div_euclid(factor) } else { i128::MIN },
            high: if is_bound(high) {
                high.div_euclid(factor) - i128::from(high.rem_euclid(factor) != 0)
            } else {
                i128::MAX
            },
        }
    }
}
