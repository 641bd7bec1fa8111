//! Comparisons, type tests and boolean operators.

use crate::code::Cmp;
use crate::lift::{Lifting, arg, express, own_expr, shadow};
use term::{ExprId, Kind, Op, Term};
use values::{Value, View};

impl Lifting<'_> {
    /// Whether the outcome of a comparison depends on a symbolic value.
    pub(crate) fn compares_symbols(&self, a: Value, b: Value) -> bool {
        if own_expr(a).is_some() || own_expr(b).is_some() {
            return true;
        }
        // Terms of different types differ, whatever their parts are.
        let may_look_inside = match (a.view(), b.view()) {
            (View::Cons(_), View::Cons(_)) | (View::Map(_), View::Map(_)) => true,
            (View::Tuple(_, n), View::Tuple(_, m)) => n == m,
            (View::Fun(_), View::Fun(_)) => true,
            _ => false,
        };
        may_look_inside && (self.is_symbolic(a) || self.is_symbolic(b))
    }

    /// The test that a comparison makes, and whether the comparison is the test's negation.
    pub(crate) fn comparison(&mut self, op: Cmp, a: Value, b: Value) -> Option<(ExprId, bool)> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
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
        Some((self.apply(op, &args), is_negated))
    }

    /// Records the choice of a comparison's outcome.
    pub(crate) fn compared(&mut self, site_index: u32, op: Cmp, a: Value, b: Value, holds: bool) {
        if self.compares_symbols(a, b)
            && let Some((test, is_negated)) = self.comparison(op, a, b)
        {
            self.test(site_index, test, holds != is_negated);
        }
    }
}

fn comparing(l: &mut Lifting<'_>, op: Cmp, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    if !l.compares_symbols(a, b) {
        return found;
    }
    let Some((test, is_negated)) = l.comparison(op, a, b) else { return found };
    let test = if is_negated { l.apply(Op::Not, &[test]) } else { test };
    Some(found?.with_shadow(shadow(test)))
}

macro_rules! comparisons {
    ($($name:ident = $op:ident;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            comparing(l, Cmp::$op, args, found)
        })*
    };
}

comparisons! {
    less = Less;
    less_equal = LessEqual;
    greater = Greater;
    greater_equal = GreaterEqual;
    equal = Equal;
    not_equal = NotEqual;
    same = Same;
    not_same = NotSame;
}

macro_rules! tests {
    ($($name:ident = $kind:ident;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            let Some(expr) = own_expr(arg(args, 0)) else { return found };
            Some(l.result(Op::IsKind(Kind::$kind), &[expr], found?))
        })*
    };
}

tests! {
    is_atom = Atom;
    is_binary = Binary;
    is_bitstring = Bitstring;
    is_boolean = Boolean;
    is_float = Float;
    is_function = Function;
    is_integer = Integer;
    is_list = List;
    is_map = Map;
    is_number = Number;
    is_pid = Pid;
    is_port = Port;
    is_reference = Reference;
    is_tuple = Tuple;
}

/// `is_function/2`
pub(crate) fn is_function_of(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (fun, arity) = (arg(args, 0), arg(args, 1));
    l.concretise("erlang:is_function/2", &[arity], |_| true);
    let (Some(expr), Some(arity)) = (own_expr(fun), arity.as_usize()) else { return found };
    let Ok(arity) = u8::try_from(arity) else { return found };
    Some(l.result(Op::IsFunction(arity), &[expr], found?))
}

/// `min/2`: returns one of its arguments; which one is a choice.
pub(crate) fn smaller(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    one_of(l, args, found, Cmp::LessEqual)
}

pub(crate) fn greater_of(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    one_of(l, args, found, Cmp::GreaterEqual)
}

fn one_of(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>, op: Cmp) -> Option<Value> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    let order = values::compare_value(l.heap, l.atoms, a, b);
    let is_first = if op == Cmp::LessEqual { order.is_le() } else { order.is_ge() };
    l.compared(0, op, a, b, is_first);
    found
}

pub(crate) fn and(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    logic(l, Op::And, args, found)
}

pub(crate) fn or(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    logic(l, Op::Or, args, found)
}

/// `xor`: whether the two boolean operands differ.
pub(crate) fn xor(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let Some([a, b]) = truths(l, args) else { return found };
    let same = l.apply(Op::Same, &[a, b]);
    Some(l.result(Op::Not, &[same], found?))
}

pub(crate) fn not(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let a = arg(args, 0);
    let Some(expr) = own_expr(a) else { return found };
    if !is_truth(l, 0, a) {
        return found;
    }
    let test = truth_of(l, expr);
    Some(l.result(Op::Not, &[test], found?))
}

fn logic(l: &mut Lifting<'_>, op: Op, args: &[Value], found: Option<Value>) -> Option<Value> {
    let Some([a, b]) = truths(l, args) else { return found };
    Some(l.result(op, &[a, b], found?))
}

/// The operands as tests, if one of them is symbolic and both are booleans.
fn truths(l: &mut Lifting<'_>, args: &[Value]) -> Option<[ExprId; 2]> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    if own_expr(a).is_none() && own_expr(b).is_none() {
        return None;
    }
    if !(is_truth(l, 0, a) && is_truth(l, 1, b)) {
        return None;
    }
    let (a, b) = (l.expr(a)?, l.expr(b)?);
    Some([truth_of(l, a), truth_of(l, b)])
}

fn is_truth(l: &mut Lifting<'_>, site_index: u32, value: Value) -> bool {
    let holds = value.as_bool().is_some();
    // A test is always a boolean.
    let is_test = own_expr(value).is_some_and(|it| l.record.exprs.is_test(it));
    if is_test { holds } else { l.test_kind(site_index, value, Kind::Boolean, holds) }
}

/// The expression as a test.
pub(crate) fn truth_of(l: &mut Lifting<'_>, expr: ExprId) -> ExprId {
    if l.record.exprs.is_test(expr) {
        return expr;
    }
    let yes = l.constant(Term::atom("true"));
    l.apply(Op::Same, &[expr, yes])
}

/// Whether two values are the same term (`=:=`); a choice if that depends on a symbolic value.
pub(crate) fn same_values(l: &mut Lifting<'_>, site_index: u32, a: Value, b: Value) -> bool {
    let holds = values::equal_exact(l.heap, l.atoms, a, b);
    l.compared(site_index, Cmp::Same, a, b, holds);
    holds
}

/// Whether two values are equal (`==`); a choice if that depends on a symbolic value.
pub(crate) fn equal_values(l: &mut Lifting<'_>, site_index: u32, a: Value, b: Value) -> bool {
    let holds = values::equal_value(l.heap, l.atoms, a, b);
    l.compared(site_index, Cmp::Equal, a, b, holds);
    holds
}

/// Whether the value is neither symbolic itself nor compound, so that no part of it can be symbolic.
pub(crate) fn is_plain(value: Value) -> bool {
    own_expr(value).is_none() && !express::is_compound(value)
}
