//! The transformation of Core Erlang into flat programs.
//!
//! Every value computed inside another expression gets a name, in the order of evaluation, and so does the result of a
//! function. Nothing is evaluated more or less often, or in another order. Guards are kept whole, as parts of what a
//! clause matches. So are blocks of labels, which the compiler makes of `receive` and which break when they are torn.

use crate::instrumentation::flat::{is_flat, is_pattern};
use erlang::core::{Expr, ExprKind, Function, Lambda, LetrecKind, MapPair, Module, Segment, VarId};
use smol_str::{SmolStr, format_smolstr};
use term::fit_u32;

/// Returns an equivalent flat module. Names of variables are unique in each function.
pub fn flatten(module: &Module) -> Module {
    let mut flattener = Flattener {
        names: module.names.clone(),
        uses: module.uses.clone(),
        made: Vec::new(),
        seen: Vec::new(),
    };
    let mut functions = Vec::new();
    for function in &module.functions {
        flattener.made.clear();
        flattener.seen.clear();
        let lambda = flattener.function(function.lambda.clone());
        functions.push(Function { name: function.name.clone(), lambda });
        flattener.give_names();
    }
    let Flattener { names, uses, .. } = flattener;
    let res = Module { functions, names, uses, ..module.clone() };
    debug_assert!(is_flat(&res), "what was flattened is flat");
    res
}

struct Flattener {
    names: Vec<SmolStr>,
    uses: Vec<u32>,
    /// The variables that were introduced in the current function, in order.
    made: Vec<VarId>,
    /// The variables that the function had before.
    seen: Vec<VarId>,
}

/// A `let` that is placed before an expression.
type Binding = (Vec<VarId>, Expr);

impl Flattener {
    /// Turns the body into `let X = e in X`, unless it has that form.
    fn function(&mut self, lambda: Lambda) -> Lambda {
        self.seen.extend(&lambda.params);
        let place = lambda.body.place;
        let mut body = self.expr(lambda.body, 1);
        let is_done = matches!(&body.kind, ExprKind::Let { vars, arg, body } if
            !is_pattern(arg) && matches!((vars.as_slice(), &body.kind), ([x], ExprKind::Var(y)) if x == y));
        if !is_done {
            let var = self.fresh();
            let end = Box::new(Expr { kind: ExprKind::Var(var), place });
            let kind = ExprKind::Let { vars: vec![var], arg: Box::new(body), body: end };
            body = Expr { kind, place };
        }
        Lambda { body, ..lambda }
    }

    /// Returns a flat expression of `n` values.
    fn expr(&mut self, expr: Expr, n: usize) -> Expr {
        if is_pattern(&expr) {
            return expr;
        }
        let place = expr.place;
        let mut before = Vec::new();
        let kind = match expr.kind {
            ExprKind::Values(items) => ExprKind::Values(self.patterns(items, &mut before)),
            kind @ (ExprKind::Cons(..) | ExprKind::Tuple(_)) => {
                self.pattern(Expr { kind, place }, &mut before).kind
            }
            ExprKind::Let { vars, arg, body } => {
                self.seen.extend(&vars);
                let arg = if is_right(&arg) {
                    let arg = self.operands(*arg, &mut before);
                    self.inside(arg, vars.len())
                } else {
                    self.expr(*arg, vars.len())
                };
                let body = Box::new(self.expr(*body, n));
                ExprKind::Let { vars, arg: Box::new(arg), body }
            }
            ExprKind::Seq(first, then) => {
                let first = self.expr(*first, 1);
                ExprKind::Seq(Box::new(first), Box::new(self.expr(*then, n)))
            }
            ExprKind::Letrec { functions, body, kind: LetrecKind::Functions } => {
                let functions = functions.into_iter();
                let functions = functions.map(|it| (it.0, it.1, self.function(it.2))).collect();
                let body = Box::new(self.expr(*body, n));
                ExprKind::Letrec { functions, body, kind: LetrecKind::Functions }
            }
            kind => {
                let right = self.operands(Expr { kind, place }, &mut before);
                let vars: Vec<VarId> = (0..n).map(|_| self.fresh()).collect();
                let right = self.inside(right, n);
                let values = vars.iter().map(|it| Expr { kind: ExprKind::Var(*it), place });
                let mut values: Vec<Expr> = values.collect();
                let body = match (values.pop(), values.is_empty()) {
                    (Some(only), true) => only,
                    (last, _) => {
                        values.extend(last);
                        Expr { kind: ExprKind::Values(values), place }
                    }
                };
                ExprKind::Let { vars, arg: Box::new(right), body: Box::new(body) }
            }
        };
        before.into_iter().rev().fold(Expr { kind, place }, |body, (vars, arg)| {
            let kind = ExprKind::Let { vars, arg: Box::new(arg), body: Box::new(body) };
            Expr { kind, place }
        })
    }

    /// Replaces the operands of an expression by patterns.
    fn operands(&mut self, expr: Expr, before: &mut Vec<Binding>) -> Expr {
        let kind = match expr.kind {
            ExprKind::Local { name, arity, args } => {
                ExprKind::Local { name, arity, args: self.patterns(args, before) }
            }
            ExprKind::ApplyLetrec { function, args } => {
                ExprKind::ApplyLetrec { function, args: self.patterns(args, before) }
            }
            ExprKind::Primop { name, args } => {
                ExprKind::Primop { name, args: self.patterns(args, before) }
            }
            ExprKind::Apply { fun, args } => {
                let fun = Box::new(self.pattern(*fun, before));
                ExprKind::Apply { fun, args: self.patterns(args, before) }
            }
            ExprKind::Call { module, name, args } => {
                let module = Box::new(self.pattern(*module, before));
                let name = Box::new(self.pattern(*name, before));
                ExprKind::Call { module, name, args: self.patterns(args, before) }
            }
            ExprKind::Map { base, pairs } => {
                let base = Box::new(self.pattern(*base, before));
                let pairs = pairs.into_iter().map(|it| {
                    let (key, value) =
                        (self.pattern(it.key, before), self.pattern(it.value, before));
                    MapPair { op: it.op, key, value }
                });
                ExprKind::Map { base, pairs: pairs.collect() }
            }
            ExprKind::Binary(segments) => {
                let segments = segments.into_iter().map(|it| {
                    let value = self.pattern(it.value, before);
                    let size = it.size.map(|it| self.pattern(it, before));
                    Segment { value, size, ..it }
                });
                ExprKind::Binary(segments.collect())
            }
            ExprKind::Case { args, clauses } => {
                ExprKind::Case { args: self.patterns(args, before), clauses }
            }
            kind => kind,
        };
        Expr { kind, place: expr.place }
    }

    /// Flattens the expressions inside the right side of a `let` of `n` variables.
    fn inside(&mut self, expr: Expr, n: usize) -> Expr {
        let kind = match expr.kind {
            ExprKind::Case { args, mut clauses } => {
                for clause in &mut clauses {
                    for pattern in &clause.patterns {
                        pattern_vars(pattern, &mut self.seen);
                    }
                    let body = std::mem::replace(&mut clause.body, nothing());
                    clause.body = self.expr(body, n);
                }
                ExprKind::Case { args, clauses }
            }
            ExprKind::Try { arg, vars, body, raised, handler } => {
                self.seen.extend(vars.iter().chain(&raised));
                ExprKind::Try {
                    arg: Box::new(self.expr(*arg, vars.len())),
                    vars,
                    body: Box::new(self.expr(*body, n)),
                    raised,
                    handler: Box::new(self.expr(*handler, n)),
                }
            }
            ExprKind::Catch(body) => ExprKind::Catch(Box::new(self.expr(*body, 1))),
            ExprKind::Lambda(lambda) => ExprKind::Lambda(Box::new(self.function(*lambda))),
            kind => kind,
        };
        Expr { kind, place: expr.place }
    }

    fn patterns(&mut self, items: Vec<Expr>, before: &mut Vec<Binding>) -> Vec<Expr> {
        items.into_iter().map(|it| self.pattern(it, before)).collect()
    }

    /// Returns a pattern with the same value; what must be computed for it is added to `before`.
    fn pattern(&mut self, expr: Expr, before: &mut Vec<Binding>) -> Expr {
        if is_pattern(&expr) {
            return expr;
        }
        let place = expr.place;
        let kind = match expr.kind {
            ExprKind::Cons(head, tail) => {
                let head = Box::new(self.pattern(*head, before));
                ExprKind::Cons(head, Box::new(self.pattern(*tail, before)))
            }
            ExprKind::Tuple(items) => ExprKind::Tuple(self.patterns(items, before)),
            kind => {
                let expr = Expr { kind, place };
                let (var, right) = if is_right(&expr) {
                    let right = self.operands(expr, before);
                    (self.fresh(), self.inside(right, 1))
                } else {
                    let flat = self.expr(expr, 1);
                    (self.fresh(), flat)
                };
                before.push((vec![var], right));
                ExprKind::Var(var)
            }
        };
        Expr { kind, place }
    }

    fn fresh(&mut self) -> VarId {
        let var = VarId(fit_u32(self.names.len()));
        self.names.push(SmolStr::new("W"));
        self.uses.push(1);
        self.made.push(var);
        var
    }

    /// Names the new variables `W` if there is only one, otherwise `W1`, `W2` …; a name that occurs more than once gets
    /// a number.
    fn give_names(&mut self) {
        let mut taken: Vec<SmolStr> = Vec::new();
        let seen = std::mem::take(&mut self.seen);
        let made = std::mem::take(&mut self.made);
        let number = |n: usize| if made.len() == 1 { "W".into() } else { format_smolstr!("W{n}") };
        let wanted = seen.into_iter().map(|it| (it, None));
        let wanted = wanted.chain(made.iter().zip(1..).map(|it| (*it.0, Some(number(it.1)))));
        for (var, name) in wanted {
            let Some(slot) = self.names.get_mut(var.0 as usize) else { continue };
            let name = name.unwrap_or_else(|| slot.clone());
            let mut free = name.clone();
            let mut n = 2;
            while taken.contains(&free) {
                free = format_smolstr!("{name}_{n}");
                n += 1;
            }
            taken.push(free.clone());
            *slot = free;
        }
    }
}

/// Whether the expression may occur on the right of a `let` only.
fn is_right(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Letrec { kind, .. } => *kind == LetrecKind::Labels,
        ExprKind::Let { .. } | ExprKind::Seq(..) | ExprKind::Values(_) => false,
        ExprKind::Cons(..) | ExprKind::Tuple(_) => false,
        ExprKind::Var(_)
        | ExprKind::Literal(_)
        | ExprKind::FunctionName(..)
        | ExprKind::LetrecName(_) => false,
        ExprKind::Lambda(_)
        | ExprKind::Map { .. }
        | ExprKind::Binary(_)
        | ExprKind::Local { .. }
        | ExprKind::ApplyLetrec { .. }
        | ExprKind::Apply { .. }
        | ExprKind::Call { .. }
        | ExprKind::Primop { .. }
        | ExprKind::Case { .. }
        | ExprKind::Try { .. }
        | ExprKind::Catch(_) => true,
    }
}

fn pattern_vars(pattern: &erlang::core::Pattern, vars: &mut Vec<VarId>) {
    use erlang::core::Pattern;
    match pattern {
        Pattern::Var(var) => vars.push(*var),
        Pattern::Literal(_) => (),
        Pattern::Cons(head, tail) => {
            pattern_vars(head, vars);
            pattern_vars(tail, vars);
        }
        Pattern::Tuple(items) => items.iter().for_each(|it| pattern_vars(it, vars)),
        Pattern::Map(pairs) => pairs.iter().for_each(|it| pattern_vars(&it.1, vars)),
        Pattern::Binary(segments) => segments.iter().for_each(|it| pattern_vars(&it.value, vars)),
        Pattern::Alias(var, pattern) => {
            vars.push(*var);
            pattern_vars(pattern, vars);
        }
    }
}

fn nothing() -> Expr {
    Expr { kind: ExprKind::Values(vec![]), place: erlang::core::Place::default() }
}
