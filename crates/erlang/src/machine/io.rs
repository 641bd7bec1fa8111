//! The devices that always exist, first of all the default group leader. They implement the I/O protocol: output is
//! collected, and input is at its end.

use crate::machine::World;
use crate::machine::process::{Execution, OnReturn};
use crate::machine::world::STANDARD_ERROR;
use values::{AtomId, PidId, Value};

/// Handles a message to a device. Messages that are not requests of the protocol are dropped.
pub(super) fn request(w: &mut World, device: PidId, message: Value) {
    let Some([tag, from, reply_as, request]) = w.heap.elements(message) else { return };
    let (from, reply_as, request) = (*from, *reply_as, *request);
    let (true, Some(asker)) = (tag.is_atom(AtomId::IO_REQUEST), from.as_pid()) else { return };
    match perform(w, device, asker, reply_as, request) {
        IoOutcome::Reply(value) => reply(w, asker, reply_as, value),
        IoOutcome::Later => (),
    }
}

enum IoOutcome {
    Reply(Value),
    /// A process was started; its value will be written.
    Later,
}

fn perform(
    w: &mut World,
    device: PidId,
    asker: PidId,
    reply_as: Value,
    request: Value,
) -> IoOutcome {
    let items = match w.heap.elements(request) {
        Some(items) => items.to_vec(),
        None => vec![request],
    };
    let name = items.first().and_then(|it| it.as_atom());
    let name = name.map_or("", |it| w.atoms.name(it)).to_owned();
    match (name.as_str(), items.as_slice()) {
        ("put_chars", [_, chars] | [_, _, chars]) => write(w, device, *chars),
        ("put_chars", [_, module, function, args] | [_, _, module, function, args]) => {
            let Some(args) = w.heap.list_items(*args) else {
                return IoOutcome::Reply(request_error(w));
            };
            let execution = Execution::apply(*module, *function, &args);
            let Ok(pid) = w.spawn(execution) else { return IoOutcome::Reply(request_error(w)) };
            if let Some(process) = w.run.processes.get_mut(&pid) {
                process.on_return = OnReturn::Output { asker, request: reply_as, device };
            }
            IoOutcome::Later
        }
        ("requests", [_, requests]) => {
            let mut last = IoOutcome::Reply(Value::atom(AtomId::OK));
            for request in w.heap.list_items(*requests).unwrap_or_default() {
                last = perform(w, device, asker, reply_as, request);
            }
            last
        }
        ("get_chars" | "get_line" | "get_until" | "get_password", _) => {
            if let Some(prompt) = prompt(w, &items) {
                write(w, device, prompt);
            }
            IoOutcome::Reply(Value::atom(w.atoms.intern("eof")))
        }
        ("getopts", _) => {
            let (binary, encoding) = (w.atoms.intern("binary"), w.atoms.intern("encoding"));
            let binary = w.heap.tuple(&[Value::atom(binary), Value::FALSE]);
            let encoding = w.heap.tuple(&[Value::atom(encoding), Value::atom(AtomId::UNICODE)]);
            IoOutcome::Reply(w.heap.list(&[binary, encoding]))
        }
        ("setopts", _) => IoOutcome::Reply(Value::atom(AtomId::OK)),
        ("get_geometry", _) => {
            let reason = Value::atom(w.atoms.intern("enotsup"));
            IoOutcome::Reply(w.heap.tuple(&[Value::atom(AtomId::ERROR), reason]))
        }
        _ => IoOutcome::Reply(request_error(w)),
    }
}

/// The prompt of an input request. Newer requests have an encoding before it.
fn prompt(w: &World, request: &[Value]) -> Option<Value> {
    let is_encoding = |it: &Value| {
        let name = it.as_atom().map(|it| w.atoms.name(it));
        matches!(name, Some("unicode" | "latin1"))
    };
    let text = match request {
        [_, encoding, prompt, ..] if is_encoding(encoding) => *prompt,
        [_, prompt, ..] => *prompt,
        [] | [_] => return None,
    };
    text_of(w, text).map(|_| text)
}

/// Writes the value of a process that formatted output.
pub(super) fn formatted(w: &mut World, device: PidId, asker: PidId, request: Value, chars: Value) {
    if let IoOutcome::Reply(value) = write(w, device, chars) {
        reply(w, asker, request, value);
    }
}

/// Reports that a process that formatted output failed.
pub(super) fn failed(w: &mut World, asker: PidId, request: Value, _reason: Value) {
    let what = Value::atom(w.atoms.intern("format"));
    let error = w.heap.tuple(&[Value::atom(AtomId::ERROR), what]);
    reply(w, asker, request, error);
}

fn write(w: &mut World, device: PidId, chars: Value) -> IoOutcome {
    match text_of(w, chars) {
        Some(text) => {
            let output =
                if device == STANDARD_ERROR { &mut w.run.error_output } else { &mut w.run.output };
            output.extend_from_slice(text.as_bytes());
            IoOutcome::Reply(Value::atom(AtomId::OK))
        }
        None => IoOutcome::Reply(request_error(w)),
    }
}

/// The text of a term of the type `unicode:chardata()`; `None` for other terms.
fn text_of(w: &World, chars: Value) -> Option<String> {
    let mut text = String::new();
    let mut rest = vec![chars];
    while let Some(next) = rest.pop() {
        if let Some((head, tail)) = w.heap.uncons(next) {
            rest.push(tail);
            rest.push(head);
        } else if let Some(point) = next.as_int() {
            text.push(u32::try_from(point).ok().and_then(char::from_u32)?);
        } else if let Some(bytes) = w.heap.as_binary_bytes(next) {
            text.push_str(&String::from_utf8_lossy(&bytes));
        } else if !next.is_nil() {
            return None;
        }
    }
    Some(text)
}

fn request_error(w: &mut World) -> Value {
    let what = Value::atom(w.atoms.intern("request"));
    w.heap.tuple(&[Value::atom(AtomId::ERROR), what])
}

fn reply(w: &mut World, asker: PidId, reply_as: Value, value: Value) {
    let message = w.heap.tuple(&[Value::atom(AtomId::IO_REPLY), reply_as, value]);
    w.send(asker, message);
}
