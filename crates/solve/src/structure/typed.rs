//! Propagation between a node and its types.

#![expect(clippy::wildcard_enum_match_arm, reason = "other pairs do not narrow each other")]

use super::state::{Consistency, Contradiction, NodeId, Pending, Shape, State};
use super::typing::{Alt, Typed, Typing};
use super::value::Value;
use num_bigint::BigInt;
use std::rc::Rc;
use term::fit_u32;
use term::{Kind, Kinds, Term, is_bit_size};

impl<'q> State<'q> {
    pub(super) fn add_type(&mut self, id: NodeId, of: Typed) -> Consistency {
        let alternatives = self.typing.alternatives(of);
        self.add_alternatives(id, alternatives)
    }

    pub(super) fn add_alternatives(&mut self, id: NodeId, alts: Rc<[Alt<'q>]>) -> Consistency {
        if matches!(*alts, [Alt::Any]) {
            return Ok(());
        }
        self.change(id).types.push(alts);
        self.settle(id)
    }

    /// Removes the alternatives that the node cannot be, and transfers what the remaining ones imply to the node.
    pub(super) fn narrow_types(&mut self, id: NodeId) -> Consistency {
        let mut n = 0;
        while let Some(alts) = self.node(id).types.get(n).cloned() {
            let is_possible = |it: &Alt<'q>| self.may_be(id, it, LOOK_AHEAD);
            let left: Vec<Alt<'q>> = alts.iter().filter(|it| is_possible(it)).copied().collect();
            let kinds = left.iter().fold(Kinds::NONE, |sum, it| sum.or(it.kinds()));
            let narrowed = self.kinds(id).and(kinds);
            if narrowed.is_empty() {
                return Err(Contradiction);
            }
            if narrowed != self.kinds(id) {
                self.change(id).kinds = narrowed;
            }
            if let [alt] = *left
                && !matches!(alt, Alt::Map(_) | Alt::Bits { .. } | Alt::Fun { .. })
            {
                self.change(id).types.remove(n);
                self.take_over(id, &alt)?;
                continue;
            }
            if let [alt] = *left {
                self.take_size(id, &alt)?;
            }
            if left.len() < alts.len()
                && let Some(slot) = self.change(id).types.get_mut(n)
            {
                *slot = left.into();
            }
            n += 1;
        }
        let node = self.node(id);
        let is_made = matches!(node.shape, Shape::Cons(..) | Shape::Tuple(_));
        if is_made && !node.types.is_empty() && !node.is_typed {
            self.change(id).is_typed = true;
            self.narrow_parts(id)?;
            self.push(Pending::Typed(id));
        }
        Ok(())
    }

    /// Propagates the node's types. Returns `true` if no alternative is left to choose.
    pub(super) fn examine_types(&mut self, id: NodeId) -> Result<bool, Contradiction> {
        self.narrow_types(id)?;
        let node = self.node(id);
        Ok(node.types.is_empty() || !matches!(node.shape, Shape::Cons(..) | Shape::Tuple(_)))
    }

    /// Whether the node may be a term of this alternative; looks at `left` levels of parts.
    pub(super) fn may_be(&self, id: NodeId, alt: &Alt<'q>, left: usize) -> bool {
        let node = self.node(id);
        if !node.kinds.has(alt.kinds()) {
            return false;
        }
        let limits = node.limits.as_deref();
        match (&node.shape, alt) {
            (Shape::Literal(value), _) => self.typing.has(alt, &value.term()),
            (Shape::Cons(head, tail), Alt::Cons { item, tail: end }) => {
                let rest = Typed::Rest { item: *item, tail: *end };
                self.may_be_any(*head, Typed::Id(*item), left) && self.may_be_any(*tail, rest, left)
            }
            (Shape::Tuple(nodes), Alt::Tuple(parts)) => {
                let mut pairs = nodes.iter().zip(*parts);
                nodes.len() == parts.len()
                    && pairs.all(|(it, part)| self.may_be_any(*it, Typed::Id(*part), left))
            }
            (Shape::Open, Alt::Tuple(parts)) => limits.is_none_or(|it| {
                let arity = fit_u32(parts.len());
                it.arity.is_none_or(|it| it == arity)
                    && it.min_arity <= arity
                    && !it.not_arities.contains(&arity)
            }),
            (Shape::Open, Alt::Fun { args: Some(args), .. }) => limits.is_none_or(|it| {
                let arity = u8::try_from(args.len()).unwrap_or(u8::MAX);
                it.fun_arity.is_none_or(|it| it == arity) && !it.not_fun_arities.contains(&arity)
            }),
            (Shape::Open, Alt::Bits { base, unit }) => {
                let bits = limits.and_then(|it| it.bits);
                bits.is_none_or(|it| is_bit_size(it, *base, *unit))
            }
            (Shape::Open, Alt::Literal(term)) => self.admits_limits(id, &Value::Ref(term)),
            (Shape::Cons(..) | Shape::Tuple(_), Alt::Literal(term)) => {
                self.may_be_literal(id, &Value::Ref(term))
            }
            _ => true,
        }
    }

    fn may_be_any(&self, id: NodeId, of: Typed, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return true };
        self.typing.alternatives(of).iter().any(|it| self.may_be(id, it, left))
    }

    /// Transfers everything that the only remaining alternative implies to the node.
    fn take_over(&mut self, id: NodeId, alt: &Alt<'q>) -> Consistency {
        if matches!(self.node(id).shape, Shape::Literal(_)) {
            return Ok(());
        }
        match alt {
            Alt::Any => (),
            Alt::Kind(kind) => self.is_kind(id, *kind, true)?,
            Alt::Literal(term) => self.bind(id, &Value::Ref(term))?,
            Alt::Range(low, high) => {
                let bound = |it: &BigInt| Value::own(Term::integer(it.clone()));
                self.restrict(id, Kinds::INT)?;
                if let Some(low) = low {
                    self.at_least(id, bound(low), false)?;
                }
                if let Some(high) = high {
                    self.at_most(id, bound(high), false)?;
                }
            }
            Alt::Cons { item, tail } => {
                self.restrict(id, Kinds::CONS)?;
                let (head, rest) = self.cons(id)?;
                self.add_type(head, Typed::Id(*item))?;
                self.add_type(rest, Typed::Rest { item: *item, tail: *tail })?;
            }
            Alt::Tuple(parts) => {
                self.set_arity(id, u32::try_from(parts.len()).map_err(|_| Contradiction)?)?;
                let nodes = self.tuple(id)?;
                for (node, part) in nodes.iter().zip(*parts) {
                    self.add_type(*node, Typed::Id(*part))?;
                }
            }
            Alt::Fun { .. } | Alt::Map(_) | Alt::Bits { .. } => (),
        }
        Ok(())
    }

    /// Whether the node's types imply that it is a proper list if it is a list.
    pub(super) fn is_always_proper(&self, id: NodeId) -> bool {
        let is_nil = |it: &Alt<'q>| matches!(it, Alt::Literal(Term::Nil) | Alt::Kind(Kind::Nil));
        let is_proper = |it: &Alt<'q>| match it {
            Alt::Cons { tail, .. } => self.typing.alternatives(Typed::Id(*tail)).iter().all(is_nil),
            Alt::Literal(term) => !matches!(term, Term::List(_)) || term.as_list().is_some(),
            _ => !it.kinds().has(Kinds::CONS),
        };
        self.node(id).types.iter().any(|alts| alts.iter().all(is_proper))
    }

    /// Transfers the size that the only remaining alternative implies; the alternative itself is kept.
    fn take_size(&mut self, id: NodeId, alt: &Alt<'q>) -> Consistency {
        if !matches!(self.node(id).shape, Shape::Open) {
            return Ok(());
        }
        let limits = self.node(id).limits.as_deref();
        match alt {
            Alt::Fun { args: Some(args), .. } if limits.is_none_or(|it| it.fun_arity.is_none()) => {
                self.set_fun_arity(id, u8::try_from(args.len()).map_err(|_| Contradiction)?)
            }
            Alt::Bits { base, unit: 0 } => self.set_bits(id, *base),
            Alt::Bits { base, unit } => {
                if base.is_multiple_of(8)
                    && unit.is_multiple_of(8)
                    && limits.is_none_or(|it| it.is_binary.is_none())
                {
                    self.is_kind(id, Kind::Binary, true)?;
                }
                self.set_min_bits(id, *base)
            }
            _ => Ok(()),
        }
    }

    /// Restricts each part to the kinds that it has in some alternative.
    fn narrow_parts(&mut self, id: NodeId) -> Consistency {
        let Some(alts) = self.node(id).types.last().cloned() else { return Ok(()) };
        let kinds = |typing: &Typing<'q>, of: Typed| {
            typing.alternatives(of).iter().fold(Kinds::NONE, |sum, it| sum.or(it.kinds()))
        };
        match self.node(id).shape.clone() {
            Shape::Cons(head, tail) => {
                let mut sums = (Kinds::NONE, Kinds::NONE);
                for alt in alts.iter() {
                    match alt {
                        Alt::Cons { item, tail } => {
                            let rest = Typed::Rest { item: *item, tail: *tail };
                            sums.0 = sums.0.or(kinds(self.typing, Typed::Id(*item)));
                            sums.1 = sums.1.or(kinds(self.typing, rest));
                        }
                        _ => return Ok(()),
                    }
                }
                self.restrict(head, sums.0)?;
                self.restrict(tail, sums.1)
            }
            Shape::Tuple(nodes) => {
                let mut sums = vec![Kinds::NONE; nodes.len()];
                for alt in alts.iter() {
                    let Alt::Tuple(parts) = alt else { return Ok(()) };
                    for (sum, part) in sums.iter_mut().zip(*parts) {
                        *sum = sum.or(kinds(self.typing, Typed::Id(*part)));
                    }
                }
                nodes.iter().zip(sums).try_for_each(|(it, sum)| self.restrict(*it, sum))
            }
            _ => Ok(()),
        }
    }
}

/// To which depth alternatives are compared with what is known of a node.
const LOOK_AHEAD: usize = 3;
