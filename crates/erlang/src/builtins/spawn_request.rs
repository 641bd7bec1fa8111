//! `spawn_request`: spawning a process on this or another node, with the result sent as a message.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::atom;
use crate::builtins::processes::{spawn_mfa, spawn_mfa_on};
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use trace::Mode;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside("erts_internal", "spawn_request", 4, Shares::SpawnLinked, OnBeam::Alike, spawn_request),
    inside(
        "erts_internal",
        "dist_spawn_request",
        4,
        Shares::Node(Mode::Read),
        OnBeam::Alike,
        dist_spawn_request,
    ),
    // A request is answered at once, so it can never be abandoned.
    inside("erlang", "spawn_request_abandon", 1, Shares::Nothing, OnBeam::Alike, |_, args| {
        arg(args, 0).as_ref().map(|_| Value::FALSE).ok_or(Fault::BADARG)
    }),
];

/// The tag of the reply message, and in which cases a reply is sent.
struct Reply {
    tag: Value,
    of_success: bool,
    of_failure: bool,
}

/// `erts_internal:spawn_request/4`. OTP's caller raises a returned atom as an error.
fn spawn_request(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let badarg = Ok(Value::atom(AtomId::BADARG));
    let Some((reply, options)) = reply_options(w, arg(args, 3)) else { return badarg };
    let started = match spawn_mfa(w, args, options) {
        Err(Fault::Error(_)) => return badarg,
        started => started?,
    };
    Ok(tell_success(w, &reply, started))
}

/// `dist_spawn_request(Node, {M, F, A}, Options, spawn_request | spawn_opt)`.
fn dist_spawn_request(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let badarg = Ok(Value::atom(AtomId::BADARG));
    let is_plain = arg(args, 3).as_atom() == Some(AtomId::SPAWN_REQUEST);
    let (Some(node), Some([module, name, list])) =
        (arg(args, 0).as_atom(), w.heap.elements(arg(args, 1)))
    else {
        return badarg;
    };
    let call = [*module, *name, *list];
    let is_call = module.as_atom().is_some() && name.as_atom().is_some();
    if !is_call || w.heap.list_len(call[2]).is_none() || node == w.node_name(w.here()) {
        return badarg;
    }
    let Some((reply, options)) = reply_options(w, arg(args, 2)) else { return badarg };
    let is_monitored = w.heap.list_items(options).unwrap_or_default().iter().any(|it| {
        let first = w.heap.elements(*it).and_then(|it| it.first()).copied();
        first.unwrap_or(*it).is_atom(AtomId::MONITOR)
    });
    let place = w.heap.nodes.find(node).filter(|it| w.reaches(*it));
    let reference = match place {
        None => {
            let noconnection = Value::atom(AtomId::NOCONNECTION);
            tell_failure(w, &reply, noconnection)
        }
        Some(place) => match spawn_mfa_on(w, place, &call, options) {
            Ok(started) => tell_success(w, &reply, started),
            Err(Fault::Caused(_, cause)) => tell_failure(w, &reply, Value::atom(cause)),
            Err(other) => return Err(other),
        },
    };
    if is_plain {
        return Ok(reference);
    }
    Ok(w.heap.tuple(&[reference, Value::bool(is_monitored)]))
}

/// Splits the options into those of the reply and those of the new process.
fn reply_options(w: &mut World, options: Value) -> Option<(Reply, Value)> {
    let mut reply = Reply { tag: atom(w, "spawn_reply"), of_success: true, of_failure: true };
    let mut others = Vec::new();
    for option in w.heap.list_items(options)? {
        let pair = match w.heap.elements(option) {
            Some([name, value]) => name.as_atom().map(|it| (w.atoms.name(it), *value)),
            _ => None,
        };
        match pair {
            Some(("reply_tag", value)) => reply.tag = value,
            Some(("reply", value)) => {
                let value = value.as_atom().map_or("", |it| w.atoms.name(it));
                (reply.of_success, reply.of_failure) = match value {
                    "yes" => (true, true),
                    "success_only" => (true, false),
                    "error_only" => (false, true),
                    "no" => (false, false),
                    _ => return None,
                };
            }
            _ => others.push(option),
        }
    }
    Some((reply, w.heap.list(&others)))
}

fn tell_success(w: &mut World, reply: &Reply, started: Value) -> Value {
    // If the process is monitored, the monitor's reference also identifies the request.
    let (pid, reference) = match w.heap.elements(started) {
        Some([pid, reference]) => (*pid, *reference),
        _ => (started, Value::reference(w.new_ref())),
    };
    if reply.of_success {
        let message = w.heap.tuple(&[reply.tag, reference, Value::atom(AtomId::OK), pid]);
        w.send(w.run.current, message);
    }
    reference
}

fn tell_failure(w: &mut World, reply: &Reply, reason: Value) -> Value {
    let reference = Value::reference(w.new_ref());
    if reply.of_failure {
        let message = w.heap.tuple(&[reply.tag, reference, Value::atom(AtomId::ERROR), reason]);
        w.send(w.run.current, message);
    }
    reference
}
