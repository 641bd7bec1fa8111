//! Timers that programs start: `erlang:send_after`, `erlang:start_timer`, and reading and cancelling them.

use crate::builtins::arithmetic::arg;
use crate::builtins::clock::{MONOTONIC_BEGIN, MONOTONIC_END, STARTING};
use crate::builtins::make::atom;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::timers::{Timer, TimerId, TimerTarget};
use trace::Mode;
use values::{AtomId, RefId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "send_after", 3, Shares::StartTimer, OnBeam::Alike, |w, args| {
        start(w, args, Value::NIL, TimerMessage::Message)
    })
    .moves(0),
    inside("erlang", "send_after", 4, Shares::StartTimer, OnBeam::Alike, |w, args| {
        start(w, args, arg(args, 3), TimerMessage::Message)
    })
    .moves(0b1000),
    inside("erlang", "start_timer", 3, Shares::StartTimer, OnBeam::Alike, |w, args| {
        start(w, args, Value::NIL, TimerMessage::Timeout)
    })
    .moves(0),
    inside("erlang", "start_timer", 4, Shares::StartTimer, OnBeam::Alike, |w, args| {
        start(w, args, arg(args, 3), TimerMessage::Timeout)
    })
    .moves(0b1000),
    inside("erlang", "cancel_timer", 1, Shares::Timer(Mode::Write), OnBeam::Alike, |w, args| {
        cancel(w, arg(args, 0), Value::NIL)
    }),
    inside("erlang", "cancel_timer", 2, Shares::Timer(Mode::Write), OnBeam::Alike, |w, args| {
        cancel(w, arg(args, 0), arg(args, 1))
    }),
    inside("erlang", "read_timer", 1, Shares::Timer(Mode::Read), OnBeam::Alike, |w, args| {
        read(w, arg(args, 0), Value::NIL)
    }),
    inside("erlang", "read_timer", 2, Shares::Timer(Mode::Read), OnBeam::Alike, |w, args| {
        read(w, arg(args, 0), arg(args, 1))
    }),
];

const NANOS_PER_MILLI: i64 = 1_000_000;

/// The message that a timer sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimerMessage {
    /// The given message.
    Message,
    /// `{timeout, TimerRef, Message}`.
    Timeout,
}

fn start(
    w: &mut World,
    args: &[Value],
    options: Value,
    kind: TimerMessage,
) -> Result<Value, Fault> {
    let mut is_absolute = false;
    for option in w.heap.list_items(options).ok_or(Fault::BADARG)? {
        match w.heap.elements(option) {
            Some([name, value]) if name.is_atom(AtomId::ABSOLUTE) => {
                is_absolute = value.as_bool().ok_or(Fault::BADARG)?;
            }
            _ => return Err(Fault::BADARG),
        }
    }
    follow_start(w, arg(args, 0), is_absolute);
    let at = due(w, arg(args, 0), is_absolute);
    let Some(at) = at else {
        let cause = w.atoms.intern("time");
        return Err(Fault::Caused(Value::atom(AtomId::BADARG), cause));
    };
    w.follow_receiver(arg(args, 1));
    let to = match arg(args, 1).view() {
        View::Pid(_) => TimerTarget::Process(w.local_pid(arg(args, 1))?),
        View::Atom(name) => TimerTarget::Name(name),
        _ => return Err(Fault::BADARG),
    };
    let id = w.new_ref();
    let reference = Value::reference(id);
    let message = match kind {
        TimerMessage::Message => arg(args, 2),
        TimerMessage::Timeout => {
            w.heap.tuple(&[Value::atom(AtomId::TIMEOUT), reference, arg(args, 2)])
        }
    };
    let is_gone = matches!(to, TimerTarget::Process(pid) if !w.is_alive(pid));
    // When schedules are explored, a timer for an ended process still fires, because in another order the process might
    // have received the message.
    if !is_gone || w.run.schedule.is_some() {
        w.run.timers.start(at, Timer { id: TimerId::Reference(id), to, message });
        w.timer_started(id);
    }
    Ok(reference)
}

/// Records the choices of a start of a timer with a symbolic time: whether the time is an integer, whether it is
/// negative, and whether it is long (see `World::follow_length`). An absolute time is pinned.
fn follow_start(w: &mut World, time: Value, is_absolute: bool) {
    if is_absolute {
        return w.look_at("the absolute time of a timer", time);
    }
    if w.is_kind(time, term::Kind::Integer, time.is_integer()) && !w.is_less(time, 0) {
        w.follow_length(time);
    }
}

/// Returns the time on the virtual clock when a timer fires; `None` if BEAM's clock can't represent it.
fn due(w: &World, time: Value, is_absolute: bool) -> Option<u64> {
    let millis = time.as_int()?;
    let nanos = millis.checked_mul(NANOS_PER_MILLI)?;
    let at = if is_absolute {
        let is_shown = (MONOTONIC_BEGIN..=MONOTONIC_END).contains(&nanos);
        // An absolute time before the program's begin is due at once.
        is_shown.then(|| nanos.checked_sub(MONOTONIC_BEGIN + STARTING))??.max(0)
    } else {
        let nanos = (0 <= nanos).then_some(nanos)?;
        i64::try_from(w.run.clock).ok()?.checked_add(nanos)?
    };
    (at <= MONOTONIC_END.checked_sub(MONOTONIC_BEGIN)?).then(|| u64::try_from(at).ok())?
}

fn cancel(w: &mut World, timer: Value, options: Value) -> Result<Value, Fault> {
    let id = timer.as_ref().ok_or(Fault::BADARG)?;
    let (mut is_async, mut is_told) = (false, true);
    for (name, value) in flags(w, options)? {
        match name {
            AtomId::ASYNC => is_async = value,
            AtomId::INFO => is_told = value,
            _ => return Err(Fault::BADARG),
        }
    }
    let left =
        if sends_to_nobody(w, id) { None } else { w.run.timers.cancel(TimerId::Reference(id)) };
    if left.is_some() {
        w.timer_cancelled(id);
    }
    let left = time_left(w, left);
    Ok(answer(w, "cancel_timer", id, left, is_async, is_told))
}

fn read(w: &mut World, timer: Value, options: Value) -> Result<Value, Fault> {
    let id = timer.as_ref().ok_or(Fault::BADARG)?;
    let mut is_async = false;
    for (name, value) in flags(w, options)? {
        match name {
            AtomId::ASYNC => is_async = value,
            _ => return Err(Fault::BADARG),
        }
    }
    let left = w.run.timers.when(TimerId::Reference(id)).filter(|_| !sends_to_nobody(w, id));
    let left = time_left(w, left);
    Ok(answer(w, "read_timer", id, left, is_async, true))
}

/// Whether the timer's receiver has ended. On BEAM such a timer no longer exists.
fn sends_to_nobody(w: &World, id: RefId) -> bool {
    w.run.timers.target(id).is_some_and(|it| !w.is_alive(it))
}

fn flags(w: &World, options: Value) -> Result<Vec<(AtomId, bool)>, Fault> {
    let options = w.heap.list_items(options).ok_or(Fault::BADARG)?;
    let flag = |option: Value| match w.heap.elements(option) {
        Some([name, value]) => Some((name.as_atom()?, value.as_bool()?)),
        _ => None,
    };
    options.into_iter().map(|it| flag(it).ok_or(Fault::BADARG)).collect()
}

/// Returns the milliseconds until a time, rounded up; `false` if there is no such timer.
fn time_left(w: &World, at: Option<u64>) -> Value {
    let millis =
        at.map(|at| at.saturating_sub(w.run.clock).div_ceil(NANOS_PER_MILLI.cast_unsigned()));
    millis.map_or(Value::FALSE, |it| Value::int(i64::try_from(it).unwrap_or(i64::MAX)))
}

fn answer(
    w: &mut World,
    tag: &str,
    timer: RefId,
    left: Value,
    is_async: bool,
    is_told: bool,
) -> Value {
    if is_async && is_told {
        let tag = atom(w, tag);
        let message = w.heap.tuple(&[tag, Value::reference(timer), left]);
        let me = w.run.current;
        w.send(me, message);
    }
    if is_async || !is_told { Value::atom(AtomId::OK) } else { left }
}
