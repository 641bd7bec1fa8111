//! Whether terms satisfy the bounds, sizes and exclusions of a node.

#![expect(clippy::wildcard_enum_match_arm, reason = "other terms have no size")]

use super::range::{Range, float_at_least, float_at_most};
use super::state::{Bound, Limits};
use super::value::Value;
use std::cmp::Ordering;
use term::{Kinds, Term};

impl<'q> Limits<'q> {
    pub(super) fn admit(&self, value: &Value<'q>) -> bool {
        let is_above = |it: &Bound<'q>| {
            let order = it.at.compare(value);
            order.is_lt() || order.is_eq() && !it.is_strict
        };
        let is_below = |it: &Bound<'q>| {
            let order = value.compare(&it.at);
            order.is_lt() || order.is_eq() && !it.is_strict
        };
        if !self.low.as_ref().is_none_or(is_above) || !self.high.as_ref().is_none_or(is_below) {
            return false;
        }
        if self.excluded.has(value) {
            return false;
        }
        if let Some(arity) = value.arity() {
            return self.arity.is_none_or(|it| it == arity)
                && self.min_arity <= arity
                && !self.not_arities.contains(&arity);
        }
        match &*value.term() {
            Term::Bits(bits) => {
                let len = bits.bit_len() as u64;
                self.is_binary.is_none_or(|it| it == len.is_multiple_of(8))
                    && self.bits.is_none_or(|it| it == len)
                    && self.min_bits <= len
            }
            Term::Fun(fun) => {
                let arity = fun.arity();
                self.fun_arity.is_none_or(|it| it == arity)
                    && !self.not_fun_arities.contains(&arity)
            }
            _ => true,
        }
    }

    /// Whether some number of this kind lies between the bounds.
    pub(super) fn has_number(&self, kind: Kinds) -> bool {
        if kind == Kinds::INT {
            let range = self.range();
            return !range.is_empty() && range.only().is_none_or(|only| !self.excluded.has(&only));
        }
        let low = self.low.as_ref().and_then(|it| float_at_least(&it.at.term(), it.is_strict));
        let high = self.high.as_ref().and_then(|it| float_at_most(&it.at.term(), it.is_strict));
        match (low, high) {
            (Some(low), Some(high)) if low == high => {
                !self.excluded.has(&Value::own(Term::Float(low)))
            }
            (Some(low), Some(high)) => low <= high,
            _ => true,
        }
    }

    pub(super) fn range(&self) -> Range {
        let mut res = Range::ALL;
        if let Some(low) = &self.low {
            res = res.and(Range::from(&low.at.term(), low.is_strict));
        }
        if let Some(high) = &self.high {
            res = res.and(Range::up_to(&high.at.term(), high.is_strict));
        }
        // An excluded integer at an end of the range moves that end.
        loop {
            let is_out = |at: Option<Value<'q>>| at.is_some_and(|at| self.excluded.has(&at));
            if res.is_empty() {
                return res;
            }
            if is_out(res.low_value()) {
                res.low += 1;
            } else if is_out(res.high_value()) {
                res.high -= 1;
            } else {
                return res;
            }
        }
    }
}

impl<'q> Bound<'q> {
    /// Whether this bound, which lies on the given side of the other or equals it, is at least as strong.
    pub(super) fn implies(&self, other: &Bound<'q>, side: Ordering) -> bool {
        let order = self.at.compare(&other.at);
        order == side || order.is_eq() && (self.is_strict || !other.is_strict)
    }
}
