//! Functions in the input: tables of the results that calls returned.

use super::facts::fact;
use super::state::{Contradiction, FunShape, NodeId, Shape, State};
use super::typing::{Alt, Typed};
use std::rc::Rc;
use term::{Kinds, Op};

impl<'q> State<'q> {
    pub(super) fn examine_call(
        &mut self,
        node: NodeId,
        fun: NodeId,
        args: &[NodeId],
    ) -> Result<bool, Contradiction> {
        let arity = u8::try_from(args.len()).map_err(|_| Contradiction)?;
        self.set_fun_arity(fun, arity)?;
        let mut calls = match &self.node(fun).shape {
            Shape::Open => Vec::new(),
            Shape::Fun(shape) => shape.calls.clone(),
            // The table of a known function is looked up when the arguments are known.
            Shape::Literal(_) => return Ok(false),
            Shape::Cons(..) | Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) => {
                return Err(Contradiction);
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
            // A table cannot contain itself; its default could, so nothing is proved.
            self.typing.is_cut.set(true);
            return Err(Contradiction);
        }
        for alts in self.node(fun).types.clone() {
            if let [Alt::Fun { result, .. }] = *alts {
                self.add_type(node, Typed::Id(result))?;
            }
        }
        // Calls with equal arguments have equal results.
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
