//! Finds the names that an expression mentions.

use crate::core::{Expr, ExprKind, Lambda, LetrecKind, Pattern, VarId};
use term::Atom;

/// Calls `visit` for every variable and letrec name in the lambda, including nested funs.
pub(super) fn mentioned(lambda: &Lambda, visit: &mut dyn FnMut(VarId)) {
    walk(&lambda.body, &mut |expr| {
        match &expr.kind {
            ExprKind::Var(var) | ExprKind::LetrecName(var) => visit(*var),
            ExprKind::ApplyLetrec { function, .. } => visit(*function),
            _ => (),
        };
    });
}

/// Whether every mention of the names is a call in tail position of `expr`, so that the functions can be blocks of code
/// that are jumped to.
pub(super) fn only_jumped_to(names: &[VarId], expr: &Expr) -> bool {
    let none = |expr: &Expr| !mentions(names, expr);
    match &expr.kind {
        ExprKind::ApplyLetrec { args, .. } => args.iter().all(none),
        ExprKind::Let { arg, body, .. } | ExprKind::Seq(arg, body) => {
            none(arg) && only_jumped_to(names, body)
        }
        ExprKind::Case { args, clauses } => {
            args.iter().all(none)
                && clauses.iter().all(|it| none(&it.guard) && only_jumped_to(names, &it.body))
        }
        ExprKind::Letrec { functions, body, kind } => {
            functions.iter().all(|it| only_jumped_to(names, &it.2.body))
                && only_jumped_to(names, body)
                // An inner letrec that becomes a function can't jump to a block outside of it.
                && (!functions.iter().any(|it| mentions(names, &it.2.body))
                    || (*kind == LetrecKind::Labels && is_block(functions, body)))
        }
        ExprKind::Try { arg, body, handler, .. } => {
            none(arg) && only_jumped_to(names, body) && only_jumped_to(names, handler)
        }
        _ => none(expr),
    }
}

/// Whether the functions of a letrec can be compiled to blocks.
pub(super) fn is_block(functions: &[(VarId, Atom, Lambda)], body: &Expr) -> bool {
    let names: Vec<VarId> = functions.iter().map(|it| it.0).collect();
    only_jumped_to(&names, body) && functions.iter().all(|it| only_jumped_to(&names, &it.2.body))
}

pub(super) fn mentions(names: &[VarId], expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, &mut |it| match &it.kind {
        ExprKind::LetrecName(var) | ExprKind::ApplyLetrec { function: var, .. } => {
            found |= names.contains(var);
        }
        _ => (),
    });
    found
}

/// Visits an expression and all of its subexpressions.
fn walk<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Literal(_)
        | ExprKind::FunctionName(..)
        | ExprKind::LetrecName(_) => (),
        ExprKind::Lambda(lambda) => walk(&lambda.body, visit),
        ExprKind::Cons(left, right) | ExprKind::Seq(left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Tuple(items) | ExprKind::Values(items) => walk_all(items, visit),
        ExprKind::Map { base, pairs } => {
            walk(base, visit);
            for pair in pairs {
                walk(&pair.key, visit);
                walk(&pair.value, visit);
            }
        }
        ExprKind::Binary(segments) => {
            for segment in segments {
                walk(&segment.value, visit);
                segment.size.iter().for_each(|it| walk(it, visit));
            }
        }
        ExprKind::Let { arg, body, .. } => {
            walk(arg, visit);
            walk(body, visit);
        }
        ExprKind::Letrec { functions, body, .. } => {
            functions.iter().for_each(|it| walk(&it.2.body, visit));
            walk(body, visit);
        }
        ExprKind::Local { args, .. }
        | ExprKind::ApplyLetrec { args, .. }
        | ExprKind::Primop { args, .. } => walk_all(args, visit),
        ExprKind::Apply { fun, args } => {
            walk(fun, visit);
            walk_all(args, visit);
        }
        ExprKind::Call { module, name, args } => {
            walk(module, visit);
            walk(name, visit);
            walk_all(args, visit);
        }
        ExprKind::Case { args, clauses } => {
            walk_all(args, visit);
            for clause in clauses {
                clause.patterns.iter().for_each(|it| walk_pattern(it, visit));
                walk(&clause.guard, visit);
                walk(&clause.body, visit);
            }
        }
        ExprKind::Try { arg, body, handler, .. } => {
            walk(arg, visit);
            walk(body, visit);
            walk(handler, visit);
        }
        ExprKind::Catch(body) => walk(body, visit),
    }
}

fn walk_all<'a>(exprs: &'a [Expr], visit: &mut dyn FnMut(&'a Expr)) {
    for expr in exprs {
        walk(expr, visit);
    }
}

/// Visits the expressions in a pattern: map keys and segment sizes mention variables.
fn walk_pattern<'a>(pattern: &'a Pattern, visit: &mut dyn FnMut(&'a Expr)) {
    match pattern {
        Pattern::Var(_) | Pattern::Literal(_) => (),
        Pattern::Cons(head, tail) => {
            walk_pattern(head, visit);
            walk_pattern(tail, visit);
        }
        Pattern::Tuple(items) => items.iter().for_each(|it| walk_pattern(it, visit)),
        Pattern::Map(pairs) => {
            for (key, value) in pairs {
                walk(key, visit);
                walk_pattern(value, visit);
            }
        }
        Pattern::Binary(segments) => {
            for segment in segments {
                segment.size.iter().for_each(|it| walk(it, visit));
                walk_pattern(&segment.value, visit);
            }
        }
        Pattern::Alias(_, inner) => walk_pattern(inner, visit),
    }
}
