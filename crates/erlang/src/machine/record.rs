//! The symbolic half of a run: expressions of shadowed values, choices made on them, losses.
//!
//! The interpreter comes here only when it looks at a value that has a shadow, so all of this is
//! cold. A value's expression is its shadow; without one, it is made of its parts' shadows, or it is
//! a constant.

use crate::builtins::{Builtin, Fault};
use crate::code::{Cmp, Kind};
use crate::data::{Atoms, Heap, Shadow, TooDeep, Value, View, equal_exact, to_term};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::{Expr, ExprId, Exprs, Op, Term, Var};
use trace::{Choice, Head, Looked, Loss, SiteId};

/// What one run recorded; the expressions are those of all runs of a unit.
#[derive(Debug, Default)]
pub struct Recorder {
    pub exprs: Exprs,
    pub choices: Vec<Choice>,
    pub losses: Vec<Loss>,
    /// The heads of each switch table that a choice was made on.
    heads: FxHashMap<u32, Arc<[Head]>>,
}

impl Recorder {
    pub(crate) fn new(exprs: Exprs) -> Recorder {
        Recorder { exprs, ..Recorder::default() }
    }

    /// The value as the n-th argument of the unit.
    pub(crate) fn argument(&mut self, n: usize, value: Value) -> Value {
        let var = Var(u32::try_from(n).unwrap_or(u32::MAX));
        value.with_shadow(shadow(self.exprs.var(var)))
    }

    fn choose(&mut self, site: SiteId, taken: usize, looked: Looked) {
        self.choices.push(Choice { site, taken, looked });
    }

    fn test(&mut self, site: SiteId, test: ExprId, holds: bool) {
        self.choose(site, usize::from(!holds), Looked::Test(test));
    }
}

fn shadow(expr: ExprId) -> Shadow {
    Shadow(expr.0.saturating_add(1))
}

/// The expression of a value's own shadow.
fn shadow_expr(value: Value) -> Option<ExprId> {
    value.shadow().0.checked_sub(1).map(ExprId)
}

/// The place of the instruction before this address.
fn site(pc: u32) -> SiteId {
    SiteId(pc.saturating_sub(1))
}

#[inline]
pub(super) fn either_shadowed(a: Value, b: Value) -> bool {
    (a.shadow().0 | b.shadow().0) != Shadow::NONE.0
}

impl Cpu<'_> {
    // Tests that decide where to go

    #[cold]
    pub(super) fn choose_kind(&mut self, pc: u32, value: Value, kind: Kind, holds: bool) {
        self.choose_test(pc, value, Op::IsKind(kind), holds);
    }

    #[cold]
    pub(super) fn choose_tuple(&mut self, pc: u32, value: Value, arity: u32, holds: bool) {
        self.choose_test(pc, value, Op::IsTuple(arity), holds);
    }

    fn choose_test(&mut self, pc: u32, value: Value, op: Op, holds: bool) {
        let (Some(record), Some(expr)) = (&mut self.world.record, shadow_expr(value)) else {
            return;
        };
        let test = record.exprs.apply(op, &[expr]);
        record.test(site(pc), test, holds);
    }

    #[cold]
    pub(super) fn choose_comparison(&mut self, pc: u32, op: Cmp, a: Value, b: Value, holds: bool) {
        let World { record: Some(record), heap, atoms, .. } = &mut *self.world else { return };
        match comparison(&mut record.exprs, (heap, atoms), op, a, b) {
            Ok((test, is_negated)) => record.test(site(pc), test, holds != is_negated),
            Err(TooDeep) => self.lose(pc, DEEP),
        }
    }

    /// Whether the value is `true`.
    #[cold]
    pub(super) fn choose_truth(&mut self, pc: u32, value: Value, holds: bool) {
        let (Some(record), Some(expr)) = (&mut self.world.record, shadow_expr(value)) else {
            return;
        };
        let exprs = &mut record.exprs;
        let is_test = matches!(exprs.get(expr), Some(Expr::Apply(op, _)) if op.is_test());
        let test = if is_test { expr } else { same_as(exprs, expr, "true") };
        record.test(site(pc), test, holds);
    }

    /// Cell, end, or neither.
    #[cold]
    pub(super) fn choose_list(&mut self, pc: u32, value: Value) {
        let (Some(record), Some(expr)) = (&mut self.world.record, shadow_expr(value)) else {
            return;
        };
        let heads = record
            .heads
            .entry(LIST_HEADS)
            .or_insert_with(|| [Head::Kind(Kind::Cons), Head::Kind(Kind::Nil)].into());
        let looked = Looked::Heads(expr, Arc::clone(heads));
        let taken = if value.is_cons() { 0 } else { 1 + usize::from(!value.is_nil()) };
        record.choose(site(pc), taken, looked);
    }

    #[cold]
    pub(super) fn choose_switch(&mut self, pc: u32, value: Value, table: u32) {
        let taken = self.head_of(value, table);
        let known = self.world.record.as_ref().and_then(|it| it.heads.get(&table).cloned());
        let heads = known.unwrap_or_else(|| self.heads(table));
        let (Some(record), Some(expr)) = (&mut self.world.record, shadow_expr(value)) else {
            return;
        };
        record.heads.entry(table).or_insert_with(|| Arc::clone(&heads));
        record.choose(site(pc), taken, Looked::Heads(expr, heads));
    }

    /// The heads of a switch, in the order that `head_of` counts them.
    fn heads(&self, table: u32) -> Arc<[Head]> {
        let Some(table) = self.program.switches.get(table as usize) else { return [].into() };
        let World { heap, atoms, .. } = &*self.world;
        // Nobody writes a literal that is too deep.
        let literal = |value| Head::Literal(to_term(heap, atoms, value).unwrap_or(Term::Nil));
        let of_atoms = table.atoms.iter().map(|it| literal(Value::atom(it.0)));
        let of_ints = table.ints.iter().map(|it| literal(Value::int(it.0)));
        let of_tuples = table.tuples.iter().map(|it| Head::Tuple(it.0));
        let of_literals = table.literals.iter().map(|it| literal(self.src(it.0)));
        let of_cons = table.cons.iter().map(|_| Head::Kind(Kind::Cons));
        let of_nil = table.nil.iter().map(|_| Head::Kind(Kind::Nil));
        let words = of_atoms.chain(of_ints).chain(of_tuples);
        words.chain(of_literals).chain(of_cons).chain(of_nil).collect()
    }

    fn head_of(&self, value: Value, table: u32) -> usize {
        let Some(table) = self.program.switches.get(table as usize) else { return 0 };
        let World { heap, atoms, .. } = &*self.world;
        let is_tuple = |n: u32| matches!(value.view(), View::Tuple(_, arity) if arity == n);
        let of_atoms = table.atoms.iter().map(|it| value.is_atom(it.0));
        let of_ints = table.ints.iter().map(|it| value.as_int() == Some(it.0));
        let of_tuples = table.tuples.iter().map(|it| is_tuple(it.0));
        let of_literals =
            table.literals.iter().map(|it| equal_exact(heap, atoms, value, self.src(it.0)));
        let of_cons = table.cons.iter().map(|_| value.is_cons());
        let of_nil = table.nil.iter().map(|_| value.is_nil());
        let words = of_atoms.chain(of_ints).chain(of_tuples);
        let all: Vec<bool> = words.chain(of_literals).chain(of_cons).chain(of_nil).collect();
        all.iter().position(|it| *it).unwrap_or(all.len())
    }

    // Values made from shadowed ones

    /// The value of a comparison.
    #[cold]
    pub(super) fn compared(
        &mut self,
        pc: u32,
        op: Cmp,
        (a, b): (Value, Value),
        found: Value,
    ) -> Value {
        let World { record: Some(record), heap, atoms, .. } = &mut *self.world else {
            return found;
        };
        let exprs = &mut record.exprs;
        let Ok((test, is_negated)) = comparison(exprs, (heap, atoms), op, a, b) else {
            self.lose(pc, DEEP);
            return found;
        };
        let test = if is_negated { same_as(exprs, test, "false") } else { test };
        found.with_shadow(shadow(test))
    }

    /// A part of a value that was taken apart, or the value of a test of it.
    #[cold]
    pub(super) fn derived(&mut self, of: Value, op: Op, found: Value) -> Value {
        let (Some(record), Some(of), None) =
            (&mut self.world.record, shadow_expr(of), shadow_expr(found))
        else {
            return found;
        };
        found.with_shadow(shadow(record.exprs.apply(op, &[of])))
    }

    /// The value of an arithmetic operator; that its operands are numbers was a choice.
    #[cold]
    pub(super) fn computed(
        &mut self,
        pc: u32,
        op: Op,
        (a, b): (Value, Value),
        found: Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        for operand in [a, b] {
            if operand.shadow().is_some() {
                self.choose_kind(pc, operand, Kind::Number, operand.is_number());
            }
        }
        let World { record: Some(record), heap, atoms, .. } = &mut *self.world else {
            return found;
        };
        let exprs = &mut record.exprs;
        let (a, b) = (expr_of(exprs, (heap, atoms), a), expr_of(exprs, (heap, atoms), b));
        let (Ok(a), Ok(b), Ok(found)) = (a, b, &found) else { return found };
        Ok(found.with_shadow(shadow(exprs.apply(op, &[a, b]))))
    }

    // What we can't follow

    #[cold]
    pub(super) fn lose(&mut self, pc: u32, what: &str) {
        if let Some(record) = &mut self.world.record {
            record.losses.push(Loss { site: site(pc), what: what.to_owned() });
        }
    }

    /// The arguments of a builtin that we do not follow, as constants.
    #[cold]
    pub(super) fn concrete_args(
        &mut self,
        pc: u32,
        builtin: &Builtin,
        args: &[Value],
    ) -> Vec<Value> {
        self.lose(pc, &format!("{}:{}/{}", builtin.module, builtin.name, builtin.arity));
        args.iter().map(|it| it.concrete()).collect()
    }
}

/// The key of the two heads of every list; no table has it.
const LIST_HEADS: u32 = u32::MAX;

const DEEP: &str = "a deeply nested term";

/// The test that a comparison makes, and whether the comparison is its negation.
fn comparison(
    exprs: &mut Exprs,
    world: (&Heap, &Atoms),
    op: Cmp,
    a: Value,
    b: Value,
) -> Result<(ExprId, bool), TooDeep> {
    let (a, b) = (expr_of(exprs, world, a)?, expr_of(exprs, world, b)?);
    let (op, args, is_negated) = match op {
        Cmp::Less => (Op::Less, [a, b], false),
        Cmp::LessEqual => (Op::LessEqual, [a, b], false),
        Cmp::Greater => (Op::Less, [b, a], false),
        Cmp::GreaterEqual => (Op::LessEqual, [b, a], false),
        Cmp::Equal => (Op::Equal, [a, b], false),
        Cmp::NotEqual => (Op::Equal, [a, b], true),
        Cmp::Same => (Op::Same, [a, b], false),
        Cmp::NotSame => (Op::Same, [a, b], true),
    };
    Ok((exprs.apply(op, &args), is_negated))
}

fn same_as(exprs: &mut Exprs, expr: ExprId, atom: &str) -> ExprId {
    let atom = exprs.constant(Term::atom(atom));
    exprs.apply(Op::Same, &[expr, atom])
}

/// The expression of any value.
fn expr_of(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value) -> Result<ExprId, TooDeep> {
    let part = part(exprs, world, value, 0)?;
    Ok(part.into_expr(exprs))
}

enum Part {
    Ground(Term),
    Expr(ExprId),
}

const MAX_DEPTH: usize = 1000;

fn part(
    exprs: &mut Exprs,
    world: (&Heap, &Atoms),
    value: Value,
    depth: usize,
) -> Result<Part, TooDeep> {
    if let Some(expr) = shadow_expr(value) {
        return Ok(Part::Expr(expr));
    }
    if depth > MAX_DEPTH {
        return Err(TooDeep);
    }
    let (heap, atoms) = world;
    if value.is_cons() {
        let mut items = Vec::new();
        let mut rest = value;
        while let (None, Some((head, tail))) = (shadow_expr(rest), heap.uncons(rest)) {
            items.push(part(exprs, world, head, depth + 1)?);
            rest = tail;
        }
        let mut res = part(exprs, world, rest, depth + 1)?;
        // Ground items at the end are one constant.
        let mut ground = Vec::new();
        while let Some(item) = items.pop() {
            match (item, res) {
                (Part::Ground(item), Part::Ground(tail)) => {
                    ground.push(item);
                    res = Part::Ground(tail);
                }
                (item, tail) => {
                    ground.reverse();
                    let tail = match tail {
                        Part::Ground(tail) => {
                            Part::Ground(Term::list(std::mem::take(&mut ground), tail))
                        }
                        Part::Expr(expr) => Part::Expr(expr),
                    };
                    let args = [item.into_expr(exprs), tail.into_expr(exprs)];
                    res = Part::Expr(exprs.apply(Op::Cons, &args));
                }
            }
        }
        ground.reverse();
        return Ok(match res {
            Part::Ground(tail) => Part::Ground(Term::list(ground, tail)),
            Part::Expr(expr) => Part::Expr(expr),
        });
    }
    if let Some(elements) = heap.elements(value) {
        let parts: Result<Vec<Part>, TooDeep> =
            elements.iter().map(|it| part(exprs, world, *it, depth + 1)).collect();
        let parts = parts?;
        if parts.iter().any(|it| matches!(it, Part::Expr(_))) {
            let args: Vec<ExprId> = parts.into_iter().map(|it| it.into_expr(exprs)).collect();
            return Ok(Part::Expr(exprs.apply(Op::Tuple, &args)));
        }
    }
    to_term(heap, atoms, value).map(Part::Ground)
}

impl Part {
    fn into_expr(self, exprs: &mut Exprs) -> ExprId {
        match self {
            Part::Ground(term) => exprs.constant(term),
            Part::Expr(expr) => expr,
        }
    }
}
