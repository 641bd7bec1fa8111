//! The instrumented semantics (Fig. 4): evaluates flat programs and returns the events.
//!
//! Big-step and on ground terms, as in the paper; it is slow, and serves as a reference. Code outside the program is
//! evaluated without events, and native functions are asked of an [`Outside`]. There is one process, which may send
//! messages to itself.

use crate::instrumentation::event::Event;
use crate::instrumentation::flat::ret;
use crate::instrumentation::matching::{Vars, build, matches};
use crate::instrumentation::transform::{BindingKind, Context};
use erlang::core::{Expr, ExprKind, Lambda, MapOp, MapPair, Module, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::fit_u32;
use term::{Atom, Fun, Pid, Term};

/// Everything outside the program.
pub trait Outside {
    /// Returns the code of another module.
    fn code(&mut self, module: &Atom) -> Option<Rc<Module>>;

    /// Computes a native function.
    fn native(&mut self, module: &Atom, name: &Atom, args: &[Term]) -> Native;
}

#[derive(Clone, Debug)]
pub enum Native {
    Value(Term),
    Raised {
        class: Atom,
        reason: Term,
    },
    /// There is no such function.
    Unknown,
    /// The function exists but cannot be run here.
    Unsupported(String),
}

/// The result of an evaluation, and its events.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// A value, or the class and reason of an exception.
    pub end: Result<Term, (Atom, Term)>,
    pub events: Vec<Event>,
}

/// Why an evaluation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    Unsupported(String),
    TooDeep,
    /// The process waits for a message that will never come.
    Waits,
}

pub struct Evaluator<'o> {
    program: Rc<Module>,
    /// The name of the program where it is compared.
    name: Atom,
    outside: &'o mut dyn Outside,
    /// Code of other modules; kept alive because `lambdas` uses addresses into it.
    modules: FxHashMap<Atom, Option<Rc<Module>>>,
    /// Functions by their address in the tree, each with the text that its events begin with.
    lambdas: FxHashMap<usize, (Rc<Lambda>, Option<Rc<str>>)>,
    events: Vec<Event>,
    closures: Vec<Closure>,
    dictionary: Vec<(Term, Term)>,
    mailbox: Vec<Term>,
    /// How many messages the current receive has skipped.
    cursor: usize,
    depth: usize,
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The maximal depth of nested calls; each takes some of the native stack.
const MAX_DEPTH: usize = 2_000;

/// The maximal timeout of a receive in milliseconds.
const MAX_TIMEOUT: i64 = 0xffff_ffff;

enum Stop {
    Raised { class: Atom, reason: Term },
    Trouble(Trouble),
}

type Res<T> = Result<T, Stop>;

#[derive(Clone)]
struct Local {
    lambda: Rc<Lambda>,
    /// The text that the function's events begin with; `None` if it has no events.
    text: Option<Rc<str>>,
}

#[derive(Clone)]
struct Closure {
    module: Rc<Module>,
    local: Local,
    vars: Vars,
    letrecs: FxHashMap<VarId, Local>,
}

struct Frame {
    module: Rc<Module>,
    vars: Vars,
    letrecs: FxHashMap<VarId, Local>,
}

impl<'o> Evaluator<'o> {
    /// Returns an evaluator for a flat program that is loaded under this name.
    pub fn new(program: Module, name: Atom, outside: &'o mut dyn Outside) -> Evaluator<'o> {
        Evaluator {
            program: Rc::new(program),
            name,
            outside,
            modules: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            events: Vec::new(),
            closures: Vec::new(),
            dictionary: Vec::new(),
            mailbox: Vec::new(),
            cursor: 0,
            depth: 0,
        }
    }

    /// Evaluates a call of a function of the program (Definition 3).
    pub fn call(&mut self, function: &Atom, args: &[Term]) -> Result<Evaluated, Trouble> {
        self.closures.clear();
        self.dictionary.clear();
        self.mailbox.clear();
        (self.cursor, self.depth) = (0, 0);
        let program = Rc::clone(&self.program);
        let end = match self.local(&program, function, args.to_vec()) {
            Ok(value) => Ok(value),
            Err(Stop::Raised { class, reason }) => Err((class, reason)),
            Err(Stop::Trouble(trouble)) => {
                self.events.clear();
                return Err(trouble);
            }
        };
        Ok(Evaluated { end, events: std::mem::take(&mut self.events) })
    }

    fn say(&mut self, text: String) {
        self.events.push(Event { text, value: None });
    }

    fn say_value(&mut self, text: String, values: &[Term]) {
        let value = match values {
            [only] => only.clone(),
            _ => Term::Tuple(values.to_vec()),
        };
        self.events.push(Event { text, value: Some(value) });
    }

    fn local(&mut self, module: &Rc<Module>, name: &Atom, args: Vec<Term>) -> Res<Term> {
        let is_it =
            |it: &&erlang::core::Function| it.name == *name && it.lambda.params.len() == args.len();
        let Some(function) = module.functions.iter().find(is_it) else {
            return Err(error(Term::atom("undef")));
        };
        let is_loud = Rc::ptr_eq(module, &self.program) && name.as_str() != "module_info";
        let local = self.part(module, &function.lambda, is_loud);
        self.enter(module, &local, args, Vars::default(), FxHashMap::default())
    }

    /// Returns a function of a tree; the tree is copied only once.
    fn part(&mut self, module: &Module, lambda: &Lambda, is_loud: bool) -> Local {
        let place = std::ptr::from_ref(lambda).addr();
        let made = self.lambdas.entry(place);
        let (lambda, text) = made.or_insert_with(|| (Rc::new(lambda.clone()), None));
        if is_loud && text.is_none() {
            *text = Some(Context::text_of(&module.names, lambda));
        }
        Local { lambda: Rc::clone(lambda), text: text.clone().filter(|_| is_loud) }
    }

    /// Applies the rule of function application, from the body of the function on.
    fn enter(
        &mut self,
        module: &Rc<Module>,
        local: &Local,
        args: Vec<Term>,
        vars: Vars,
        letrecs: FxHashMap<VarId, Local>,
    ) -> Res<Term> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::Trouble(Trouble::TooDeep));
        }
        let lambda = Rc::clone(&local.lambda);
        let mut frame = Frame { module: Rc::clone(module), vars, letrecs };
        frame.vars.extend(lambda.params.iter().copied().zip(args));
        let module = Rc::clone(module);
        let context = local.text.clone().map(|it| Context::again(&module.names, it));
        self.depth += 1;
        let value = self.one(&lambda.body, &mut frame, context.as_ref());
        self.depth -= 1;
        let value = value?;
        if let Some(context) = &context {
            self.say(context.exit(ret(&lambda.body)));
        }
        Ok(value)
    }

    fn one(&mut self, expr: &Expr, frame: &mut Frame, context: Option<&Context<'_>>) -> Res<Term> {
        let mut values = self.eval(expr, frame, context)?;
        values.pop().ok_or_else(|| unsupported("no value"))
    }

    fn all(&mut self, exprs: &[Expr], frame: &mut Frame) -> Res<Vec<Term>> {
        exprs.iter().map(|it| self.one(it, frame, None)).collect()
    }

    /// Returns the values of an expression. With a context, events are emitted.
    fn eval(
        &mut self,
        mut expr: &Expr,
        frame: &mut Frame,
        context: Option<&Context<'_>>,
    ) -> Res<Vec<Term>> {
        loop {
            match &expr.kind {
                ExprKind::Let { vars, arg, body } => {
                    let values = match context {
                        Some(context) => self.bound(vars, arg, frame, context)?,
                        None => self.eval(arg, frame, None)?,
                    };
                    frame.vars.extend(vars.iter().copied().zip(values));
                    expr = body;
                }
                ExprKind::Seq(first, then) => {
                    self.eval(first, frame, context)?;
                    expr = then;
                }
                ExprKind::Letrec { functions, body, kind } => {
                    let is_loud = context.is_some() && *kind == erlang::core::LetrecKind::Functions;
                    for (var, _, lambda) in functions {
                        let local = self.part(&frame.module, lambda, is_loud);
                        frame.letrecs.insert(*var, local);
                    }
                    expr = body;
                }
                ExprKind::Values(items) => return self.all(items, frame),
                ExprKind::Case { args, clauses } => {
                    let (n, _) = self.select(args, clauses, frame)?;
                    let Some(clause) = clauses.get(n) else { return Err(unsupported("a clause")) };
                    expr = &clause.body;
                }
                ExprKind::Try { arg, vars, body, raised, handler } => {
                    match self.eval(arg, frame, context) {
                        Ok(values) => {
                            frame.vars.extend(vars.iter().copied().zip(values));
                            expr = body;
                        }
                        Err(stop) => {
                            caught(stop, raised, frame)?;
                            expr = handler;
                        }
                    }
                }
                ExprKind::Primop { name, .. } if name.as_str() == "recv_peek_message" => {
                    let message = self.mailbox.get(self.cursor).cloned();
                    let is_there = if message.is_some() { "true" } else { "false" };
                    return Ok(vec![Term::atom(is_there), message.unwrap_or(Term::Nil)]);
                }
                _ => return Ok(vec![self.value(expr, frame, context)?]),
            }
        }
    }

    /// Returns the values that a `let` of a flat program binds, and emits the events around it.
    fn bound(
        &mut self,
        of: &[VarId],
        arg: &Expr,
        frame: &mut Frame,
        context: &Context<'_>,
    ) -> Res<Vec<Term>> {
        match BindingKind::of(arg) {
            BindingKind::Apply(args) => {
                self.say(context.call(of, args));
                self.eval(arg, frame, Some(context))
            }
            BindingKind::Case => {
                let ExprKind::Case { args, clauses } = &arg.kind else {
                    return Err(unsupported("a case"));
                };
                let (n, clause) = self.select(args, clauses, frame)?;
                self.say(context.case(n + 1, args, clauses));
                let values = self.eval(&clause.body, frame, Some(context))?;
                self.say(context.exitcase(of, ret(&clause.body)));
                Ok(values)
            }
            BindingKind::Try => {
                let ExprKind::Try { arg, vars, body, raised, handler } = &arg.kind else {
                    return Err(unsupported("a try"));
                };
                let branch = match self.eval(arg, frame, Some(context)) {
                    Ok(values) => {
                        frame.vars.extend(vars.iter().copied().zip(values));
                        self.say(context.bind(vars, ret(arg)));
                        body
                    }
                    Err(stop) => {
                        let seen = caught(stop, raised, frame)?;
                        let vars: Vec<VarId> = raised.iter().copied().take(2).collect();
                        self.say_value(context.bind_value(&vars), &seen);
                        handler
                    }
                };
                let values = self.eval(branch, frame, Some(context))?;
                self.say(context.exitcase(of, ret(branch)));
                Ok(values)
            }
            BindingKind::Outside => {
                let inner = matches!(arg.kind, ExprKind::Catch(_)).then_some(context);
                let values = self.eval(arg, frame, inner)?;
                self.say_value(context.bind_value(of), &values);
                Ok(values)
            }
            BindingKind::Static => {
                let values = self.eval(arg, frame, Some(context))?;
                self.say(context.bind(of, arg));
                Ok(values)
            }
            BindingKind::Flat => {
                let values = self.eval(arg, frame, Some(context))?;
                self.say(context.bind(of, ret(arg)));
                Ok(values)
            }
        }
    }

    /// Returns the first clause that matches, counted from 0.
    fn select<'c>(
        &mut self,
        args: &[Expr],
        clauses: &'c [erlang::core::Clause],
        frame: &mut Frame,
    ) -> Res<(usize, &'c erlang::core::Clause)> {
        let values = self.all(args, frame)?;
        for (n, clause) in clauses.iter().enumerate() {
            let mut vars = Vars::default();
            let patterns = clause.patterns.iter().zip(&values);
            let is_match = {
                let mut lookup = |expr: &Expr, vars: &Vars| {
                    let module = Rc::clone(&frame.module);
                    let mut inner =
                        Frame { module, vars: frame.vars.clone(), letrecs: FxHashMap::default() };
                    inner.vars.extend(vars.iter().map(|it| (*it.0, it.1.clone())));
                    self.one(expr, &mut inner, None).ok()
                };
                let mut patterns = patterns;
                patterns.all(|(it, value)| matches(it, value, &mut vars, &mut lookup))
            };
            if !is_match {
                continue;
            }
            // Names are unique, so bindings of a clause that is not taken do no harm.
            frame.vars.extend(vars);
            // An exception in a guard makes it fail.
            match self.one(&clause.guard, frame, None) {
                Ok(value) if value.as_atom() == Some("true") => return Ok((n, clause)),
                Err(Stop::Trouble(trouble)) => return Err(Stop::Trouble(trouble)),
                Ok(_) | Err(Stop::Raised { .. }) => (),
            }
        }
        Err(unsupported("a case without an end"))
    }

    fn value(
        &mut self,
        expr: &Expr,
        frame: &mut Frame,
        context: Option<&Context<'_>>,
    ) -> Res<Term> {
        Ok(match &expr.kind {
            ExprKind::Var(var) => {
                frame.vars.get(var).cloned().ok_or_else(|| unsupported("a free variable"))?
            }
            ExprKind::Literal(term) => term.clone(),
            ExprKind::FunctionName(name, arity) => {
                let is_it = |it: &&erlang::core::Function| {
                    it.name == *name && it.lambda.params.len() == *arity as usize
                };
                let (module, vars) = (Rc::clone(&frame.module), Vars::default());
                let function = module.functions.iter().find(is_it);
                let function = function.ok_or_else(|| unsupported("a missing function"))?;
                let is_loud = Rc::ptr_eq(&module, &self.program);
                let local = self.part(&module, &function.lambda, is_loud);
                self.closure(Closure { module, local, vars, letrecs: FxHashMap::default() })
            }
            ExprKind::LetrecName(var) => {
                let local = frame.letrecs.get(var).cloned();
                let local = local.ok_or_else(|| unsupported("a free function"))?;
                self.closure_of(local, frame)
            }
            ExprKind::Lambda(lambda) => {
                let local = self.part(&frame.module, lambda, context.is_some());
                self.closure_of(local, frame)
            }
            ExprKind::Cons(head, tail) => {
                let head = self.one(head, frame, None)?;
                Term::list(vec![head], self.one(tail, frame, None)?)
            }
            ExprKind::Tuple(items) => Term::Tuple(self.all(items, frame)?),
            ExprKind::Map { base, pairs } => self.map(base, pairs, frame)?,
            ExprKind::Binary(segments) => {
                let mut values = Vec::new();
                for segment in segments {
                    let value = self.one(&segment.value, frame, None)?;
                    let size = match &segment.size {
                        Some(size) => Some(self.one(size, frame, None)?),
                        None => None,
                    };
                    values.push((value, size, segment.spec));
                }
                build(&values).map_err(error)?
            }
            ExprKind::Local { name, args, .. } => {
                let args = self.all(args, frame)?;
                let module = Rc::clone(&frame.module);
                self.local(&module, name, args)?
            }
            ExprKind::ApplyLetrec { function, args } => {
                let args = self.all(args, frame)?;
                let local = frame.letrecs.get(function).cloned();
                let local = local.ok_or_else(|| unsupported("a free function"))?;
                let module = Rc::clone(&frame.module);
                self.enter(&module, &local, args, frame.vars.clone(), frame.letrecs.clone())?
            }
            ExprKind::Apply { fun, args } => {
                let fun = self.one(fun, frame, None)?;
                let args = self.all(args, frame)?;
                self.apply(fun, args)?
            }
            ExprKind::Call { module, name, args } => {
                let module = self.one(module, frame, None)?;
                let name = self.one(name, frame, None)?;
                let args = self.all(args, frame)?;
                self.remote(&module, &name, args)?
            }
            ExprKind::Primop { name, args } => {
                let args = self.all(args, frame)?;
                self.primop(name.as_str(), &args)?
            }
            ExprKind::Catch(body) => match self.one(body, frame, context) {
                Ok(value) => value,
                Err(Stop::Raised { class, reason }) => match class.as_str() {
                    "throw" => reason,
                    "exit" => Term::Tuple(vec![Term::atom("EXIT"), reason]),
                    _ => {
                        // Any stack trace; programs may not rely on its content.
                        let frame = ["m", "f"].map(Term::atom).into_iter();
                        let frame = frame.chain([Term::Int(0), Term::Nil]).collect();
                        let trace = Term::proper_list(vec![Term::Tuple(frame)]);
                        let reason = Term::Tuple(vec![reason, trace]);
                        Term::Tuple(vec![Term::atom("EXIT"), reason])
                    }
                },
                Err(trouble) => return Err(trouble),
            },
            _ => return Err(unsupported("an expression")),
        })
    }

    fn map(&mut self, base: &Expr, pairs: &[MapPair], frame: &mut Frame) -> Res<Term> {
        let base = self.one(base, frame, None)?;
        let Term::Map(mut items) = base else {
            return Err(error(Term::Tuple(vec![Term::atom("badmap"), base])));
        };
        for pair in pairs {
            let key = self.one(&pair.key, frame, None)?;
            let value = self.one(&pair.value, frame, None)?;
            match items.iter_mut().find(|it| it.0.cmp_exact(&key).is_eq()) {
                Some(old) => old.1 = value,
                None if pair.op == MapOp::Assoc => items.push((key, value)),
                None => return Err(error(Term::Tuple(vec![Term::atom("badkey"), key]))),
            }
        }
        Ok(Term::map(items))
    }

    fn closure_of(&mut self, local: Local, frame: &Frame) -> Term {
        let module = Rc::clone(&frame.module);
        let (vars, letrecs) = (frame.vars.clone(), frame.letrecs.clone());
        self.closure(Closure { module, local, vars, letrecs })
    }

    fn closure(&mut self, closure: Closure) -> Term {
        let arity = u8::try_from(closure.local.lambda.params.len()).unwrap_or(u8::MAX);
        let module = closure.module.name.clone();
        self.closures.push(closure);
        let index = fit_u32(self.closures.len() - 1);
        Term::Fun(Box::new(Fun::Closure {
            module,
            arity,
            index,
            uniq: [0; 16],
            old_index: i64::from(index),
            old_uniq: 0,
            pid: me(),
            env: Vec::new(),
        }))
    }

    fn apply(&mut self, fun: Term, args: Vec<Term>) -> Res<Term> {
        let Term::Fun(of) = &fun else {
            return Err(error(Term::Tuple(vec![Term::atom("badfun"), fun])));
        };
        if usize::from(of.arity()) != args.len() {
            let call = Term::Tuple(vec![fun, Term::proper_list(args)]);
            return Err(error(Term::Tuple(vec![Term::atom("badarity"), call])));
        }
        match &**of {
            Fun::External { module, function, .. } => {
                let (module, function) = (module.clone(), function.clone());
                self.remote(&Term::Atom(module), &Term::Atom(function), args)
            }
            Fun::Closure { index, .. } => {
                let closure = self.closures.get(*index as usize).cloned();
                let closure = closure.ok_or_else(|| unsupported("a foreign closure"))?;
                let Closure { module, local, vars, letrecs } = closure;
                self.enter(&module, &local, args, vars, letrecs)
            }
            Fun::Table { .. } => Err(unsupported("a table as a function")),
        }
    }

    fn remote(&mut self, module: &Term, name: &Term, args: Vec<Term>) -> Res<Term> {
        let (Term::Atom(module), Term::Atom(name)) = (module, name) else {
            return Err(error(Term::atom("badarg")));
        };
        let own = (*module == self.name).then(|| Rc::clone(&self.program));
        if let Some(own) = own {
            return self.local(&own, name, args);
        }
        match (module.as_str(), name.as_str(), args.as_slice()) {
            ("erlang", "apply", [fun, list]) => {
                let list = proper(list)?;
                return self.apply(fun.clone(), list);
            }
            ("erlang", "apply", [module, name, list]) => {
                let list = proper(list)?;
                return self.remote(module, name, list);
            }
            ("erlang", "is_function", [fun, arity @ ..]) => {
                let Term::Fun(fun) = fun else { return Ok(Term::atom("false")) };
                let is_it = match arity {
                    [Term::Int(arity)] => i64::from(fun.arity()) == *arity,
                    [] => true,
                    _ => return Err(error(Term::atom("badarg"))),
                };
                return Ok(Term::atom(if is_it { "true" } else { "false" }));
            }
            ("erlang", "self", []) => return Ok(Term::Pid(me())),
            ("erlang", "!" | "send", [to, message]) => {
                if *to != Term::Pid(me()) {
                    return Err(unsupported("a message to another process"));
                }
                self.mailbox.push(message.clone());
                return Ok(message.clone());
            }
            _ => (),
        }
        if module.as_str() == "erlang"
            && let Some(done) = self.own(name.as_str(), &args)
        {
            return done;
        }
        match self.outside.native(module, name, &args) {
            Native::Value(value) => Ok(value),
            Native::Raised { class, reason } => Err(Stop::Raised { class, reason }),
            Native::Unsupported(what) => Err(unsupported(&what)),
            Native::Unknown => match self.code(module) {
                Some(code) => self.local(&code, name, args),
                None => Err(error(Term::atom("undef"))),
            },
        }
    }

    fn code(&mut self, module: &Atom) -> Option<Rc<Module>> {
        let outside = &mut self.outside;
        let code = self.modules.entry(module.clone());
        code.or_insert_with(|| outside.code(module)).clone()
    }

    /// Computes functions of the process itself that no other process can observe.
    fn own(&mut self, name: &str, args: &[Term]) -> Option<Res<Term>> {
        let raised = |class: &str, reason: &Term| Stop::Raised {
            class: Atom::new(class),
            reason: reason.clone(),
        };
        let undefined = || Term::atom("undefined");
        let at = |dictionary: &[(Term, Term)], key: &Term| {
            dictionary.iter().position(|it| it.0.cmp_exact(key).is_eq())
        };
        Some(match (name, args) {
            ("error", [reason] | [reason, _] | [reason, _, _]) => Err(raised("error", reason)),
            ("exit", [reason]) => Err(raised("exit", reason)),
            ("throw", [reason]) => Err(raised("throw", reason)),
            ("get", [key]) => {
                let found = at(&self.dictionary, key).and_then(|it| self.dictionary.get(it));
                Ok(found.map_or_else(undefined, |it| it.1.clone()))
            }
            ("erase", [key]) => {
                let found = at(&self.dictionary, key).map(|it| self.dictionary.remove(it));
                Ok(found.map_or_else(undefined, |it| it.1))
            }
            ("put", [key, value]) => {
                let old = at(&self.dictionary, key).map(|it| self.dictionary.remove(it));
                self.dictionary.push((key.clone(), value.clone()));
                Ok(old.map_or_else(undefined, |it| it.1))
            }
            _ => return None,
        })
    }

    fn primop(&mut self, name: &str, args: &[Term]) -> Res<Term> {
        match (name, args) {
            ("match_fail", [reason]) => {
                let is_function_clause = reason
                    .as_tuple()
                    .and_then(<[Term]>::first)
                    .is_some_and(|it| it.as_atom() == Some("function_clause"));
                let plain =
                    if is_function_clause { Term::atom("function_clause") } else { reason.clone() };
                Err(error(plain))
            }
            // Here, the raw trace that a handler gets is the class.
            ("raise", [Term::Atom(class), reason]) => {
                Err(Stop::Raised { class: class.clone(), reason: reason.clone() })
            }
            ("recv_next", _) => {
                self.cursor += 1;
                Ok(Term::atom("ok"))
            }
            ("remove_message", _) => {
                if self.cursor < self.mailbox.len() {
                    self.mailbox.remove(self.cursor);
                }
                self.cursor = 0;
                Ok(Term::atom("ok"))
            }
            ("timeout", _) => Ok(Term::atom("ok")),
            ("bs_init_writable", _) => Ok(Term::binary(Vec::new())),
            ("recv_wait_timeout", [limit]) if limit.as_atom() == Some("infinity") => {
                Err(Stop::Trouble(Trouble::Waits))
            }
            // There is no other process that could send a message.
            ("recv_wait_timeout", [Term::Int(0..=MAX_TIMEOUT)]) => {
                self.cursor = 0;
                Ok(Term::atom("true"))
            }
            ("recv_wait_timeout", _) => Err(error(Term::atom("timeout_value"))),
            _ => Err(unsupported(name)),
        }
    }
}

/// Binds class, reason and raw trace, and returns the first two.
fn caught(stop: Stop, raised: &[VarId], frame: &mut Frame) -> Res<Vec<Term>> {
    let Stop::Raised { class, reason } = stop else { return Err(stop) };
    let class = Term::Atom(class);
    let values = [class.clone(), reason.clone(), class.clone()];
    frame.vars.extend(raised.iter().copied().zip(values));
    Ok(vec![class, reason])
}

fn proper(list: &Term) -> Res<Vec<Term>> {
    list.as_list().map(<[Term]>::to_vec).ok_or_else(|| error(Term::atom("badarg")))
}

fn error(reason: Term) -> Stop {
    Stop::Raised { class: Atom::new("error"), reason }
}

fn unsupported(what: &str) -> Stop {
    Stop::Trouble(Trouble::Unsupported(what.to_owned()))
}

/// The pid of the only process.
fn me() -> Pid {
    Pid { node: Atom::new("nonode@nohost"), id: 0, serial: 0, creation: 0 }
}
