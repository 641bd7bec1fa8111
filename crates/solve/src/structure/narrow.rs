//! Operations that narrow a node: its kinds, value, bounds and sizes.

#![expect(clippy::wildcard_enum_match_arm, reason = "other shapes are not narrowed this way")]

use super::state::{Bound, Consistency, Contradiction, NodeId, Shape, State};
use super::value::Value;
use std::rc::Rc;
use term::{Kind, Kinds, Op, Term};

impl<'q> State<'q> {
    pub(super) fn restrict(&mut self, id: NodeId, kinds: Kinds) -> Consistency {
        let old = self.kinds(id);
        let new = old.and(kinds);
        if new == old {
            return Ok(());
        }
        if new.is_empty() {
            return Err(Contradiction);
        }
        self.change(id).kinds = new;
        self.settle(id)
    }

    /// Requires that the node is this term.
    pub(super) fn bind(&mut self, id: NodeId, value: &Value<'q>) -> Consistency {
        let (mut id, mut value) = (id, value.clone());
        loop {
            match self.node(id).shape.clone() {
                Shape::Literal(known) => {
                    return if known.is_same(&value) { Ok(()) } else { Err(Contradiction) };
                }
                Shape::Cons(head, tail) => {
                    let (first, rest) = value.uncons().ok_or(Contradiction)?;
                    self.bind(head, &first)?;
                    (id, value) = (tail, rest);
                }
                Shape::Tuple(parts) => {
                    let items = value.elements().ok_or(Contradiction)?;
                    if items.len() != parts.len() {
                        return Err(Contradiction);
                    }
                    return parts
                        .iter()
                        .zip(items)
                        .try_for_each(|(it, item)| self.bind(*it, &item));
                }
                Shape::Map(shape) => {
                    if !self.admits(id, &value) {
                        return Err(Contradiction);
                    }
                    let term = value.term().into_owned();
                    self.change(id).shape = Shape::Literal(value);
                    for (key, part) in &shape.entries {
                        let found = term::apply(Op::Get, &[&key.term(), &term]);
                        match (found, part) {
                            (Some(found), Some(part)) => self.bind(*part, &Value::own(found))?,
                            (None, None) => (),
                            (Some(_), None) | (None, Some(_)) => return Err(Contradiction),
                        }
                    }
                    return Ok(());
                }
                Shape::Pairs(pairs) => {
                    let term = value.term();
                    let Term::Map(found) = &*term else { return Err(Contradiction) };
                    if found.len() != pairs.len() {
                        return Err(Contradiction);
                    }
                    for ((key, part), found) in pairs.iter().zip(found) {
                        self.bind(*key, &Value::own(found.0.clone()))?;
                        self.bind(*part, &Value::own(found.1.clone()))?;
                    }
                    return Ok(());
                }
                Shape::Fun(shape) => {
                    if !self.admits(id, &value) {
                        return Err(Contradiction);
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
                        return Err(Contradiction);
                    }
                    let node = self.change(id);
                    node.kinds = value.kinds();
                    node.shape = Shape::Literal(value);
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn bind_int(&mut self, id: NodeId, value: i64) -> Consistency {
        if let Some(known) = self.known_int(id) {
            return if known == value { Ok(()) } else { Err(Contradiction) };
        }
        self.bind(id, &Value::own(Term::Int(value)))
    }

    /// Requires that the node is not this term.
    pub(super) fn exclude(&mut self, id: NodeId, value: &Value<'q>) -> Consistency {
        let node = self.node(id);
        if !node.kinds.has(value.kinds()) {
            return Ok(());
        }
        match &node.shape {
            Shape::Literal(known) => {
                if known.is_same(value) {
                    Err(Contradiction)
                } else {
                    Ok(())
                }
            }
            Shape::Open => {
                if node.limits.as_ref().is_some_and(|it| it.excluded.has(value)) {
                    return Ok(());
                }
                self.change_limits(id).excluded.add(value);
                if matches!(*value.term(), Term::Nil) {
                    self.restrict(id, Kinds::ALL.without(Kinds::NIL))?;
                }
                self.settle(id)
            }
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => {
                let literal = self.literal(value.clone());
                self.push_fact(Op::Same, &[id, literal], false);
                Ok(())
            }
        }
    }

    /// Sets a lower bound in the order of terms.
    pub(super) fn at_least(&mut self, id: NodeId, at: Value<'q>, is_strict: bool) -> Consistency {
        let bound = Bound { at, is_strict };
        let old = self.node(id).limits.as_ref().and_then(|it| it.low.as_ref());
        if old.is_some_and(|it| it.implies(&bound, std::cmp::Ordering::Greater)) {
            return Ok(());
        }
        self.change_limits(id).low = Some(bound);
        self.settle(id)
    }

    pub(super) fn at_most(&mut self, id: NodeId, at: Value<'q>, is_strict: bool) -> Consistency {
        let bound = Bound { at, is_strict };
        let old = self.node(id).limits.as_ref().and_then(|it| it.high.as_ref());
        if old.is_some_and(|it| it.implies(&bound, std::cmp::Ordering::Less)) {
            return Ok(());
        }
        self.change_limits(id).high = Some(bound);
        self.settle(id)
    }

    pub(super) fn is_kind(&mut self, id: NodeId, kind: Kind, holds: bool) -> Consistency {
        let kinds = Kinds::of(kind);
        match (kind, holds) {
            (Kind::Boolean, true) => {
                self.restrict(id, Kinds::ATOM)?;
                // A known atom between `false` and `true` in the order of terms needs this test.
                if let Some(value) = self.known(id) {
                    let is = kind.has(&value.term());
                    return if is { Ok(()) } else { Err(Contradiction) };
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
                    return if is == holds { Ok(()) } else { Err(Contradiction) };
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

    pub(super) fn set_arity(&mut self, id: NodeId, arity: u32) -> Consistency {
        self.restrict(id, Kinds::TUPLE)?;
        match &self.node(id).shape {
            Shape::Literal(value) => {
                if value.arity() == Some(arity) {
                    Ok(())
                } else {
                    Err(Contradiction)
                }
            }
            Shape::Tuple(parts) => {
                if parts.len() == arity as usize {
                    Ok(())
                } else {
                    Err(Contradiction)
                }
            }
            Shape::Open => {
                match self.node(id).limits.as_ref().and_then(|it| it.arity) {
                    Some(known) if known == arity => return Ok(()),
                    Some(_) => return Err(Contradiction),
                    None => self.change_limits(id).arity = Some(arity),
                }
                self.settle(id)
            }
            Shape::Cons(..) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => Err(Contradiction),
        }
    }

    /// Requires at least this many elements if the node is a tuple.
    pub(super) fn set_min_arity(&mut self, id: NodeId, arity: u32) -> Consistency {
        match &self.node(id).shape {
            Shape::Literal(value) if value.arity().is_some_and(|it| it < arity) => {
                Err(Contradiction)
            }
            Shape::Tuple(parts) if parts.len() < arity as usize => Err(Contradiction),
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

    pub(super) fn not_arity(&mut self, id: NodeId, arity: u32) -> Consistency {
        match &self.node(id).shape {
            Shape::Literal(value) if value.arity() == Some(arity) => Err(Contradiction),
            Shape::Tuple(parts) if parts.len() == arity as usize => Err(Contradiction),
            Shape::Open if self.kinds(id).has(Kinds::TUPLE) => {
                self.change_limits(id).not_arities.push(arity);
                self.settle(id)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn set_fun_arity(&mut self, id: NodeId, arity: u8) -> Consistency {
        self.restrict(id, Kinds::FUN)?;
        match &self.node(id).shape {
            Shape::Literal(value) => {
                let is = matches!(&*value.term(), Term::Fun(fun) if fun.arity() == arity);
                if is { Ok(()) } else { Err(Contradiction) }
            }
            Shape::Fun(shape) => {
                if shape.arity == arity {
                    Ok(())
                } else {
                    Err(Contradiction)
                }
            }
            _ => {
                if let Some(limits) = self.node(id).limits.as_deref() {
                    if limits.fun_arity.is_some_and(|it| it != arity)
                        || limits.not_fun_arities.contains(&arity)
                    {
                        return Err(Contradiction);
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

    /// Returns head and tail of the node, which must be a list cell.
    pub(super) fn cons(&mut self, id: NodeId) -> Result<(NodeId, NodeId), Contradiction> {
        self.restrict(id, Kinds::CONS)?;
        match self.node(id).shape.clone() {
            Shape::Cons(head, tail) => Ok((head, tail)),
            Shape::Literal(value) => {
                let (first, rest) = value.uncons().ok_or(Contradiction)?;
                let (head, tail) = (self.literal(first), self.literal(rest));
                self.change(id).shape = Shape::Cons(head, tail);
                Ok((head, tail))
            }
            Shape::Open => {
                self.make_cons(id)?;
                self.cons(id)
            }
            Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => Err(Contradiction),
        }
    }

    /// Returns the elements of the node, which must be a tuple of known arity.
    pub(super) fn tuple(&mut self, id: NodeId) -> Result<Rc<[NodeId]>, Contradiction> {
        match self.node(id).shape.clone() {
            Shape::Tuple(parts) => Ok(parts),
            Shape::Literal(value) => {
                let items = value.elements().ok_or(Contradiction)?;
                let parts: Rc<[NodeId]> = items.into_iter().map(|it| self.literal(it)).collect();
                self.change(id).shape = Shape::Tuple(Rc::clone(&parts));
                Ok(parts)
            }
            Shape::Open => {
                let limits = self.node(id).limits.as_ref();
                let arity = limits.and_then(|it| it.arity).ok_or(Contradiction)?;
                self.make_tuple(id, arity)?;
                self.tuple(id)
            }
            Shape::Cons(..) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => Err(Contradiction),
        }
    }

    /// Whether the node's own limits and types admit this term.
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
}
