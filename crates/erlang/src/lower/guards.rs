//! Emits guards, and calls that have instructions of their own.
//!
//! If a guard is false or raises an exception, the next clause is tried. A handler over the guard's code does this: a
//! successful guard pays nothing for it, and the exception needs no stack trace.

use crate::builtins::How;
use crate::code::{BuiltinId, Cmp, HandlerKind, Ins, Kind, Reg, Src};
use crate::core::{Clause, Expr, ExprKind, Pattern};
use crate::lower::cases::is_true;
use crate::lower::emit::{Dst, Emitter, Label, Location, count};
use term::{Atom, Term};

impl<'a> Emitter<'_, 'a> {
    /// Emits a guard that continues if it holds and otherwise jumps to `fail`.
    pub(super) fn guard(&mut self, guard: &'a Expr, fail: Label) {
        let start = self.here();
        let depth = self.depth;
        self.condition(guard, fail);
        self.depth = depth;
        let end = self.here();
        self.handler(start, end, fail, HandlerKind::Guard);
    }

    fn condition(&mut self, expr: &'a Expr, fail: Label) {
        match &expr.kind {
            ExprKind::Literal(term) => {
                if term.as_atom() != Some("true") {
                    self.jump(fail);
                }
            }
            ExprKind::Var(var) => {
                if let Some(Location::Delayed(expr)) = self.env.get(var).cloned() {
                    self.condition(expr, fail);
                } else {
                    self.truth(expr, fail);
                }
            }
            ExprKind::Let { vars, arg, body } => {
                // A test whose result is used once becomes a conditional branch at that use.
                if let [var] = vars.as_slice()
                    && self.lowering.uses(*var) == 1
                    && is_test(arg)
                {
                    self.env.insert(*var, Location::Delayed(arg));
                    self.condition(body, fail);
                    return;
                }
                let depth = self.depth;
                if let [var] = vars.as_slice() {
                    let src = self.operand(arg);
                    self.env.insert(*var, Location::Src(src));
                    self.condition(body, fail);
                } else {
                    self.truth(expr, fail);
                }
                self.depth = depth;
            }
            ExprKind::Try { arg, vars, body, .. } if is_guard_try(vars, body) => {
                self.condition(arg, fail);
            }
            ExprKind::Call { module, name, args } => {
                if !self.test_call(module, name, args, fail) {
                    self.truth(expr, fail);
                }
            }
            ExprKind::Case { args, clauses } => {
                if let Some((test, then, otherwise)) = if_then_else(args, clauses)
                    && is_test(test)
                {
                    let (no, done) = (self.label(), self.label());
                    self.condition(test, no);
                    self.condition(then, fail);
                    self.jump(done);
                    self.bind_label(no);
                    self.condition(otherwise, fail);
                    self.bind_label(done);
                } else {
                    self.truth(expr, fail);
                }
            }
            _ => self.truth(expr, fail),
        }
    }

    /// Emits the evaluation of an expression and a jump to `fail` unless its value is `true`.
    fn truth(&mut self, expr: &'a Expr, fail: Label) {
        let depth = self.depth;
        let src = self.operand(expr);
        self.emit(Ins::JumpUnlessTrue { src, to: fail.0 });
        self.depth = depth;
    }

    fn test_call(&mut self, module: &Expr, name: &Expr, args: &'a [Expr], fail: Label) -> bool {
        let Some(name) = erlang_name(module, name) else { return false };
        let depth = self.depth;
        match (name, args) {
            ("and", [left, right]) => {
                self.condition(left, fail);
                self.condition(right, fail);
            }
            (_, [left, right]) if comparison(name).is_some() => {
                let (a, b) = (self.operand(left), self.operand(right));
                if let Some(op) = comparison(name) {
                    let to = fail.0;
                    self.emit(match self.small_literal(b) {
                        Some(b) => Ins::JumpUnlessInt { op, a, b, to },
                        None => Ins::JumpUnless { op, a, b, to },
                    });
                }
            }
            (_, [value]) if kind_test(name).is_some() => {
                let src = self.operand(value);
                if let Some(kind) = kind_test(name) {
                    self.emit(Ins::JumpUnlessKind { kind, src, to: fail.0 });
                }
            }
            _ => return false,
        }
        self.depth = depth;
        true
    }

    /// Emits a call that is one instruction. Returns whether the call is such a one.
    pub(super) fn operator(&mut self, module: &Atom, name: &Atom, srcs: &[Src], dst: &Dst) -> bool {
        if module.as_str() == "erlang" {
            match (name.as_str(), srcs) {
                // `+X` is compiled to `X + 0`, as BEAM does; for `-0.0` the result is `0.0`.
                ("+", [a]) => {
                    let a = *a;
                    self.compute(dst, |dst| Ins::AddInt { dst, a, b: 0 });
                    return true;
                }
                ("+", [a, b]) => {
                    let small = self.small_literal(*b).filter(|it| *it >= 0);
                    let (a, b) = (*a, *b);
                    self.compute(dst, |dst| match small {
                        Some(b) => Ins::AddInt { dst, a, b },
                        None => Ins::Add { dst, a, b },
                    });
                    return true;
                }
                ("-", [a, b]) => {
                    let small = self.small_literal(*b).filter(|it| *it > 0);
                    let (a, b) = (*a, *b);
                    self.compute(dst, |dst| match small {
                        Some(b) => Ins::AddInt { dst, a, b: -b },
                        None => Ins::Subtract { dst, a, b },
                    });
                    return true;
                }
                ("*", [a, b]) => {
                    let (a, b) = (*a, *b);
                    self.compute(dst, |dst| Ins::Multiply { dst, a, b });
                    return true;
                }
                (op, [a, b]) if comparison(op).is_some() => {
                    let (a, b, op) = (*a, *b, comparison(op).unwrap_or(Cmp::Same));
                    self.compute(dst, |dst| Ins::Compare { op, dst, a, b });
                    return true;
                }
                (test, [src]) if kind_test(test).is_some() => {
                    let (src, kind) = (*src, kind_test(test).unwrap_or(Kind::Atom));
                    self.compute(dst, |dst| Ins::IsKind { kind, dst, src });
                    return true;
                }
                _ => (),
            }
        }
        let Some(builtin) = self.builtin(module, name, srcs.len()) else { return false };
        match srcs {
            [a] => {
                let a = *a;
                self.compute(dst, |dst| Ins::Builtin1 { dst, builtin, a });
            }
            [a, b] => {
                let (a, b) = (*a, *b);
                self.compute(dst, |dst| Ins::Builtin2 { dst, builtin, a, b });
            }
            _ => {
                let (n, args) = (count(srcs.len()), self.operands(srcs));
                self.compute(dst, |dst: Reg| Ins::Builtin { n, dst, builtin, args });
            }
        }
        true
    }

    /// The value of an operand that is an integer literal of at most 32 bits.
    fn small_literal(&self, src: Src) -> Option<i32> {
        let literal = self.lowering.world.literals.get(src.open().ok()?)?;
        literal.as_int().and_then(|it| i32::try_from(it).ok())
    }

    /// Whether this function of the module is implemented by a builtin.
    pub(super) fn is_builtin(&mut self, name: &Atom, arity: usize) -> bool {
        let name = self.lowering.world.atoms.intern(name.as_str());
        let key = (self.lowering.name, name, u32::try_from(arity).unwrap_or(u32::MAX));
        self.lowering.program.builtin_ids.contains_key(&key)
    }

    /// The builtin with this name, if it computes its result immediately (`How::Native`).
    fn builtin(&mut self, module: &Atom, name: &Atom, arity: usize) -> Option<BuiltinId> {
        let atoms = &self.lowering.world.atoms;
        let key =
            (atoms.find(module.as_str())?, atoms.find(name.as_str())?, u32::try_from(arity).ok()?);
        let id = *self.lowering.program.builtin_ids.get(&key)?;
        let builtin = self.lowering.program.builtins.get(id.0 as usize)?;
        matches!(builtin.how, How::Native(_)).then_some(id)
    }
}

fn erlang_name<'e>(module: &Expr, name: &'e Expr) -> Option<&'e str> {
    match (&module.kind, &name.kind) {
        (ExprKind::Literal(module), ExprKind::Literal(name)) => {
            if module.as_atom()? == "erlang" {
                name.as_atom()
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Whether the expression is a call of a type test or comparison, which returns a boolean and never fails.
fn is_test(expr: &Expr) -> bool {
    let ExprKind::Call { module, name, args } = &expr.kind else { return false };
    let Some(name) = erlang_name(module, name) else { return false };
    match args.len() {
        1 => kind_test(name).is_some(),
        2 => comparison(name).is_some(),
        _ => false,
    }
}

/// Whether the expression is `try G of V -> V catch _ -> false end`, which the compiler wraps around guards.
fn is_guard_try(vars: &[crate::core::VarId], body: &Expr) -> bool {
    matches!((vars, &body.kind), ([var], ExprKind::Var(it)) if it == var)
}

/// The test and the two branches of `case T of true -> A; false -> B; … end`.
fn if_then_else<'a>(
    args: &'a [Expr],
    clauses: &'a [Clause],
) -> Option<(&'a Expr, &'a Expr, &'a Expr)> {
    let ([test], [yes, no, ..]) = (args, clauses) else { return None };
    let matches = |clause: &Clause, name: &str| {
        matches!(clause.patterns.as_slice(),
            [Pattern::Literal(Term::Atom(it))] if it.as_str() == name)
            && is_true(&clause.guard)
    };
    (matches(yes, "true") && matches(no, "false")).then_some((test, &yes.body, &no.body))
}

pub(super) fn comparison(name: &str) -> Option<Cmp> {
    Some(match name {
        "<" => Cmp::Less,
        "=<" => Cmp::LessEqual,
        ">" => Cmp::Greater,
        ">=" => Cmp::GreaterEqual,
        "==" => Cmp::Equal,
        "/=" => Cmp::NotEqual,
        "=:=" => Cmp::Same,
        "=/=" => Cmp::NotSame,
        _ => return None,
    })
}

pub(super) fn kind_test(name: &str) -> Option<Kind> {
    Some(match name {
        "is_atom" => Kind::Atom,
        "is_binary" => Kind::Binary,
        "is_bitstring" => Kind::Bitstring,
        "is_boolean" => Kind::Boolean,
        "is_float" => Kind::Float,
        "is_function" => Kind::Function,
        "is_integer" => Kind::Integer,
        "is_list" => Kind::List,
        "is_map" => Kind::Map,
        "is_number" => Kind::Number,
        "is_pid" => Kind::Pid,
        "is_port" => Kind::Port,
        "is_reference" => Kind::Reference,
        "is_tuple" => Kind::Tuple,
        _ => return None,
    })
}
