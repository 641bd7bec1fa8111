//! Determines the roles of a module's functions: whether they start a process or communicate with one, and which
//! argument identifies it.
//!
//! The roles follow from the calls in the code, also through functions of the same module.

use crate::erlang::systems::walk::parts;
use erlang::core::{Expr, ExprKind, Function, Module, Pattern, VarId};
use std::collections::{BTreeMap, BTreeSet};
use term::{Atom, Term, Type, TypeId, Types};

/// The roles of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    /// How it starts a process of this module; `None` if it does not.
    pub(super) starts: Option<Start>,
    /// Whether it communicates with a process.
    pub(super) speaks: bool,
    /// The arguments that identify the process.
    pub(super) servers: BTreeSet<usize>,
    /// Whether it starts a timer.
    pub(super) waits: bool,
    /// Messages that it sends to processes of behaviours, with the function that sends them.
    pub(super) sent: BTreeSet<(Atom, MessageForm)>,
}

impl Roles {
    /// The argument that is passed unchanged to `init/1`.
    pub(super) fn init(&self) -> Option<usize> {
        self.starts.as_ref()?.init
    }
}

/// How a process is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// The module whose function starts it.
    pub(super) runtime: Atom,
    /// The argument that is passed unchanged to `init/1`.
    pub(super) init: Option<usize>,
}

/// The form of a message without its contents: an atom, or a tuple's tag and size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MessageForm {
    Atom(Atom),
    Tuple(Atom, usize),
    Other,
}

impl MessageForm {
    fn of(message: &Expr) -> MessageForm {
        if let ExprKind::Literal(term) = &message.kind {
            return MessageForm::of_term(term);
        }
        let tuple = if let ExprKind::Tuple(parts) = &message.kind { parts.as_slice() } else { &[] };
        match tuple.first().and_then(atom) {
            Some(tag) => MessageForm::Tuple(tag.clone(), tuple.len()),
            None => MessageForm::Other,
        }
    }

    fn of_term(term: &Term) -> MessageForm {
        match (term, term.as_tuple()) {
            (Term::Atom(name), _) => MessageForm::Atom(name.clone()),
            (_, Some([Term::Atom(tag), rest @ ..])) => {
                MessageForm::Tuple(tag.clone(), rest.len() + 1)
            }
            _ => MessageForm::Other,
        }
    }

    pub(super) fn of_type(types: &Types, of: TypeId) -> MessageForm {
        match types.get(of) {
            Type::Literal(term) => MessageForm::of_term(term),
            Type::Tuple(parts) => match parts.first().map(|it| types.get(*it)) {
                Some(Type::Literal(Term::Atom(tag))) => {
                    MessageForm::Tuple(tag.clone(), parts.len())
                }
                Some(_) | None => MessageForm::Other,
            },
            Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Range { .. }
            | Type::List { .. }
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. }
            | Type::Union(_) => MessageForm::Other,
        }
    }
}

pub(super) type AllRoles = BTreeMap<(Atom, usize), Roles>;

/// Modules with functions that start processes of behaviours and communicate with them.
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
    // Iterates to a fixpoint, since a function has the roles of the functions that it calls.
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
    let mut reader = RoleReader {
        module: &module.name,
        known,
        params: params.collect(),
        roles: Roles::default(),
    };
    reader.expr(&function.lambda.body);
    reader.roles
}

struct RoleReader<'a> {
    module: &'a Atom,
    known: &'a AllRoles,
    /// The variables that are bound to a whole argument of the function.
    params: BTreeMap<VarId, usize>,
    roles: Roles,
}

impl RoleReader<'_> {
    fn expr(&mut self, of: &Expr) {
        match &of.kind {
            ExprKind::Call { module, name, args } => {
                match (atom(module), atom(name)) {
                    (Some(module), Some(name)) if module == self.module => self.local(name, args),
                    (Some(module), Some(name)) => self.call(module, name, args),
                    // The called function is selected at run time, mostly by whether to link to the process.
                    (Some(module), None) if RUNTIMES.contains(&module.as_str()) => {
                        self.start(module, args);
                    }
                    (Some(_), None) | (None, _) => (),
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

    /// Records a variable of a pattern that is bound to a whole argument.
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
            self.start(module, args);
            return;
        }
        // `reply` addresses another process, and a child specification none.
        if matches!(name.as_str(), "reply" | "child_spec" | "init") {
            return;
        }
        self.roles.speaks = true;
        if let Some(message) = args.get(1) {
            self.roles.sent.insert((name.clone(), MessageForm::of(message)));
        }
        self.roles.servers.extend(args.first().and_then(|it| self.param(it)));
    }

    /// Records the start of a process of this module, if an argument names the module.
    fn start(&mut self, runtime: &Atom, args: &[Expr]) {
        let own = args.iter().position(|it| atom(it) == Some(self.module));
        // An agent has no module.
        if own.is_none() && runtime.as_str() != "Elixir.Agent" {
            return;
        }
        let init = own.and_then(|it| args.get(it + 1)).and_then(|it| self.param(it));
        self.roles.starts.get_or_insert(Start { runtime: runtime.clone(), init });
    }

    fn local(&mut self, name: &Atom, args: &[Expr]) {
        let Some(called) = self.known.get(&(name.clone(), args.len())) else { return };
        self.roles.speaks |= called.speaks;
        self.roles.waits |= called.waits;
        let params = called.servers.iter().filter_map(|n| args.get(*n));
        let params: Vec<usize> = params.filter_map(|it| self.param(it)).collect();
        self.roles.servers.extend(params);
        if let Some(Start { runtime, init }) = &called.starts {
            let init = init.and_then(|it| self.param(args.get(it)?));
            self.roles.starts.get_or_insert(Start { runtime: runtime.clone(), init });
        }
    }
}

fn atom(of: &Expr) -> Option<&Atom> {
    if let ExprKind::Literal(Term::Atom(atom)) = &of.kind { Some(atom) } else { None }
}
