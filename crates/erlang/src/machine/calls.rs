//! Calls: placing arguments, entering functions, returning, and the ways that are not fast.

use crate::builtins::arithmetic::{add, subtract};
use crate::builtins::nodes::own_answer;
use crate::builtins::{Builtin, Control, Effect, Fault, How, Stop};
use crate::code::{BuiltinId, FnId, Handler, HandlerKind, Import, Ins, RECEIVE, Reg, Src, Target};
use crate::data::{AtomId, FunKind, LambdaId, Value, View};
use crate::machine::construct::BitsFailed;
use crate::machine::inspect;
use crate::machine::interpret::{Cpu, Flow, Pause, Return, pause};
use crate::machine::process::{Execution, Frame, Status};
use crate::machine::raise::{self, Raised, Skip};
use crate::machine::record::either_shadowed;
use crate::machine::tracing::Seen;

/// As many arguments as BEAM has registers for; a function takes fewer still.
const MAX_ARGS: usize = 1023;

/// A return address that returns once more: the call before it was a tail call.
pub(crate) const RETURN_AGAIN: u32 = 0;

/// A return address that tells of the return of a traced call.
pub(crate) const RETURN_TRACED: u32 = 1;

/// Addresses of the program itself begin here.
pub(crate) const FIRST_CODE: u32 = 2;

impl Cpu<'_> {
    #[inline]
    pub(super) fn place_args(&mut self, base: usize, args: u32, n: usize) {
        let from = args as usize;
        let operands = self.program.operands.get(from..from + n).unwrap_or_default();
        // A function's registers include room for a few arguments of what it calls.
        if self.stack.len() < base + n {
            self.stack.resize(base + n, Value::NIL);
        }
        for (place, src) in (base..).zip(operands) {
            let value = self.src(*src);
            if let Some(slot) = self.stack.get_mut(place) {
                *slot = value;
            }
        }
    }

    /// Arguments replace the registers they are read from, so all are read first.
    #[inline]
    pub(super) fn place_tail_args(&mut self, args: u32, n: usize) {
        let base = self.base;
        match *self.operands(args, n) {
            [] => (),
            [a] => {
                let a = self.src(a);
                self.place(base, &[a]);
            }
            [a, b] => {
                let values = [self.src(a), self.src(b)];
                self.place(base, &values);
            }
            [a, b, c] => {
                let values = [self.src(a), self.src(b), self.src(c)];
                self.place(base, &values);
            }
            [a, b, c, d] => {
                let values = [self.src(a), self.src(b), self.src(c), self.src(d)];
                self.place(base, &values);
            }
            _ => {
                let values = self.values(args, n);
                self.place(base, &values);
            }
        }
    }

    #[inline]
    pub(super) fn place(&mut self, base: usize, values: &[Value]) {
        let end = base + values.len();
        if self.stack.len() < end {
            self.stack.resize(end, Value::NIL);
        }
        if let Some(slots) = self.stack.get_mut(base..end) {
            slots.copy_from_slice(values);
        }
    }

    /// The code of a closure that takes this many arguments, and how many values it needs in all.
    #[inline]
    pub(super) fn closure_code(&self, fun: Value, n: usize) -> Option<(FnId, usize)> {
        let View::Fun(at) = fun.view() else { return None };
        let FunKind::Closure { lambda, n_free } = self.world.heap.fun_kind(at) else {
            return None;
        };
        let function = self.program.lambda(lambda)?;
        let total = n + n_free;
        (self.program.function(function)?.arity as usize == total).then_some((function, total))
    }

    #[inline]
    pub(super) fn place_free(&mut self, base: usize, fun: Value) {
        let n = self.world.heap.fun_free(fun.address()).len();
        if self.stack.len() < base + n {
            self.stack.resize(base + n, Value::NIL);
        }
        let free = self.world.heap.fun_free(fun.address());
        if let Some(slots) = self.stack.get_mut(base..base + n) {
            slots.copy_from_slice(free);
        }
    }

    /// Enters a function whose arguments are in place.
    #[inline(always)]
    pub(super) fn enter(&mut self, function: FnId, n: usize, to: Return) -> Flow {
        let Some(info) = self.program.function(function) else {
            return pause(Pause::Stop(Stop::Unsupported { what: "no code".to_owned() }));
        };
        if let Return::Here(base) = to {
            self.frames.push(Frame { pc: self.pc, base: low_u32(self.base) });
            self.base = base;
        }
        self.pc = info.start;
        let top = self.base + info.n_regs as usize;
        if self.stack.len() < top {
            self.stack.resize(top, Value::NIL);
        }
        if self.fuel == 0 || self.world.heap.is_full() {
            return self.safe_point(self.base + n);
        }
        self.fuel -= 1;
        Ok(())
    }

    /// A place where all that is alive is on the stack below `live`.
    #[cold]
    pub(super) fn collect(&mut self, live: usize) -> Flow {
        let live = live.min(self.stack.len());
        if let Some(running) = self.stack.get_mut(..live) {
            self.world.collect(running);
        }
        let stack_bytes = self.stack.len() * size_of::<Value>();
        if self.world.heap.bytes_used() + stack_bytes > self.world.limits.memory_bytes {
            return pause(Pause::Stop(Stop::OutOfMemory));
        }
        Ok(())
    }

    pub(super) fn safe_point(&mut self, live: usize) -> Flow {
        if self.world.heap.is_full() {
            self.collect(live)?;
        }
        if self.fuel == 0 {
            let stack_bytes = self.stack.len() * size_of::<Value>();
            if self.world.heap.bytes_used() + stack_bytes > self.world.limits.memory_bytes {
                return pause(Pause::Stop(Stop::OutOfMemory));
            }
            self.cut(live);
            return pause(Pause::Yield);
        }
        self.fuel -= 1;
        Ok(())
    }

    /// Drops what is not alive before a pause, and remembers how high the frames reach. No frame
    /// begins above the current one, so none reaches higher than the largest would from here.
    pub(super) fn cut(&mut self, live: usize) {
        let highest = self.base + self.program.max_regs as usize;
        self.top = self.stack.len().min(highest);
        self.stack.truncate(live);
    }

    /// Gives all frames their registers back after a pause.
    pub(super) fn restore_frames(&mut self) {
        if self.stack.len() < self.top {
            self.stack.resize(self.top, Value::NIL);
        }
    }

    #[inline(always)]
    pub(super) fn return_value(&mut self, value: Value) -> Flow {
        let Some(frame) = self.frames.pop() else {
            return pause(Pause::Returned(value));
        };
        self.set(Reg(0), value);
        self.pc = frame.pc;
        self.base = frame.base as usize;
        Ok(())
    }

    /// Leaves the value of a call that was no function of the program.
    pub(super) fn finish_call(&mut self, value: Value, to: Return) -> Flow {
        match to {
            Return::Here(base) => {
                self.place(base, &[value]);
                Ok(())
            }
            Return::ToCaller => self.return_value(value),
        }
    }

    /// The same for what came from another runtime.
    #[cold]
    fn finish_answered(&mut self, answered: Result<Value, Fault>, to: Return) -> Flow {
        match answered {
            Ok(value) => self.finish_call(value, to),
            Err(fault) => self.fault(fault, None),
        }
    }

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
        let arity = u32::try_from(args.len()).unwrap_or(u32::MAX);
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

    /// Backs up to the call, which is made again when its module is loaded.
    pub(super) fn retry_call(&mut self) {
        self.pc = self.pc.saturating_sub(1);
    }

    /// As `error_handler` does: a fallback of the module, else `undef`.
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
        // A tail call that fails is no longer in its caller.
        let skip = match to {
            Return::Here(_) => Skip::Nothing,
            Return::ToCaller => Skip::Current,
        };
        let raised = Raised::undefined(self, module, name, args, skip);
        self.raise(raised)
    }

    /// The function of the module that the process has named instead of `error_handler`.
    fn own_error_handler(&mut self, function: &str) -> Option<(Value, Value)> {
        let flag = self.world.atoms.find("error_handler")?;
        let handler = self.world.me()?.flags.get(&flag)?.as_atom().filter(|it| *it != flag)?;
        let function = self.world.atoms.intern(function);
        // One that is not there is no help, and asking for it would never end.
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
            How::Native(_) => match self.compute_seen(builtin, args, Seen::ByName) {
                Ok(value) => self.finish_call(value, to),
                Err(fault) => {
                    // A caller that left by a tail call is not in the trace.
                    // One that raises by `erlang:error` is, however it came to call that.
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
            How::Outside(run) => {
                let found = run(self.world, args);
                self.looked_on(builtin, args, &found);
                match found {
                    Ok(value) => self.finish_call(value.concrete(), to),
                    Err(fault) => self.fault(fault, Some((builtin, args))),
                }
            }
            How::Code => {
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
                // The result comes to where the call's own would.
                if to == Return::ToCaller {
                    self.frames.push(Frame { pc: RETURN_AGAIN, base: low_u32(self.base) });
                } else {
                    self.frames.push(Frame { pc: self.pc, base: low_u32(self.base) });
                }
                self.base = live;
                self.cut(live);
                pause(Pause::Host { builtin, args: args.to_vec() })
            }
            How::Control(Control::Inspect) if !self.world.may_go(builtin, args, self.pc) => {
                self.fault(Stop::NeedTurn.into(), None)
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

    /// A builtin that is not followed has looked at its arguments, unless it is called again.
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
                // The stub of a function that BEAM has in C.
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
                // The value lies where the callee's registers begin, the caller's lie below.
                let at = if let Return::Here(base) = to { base } else { self.base };
                self.finish_call(Value::TRUE, to)?;
                self.cut(at + 1);
                pause(Pause::Yield)
            }
            (Control::Dirty, _) => self.dirty(builtin, args, to),
            _ => self.fault(Fault::BADARG, None),
        }
    }

    /// A closure that came in a binary: its module may have to be loaded.
    fn undefined_lambda(
        &mut self,
        lambda: LambdaId,
        fun: Value,
        args: &[Value],
        to: Return,
    ) -> Flow {
        // Its code may be gone in a moment: the call waits until that is known.
        if let Some(purger) = self.world.purger_of(lambda) {
            let module = self.world.heap.lambda(lambda).map_or(AtomId::UNDEFINED, |it| it.module);
            let name = Value::atom(self.world.atoms.intern("pending_purge_lambda"));
            let purging = Value::atom(self.world.atoms.intern("erts_code_purger"));
            let args = [Value::atom(module), fun, self.world.heap.list(args)];
            self.apply(purging, name, &args, to)?;
            self.cut(self.base + args.len());
            self.world.suspended.insert((purger, self.world.current), 1);
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
            let skip = match to {
                Return::Here(_) => Skip::Nothing,
                Return::ToCaller => Skip::Current,
            };
            let raised = Raised::undefined_fun(self, fun, args, skip);
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

    /// A call of what is no fun, or with another number of arguments.
    fn bad_call(&mut self, reason: Value, to: Return) -> Flow {
        let skip = match to {
            Return::Here(_) => Skip::Twice,
            Return::ToCaller => Skip::Nothing,
        };
        let raised = Raised::error(self, reason, skip);
        self.raise(raised)
    }

    #[inline]
    pub(super) fn native(&mut self, builtin: BuiltinId, dst: Reg, args: &[Value]) -> Flow {
        let Some(builtin) = self.program.builtins.get(builtin.0 as usize) else { return Ok(()) };
        match self.compute_seen(builtin, args, Seen::InCode) {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            // Done on floats: the operator is not named.
            Err(Fault::Error(reason)) if builtin.name == "/" => {
                self.fault(Fault::Plain(reason), None)
            }
            Err(fault) => self.fault(fault, Some((builtin, args))),
        }
    }

    /// Both halves of a builtin of ours.
    #[inline]
    fn compute(&mut self, builtin: &'static Builtin, args: &[Value]) -> Result<Value, Fault> {
        let How::Native(run) = builtin.how else { return Err(Fault::BADARG) };
        if self.world.replay.is_some()
            && let Some(answered) = self.answered(builtin, args)
        {
            return answered;
        }
        if builtin.effect == Effect::Machine && !self.world.may_go(builtin, args, self.pc) {
            return Err(Stop::NeedTurn.into());
        }
        let found = run(self.world, args);
        if self.world.work > 0 {
            self.worked(builtin);
        }
        if self.world.record.is_none() {
            return found;
        }
        self.compute_symbolically(builtin, args, found)
    }

    /// The same where somebody may watch.
    #[inline]
    fn compute_seen(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        seen: Seen,
    ) -> Result<Value, Fault> {
        if self.world.tracing.is_none() {
            return self.compute(builtin, args);
        }
        self.compute_traced(builtin, args, seen, |it| it.compute(builtin, args))
    }

    #[cold]
    fn compute_symbolically(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        found: Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        match found {
            // Something is missing, and the call is made again when it is there.
            Err(fault @ Fault::Stop(_)) => Err(fault),
            Err(fault) => {
                self.lifted(builtin, args, None);
                Err(fault)
            }
            Ok(value) => Ok(self.lifted(builtin, args, Some(value)).unwrap_or(value)),
        }
    }

    /// An operator that has an instruction of its own, on symbolic operands.
    #[cold]
    pub(super) fn operate(
        &mut self,
        name: AtomId,
        dst: Reg,
        a: Value,
        b: Value,
        found: Result<Value, Fault>,
    ) -> Flow {
        let builtin = match self.program.resolve(AtomId::ERLANG, name, 2) {
            Some(Target::Builtin(id)) => self.program.builtins.get(id.0 as usize).copied(),
            _ => None,
        };
        let Some(builtin) = builtin else { return Ok(()) };
        match self.compute_symbolically(builtin, &[a, b], found) {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            Err(fault) => self.operator_fault(fault, name, &[a, b]),
        }
    }

    /// Adds a constant to what is no small integer; a negative one stands for a subtraction.
    #[cold]
    pub(super) fn add_slowly(&mut self, dst: Reg, a: Value, b: i64) -> Flow {
        let (result, operator, b) = if b < 0 {
            let b = Value::int(-b);
            (subtract(self.world, a, b), AtomId::MINUS, b)
        } else {
            let b = Value::int(b);
            (add(self.world, a, b), AtomId::PLUS, b)
        };
        if a.shadow().is_some() && self.world.record.is_some() {
            return self.operate(operator, dst, a, b, result);
        }
        match result {
            Ok(value) => {
                self.set(dst, value);
                Ok(())
            }
            Err(fault) => self.operator_fault(fault, operator, &[a, b]),
        }
    }

    // Exceptions

    /// Whether BEAM has the operation that is running as an instruction which, when it fails, does
    /// not name the operator: addition of a small integer literal, and what is done on floats.
    fn is_anonymous_operator(&self) -> bool {
        let literal = |src: Src| src.open().ok().and_then(|it| self.world.literals.get(it));
        let is_small = |src: Src| literal(src).is_some_and(|it| it.is_small_on_beam());
        let is_float =
            |src: Src| literal(src).is_some_and(|it| matches!(it.view(), View::Float(_)));
        match self.program.code.get(self.pc.saturating_sub(1) as usize) {
            Some(Ins::AddInt { .. }) => true,
            Some(Ins::Add { a, b, .. }) => {
                is_small(*a) || is_small(*b) || is_float(*a) || is_float(*b)
            }
            Some(Ins::Subtract { a, b, .. }) => is_small(*b) || is_float(*a) || is_float(*b),
            Some(Ins::Multiply { a, b, .. }) => is_float(*a) || is_float(*b),
            _ => false,
        }
    }

    #[cold]
    pub(super) fn function_clause(&mut self, name: AtomId, args: &[Value]) -> Flow {
        let raised = Raised::function_clause(self, name, args);
        self.raise(raised)
    }

    #[cold]
    pub(super) fn operator_fault(&mut self, fault: Fault, name: AtomId, args: &[Value]) -> Flow {
        if let Fault::Error(reason) = fault
            && self.is_anonymous_operator()
        {
            return self.fault(Fault::Plain(reason), None);
        }
        let arity = u32::try_from(args.len()).unwrap_or(u32::MAX);
        let builtin = self.program.resolve(AtomId::ERLANG, name, arity);
        match builtin {
            Some(Target::Builtin(id)) => {
                let builtin = self.program.builtins.get(id.0 as usize).copied();
                self.fault(fault, builtin.map(|it| (it, args)))
            }
            _ => self.fault(fault, None),
        }
    }

    #[cold]
    pub(super) fn bits_fault(&mut self, failed: BitsFailed) -> Flow {
        let Some(reason) = failed.error.reason() else {
            return self.fault(failed.error.into(), None);
        };
        let handler = self.program.handler_at(self.pc.saturating_sub(1));
        if handler.is_some_and(|it| it.kind == HandlerKind::Guard) {
            return self.fault(Fault::Error(reason), None);
        }
        let cause = failed.cause(self.world);
        let raised = Raised::building(self, reason, cause);
        self.raise(raised)
    }

    #[cold]
    pub(super) fn fault(
        &mut self,
        fault: Fault,
        culprit: Option<(&'static Builtin, &[Value])>,
    ) -> Flow {
        let is_guard = |it: Handler| it.kind == HandlerKind::Guard;
        let handler = self.program.handler_at(self.pc.saturating_sub(1));
        if let Some(guard) = handler.filter(|it| is_guard(*it))
            && !matches!(fault, Fault::Stop(_))
        {
            self.pc = guard.target;
            return Ok(());
        }
        match fault {
            Fault::Stop(stop) => {
                if let Stop::NeedModule(_)
                | Stop::NeedProcess(..)
                | Stop::NeedFact(_)
                | Stop::NeedTurn = *stop
                {
                    self.retry_call();
                }
                pause(Pause::Stop(*stop))
            }
            Fault::Killed(reason) => pause(Pause::Killed(reason)),
            Fault::Error(_)
            | Fault::Plain(_)
            | Fault::ErrorArgs(..)
            | Fault::Described(..)
            | Fault::Caused(..)
            | Fault::Exit(_)
            | Fault::Throw(_)
            | Fault::Raise(..) => {
                let raised = Raised::from_fault(self, &fault, culprit);
                self.raise(raised)
            }
        }
    }

    /// Goes to the innermost handler, or ends the process.
    #[cold]
    pub(super) fn raise(&mut self, raised: Raised) -> Flow {
        match raise::unwind(self, raised) {
            Ok(()) => Ok(()),
            Err(raised) => pause(Pause::Raised(raised)),
        }
    }
}

fn low_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
