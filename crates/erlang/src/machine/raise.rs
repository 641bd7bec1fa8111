//! Exceptions: their creation, the search for a handler, and stack traces.
//!
//! A raw stack trace is the tuple `{Class, Kind, First, Pc…}`, which is cheap to make, because most exceptions' traces
//! are never examined. `build_trace` converts it to the list that programs see.

use crate::builtins::{Builtin, Fault};
use crate::code::{HandlerKind, Program, Reg};
use crate::core::Place;
use crate::machine::World;
use crate::machine::frames::{FIRST_CODE, RETURN_TRACED};
use crate::machine::interpret::Cpu;
use values::{AtomId, Value};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Raised {
    pub(crate) class: AtomId,
    pub(crate) reason: Value,
    /// The raw stack trace.
    pub(crate) trace: Value,
}

/// The default number of frames in a stack trace, as on BEAM.
const USUAL_DEPTH: usize = 8;

/// Lines from this one on can't be represented in BEAM's tables.
const FIRST_LOST_LINE: u32 = (1 << 24) - 1;

/// The kind of a raw trace where `First` is a frame or a list of frames, followed by program counters.
const BY_COUNTERS: i64 = 0;
/// The kind of a raw trace where `First` is a list that the program supplied.
const BY_LIST: i64 = 1;

impl Raised {
    pub(crate) fn from_fault(
        cpu: &mut Cpu<'_>,
        fault: &Fault,
        culprit: Option<(&'static Builtin, &[Value])>,
    ) -> Raised {
        let (class, reason) = match *fault {
            Fault::Error(reason) | Fault::Plain(reason) | Fault::Caused(reason, _) => {
                (AtomId::ERROR, reason)
            }
            Fault::ErrorArgs(reason, _) | Fault::Described(reason, ..) => (AtomId::ERROR, reason),
            Fault::Exit(reason) => (AtomId::EXIT, reason),
            Fault::Throw(reason) => (AtomId::THROW, reason),
            Fault::Raise(class, reason, trace) => {
                let kind = Value::int(BY_LIST);
                let mut frames = cpu.world.heap.list_items(trace).unwrap_or_default();
                let most = depth(cpu.world);
                let trace = if frames.len() > most {
                    frames.truncate(most);
                    cpu.world.heap.list(&frames)
                } else {
                    trace
                };
                let trace = cpu.world.heap.tuple(&[Value::atom(class), kind, trace]);
                return Raised { class, reason, trace };
            }
            Fault::Killed(reason) => (AtomId::EXIT, reason),
            Fault::Stop(_) => (AtomId::EXIT, Value::atom(AtomId::NORMAL)),
        };
        let pc = cpu.pc.saturating_sub(1);
        let first = match (fault, culprit) {
            (Fault::Error(_), Some((builtin, args))) => {
                builtin_frame(cpu.world, builtin, args, None)
            }
            (Fault::Caused(_, cause), Some((builtin, args))) => {
                builtin_frame(cpu.world, builtin, args, Some(*cause))
            }
            (Fault::ErrorArgs(_, args), _) => {
                let trace = frame_at(cpu.program, cpu.world, pc, Some(*args));
                return Raised::new(cpu, class, reason, trace, CurrentFrame::Omitted);
            }
            (Fault::Described(_, args, info), _) => {
                let frame = frame_at(cpu.program, cpu.world, pc, *args);
                let frame = described(cpu.world, frame, *info);
                return Raised::new(cpu, class, reason, frame, CurrentFrame::Omitted);
            }
            _ => Value::NIL,
        };
        Raised::new(cpu, class, reason, first, CurrentFrame::Once)
    }

    pub(crate) fn function_clause(cpu: &mut Cpu<'_>, name: AtomId, args: &[Value]) -> Raised {
        let args = cpu.world.heap.list(args);
        let mut first = frame_at(cpu.program, cpu.world, cpu.pc.saturating_sub(1), Some(args));
        // For inlined code, the frame shows the function that the code comes from.
        if let Some([module, _, args, location]) = cpu.world.heap.elements(first) {
            let items = [*module, Value::atom(name), *args, *location];
            first = cpu.world.heap.tuple(&items);
        }
        let reason = Value::atom(AtomId::FUNCTION_CLAUSE);
        Raised::new(cpu, AtomId::ERROR, reason, first, CurrentFrame::Omitted)
    }

    pub(crate) fn undefined(
        cpu: &mut Cpu<'_>,
        module: AtomId,
        name: AtomId,
        args: &[Value],
        shown: CurrentFrame,
    ) -> Raised {
        let args = cpu.world.heap.list(args);
        let first =
            cpu.world.heap.tuple(&[Value::atom(module), Value::atom(name), args, Value::NIL]);
        Raised::new(cpu, AtomId::ERROR, Value::atom(AtomId::UNDEF), first, shown)
    }

    /// A call of a closure whose module does not exist any more.
    pub(crate) fn undefined_fun(
        cpu: &mut Cpu<'_>,
        fun: Value,
        args: &[Value],
        shown: CurrentFrame,
    ) -> Raised {
        let args = cpu.world.heap.list(args);
        let first = cpu.world.heap.tuple(&[fun, args, Value::NIL]);
        Raised::new(cpu, AtomId::ERROR, Value::atom(AtomId::UNDEF), first, shown)
    }

    /// A failed construction of a bitstring; the cause names the segment.
    pub(crate) fn building(cpu: &mut Cpu<'_>, reason: Value, cause: Value) -> Raised {
        let pc = cpu.pc.saturating_sub(1);
        let frame = frame_at(cpu.program, cpu.world, pc, None);
        let World { heap, atoms, .. } = &mut *cpu.world;
        let pairs = vec![
            (Value::atom(AtomId::CAUSE), cause),
            (Value::atom(AtomId::FUNCTION), Value::atom(atoms.intern("format_bs_fail"))),
            (Value::atom(AtomId::MODULE), Value::atom(AtomId::ERL_ERTS_ERRORS)),
        ];
        let info = heap.map(atoms, pairs);
        let info = heap.tuple(&[Value::atom(AtomId::ERROR_INFO), info]);
        let first = described(cpu.world, frame, info);
        Raised::new(cpu, AtomId::ERROR, reason, first, CurrentFrame::Omitted)
    }

    pub(crate) fn error(cpu: &mut Cpu<'_>, reason: Value, shown: CurrentFrame) -> Raised {
        Raised::new(cpu, AtomId::ERROR, reason, Value::NIL, shown)
    }

    /// An exception raised by a function that the host ran: its frames come before ours.
    pub(crate) fn by_host(
        cpu: &mut Cpu<'_>,
        class: AtomId,
        reason: Value,
        frames: Value,
    ) -> Raised {
        Raised::new(cpu, class, reason, frames, CurrentFrame::Once)
    }

    /// An exception that a handler caught and raises again.
    pub(crate) fn again(world: &World, trace: Value, reason: Value) -> Raised {
        let class = match world.heap.elements(trace) {
            Some([class, ..]) => class.as_atom().unwrap_or(AtomId::ERROR),
            _ => AtomId::ERROR,
        };
        Raised { class, reason, trace }
    }

    fn new(
        cpu: &mut Cpu<'_>,
        class: AtomId,
        reason: Value,
        first: Value,
        shown: CurrentFrame,
    ) -> Raised {
        let mut raw = vec![Value::atom(class), Value::int(BY_COUNTERS), first];
        let n_first = cpu.world.heap.list_items(first).map_or(1, |it| it.len());
        let most = depth(cpu.world).saturating_sub(n_first);
        let current = match shown {
            CurrentFrame::Once => [Some(cpu.pc), None],
            CurrentFrame::Omitted => [None, None],
            CurrentFrame::Twice => [Some(cpu.pc), Some(cpu.pc)],
        };
        let current = current.into_iter().flatten().filter(|it| FIRST_CODE <= *it);
        // Consecutive frames with the same return address show once, as on BEAM.
        let mut last = 0;
        let callers = cpu.frames.iter().rev().map(|it| it.pc);
        let callers =
            callers.filter(|it| FIRST_CODE <= *it && std::mem::replace(&mut last, *it) != *it);
        let pcs = current.chain(callers);
        raw.extend(pcs.take(most).map(|it| Value::int(i64::from(it) - 1)));
        let trace = cpu.world.heap.tuple(&raw);
        Raised { class, reason, trace }
    }
}

/// How the function that was running appears in the stack trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CurrentFrame {
    /// It appears as usual.
    Once,
    /// It does not appear: its frame is given separately, or it was left by a tail call.
    Omitted,
    /// It appears twice: BEAM adds the call both as the current position and as a return address.
    Twice,
}

/// Finds the innermost handler and continues there. Returns the exception if there is none.
pub(crate) fn unwind(cpu: &mut Cpu<'_>, raised: Raised) -> Result<(), Raised> {
    let mut tells_where = false;
    loop {
        if let Some(handler) = cpu.program.handler_at(cpu.pc.saturating_sub(1)) {
            cpu.pc = handler.target;
            if let HandlerKind::Try(Reg(first)) = handler.kind {
                let at = cpu.base + first as usize;
                let values = [Value::atom(raised.class), raised.reason, raised.trace];
                if cpu.stack.len() < at + values.len() {
                    cpu.stack.resize(at + values.len(), Value::NIL);
                }
                if let Some(slots) = cpu.stack.get_mut(at..at + values.len()) {
                    slots.copy_from_slice(&values);
                }
            }
            if tells_where {
                cpu.tell_where(handler.target);
            }
            return Ok(());
        }
        let Some(frame) = cpu.frames.pop() else { return Err(raised) };
        cpu.pc = frame.pc;
        cpu.base = frame.base as usize;
        if frame.pc == RETURN_TRACED {
            tells_where |= cpu.traced_unwind(&raised);
        }
    }
}

/// Converts a raw stack trace to the list that programs see.
pub(crate) fn build_trace(program: &Program, world: &mut World, raw: Value) -> Value {
    let Some([_, kind, first, pcs @ ..]) = world.heap.elements(raw) else { return raw };
    if kind.as_int() == Some(BY_LIST) {
        return *first;
    }
    let first = *first;
    let pcs: Vec<u32> =
        pcs.iter().filter_map(|it| it.as_int().and_then(|it| u32::try_from(it).ok())).collect();
    let mut frames = world.heap.list_items(first).unwrap_or_else(|| vec![first]);
    for pc in pcs {
        frames.push(frame_at(program, world, pc, None));
    }
    frames.truncate(depth(world));
    world.heap.list(&frames)
}

/// The frames of a process. The first address is its program counter, the others are return addresses.
pub(super) fn frames_at(program: &Program, world: &mut World, pcs: &[u32]) -> Vec<Value> {
    let pcs = pcs.iter().filter(|it| FIRST_CODE <= **it).take(depth(world));
    pcs.map(|it| frame_at(program, world, it - 1, None)).collect()
}

/// The value of `catch Expr` after an exception.
pub(crate) fn catch_value(
    program: &Program,
    world: &mut World,
    class: Value,
    reason: Value,
    trace: Value,
) -> Value {
    match class.as_atom() {
        Some(AtomId::THROW) => reason,
        Some(AtomId::EXIT) => world.heap.tuple(&[Value::atom(AtomId::EXIT_SIGNAL), reason]),
        _ => {
            let reason = error_reason(program, world, reason, trace);
            world.heap.tuple(&[Value::atom(AtomId::EXIT_SIGNAL), reason])
        }
    }
}

/// `{Reason, Stacktrace}`, the exit reason of a process that ends with an error.
pub(crate) fn error_reason(
    program: &Program,
    world: &mut World,
    reason: Value,
    trace: Value,
) -> Value {
    let trace = build_trace(program, world, trace);
    world.heap.tuple(&[reason, trace])
}

/// The maximum number of frames in the stack trace of an exception.
fn depth(world: &World) -> usize {
    depth_asked(world).max(1)
}

/// The value of the system flag `backtrace_depth`.
pub(super) fn depth_asked(world: &World) -> usize {
    if world.run.system_flags.is_empty() {
        return USUAL_DEPTH;
    }
    let flag = world.atoms.find("backtrace_depth").and_then(|it| world.run.system_flags.get(&it));
    flag.and_then(|it| it.as_usize()).unwrap_or(USUAL_DEPTH)
}

/// The frame of an address, with the arguments instead of the arity if they are given.
pub(super) fn frame_at(
    program: &Program,
    world: &mut World,
    pc: u32,
    args: Option<Value>,
) -> Value {
    let Some(function) = program.function_at(pc) else { return Value::NIL };
    let place = program.place_at(pc);
    let file =
        program.modules.get(&function.module).and_then(|it| it.files.get(place.file as usize));
    let location = match file {
        Some(file) if place != Place::default() && place.line < FIRST_LOST_LINE => {
            let file = string(world, file);
            let file = world.heap.tuple(&[Value::atom(AtomId::FILE), file]);
            let line = Value::int(i64::from(place.line));
            let line = world.heap.tuple(&[Value::atom(AtomId::LINE), line]);
            world.heap.list(&[file, line])
        }
        _ => Value::NIL,
    };
    let arity = args.unwrap_or(Value::int(i64::from(function.arity)));
    world.heap.tuple(&[Value::atom(function.module), Value::atom(function.name), arity, location])
}

/// A frame with an additional item in its location.
fn described(world: &mut World, frame: Value, item: Value) -> Value {
    let Some([module, name, arity, location]) = world.heap.elements(frame) else { return frame };
    let (module, name, arity, location) = (*module, *name, *arity, *location);
    let mut items = world.heap.list_items(location).unwrap_or_default();
    items.push(item);
    let location = world.heap.list(&items);
    world.heap.tuple(&[module, name, arity, location])
}

/// The frame of a failed builtin, with the OTP module that explains the error.
fn builtin_frame(
    world: &mut World,
    builtin: &Builtin,
    args: &[Value],
    cause: Option<AtomId>,
) -> Value {
    let explainer = world.atoms.intern(match builtin.module {
        "erlang" | "erts_internal" | "atomics" | "counters" | "persistent_term" => {
            "erl_erts_errors"
        }
        "os" => "erl_kernel_errors",
        _ => "erl_stdlib_errors",
    });
    let mut pairs = vec![(Value::atom(AtomId::MODULE), Value::atom(explainer))];
    if let Some(cause) = cause {
        pairs.push((Value::atom(AtomId::CAUSE), Value::atom(cause)));
    }
    let World { heap, atoms, .. } = world;
    let info = heap.map(atoms, pairs);
    let info = heap.tuple(&[Value::atom(AtomId::ERROR_INFO), info]);
    let info = heap.list(&[info]);
    let args = heap.list(args);
    let (module, name) = (atoms.intern(builtin.module), atoms.intern(builtin.name));
    heap.tuple(&[Value::atom(module), Value::atom(name), args, info])
}

fn string(world: &mut World, text: &str) -> Value {
    let chars: Vec<Value> = text.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
    world.heap.list(&chars)
}
