//! Finds the references that every message matched by a receive must contain.
//!
//! A receive need not scan messages that arrived before such a reference was created. This module only analyses the
//! tree; the emitter generates the code.

use crate::core::{Clause, Expr, ExprKind, Pattern, VarId};

/// The variables that every message matched by the receive must contain, according to the guards. Which of them are
/// references is known only at run time. `body` is the expression that follows `recv_peek_message`, and `message` is
/// the second value of that operation.
pub(super) fn awaited(message: VarId, body: &Expr) -> Vec<&Expr> {
    clauses_of(message, body).map_or_else(Vec::new, |clauses| in_all(clauses))
}

fn clauses_of(message: VarId, body: &Expr) -> Option<&[Clause]> {
    let ExprKind::Case { clauses, .. } = &body.kind else { return None };
    clauses.iter().find_map(|it| match &it.body.kind {
        ExprKind::Case { args, clauses } => {
            let is_it = matches!(args.as_slice(), [it] if is_var(it, message));
            is_it.then_some(clauses.as_slice())
        }
        _ => None,
    })
}

/// The variables that the matching conditions of all clauses have in common.
fn in_all(clauses: &[Clause]) -> Vec<&Expr> {
    let mut takes = clauses.iter().filter(|it| !goes_on(it));
    let Some(first) = takes.next() else { return Vec::new() };
    let mut res = asked_for(first);
    for clause in takes {
        let others = asked_for(clause);
        res.retain(|it| {
            let ExprKind::Var(var) = it.kind else { return false };
            others.iter().any(|it| is_var(it, var))
        });
    }
    res
}

/// Whether the clause leaves the message in the mailbox and continues with the next one.
fn goes_on(clause: &Clause) -> bool {
    let ExprKind::Seq(first, _) = &clause.body.kind else { return false };
    matches!(&first.kind, ExprKind::Primop { name, .. } if name.as_str() == "recv_next")
}

/// The variables bound outside of the receive that a part of the message must equal for the clause to match.
fn asked_for(clause: &Clause) -> Vec<&Expr> {
    let mut own = Vec::new();
    clause.patterns.iter().for_each(|it| bound(it, &mut own));
    let mut res = Vec::new();
    let mut named: Vec<(VarId, &Expr)> = Vec::new();
    let mut todo = vec![&clause.guard];
    while let Some(condition) = todo.pop() {
        // A conjunction is compiled to `let`s that compute the single conditions and an `and` of their variables.
        match &condition.kind {
            ExprKind::Let { vars, arg, body } => {
                named.extend(vars.first().map(|it| (*it, &**arg)));
                todo.push(body);
            }
            ExprKind::Var(var) => {
                todo.extend(named.iter().find(|it| it.0 == *var).map(|it| it.1));
            }
            _ => (),
        }
        let ExprKind::Call { module, name, args } = &condition.kind else { continue };
        let is_erlang = literal(module) == Some("erlang");
        match (literal(name).filter(|_| is_erlang), args.as_slice()) {
            (Some("and"), [left, right]) => todo.extend([left, right]),
            (Some("=:="), [left, right]) => {
                let sides = [(left, right), (right, left)];
                res.extend(sides.into_iter().filter_map(|(part, outer)| {
                    let (ExprKind::Var(part), ExprKind::Var(var)) = (&part.kind, &outer.kind)
                    else {
                        return None;
                    };
                    (own.contains(part) && !own.contains(var)).then_some(outer)
                }));
            }
            _ => (),
        }
    }
    res
}

fn bound(pattern: &Pattern, acc: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => acc.push(*var),
        Pattern::Literal(_) | Pattern::Binary(_) => (),
        Pattern::Cons(head, tail) => {
            bound(head, acc);
            bound(tail, acc);
        }
        Pattern::Tuple(items) => items.iter().for_each(|it| bound(it, acc)),
        Pattern::Map(pairs) => pairs.iter().for_each(|it| bound(&it.1, acc)),
        Pattern::Alias(var, pattern) => {
            acc.push(*var);
            bound(pattern, acc);
        }
    }
}

fn is_var(expr: &Expr, var: VarId) -> bool {
    matches!(expr.kind, ExprKind::Var(it) if it == var)
}

fn literal(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(term) => term.as_atom(),
        _ => None,
    }
}
