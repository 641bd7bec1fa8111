//! The interpreter: runs one process until it has to pause.
//!
//! The hot loop of the whole tool (benchmarks: `cargo xtask bench`). Registers and program counter
//! are local variables; everything rare is a call to somewhere else.

use crate::builtins::arithmetic::{add, multiply, subtract};
use crate::builtins::{Builtin, Control, Fault, How, Stop};
use crate::code::{
    BitsPattern, BitsSegment, Cmp, FnId, Handler, HandlerKind, Ins, Kind, MapStep, Program, Src,
    Target,
};
use crate::core::MapOp;
use crate::data::{
    AtomId, BitsBuilder, FunKind, SegmentSpec, SegmentType, Value, View, compare_value,
    equal_exact, equal_value,
};
use crate::machine::World;
use crate::machine::process::{Execution, Frame, Start, Status};
use crate::machine::raise::{self, Raised, Skip};

/// Why a process stopped running.
#[derive(Debug)]
pub(crate) enum Pause {
    /// Its time slice is over.
    Yield,
    /// It waits for a message.
    Wait,
    /// Its function returned.
    Returned(Value),
    /// It raised what nobody caught.
    Raised(Raised),
    /// It ended by a signal.
    Killed(Value),
    /// It calls a module that is not loaded; the call is made again when it is.
    Load(AtomId),
    /// The host has to compute something; the value is the result of the call.
    Host { builtin: &'static Builtin, args: Vec<Value> },
    /// The whole run ends.
    Stop(Stop),
}

pub(crate) struct Cpu<'m> {
    pub(crate) program: &'m Program,
    pub(crate) world: &'m mut World,
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pc: u32,
    pub(crate) base: usize,
    /// Calls left in this slice.
    pub(crate) fuel: u32,
}

/// What a call does next.
enum Flow {
    Go,
    Pause(Pause),
}

/// How a call returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Return {
    /// To the instruction after it; the callee's frame begins here.
    Here(usize),
    /// To whoever called the caller.
    ToCaller,
}

/// Runs the process whose stack this is until it pauses. Returns the calls it has made.
pub(crate) fn run(
    program: &Program,
    world: &mut World,
    execution: &mut Execution,
    slice: u32,
) -> (Pause, u32) {
    let mut cpu = Cpu {
        program,
        world,
        stack: std::mem::take(&mut execution.stack),
        frames: std::mem::take(&mut execution.frames),
        pc: execution.pc,
        base: execution.base,
        fuel: slice,
    };
    let pause = match cpu.begin(execution.start) {
        Flow::Go => {
            execution.start = Start::Begun;
            cpu.run()
        }
        Flow::Pause(pause) => {
            if !matches!(pause, Pause::Load(_)) {
                execution.start = Start::Begun;
            }
            pause
        }
    };
    let used = slice - cpu.fuel;
    let Cpu { stack, frames, pc, base, .. } = cpu;
    execution.stack = stack;
    execution.frames = frames;
    execution.pc = pc;
    execution.base = base;
    (pause, used)
}

macro_rules! check {
    ($self:ident, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(fault) => match $self.fault(fault, None) {
                Flow::Go => continue,
                Flow::Pause(pause) => return pause,
            },
        }
    };
}

macro_rules! flow {
    ($flow:expr) => {
        if let Flow::Pause(pause) = $flow {
            return pause;
        }
    };
}

impl Cpu<'_> {
    /// Enters the first function of a process.
    fn begin(&mut self, start: Start) -> Flow {
        match start {
            Start::Begun => Flow::Go,
            Start::Deliver => {
                let value = self.stack.last().copied().unwrap_or(Value::NIL);
                self.return_value(value)
            }
            Start::DeliverRaise => {
                let n = self.stack.len();
                let at = |it: usize| self.stack.get(it).copied().unwrap_or(Value::NIL);
                let (class, reason) = (at(n.saturating_sub(2)), at(n.saturating_sub(1)));
                if let Some(frame) = self.frames.pop() {
                    self.pc = frame.pc;
                    self.base = frame.base as usize;
                }
                let fault = match class.as_atom() {
                    Some(AtomId::EXIT) => Fault::Exit(reason),
                    Some(AtomId::THROW) => Fault::Throw(reason),
                    _ => Fault::Error(reason),
                };
                self.fault(fault, None)
            }
            Start::Apply => {
                let module = self.reg(0);
                let name = self.reg(1);
                let args: Vec<Value> = self.stack.get(2..).unwrap_or_default().to_vec();
                let flow = self.apply(module, name, &args, Return::ToCaller);
                if let Flow::Pause(Pause::Load(_)) = flow {
                    let mut stack = vec![module, name];
                    stack.extend_from_slice(&args);
                    self.stack = stack;
                }
                flow
            }
            Start::ApplyFun => {
                let fun = self.reg(0);
                let args: Vec<Value> = self.stack.get(1..).unwrap_or_default().to_vec();
                let flow = self.apply_fun(fun, &args, Return::ToCaller);
                if let Flow::Pause(Pause::Load(_)) = flow {
                    let mut stack = vec![fun];
                    stack.extend_from_slice(&args);
                    self.stack = stack;
                }
                flow
            }
        }
    }

    #[inline]
    fn reg(&self, reg: usize) -> Value {
        self.stack.get(self.base + reg).copied().unwrap_or(Value::NIL)
    }

    #[inline]
    fn src(&self, src: Src) -> Value {
        match src.open() {
            Err(reg) => self.stack.get(self.base + reg).copied().unwrap_or(Value::NIL),
            Ok(literal) => self.world.literals.get(literal).copied().unwrap_or(Value::NIL),
        }
    }

    #[inline]
    fn set(&mut self, reg: crate::code::Reg, value: Value) {
        if let Some(slot) = self.stack.get_mut(self.base + reg.0 as usize) {
            *slot = value;
        }
    }

    #[inline]
    fn operands(&self, args: u32, n: usize) -> &[Src] {
        let from = args as usize;
        self.program.operands.get(from..from + n).unwrap_or_default()
    }

    fn values(&self, args: u32, n: usize) -> Vec<Value> {
        self.operands(args, n).iter().map(|it| self.src(*it)).collect()
    }

    #[expect(clippy::too_many_lines, reason = "one arm per instruction, kept where it is fast")]
    fn run(&mut self) -> Pause {
        self.restore_frame();
        loop {
            let Some(ins) = self.program.code.get(self.pc as usize).copied() else {
                return Pause::Stop(Stop::Unsupported { what: "code that ends".to_owned() });
            };
            self.pc += 1;
            match ins {
                Ins::Move { dst, src } => {
                    let value = self.src(src);
                    self.set(dst, value);
                }
                Ins::Clear { from, n } => {
                    let from = self.base + from.0 as usize;
                    if let Some(regs) = self.stack.get_mut(from..from + n as usize) {
                        regs.fill(Value::NIL);
                    }
                }
                Ins::Call { n, base, function, args } => {
                    let base = self.base + base.0 as usize;
                    self.place_args(base, args, n as usize);
                    flow!(self.enter(function, n as usize, Return::Here(base)));
                }
                Ins::TailCall { n, function, args } => {
                    self.place_tail_args(args, n as usize);
                    flow!(self.enter(function, n as usize, Return::ToCaller));
                }
                Ins::CallImport { n, base, import, args } => {
                    let base = self.base + base.0 as usize;
                    let import = self.program.imports.get(import.0 as usize);
                    if let Some(Target::Function(function)) = import.and_then(|it| it.target.get())
                    {
                        self.place_args(base, args, n as usize);
                        flow!(self.enter(function, n as usize, Return::Here(base)));
                    } else if let Some(import) = import {
                        let values = self.values(args, n as usize);
                        flow!(self.call_import(import, &values, Return::Here(base)));
                    }
                }
                Ins::TailImport { n, import, args } => {
                    let import = self.program.imports.get(import.0 as usize);
                    if let Some(Target::Function(function)) = import.and_then(|it| it.target.get())
                    {
                        self.place_tail_args(args, n as usize);
                        flow!(self.enter(function, n as usize, Return::ToCaller));
                    } else if let Some(import) = import {
                        let values = self.values(args, n as usize);
                        flow!(self.call_import(import, &values, Return::ToCaller));
                    }
                }
                Ins::CallFun { n, base, fun, args } => {
                    let base = self.base + base.0 as usize;
                    let fun = self.src(fun);
                    if let Some((function, total)) = self.closure_code(fun, n as usize) {
                        self.place_args(base, args, n as usize);
                        self.place_free(base + n as usize, fun);
                        flow!(self.enter(function, total, Return::Here(base)));
                    } else {
                        let values = self.values(args, n as usize);
                        flow!(self.apply_fun(fun, &values, Return::Here(base)));
                    }
                }
                Ins::TailFun { n, fun, args } => {
                    let fun = self.src(fun);
                    if let Some((function, total)) = self.closure_code(fun, n as usize) {
                        self.place_tail_args(args, n as usize);
                        self.place_free(self.base + n as usize, fun);
                        flow!(self.enter(function, total, Return::ToCaller));
                    } else {
                        let values = self.values(args, n as usize);
                        flow!(self.apply_fun(fun, &values, Return::ToCaller));
                    }
                }
                Ins::CallDynamic { n, base, args } => {
                    let base = self.base + base.0 as usize;
                    let values = self.values(args, n as usize + 2);
                    if let [module, name, args @ ..] = values.as_slice() {
                        flow!(self.apply(*module, *name, args, Return::Here(base)));
                    }
                }
                Ins::TailDynamic { n, args } => {
                    let values = self.values(args, n as usize + 2);
                    if let [module, name, args @ ..] = values.as_slice() {
                        flow!(self.apply(*module, *name, args, Return::ToCaller));
                    }
                }
                Ins::Return { src } => {
                    let value = self.src(src);
                    flow!(self.return_value(value));
                }

                Ins::Builtin { n, dst, builtin, args } => {
                    let values = self.values(args, n as usize);
                    flow!(self.native(builtin, dst, &values));
                }
                Ins::Builtin1 { dst, builtin, a } => {
                    let values = [self.src(a)];
                    flow!(self.native(builtin, dst, &values));
                }
                Ins::Builtin2 { dst, builtin, a, b } => {
                    let values = [self.src(a), self.src(b)];
                    flow!(self.native(builtin, dst, &values));
                }
                Ins::Add { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    match add(self.world, a, b) {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => flow!(self.operator_fault(fault, AtomId::PLUS, &[a, b])),
                    }
                }
                Ins::Subtract { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    match subtract(self.world, a, b) {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => flow!(self.operator_fault(fault, AtomId::MINUS, &[a, b])),
                    }
                }
                Ins::Multiply { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    match multiply(self.world, a, b) {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => flow!(self.operator_fault(fault, AtomId::TIMES, &[a, b])),
                    }
                }
                Ins::Compare { op, dst, a, b } => {
                    let res = self.compare(op, self.src(a), self.src(b));
                    self.set(dst, Value::bool(res));
                }
                Ins::IsKind { kind, dst, src } => {
                    let res = self.is_kind(kind, self.src(src));
                    self.set(dst, Value::bool(res));
                }

                Ins::Jump { to } => self.pc = to,
                Ins::JumpUnless { op, a, b, to } => {
                    if !self.compare(op, self.src(a), self.src(b)) {
                        self.pc = to;
                    }
                }
                Ins::JumpUnlessKind { kind, src, to } => {
                    if !self.is_kind(kind, self.src(src)) {
                        self.pc = to;
                    }
                }
                Ins::JumpUnlessTrue { src, to } => {
                    if !self.src(src).same_word(Value::TRUE) {
                        self.pc = to;
                    }
                }
                Ins::IfCons { src, to } => {
                    if !self.src(src).is_cons() {
                        self.pc = to;
                    }
                }
                Ins::IfNil { src, to } => {
                    if !self.src(src).is_nil() {
                        self.pc = to;
                    }
                }
                Ins::IfTuple { src, arity, to } => {
                    if !matches!(self.src(src).view(), View::Tuple(_, n) if n == arity) {
                        self.pc = to;
                    }
                }
                Ins::IfSame { src, literal, to } => {
                    let (left, right) = (self.src(src), self.src(literal));
                    if !equal_exact(&self.world.heap, &self.world.atoms, left, right) {
                        self.pc = to;
                    }
                }
                Ins::IfMap { src, to } => {
                    if !matches!(self.src(src).view(), View::Map(_)) {
                        self.pc = to;
                    }
                }
                Ins::SwitchList { src, nil, to } => {
                    let value = self.src(src);
                    if !value.is_cons() {
                        self.pc = if value.is_nil() { nil } else { to };
                    }
                }
                Ins::Switch { src, table } => {
                    self.pc = self.switch(self.src(src), table);
                }

                Ins::GetCons { head, tail, src } => {
                    if let Some((first, rest)) = self.world.heap.uncons(self.src(src)) {
                        self.set(head, first);
                        self.set(tail, rest);
                    }
                }
                Ins::GetHead { dst, src } => {
                    let value = self.world.heap.head(self.src(src).address());
                    self.set(dst, value);
                }
                Ins::GetTail { dst, src } => {
                    let value = self.world.heap.tail(self.src(src).address());
                    self.set(dst, value);
                }
                Ins::GetElement { dst, src, place } => {
                    let value = self.world.heap.element(self.src(src).address(), place);
                    self.set(dst, value);
                }
                Ins::GetKey { dst, map, key, to } => {
                    let (map, key) = (self.src(map).address(), self.src(key));
                    match self.world.heap.map_get(&self.world.atoms, map, key) {
                        Some(value) => self.set(dst, value),
                        None => self.pc = to,
                    }
                }
                Ins::MatchBits { src, pattern, to } => {
                    let value = self.src(src);
                    let pattern = self.program.bits_patterns.get(pattern as usize);
                    if pattern.and_then(|it| self.match_bits(value, it)).is_none() {
                        self.pc = to;
                    }
                }

                Ins::Cons { dst, head, tail } => {
                    let (head, tail) = (self.src(head), self.src(tail));
                    let value = self.world.heap.cons(head, tail);
                    self.set(dst, value);
                }
                Ins::Tuple { dst, n, args } => {
                    let value = self.tuple(args, n as usize);
                    self.set(dst, value);
                }
                Ins::Map { dst, base, steps } => {
                    let base = self.src(base);
                    let steps = self.program.map_steps.get(steps as usize);
                    let value = check!(self, self.update_map(base, steps.map_or(&[], |it| it)));
                    self.set(dst, value);
                }
                Ins::Bits { dst, segments } => {
                    let segments = self.program.bits.get(segments as usize);
                    let value = check!(self, self.build_bits(segments.map_or(&[], |it| it)));
                    self.set(dst, value);
                }
                Ins::Closure { dst, n, lambda, args } => {
                    let free = self.values(args, n as usize);
                    let lambda = crate::data::LambdaId(lambda);
                    let value = self.world.heap.closure(lambda, &free);
                    self.set(dst, value);
                }

                Ins::FunctionClause { n, args } => {
                    let values = self.values(args, n as usize);
                    let raised = Raised::function_clause(self, &values);
                    flow!(self.raise(raised));
                }
                Ins::Fail { reason } => {
                    let reason = self.src(reason);
                    flow!(self.fault(Fault::Error(reason), None));
                }
                Ins::Raise { trace, reason } => {
                    let raised = Raised::again(self.world, self.src(trace), self.src(reason));
                    flow!(self.raise(raised));
                }
                Ins::BuildTrace { dst, src } => {
                    let raw = self.src(src);
                    let value = raise::build_trace(self.program, self.world, raw);
                    self.set(dst, value);
                }
                Ins::CatchEnd { at } => {
                    let first = at.0 as usize;
                    let (class, reason, trace) =
                        (self.reg(first), self.reg(first + 1), self.reg(first + 2));
                    let value = raise::catch_value(self.program, self.world, class, reason, trace);
                    self.set(at, value);
                }

                Ins::Peek { found, message } => {
                    let next = self.world.me().and_then(|it| it.mailbox.get(it.seen).copied());
                    self.set(found, Value::bool(next.is_some()));
                    self.set(message, next.unwrap_or(Value::NIL));
                }
                Ins::PeekNext => {
                    if let Some(me) = self.world.me() {
                        me.seen += 1;
                    }
                }
                Ins::RemoveMessage => self.world.remove_message(),
                Ins::Wait { dst, timeout, depth } => {
                    let timeout = self.src(timeout);
                    match self.world.wait(timeout) {
                        Ok(Some(timed_out)) => self.set(dst, Value::bool(timed_out)),
                        Ok(None) => {
                            self.pc -= 1;
                            self.stack.truncate(self.base + depth.0 as usize);
                            return Pause::Wait;
                        }
                        Err(fault) => flow!(self.fault(fault, None)),
                    }
                }

                Ins::Clause { id } => self.world.cover(id),
                Ins::Loop { depth } => {
                    let live = self.base + depth.0 as usize;
                    flow!(self.safe_point(live));
                }
                Ins::NoClause => {
                    let reason = Value::atom(AtomId::IF_CLAUSE);
                    flow!(self.fault(Fault::Error(reason), None));
                }
            }
        }
    }

    // Calls

    #[inline]
    fn place_args(&mut self, base: usize, args: u32, n: usize) {
        let from = args as usize;
        let operands = self.program.operands.get(from..from + n).unwrap_or_default();
        for (place, src) in (base..).zip(operands) {
            let value = self.src(*src);
            if let Some(slot) = self.stack.get_mut(place) {
                *slot = value;
            } else {
                self.stack.resize(place + 1, Value::NIL);
                if let Some(slot) = self.stack.last_mut() {
                    *slot = value;
                }
            }
        }
    }

    /// Arguments replace the registers they are read from, so all are read first.
    #[inline]
    fn place_tail_args(&mut self, args: u32, n: usize) {
        const FEW: usize = 8;
        let mut few = [Value::NIL; FEW];
        if n <= FEW {
            for (slot, src) in few.iter_mut().zip(self.operands(args, n)) {
                *slot = self.src(*src);
            }
            let base = self.base;
            if let (Some(to), Some(from)) = (self.stack.get_mut(base..base + n), few.get(..n)) {
                to.copy_from_slice(from);
            }
            return;
        }
        let values = self.values(args, n);
        self.place(self.base, &values);
    }

    fn place(&mut self, base: usize, values: &[Value]) {
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
    fn closure_code(&self, fun: Value, n: usize) -> Option<(FnId, usize)> {
        let View::Fun(at) = fun.view() else { return None };
        let FunKind::Closure { lambda, n_free } = self.world.heap.fun_kind(at) else {
            return None;
        };
        let function = self.program.lambda(lambda)?;
        let total = n + n_free;
        (self.program.function(function)?.arity as usize == total).then_some((function, total))
    }

    #[inline]
    fn place_free(&mut self, base: usize, fun: Value) {
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
    #[inline]
    fn enter(&mut self, function: FnId, n: usize, to: Return) -> Flow {
        let Some(info) = self.program.function(function) else {
            return Flow::Pause(Pause::Stop(Stop::Unsupported { what: "no code".to_owned() }));
        };
        if let Return::Here(base) = to {
            self.frames.push(Frame { pc: self.pc, base: low_u32(self.base) });
            self.base = base;
        }
        self.pc = info.entry;
        let top = self.base + info.n_regs as usize;
        if self.stack.len() < top {
            self.stack.resize(top, Value::NIL);
        }
        if self.fuel == 0 || self.world.heap.is_full() {
            return self.safe_point(self.base + n);
        }
        self.fuel -= 1;
        Flow::Go
    }

    /// A place where all that is alive is on the stack below `live`.
    #[cold]
    fn collect(&mut self, live: usize) -> Flow {
        let live = live.min(self.stack.len());
        if let Some(running) = self.stack.get_mut(..live) {
            self.world.collect(running);
        }
        let stack_bytes = self.stack.len() * size_of::<Value>();
        if self.world.heap.bytes_used() + stack_bytes > self.world.limits.memory_bytes {
            return Flow::Pause(Pause::Stop(Stop::OutOfMemory));
        }
        Flow::Go
    }

    fn safe_point(&mut self, live: usize) -> Flow {
        if self.world.heap.is_full()
            && let Flow::Pause(pause) = self.collect(live)
        {
            return Flow::Pause(pause);
        }
        if self.fuel == 0 {
            let stack_bytes = self.stack.len() * size_of::<Value>();
            if self.world.heap.bytes_used() + stack_bytes > self.world.limits.memory_bytes {
                return Flow::Pause(Pause::Stop(Stop::OutOfMemory));
            }
            self.stack.truncate(live);
            return Flow::Pause(Pause::Yield);
        }
        self.fuel -= 1;
        Flow::Go
    }

    /// Gives the current function its registers back after a pause cut the stack.
    fn restore_frame(&mut self) {
        let n_regs = self.program.function_at(self.pc).map_or(0, |it| it.n_regs);
        let top = self.base + n_regs as usize;
        if self.stack.len() < top {
            self.stack.resize(top, Value::NIL);
        }
    }

    #[inline]
    fn return_value(&mut self, value: Value) -> Flow {
        let Some(frame) = self.frames.pop() else {
            return Flow::Pause(Pause::Returned(value));
        };
        if let Some(slot) = self.stack.get_mut(self.base) {
            *slot = value;
        }
        self.pc = frame.pc;
        self.base = frame.base as usize;
        Flow::Go
    }

    /// Leaves the value of a call that was no function of the program.
    fn finish_call(&mut self, value: Value, to: Return) -> Flow {
        match to {
            Return::Here(base) => {
                self.place(base, &[value]);
                self.restore_frame();
                Flow::Go
            }
            Return::ToCaller => {
                let flow = self.return_value(value);
                if let Flow::Go = flow {
                    self.restore_frame();
                }
                flow
            }
        }
    }

    #[cold]
    fn call_import(&mut self, import: &crate::code::Import, args: &[Value], to: Return) -> Flow {
        let target = import.target.get().or_else(|| {
            let found = self.program.resolve(import.module, import.name, import.arity);
            import.target.set(found);
            found
        });
        self.call_target(target, (import.module, import.name), args, to)
    }

    fn apply(&mut self, module: Value, name: Value, args: &[Value], to: Return) -> Flow {
        let (Some(module_id), Some(name)) = (module.as_atom(), name.as_atom()) else {
            return self.fault(Fault::BADARG, None);
        };
        let arity = u32::try_from(args.len()).unwrap_or(u32::MAX);
        let target = self.program.resolve(module_id, name, arity);
        self.call_target(target, (module_id, name), args, to)
    }

    fn call_target(
        &mut self,
        target: Option<Target>,
        (module, name): (AtomId, AtomId),
        args: &[Value],
        to: Return,
    ) -> Flow {
        match target {
            Some(Target::Function(function)) => {
                let base = if let Return::Here(base) = to { base } else { self.base };
                self.place(base, args);
                self.enter(function, args.len(), to)
            }
            Some(Target::Builtin(builtin)) => match self.program.builtins.get(builtin.0 as usize) {
                Some(builtin) => self.call_builtin(builtin, args, to),
                None => Flow::Go,
            },
            None if !self.world.is_known_module(module) => {
                self.retry_call();
                Flow::Pause(Pause::Load(module))
            }
            None => self.undefined(module, name, args, to),
        }
    }

    /// Backs up to the call, which is made again when its module is loaded.
    fn retry_call(&mut self) {
        self.pc = self.pc.saturating_sub(1);
    }

    /// As `error_handler` does: a fallback of the module, else `undef`.
    fn undefined(&mut self, module: AtomId, name: AtomId, args: &[Value], to: Return) -> Flow {
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

    fn call_builtin(&mut self, builtin: &'static Builtin, args: &[Value], to: Return) -> Flow {
        match builtin.how {
            How::Native(run) => match run(self.world, args) {
                Ok(value) => self.finish_call(value, to),
                Err(fault) => self.fault(fault, Some((builtin, args))),
            },
            How::Host => {
                let live = if let Return::Here(base) = to { base } else { self.base };
                // The result comes to where the call's own would.
                if to == Return::ToCaller {
                    self.frames.push(Frame { pc: RETURN_AGAIN, base: low_u32(self.base) });
                } else {
                    self.frames.push(Frame { pc: self.pc, base: low_u32(self.base) });
                }
                self.base = live;
                self.stack.truncate(live);
                Flow::Pause(Pause::Host { builtin, args: args.to_vec() })
            }
            How::Control(control) => self.control(control, args, to),
        }
    }

    fn control(&mut self, control: Control, args: &[Value], to: Return) -> Flow {
        match (control, args) {
            (Control::Apply, [fun, list]) => match self.world.heap.list_items(*list) {
                Some(args) => self.apply_fun(*fun, &args, to),
                None => self.fault(Fault::BADARG, None),
            },
            (Control::Apply, [module, name, list]) => match self.world.heap.list_items(*list) {
                Some(args) => self.apply(*module, *name, &args, to),
                None => self.fault(Fault::BADARG, None),
            },
            (Control::Hibernate, [module, name, list]) => {
                let Some(args) = self.world.heap.list_items(*list) else {
                    return self.fault(Fault::BADARG, None);
                };
                self.frames.clear();
                self.base = 0;
                self.stack.clear();
                let flow = self.apply(*module, *name, &args, Return::ToCaller);
                if let Some(me) = self.world.me()
                    && me.mailbox.is_empty()
                    && matches!(flow, Flow::Go)
                {
                    me.status = Status::Hibernating;
                    return Flow::Pause(Pause::Wait);
                }
                flow
            }
            (Control::Missing, _) => {
                // The stub of a function that BEAM has in C.
                let what = self.program.function_at(self.pc.saturating_sub(1)).map(|it| {
                    let atoms = &self.world.atoms;
                    format!("{}:{}/{}", atoms.name(it.module), atoms.name(it.name), it.arity)
                });
                let what = what.unwrap_or_default();
                Flow::Pause(Pause::Stop(Stop::Unsupported { what }))
            }
            (Control::Yield, _) => match self.finish_call(Value::TRUE, to) {
                Flow::Go => {
                    self.fuel = self.fuel.min(1);
                    Flow::Go
                }
                pause @ Flow::Pause(_) => pause,
            },
            _ => self.fault(Fault::BADARG, None),
        }
    }

    fn apply_fun(&mut self, fun: Value, args: &[Value], to: Return) -> Flow {
        let View::Fun(at) = fun.view() else {
            let badfun = Value::atom(AtomId::BADFUN);
            let reason = self.world.heap.tuple(&[badfun, fun]);
            return self.fault(Fault::Error(reason), None);
        };
        if self.world.heap.fun_arity(at) as usize != args.len() {
            let list = self.world.heap.list(args);
            let pair = self.world.heap.tuple(&[fun, list]);
            let reason = self.world.heap.tuple(&[Value::atom(AtomId::BADARITY), pair]);
            return self.fault(Fault::Error(reason), None);
        }
        match self.world.heap.fun_kind(at) {
            FunKind::External { module, function, .. } => {
                self.apply(Value::atom(module), Value::atom(function), args, to)
            }
            FunKind::Closure { lambda, .. } => {
                let Some(function) = self.program.lambda(lambda) else {
                    return self.fault(Fault::BADARG, None);
                };
                let mut values = args.to_vec();
                values.extend_from_slice(self.world.heap.fun_free(at));
                let base = if let Return::Here(base) = to { base } else { self.base };
                self.place(base, &values);
                self.enter(function, values.len(), to)
            }
        }
    }

    #[inline]
    fn native(
        &mut self,
        builtin: crate::code::BuiltinId,
        dst: crate::code::Reg,
        args: &[Value],
    ) -> Flow {
        let Some(builtin) = self.program.builtins.get(builtin.0 as usize) else { return Flow::Go };
        let How::Native(run) = builtin.how else { return Flow::Go };
        match run(self.world, args) {
            Ok(value) => {
                self.set(dst, value);
                Flow::Go
            }
            Err(fault) => self.fault(fault, Some((builtin, args))),
        }
    }

    // Exceptions

    #[cold]
    fn operator_fault(&mut self, fault: Fault, name: AtomId, args: &[Value]) -> Flow {
        let builtin = self.program.resolve(AtomId::ERLANG, name, 2);
        match builtin {
            Some(Target::Builtin(id)) => {
                let builtin = self.program.builtins.get(id.0 as usize).copied();
                self.fault(fault, builtin.map(|it| (it, args)))
            }
            _ => self.fault(fault, None),
        }
    }

    #[cold]
    fn fault(&mut self, fault: Fault, culprit: Option<(&'static Builtin, &[Value])>) -> Flow {
        let is_guard = |it: Handler| it.kind == HandlerKind::Guard;
        let handler = self.program.handler_at(self.pc.saturating_sub(1));
        if let Some(guard) = handler.filter(|it| is_guard(*it))
            && !matches!(fault, Fault::Stop(_))
        {
            self.pc = guard.target;
            return Flow::Go;
        }
        match fault {
            Fault::Stop(stop) => {
                if let Stop::NeedModule(_) = *stop {
                    self.retry_call();
                }
                Flow::Pause(Pause::Stop(*stop))
            }
            Fault::Killed(reason) => Flow::Pause(Pause::Killed(reason)),
            Fault::Error(_)
            | Fault::Plain(_)
            | Fault::ErrorArgs(..)
            | Fault::Caused(..)
            | Fault::Exit(_)
            | Fault::Throw(_)
            | Fault::Raise(..) => {
                let raised = Raised::from_fault(self, fault, culprit);
                self.raise(raised)
            }
        }
    }

    /// Goes to the innermost handler, or ends the process.
    #[cold]
    fn raise(&mut self, raised: Raised) -> Flow {
        match raise::unwind(self, raised) {
            Ok(()) => {
                self.restore_frame();
                Flow::Go
            }
            Err(raised) => Flow::Pause(Pause::Raised(raised)),
        }
    }

    // Tests and data

    #[inline]
    fn compare(&self, op: Cmp, a: Value, b: Value) -> bool {
        if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
            return match op {
                Cmp::Less => a < b,
                Cmp::LessEqual => a <= b,
                Cmp::Greater => a > b,
                Cmp::GreaterEqual => a >= b,
                Cmp::Equal | Cmp::Same => a == b,
                Cmp::NotEqual | Cmp::NotSame => a != b,
            };
        }
        self.compare_any(op, a, b)
    }

    fn compare_any(&self, op: Cmp, a: Value, b: Value) -> bool {
        let (heap, atoms) = (&self.world.heap, &self.world.atoms);
        match op {
            Cmp::Less => compare_value(heap, atoms, a, b).is_lt(),
            Cmp::LessEqual => compare_value(heap, atoms, a, b).is_le(),
            Cmp::Greater => compare_value(heap, atoms, a, b).is_gt(),
            Cmp::GreaterEqual => compare_value(heap, atoms, a, b).is_ge(),
            Cmp::Equal => equal_value(heap, atoms, a, b),
            Cmp::NotEqual => !equal_value(heap, atoms, a, b),
            Cmp::Same => equal_exact(heap, atoms, a, b),
            Cmp::NotSame => !equal_exact(heap, atoms, a, b),
        }
    }

    #[inline]
    fn is_kind(&self, kind: Kind, value: Value) -> bool {
        match (kind, value.view()) {
            (Kind::Atom, View::Atom(_))
            | (Kind::Bitstring, View::Bits(_))
            | (Kind::Float, View::Float(_))
            | (Kind::Function, View::Fun(_))
            | (Kind::Integer, View::Int(_) | View::Big(_))
            | (Kind::List, View::Cons(_) | View::Nil)
            | (Kind::Map, View::Map(_))
            | (Kind::Number, View::Int(_) | View::Big(_) | View::Float(_))
            | (Kind::Pid, View::Pid(_))
            | (Kind::Port, View::Port(_))
            | (Kind::Reference, View::Ref(_))
            | (Kind::Tuple, View::Tuple(..)) => true,
            (Kind::Boolean, View::Atom(atom)) => atom == AtomId::TRUE || atom == AtomId::FALSE,
            (Kind::Binary, View::Bits(at)) => self.world.heap.bit_len(at).is_multiple_of(8),
            _ => false,
        }
    }

    fn switch(&self, value: Value, table: u32) -> u32 {
        let Some(table) = self.program.switches.get(table as usize) else { return self.pc };
        let found = match value.view() {
            View::Atom(atom) => find(&table.atoms, atom),
            View::Int(int) => find(&table.ints, int),
            View::Nil => table.nil,
            View::Cons(_) => table.cons,
            View::Tuple(_, arity) => table.tuples.iter().find(|it| it.0 == arity).map(|it| it.1),
            View::Big(_)
            | View::Float(_)
            | View::Map(_)
            | View::Bits(_)
            | View::Fun(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => {
                let same = |src: Src| {
                    equal_exact(&self.world.heap, &self.world.atoms, value, self.src(src))
                };
                table.literals.iter().find(|it| same(it.0)).map(|it| it.1)
            }
        };
        found.unwrap_or(table.default)
    }

    #[inline]
    fn tuple(&mut self, args: u32, n: usize) -> Value {
        const FEW: usize = 8;
        if n > FEW {
            let values = self.values(args, n);
            return self.world.heap.tuple(&values);
        }
        let mut few = [Value::NIL; FEW];
        for (slot, src) in few.iter_mut().zip(self.operands(args, n)) {
            *slot = self.src(*src);
        }
        self.world.heap.tuple(few.get(..n).unwrap_or_default())
    }

    fn update_map(&mut self, base: Value, steps: &[MapStep]) -> Result<Value, Fault> {
        let mut map = base;
        for step in steps {
            let (key, value) = (self.src(step.key), self.src(step.value));
            let World { heap, atoms, .. } = &mut *self.world;
            let View::Map(at) = map.view() else {
                let reason = heap.tuple(&[Value::atom(AtomId::BADMAP), base]);
                return Err(Fault::Error(reason));
            };
            if step.op == MapOp::Exact && heap.map_get(atoms, at, key).is_none() {
                let reason = heap.tuple(&[Value::atom(AtomId::BADKEY), key]);
                return Err(Fault::Error(reason));
            }
            map = heap.map_put(atoms, at, key, value);
        }
        Ok(map)
    }

    /// Matches all segments; `None` if one does not.
    fn match_bits(&mut self, value: Value, pattern: &BitsPattern) -> Option<()> {
        let View::Bits(bits) = value.view() else { return None };
        let mut at = 0;
        for part in &pattern.parts {
            let size = match part.size {
                Some(size) => Some(u64::try_from(self.src(size).as_int()?).ok()?),
                None => None,
            };
            let (found, next) = self.world.heap.match_segment(bits, at, part.spec, size)?;
            at = next;
            if let Some(literal) = part.literal {
                let literal = self.src(literal);
                let World { heap, atoms, .. } = &*self.world;
                if !equal_exact(heap, atoms, found, literal) {
                    return None;
                }
            }
            if let Some(dst) = part.dst {
                self.set(dst, found);
            }
        }
        (at == self.world.heap.bit_len(bits)).then_some(())
    }

    fn build_bits(&mut self, segments: &[BitsSegment]) -> Result<Value, Fault> {
        let heap = &self.world.heap;
        let left = self.world.limits.memory_bytes.saturating_sub(heap.bytes_used());
        let mut builder = BitsBuilder::new(left);
        // BEAM looks at all sizes before it looks at any value.
        let mut sizes = Vec::with_capacity(segments.len());
        for segment in segments {
            sizes.push(match segment.size {
                Some(size) => Some(heap.built_bits(self.src(size), segment.spec.unit)?),
                None => None,
            });
        }
        for (segment, n_bits) in segments.iter().zip(sizes) {
            let value = self.src(segment.value);
            let SegmentSpec { endian, unit, .. } = segment.spec;
            match (segment.spec.ty, n_bits) {
                (SegmentType::Integer, n_bits) => {
                    builder.push_integer(heap, value, n_bits.unwrap_or(8), endian)?;
                }
                (SegmentType::Float, n_bits) => {
                    builder.push_float(heap, value, n_bits.unwrap_or(64), endian)?;
                }
                (SegmentType::Binary, Some(n_bits)) => builder.push_bits(heap, value, n_bits)?,
                (SegmentType::Binary, None) => builder.push_all_bits(heap, value, unit)?,
                (SegmentType::Utf8, _) => builder.push_utf8(value)?,
                (SegmentType::Utf16, _) => builder.push_utf16(value, endian)?,
                (SegmentType::Utf32, _) => builder.push_utf32(value, endian)?,
            }
        }
        Ok(builder.finish(&mut self.world.heap))
    }
}

/// A return address that returns once more: the call before it was a tail call.
pub(crate) const RETURN_AGAIN: u32 = 0;

fn find<K: Ord + Copy>(table: &[(K, u32)], key: K) -> Option<u32> {
    if table.len() <= 4 {
        return table.iter().find(|it| it.0 == key).map(|it| it.1);
    }
    let place = table.binary_search_by_key(&key, |it| it.0).ok()?;
    table.get(place).map(|it| it.1)
}

fn low_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
