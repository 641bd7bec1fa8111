//! Goals that are terms: `call/N`, and control constructs inside them.
//!
//! A control construct in a called goal is not compiled. Small predicates of the prelude interpret it; their
//! arguments include the module and the number of choice points that a cut keeps.
#![expect(clippy::indexing_slicing, reason = "indices are our own")]

use crate::code::PredId;
use crate::data::{AtomId, FunctorId, Value, View};
use crate::machine::call::Next;
use crate::machine::{Fault, Machine};

/// The number of parts after which a goal is checked for being cyclic.
const MANY_GOALS: usize = 10_000;

impl Machine {
    /// Calls the goal at `base`; a cut in it is local.
    pub(crate) fn call_goal(&mut self) -> Result<(), Fault> {
        let goal = self.heap.deref(self.stack[self.control.base]);
        let (module, goal) = self.strip_module(AtomId::USER, goal);
        self.check_body(goal)?;
        self.run_body(module, goal, self.control.choices.len())
    }

    /// Calls `call/N`, whose arguments are at `base`.
    pub(crate) fn call_n(&mut self, base: usize, n: usize) -> Result<Next, Fault> {
        let context = self.context;
        let (module, closure) = self.strip_module(context, self.stack[base]);
        if n == 1 {
            self.check_body(closure)?;
            self.run_body(module, closure, self.control.choices.len())?;
            return Ok(Next::Jump);
        }
        let extra = n - 1;
        if self.recorder.is_some() {
            self.look_goal(closure, extra);
        }
        let (name, from, n_own) = match closure.view() {
            View::Var(_) => return Err(self.instantiation_error()),
            View::Atom(name) => (name, 0, 0),
            View::Struct(functor, at) => {
                let (name, arity) = self.atoms.name_arity(functor);
                (name, at, arity)
            }
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(self.type_error("callable", closure));
            }
        };
        self.reserve(base + n_own + extra);
        self.stack.copy_within(base + 1..base + 1 + extra, base + n_own);
        for k in 0..n_own {
            self.stack[base + k] = self.heap.cell(from + k);
        }
        let arity = n_own + extra;
        let functor = self.atoms.functor(name, arity);
        if is_control(functor) {
            let args = self.stack[base..base + arity].to_vec();
            let goal = self.heap.structure(functor, &args);
            self.check_body(goal)?;
            self.run_body(module, goal, self.control.choices.len())?;
            return Ok(Next::Jump);
        }
        let pred = self.db.pred(module, functor, name, arity);
        self.enter_pred(pred)?;
        Ok(Next::Jump)
    }

    /// Calls a predicate that is declared `det`, whose arguments are at `base`, through the predicate of the
    /// prelude that checks determinism.
    pub(crate) fn call_checked(&mut self, id: PredId) -> Result<(), Fault> {
        let pred = self.db.get(id);
        let (module, functor, name) = (pred.module, pred.functor, pred.name);
        let args = self.stack[self.control.base..self.control.base + pred.arity as usize].to_vec();
        let goal = match args.as_slice() {
            [] => Value::atom(name),
            args => self.heap.structure(functor, args),
        };
        let goal = self.in_module(module, goal);
        self.reserve(self.control.base + 1);
        self.stack[self.control.base] = goal;
        let functor = self.atoms.functor_named("$det", 1);
        let (name, _) = self.atoms.name_arity(functor);
        let pred = self.db.pred(AtomId::SYSTEM, functor, name, 1);
        self.enter_pred(pred)
    }

    /// Calls the goal of `'$det_goal'(Goal)` without checking determinism again; see
    /// [`Machine::call_checked`].
    pub(crate) fn call_as_checked(&mut self, base: usize) -> Result<Next, Fault> {
        let (module, goal) = self.strip_module(AtomId::USER, self.stack[base]);
        let Some((name, arity)) = self.heap.name_arity(goal, &self.atoms) else {
            return Err(self.type_error("callable", goal));
        };
        self.reserve(base + arity);
        for n in 0..arity {
            self.stack[base + n] = self.heap.arg(goal, n);
        }
        let functor = self.atoms.functor(name, arity);
        let pred = self.db.pred(module, functor, name, arity);
        self.control.is_checked = true;
        self.enter_pred(pred)?;
        Ok(Next::Jump)
    }

    /// Calls a goal; a cut in it removes the choice points from index `barrier` on.
    pub(crate) fn run_body(
        &mut self,
        module: AtomId,
        goal: Value,
        barrier: usize,
    ) -> Result<(), Fault> {
        let (module, goal) = self.strip_module(module, goal);
        if goal.is_struct(FunctorId::QUALIFIED) {
            let module = self.heap.arg(goal, 0);
            return Err(self.not_module(module));
        }
        if self.recorder.is_some() {
            self.look_goal(goal, 0);
        }
        let functor = match goal.view() {
            View::Var(_) => return Err(self.goal_error(Machine::instantiation_error)),
            View::Atom(AtomId::CUT) => {
                self.cut_to(barrier)?;
                self.proceed();
                return Ok(());
            }
            View::Atom(AtomId::TRUE) => {
                self.proceed();
                return Ok(());
            }
            View::Atom(name) => self.atoms.functor(name, 0),
            View::Struct(functor, _) => functor,
            View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) | View::Text(_) => {
                return Err(self.goal_error(|m| m.type_error("callable", goal)));
            }
        };
        if is_control(functor) {
            return self.run_control(module, goal, functor, barrier);
        }
        let (name, arity) = self.atoms.name_arity(functor);
        self.reserve(self.control.base + arity);
        for n in 0..arity {
            self.stack[self.control.base + n] = self.heap.cell(goal.address() + n);
        }
        let pred = self.db.pred(module, functor, name, arity);
        self.call_pred(pred)
    }

    fn run_control(
        &mut self,
        module: AtomId,
        goal: Value,
        functor: FunctorId,
        barrier: usize,
    ) -> Result<(), Fault> {
        let known = self.known;
        let (a, b) = match functor {
            FunctorId::UNPROVABLE => (self.heap.arg(goal, 0), Value::NIL),
            _ => (self.heap.arg(goal, 0), self.heap.arg(goal, 1)),
        };
        match functor {
            FunctorId::AND => self.run_known(known.and, module, &[a, b], barrier),
            FunctorId::THEN => self.run_known(known.then, module, &[a, b], barrier),
            FunctorId::SOFT_THEN => self.run_known(known.soft_then, module, &[a, b], barrier),
            FunctorId::UNPROVABLE => self.run_known(known.not, module, &[a], barrier),
            _ if a.is_struct(FunctorId::THEN) => {
                let (test, then) = (self.heap.arg(a, 0), self.heap.arg(a, 1));
                self.run_known(known.if_then_else, module, &[test, then, b], barrier)
            }
            _ if a.is_struct(FunctorId::SOFT_THEN) => {
                let (test, then) = (self.heap.arg(a, 0), self.heap.arg(a, 1));
                self.run_known(known.soft_else, module, &[test, then, b], barrier)
            }
            _ => self.run_known(known.or, module, &[a, b], barrier),
        }
    }

    /// Calls `pred(Args..., Module, Barrier)`.
    fn run_known(
        &mut self,
        pred: PredId,
        module: AtomId,
        args: &[Value],
        barrier: usize,
    ) -> Result<(), Fault> {
        self.reserve(self.control.base + args.len() + 2);
        for (n, arg) in args.iter().enumerate() {
            self.stack[self.control.base + n] = *arg;
        }
        self.stack[self.control.base + args.len()] = Value::atom(module);
        self.stack[self.control.base + args.len() + 1] = Value::size(barrier);
        self.enter_pred(pred)
    }

    /// Splits `Module:Goal`, as long as the module is an atom.
    pub(crate) fn strip_module(&self, module: AtomId, goal: Value) -> (AtomId, Value) {
        let (mut module, mut goal) = (module, self.heap.deref(goal));
        // The limit ends the loop for a cyclic term.
        let mut left = MANY_GOALS;
        while goal.is_struct(FunctorId::QUALIFIED) && 0 < left {
            let View::Atom(name) = self.heap.arg(goal, 0).view() else { break };
            module = name;
            goal = self.heap.arg(goal, 1);
            left -= 1;
        }
        (module, goal)
    }

    /// Makes the error of a goal that cannot be called. If a predicate of the system was to call it, the
    /// running builtin is not mentioned.
    fn goal_error(&mut self, error: impl FnOnce(&mut Machine) -> Fault) -> Fault {
        let caller = self.db.pred_at(self.control.continuation);
        if caller.is_some_and(|it| self.db.get(it).module == AtomId::SYSTEM) {
            self.control.running = None;
        }
        error(self)
    }

    fn not_module(&mut self, module: Value) -> Fault {
        if module.is_var() {
            return self.instantiation_error();
        }
        self.type_error("atom", module)
    }

    /// Raises an error unless all goals of control constructs are callable. This is checked before any of
    /// them is called.
    fn check_body(&mut self, goal: Value) -> Result<(), Fault> {
        let mut todo = vec![goal];
        let mut n_goals = 0_usize;
        while let Some(next) = todo.pop() {
            n_goals += 1;
            if n_goals == MANY_GOALS && self.is_cyclic(goal) {
                return Err(self.goal_error(|m| m.representation_error("cyclic_term")));
            }
            let (_, next) = self.strip_module(AtomId::USER, next);
            match next.view() {
                View::Struct(functor, _)
                    if is_control(functor) && functor != FunctorId::UNPROVABLE =>
                {
                    todo.push(self.heap.arg(next, 1));
                    todo.push(self.heap.arg(next, 0));
                }
                View::Var(_) | View::Atom(_) | View::Struct(..) => {}
                View::Int(_)
                | View::Big(_)
                | View::Rational(_)
                | View::Float(_)
                | View::Text(_) => {
                    return Err(self.goal_error(|m| m.type_error("callable", goal)));
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn is_control(functor: FunctorId) -> bool {
    matches!(
        functor,
        FunctorId::AND
            | FunctorId::OR
            | FunctorId::ALTERNATIVE
            | FunctorId::THEN
            | FunctorId::SOFT_THEN
            | FunctorId::UNPROVABLE
    )
}
