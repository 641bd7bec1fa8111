//! Narrows nodes: kinds, values, bounds, sizes; and draws the conclusions within one node.

#![expect(clippy::wildcard_enum_match_arm, reason = "other shapes are not narrowed this way")]

use super::kinds::Kinds;
use super::range::{Range, float_at_least, float_at_most};
use super::state::{Bound, Closed, Limits, NodeId, Shape, State, Step};
use super::value::Value;
use std::rc::Rc;
use term::{Kind, Op, Term};

impl<'q> State<'q> {
    pub(super) fn restrict(&mut self, id: NodeId, kinds: Kinds) -> Step {
        let old = self.kinds(id);
        let new = old.and(kinds);
        if new == old {
            return Ok(());
        }
        if new.is_empty() {
            return Err(Closed);
        }
        self.change(id).kinds = new;
        self.settle(id)
    }

    /// The node is this term.
    pub(super) fn bind(&mut self, id: NodeId, value: &Value<'q>) -> Step {
        let (mut id, mut value) = (id, value.clone());
        loop {
            match self.node(id).shape.clone() {
                Shape::Literal(known) => {
                    return if known.is_same(&value) { Ok(()) } else { Err(Closed) };
                }
                Shape::Cons(head, tail) => {
                    let (first, rest) = value.uncons().ok_or(Closed)?;
                    self.bind(head, &first)?;
                    (id, value) = (tail, rest);
                }
                Shape::Tuple(parts) => {
                    let items = value.elements().ok_or(Closed)?;
                    if items.len() != parts.len() {
                        return Err(Closed);
                    }
                    return parts
                        .iter()
                        .zip(items)
                        .try_for_each(|(it, item)| self.bind(*it, &item));
                }
                Shape::Map(shape) => {
                    if !self.admits(id, &value) {
                        return Err(Closed);
                    }
                    let term = value.term().into_owned();
                    self.change(id).shape = Shape::Literal(value);
                    for (key, part) in &shape.entries {
                        let found = term::apply(Op::Get, &[&key.term(), &term]);
                        match (found, part) {
                            (Some(found), Some(part)) => self.bind(*part, &Value::own(found))?,
                            (None, None) => (),
                            (Some(_), None) | (None, Some(_)) => return Err(Closed),
                        }
                    }
                    return Ok(());
                }
                Shape::Fun(shape) => {
                    if !self.admits(id, &value) {
                        return Err(Closed);
                    }
                    self.change(id).shape = Shape::Literal(value);
                    let fun = id;
                    for (args, result) in &shape.calls {
                        let args: Rc<[NodeId]> =
                            std::iter::once(fun).chain(args.iter().copied()).collect();
                        self.push(super::state::Pending::Define(*result, Op::Call, args));
                    }
                    return Ok(());
                }
                Shape::Open => {
                    if !self.admits(id, &value) {
                        return Err(Closed);
                    }
                    let node = self.change(id);
                    node.kinds = value.kinds();
                    node.shape = Shape::Literal(value);
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn bind_int(&mut self, id: NodeId, value: i64) -> Step {
        if let Some(known) = self.known_int(id) {
            return if known == value { Ok(()) } else { Err(Closed) };
        }
        self.bind(id, &Value::own(Term::Int(value)))
    }

    /// The node is not this term.
    pub(super) fn exclude(&mut self, id: NodeId, value: &Value<'q>) -> Step {
        let node = self.node(id);
        if !node.kinds.has(value.kinds()) {
            return Ok(());
        }
        match &node.shape {
            Shape::Literal(known) => {
                if known.is_same(value) {
                    Err(Closed)
                } else {
                    Ok(())
                }
            }
            Shape::Open => {
                if node
                    .limits
                    .as_ref()
                    .is_some_and(|it| it.excluded.iter().any(|it| it.is_same(value)))
                {
                    return Ok(());
                }
                self.change_limits(id).excluded.push(value.clone());
                if matches!(*value.term(), Term::Nil) {
                    self.restrict(id, Kinds::ALL.without(Kinds::NIL))?;
                }
                self.settle(id)
            }
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Fun(_) => {
                let literal = self.literal(value.clone());
                self.push_fact(Op::Same, &[id, literal], false);
                Ok(())
            }
        }
    }

    /// In the order of terms.
    pub(super) fn at_least(&mut self, id: NodeId, at: Value<'q>, is_strict: bool) -> Step {
        let bound = Bound { at, is_strict };
        let old = self.node(id).limits.as_ref().and_then(|it| it.low.as_ref());
        if old.is_some_and(|it| it.implies(&bound, std::cmp::Ordering::Greater)) {
            return Ok(());
        }
        self.change_limits(id).low = Some(bound);
        self.settle(id)
    }

    pub(super) fn at_most(&mut self, id: NodeId, at: Value<'q>, is_strict: bool) -> Step {
        let bound = Bound { at, is_strict };
        let old = self.node(id).limits.as_ref().and_then(|it| it.high.as_ref());
        if old.is_some_and(|it| it.implies(&bound, std::cmp::Ordering::Less)) {
            return Ok(());
        }
        self.change_limits(id).high = Some(bound);
        self.settle(id)
    }

    pub(super) fn is_kind(&mut self, id: NodeId, kind: Kind, holds: bool) -> Step {
        let kinds = Kinds::of(kind);
        match (kind, holds) {
            (Kind::Boolean, true) => {
                self.restrict(id, Kinds::ATOM)?;
                // In the order of terms, nothing but these lies between.
                if let Some(value) = self.known(id) {
                    let is = kind.has(&value.term());
                    return if is { Ok(()) } else { Err(Closed) };
                }
                self.add_alternatives(id, self.typing.booleans())
            }
            (Kind::Boolean, false) => {
                self.exclude(id, &Value::truth(true))?;
                self.exclude(id, &Value::truth(false))
            }
            (Kind::Binary, holds) => {
                if holds {
                    self.restrict(id, kinds)?;
                }
                if let Some(value) = self.known(id) {
                    let is = kind.has(&value.term());
                    return if is == holds { Ok(()) } else { Err(Closed) };
                }
                match self.node(id).limits.as_ref().and_then(|it| it.is_binary) {
                    Some(known) if known == holds => Ok(()),
                    Some(_) => self.restrict(id, Kinds::ALL.without(kinds)),
                    None => {
                        self.change_limits(id).is_binary = Some(holds);
                        self.settle(id)
                    }
                }
            }
            (_, true) => self.restrict(id, kinds),
            (_, false) => self.restrict(id, Kinds::ALL.without(kinds)),
        }
    }

    pub(super) fn set_arity(&mut self, id: NodeId, arity: u32) -> Step {
        self.restrict(id, Kinds::TUPLE)?;
        match &self.node(id).shape {
            Shape::Literal(value) => {
                if value.arity() == Some(arity) {
                    Ok(())
                } else {
                    Err(Closed)
                }
            }
            Shape::Tuple(parts) => {
                if parts.len() == arity as usize {
                    Ok(())
                } else {
                    Err(Closed)
                }
            }
            Shape::Open => {
                match self.node(id).limits.as_ref().and_then(|it| it.arity) {
                    Some(known) if known == arity => return Ok(()),
                    Some(_) => return Err(Closed),
                    None => self.change_limits(id).arity = Some(arity),
                }
                self.settle(id)
            }
            Shape::Cons(..) | Shape::Map(_) | Shape::Fun(_) => Err(Closed),
        }
    }

    /// If it is a tuple, it has at least so many elements.
    pub(super) fn set_min_arity(&mut self, id: NodeId, arity: u32) -> Step {
        match &self.node(id).shape {
            Shape::Literal(value) if value.arity().is_some_and(|it| it < arity) => Err(Closed),
            Shape::Tuple(parts) if parts.len() < arity as usize => Err(Closed),
            Shape::Open => {
                if self.node(id).limits.as_ref().is_none_or(|it| it.min_arity < arity) {
                    self.change_limits(id).min_arity = arity;
                    return self.settle(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn not_arity(&mut self, id: NodeId, arity: u32) -> Step {
        match &self.node(id).shape {
            Shape::Literal(value) if value.arity() == Some(arity) => Err(Closed),
            Shape::Tuple(parts) if parts.len() == arity as usize => Err(Closed),
            Shape::Open if self.kinds(id).has(Kinds::TUPLE) => {
                self.change_limits(id).not_arities.push(arity);
                self.settle(id)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn set_fun_arity(&mut self, id: NodeId, arity: u8) -> Step {
        self.restrict(id, Kinds::FUN)?;
        match &self.node(id).shape {
            Shape::Literal(value) => {
                let is = matches!(&*value.term(), Term::Fun(fun) if fun.arity() == arity);
                if is { Ok(()) } else { Err(Closed) }
            }
            Shape::Fun(shape) => {
                if shape.arity == arity {
                    Ok(())
                } else {
                    Err(Closed)
                }
            }
            _ => {
                if let Some(limits) = self.node(id).limits.as_deref() {
                    if limits.fun_arity.is_some_and(|it| it != arity)
                        || limits.not_fun_arities.contains(&arity)
                    {
                        return Err(Closed);
                    }
                    if limits.fun_arity.is_some() {
                        return Ok(());
                    }
                }
                self.change_limits(id).fun_arity = Some(arity);
                self.settle(id)
            }
        }
    }

    /// Head and tail of the node, which must be a list cell.
    pub(super) fn cons(&mut self, id: NodeId) -> Result<(NodeId, NodeId), Closed> {
        self.restrict(id, Kinds::CONS)?;
        match self.node(id).shape.clone() {
            Shape::Cons(head, tail) => Ok((head, tail)),
            Shape::Literal(value) => {
                let (first, rest) = value.uncons().ok_or(Closed)?;
                let (head, tail) = (self.literal(first), self.literal(rest));
                self.change(id).shape = Shape::Cons(head, tail);
                Ok((head, tail))
            }
            Shape::Open => {
                self.make_cons(id)?;
                self.cons(id)
            }
            Shape::Tuple(_) | Shape::Map(_) | Shape::Fun(_) => Err(Closed),
        }
    }

    /// The elements of the node, which must be a tuple of known arity.
    pub(super) fn tuple(&mut self, id: NodeId) -> Result<Rc<[NodeId]>, Closed> {
        match self.node(id).shape.clone() {
            Shape::Tuple(parts) => Ok(parts),
            Shape::Literal(value) => {
                let items = value.elements().ok_or(Closed)?;
                let parts: Rc<[NodeId]> = items.into_iter().map(|it| self.literal(it)).collect();
                self.change(id).shape = Shape::Tuple(Rc::clone(&parts));
                Ok(parts)
            }
            Shape::Open => {
                let limits = self.node(id).limits.as_ref();
                let arity = limits.and_then(|it| it.arity).ok_or(Closed)?;
                self.make_tuple(id, arity)?;
                self.tuple(id)
            }
            Shape::Cons(..) | Shape::Map(_) | Shape::Fun(_) => Err(Closed),
        }
    }

    /// Whether the node may be this term, as far as its own limits and types say.
    pub(super) fn admits(&self, id: NodeId, value: &Value<'q>) -> bool {
        self.admits_limits(id, value)
            && self.node(id).types.iter().all(|alts| {
                let term = value.term();
                alts.iter().any(|it| self.typing.has(it, &term))
            })
    }

    pub(super) fn admits_limits(&self, id: NodeId, value: &Value<'q>) -> bool {
        let node = self.node(id);
        node.kinds.has(value.kinds()) && node.limits.as_ref().is_none_or(|it| it.admit(value))
    }

    /// Conclusions from what is known of the node itself.
    pub(super) fn settle(&mut self, id: NodeId) -> Step {
        match &self.node(id).shape {
            Shape::Literal(value) => {
                let value = value.clone();
                if self.admits(id, &value) { Ok(()) } else { Err(Closed) }
            }
            Shape::Open => self.settle_open(id),
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Fun(_) => {
                self.settle_made(id)
            }
        }
    }

    fn settle_open(&mut self, id: NodeId) -> Step {
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

    fn make_cons(&mut self, id: NodeId) -> Step {
        let parts = self.hint(id).as_ref().and_then(Value::uncons);
        let (head, tail) = (self.add(Kinds::ALL), self.add(Kinds::ALL));
        if let Some((first, rest)) = parts {
            self.change(head).hint = Some(first);
            self.change(tail).hint = Some(rest);
        }
        self.change(id).shape = Shape::Cons(head, tail);
        self.settle_made(id)
    }

    fn make_tuple(&mut self, id: NodeId, arity: u32) -> Step {
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

    fn settle_limits(&mut self, id: NodeId) -> Step {
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
                return Err(Closed);
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
            return Err(Closed);
        }
        if kinds != node.kinds {
            self.change(id).kinds = kinds;
        }
        Ok(())
    }

    /// Once a node has parts, what was said of the whole is said of them.
    pub(super) fn settle_made(&mut self, id: NodeId) -> Step {
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
            for value in excluded {
                self.exclude(id, &value)?;
            }
            if let Shape::Tuple(parts) = &self.node(id).shape {
                let n = u32::try_from(parts.len()).unwrap_or(u32::MAX);
                if arity.is_some_and(|it| it != n) || n < min_arity || not_arities.contains(&n) {
                    return Err(Closed);
                }
            }
            if let Shape::Fun(shape) = &self.node(id).shape
                && (limits.fun_arity.is_some_and(|it| it != shape.arity)
                    || limits.not_fun_arities.contains(&shape.arity))
            {
                return Err(Closed);
            }
        }
        if self.node(id).types.is_empty() { Ok(()) } else { self.narrow_types(id) }
    }

    /// The integers that the node may be; nothing is said if it is something else.
    pub(super) fn range(&self, id: NodeId) -> Range {
        let node = self.node(id);
        match &node.shape {
            Shape::Literal(value) => Range::of(&value.term()),
            _ => node.limits.as_ref().map_or(Range::ALL, |it| it.range()),
        }
    }

    pub(super) fn narrow_range(&mut self, id: NodeId, range: Range) -> Step {
        let old = self.range(id);
        let new = old.and(range);
        if new == old {
            return Ok(());
        }
        if new.is_empty() {
            return Err(Closed);
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
        if self.excluded.iter().any(|it| it.is_same(value)) {
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

    /// Whether a number of the kind lies between the bounds.
    fn has_number(&self, kind: Kinds) -> bool {
        if kind == Kinds::INT {
            let range = self.range();
            return !range.is_empty()
                && range
                    .only()
                    .is_none_or(|only| !self.excluded.iter().any(|it| it.is_same(&only)));
        }
        let low = self.low.as_ref().and_then(|it| float_at_least(&it.at.term(), it.is_strict));
        let high = self.high.as_ref().and_then(|it| float_at_most(&it.at.term(), it.is_strict));
        match (low, high) {
            (Some(low), Some(high)) if low == high => {
                !self.excluded.iter().any(|it| it.is_same(&Value::own(Term::Float(low))))
            }
            (Some(low), Some(high)) => low <= high,
            _ => true,
        }
    }

    fn range(&self) -> Range {
        let mut res = Range::ALL;
        if let Some(low) = &self.low {
            res = res.and(Range::from(&low.at.term(), low.is_strict));
        }
        if let Some(high) = &self.high {
            res = res.and(Range::up_to(&high.at.term(), high.is_strict));
        }
        // What is excluded at an end moves the end.
        loop {
            let is_out = |at: Option<Value<'q>>| {
                at.is_some_and(|at| self.excluded.iter().any(|it| it.is_same(&at)))
            };
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
    /// Whether this one, which lies on that side of the other or at it, says at least as much.
    fn implies(&self, other: &Bound<'q>, side: std::cmp::Ordering) -> bool {
        let order = self.at.compare(&other.at);
        order == side || order.is_eq() && (self.is_strict || !other.is_strict)
    }
}
