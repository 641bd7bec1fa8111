//! Facts: tests of nodes that must have a given truth value.

#![expect(clippy::wildcard_enum_match_arm, reason = "other shapes do not decide it")]

use super::residue::is_arithmetic;
use super::state::{Consistency, Contradiction, Fact, NodeId, Pending, Shape, State};
use super::value::Value;
use std::rc::Rc;
use term::{Kinds, Op};

pub(super) fn fact(op: Op, args: &[NodeId], holds: bool) -> Fact {
    Fact { op, args: args.into(), holds }
}

impl<'q> State<'q> {
    /// Requires that the test has this truth value.
    pub(super) fn require(&mut self, op: Op, args: &[NodeId], holds: bool) -> Consistency {
        if !self.examine_fact(op, args, holds)? {
            self.push_fact(op, args, holds);
        }
        Ok(())
    }

    /// Requires all facts of at least one alternative.
    pub(super) fn either(&mut self, mut of: Vec<Vec<Fact>>) {
        if of.len() == 1 {
            of.into_iter().flatten().for_each(|it| self.push(Pending::Fact(it)));
            return;
        }
        of.shrink_to_fit();
        self.push(Pending::Either(of.into()));
    }

    /// Propagates a fact. Returns `true` if it is settled and can be dropped.
    pub(super) fn examine_fact(
        &mut self,
        op: Op,
        args: &[NodeId],
        holds: bool,
    ) -> Result<bool, Contradiction> {
        match (op, args) {
            (Op::IsKind(kind), [of]) => self.is_kind(*of, kind, holds).map(|()| true),
            (Op::IsTuple(arity), [of]) if holds => self.set_arity(*of, arity).map(|()| true),
            (Op::IsTuple(arity), [of]) => self.not_arity(*of, arity).map(|()| true),
            (Op::IsFunction(arity), [of]) if holds => self.set_fun_arity(*of, arity).map(|()| true),
            (Op::IsFunction(arity), [of]) => self.not_fun_arity(*of, arity).map(|()| true),
            (Op::IsProper, [of]) => self.is_proper(*of, holds),
            (Op::HasKey, [key, map]) => self.has_key(*key, *map, holds),
            (Op::Converts(conversion), [of]) => self.converts(conversion, *of, holds),
            (Op::Same, [a, b]) if holds => self.unify(*a, *b).map(|()| true),
            (Op::Same, [a, b]) => self.not_same(*a, *b),
            (Op::Equal, [a, b]) if holds => self.equal(*a, *b),
            (Op::Equal, [a, b]) => self.not_equal(*a, *b),
            (Op::Less, [a, b]) if holds => self.ordered(*a, *b, true),
            (Op::Less, [a, b]) => self.ordered(*b, *a, false),
            (Op::LessEqual, [a, b]) if holds => self.ordered(*a, *b, false),
            (Op::LessEqual, [a, b]) => self.ordered(*b, *a, true),
            (Op::Not, [of]) => self.bind(*of, &Value::truth(!holds)).map(|()| true),
            (Op::And, [a, b]) => self.both(*a, *b, holds),
            // De Morgan: `a or b` is false if and only if both are false.
            (Op::Or, [a, b]) => self.neither(*a, *b, !holds),
            _ => Err(Contradiction),
        }
    }

    fn both(&mut self, a: NodeId, b: NodeId, holds: bool) -> Result<bool, Contradiction> {
        self.combine((a, b), true, holds)
    }

    fn neither(&mut self, a: NodeId, b: NodeId, holds: bool) -> Result<bool, Contradiction> {
        self.combine((a, b), false, holds)
    }

    /// If `holds`, both nodes have the truth value `each`; otherwise at least one of them has not.
    fn combine(
        &mut self,
        (a, b): (NodeId, NodeId),
        each: bool,
        holds: bool,
    ) -> Result<bool, Contradiction> {
        let value = Value::truth(each);
        if holds {
            self.bind(a, &value)?;
            self.bind(b, &value)?;
            return Ok(true);
        }
        let is_each = |it: NodeId| self.known(it).map(|it| it.is_same(&value));
        match (is_each(a), is_each(b)) {
            (Some(false), _) | (_, Some(false)) => Ok(true),
            (Some(true), _) => self.bind(b, &Value::truth(!each)).map(|()| true),
            (_, Some(true)) => self.bind(a, &Value::truth(!each)).map(|()| true),
            (None, None) => Ok(false),
        }
    }

    fn is_proper(&mut self, of: NodeId, holds: bool) -> Result<bool, Contradiction> {
        let mut at = of;
        loop {
            if holds {
                self.restrict(at, Kinds::LIST)?;
            }
            match &self.node(at).shape {
                Shape::Cons(_, tail) => at = *tail,
                Shape::Literal(value) => {
                    let is = value.term().as_list().is_some();
                    return if is == holds { Ok(true) } else { Err(Contradiction) };
                }
                Shape::Open => {
                    self.set_proper(at, holds)?;
                    if holds {
                        return Ok(false);
                    }
                    let proper = if self.is_always_proper(at) { Kinds::LIST } else { Kinds::NIL };
                    self.restrict(at, Kinds::ALL.without(proper))?;
                    return Ok(!self.kinds(at).has(Kinds::CONS));
                }
                Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => {
                    return Ok(!holds);
                }
            }
        }
    }

    /// Records whether an open node is a proper list; a node that must be both is no list.
    pub(super) fn set_proper(&mut self, id: NodeId, holds: bool) -> Consistency {
        match self.node(id).limits.as_ref().and_then(|it| it.is_proper) {
            Some(known) if known == holds => Ok(()),
            Some(_) => self.restrict(id, Kinds::ALL.without(Kinds::LIST)),
            None => {
                self.change_limits(id).is_proper = Some(holds);
                Ok(())
            }
        }
    }

    fn not_fun_arity(&mut self, of: NodeId, arity: u8) -> Consistency {
        match &self.node(of).shape {
            Shape::Literal(value) => {
                let is = matches!(&*value.term(), term::Term::Fun(fun) if fun.arity() == arity);
                if is { Err(Contradiction) } else { Ok(()) }
            }
            Shape::Fun(shape) if shape.arity == arity => Err(Contradiction),
            Shape::Open if self.kinds(of).has(Kinds::FUN) => {
                let limits = self.change_limits(of);
                limits.not_fun_arities.push(arity);
                if limits.fun_arity == Some(arity) {
                    self.restrict(of, Kinds::ALL.without(Kinds::FUN))?;
                }
                self.settle(of)
            }
            _ => Ok(()),
        }
    }

    /// Returns the truth value of the test if it is determined.
    pub(super) fn decided(&self, op: Op, args: &[NodeId]) -> Option<bool> {
        match (op, args) {
            (Op::IsKind(kind), [of]) => {
                let (kinds, asked) = (self.kinds(*of), Kinds::of(kind));
                if !kinds.has(asked) {
                    return Some(false);
                }
                let is_whole = !matches!(kind, term::Kind::Boolean | term::Kind::Binary);
                (is_whole && kinds.is_within(asked)).then_some(true)
            }
            (Op::IsTuple(arity), [of]) => {
                if !self.kinds(*of).has(Kinds::TUPLE) {
                    return Some(false);
                }
                self.known_arity(*of).map(|it| it == arity)
            }
            (Op::Same, [a, b]) => {
                if self.is_same_node(*a, *b) {
                    return Some(true);
                }
                (!self.may_be_same(*a, *b)).then_some(false)
            }
            (Op::Less | Op::LessEqual, [a, b]) => {
                let (left, right) = (self.kinds(*a), self.kinds(*b));
                if left.max_rank() < right.min_rank() {
                    return Some(true);
                }
                (left.min_rank() > right.max_rank()).then_some(false)
            }
            _ => None,
        }
    }

    /// Propagates all pending constraints until a fixpoint is reached or a limit on rounds or nodes is exceeded.
    pub(super) fn propagate(&mut self) -> Consistency {
        let mut rounds = 0;
        loop {
            let before = self.version;
            let mut at = 0;
            while let Some(pending) = self.pending.get(at).cloned() {
                if self.examine(&pending)?
                    && let Some(slot) = self.pending.get_mut(at)
                {
                    *slot = Pending::Done;
                }
                at += 1;
                if at > MAX_PENDING || self.n_nodes() > self.max_nodes {
                    self.typing.is_cut.set(true);
                    return Err(Contradiction);
                }
            }
            self.pending.retain(|it| !matches!(it, Pending::Done));
            rounds += 1;
            // Intervals may shrink for ever, as with `X < Y` and `Y < X`.
            if self.version == before || rounds > MAX_ROUNDS {
                return Ok(());
            }
        }
    }

    fn examine(&mut self, pending: &Pending) -> Result<bool, Contradiction> {
        match pending {
            Pending::Done => Ok(true),
            Pending::Fact(Fact { op, args, holds }) => self.examine_fact(*op, args, *holds),
            Pending::Define(node, op, args) if is_of_numbers(*op) => {
                if self.is_examined(*node, args) {
                    return Ok(false);
                }
                let version = self.version;
                let is_done = self.examine_define(*node, *op, args)?;
                self.examined(*node, version);
                Ok(is_done)
            }
            Pending::Define(node, op, args) => self.examine_define(*node, *op, args),
            Pending::Typed(id) => {
                let id = *id;
                if self.node(id).types.is_empty() {
                    return Ok(true);
                }
                self.examine_types(id)
            }
            Pending::Either(of) => self.examine_either(of),
        }
    }

    fn examine_either(&mut self, of: &Rc<[Vec<Fact>]>) -> Result<bool, Contradiction> {
        let refuted =
            |it: &Fact| self.decided(it.op, &it.args).is_some_and(|found| found != it.holds);
        let left: Vec<&Vec<Fact>> = of.iter().filter(|it| !it.iter().any(refuted)).collect();
        match left.as_slice() {
            [] => Err(Contradiction),
            [only] => {
                only.iter().for_each(|it| self.push(Pending::Fact(it.clone())));
                Ok(true)
            }
            _ => {
                let certain = |it: &Fact| {
                    self.decided(it.op, &it.args).is_some_and(|found| found == it.holds)
                };
                Ok(left.iter().any(|it| it.iter().all(certain)))
            }
        }
    }
}

/// Whether what the definition implies depends on the operands' bounds only.
fn is_of_numbers(op: Op) -> bool {
    let is_of_floats =
        matches!(op, Op::Divide | Op::ToFloat | Op::Truncate | Op::Round | Op::Floor | Op::Ceiling);
    is_arithmetic(op) && !is_of_floats
}

const MAX_ROUNDS: usize = 30;

/// More pending constraints arise only from terms that would have to contain themselves.
const MAX_PENDING: usize = 5_000;
