//! Conversions between pids, references, ports, funs and text.
//!
//! The current node is printed as 0. The number of another node is local to the printing node: BEAM uses the index of
//! the node's name in its atom table, we number nodes in the order in which they appear.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::{list_bytes, string};
use crate::builtins::{Builtin, Fault, pure};
use crate::machine::World;
use term::{Atom, Fun, Style, Term};
use values::{FIRST_WORD, FunKind, NodeId, NodeName, PidId, PortId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "pid_to_list", 1, pid_to_list),
    pure("erlang", "ref_to_list", 1, ref_to_list),
    pure("erlang", "port_to_list", 1, port_to_list),
    pure("erlang", "fun_to_list", 1, fun_to_list),
    pure("erlang", "list_to_pid", 1, list_to_pid),
    pure("erlang", "list_to_ref", 1, list_to_ref),
    pure("erlang", "list_to_port", 1, list_to_port),
];

fn pid_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Pid(pid) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let (node, id, serial) = w.heap.nodes.pid(pid);
    let text = format!("<{}.{id}.{serial}>", node_number(w, node));
    Ok(string(&mut w.heap, &text))
}

fn port_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Port(port) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let (node, id) = w.heap.nodes.port(port);
    let text = format!("#Port<{}.{id}>", node_number(w, node));
    Ok(string(&mut w.heap, &text))
}

fn ref_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Ref(id) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let (node, words) = w.heap.nodes.reference(id);
    let words: String = words.all().iter().rev().map(|it| format!(".{it}")).collect();
    let text = format!("#Ref<{}{words}>", node_number(w, node));
    Ok(string(&mut w.heap, &text))
}

fn node_number(w: &World, node: NodeName) -> usize {
    w.heap.nodes.shown_as(w.run.current.node(), node.name)
}

fn fun_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let View::Fun(at) = arg(args, 0).view() else { return Err(Fault::BADARG) };
    let fun = match w.heap.fun_kind(at) {
        FunKind::External { module, function, arity } => Fun::External {
            module: Atom::new(w.atoms.name(module)),
            function: Atom::new(w.atoms.name(function)),
            arity: u8::try_from(arity).unwrap_or(u8::MAX),
        },
        FunKind::Closure { lambda, .. } => {
            let lambda = w.heap.lambda(lambda).ok_or(Fault::BADARG)?;
            // The text does not show the captured values.
            Fun::Closure {
                module: Atom::new(w.atoms.name(lambda.module)),
                arity: u8::try_from(lambda.arity).unwrap_or(u8::MAX),
                index: lambda.index,
                uniq: lambda.module_md5,
                old_index: i64::from(lambda.index),
                old_uniq: i64::from(lambda.uniq),
                pid: term::Pid { node: Atom::new("nonode@nohost"), id: 0, serial: 0, creation: 0 },
                env: Vec::new(),
            }
        }
    };
    Ok(string(&mut w.heap, &term::print(&Term::Fun(Box::new(fun)), Style::W)))
}

fn list_to_pid(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let numbers = numbers(w, arg(args, 0), "<")?;
    let [node, id, serial] = *numbers.as_slice() else { return Err(Fault::BADARG) };
    let node = reachable(w, node)?;
    let pid = u32::try_from(id).ok().zip(u32::try_from(serial).ok());
    let pid = pid.and_then(|(id, serial)| PidId::from_parts(id, serial));
    pid.map(|it| Value::pid(it.on(node))).ok_or(Fault::BADARG)
}

fn list_to_ref(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let numbers = numbers(w, arg(args, 0), "#Ref<")?;
    let [node, third, second, first] = *numbers.as_slice() else { return Err(Fault::BADARG) };
    let node = reachable(w, node)?;
    let word = |it: u64| u32::try_from(it).map_err(|_| Fault::BADARG);
    let words = [word(first)?, word(second)?, word(third)?];
    if first >= u64::from(FIRST_WORD) {
        return Err(Fault::BADARG);
    }
    let name = w.heap.nodes.name(node);
    Ok(Value::reference(w.heap.nodes.make_reference(name, &words)))
}

fn list_to_port(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let numbers = numbers(w, arg(args, 0), "#Port<")?;
    match *numbers.as_slice() {
        [node, id] if id <= PortId::MAX_NUMBER => {
            Ok(Value::port(PortId(id).on(reachable(w, node)?)))
        }
        _ => Err(Fault::BADARG),
    }
}

/// Returns the machine's node that is printed as this number. Identities of other nodes can't be parsed.
fn reachable(w: &World, number: u64) -> Result<NodeId, Fault> {
    let nodes = &w.heap.nodes;
    let shown = |it: &NodeName| nodes.shown_as(w.run.current.node(), it.name) as u64;
    let name = nodes.own().iter().find(|it| shown(it) == number).ok_or(Fault::BADARG)?;
    nodes.find(name.name).ok_or(Fault::BADARG)
}

/// Parses the numbers of a text like `<0.1.2>`.
fn numbers(w: &World, list: Value, opening: &str) -> Result<Vec<u64>, Fault> {
    let bytes = list_bytes(&w.heap, list).ok_or(Fault::BADARG)?;
    let text = str::from_utf8(&bytes).map_err(|_| Fault::BADARG)?;
    let inner = text.strip_prefix(opening).and_then(|it| it.strip_suffix('>'));
    let numbers = inner.ok_or(Fault::BADARG)?.split('.').map(|it| {
        let is_number = it.bytes().all(|it| it.is_ascii_digit());
        if is_number { it.parse().map_err(|_| Fault::BADARG) } else { Err(Fault::BADARG) }
    });
    numbers.collect()
}
