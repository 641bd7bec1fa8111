//! Conclusions within one node: from its kinds, bounds and types to its shape.

#![expect(clippy::wildcard_enum_match_arm, reason = "other shapes have no range")]

use super::range::Range;
use super::state::{Consistency, Contradiction, Limits, NodeId, Shape, State};
use super::value::Value;
use std::rc::Rc;
use term::fit_u32;
use term::{Kinds, Op, Term};

impl<'q> State<'q> {
    /// Draws the conclusions from what is known of the node itself.
    pub(super) fn settle(&mut self, id: NodeId) -> Consistency {
        match &self.node(id).shape {
            Shape::Literal(value) => {
                let value = value.clone();
                if self.admits(id, &value) { Ok(()) } else { Err(Contradiction) }
            }
            Shape::Open => self.settle_open(id),
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => {
                self.settle_made(id)
            }
        }
    }

    fn settle_open(&mut self, id: NodeId) -> Consistency {
        if self.node(id).limits.is_some() {
            self.settle_limits(id)?;
        }
        if !self.node(id).types.is_empty() {
            self.narrow_types(id)?;
        }
        let node = self.node(id);
        if !matches!(node.shape, Shape::Open) || !node.kinds.is_one() {
            return Ok(());
        }
        if node.kinds == Kinds::NIL {
            return self.bind(id, &Value::Ref(&Term::Nil));
        }
        if node.kinds == Kinds::CONS {
            return self.make_cons(id);
        }
        let arity = node.limits.as_ref().and_then(|it| it.arity);
        if let (Kinds::TUPLE, Some(arity)) = (node.kinds, arity) {
            return self.make_tuple(id, arity);
        }
        if node.kinds == Kinds::INT
            && let Some(value) = self.range(id).only()
        {
            return self.bind(id, &value);
        }
        Ok(())
    }

    pub(super) fn make_cons(&mut self, id: NodeId) -> Consistency {
        let parts = self.hint(id).as_ref().and_then(Value::uncons);
        let (head, tail) = (self.add(Kinds::ALL), self.add(Kinds::ALL));
        if let Some((first, rest)) = parts {
            self.change(head).hint = Some(first);
            self.change(tail).hint = Some(rest);
        }
        self.change(tail).is_tail = true;
        self.change(id).shape = Shape::Cons(head, tail);
        self.settle_made(id)
    }

    pub(super) fn make_tuple(&mut self, id: NodeId, arity: u32) -> Consistency {
        let items = self.hint(id).as_ref().and_then(Value::elements).unwrap_or_default();
        let parts: Rc<[NodeId]> = (0..arity).map(|_| self.add(Kinds::ALL)).collect();
        if items.len() == parts.len() {
            for (part, item) in parts.iter().zip(items) {
                self.change(*part).hint = Some(item);
            }
        }
        self.change(id).shape = Shape::Tuple(parts);
        self.settle_made(id)
    }

    fn settle_limits(&mut self, id: NodeId) -> Consistency {
        let node = self.node(id);
        let Some(limits) = node.limits.as_deref() else { return Ok(()) };
        let mut kinds = node.kinds;
        if let Some(low) = &limits.low {
            kinds = kinds.and(Kinds::from_rank(low.at.kinds().min_rank()));
        }
        if let Some(high) = &limits.high {
            kinds = kinds.and(Kinds::up_to_rank(high.at.kinds().min_rank()));
        }
        if let (Some(low), Some(high)) = (&limits.low, &limits.high) {
            let order = low.at.compare(&high.at);
            if order.is_gt() || order.is_eq() && (low.is_strict || high.is_strict) {
                return Err(Contradiction);
            }
        }
        for number in [Kinds::INT, Kinds::FLOAT] {
            if kinds.has(number) && !limits.has_number(number) {
                kinds = kinds.without(number);
            }
        }
        if let Some(arity) = limits.arity
            && (limits.not_arities.contains(&arity) || arity < limits.min_arity)
        {
            kinds = kinds.without(Kinds::TUPLE);
        }
        if kinds.has(Kinds::NIL) && !limits.admit(&Value::Ref(&Term::Nil)) {
            kinds = kinds.without(Kinds::NIL);
        }
        if kinds.is_empty() {
            return Err(Contradiction);
        }
        if kinds != node.kinds {
            self.change(id).kinds = kinds;
        }
        Ok(())
    }

    /// Once a node has parts, turns the limits of the whole into constraints on the parts.
    pub(super) fn settle_made(&mut self, id: NodeId) -> Consistency {
        if let Some(limits) = self.node(id).limits.clone() {
            self.change(id).limits = None;
            let Limits { low, high, excluded, arity, min_arity, not_arities, .. } = *limits;
            if let Some(low) = low {
                let literal = self.literal(low.at);
                let op = if low.is_strict { Op::Less } else { Op::LessEqual };
                self.push_fact(op, &[literal, id], true);
            }
            if let Some(high) = high {
                let literal = self.literal(high.at);
                let op = if high.is_strict { Op::Less } else { Op::LessEqual };
                self.push_fact(op, &[id, literal], true);
            }
            for value in excluded.iter() {
                self.exclude(id, value)?;
            }
            if let Shape::Tuple(parts) = &self.node(id).shape {
                let n = fit_u32(parts.len());
                if arity.is_some_and(|it| it != n) || n < min_arity || not_arities.contains(&n) {
                    return Err(Contradiction);
                }
            }
            if let Shape::Fun(shape) = &self.node(id).shape
                && (limits.fun_arity.is_some_and(|it| it != shape.arity)
                    || limits.not_fun_arities.contains(&shape.arity))
            {
                return Err(Contradiction);
            }
        }
        if self.node(id).types.is_empty() { Ok(()) } else { self.narrow_types(id) }
    }

    /// Returns the interval of the integers that the node may be; without meaning for other kinds.
    pub(super) fn range(&self, id: NodeId) -> Range {
        let node = self.node(id);
        match &node.shape {
            Shape::Literal(value) => Range::of(&value.term()),
            _ => node.limits.as_ref().map_or(Range::ALL, |it| it.range()),
        }
    }

    pub(super) fn narrow_range(&mut self, id: NodeId, range: Range) -> Consistency {
        let old = self.range(id);
        let new = old.and(range);
        if new == old {
            return Ok(());
        }
        if new.is_empty() {
            return Err(Contradiction);
        }
        if matches!(self.node(id).shape, Shape::Literal(_)) {
            return Ok(());
        }
        if old.low != new.low
            && let Some(low) = new.low_value()
        {
            self.at_least(id, low, false)?;
        }
        if old.high != new.high
            && let Some(high) = new.high_value()
        {
            self.at_most(id, high, false)?;
        }
        Ok(())
    }
}
