//! Arithmetic: evaluating expressions, and the predicates that do so.
//!
//! An expression is evaluated with a work list, so its depth costs no native stack.

use crate::builtins::functions::{apply_one, apply_three, apply_two, constant, is_function};
use crate::builtins::rounding::Rounding;
use crate::builtins::{Row, iso, row};
use crate::code::ArithOp;
use crate::data::{AtomId, FunctorId, Number, Value, View};
use crate::machine::{Fault, Machine, Next};
use std::cmp::Ordering;

pub(super) const ROWS: &[Row] = &[
    iso("is", 2, is),
    iso("=:=", 2, |m, a| compare(m, a, Ordering::is_eq, false)),
    iso("=\\=", 2, |m, a| compare(m, a, Ordering::is_ne, true)),
    iso("<", 2, |m, a| compare(m, a, Ordering::is_lt, false)),
    iso(">", 2, |m, a| compare(m, a, Ordering::is_gt, false)),
    iso("=<", 2, |m, a| compare(m, a, Ordering::is_le, false)),
    iso(">=", 2, |m, a| compare(m, a, Ordering::is_ge, false)),
    row("succ", 2, succ),
    row("plus", 3, plus),
    row("set_random", 1, |_, _| Ok(Next::True)),
];

fn is(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let value = m.arg(a, 1);
    let value = m.evaluate_to_value(value)?;
    let to = m.arg(a, 0);
    m.answer(to, value)
}

fn compare(
    m: &mut Machine,
    a: usize,
    holds: fn(Ordering) -> bool,
    without_order: bool,
) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    let (x, y) = (m.evaluate(x)?, m.evaluate(y)?);
    Ok(x.compare(&y).map_or(without_order, holds).into())
}

fn succ(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    for value in [x, y] {
        if value.is_var() {
            continue;
        }
        let Some(number) = Number::of(&m.heap, value).filter(Number::is_integer) else {
            return Err(m.type_error("integer", value));
        };
        if number.sign() == Ordering::Less {
            return Err(m.domain_error("not_less_than_zero", value));
        }
    }
    if x.is_var() && y.is_var() {
        return Err(m.instantiation_error());
    }
    if x.is_var() {
        if y.as_int() == Some(0) {
            return Ok(Next::False);
        }
        let y = m.evaluate(y)?;
        let res = m.arith_numbers(ArithOp::Sub, y, Number::Int(1))?.store(&mut m.heap);
        return m.answer(x, res);
    }
    let x = m.evaluate(x)?;
    let res = m.arith_numbers(ArithOp::Add, x, Number::Int(1))?.store(&mut m.heap);
    m.answer(y, res)
}

fn plus(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let args = [m.arg(a, 0), m.arg(a, 1), m.arg(a, 2)];
    for value in args {
        if !value.is_var() && !value.is_integer() {
            return Err(m.type_error("integer", value));
        }
    }
    let [x, y, z] = args;
    let (op, p, q, to) = match (x.is_var(), y.is_var(), z.is_var()) {
        (false, false, _) => (ArithOp::Add, x, y, z),
        (false, true, false) => (ArithOp::Sub, z, x, y),
        (true, false, false) => (ArithOp::Sub, z, y, x),
        _ => return Err(m.instantiation_error()),
    };
    let (p, q) = (m.evaluate(p)?, m.evaluate(q)?);
    let res = m.arith_numbers(op, p, q)?.store(&mut m.heap);
    m.answer(to, res)
}

/// The number of parts after which an expression is checked for being cyclic.
const MANY_PARTS: usize = 10_000;

/// An entry of the work list of an evaluation.
enum EvalTask {
    Evaluate(Value),
    /// Applies a function to operands on the stack of numbers.
    Apply(FunctorId),
    /// Sets the rounding mode until the matching `Unround`.
    Round(Rounding),
    Unround,
}

impl Machine {
    pub(crate) fn evaluate_to_value(&mut self, expression: Value) -> Result<Value, Fault> {
        if expression.is_number() {
            return Ok(expression);
        }
        let number = self.evaluate(expression)?;
        Ok(number.store(&mut self.heap))
    }

    pub(crate) fn evaluate(&mut self, expression: Value) -> Result<Number, Fault> {
        if let Some(number) = Number::of(&self.heap, expression) {
            return Ok(number);
        }
        match self.evaluate_parts(expression) {
            Err(Fault::Ball(_)) if self.is_cyclic(expression) && !expression.is_cons() => {
                Err(self.type_error("expression", expression))
            }
            done => done,
        }
    }

    fn evaluate_parts(&mut self, expression: Value) -> Result<Number, Fault> {
        let mut todo = vec![EvalTask::Evaluate(expression)];
        let mut numbers: Vec<Number> = Vec::new();
        let mut modes: Vec<Rounding> = Vec::new();
        let mut n_parts = 0_usize;
        while let Some(work) = todo.pop() {
            n_parts += 1;
            if n_parts == MANY_PARTS && self.is_cyclic(expression) {
                return Err(self.type_error("expression", expression));
            }
            match work {
                EvalTask::Evaluate(value) => {
                    let value = self.heap.deref(value);
                    if let Some(number) = Number::of(&self.heap, value) {
                        numbers.push(number);
                    } else if let Some(number) = self.evaluate_leaf(value, &mut todo)? {
                        numbers.push(number);
                    }
                }
                EvalTask::Apply(functor) => {
                    let (name, arity) = self.atoms.name_arity(functor);
                    if !is_function(self.atoms.text(name), arity) {
                        return Err(self.not_evaluable(name, arity));
                    }
                    let name = self.atoms.name(name);
                    let mut next = || numbers.pop().unwrap_or(Number::Int(0));
                    let first = next();
                    let of = match (modes.last(), arity) {
                        (None, _) => Vec::new(),
                        (Some(_), 2) => {
                            vec![first.clone(), numbers.last().cloned().unwrap_or(Number::Int(0))]
                        }
                        (Some(_), _) => vec![first.clone()],
                    };
                    let mut next = || numbers.pop().unwrap_or(Number::Int(0));
                    let res = match arity {
                        1 => apply_one(self, &name, first),
                        2 => apply_two(self, &name, first, next()),
                        _ => apply_three(self, [first, next(), next()]),
                    };
                    let res = res.map_err(|it| self.in_function(it, &name, arity))?;
                    numbers.push(match modes.last() {
                        Some(mode) => mode.adjust(&name, &of, res),
                        None => res,
                    });
                }
                EvalTask::Round(mode) => modes.push(mode),
                EvalTask::Unround => {
                    modes.pop();
                }
            }
        }
        Ok(numbers.pop().unwrap_or(Number::Int(0)))
    }

    /// Evaluates a value that is not a number: returns a constant, or adds the parts of a structure to the
    /// work list and returns `None`.
    fn evaluate_leaf(
        &mut self,
        value: Value,
        todo: &mut Vec<EvalTask>,
    ) -> Result<Option<Number>, Fault> {
        match value.view() {
            View::Var(_) => Err(self.instantiation_error()),
            View::Atom(AtomId::NIL) => Err(self.type_error("evaluable", value)),
            View::Atom(name) => {
                let text = self.atoms.name(name);
                if let Some(number) = constant(self, &text) {
                    return Ok(Some(number));
                }
                Err(self.not_evaluable(name, 0))
            }
            View::Text(_) => {
                let text = self.heap.as_text(value).cloned().unwrap_or_default();
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Ok(Some(Number::Int(i64::from(u32::from(c))))),
                    _ => Err(self.not_one_character(value)),
                }
            }
            View::Struct(FunctorId::CONS, _) => {
                let item = self.heap.arg(value, 0);
                let name = item.as_atom().filter(|_| !item.is_nil());
                let chars = name.map(|it| self.atoms.name(it)).unwrap_or_default();
                let mut chars = chars.chars();
                let number = match (chars.next(), chars.next()) {
                    (Some(c), None) => Some(Number::Int(i64::from(u32::from(c)))),
                    _ if item.is_integer() => None,
                    _ if item.is_var() => return Err(self.instantiation_error()),
                    _ => return Err(self.type_error("character", item)),
                };
                if !self.heap.arg(value, 1).is_nil() {
                    return Err(self.not_one_character(value));
                }
                if number.is_none() {
                    todo.push(EvalTask::Evaluate(item));
                }
                Ok(number)
            }
            View::Struct(functor, _) => {
                let (name, arity) = self.atoms.name_arity(functor);
                if arity == 2 && self.atoms.text(name) == "roundtoward" {
                    let mode = self.heap.arg(value, 1);
                    let name = self.atom_arg(mode)?;
                    let Some(rounding) = Rounding::named(self.atoms.text(name)) else {
                        return Err(self.domain_error("round", mode));
                    };
                    let inner = EvalTask::Evaluate(self.heap.arg(value, 0));
                    todo.extend([EvalTask::Unround, inner, EvalTask::Round(rounding)]);
                    return Ok(None);
                }
                todo.push(EvalTask::Apply(functor));
                // The last argument is evaluated first, so that of several errors the one that SWI-Prolog
                // raises is raised.
                for n in 0..arity {
                    todo.push(EvalTask::Evaluate(self.heap.arg(value, n)));
                }
                Ok(None)
            }
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) => Ok(None),
        }
    }

    /// Returns the error of a text in an expression that is not a single character.
    fn not_one_character(&mut self, value: Value) -> Fault {
        let functor = self.atoms.functor_named("type_error", 2);
        let formal = self.heap.structure(functor, &[Value::NIL, value]);
        self.error(formal)
    }

    fn not_evaluable(&mut self, name: AtomId, arity: usize) -> Fault {
        let indicator = self.indicator(name, arity);
        self.type_error("evaluable", indicator)
    }

    pub(crate) fn arith_numbers(
        &mut self,
        op: ArithOp,
        x: Number,
        y: Number,
    ) -> Result<Number, Fault> {
        let name = match op {
            ArithOp::Negate => return apply_one(self, "-", x),
            ArithOp::Abs => return apply_one(self, "abs", x),
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Divide => "/",
            ArithOp::IntDivide => "//",
            ArithOp::FloorDivide => "div",
            ArithOp::Mod => "mod",
            ArithOp::Rem => "rem",
            ArithOp::Min => "min",
            ArithOp::Max => "max",
            ArithOp::ShiftLeft => "<<",
            ArithOp::ShiftRight => ">>",
            ArithOp::And => "/\\",
            ArithOp::Or => "\\/",
            ArithOp::Xor => "xor",
        };
        apply_two(self, name, x, y).map_err(|it| self.in_function(it, name, 2))
    }

    /// Changes the context of some errors to the function, instead of the predicate that evaluates it.
    fn in_function(&mut self, fault: Fault, name: &str, arity: usize) -> Fault {
        let Fault::Ball(ball) = fault else { return fault };
        let formal = self.heap.arg(ball, 0);
        let named = self.heap.name_arity(formal, &self.atoms);
        let what = self.heap.arg(formal, 0).as_atom().map(|it| self.atoms.text(it));
        let of_function = named.is_some_and(|it| match self.atoms.text(it.0) {
            "evaluation_error" => what == Some("zero_divisor"),
            "type_error" => what == Some("integer"),
            _ => false,
        });
        if !of_function {
            return fault;
        }
        let name = self.atoms.intern(name);
        let context = self.context_at(AtomId::USER, name, arity);
        Fault::Ball(self.heap.structure(FunctorId::ERROR_2, &[formal, context]))
    }
}
