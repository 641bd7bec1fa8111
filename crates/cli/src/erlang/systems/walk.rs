//! Traverses Core Erlang expressions.

use erlang::core::{Expr, ExprKind, MapPair, VarId};

/// The direct subexpressions of an expression.
pub(super) fn parts(of: &Expr) -> Vec<&Expr> {
    match &of.kind {
        ExprKind::Var(_)
        | ExprKind::Literal(_)
        | ExprKind::FunctionName(..)
        | ExprKind::LetrecName(_) => Vec::new(),
        ExprKind::Lambda(lambda) => vec![&lambda.body],
        ExprKind::Cons(head, tail) => vec![head, tail],
        ExprKind::Tuple(items) | ExprKind::Values(items) => items.iter().collect(),
        ExprKind::Map { base, pairs } => {
            let pairs = pairs.iter().flat_map(|MapPair { key, value, .. }| [key, value]);
            std::iter::once(&**base).chain(pairs).collect()
        }
        ExprKind::Binary(segments) => segments.iter().map(|it| &it.value).collect(),
        ExprKind::Let { arg, body, .. } => vec![arg, body],
        ExprKind::Seq(first, second) => vec![first, second],
        ExprKind::Letrec { functions, body, .. } => {
            functions.iter().map(|it| &it.2.body).chain([&**body]).collect()
        }
        ExprKind::Local { args, .. }
        | ExprKind::ApplyLetrec { args, .. }
        | ExprKind::Primop { args, .. } => args.iter().collect(),
        ExprKind::Apply { fun, args } => std::iter::once(&**fun).chain(args).collect(),
        ExprKind::Call { module, name, args } => {
            [&**module, &**name].into_iter().chain(args).collect()
        }
        ExprKind::Case { args, clauses } => {
            let bodies = clauses.iter().flat_map(|it| [&it.guard, &it.body]);
            args.iter().chain(bodies).collect()
        }
        ExprKind::Try { arg, body, handler, .. } => vec![arg, body, handler],
        ExprKind::Catch(body) => vec![body],
    }
}

pub(super) fn mentions(of: &Expr, var: VarId) -> bool {
    matches!(&of.kind, ExprKind::Var(it) if *it == var)
        || parts(of).into_iter().any(|it| mentions(it, var))
}

/// Whether a variable is the subject of a `case` or an argument of a local call. A variable that is only put into
/// other terms, as for a log, is not inspected.
pub(super) fn looks_at(of: &Expr, var: VarId) -> bool {
    let is_var = |it: &Expr| matches!(&it.kind, ExprKind::Var(it) if *it == var);
    let args = if let ExprKind::Case { args, .. } | ExprKind::Local { args, .. } = &of.kind {
        args.as_slice()
    } else {
        &[]
    };
    args.iter().any(is_var) || parts(of).into_iter().any(|it| looks_at(it, var))
}
