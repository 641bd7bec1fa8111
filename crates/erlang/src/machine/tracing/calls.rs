//! Traced calls: the messages at their beginning and end.
//!
//! A traced function is entered through a stub. What is to be reported at its return has a frame of its own, so that
//! tail calls and exceptions find it at the right position.

use crate::builtins::ets::spec::{Called, Effects, is_guard, run_traced};
use crate::builtins::{Builtin, Fault};
use crate::code::{FnId, Scope};
use crate::machine::World;
use crate::machine::frames::{FIRST_CODE, RETURN_TRACED};
use crate::machine::interpret::{Cpu, Flow};
use crate::machine::process::Frame;
use crate::machine::raise::{Raised, frame_at};
use crate::machine::tracing::{Flags, MatchSpec, Mfa, ReturnReport, Tracee};
use term::fit_u32;
use values::{AtomId, PidId, Value};

/// How a builtin is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum CallForm {
    /// Dynamically, by its name.
    ByName,
    /// From compiled code, where BEAM may have an instruction for it.
    InCode,
}

/// Functions that are instructions in BEAM's compiled code, so that their calls can't be traced; operators and guard
/// builtins are, too.
const INSTRUCTIONS: &[(&str, u8)] = &[("self", 0), ("node", 0), ("node", 1), ("get", 1)];

impl Cpu<'_> {
    /// Handles the entry of a traced function whose arguments have been placed.
    #[cold]
    pub(in crate::machine) fn traced(&mut self, function: FnId, scope: Scope) {
        let Some(info) = self.program.function(function) else { return };
        let call = (info.module, info.name, info.arity);
        let args: Vec<Value> = (0..info.arity as usize).map(|it| self.reg(it)).collect();
        let caller = self.frames.iter().rev().map(|it| it.pc).find(|it| FIRST_CODE <= *it);
        let pending = self.tell_call(call, &args, scope, caller);
        let base = fit_u32(self.base);
        for one in pending {
            if matches!(one, ReturnReport::To) && self.is_told_already() {
                continue;
            }
            self.frames.push(Frame { pc: RETURN_TRACED, base });
            self.pending().push(one);
        }
    }

    /// Whether the topmost frames already report where they return to.
    fn is_told_already(&mut self) -> bool {
        let n = self.frames.iter().rev().take_while(|it| it.pc == RETURN_TRACED).count();
        let pending = self.pending();
        pending.iter().rev().take(n).any(|it| matches!(it, ReturnReport::To))
    }

    fn pending(&mut self) -> &mut Vec<ReturnReport> {
        let me = self.world.run.current;
        self.world.tracing().returns.entry(me).or_default()
    }

    /// Reports the return of a traced call, and returns once more.
    #[cold]
    pub(in crate::machine) fn traced_return(&mut self) -> Flow {
        let value = self.reg(0);
        if let Some(pending) = self.pending().pop() {
            self.tell_return(pending, value);
        }
        self.return_value(value)
    }

    /// Removes the report of a return when an exception passes its frame. Returns whether the process's next position
    /// is to be reported.
    #[cold]
    pub(in crate::machine) fn traced_unwind(&mut self, raised: &Raised) -> bool {
        match self.pending().pop() {
            Some(ReturnReport::From { call, exceptions: true, meta }) => {
                self.world.tell_exception(call, meta, raised.class, raised.reason);
                false
            }
            Some(ReturnReport::To) => true,
            Some(ReturnReport::From { .. }) | None => false,
        }
    }

    /// Reports the function to which a process has returned.
    #[cold]
    pub(in crate::machine) fn tell_where(&mut self, pc: u32) {
        let me = self.world.run.current;
        if let Some(tracee) = self.world.traced_for(me, Flags::RETURN_TO)
            && !tracee.flags.has(Flags::SILENT)
        {
            let place = self.function_term(Some(pc));
            self.world.tell(me, tracee, "return_to", &[place]);
        }
    }

    fn tell_return(&mut self, pending: ReturnReport, value: Value) {
        match pending {
            ReturnReport::From { call, meta, .. } => {
                self.world.tell_return(call, meta, value);
            }
            ReturnReport::To => {
                let next = self.frames.iter().rev().map(|it| it.pc).find(|it| FIRST_CODE <= *it);
                if let Some(pc) = next {
                    self.tell_where(pc);
                } else {
                    let me = self.world.run.current;
                    let undefined = Value::atom(AtomId::UNDEFINED);
                    if let Some(tracee) = self.world.traced_for(me, Flags::RETURN_TO) {
                        self.world.tell(me, tracee, "return_to", &[undefined]);
                    }
                }
            }
        }
    }

    // Builtins

    /// Computes a builtin that may be traced.
    #[cold]
    pub(in crate::machine) fn compute_traced(
        &mut self,
        builtin: &'static Builtin,
        args: &[Value],
        seen: CallForm,
        compute: impl FnOnce(&mut Self) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        let call = self.watched_builtin(builtin, seen);
        let Some((call, scope)) = call else { return compute(self) };
        let pc = self.pc;
        let pending = self.tell_call(call, args, scope, Some(pc));
        let found = compute(self);
        for one in pending.into_iter().rev() {
            match (&found, one) {
                (Ok(value), ReturnReport::From { meta, .. }) => {
                    self.world.tell_return(call, meta, *value);
                }
                (Ok(_), ReturnReport::To) => self.tell_where(pc),
                (Err(fault), ReturnReport::From { exceptions: true, meta, .. }) => {
                    if let Some((class, reason)) = fault.raised() {
                        self.world.tell_exception(call, meta, class, reason);
                    }
                }
                (Err(_), ReturnReport::From { .. } | ReturnReport::To) => (),
            }
        }
        found
    }

    fn watched_builtin(&mut self, builtin: &Builtin, seen: CallForm) -> Option<(Mfa, Scope)> {
        let tracing = self.world.run.tracing.as_ref()?;
        if tracing.watched.is_empty() || (seen == CallForm::InCode && is_hidden(builtin)) {
            return None;
        }
        let atoms = &self.world.atoms;
        let module = atoms.find(builtin.module)?;
        let name = atoms.find(builtin.name)?;
        let call = (module, name, u32::from(builtin.arity));
        let watch = tracing.watched.get(&call)?;
        Some((call, watch.call.as_ref().map_or(Scope::Local, |it| it.0)))
    }

    // Trace messages

    /// Reports a call to all tracers that want it. Returns what is to be reported at its return, outermost first.
    fn tell_call(
        &mut self,
        call: Mfa,
        args: &[Value],
        scope: Scope,
        caller: Option<u32>,
    ) -> Vec<ReturnReport> {
        let watch = self.world.tracing().watched.get_mut(&call);
        let Some(watch) = watch else { return Vec::new() };
        let mut meta = None;
        if scope == Scope::Local {
            if let Some(count) = watch.count.as_mut().filter(|it| !it.is_paused) {
                count.n += 1;
            }
            meta = watch.meta.clone();
        }
        let plain = watch.call.clone().filter(|it| it.0 == scope);
        let me = self.world.run.current;
        let mut res = Vec::new();
        if let Some((_, source)) = plain
            && let Some(tracee) = self.world.traced_for(me, Flags::CALL)
        {
            self.tell_plainly(call, args, scope, caller, tracee, source.as_ref(), &mut res);
        }
        if let Some((tracer, source)) = meta
            && !self.world.is_sensitive(me)
            && tracer != me
            && let Some(effects) = self.judge(source.as_ref(), args, caller)
        {
            let told = Tracee { flags: Flags::TIMESTAMP, tracer: Some(tracer) };
            self.tell_begin(call, args, told, &effects);
            if effects.returns || effects.exceptions {
                let exceptions = effects.exceptions;
                res.push(ReturnReport::From { call, exceptions, meta: Some(tracer) });
            }
        }
        res
    }

    #[expect(clippy::too_many_arguments, reason = "all that is known of one call")]
    fn tell_plainly(
        &mut self,
        call: Mfa,
        args: &[Value],
        scope: Scope,
        caller: Option<u32>,
        tracee: Tracee,
        source: Option<&MatchSpec>,
        res: &mut Vec<ReturnReport>,
    ) {
        let Some(effects) = self.judge(source, args, caller) else { return };
        let me = self.world.run.current;
        // The match specification may have changed the trace flags of the process before the call is reported.
        let now = self.world.tracee(me).flags;
        if now.has(Flags::SILENT) {
            return;
        }
        let is_told = !effects.message.is_some_and(|it| it.same_word(Value::FALSE));
        if is_told {
            let told = Tracee { flags: now, tracer: tracee.tracer };
            self.tell_begin(call, args, told, &effects);
            if scope == Scope::Local && now.has(Flags::RETURN_TO) {
                res.push(ReturnReport::To);
            }
        }
        if effects.returns || effects.exceptions {
            res.push(ReturnReport::From { call, exceptions: effects.exceptions, meta: None });
        }
    }

    fn tell_begin(&mut self, call: Mfa, args: &[Value], tracee: Tracee, effects: &Effects) {
        let message = effects.message.unwrap_or(Value::TRUE);
        if message.same_word(Value::FALSE) {
            return;
        }
        let last = if tracee.flags.has(Flags::ARITY) {
            Value::int(i64::from(call.2))
        } else {
            self.world.heap.list(args)
        };
        let called = [Value::atom(call.0), Value::atom(call.1), last];
        let mut parts = vec![self.world.heap.tuple(&called)];
        if !message.same_word(Value::TRUE) {
            parts.push(message);
        }
        let me = self.world.run.current;
        self.world.tell(me, tracee, "call", &parts);
    }

    /// The effects of a match specification on a call; `None` if it does not match.
    fn judge(
        &mut self,
        source: Option<&MatchSpec>,
        args: &[Value],
        caller: Option<u32>,
    ) -> Option<Effects> {
        let mut effects = Effects::default();
        let Some(source) = source else { return Some(effects) };
        let called = Called {
            caller: self.function_term(caller),
            caller_line: self.line_term(caller),
            stack: self.stack_term(caller),
        };
        let term = self.world.heap.list(args);
        let found = run_traced(self.world, &source.spec, term, called, &mut effects);
        found.ok().flatten().map(|_| effects)
    }

    /// `{Module, Function, Arity}` of the function that contains the instruction before an address.
    fn function_term(&mut self, pc: Option<u32>) -> Value {
        let found = pc.and_then(|it| self.program.function_at(it.saturating_sub(1)));
        match found {
            Some(info) => {
                let arity = Value::int(i64::from(info.arity));
                let items = [Value::atom(info.module), Value::atom(info.name), arity];
                self.world.heap.tuple(&items)
            }
            None => Value::atom(AtomId::UNDEFINED),
        }
    }

    fn line_term(&mut self, pc: Option<u32>) -> Value {
        let undefined = Value::atom(AtomId::UNDEFINED);
        let Some(pc) = pc else { return undefined };
        let frame = frame_at(self.program, self.world, pc.saturating_sub(1), None);
        let Some([module, name, arity, location]) = self.world.heap.elements(frame) else {
            return undefined;
        };
        let (module, name, arity, location) = (*module, *name, *arity, *location);
        let items = self.world.heap.list_items(location).unwrap_or_default();
        let values: Vec<Value> =
            items.iter().filter_map(|it| self.world.heap.elements(*it)?.get(1).copied()).collect();
        let place =
            if let [_, _] = values.as_slice() { self.world.heap.tuple(&values) } else { undefined };
        self.world.heap.tuple(&[module, name, arity, place])
    }

    fn stack_term(&mut self, caller: Option<u32>) -> Value {
        let mut pcs: Vec<u32> = caller.into_iter().collect();
        let frames = self.frames.iter().rev().map(|it| it.pc).filter(|it| FIRST_CODE <= *it);
        let skip = usize::from(caller.is_some() && caller != Some(self.pc));
        pcs.extend(frames.skip(skip));
        let frames = crate::machine::raise::frames_at(self.program, self.world, &pcs);
        self.world.heap.list(&frames)
    }
}

impl World {
    fn tell_return(&mut self, call: Mfa, meta: Option<PidId>, value: Value) {
        let me = self.run.current;
        let Some(tracee) = self.told(meta) else { return };
        let call = self.call_term(call);
        self.tell(me, tracee, "return_from", &[call, value]);
    }

    fn tell_exception(&mut self, call: Mfa, meta: Option<PidId>, class: AtomId, reason: Value) {
        let me = self.run.current;
        let Some(tracee) = self.told(meta) else { return };
        let call = self.call_term(call);
        let what = self.heap.tuple(&[Value::atom(class), reason]);
        self.tell(me, tracee, "exception_from", &[call, what]);
    }

    /// The tracer that is told of a return, and in which format.
    fn told(&self, meta: Option<PidId>) -> Option<Tracee> {
        match meta {
            Some(tracer) => Some(Tracee { flags: Flags::TIMESTAMP, tracer: Some(tracer) }),
            None => {
                let tracee = self.traced_for(self.run.current, Flags::CALL)?;
                (!tracee.flags.has(Flags::SILENT)).then_some(tracee)
            }
        }
    }

    fn call_term(&mut self, call: Mfa) -> Value {
        let arity = Value::int(i64::from(call.2));
        self.heap.tuple(&[Value::atom(call.0), Value::atom(call.1), arity])
    }
}

/// Whether BEAM's compiler has an instruction for a builtin.
fn is_hidden(builtin: &Builtin) -> bool {
    let Builtin { module, name, arity, .. } = *builtin;
    module == "erlang"
        && (INSTRUCTIONS.contains(&(name, arity)) || is_guard(name, usize::from(arity)))
}
