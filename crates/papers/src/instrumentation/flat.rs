//! Flat programs (Fig. 3): applications and cases occur only on the right of a `let`, and their operands and the
//! results of functions are patterns.
//!
//! A flat program is an ordinary Core Erlang program. This module decides whether a program is flat, which variables an
//! expression binds (Definition 1) and what it returns (Definition 2).

use erlang::core::{Expr, ExprKind, Lambda, LetrecKind, Module, Pattern, VarId};

/// Whether the module has the form that the instrumentation requires.
pub fn is_flat(module: &Module) -> bool {
    module.functions.iter().all(|it| is_flat_function(&it.lambda))
}

fn is_flat_function(lambda: &Lambda) -> bool {
    is_flat_expr(&lambda.body) && matches!(ret(&lambda.body).kind, ExprKind::Var(_))
}

fn is_flat_expr(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Values(items) => items.iter().all(is_pattern),
        ExprKind::Let { arg, body, .. } => {
            (is_flat_right(arg) || is_flat_expr(arg)) && is_flat_expr(body)
        }
        ExprKind::Seq(first, then) => is_flat_expr(first) && is_flat_expr(then),
        ExprKind::Letrec { functions, body, kind: LetrecKind::Functions } => {
            functions.iter().all(|it| is_flat_function(&it.2)) && is_flat_expr(body)
        }
        _ => is_pattern(expr),
    }
}

/// Whether the expression may occur on the right of a `let` only.
fn is_flat_right(expr: &Expr) -> bool {
    let all = |items: &[Expr]| items.iter().all(is_pattern);
    match &expr.kind {
        ExprKind::Local { args, .. }
        | ExprKind::ApplyLetrec { args, .. }
        | ExprKind::Primop { args, .. } => all(args),
        ExprKind::Apply { fun, args } => is_pattern(fun) && all(args),
        ExprKind::Call { module, name, args } => {
            is_pattern(module) && is_pattern(name) && all(args)
        }
        ExprKind::Map { base, pairs } => {
            is_pattern(base) && pairs.iter().all(|it| is_pattern(&it.key) && is_pattern(&it.value))
        }
        ExprKind::Binary(segments) => segments
            .iter()
            .all(|it| is_pattern(&it.value) && it.size.as_ref().is_none_or(is_pattern)),
        ExprKind::Case { args, clauses } => {
            all(args) && clauses.iter().all(|it| is_flat_expr(&it.body))
        }
        ExprKind::Try { arg, body, handler, .. } => {
            is_flat_expr(arg) && is_flat_expr(body) && is_flat_expr(handler)
        }
        ExprKind::Catch(body) => is_flat_expr(body),
        ExprKind::Lambda(lambda) => is_flat_function(lambda),
        // A block of labels is kept whole: a receive with its jumps.
        ExprKind::Letrec { kind: LetrecKind::Labels, .. } => true,
        _ => false,
    }
}

/// Whether the expression is what the paper calls a pattern: it is evaluated by substituting its variables.
pub(super) fn is_pattern(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Literal(_)
        | ExprKind::FunctionName(..)
        | ExprKind::LetrecName(_) => true,
        ExprKind::Cons(head, tail) => is_pattern(head) && is_pattern(tail),
        ExprKind::Tuple(items) => items.iter().all(is_pattern),
        _ => false,
    }
}

/// Returns the return value of a flat expression: a pattern, or several of them.
pub fn ret(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Let { body, .. } | ExprKind::Letrec { body, .. } => ret(body),
        ExprKind::Seq(_, then) => ret(then),
        _ => expr,
    }
}

/// Returns the bound variables of a flat expression: those of lets first, then those of patterns. Functions inside have
/// their own bound variables.
pub fn bound(expr: &Expr) -> Vec<VarId> {
    let mut res = Bound::default();
    res.expr(expr);
    res.lets.extend(res.patterns);
    res.lets
}

#[derive(Default)]
struct Bound {
    lets: Vec<VarId>,
    patterns: Vec<VarId>,
}

impl Bound {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Let { vars, arg, body } => {
                self.lets.extend(vars);
                self.expr(arg);
                self.expr(body);
            }
            ExprKind::Seq(first, then) => {
                self.expr(first);
                self.expr(then);
            }
            ExprKind::Case { clauses, .. } => {
                for clause in clauses {
                    clause.patterns.iter().for_each(|it| self.pattern(it));
                    self.expr(&clause.body);
                }
            }
            ExprKind::Try { arg, vars, body, raised, handler } => {
                self.expr(arg);
                self.patterns.extend(vars);
                self.expr(body);
                self.patterns.extend(raised.iter().take(2));
                self.expr(handler);
            }
            ExprKind::Catch(body) | ExprKind::Letrec { body, kind: LetrecKind::Functions, .. } => {
                self.expr(body);
            }
            _ => (),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Var(var) => self.patterns.push(*var),
            Pattern::Literal(_) => (),
            Pattern::Cons(head, tail) => {
                self.pattern(head);
                self.pattern(tail);
            }
            Pattern::Tuple(items) => items.iter().for_each(|it| self.pattern(it)),
            Pattern::Map(pairs) => pairs.iter().for_each(|it| self.pattern(&it.1)),
            Pattern::Binary(segments) => segments.iter().for_each(|it| self.pattern(&it.value)),
            Pattern::Alias(var, pattern) => {
                self.patterns.push(*var);
                self.pattern(pattern);
            }
        }
    }
}
