//! Nodes defined by an operator: evaluated once the operands are known, and propagated backwards where the operator can
//! be inverted.

use super::range::Range;
use super::state::{Contradiction, NodeId, Pending, Shape, State};
use super::value::Value;
use std::rc::Rc;
use term::{Kind, Kinds, Op, Term};

impl<'q> State<'q> {
    /// Returns a node for the operator applied to other nodes.
    pub(super) fn define(&mut self, op: Op, args: &[NodeId]) -> Result<NodeId, Contradiction> {
        match (op, args) {
            (Op::Head, [of]) => return self.cons(*of).map(|it| it.0),
            (Op::Tail, [of]) => return self.cons(*of).map(|it| it.1),
            (Op::Cons, [head, tail]) => {
                return Ok(self.add_shape(Kinds::CONS, Shape::Cons(*head, *tail)));
            }
            (Op::Tuple, parts) => {
                return Ok(self.add_shape(Kinds::TUPLE, Shape::Tuple(parts.into())));
            }
            (Op::Element(place), [of]) => {
                self.restrict(*of, Kinds::TUPLE)?;
                self.set_min_arity(*of, place + 1)?;
                if self.known_arity(*of).is_some() {
                    return self.tuple(*of)?.get(place as usize).copied().ok_or(Contradiction);
                }
            }
            // `Converts` (whether a text has a number) and `Convert` (the number) are separate expressions of the
            // query; they share one node.
            (Op::Convert(_), [of]) => {
                if let Some(known) = self.defined(op, *of) {
                    return Ok(known);
                }
            }
            _ => (),
        }
        let node = self.add(op.result_kinds());
        let args: Rc<[NodeId]> = args.into();
        self.change(node).origin = Some((op, Rc::clone(&args)));
        if op.is_test() {
            self.add_alternatives(node, self.typing.booleans())?;
        }
        self.narrow_operands(op, &args)?;
        if matches!(op, Op::Length | Op::TupleSize | Op::MapSize | Op::BitSize) {
            self.narrow_range(node, Range::new(0, i128::MAX))?;
        }
        if !self.examine_define(node, op, &args)? {
            self.push(Pending::Define(node, op, args));
        }
        Ok(node)
    }

    /// Returns the node that is defined by the same conversion already.
    fn defined(&self, op: Op, of: NodeId) -> Option<NodeId> {
        self.pending.iter().find_map(|it| match it {
            Pending::Define(node, other, args)
                if *other == op && args.first().is_some_and(|it| self.is_same_node(*it, of)) =>
            {
                Some(*node)
            }
            Pending::Define(..)
            | Pending::Fact(_)
            | Pending::Either(_)
            | Pending::Typed(_)
            | Pending::Done => None,
        })
    }

    /// Propagates a definition. Returns `true` if it is settled and can be dropped.
    pub(super) fn examine_define(
        &mut self,
        node: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        if let Some(terms) = self.ground_args(args) {
            let found =
                term::apply(op, &terms.iter().collect::<Vec<&Term>>()).ok_or(Contradiction)?;
            return self.bind(node, &Value::own(found)).map(|()| true);
        }
        if op.is_test() {
            return self.examine_test(node, op, args);
        }
        match (op, args) {
            (Op::Element(place), [of]) => {
                self.restrict(*of, Kinds::TUPLE)?;
                self.set_min_arity(*of, place + 1)?;
                if self.known_arity(*of).is_none() {
                    return Ok(false);
                }
                let part = self.tuple(*of)?.get(place as usize).copied().ok_or(Contradiction)?;
                self.unify(node, part).map(|()| true)
            }
            (Op::Length, [of]) => self.has_length(node, *of),
            (Op::TupleSize, [of]) => self.has_arity(node, *of),
            (Op::Convert(conversion), [of]) => self.examine_convert(node, conversion, *of),
            (Op::Get | Op::Key(_) | Op::Put | Op::Remove | Op::MapSize, args) => {
                self.examine_map(node, op, args)
            }
            (Op::Call, [fun, args @ ..]) => self.examine_call(node, *fun, args),
            (
                Op::Slice
                | Op::BitSize
                | Op::BitsToInteger { .. }
                | Op::IntegerToBits { .. }
                | Op::Concat,
                args,
            ) => self.examine_bits(node, op, args),
            (op, args) => self.examine_number(node, op, args),
        }
    }

    fn ground_args(&self, args: &[NodeId]) -> Option<Vec<Term>> {
        // Most operands are not known, so the cheap test comes first.
        if args.iter().any(|it| matches!(self.node(*it).shape, Shape::Open)) {
            return None;
        }
        args.iter().map(|it| Some(self.ground(*it)?.term().into_owned())).collect()
    }

    fn examine_test(
        &mut self,
        node: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        if let Some(value) = self.known(node) {
            let holds = value.is_same(&Value::truth(true));
            self.require(op, args, holds)?;
            return Ok(true);
        }
        match self.decided(op, args) {
            Some(found) => self.bind(node, &Value::truth(found)).map(|()| true),
            None => Ok(false),
        }
    }

    /// Restricts the operands to the kinds for which the operator is defined.
    pub(super) fn narrow_operands(&mut self, op: Op, args: &[NodeId]) -> Result<(), Contradiction> {
        let kinds: &[Kinds] = match op {
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Power | Op::Modulo => {
                &[Kinds::NUMBER, Kinds::NUMBER]
            }
            Op::Quotient
            | Op::Remainder
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor
            | Op::ShiftLeft
            | Op::ShiftRight
            | Op::IntegerToBits { .. } => &[Kinds::INT, Kinds::INT],
            Op::BitNot => &[Kinds::INT],
            Op::Negate
            | Op::Absolute
            | Op::ToFloat
            | Op::Truncate
            | Op::Round
            | Op::Floor
            | Op::Ceiling
            | Op::SquareRoot
            | Op::Exponential
            | Op::Logarithm
            | Op::BinaryLogarithm
            | Op::DecimalLogarithm
            | Op::Sine
            | Op::Cosine
            | Op::Tangent
            | Op::WholeBelow
            | Op::WholeAbove => &[Kinds::NUMBER],
            Op::Length => &[Kinds::LIST],
            Op::Head | Op::Tail => &[Kinds::CONS],
            Op::TupleSize | Op::Element(_) => &[Kinds::TUPLE],
            Op::MapSize | Op::Key(_) => &[Kinds::MAP],
            Op::BitSize | Op::BitsToInteger { .. } => &[Kinds::BITS],
            Op::Get | Op::Remove | Op::HasKey => &[Kinds::ALL, Kinds::MAP],
            Op::Put => &[Kinds::ALL, Kinds::ALL, Kinds::MAP],
            Op::Slice => &[Kinds::BITS, Kinds::INT, Kinds::INT],
            Op::Call => &[Kinds::FUN],
            Op::And | Op::Or | Op::Not => {
                return args.iter().try_for_each(|it| self.is_kind(*it, Kind::Boolean, true));
            }
            Op::Concat => {
                return args.iter().try_for_each(|it| self.restrict(*it, Kinds::BITS));
            }
            Op::Cons
            | Op::Tuple
            | Op::Convert(_)
            | Op::IsKind(_)
            | Op::IsTuple(_)
            | Op::IsFunction(_)
            | Op::IsProper
            | Op::Converts(_)
            | Op::Same
            | Op::Equal
            | Op::Less
            | Op::LessEqual => &[],
        };
        args.iter().zip(kinds).try_for_each(|(it, kinds)| self.restrict(*it, *kinds))
    }

    fn has_length(&mut self, node: NodeId, list: NodeId) -> Result<bool, Contradiction> {
        let mut n_cells: i64 = 0;
        let mut at = list;
        loop {
            self.restrict(at, Kinds::LIST)?;
            match self.node(at).shape.clone() {
                Shape::Cons(_, tail) => {
                    n_cells += 1;
                    at = tail;
                }
                Shape::Literal(value) => {
                    let rest = value.term().as_list().ok_or(Contradiction)?.len();
                    let rest = i64::try_from(rest).map_err(|_| Contradiction)?;
                    return self.bind_int(node, n_cells + rest).map(|()| true);
                }
                Shape::Open => break,
                Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => {
                    return Err(Contradiction);
                }
            }
        }
        let is_cell = !self.kinds(at).has(Kinds::NIL);
        let low = i128::from(n_cells) + i128::from(is_cell);
        self.narrow_range(node, Range::new(low, i128::MAX))?;
        let range = self.range(node);
        if range.high == i128::from(n_cells) {
            self.restrict(at, Kinds::NIL)?;
        } else if range.low > i128::from(n_cells) && range.low < MAX_CELLS {
            let mut end = at;
            for _ in i128::from(n_cells)..range.low {
                end = self.cons(end)?.1;
            }
        }
        // What was learned is propagated in the next round.
        Ok(false)
    }

    fn has_arity(&mut self, node: NodeId, tuple: NodeId) -> Result<bool, Contradiction> {
        self.restrict(tuple, Kinds::TUPLE)?;
        if let Some(arity) = self.known_arity(tuple) {
            return self.bind_int(node, i64::from(arity)).map(|()| true);
        }
        if let Some(arity) = self.known_int(node) {
            let arity = u32::try_from(arity).map_err(|_| Contradiction)?;
            return self.set_arity(tuple, arity).map(|()| true);
        }
        let min = self.node(tuple).limits.as_ref().map_or(0, |it| it.min_arity);
        self.narrow_range(node, Range::new(i128::from(min), i128::MAX))?;
        let low = u32::try_from(self.range(node).low).unwrap_or(0);
        self.set_min_arity(tuple, low)?;
        Ok(false)
    }
}

/// Longer lists are not built of cell nodes.
const MAX_CELLS: i128 = 10_000;
