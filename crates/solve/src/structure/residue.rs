//! The residue: the pending constraints about numbers, as a problem for a numeric solver.

use super::state::{Fact, NodeId, Pending, State};
use crate::numbers::{Number, Problem, Row, Unknown, UnknownId};
use term::{Kinds, Op};

/// A numeric problem, and the node of each unknown.
pub(super) struct Residue {
    pub(super) problem: Problem,
    pub(super) nodes: Vec<NodeId>,
    /// A node for which integer or float is not decided.
    pub(super) undecided: Option<NodeId>,
}

impl<'q> State<'q> {
    /// Returns the pending numeric constraints; `None` if there are none.
    pub(super) fn residue(&self) -> Option<Residue> {
        let mut res = Residue { problem: Problem::default(), nodes: Vec::new(), undecided: None };
        for pending in &self.pending {
            match pending {
                Pending::Define(node, op, args) if is_arithmetic(*op) => {
                    let result = self.number(*node, &mut res);
                    let args: Option<Vec<Number>> =
                        args.iter().map(|it| self.number(*it, &mut res)).collect();
                    if let (Some(result), Some(args)) = (result, args) {
                        res.problem.rows.push(Row::Is(result, *op, args));
                    }
                }
                Pending::Fact(Fact {
                    op: op @ (Op::Same | Op::Equal | Op::Less | Op::LessEqual),
                    args,
                    holds,
                }) => {
                    let [a, b] = **args else { continue };
                    if let (Some(a), Some(b)) = (self.number(a, &mut res), self.number(b, &mut res))
                    {
                        res.problem.rows.push(Row::Holds(*op, [a, b], *holds));
                    }
                }
                Pending::Fact(_)
                | Pending::Define(..)
                | Pending::Either(_)
                | Pending::Typed(_)
                | Pending::Done => (),
            }
        }
        (!res.problem.rows.is_empty() && !res.nodes.is_empty()).then_some(res)
    }

    fn number(&self, id: NodeId, res: &mut Residue) -> Option<Number> {
        let node = self.node(id);
        if !node.kinds.is_within(Kinds::NUMBER) {
            return None;
        }
        if let Some(value) = self.known(id) {
            return Some(Number::Known(value.term().into_owned()));
        }
        let root = self.root(id);
        if let Some(place) = res.nodes.iter().position(|it| *it == root) {
            return Some(Number::Unknown(UnknownId(place)));
        }
        if !node.kinds.is_one() {
            res.undecided = Some(root);
        }
        let limits = node.limits.as_deref();
        let term = |it: &super::value::Value<'q>| it.term().into_owned();
        res.nodes.push(root);
        res.problem.unknowns.push(Unknown {
            is_float: node.kinds == Kinds::FLOAT,
            low: limits.and_then(|it| it.low.as_ref()).map(|it| (term(&it.at), it.is_strict)),
            high: limits.and_then(|it| it.high.as_ref()).map(|it| (term(&it.at), it.is_strict)),
            excluded: limits.map(|it| it.excluded.iter().map(term).collect()).unwrap_or_default(),
            hint: self.hint(id).map(|it| it.term().into_owned()),
        });
        Some(Number::Unknown(UnknownId(res.nodes.len() - 1)))
    }
}

pub(super) fn is_arithmetic(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::Quotient
            | Op::Remainder
            | Op::Negate
            | Op::Absolute
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor
            | Op::BitNot
            | Op::ShiftLeft
            | Op::ShiftRight
            | Op::ToFloat
            | Op::Truncate
            | Op::Round
            | Op::Floor
            | Op::Ceiling
    )
}
