//! Symbolic expressions: what a value is as a function of the input.
//!
//! Hash-consed in an arena, so that equal expressions have one id and `N * N` in a loop stays linear
//! in size. What they mean is said in `constraint`; this file knows only their shape.

use crate::ground::Term;
use crate::kind::Kind;
use rustc_hash::FxHashMap;

/// An unknown part of the input. Dense: the n-th argument is `Var(n)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// An expression of one [`Exprs`]. What it is made of has smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Var(Var),
    Const(Term),
    Apply(Op, Box<[ExprId]>),
}

/// What an expression does with its operands. Kept few: each has a meaning and an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Head,
    Tail,
    /// Of a tuple, counted from 0.
    Element(u32),
    Cons,
    /// A tuple of all operands.
    Tuple,
    Add,
    Subtract,
    Multiply,
    /// From here on: tests, whose value is `true` or `false`.
    IsKind(Kind),
    IsTuple(u32),
    /// `=:=`
    Same,
    /// `==`
    Equal,
    Less,
    LessEqual,
}

/// Operators without a parameter, and their names in queries.
const PLAIN: &[(Op, &str)] = &[
    (Op::Head, "head"),
    (Op::Tail, "tail"),
    (Op::Cons, "cons"),
    (Op::Tuple, "tuple"),
    (Op::Add, "add"),
    (Op::Subtract, "subtract"),
    (Op::Multiply, "multiply"),
    (Op::Same, "same"),
    (Op::Equal, "equal"),
    (Op::Less, "less"),
    (Op::LessEqual, "less_equal"),
];

impl Op {
    /// How many operands it takes; `None`: any number.
    pub fn arity(self) -> Option<usize> {
        match self {
            Op::Tuple => None,
            Op::Head | Op::Tail | Op::Element(_) | Op::IsKind(_) | Op::IsTuple(_) => Some(1),
            Op::Cons | Op::Add | Op::Subtract | Op::Multiply => Some(2),
            Op::Same | Op::Equal | Op::Less | Op::LessEqual => Some(2),
        }
    }

    /// Whether its value is always `true` or `false`.
    pub fn is_test(self) -> bool {
        match self {
            Op::Head | Op::Tail | Op::Element(_) | Op::Cons | Op::Tuple => false,
            Op::Add | Op::Subtract | Op::Multiply => false,
            Op::IsKind(_) | Op::IsTuple(_) => true,
            Op::Same | Op::Equal | Op::Less | Op::LessEqual => true,
        }
    }

    /// Its name in queries: `less`, `element:0`, `is:list`.
    pub fn name(self) -> String {
        match self {
            Op::Element(place) => format!("element:{place}"),
            Op::IsKind(kind) => format!("is:{}", kind.name()),
            Op::IsTuple(arity) => format!("is_tuple:{arity}"),
            Op::Head | Op::Tail | Op::Cons | Op::Tuple | Op::Add | Op::Subtract | Op::Multiply => {
                plain_name(self).to_owned()
            }
            Op::Same | Op::Equal | Op::Less | Op::LessEqual => plain_name(self).to_owned(),
        }
    }

    pub fn from_name(name: &str) -> Option<Op> {
        match name.split_once(':') {
            None => PLAIN.iter().find(|it| it.1 == name).map(|it| it.0),
            Some(("element", place)) => place.parse().ok().map(Op::Element),
            Some(("is_tuple", arity)) => arity.parse().ok().map(Op::IsTuple),
            Some(("is", kind)) => Kind::from_name(kind).map(Op::IsKind),
            Some(_) => None,
        }
    }
}

fn plain_name(op: Op) -> &'static str {
    PLAIN.iter().find(|it| it.0 == op).map_or("", |it| it.1)
}

/// The expressions of one run or one query.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    ids: FxHashMap<Expr, ExprId>,
}

impl Exprs {
    pub fn var(&mut self, var: Var) -> ExprId {
        self.add(Expr::Var(var))
    }

    pub fn constant(&mut self, term: Term) -> ExprId {
        self.add(Expr::Const(term))
    }

    /// An operator applied to expressions that are already here.
    pub fn apply(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        debug_assert!(op.arity().is_none_or(|it| it == args.len()), "{op:?} takes its operands");
        debug_assert!(args.iter().all(|it| self.get(*it).is_some()), "operands come first");
        self.add(Expr::Apply(op, args.into()))
    }

    pub fn get(&self, id: ExprId) -> Option<&Expr> {
        self.nodes.get(id.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All that the given expressions are made of and they themselves, parts before wholes.
    pub fn reachable(&self, from: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut todo: Vec<ExprId> = from.into_iter().collect();
        let mut res = Vec::new();
        while let Some(id) = todo.pop() {
            match is_seen.get_mut(id.0 as usize) {
                None | Some(true) => continue,
                Some(seen) => *seen = true,
            }
            res.push(id);
            if let Some(Expr::Apply(_, args)) = self.get(id) {
                todo.extend_from_slice(args);
            }
        }
        res.sort_unstable();
        res
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        if let Some(id) = self.ids.get(&expr) {
            return *id;
        }
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(expr.clone());
        self.ids.insert(expr, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one() {
        let mut exprs = Exprs::default();
        let mut n = exprs.var(Var(0));
        for _ in 0..1000 {
            n = exprs.apply(Op::Multiply, &[n, n]);
        }
        assert_eq!(exprs.len(), 1001);
        let var = exprs.var(Var(0));
        assert_eq!(exprs.apply(Op::Multiply, &[var, var]), ExprId(1));
        assert_eq!(exprs.reachable([ExprId(3)]), (0..4).map(ExprId).collect::<Vec<_>>());
    }

    #[test]
    fn operators_are_found_by_their_names() {
        let plain = PLAIN.iter().map(|it| it.0);
        let kinds = Kind::all().map(Op::IsKind);
        for op in plain.chain(kinds).chain([Op::Element(7), Op::IsTuple(0)]) {
            assert_eq!(Op::from_name(&op.name()), Some(op));
        }
    }
}
