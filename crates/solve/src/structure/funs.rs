//! Functions that are part of the input: what they returned when they were called.

use super::facts::fact;
use super::state::{Closed, FunShape, NodeId, Shape, State};
use super::typing::{Alt, Typed};
use std::rc::Rc;
use term::{Kinds, Op};

impl<'q> State<'q> {
    pub(super) fn examine_call(
        &mut self,
        node: NodeId,
        fun: NodeId,
        args: &[NodeId],
    ) -> Result<bool, Closed> {
        let arity = u8::try_from(args.len()).map_err(|_| Closed)?;
        self.set_fun_arity(fun, arity)?;
        let mut calls = match &self.node(fun).shape {
            Shape::Open => Vec::new(),
            Shape::Fun(shape) => shape.calls.clone(),
            // A table: to be looked up when the arguments are known.
            Shape::Literal(_) => return Ok(false),
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) => {
                return Err(Closed);
            }
        };
        self.restrict(fun, Kinds::FUN)?;
        for (others, result) in &calls {
            if others.iter().zip(args).all(|(a, b)| self.is_same_node(*a, *b)) {
                return self.unify(node, *result).map(|()| true);
            }
        }
        if args
            .iter()
            .chain([&node])
            .any(|it| self.is_same_node(*it, fun) || self.occurs(self.root(fun), *it))
        {
            // A table can't hold itself; as its default it could.
            self.typing.is_cut.set(true);
            return Err(Closed);
        }
        for alts in self.node(fun).types.clone() {
            if let [Alt::Fun { result, .. }] = *alts {
                self.add_type(node, Typed::Id(result))?;
            }
        }
        // Equal arguments, equal results.
        for (others, result) in &calls {
            let differ =
                others.iter().zip(args).map(|(a, b)| vec![fact(Op::Same, &[*a, *b], false)]);
            let same = vec![fact(Op::Same, &[*result, node], true)];
            self.either(differ.chain([same]).collect());
        }
        calls.push((args.into(), node));
        let was_open = matches!(self.node(fun).shape, Shape::Open);
        self.change(fun).shape = Shape::Fun(Rc::new(FunShape { arity, calls }));
        if was_open {
            self.settle_made(fun)?;
        }
        Ok(true)
    }
}
