//! What the functions of a module do with a process: start it, or speak to it, and which argument names it.
//!
//! Told by the calls in the code, through functions of the same module.

use erlang::core::{Expr, ExprKind, Function, MapPair, Module, Pattern, VarId};
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Term};

/// What a function does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    /// It starts a process of this module; with the argument that is given to `init/1` as it is.
    pub(super) starts: Option<Option<usize>>,
    /// It speaks to a process.
    pub(super) speaks: bool,
    /// The arguments that name the process.
    pub(super) servers: BTreeSet<usize>,
    /// It asks for a message after some time.
    pub(super) waits: bool,
}

pub(super) type AllRoles = BTreeMap<(Atom, usize), Roles>;

/// Modules whose functions start processes of behaviours and speak to them.
const RUNTIMES: &[&str] = &[
    "gen",
    "gen_server",
    "gen_statem",
    "gen_event",
    "supervisor",
    "Elixir.GenServer",
    "Elixir.Agent",
    "Elixir.Supervisor",
    "Elixir.DynamicSupervisor",
];

pub(super) fn roles(module: &Module) -> AllRoles {
    let mut known = AllRoles::new();
    // What a function does is known when it is known of those that it calls.
    for _ in 0..=module.functions.len() {
        let mut next = AllRoles::new();
        for function in &module.functions {
            let name = (function.name.clone(), function.lambda.params.len());
            next.insert(name, of_function(module, function, &known));
        }
        if next == known {
            break;
        }
        known = next;
    }
    known
}

fn of_function(module: &Module, function: &Function, known: &AllRoles) -> Roles {
    let params = function.lambda.params.iter().enumerate().map(|(n, var)| (*var, n));
    let mut reader =
        Reader { module: &module.name, known, params: params.collect(), roles: Roles::default() };
    reader.expr(&function.lambda.body);
    reader.roles
}

struct Reader<'a> {
    module: &'a Atom,
    known: &'a AllRoles,
    /// The variables that are an argument of the function.
    params: BTreeMap<VarId, usize>,
    roles: Roles,
}

impl Reader<'_> {
    fn expr(&mut self, of: &Expr) {
        match &of.kind {
            ExprKind::Call { module, name, args } => {
                if let (Some(module), Some(name)) = (atom(module), atom(name)) {
                    self.call(module, name, args);
                }
            }
            ExprKind::Local { name, args, .. } => self.local(name, args),
            ExprKind::Case { args, clauses } => {
                for clause in clauses {
                    for (arg, pattern) in args.iter().zip(&clause.patterns) {
                        self.bind(arg, pattern);
                    }
                }
            }
            ExprKind::Let { vars, arg, .. } => {
                if let (ExprKind::Var(from), [to]) = (&arg.kind, vars.as_slice())
                    && let Some(param) = self.params.get(from)
                {
                    self.params.insert(*to, *param);
                }
            }
            ExprKind::Var(_)
            | ExprKind::Literal(_)
            | ExprKind::FunctionName(..)
            | ExprKind::LetrecName(_)
            | ExprKind::Lambda(_)
            | ExprKind::Cons(..)
            | ExprKind::Tuple(_)
            | ExprKind::Map { .. }
            | ExprKind::Binary(_)
            | ExprKind::Seq(..)
            | ExprKind::Letrec { .. }
            | ExprKind::ApplyLetrec { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Primop { .. }
            | ExprKind::Try { .. }
            | ExprKind::Catch(_)
            | ExprKind::Values(_) => (),
        }
        parts(of).into_iter().for_each(|it| self.expr(it));
    }

    /// A variable of a pattern that stands for a whole argument.
    fn bind(&mut self, arg: &Expr, pattern: &Pattern) {
        let ExprKind::Var(from) = &arg.kind else { return };
        let Some(param) = self.params.get(from).copied() else { return };
        if let Pattern::Var(var) | Pattern::Alias(var, _) = pattern {
            self.params.insert(*var, param);
        }
    }

    fn param(&self, of: &Expr) -> Option<usize> {
        let ExprKind::Var(var) = &of.kind else { return None };
        self.params.get(var).copied()
    }

    fn call(&mut self, module: &Atom, name: &Atom, args: &[Expr]) {
        let is_timer = module.as_str() == "timer" || name.as_str() == "send_after";
        self.roles.waits |= is_timer || name.as_str() == "start_timer";
        let sends = module.as_str() == "erlang" && matches!(name.as_str(), "!" | "send");
        if !sends && !RUNTIMES.contains(&module.as_str()) {
            return;
        }
        if name.as_str().starts_with("start") {
            let own = args.iter().position(|it| atom(it) == Some(self.module));
            if let Some(own) = own {
                let given = args.get(own + 1).and_then(|it| self.param(it));
                self.roles.starts.get_or_insert(given);
            } else if module.as_str() == "Elixir.Agent" {
                self.roles.starts.get_or_insert(None);
            }
            return;
        }
        // What replies speaks to somebody else.
        if name.as_str() == "reply" {
            return;
        }
        self.roles.speaks = true;
        self.roles.servers.extend(args.first().and_then(|it| self.param(it)));
    }

    fn local(&mut self, name: &Atom, args: &[Expr]) {
        let Some(called) = self.known.get(&(name.clone(), args.len())) else { return };
        self.roles.speaks |= called.speaks;
        self.roles.waits |= called.waits;
        let params = called.servers.iter().filter_map(|n| args.get(*n));
        let params: Vec<usize> = params.filter_map(|it| self.param(it)).collect();
        self.roles.servers.extend(params);
        if let Some(given) = called.starts {
            let given = given.and_then(|it| self.param(args.get(it)?));
            self.roles.starts.get_or_insert(given);
        }
    }
}

fn atom(of: &Expr) -> Option<&Atom> {
    match &of.kind {
        ExprKind::Literal(Term::Atom(atom)) => Some(atom),
        _ => None,
    }
}

/// The expressions in an expression.
fn parts(of: &Expr) -> Vec<&Expr> {
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
