//! The interpreter: runs one process until it has to pause.
//!
//! This is the hot loop of the whole tool (benchmarks: `cargo xtask bench`). The program counter is a local variable;
//! everything rare is done in functions outside of the loop.

use crate::builtins::arithmetic::{add, multiply, subtract};
use crate::builtins::{Builtin, Fault, Stop};
use crate::code::{Cmp, Ins, Kind, Program, Reg, Src, Target};
use crate::machine::World;
use crate::machine::process::{Execution, Frame, Start};
use crate::machine::raise::{self, Raised};
use crate::machine::record::{either_shadowed, may_be_symbolic};
use crate::machine::schedule::Turn;
use term::Op;
use values::{AtomId, LambdaId, Value, View, equal_exact};

/// The reason why a process paused.
#[derive(Debug)]
pub(crate) enum Pause {
    /// Its time slice is used up.
    Yield,
    /// It waits for a message.
    Wait,
    /// Its function returned.
    Returned(Value),
    /// It raised an exception that is not caught.
    Raised(Raised),
    /// It was ended by a signal.
    Killed(Value),
    /// It calls a function of a module that is not loaded; the call is made again after loading.
    Load(AtomId),
    /// The host has to compute the result of the call.
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
    /// The height of the registers of all frames, stored when the stack was cut for a pause.
    pub(crate) top: usize,
    /// The number of calls left in this slice.
    pub(crate) fuel: u32,
    /// The number of calls at the beginning of the slice.
    pub(crate) slice: u32,
    /// How the process continues after a pause.
    pub(super) start: Start,
}

/// Whether the interpreter continues or pauses. The error is boxed to keep the type small, because every call returns
/// one.
pub(super) type Flow = Result<(), Box<Pause>>;

pub(super) fn pause(why: Pause) -> Flow {
    Err(Box::new(why))
}

/// Where a call returns to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Return {
    /// To the next instruction; the callee's frame begins at this index of the stack.
    Here(usize),
    /// To the caller's caller: a tail call.
    ToCaller,
}

/// Runs the process until it pauses. Returns the reason and the number of reductions.
pub(crate) fn run(
    program: &Program,
    world: &mut World,
    execution: &mut Execution,
    slice: u32,
) -> (Pause, u32) {
    world.heap.effort.begin_slice(world.limits.reductions);
    let mut cpu = Cpu {
        program,
        world,
        stack: std::mem::take(&mut execution.stack),
        frames: std::mem::take(&mut execution.frames),
        pc: execution.pc,
        base: execution.base,
        top: execution.top,
        fuel: slice,
        slice,
        start: Start::Begun,
    };
    let flow = match cpu.begin(execution.start) {
        Ok(()) if cpu.world.record.is_some() => cpu.run::<true>(),
        Ok(()) => cpu.run::<false>(),
        Err(pause) => {
            if let Pause::Load(_) | Pause::Stop(Stop::NeedModule(_) | Stop::NeedTurn) = *pause {
                cpu.start = execution.start;
            }
            Err(pause)
        }
    };
    let pause = flow.map_or_else(|it| *it, |()| Pause::Yield);
    execution.start = cpu.start;
    let used = cpu.world.heap.effort.end_slice(slice - cpu.fuel);
    let Cpu { stack, frames, pc, base, top, .. } = cpu;
    execution.stack = stack;
    execution.frames = frames;
    execution.pc = pc;
    execution.base = base;
    execution.top = top;
    (pause, used)
}

impl Cpu<'_> {
    /// Enters the first function of a process, or delivers a result of the host.
    fn begin(&mut self, start: Start) -> Flow {
        match start {
            Start::Begun => Ok(()),
            Start::Enter(function) => self.enter(function, 0, Return::ToCaller),
            Start::Deliver => {
                let value = self.stack.last().copied().unwrap_or(Value::NIL);
                self.return_value(value)
            }
            Start::DeliverRaise => {
                let [.., class, reason, trace] = *self.stack.as_slice() else {
                    return self.fault(Fault::BADARG, None);
                };
                if let Some(frame) = self.frames.pop() {
                    self.pc = frame.pc;
                    self.base = frame.base as usize;
                }
                let class = class.as_atom().unwrap_or(AtomId::ERROR);
                let raised = Raised::by_host(self, class, reason, trace);
                self.raise(raised)
            }
            Start::Apply => {
                let module = self.reg(0);
                let name = self.reg(1);
                let args: Vec<Value> = self.stack.get(2..).unwrap_or_default().to_vec();
                let flow = self.apply(module, name, &args, Return::ToCaller);
                if flow.as_ref().is_err_and(|it| matches!(**it, Pause::Load(_))) {
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
                if flow.as_ref().is_err_and(|it| matches!(**it, Pause::Load(_))) {
                    let mut stack = vec![fun];
                    stack.extend_from_slice(&args);
                    self.stack = stack;
                }
                flow
            }
        }
    }

    // Operands are fetched by reference, so that an instruction loads only the half of a value that it needs. Every
    // register that an instruction names exists, because lowering allocates it.

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the hot path; see above")]
    pub(super) fn reg(&self, reg: usize) -> Value {
        self.stack[self.base + reg]
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the hot path; see above")]
    pub(super) fn slot(&self, src: Src) -> &Value {
        match src.open() {
            Err(reg) => &self.stack[self.base + reg],
            Ok(literal) => &self.world.literals[literal],
        }
    }

    #[inline(always)]
    pub(super) fn src(&self, src: Src) -> Value {
        *self.slot(src)
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the hot path; see above")]
    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.stack[self.base + reg.0 as usize] = value;
    }

    #[inline]
    pub(super) fn operands(&self, args: u32, n: usize) -> &[Src] {
        let from = args as usize;
        self.program.operands.get(from..from + n).unwrap_or_default()
    }

    pub(super) fn values(&self, args: u32, n: usize) -> Vec<Value> {
        self.operands(args, n).iter().map(|it| self.src(*it)).collect()
    }

    /// The interpreter loop. It is compiled twice, so that runs that are not recorded need not check for shadows.
    #[expect(clippy::too_many_lines, reason = "one arm per instruction, kept where it is fast")]
    fn run<const RECORD: bool>(&mut self) -> Flow {
        self.restore_frames();
        // The program counter is kept in a register; `go!` stores it in `self` around calls of functions that need it.
        let mut pc = self.pc;
        macro_rules! go {
            ($step:expr) => {{
                self.pc = pc;
                $step?;
                pc = self.pc;
            }};
        }
        loop {
            let Some(ins) = self.program.code.get(pc as usize).copied() else {
                return pause(Pause::Stop(Stop::Unsupported { what: "code that ends".to_owned() }));
            };
            pc += 1;
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
                    go!(self.enter(function, n as usize, Return::Here(base)));
                }
                Ins::TailCall { n, function, args } => {
                    self.place_tail_args(args, n as usize);
                    go!(self.enter(function, n as usize, Return::ToCaller));
                }
                Ins::CallImport { n, base, import, args } => {
                    let base = self.base + base.0 as usize;
                    let import = self.program.imports.get(import.0 as usize);
                    if let Some(Target::Function(function)) = import.and_then(|it| it.target.get())
                    {
                        self.place_args(base, args, n as usize);
                        go!(self.enter(function, n as usize, Return::Here(base)));
                    } else if let Some(import) = import {
                        let values = self.values(args, n as usize);
                        go!(self.call_import(import, &values, Return::Here(base)));
                    }
                }
                Ins::TailImport { n, import, args } => {
                    let import = self.program.imports.get(import.0 as usize);
                    if let Some(Target::Function(function)) = import.and_then(|it| it.target.get())
                    {
                        self.place_tail_args(args, n as usize);
                        go!(self.enter(function, n as usize, Return::ToCaller));
                    } else if let Some(import) = import {
                        let values = self.values(args, n as usize);
                        go!(self.call_import(import, &values, Return::ToCaller));
                    }
                }
                Ins::CallFun { n, base, fun, args } => {
                    let base = self.base + base.0 as usize;
                    let fun = self.src(fun);
                    if RECORD && fun.shadow().is_some() {
                        let values = self.values(args, n as usize);
                        go!(self.apply_fun(fun, &values, Return::Here(base)));
                    } else if let Some((function, total)) = self.closure_code(fun, n as usize) {
                        self.place_args(base, args, n as usize);
                        self.place_free(base + n as usize, fun);
                        go!(self.enter(function, total, Return::Here(base)));
                    } else {
                        let values = self.values(args, n as usize);
                        go!(self.apply_fun(fun, &values, Return::Here(base)));
                    }
                }
                Ins::TailFun { n, fun, args } => {
                    let fun = self.src(fun);
                    if RECORD && fun.shadow().is_some() {
                        let values = self.values(args, n as usize);
                        go!(self.apply_fun(fun, &values, Return::ToCaller));
                    } else if let Some((function, total)) = self.closure_code(fun, n as usize) {
                        self.place_tail_args(args, n as usize);
                        self.place_free(self.base + n as usize, fun);
                        go!(self.enter(function, total, Return::ToCaller));
                    } else {
                        let values = self.values(args, n as usize);
                        go!(self.apply_fun(fun, &values, Return::ToCaller));
                    }
                }
                Ins::CallDynamic { n, base, args } => {
                    let base = self.base + base.0 as usize;
                    let values = self.values(args, n as usize + 2);
                    if let [module, name, args @ ..] = values.as_slice() {
                        go!(self.apply(*module, *name, args, Return::Here(base)));
                    }
                }
                Ins::TailDynamic { n, args } => {
                    let values = self.values(args, n as usize + 2);
                    if let [module, name, args @ ..] = values.as_slice() {
                        go!(self.apply(*module, *name, args, Return::ToCaller));
                    }
                }
                Ins::Return { src } => {
                    let value = self.src(src);
                    go!(self.return_value(value));
                }

                Ins::Builtin { n, dst, builtin, args } => {
                    let values = self.values(args, n as usize);
                    go!(self.native(builtin, dst, &values));
                }
                Ins::Builtin1 { dst, builtin, a } => {
                    let values = [self.src(a)];
                    go!(self.native(builtin, dst, &values));
                }
                Ins::Builtin2 { dst, builtin, a, b } => {
                    let values = [self.src(a), self.src(b)];
                    go!(self.native(builtin, dst, &values));
                }
                Ins::Add { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    let found = add(self.world, a, b);
                    if RECORD && either_shadowed(a, b) {
                        go!(self.operate(AtomId::PLUS, dst, a, b, found));
                        continue;
                    }
                    match found {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => go!(self.operator_fault(fault, AtomId::PLUS, &[a, b])),
                    }
                }
                Ins::AddInt { dst, a, b } => {
                    let (a, b) = (self.src(a), i64::from(b));
                    if (!RECORD || a.shadow().is_none())
                        && let Some(sum) = a.as_int().and_then(|it| it.checked_add(b))
                    {
                        self.set(dst, Value::int(sum));
                    } else {
                        go!(self.add_slowly(dst, a, b));
                    }
                }
                Ins::Subtract { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    let found = subtract(self.world, a, b);
                    if RECORD && either_shadowed(a, b) {
                        go!(self.operate(AtomId::MINUS, dst, a, b, found));
                        continue;
                    }
                    match found {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => go!(self.operator_fault(fault, AtomId::MINUS, &[a, b])),
                    }
                }
                Ins::Multiply { dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    let found = multiply(self.world, a, b);
                    if RECORD && either_shadowed(a, b) {
                        go!(self.operate(AtomId::TIMES, dst, a, b, found));
                        continue;
                    }
                    match found {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => go!(self.operator_fault(fault, AtomId::TIMES, &[a, b])),
                    }
                }
                Ins::Compare { op, dst, a, b } => {
                    let (a, b) = (self.src(a), self.src(b));
                    let mut res = Value::bool(self.compare(op, a, b));
                    if RECORD && may_be_symbolic(a, b) {
                        res = self.compared(pc, op, (a, b), res);
                    }
                    self.set(dst, res);
                }
                Ins::IsKind { kind, dst, src } => {
                    let value = self.src(src);
                    let mut res = Value::bool(self.is_kind(kind, value));
                    if RECORD && value.shadow().is_some() {
                        res = self.derived(pc, value, Op::IsKind(kind), res);
                    }
                    self.set(dst, res);
                }

                Ins::Jump { to } => pc = to,
                Ins::JumpUnless { op, a, b, to } => {
                    let (a, b) = (self.src(a), self.src(b));
                    let holds = self.compare(op, a, b);
                    if RECORD && may_be_symbolic(a, b) {
                        self.choose_comparison(pc, op, a, b, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::JumpUnlessInt { op, a, b, to } => {
                    let (a, b) = (self.src(a), Value::int(i64::from(b)));
                    let holds = self.compare(op, a, b);
                    if RECORD && a.shadow().is_some() {
                        self.choose_comparison(pc, op, a, b, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::JumpUnlessKind { kind, src, to } => {
                    let value = self.src(src);
                    let holds = self.is_kind(kind, value);
                    if RECORD && value.shadow().is_some() {
                        self.choose_kind(pc, value, kind, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::JumpUnlessTrue { src, to } => {
                    let value = self.src(src);
                    let holds = value.same_word(Value::TRUE);
                    if RECORD && value.shadow().is_some() {
                        self.choose_truth(pc, value, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::IfCons { src, to } => {
                    let value = self.src(src);
                    if RECORD && value.shadow().is_some() {
                        self.choose_kind(pc, value, Kind::Cons, value.is_cons());
                    }
                    if !value.is_cons() {
                        pc = to;
                    }
                }
                Ins::IfNil { src, to } => {
                    let value = self.src(src);
                    if RECORD && value.shadow().is_some() {
                        self.choose_kind(pc, value, Kind::Nil, value.is_nil());
                    }
                    if !value.is_nil() {
                        pc = to;
                    }
                }
                Ins::IfTuple { src, arity, to } => {
                    let value = self.src(src);
                    let holds = matches!(value.view(), View::Tuple(_, n) if n == arity);
                    if RECORD && value.shadow().is_some() {
                        self.choose_tuple(pc, value, arity, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::IfSame { src, literal, to } => {
                    let (left, right) = (self.src(src), self.src(literal));
                    let holds = equal_exact(&self.world.heap, &self.world.atoms, left, right);
                    if RECORD && may_be_symbolic(left, right) {
                        self.choose_comparison(pc, Cmp::Same, left, right, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::IfMap { src, to } => {
                    let value = self.src(src);
                    let holds = matches!(value.view(), View::Map(_));
                    if RECORD && value.shadow().is_some() {
                        self.choose_kind(pc, value, Kind::Map, holds);
                    }
                    if !holds {
                        pc = to;
                    }
                }
                Ins::SwitchList { src, nil, to } => {
                    let value = self.src(src);
                    if RECORD && value.shadow().is_some() {
                        self.choose_list(pc, value);
                    }
                    if !value.is_cons() {
                        pc = if value.is_nil() { nil } else { to };
                    }
                }
                Ins::Switch { src, table } => {
                    let value = self.src(src);
                    if RECORD && value.shadow().is_some() {
                        self.choose_switch(pc, value, table);
                    }
                    pc = self.switch(value, table).unwrap_or(pc);
                }

                Ins::GetCons { head, tail, src } => {
                    let list = self.src(src);
                    let at = list.address();
                    let (mut first, mut rest) =
                        (self.world.heap.head(at), self.world.heap.tail(at));
                    if RECORD && list.shadow().is_some() {
                        first = self.derived(pc, list, Op::Head, first);
                        rest = self.derived(pc, list, Op::Tail, rest);
                    }
                    self.set(head, first);
                    self.set(tail, rest);
                }
                Ins::GetHead { dst, src } => {
                    let list = self.src(src);
                    let mut value = self.world.heap.head(list.address());
                    if RECORD && list.shadow().is_some() {
                        value = self.derived(pc, list, Op::Head, value);
                    }
                    self.set(dst, value);
                }
                Ins::GetTail { dst, src } => {
                    let list = self.src(src);
                    let mut value = self.world.heap.tail(list.address());
                    if RECORD && list.shadow().is_some() {
                        value = self.derived(pc, list, Op::Tail, value);
                    }
                    self.set(dst, value);
                }
                Ins::GetElement { dst, src, place } => {
                    let tuple = self.src(src);
                    let mut value = self.world.heap.element(tuple.address(), place);
                    if RECORD && tuple.shadow().is_some() {
                        value = self.derived(pc, tuple, Op::Element(place), value);
                    }
                    self.set(dst, value);
                }
                Ins::GetKey { dst, map, key, to } => {
                    let (map, key) = (self.src(map), self.src(key));
                    let mut found = self.world.heap.map_get(&self.world.atoms, map.address(), key);
                    if RECORD {
                        found = self.looked_up(pc, (map, key), found);
                    }
                    match found {
                        Some(value) => self.set(dst, value),
                        None => pc = to,
                    }
                }
                Ins::MatchBits { src, pattern, to } => {
                    let value = self.src(src);
                    let pattern = self.program.bits_patterns.get(pattern as usize);
                    let matched = pattern.and_then(|it| {
                        if RECORD && self.is_symbolic_match(value, it) {
                            self.match_symbolic_bits(pc, value, it)
                        } else {
                            self.match_bits(value, it)
                        }
                    });
                    if matched.is_none() {
                        pc = to;
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
                    self.pc = pc;
                    let base = self.src(base);
                    let steps = self.program.map_steps.get(steps as usize);
                    match self.update_map(base, steps.map_or(&[], |it| it)) {
                        Ok(value) => self.set(dst, value),
                        Err(fault) => go!(self.fault(fault, None)),
                    }
                }
                Ins::Bits { dst, segments } => {
                    self.pc = pc;
                    let segments = self.program.bits.get(segments as usize);
                    match self.build_bits(segments.map_or(&[], |it| it)) {
                        Ok(value) => self.set(dst, value),
                        Err(failed) => go!(self.bits_fault(failed)),
                    }
                }
                Ins::Closure { dst, n, lambda, args } => {
                    let free = self.values(args, n as usize);
                    let lambda = LambdaId(lambda);
                    let maker = self.world.run.current;
                    let value = self.world.heap.closure(lambda, maker, &free);
                    self.set(dst, value);
                }

                Ins::FunctionClause { n, name, args } => {
                    let values = self.values(args, n as usize);
                    go!(self.function_clause(name, &values));
                }
                Ins::Fail { reason } => {
                    let reason = self.src(reason);
                    go!(self.fault(Fault::Error(reason), None));
                }
                Ins::Raise { trace, reason } => {
                    let raised = Raised::again(self.world, self.src(trace), self.src(reason));
                    go!(self.raise(raised));
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

                Ins::Awaits { reference } => {
                    if let Some(id) = self.src(reference).as_ref() {
                        self.world.skip_older(id);
                    }
                }
                Ins::Peek { found, message } => {
                    let turn = match &self.world.run.schedule {
                        Some(_) => self.world.peek_turn(pc),
                        None => Turn::Look,
                    };
                    let next = match turn {
                        Turn::Look => self.world.me().and_then(|it| {
                            it.looks = true;
                            it.mailbox.get(it.seen).copied()
                        }),
                        Turn::Show(message) => message,
                        Turn::Stop => {
                            self.pc = pc - 1;
                            return pause(Pause::Stop(Stop::NeedTurn));
                        }
                    };
                    self.set(found, Value::bool(next.is_some()));
                    self.set(message, next.unwrap_or(Value::NIL));
                }
                Ins::PeekNext => {
                    if self.world.run.schedule.is_some() && self.world.probed_leaves() {
                        return pause(Pause::Stop(Stop::NeedTurn));
                    }
                    if let Some(me) = self.world.me() {
                        me.seen += 1;
                    }
                }
                Ins::RemoveMessage => {
                    if self.world.run.schedule.is_some() && self.world.probed_takes() {
                        return pause(Pause::Stop(Stop::NeedTurn));
                    }
                    self.world.remove_message();
                }
                Ins::Wait { dst, timeout, depth } => {
                    let timeout = self.src(timeout);
                    match self.world.wait(timeout) {
                        Ok(Some(timed_out)) => self.set(dst, Value::bool(timed_out)),
                        Ok(None) => {
                            self.pc = pc - 1;
                            self.cut(self.base + depth.0 as usize);
                            return pause(Pause::Wait);
                        }
                        Err(fault) => go!(self.fault(fault, None)),
                    }
                }

                Ins::Clause { id } => {
                    self.world.cover(id);
                    if RECORD && let Some(record) = &mut self.world.record {
                        record.enter(id);
                    }
                }
                Ins::Loop { depth } => {
                    let live = self.base + depth.0 as usize;
                    go!(self.safe_point(live));
                }
                Ins::Outside => go!(self.run_outside()),
                Ins::Traced { function, scope } => {
                    self.pc = pc;
                    self.traced(function, scope);
                }
                Ins::TracedReturn => go!(self.traced_return()),
                Ins::Enter { function } => {
                    let n = self.program.function(function).map_or(0, |it| it.arity);
                    go!(self.enter(function, n as usize, Return::ToCaller));
                }
                Ins::NoClause => {
                    let reason = Value::atom(AtomId::IF_CLAUSE);
                    go!(self.fault(Fault::Error(reason), None));
                }
            }
        }
    }
}
