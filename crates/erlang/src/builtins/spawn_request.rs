//! `spawn_request`: starting a process and hearing of it by a message.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::atom;
use crate::builtins::processes::spawn_mfa;
use crate::builtins::{Builtin, Fault, inside};
use crate::data::{AtomId, Value};
use crate::machine::World;

pub(super) const ROWS: &[Builtin] = &[
    inside("erts_internal", "spawn_request", 4, spawn_request),
    // Here a request is always answered before anyone can take it back.
    inside("erlang", "spawn_request_abandon", 1, |_, args| {
        arg(args, 0).as_ref().map(|_| Value::FALSE).ok_or(Fault::BADARG)
    }),
];

/// Which outcomes are told; that of a process of this node is always a success.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reply {
    Success,
    Never,
}

/// OTP turns an atom that is returned into the error of that name.
fn spawn_request(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let badarg = Ok(Value::atom(AtomId::BADARG));
    let Some(options) = w.heap.list_items(arg(args, 3)) else { return badarg };
    let mut tag = atom(w, "spawn_reply");
    let mut reply = Reply::Success;
    let mut others = Vec::new();
    for option in options {
        let pair = match w.heap.elements(option) {
            Some([name, value]) => name.as_atom().map(|it| (w.atoms.name(it).to_owned(), *value)),
            _ => None,
        };
        match pair {
            Some((name, value)) if name == "reply_tag" => tag = value,
            Some((name, value)) if name == "reply" => {
                let value = value.as_atom().map_or("", |it| w.atoms.name(it));
                reply = match value {
                    "yes" | "success_only" => Reply::Success,
                    "no" | "error_only" => Reply::Never,
                    _ => return badarg,
                };
            }
            _ => others.push(option),
        }
    }
    let others = w.heap.list(&others);
    let started = match spawn_mfa(w, args, others) {
        Err(Fault::Error(_)) => return badarg,
        started => started?,
    };
    // The reference of a monitor is that of the request.
    let (pid, reference) = match w.heap.elements(started) {
        Some([pid, reference]) => (*pid, *reference),
        _ => (started, Value::reference(w.new_ref())),
    };
    if reply == Reply::Success {
        let message = w.heap.tuple(&[tag, reference, Value::atom(AtomId::OK), pid]);
        let me = w.current;
        w.send(me, message);
    }
    Ok(reference)
}
