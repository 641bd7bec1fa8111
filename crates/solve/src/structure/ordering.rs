//! Equality by value (`==`) and order of nodes.

use super::facts::fact;
use super::range::Range;
use super::state::{Contradiction, Fact, NodeId, Shape, State};
use super::value::Value;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use term::{Kinds, Op, Term};

impl<'q> State<'q> {
    /// Requires `a == b`. Returns `true` if the constraint is settled and can be dropped.
    pub(super) fn equal(&mut self, a: NodeId, b: NodeId) -> Result<bool, Contradiction> {
        if self.is_same_node(a, b) {
            return Ok(true);
        }
        let (left, right) = (self.root(a), self.root(b));
        if self.occurs(left, right) || self.occurs(right, left) {
            return Err(Contradiction);
        }
        let wide =
            |kinds: Kinds| if kinds.has(Kinds::NUMBER) { kinds.or(Kinds::NUMBER) } else { kinds };
        self.restrict(a, wide(self.kinds(b)))?;
        self.restrict(b, wide(self.kinds(a)))?;
        if let Some(pairs) = self.parts_of_both(a, b)? {
            pairs.into_iter().for_each(|(a, b)| self.push_fact(Op::Equal, &[a, b], true));
            return Ok(true);
        }
        if let (Some(left), Some(right)) = (self.ground(a), self.ground(b)) {
            return if left.compare(&right).is_eq() { Ok(true) } else { Err(Contradiction) };
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some(value) = self.known(other).cloned() else { continue };
            if value.kinds().is_within(Kinds::NUMBER) {
                self.at_least(one, value.clone(), false)?;
                self.at_most(one, value, false)?;
                return Ok(true);
            }
            if let Some(arity) = value.arity() {
                self.set_arity(one, arity)?;
                return Ok(false);
            }
            if value.kinds() == Kinds::CONS {
                self.restrict(one, Kinds::CONS)?;
                return Ok(false);
            }
        }
        let (left, right) = (self.kinds(a), self.kinds(b));
        let is_plain = |it: Kinds| {
            it == Kinds::INT
                || !it.has(Kinds::NUMBER.or(Kinds::CONS).or(Kinds::TUPLE).or(Kinds::MAP))
        };
        if is_plain(left) && is_plain(right) {
            return self.unify(a, b).map(|()| true);
        }
        if left.is_within(Kinds::NUMBER) && right.is_within(Kinds::NUMBER) {
            self.copy_bounds(a, b)?;
            self.copy_bounds(b, a)?;
        }
        Ok(false)
    }

    fn copy_bounds(&mut self, from: NodeId, to: NodeId) -> Result<(), Contradiction> {
        let Some(limits) = self.node(from).limits.clone() else { return Ok(()) };
        if let Some(low) = limits.low {
            self.at_least(to, low.at, low.is_strict)?;
        }
        if let Some(high) = limits.high {
            self.at_most(to, high.at, high.is_strict)?;
        }
        Ok(())
    }

    /// Requires `a /= b`. Returns `true` if the constraint is settled and can be dropped.
    pub(super) fn not_equal(&mut self, a: NodeId, b: NodeId) -> Result<bool, Contradiction> {
        if self.is_same_node(a, b) {
            return Err(Contradiction);
        }
        let (left, right) = (self.kinds(a), self.kinds(b));
        let are_numbers = left.has(Kinds::NUMBER) && right.has(Kinds::NUMBER);
        if !are_numbers && !left.has(right) {
            return Ok(true);
        }
        if let (Some(left), Some(right)) = (self.ground(a), self.ground(b)) {
            return if left.compare(&right).is_eq() { Err(Contradiction) } else { Ok(true) };
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some(value) = self.known(other).cloned() else { continue };
            let kinds = value.kinds();
            if kinds.is_within(Kinds::NUMBER) {
                for number in both_numbers(&value.term()) {
                    self.exclude(one, &Value::own(number))?;
                }
                return Ok(true);
            }
            if !kinds.has(Kinds::CONS.or(Kinds::TUPLE).or(Kinds::MAP)) {
                return self.exclude(one, &value).map(|()| true);
            }
        }
        let no_floats =
            Kinds::ALL.without(Kinds::FLOAT.or(Kinds::CONS).or(Kinds::TUPLE).or(Kinds::MAP));
        if left.is_within(no_floats) && right.is_within(no_floats) {
            return self.not_same(a, b);
        }
        if let Some(pairs) = self.parts_of_both(a, b)? {
            self.differ_in_one(Op::Equal, pairs);
            return Ok(true);
        }
        Ok(false)
    }

    /// Requires `a < b` if strict, or `a =< b`. Returns `true` if the constraint is settled and can be dropped.
    pub(super) fn ordered(
        &mut self,
        a: NodeId,
        b: NodeId,
        is_strict: bool,
    ) -> Result<bool, Contradiction> {
        if self.is_same_node(a, b) {
            return if is_strict { Err(Contradiction) } else { Ok(true) };
        }
        if let (Some(left), Some(right)) = (self.ground(a), self.ground(b)) {
            let order = left.compare(&right);
            let holds = order.is_lt() || order.is_eq() && !is_strict;
            return if holds { Ok(true) } else { Err(Contradiction) };
        }
        self.restrict(a, Kinds::up_to_rank(self.kinds(b).max_rank()))?;
        self.restrict(b, Kinds::from_rank(self.kinds(a).min_rank()))?;
        let (left, right) = (self.kinds(a), self.kinds(b));
        if left.max_rank() < right.min_rank() {
            return Ok(true);
        }
        let is_open = |it: NodeId| matches!(self.node(it).shape, Shape::Open);
        if is_open(a)
            && let Some(value) = self.ground(b)
        {
            return self.at_most(a, value, is_strict).map(|()| true);
        }
        if is_open(b)
            && let Some(value) = self.ground(a)
        {
            return self.at_least(b, value, is_strict).map(|()| true);
        }
        if left == Kinds::INT && right == Kinds::INT {
            let gap = i128::from(is_strict);
            let (low, high) = (self.range(a), self.range(b));
            if low.has_low() {
                self.narrow_range(b, Range::new(low.low + gap, i128::MAX))?;
            }
            if high.has_high() {
                self.narrow_range(a, Range::new(i128::MIN, high.high - gap))?;
            }
            let (low, high) = (self.range(a), self.range(b));
            return Ok(low.has_high() && high.has_low() && low.high + gap <= high.low);
        }
        if left.is_within(Kinds::NUMBER) && right.is_within(Kinds::NUMBER) {
            self.pass_bounds(a, b, is_strict)?;
            return Ok(false);
        }
        if left == Kinds::TUPLE && right == Kinds::TUPLE {
            match (self.known_arity(a), self.known_arity(b)) {
                (Some(left), Some(right)) if left < right => return Ok(true),
                (Some(left), Some(right)) if left > right => return Err(Contradiction),
                _ => (),
            }
        }
        let Some(pairs) = self.parts_of_both(a, b)? else { return Ok(false) };
        self.ordered_parts(&pairs, is_strict)
    }

    /// Passes the lower bound of `a` on to `b`, and the upper bound of `b` on to `a`.
    fn pass_bounds(&mut self, a: NodeId, b: NodeId, is_strict: bool) -> Result<(), Contradiction> {
        let low = self.node(a).limits.as_ref().and_then(|it| it.low.clone());
        if let Some(low) = low {
            self.at_least(b, low.at, low.is_strict || is_strict)?;
        }
        let high = self.node(b).limits.as_ref().and_then(|it| it.high.clone());
        if let Some(high) = high {
            self.at_most(a, high.at, high.is_strict || is_strict)?;
        }
        Ok(())
    }

    /// Requires that the first pair of unequal parts is in order.
    fn ordered_parts(
        &mut self,
        pairs: &[(NodeId, NodeId)],
        is_strict: bool,
    ) -> Result<bool, Contradiction> {
        let mut equal: Vec<Fact> = Vec::new();
        let mut res: Vec<Vec<Fact>> = Vec::new();
        for (n, (a, b)) in pairs.iter().enumerate() {
            if self.is_same_node(*a, *b) {
                continue;
            }
            if let (Some(left), Some(right)) = (self.ground(*a), self.ground(*b)) {
                match left.compare(&right) {
                    std::cmp::Ordering::Equal => continue,
                    std::cmp::Ordering::Greater => {
                        self.either_or_closed(res)?;
                        return Ok(true);
                    }
                    std::cmp::Ordering::Less => {
                        res.push(equal);
                        self.either_or_closed(res)?;
                        return Ok(true);
                    }
                }
            }
            let is_last = n + 1 == pairs.len();
            let op = if is_last && !is_strict { Op::LessEqual } else { Op::Less };
            let mut facts = equal.clone();
            facts.push(fact(op, &[*a, *b], true));
            res.push(facts);
            if is_last {
                self.either_or_closed(res)?;
                return Ok(true);
            }
            equal.push(fact(Op::Equal, &[*a, *b], true));
        }
        if !is_strict {
            res.push(equal);
        }
        self.either_or_closed(res)?;
        Ok(true)
    }

    pub(super) fn either_or_closed(&mut self, of: Vec<Vec<Fact>>) -> Result<(), Contradiction> {
        if of.is_empty() {
            return Err(Contradiction);
        }
        if !of.iter().any(Vec::is_empty) {
            self.either(of);
        }
        Ok(())
    }
}

/// Returns the integer and the float with the number's value, as far as both exist.
fn both_numbers(number: &Term) -> Vec<Term> {
    let mut res = vec![number.clone()];
    if let Term::Float(value) = number {
        if value.fract() == 0.0 {
            res.extend(BigInt::from_f64(*value).map(Term::integer));
        }
        return res;
    }
    let big = if let Term::Big(value) = number {
        Some((**value).clone())
    } else {
        number.as_int().map(BigInt::from)
    };
    let float = big.and_then(|it| it.to_f64()).filter(|it| it.is_finite()).map(Term::Float);
    res.extend(float.filter(|it| it.cmp_value(number).is_eq()));
    res
}
