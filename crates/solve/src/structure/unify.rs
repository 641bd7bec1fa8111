//! Unification of nodes, and constraints that two nodes differ.

use super::state::{Consistency, Contradiction, FunShape, MapShape, Node, NodeId, Shape, State};
use super::value::Value;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use term::{Kinds, Op};

impl<'q> State<'q> {
    pub(super) fn unify(&mut self, a: NodeId, b: NodeId) -> Consistency {
        let (mut a, mut b) = (self.root(a), self.root(b));
        // Iterative along tails, since lists can be long.
        loop {
            if a == b {
                return Ok(());
            }
            match (self.node(a).shape.clone(), self.node(b).shape.clone()) {
                (Shape::Literal(value), _) => return self.bind(b, &value),
                (_, Shape::Literal(value)) => return self.bind(a, &value),
                (Shape::Open, _) => return self.merge(a, b),
                (_, Shape::Open) => return self.merge(b, a),
                (Shape::Cons(head, tail), Shape::Cons(head2, tail2)) => {
                    self.merge(a, b)?;
                    self.unify(head, head2)?;
                    (a, b) = (self.root(tail), self.root(tail2));
                }
                (Shape::Tuple(parts), Shape::Tuple(parts2)) => {
                    if parts.len() != parts2.len() {
                        return Err(Contradiction);
                    }
                    self.merge(a, b)?;
                    return parts
                        .iter()
                        .zip(parts2.iter())
                        .try_for_each(|(a, b)| self.unify(*a, *b));
                }
                (Shape::Map(left), Shape::Map(right)) => {
                    let mut merged = MapShape { entries: right.entries.clone() };
                    let mut pairs = Vec::new();
                    for (key, part) in &left.entries {
                        match merged.entries.iter().find(|it| it.0.is_same(key)) {
                            None => merged.entries.push((key.clone(), *part)),
                            Some((_, Some(other))) => {
                                pairs.push((part.ok_or(Contradiction)?, *other));
                            }
                            Some((_, None)) if part.is_some() => return Err(Contradiction),
                            Some((_, None)) => (),
                        }
                    }
                    self.merge(a, b)?;
                    self.change(b).shape = Shape::Map(Rc::new(merged));
                    return pairs.into_iter().try_for_each(|(a, b)| self.unify(a, b));
                }
                (Shape::Pairs(left), Shape::Pairs(right)) => {
                    if left.len() != right.len() {
                        return Err(Contradiction);
                    }
                    self.merge(a, b)?;
                    for (left, right) in left.iter().zip(right.iter()) {
                        self.unify(left.0, right.0)?;
                        self.unify(left.1, right.1)?;
                    }
                    return Ok(());
                }
                (Shape::Map(entries), Shape::Pairs(_)) => {
                    self.merge(a, b)?;
                    self.look_up_all(b, &entries);
                    return Ok(());
                }
                (Shape::Pairs(_), Shape::Map(entries)) => {
                    self.merge(b, a)?;
                    self.look_up_all(a, &entries);
                    return Ok(());
                }
                (Shape::Fun(left), Shape::Fun(right)) => {
                    if left.arity != right.arity {
                        return Err(Contradiction);
                    }
                    let calls = right.calls.iter().chain(&left.calls).cloned().collect();
                    self.merge(a, b)?;
                    self.change(b).shape =
                        Shape::Fun(Rc::new(FunShape { arity: left.arity, calls }));
                    return Ok(());
                }
                _ => return Err(Contradiction),
            }
        }
    }

    /// Merges a root node into another one, which takes over all its restrictions.
    fn merge(&mut self, from: NodeId, into: NodeId) -> Consistency {
        if self.occurs(from, into) || !self.is_open(from) && self.occurs(into, from) {
            return Err(Contradiction);
        }
        let Node { kinds, limits, types, hint, origin, is_tail, .. } = self.node(from).clone();
        self.link(from, into);
        let node = self.change(into);
        if node.hint.is_none() {
            node.hint = hint;
        }
        if node.origin.is_none() {
            node.origin = origin;
        }
        node.is_tail |= is_tail;
        self.restrict(into, kinds)?;
        if let Some(limits) = limits {
            if let Some(low) = limits.low {
                self.at_least(into, low.at, low.is_strict)?;
            }
            if let Some(high) = limits.high {
                self.at_most(into, high.at, high.is_strict)?;
            }
            for value in limits.excluded.iter() {
                self.exclude(into, value)?;
            }
            for arity in limits.not_arities {
                self.not_arity(into, arity)?;
            }
            if limits.min_arity > 0 {
                self.set_min_arity(into, limits.min_arity)?;
            }
            let ours = self.change_limits(into);
            ours.is_binary = ours.is_binary.or(limits.is_binary);
            ours.bits = ours.bits.or(limits.bits);
            ours.min_bits = ours.min_bits.max(limits.min_bits);
            ours.is_proper = ours.is_proper.or(limits.is_proper);
            ours.arity = ours.arity.or(limits.arity);
            ours.fun_arity = ours.fun_arity.or(limits.fun_arity);
            ours.not_fun_arities.extend(limits.not_fun_arities);
            let differ = ours.is_binary.zip(limits.is_binary).is_some_and(|(a, b)| a != b)
                || ours.bits.zip(limits.bits).is_some_and(|(a, b)| a != b);
            if differ {
                self.restrict(into, Kinds::ALL.without(Kinds::BITS))?;
            }
            let ours = self.change_limits(into);
            if ours.arity.zip(limits.arity).is_some_and(|(a, b)| a != b) {
                self.restrict(into, Kinds::ALL.without(Kinds::TUPLE))?;
            }
            self.settle(into)?;
        }
        types.into_iter().try_for_each(|it| self.add_alternatives(into, it))
    }

    fn is_open(&self, id: NodeId) -> bool {
        matches!(self.node(id).shape, Shape::Open)
    }

    /// The occurs check: whether a node is part of another. No term is part of itself.
    pub(super) fn occurs(&self, part: NodeId, whole: NodeId) -> bool {
        if self.is_open(whole) {
            return false;
        }
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut todo = vec![self.root(whole)];
        while let Some(at) = todo.pop() {
            let mut found = false;
            let mut visit = |it: NodeId| {
                let it = self.root(it);
                found |= it == part;
                if !matches!(self.node(it).shape, Shape::Open | Shape::Literal(_))
                    && seen.insert(it)
                {
                    todo.push(it);
                }
            };
            match &self.node(at).shape {
                Shape::Cons(head, tail) => {
                    visit(*head);
                    visit(*tail);
                }
                Shape::Tuple(parts) => parts.iter().for_each(|it| visit(*it)),
                Shape::Map(shape) => shape.entries.iter().filter_map(|it| it.1).for_each(visit),
                Shape::Pairs(pairs) => {
                    pairs.iter().flat_map(|it| [it.0, it.1]).for_each(visit);
                }
                Shape::Fun(shape) => {
                    shape
                        .calls
                        .iter()
                        .flat_map(|it| it.0.iter().chain([&it.1]))
                        .for_each(|it| visit(*it));
                }
                Shape::Open | Shape::Literal(_) => (),
            }
            if found {
                return true;
            }
        }
        false
    }

    /// Whether two nodes may be equal; an over-approximation.
    pub(super) fn may_be_same(&self, a: NodeId, b: NodeId) -> bool {
        if self.is_same_node(a, b) {
            return true;
        }
        if !self.kinds(a).has(self.kinds(b)) {
            return false;
        }
        match (&self.node(a).shape, &self.node(b).shape) {
            (Shape::Literal(value), _) => self.may_be_literal(b, value),
            (_, Shape::Literal(value)) => self.may_be_literal(a, value),
            (Shape::Cons(head, tail), Shape::Cons(head2, tail2)) => {
                self.may_be_same(*head, *head2) && self.may_be_same(*tail, *tail2)
            }
            (Shape::Tuple(left), Shape::Tuple(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right.iter()).all(|(a, b)| self.may_be_same(*a, *b))
            }
            _ => {
                let both_int = Kinds::INT;
                self.kinds(a) != both_int
                    || self.kinds(b) != both_int
                    || !self.range(a).and(self.range(b)).is_empty()
            }
        }
    }

    pub(super) fn may_be_literal(&self, id: NodeId, value: &Value<'q>) -> bool {
        match &self.node(id).shape {
            Shape::Literal(known) => known.is_same(value),
            Shape::Open => self.admits(id, value),
            Shape::Cons(head, tail) => value.uncons().is_some_and(|(first, rest)| {
                self.may_be_literal(*head, &first) && self.may_be_literal(*tail, &rest)
            }),
            Shape::Tuple(parts) => value.elements().is_some_and(|items| {
                items.len() == parts.len()
                    && parts.iter().zip(&items).all(|(it, item)| self.may_be_literal(*it, item))
            }),
            Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => self.kinds(id).has(value.kinds()),
        }
    }

    /// Requires that two nodes differ. Returns `true` if the constraint is settled and can be dropped.
    pub(super) fn not_same(&mut self, a: NodeId, b: NodeId) -> Result<bool, Contradiction> {
        if self.is_same_node(a, b) {
            return Err(Contradiction);
        }
        if !self.may_be_same(a, b) {
            return Ok(true);
        }
        if let (Some(left), Some(right)) = (self.ground(a), self.ground(b)) {
            return if left.is_same(&right) { Err(Contradiction) } else { Ok(true) };
        }
        let is_open = |it: NodeId| matches!(self.node(it).shape, Shape::Open);
        if is_open(b)
            && let Some(value) = self.ground(a)
        {
            return self.exclude(b, &value).map(|()| true);
        }
        if is_open(a)
            && let Some(value) = self.ground(b)
        {
            return self.exclude(a, &value).map(|()| true);
        }
        let parts = self.parts_of_both(a, b)?;
        let Some(parts) = parts else { return Ok(false) };
        self.differ_in_one(Op::Same, parts);
        Ok(true)
    }

    /// Returns the pairs of parts if both nodes are cells, or tuples of the same arity.
    pub(super) fn parts_of_both(
        &mut self,
        a: NodeId,
        b: NodeId,
    ) -> Result<Option<Vec<(NodeId, NodeId)>>, Contradiction> {
        let is_cell = |it: NodeId| self.kinds(it) == Kinds::CONS;
        if is_cell(a) && is_cell(b) {
            let ((head, tail), (head2, tail2)) = (self.cons(a)?, self.cons(b)?);
            return Ok(Some(vec![(head, head2), (tail, tail2)]));
        }
        if let (Some(left), Some(right)) = (self.known_arity(a), self.known_arity(b))
            && left == right
        {
            let (left, right) = (self.tuple(a)?, self.tuple(b)?);
            return Ok(Some(left.iter().copied().zip(right.iter().copied()).collect()));
        }
        Ok(None)
    }

    pub(super) fn known_arity(&self, id: NodeId) -> Option<u32> {
        match &self.node(id).shape {
            Shape::Tuple(parts) => u32::try_from(parts.len()).ok(),
            Shape::Literal(value) => value.arity(),
            Shape::Open | Shape::Cons(..) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => None,
        }
    }

    /// Requires that at least one of the pairs is unequal by the operator.
    pub(super) fn differ_in_one(&mut self, op: Op, pairs: Vec<(NodeId, NodeId)>) {
        let pairs = pairs.into_iter().filter(|it| !self.is_same_node(it.0, it.1));
        let facts: Vec<_> =
            pairs.map(|(a, b)| vec![super::facts::fact(op, &[a, b], false)]).collect();
        self.either(facts);
    }
}
