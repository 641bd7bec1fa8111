//! The program instrumentation (Definition 4, Fig. 8).
//!
//! The result is a Core Erlang program that emits, on any runtime, the events that the instrumented semantics gives for
//! the flat program. `out(event, e)` stands for "first the event, then e"; in a strict language it cannot be a function
//! of two arguments.

use crate::instrumentation::flat::{bound, is_pattern, ret};
use crate::instrumentation::show::{group, inline, inline_head, var_group, var_list};
use erlang::core::{Clause, Expr, ExprKind, Function, Lambda, LetrecKind, Module, Place, VarId};
use smol_str::SmolStr;
use std::rc::Rc;
use term::Term;

/// The function that takes events.
const OUT: (&str, &str) = ("gimlet_agent", "out");

/// Returns the flat module instrumented with events.
pub fn instrument(module: &Module) -> Module {
    let names = module.names.as_slice();
    let functions = module.functions.iter();
    let functions = functions.map(|it| {
        // `module_info` is made by the compiler.
        let is_ours = it.name.as_str() != "module_info";
        let lambda = if is_ours { function(names, &it.lambda) } else { it.lambda.clone() };
        Function { name: it.name.clone(), lambda }
    });
    Module { functions: functions.collect(), ..module.clone() }
}

/// Returns the arguments of an expression that emits an event.
pub(super) fn event_of(expr: &Expr) -> Option<&[Expr]> {
    let ExprKind::Call { module, name, args } = &expr.kind else { return None };
    let is = |it: &Expr, text| matches!(&it.kind, ExprKind::Literal(atom) if atom.as_atom() == Some(text));
    (is(module, OUT.0) && is(name, OUT.1)).then_some(args)
}

/// The function around an expression: its parameters and bound variables, with which events begin.
#[derive(Clone)]
pub(super) struct Context<'a> {
    names: &'a [SmolStr],
    /// The text of both lists, such as `[X,Y],[W]`.
    text: Rc<str>,
}

impl<'a> Context<'a> {
    pub(super) fn new(names: &'a [SmolStr], lambda: &Lambda) -> Context<'a> {
        Context { names, text: Context::text_of(names, lambda) }
    }

    /// Returns a context with a text that was made before.
    pub(super) fn again(names: &'a [SmolStr], text: Rc<str>) -> Context<'a> {
        Context { names, text }
    }

    pub(super) fn text_of(names: &[SmolStr], lambda: &Lambda) -> Rc<str> {
        let params = var_list(names, &lambda.params);
        let bound = var_list(names, &bound(&lambda.body));
        format!("{params},{bound}").into()
    }

    pub(super) fn call(&self, vars: &[VarId], args: &[Expr]) -> String {
        let args: Vec<String> = args.iter().map(|it| inline(self.names, it)).collect();
        let vars = var_group(self.names, vars);
        format!("call({},{vars},[{}])", self.text, args.join(","))
    }

    pub(super) fn exit(&self, value: &Expr) -> String {
        format!("exit({},{})", self.text, inline(self.names, value))
    }

    pub(super) fn bind(&self, vars: &[VarId], value: &Expr) -> String {
        let vars = var_group(self.names, vars);
        format!("bind({},{vars},{})", self.text, inline(self.names, value))
    }

    /// Returns the text of a `bind` event up to its value, which only the run knows.
    pub(super) fn bind_value(&self, vars: &[VarId]) -> String {
        format!("bind({},{},", self.text, var_group(self.names, vars))
    }

    pub(super) fn exitcase(&self, vars: &[VarId], value: &Expr) -> String {
        let vars = var_group(self.names, vars);
        format!("exitcase({},{vars},{})", self.text, inline(self.names, value))
    }

    /// Returns the event that the n-th clause, counted from 1, was selected.
    pub(super) fn case(&self, n: usize, args: &[Expr], clauses: &[Clause]) -> String {
        let arg = group(args.iter().map(|it| inline(self.names, it)));
        let head = |it: &Clause| inline_head(self.names, it);
        let heads = clauses.iter().zip(1..).map(|(it, n)| format!("({n},{arg},{})", head(it)));
        let heads: Vec<String> = heads.collect();
        let selected = clauses.get(n.saturating_sub(1)).map(head).unwrap_or_default();
        format!("case({},{n},{arg},{selected},[{}])", self.text, heads.join(","))
    }
}

/// The class of the expression that a `let` binds.
pub(super) enum BindingKind<'a> {
    /// A call inside the program, with its arguments.
    Apply(&'a [Expr]),
    Case,
    Try,
    /// Computed outside the program: the value is part of the event.
    Outside,
    /// Another operation, whose text is its value.
    Static,
    /// A flat expression.
    Flat,
}

impl BindingKind<'_> {
    pub(super) fn of(expr: &Expr) -> BindingKind<'_> {
        match &expr.kind {
            ExprKind::Local { args, .. }
            | ExprKind::ApplyLetrec { args, .. }
            | ExprKind::Apply { args, .. } => BindingKind::Apply(args),
            ExprKind::Case { .. } => BindingKind::Case,
            ExprKind::Try { .. } => BindingKind::Try,
            ExprKind::Call { .. }
            | ExprKind::Catch(_)
            | ExprKind::Letrec { kind: LetrecKind::Labels, .. } => BindingKind::Outside,
            ExprKind::Primop { .. }
            | ExprKind::Map { .. }
            | ExprKind::Binary(_)
            | ExprKind::Lambda(_) => BindingKind::Static,
            _ => BindingKind::Flat,
        }
    }
}

fn function(names: &[SmolStr], lambda: &Lambda) -> Lambda {
    let transform = Transform { names, context: Context::new(names, lambda) };
    let body = transform.expr(&lambda.body, &End::Function);
    Lambda { body, ..lambda.clone() }
}

/// Which event follows the value of an expression.
enum End<'a> {
    /// None: the `let` around it emits the event.
    Inner,
    Function,
    /// `exitcase`, with the variables of the case to which the branch belongs.
    Branch(&'a [VarId]),
}

struct Transform<'a> {
    names: &'a [SmolStr],
    context: Context<'a>,
}

impl Transform<'_> {
    fn expr(&self, expr: &Expr, end: &End<'_>) -> Expr {
        let place = expr.place;
        let kind = match &expr.kind {
            ExprKind::Let { vars, arg, body } => {
                let body = self.expr(body, end);
                let (arg, body) = self.right(vars, arg, body);
                ExprKind::Let { vars: vars.clone(), arg: Box::new(arg), body: Box::new(body) }
            }
            ExprKind::Seq(first, then) => {
                let first = self.expr(first, &End::Inner);
                ExprKind::Seq(Box::new(first), Box::new(self.expr(then, end)))
            }
            ExprKind::Letrec { functions, body, kind } => {
                let functions = functions.iter();
                let functions =
                    functions.map(|it| (it.0, it.1.clone(), function(self.names, &it.2)));
                let body = Box::new(self.expr(body, end));
                ExprKind::Letrec { functions: functions.collect(), body, kind: *kind }
            }
            _ => match end {
                End::Inner => return expr.clone(),
                End::Function => return out(&self.context.exit(expr), expr.clone()),
                End::Branch(vars) => return out(&self.context.exitcase(vars, expr), expr.clone()),
            },
        };
        Expr { kind, place }
    }

    /// Instruments what a `let` binds, and what follows it.
    fn right(&self, vars: &[VarId], arg: &Expr, body: Expr) -> (Expr, Expr) {
        let context = &self.context;
        match BindingKind::of(arg) {
            BindingKind::Apply(args) => (out(&context.call(vars, args), arg.clone()), body),
            BindingKind::Case | BindingKind::Try => (self.branches(vars, arg), body),
            BindingKind::Outside => {
                let arg = match &arg.kind {
                    ExprKind::Catch(inner) => {
                        let inner = Box::new(self.expr(inner, &End::Inner));
                        Expr { kind: ExprKind::Catch(inner), place: arg.place }
                    }
                    _ => arg.clone(),
                };
                (arg, out_value(&context.bind_value(vars), vars, body))
            }
            BindingKind::Static => {
                let event = context.bind(vars, arg);
                let arg = match &arg.kind {
                    ExprKind::Lambda(lambda) => {
                        let lambda = Box::new(function(self.names, lambda));
                        Expr { kind: ExprKind::Lambda(lambda), place: arg.place }
                    }
                    _ => arg.clone(),
                };
                (arg, out(&event, body))
            }
            BindingKind::Flat => {
                let event = context.bind(vars, ret(arg));
                (self.expr(arg, &End::Inner), out(&event, body))
            }
        }
    }

    fn branches(&self, of: &[VarId], expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Case { args, clauses } => {
                let branch = |(n, clause): (usize, &Clause)| {
                    let body = self.expr(&clause.body, &End::Branch(of));
                    let event = self.context.case(n, args, clauses);
                    Clause { body: out(&event, body), ..clause.clone() }
                };
                let branches = (1..).zip(clauses).map(branch).collect();
                ExprKind::Case { args: args.clone(), clauses: branches }
            }
            ExprKind::Try { arg, vars, body, raised, handler } => {
                let event = self.context.bind(vars, ret(arg));
                let seen: Vec<VarId> = raised.iter().copied().take(2).collect();
                let caught = self.context.bind_value(&seen);
                let handler = self.expr(handler, &End::Branch(of));
                ExprKind::Try {
                    arg: Box::new(self.expr(arg, &End::Inner)),
                    vars: vars.clone(),
                    body: Box::new(out(&event, self.expr(body, &End::Branch(of)))),
                    raised: raised.clone(),
                    handler: Box::new(out_value(&caught, &seen, handler)),
                }
            }
            kind => kind.clone(),
        };
        Expr { kind, place: expr.place }
    }
}

/// Returns `out(event, then)`.
fn out(event: &str, then: Expr) -> Expr {
    put(vec![literal(Term::binary(event.as_bytes().to_vec()))], then)
}

/// Returns `out(event, then)` where the event ends with the values of variables.
fn out_value(event: &str, vars: &[VarId], then: Expr) -> Expr {
    let place = Place::default();
    let mut values: Vec<Expr> =
        vars.iter().map(|it| Expr { kind: ExprKind::Var(*it), place }).collect();
    let value = match (values.pop(), values.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            values.extend(last);
            Expr { kind: ExprKind::Tuple(values), place }
        }
    };
    debug_assert!(is_pattern(&value), "variables are patterns");
    put(vec![literal(Term::binary(event.as_bytes().to_vec())), value], then)
}

fn put(args: Vec<Expr>, then: Expr) -> Expr {
    let place = then.place;
    let name = |text| Box::new(literal(Term::atom(text)));
    let kind = ExprKind::Call { module: name(OUT.0), name: name(OUT.1), args };
    let event = Expr { kind, place: Place::default() };
    Expr { kind: ExprKind::Seq(Box::new(event), Box::new(then)), place }
}

fn literal(term: Term) -> Expr {
    Expr { kind: ExprKind::Literal(term), place: Place::default() }
}
