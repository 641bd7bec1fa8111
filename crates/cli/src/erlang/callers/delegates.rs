//! Finds delegates: functions that only pass their arguments on to a function outside of the project.
//!
//! An argument that a delegate refuses is one that the other function refuses: `first(Q) -> queue:get(Q).`

use crate::erlang::callers::flow::{as_atom, is_true};
use erlang::core::{Expr, ExprKind, Function, Pattern, VarId};
use term::Atom;

/// The function to which this one delegates; `None` if it does anything else.
pub(super) fn delegate_of(function: &Function) -> Option<(Atom, Atom, usize)> {
    let params = &function.lambda.params;
    let (vars, body) = only_clause(params, &function.lambda.body);
    let ExprKind::Call { module, name, args } = &body.kind else { return None };
    let is_handed_on = |it: &Expr| matches!(&it.kind, ExprKind::Var(var) if vars.contains(var));
    let (module, name) = (as_atom(module)?, as_atom(name)?);
    (!args.is_empty() && args.iter().all(is_handed_on))
        .then(|| (module.clone(), name.clone(), args.len()))
}

/// Returns the function whose result this function returns for all arguments: `total(L) -> total(L, [])`. `None` if
/// the result is not that of a single last call.
pub(super) fn answered_by(of: &Atom, function: &Function) -> Option<(Atom, Atom, usize)> {
    let (_, mut body) = only_clause(&function.lambda.params, &function.lambda.body);
    while let ExprKind::Let { body: last, .. } | ExprKind::Seq(_, last) = &body.kind {
        body = last;
    }
    if let ExprKind::Local { name, args, .. } = &body.kind {
        return Some((of.clone(), name.clone(), args.len()));
    }
    let ExprKind::Call { module, name, args } = &body.kind else { return None };
    Some((as_atom(module)?.clone(), as_atom(name)?.clone(), args.len()))
}

/// Returns the body of a function whose first clause matches all arguments, and the variables bound to the arguments.
/// The body of any other function is returned whole.
fn only_clause<'e>(params: &[VarId], body: &'e Expr) -> (Vec<VarId>, &'e Expr) {
    let mut vars = params.to_vec();
    if let ExprKind::Case { clauses, .. } = &body.kind
        && let Some(first) = clauses.first()
    {
        let is_var = |it: &Pattern| matches!(it, Pattern::Var(_));
        if is_true(&first.guard) && first.patterns.iter().all(is_var) {
            vars.extend(first.patterns.iter().filter_map(|it| match it {
                Pattern::Var(var) => Some(*var),
                Pattern::Alias(..)
                | Pattern::Literal(_)
                | Pattern::Cons(..)
                | Pattern::Tuple(_)
                | Pattern::Map(_)
                | Pattern::Binary(_) => None,
            }));
            return (vars, &first.body);
        }
    }
    (vars, body)
}
