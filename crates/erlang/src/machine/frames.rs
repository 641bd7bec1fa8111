//! Stack frames: placing arguments, entering functions and returning from them.
//!
//! This is part of the interpreter's hot loop.

use crate::builtins::{Fault, Stop};
use crate::code::{FnId, Reg};
use crate::machine::interpret::{Cpu, Flow, Pause, Return, pause};
use crate::machine::process::Frame;
use term::fit_u32;
use values::{FunKind, Value, View};

/// A return address that returns at once: the call that it belongs to was a tail call.
pub(crate) const RETURN_AGAIN: u32 = 0;

/// A return address that reports the return of a traced call.
pub(crate) const RETURN_TRACED: u32 = 1;

/// The first address of program code.
pub(crate) const FIRST_CODE: u32 = 2;

impl Cpu<'_> {
    #[inline]
    pub(super) fn place_args(&mut self, base: usize, args: u32, n: usize) {
        let from = args as usize;
        let operands = self.program.operands.get(from..from + n).unwrap_or_default();
        // A function's registers include room for a few arguments of its callees.
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

    /// Places the arguments of a tail call. They overwrite the registers from which they are read, so all are read
    /// first.
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

    /// The code of a closure that takes `n` arguments, and the number of values to place (arguments and captured
    /// values). `None` for other funs, or with a wrong number of arguments.
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

    /// Enters a function whose arguments have been placed.
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
        if self.fuel == 0 || self.world.heap.needs_safe_point() {
            return self.safe_point(self.base + n);
        }
        self.fuel -= 1;
        Ok(())
    }

    /// Collects garbage at a safe point, where all live values are on the stack below `live`.
    #[cold]
    pub(super) fn collect(&mut self, live: usize) -> Flow {
        let live = live.min(self.stack.len());
        if let Some(running) = self.stack.get_mut(..live) {
            self.world.collect(running);
        }
        if self.has_room() {
            return Ok(());
        }
        // The minor collection was not enough: collect the old generation, too.
        if let Some(running) = self.stack.get_mut(..live) {
            self.world.collect_all(running);
        }
        if self.has_room() { Ok(()) } else { pause(Pause::Stop(Stop::OutOfMemory)) }
    }

    /// Whether the run is within its memory limit.
    fn has_room(&self) -> bool {
        let stack_bytes =
            self.stack.len() * size_of::<Value>() + self.frames.len() * size_of::<Frame>();
        self.world.heap.bytes_used() + stack_bytes <= self.world.limits.memory_bytes
    }

    /// Charges for the work inside of operations since the last safe point.
    #[cold]
    fn charge(&mut self) -> Flow {
        let calls = self.world.heap.take_work();
        self.spend(calls);
        if self.world.heap.effort.is_interrupted() {
            return pause(Pause::Stop(Stop::Interrupted));
        }
        Ok(())
    }

    pub(super) fn safe_point(&mut self, live: usize) -> Flow {
        self.look_around(live)?;
        if self.fuel > 0 {
            self.fuel -= 1;
        }
        Ok(())
    }

    /// Charges for work, collects garbage, and yields to other processes, where each is due. All live values are on the
    /// stack below `live`, and the process continues at the program counter.
    fn look_around(&mut self, live: usize) -> Flow {
        if self.world.heap.has_uncharged_work() {
            self.charge()?;
        }
        if self.world.heap.is_full() {
            self.collect(live)?;
        }
        if self.fuel == 0 {
            if !self.has_room() {
                self.collect(live)?;
            }
            self.cut(live);
            return pause(Pause::Yield);
        }
        Ok(())
    }

    /// Drops the dead values above `live` before a pause, and stores the height of the registers of all frames. No
    /// frame begins above the current one, so none needs more than the current base and the largest number of
    /// registers.
    pub(super) fn cut(&mut self, live: usize) {
        let highest = self.base + self.program.max_regs as usize;
        self.top = self.stack.len().min(highest);
        self.stack.truncate(live);
    }

    /// Restores the registers of all frames after a pause.
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
        let live = self.base + 1;
        self.pc = frame.pc;
        self.base = frame.base as usize;
        if self.world.heap.needs_safe_point() {
            return self.look_around(live);
        }
        Ok(())
    }

    /// Delivers the result of a call that is not a function of the program.
    pub(super) fn finish_call(&mut self, value: Value, to: Return) -> Flow {
        match to {
            Return::Here(base) => {
                self.place(base, &[value]);
                Ok(())
            }
            Return::ToCaller => self.return_value(value),
        }
    }

    /// As [`Cpu::finish_call`], for a result that came from another runtime.
    #[cold]
    pub(super) fn finish_answered(&mut self, answered: Result<Value, Fault>, to: Return) -> Flow {
        match answered {
            Ok(value) => self.finish_call(value, to),
            Err(fault) => self.fault(fault, None),
        }
    }
}

pub(super) fn low_u32(value: usize) -> u32 {
    fit_u32(value)
}
