//! The slow kinds of calls: by name, of funs, of builtins, and of undefined functions.

use crate::builtins::nodes::own_answer;
use crate::builtins::{Builtin, Control, Fault, How, Stop};
use crate::code::{Import, RECEIVE, Target};
use crate::machine::frames::{RETURN_AGAIN, low_u32};
use crate::machine::inspect;
use crate::machine::interpret::{Cpu, Flow, Pause, Return, pause};
use crate::machine::process::{Execution, Frame, Status};
use crate::machine::raise::{CurrentFrame, Raised};
use crate::machine::record::either_shadowed;
use crate::machine::tracing::CallForm;
use term::fit_u32;
use values::{AtomId, FunKind, LambdaId, Value, View};

/// The maximum number of arguments of a call: BEAM has registers for this many. Functions may have at most 255.
const MAX_ARGS: usize = 1023;

impl Cpu<'_> {
    #[cold]
    pub(super) fn call_import(&mut self, import: &Import, args: &[Value], to: Return) -> Flow {
        let target = import.target.get().or_else(|| {
            let found = self.program.resolve(import.module, import.name, import.arity);
            import.target.set(found);
            found
        });
        self.call_target(target, (import.module, import.name), args, to)
    }

    pub(super) fn apply(&mut self, module: Value, name: Value, args: &[Value], to: Return) -> Flow {
        let arity = fit_u32(args.len());
        if either_shadowed(module, name) {
            self.choose_name(module, name, arity);
        }
        let (Some(module_id), Some(name)) = (module.as_atom(), name.as_atom()) else {
            let list = self.world.heap.list(args);
            let args = [module, name, list];
            return self.operator_fault(Fault::BADARG, AtomId::APPLY, &args);
        };
        if args.len() > MAX_ARGS {
            return self.fault(Fault::SYSTEM_LIMIT, None);
        }
        let target = self.program.resolve(module_id, name, arity);
        self.call_target(target, (module_id, name), args, to)
    }

    pub(super) fn call_target(
        &mut self,
        target: Option<Target>,
        (module, name): (AtomId, AtomId),
        args: &[Value],
        to: Return,
    ) -> Flow {
        if self.world.replay.is_some()
            && !matches!(target, Some(Target::Builtin(_)))
            && let Some(answered) = self.answered_by((module, name), args)
        {
            return self.finish_answered(answered, to);
        }
        match target {
            Some(Target::Function(function)) => {
                let base = if let Return::Here(base) = to { base } else { self.base };
                self.place(base, args);
                self.enter(function, args.len(), to)
            }
            Some(Target::Builtin(builtin)) => match self.program.builtins.get(builtin.0 as usize) {
                Some(builtin) => self.call_builtin(builtin, args, to),
                None => Ok(()),
            },
            None if !self.world.is_known_module(module) => {
                self.retry_call();
                pause(Pause::Load(module))
            }
            None => self.undefined(module, name, args, to),
        }
    }

    /// Moves the program counter back to the call, which is made again once its module is loaded.
    pub(super) fn retry_call(&mut self) {
        self.pc = self.pc.saturating_sub(1);
    }

    /// Handles the call of an undefined function as `error_handler` does: calls the module's fallback if it has one,
    /// otherwise raises `undef`.
    pub(super) fn undefined(
        &mut self,
        module: AtomId,
        name: AtomId,
        args: &[Value],
        to: Return,
    ) -> Flow {
        if let Some((handler, function)) = self.own_error_handler("undefined_function") {
            let list = self.world.heap.list(args);
            let args = [Value::atom(module), Value::atom(name), list];
            return self.apply(handler, function, &args, to);
        }
        let handler = self.world.atoms.intern("$handle_undefined_function");
        if let Some(target @ Target::Function(_)) = self.program.resolve(module, handler, 2) {
            let list = self.world.heap.list(args);
            return self.call_target(
                Some(target),
                (module, handler),
                &[Value::atom(name), list],
                to,
            );
        }
        // A tail call that fails is no longer in its caller's stack trace.
        let shown = match to {
            Return::Here(_) => CurrentFrame::Once,
            Return::ToCaller => CurrentFrame::Omitted,
        };
        let raised = Raised::undefined(self, module, name, args, shown);
        self.raise(raised)
    }

    /// The function of the module that the process has set as its `error_handler`.
    fn own_error_handler(&mut self, function: &str) -> Option<(Value, Value)> {
        let flag = self.world.atoms.find("error_handler")?;
        let handler = self.world.me()?.flags.get(&flag)?.as_atom().filter(|it| *it != flag)?;
        let function = self.world.atoms.intern(function);
        // An undefined handler is ignored; calling it would recurse without end.
        self.program.resolve(handler, function, 3)?;
        Some((Value::atom(handler), Value::atom(function)))
    }

    pub(super) fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        to: Return,
    ) -> Flow {
        if self.world.replay.is_some()
            && !matches!(builtin.how, How::Native(_))
            && let Some(answered) = self.answered(builtin, args)
        {
            return self.finish_answered(answered, to);
        }
        match builtin.how {
            How::Native(_) => match self.compute_seen(builtin, args, CallForm::ByName) {
                Ok(value) => self.finish_call(value, to),
                Err(fault) => {
                    // A caller that was left by a tail call is not in the stack trace. The caller of `erlang:error` is,
                    // however it called that.
                    if to == Return::ToCaller
                        && !matches!(
                            fault,
                            Fault::Stop(_)
                                | Fault::Plain(_)
                                | Fault::ErrorArgs(..)
                                | Fault::Described(..)
                        )
                        && let Some(frame) = self.frames.pop()
                    {
                        self.pc = frame.pc;
                        self.base = frame.base as usize;
                    }
                    self.fault(fault, Some((builtin, args)))
                }
            },
            How::Host if let Some(answer) = own_answer(self.world, builtin) => {
                self.finish_call(answer, to)
            }
            How::Outside(_) | How::Code | How::Host | How::Machine(_)
                if !self.world.allowed.allows(builtin.effect) =>
            {
                let Builtin { module, name, arity, effect, .. } = *builtin;
                let what = format!("{module}:{name}/{arity}");
                pause(Pause::Stop(Stop::Refused { effect, what }))
            }
            How::Outside(_) | How::Host | How::Machine(_) | How::Control(_)
                if builtin.shares.is_shared() && !self.world.may_go(builtin, args, self.pc) =>
            {
                self.fault(Stop::NeedTurn.into(), None)
            }
            How::Outside(run) => {
                let found = run(self.world, args);
                self.looked_on(builtin, args, &found);
                match found {
                    Ok(value) => self.finish_call(value.concrete(), to),
                    Err(fault) => self.fault(fault, Some((builtin, args))),
                }
            }
            How::Code => {
                if self.world.record.is_some() {
                    self.looked_outside(builtin);
                }
                let module = self.world.atoms.intern(builtin.module);
                let name = self.world.atoms.intern(builtin.name);
                let target = self.program.code_of(module, name, u32::from(builtin.arity));
                self.call_target(target, (module, name), args, to)
            }
            How::Host | How::Machine(_) => {
                if self.world.record.is_some() {
                    self.lifted(builtin, args, None);
                }
                let live = if let Return::Here(base) = to { base } else { self.base };
                // The result is returned to where the call itself would return.
                if to == Return::ToCaller {
                    self.frames.push(Frame { pc: RETURN_AGAIN, base: low_u32(self.base) });
                } else {
                    self.frames.push(Frame { pc: self.pc, base: low_u32(self.base) });
                }
                self.base = live;
                self.cut(live);
                pause(Pause::Host { builtin, args: args.to_vec() })
            }
            How::Control(Control::Inspect) => {
                let found = inspect::answer(self, builtin, args);
                self.looked_on(builtin, args, &found);
                match found {
                    Ok(value) => self.finish_call(value, to),
                    Err(fault) => self.fault(fault, Some((builtin, args))),
                }
            }
            How::Control(control) => self.control(builtin, control, args, to),
        }
    }

    /// Records the losses of a builtin whose result is not followed symbolically, unless the call is to be made again.
    fn looked_on(&mut self, builtin: &Builtin, args: &[Value], found: &Result<Value, Fault>) {
        if !matches!(found, Err(Fault::Stop(_))) {
            self.lifted(builtin, args, None);
        }
    }

    fn control(
        &mut self,
        builtin: &'static Builtin,
        control: Control,
        args: &[Value],
        to: Return,
    ) -> Flow {
        match (control, args) {
            (Control::Apply, [fun, list]) => match self.world.listed(self.pc, *list) {
                Some(args) => self.apply_fun(*fun, &args, to),
                None => self.fault(Fault::BADARG, Some((builtin, args))),
            },
            (Control::Apply, [module, name, list]) => match self.world.listed(self.pc, *list) {
                Some(args) => self.apply(*module, *name, &args, to),
                None => self.fault(Fault::BADARG, Some((builtin, args))),
            },
            (Control::Hibernate, [module, name, list]) => {
                let Some(items) = self.world.listed(self.pc, *list) else {
                    return self.fault(Fault::BADARG, Some((builtin, args)));
                };
                if either_shadowed(*module, *name) {
                    self.choose_name(*module, *name, low_u32(items.len()));
                }
                if items.len() > MAX_ARGS {
                    return self.fault(Fault::SYSTEM_LIMIT, Some((builtin, args)));
                }
                if module.as_atom().is_none() || name.as_atom().is_none() {
                    return self.fault(Fault::BADARG, Some((builtin, args)));
                }
                let Execution { stack, pc, base, start, .. } =
                    Execution::apply(*module, *name, &items);
                self.frames.clear();
                self.world.forget_returns();
                (self.stack, self.pc, self.base, self.start) = (stack, pc, base, start);
                self.top = 0;
                match self.world.me() {
                    Some(me) if me.mailbox.is_empty() => {
                        me.status = Status::Hibernating;
                        pause(Pause::Wait)
                    }
                    _ => pause(Pause::Yield),
                }
            }
            (Control::Missing, _) => {
                // This is the stub of a function that is implemented in C on BEAM.
                let what = self.program.function_at(self.pc.saturating_sub(1)).map(|it| {
                    let atoms = &self.world.atoms;
                    format!("{}:{}/{}", atoms.name(it.module), atoms.name(it.name), it.arity)
                });
                let what = what.unwrap_or_default();
                pause(Pause::Stop(Stop::Unsupported { what }))
            }
            (Control::Receive, [fun, timeout]) => {
                self.world.look_at("prim_eval:receive/2", *timeout);
                let nomatch = self.world.atoms.intern("nomatch");
                let timed_out = Value::atom(AtomId::TIMEOUT);
                let values = [*fun, *timeout, timed_out, Value::atom(nomatch)];
                let target = Some(Target::Function(RECEIVE));
                self.call_target(target, (AtomId::ERLANG, AtomId::TIMEOUT), &values, to)
            }
            (Control::Yield, _) => {
                // The value is in the first register of the callee; the registers of the caller are below.
                let at = if let Return::Here(base) = to { base } else { self.base };
                self.finish_call(Value::TRUE, to)?;
                self.cut(at + 1);
                pause(Pause::Yield)
            }
            (Control::Dirty, _) => self.dirty(builtin, args, to),
            _ => self.fault(Fault::BADARG, None),
        }
    }

    /// Calls a closure that was read from a binary and whose module may have to be loaded.
    fn undefined_lambda(
        &mut self,
        lambda: LambdaId,
        fun: Value,
        args: &[Value],
        to: Return,
    ) -> Flow {
        // The module's old code is being purged: the call waits until the purge is completed or aborted.
        if let Some(purger) = self.world.purger_of(lambda) {
            let module = self.world.heap.lambda(lambda).map_or(AtomId::UNDEFINED, |it| it.module);
            let name = Value::atom(self.world.atoms.intern("pending_purge_lambda"));
            let purging = Value::atom(self.world.atoms.intern("erts_code_purger"));
            let args = [Value::atom(module), fun, self.world.heap.list(args)];
            self.apply(purging, name, &args, to)?;
            self.cut(self.base + args.len());
            self.world.run.suspended.insert((purger, self.world.run.current), 1);
            return pause(Pause::Yield);
        }
        let module = self.world.heap.lambda(lambda).map(|it| it.module);
        if let Some(module) = module.filter(|it| !self.world.is_known_module(*it)) {
            self.retry_call();
            return pause(Pause::Load(module));
        }
        let handler = self.own_error_handler("undefined_lambda");
        if let (Some((handler, function)), Some(module)) = (handler, module) {
            let list = self.world.heap.list(args);
            return self.apply(handler, function, &[Value::atom(module), fun, list], to);
        }
        if module.is_some_and(|it| self.world.missing.contains(&it)) {
            let shown = match to {
                Return::Here(_) => CurrentFrame::Once,
                Return::ToCaller => CurrentFrame::Omitted,
            };
            let raised = Raised::undefined_fun(self, fun, args, shown);
            return self.raise(raised);
        }
        let reason = self.world.heap.tuple(&[Value::atom(AtomId::BADFUN), fun]);
        self.fault(Fault::Error(reason), None)
    }

    pub(super) fn apply_fun(&mut self, fun: Value, args: &[Value], to: Return) -> Flow {
        if let View::Fun(at) = fun.view()
            && let Some(table) = self.world.heap.table(at)
            && table.arity == args.len()
        {
            let found = table.look_up(&self.world.heap, &self.world.atoms, args);
            let found = self.called_input(fun, args, Some(found)).unwrap_or(found);
            return self.finish_call(found, to);
        }
        if fun.shadow().is_some() {
            self.called_input(fun, args, None);
        }
        let View::Fun(at) = fun.view() else {
            let badfun = Value::atom(AtomId::BADFUN);
            let reason = self.world.heap.tuple(&[badfun, fun]);
            return self.bad_call(reason, to);
        };
        if self.world.heap.fun_arity(at) as usize != args.len() {
            let list = self.world.heap.list(args);
            let pair = self.world.heap.tuple(&[fun, list]);
            let reason = self.world.heap.tuple(&[Value::atom(AtomId::BADARITY), pair]);
            return self.bad_call(reason, to);
        }
        match self.world.heap.fun_kind(at) {
            FunKind::External { module, function, .. } => {
                self.apply(Value::atom(module), Value::atom(function), args, to)
            }
            FunKind::Closure { lambda, .. } => {
                let Some(function) = self.program.lambda(lambda) else {
                    return self.undefined_lambda(lambda, fun, args, to);
                };
                let mut values = args.to_vec();
                values.extend_from_slice(self.world.heap.fun_free(at));
                let base = if let Return::Here(base) = to { base } else { self.base };
                self.place(base, &values);
                self.enter(function, values.len(), to)
            }
        }
    }

    /// Raises the error for a call of a term that is not a fun, or with a wrong number of arguments.
    fn bad_call(&mut self, reason: Value, to: Return) -> Flow {
        let shown = match to {
            Return::Here(_) => CurrentFrame::Twice,
            Return::ToCaller => CurrentFrame::Once,
        };
        let raised = Raised::error(self, reason, shown);
        self.raise(raised)
    }
}
