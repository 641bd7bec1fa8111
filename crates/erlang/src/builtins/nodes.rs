//! Nodes as programs see them: their names, connections and monitors.
//!
//! Messages between nodes are in `machine/distribution`.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::make::atom;
use crate::builtins::text::string;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::distribution::{News, NewsForm};
use trace::Mode;
use values::{AtomId, NodeId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "node", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(Value::atom(w.node_name(w.here())))
    }),
    inside("erlang", "node", 1, Shares::Nothing, OnBeam::Alike, node_of),
    inside("erlang", "nodes", 0, Shares::Nodes, OnBeam::Alike, |w, _| {
        let visible = names(w, &connected(w));
        Ok(w.heap.list(&visible))
    }),
    inside("erlang", "nodes", 1, Shares::Nodes, OnBeam::Alike, nodes),
    inside("erlang", "nodes", 2, Shares::Nodes, OnBeam::Alike, nodes_with_info),
    inside("erlang", "is_alive", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(Value::bool(w.heap.nodes.is_distributed()))
    }),
    inside("erlang", "monitor_node", 2, Shares::Node(Mode::Read), OnBeam::Alike, |w, args| {
        monitor_node(w, args, Value::NIL)
    }),
    inside("erlang", "monitor_node", 3, Shares::Node(Mode::Read), OnBeam::Alike, |w, args| {
        monitor_node(w, args, arg(args, 2))
    }),
    // OTP asks the process that owns the sockets; the machine connects directly.
    inside("net_kernel", "connect_node", 1, Shares::Node(Mode::Write), OnBeam::Alike, |w, args| {
        connect(w, args, World::reaches)
    }),
    inside("net_kernel", "disconnect", 1, Shares::Node(Mode::Write), OnBeam::Alike, |w, args| {
        connect(w, args, World::disconnect)
    }),
    inside("auth", "get_cookie", 0, Shares::Nothing, OnBeam::Alike, get_cookie),
    inside("auth", "get_cookie", 1, Shares::Nothing, OnBeam::Alike, get_cookie),
    inside("auth", "set_cookie", 1, Shares::Nothing, OnBeam::Alike, set_cookie),
    inside("auth", "set_cookie", 2, Shares::Nothing, OnBeam::Alike, set_cookie),
];

fn node_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    w.heap.nodes.name_of(arg(args, 0)).map(Value::atom).ok_or(Fault::BADARG)
}

fn connected(w: &World) -> Vec<NodeId> {
    let here = w.here();
    w.nodes_up().into_iter().filter(|it| *it != here && w.is_connected(*it)).collect()
}

fn names(w: &World, nodes: &[NodeId]) -> Vec<Value> {
    nodes.iter().map(|it| Value::atom(w.node_name(*it))).collect()
}

fn nodes(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let found = nodes_of(w, arg(args, 0))?;
    Ok(w.heap.list(&found))
}

/// Returns the nodes of the given kinds, each once.
fn nodes_of(w: &mut World, kinds: Value) -> Result<Vec<Value>, Fault> {
    let kinds = match kinds.as_atom() {
        Some(_) => vec![kinds],
        None => badarg(w.heap.list_items(kinds))?,
    };
    let mut res: Vec<Value> = Vec::new();
    for kind in kinds {
        let name = kind.as_atom().map(|it| w.atoms.name(it)).unwrap_or_default();
        let found = match name {
            "visible" | "connected" => names(w, &connected(w)),
            "hidden" => Vec::new(),
            "this" => names(w, &[w.here()]),
            "known" => w.heap.nodes.known().into_iter().map(Value::atom).collect(),
            _ => return Err(Fault::BADARG),
        };
        for node in found {
            if !res.iter().any(|it| it.same_word(node)) {
                res.push(node);
            }
        }
    }
    Ok(res)
}

/// Makes `[{Node, Info}]`.
fn nodes_with_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let found = nodes_of(w, arg(args, 0))?;
    let View::Map(options) = arg(args, 1).view() else { return Err(Fault::BADARG) };
    let mut keys = Vec::new();
    for (key, value) in w.heap.map_pairs(arg(args, 1)).unwrap_or_default() {
        let name = key.as_atom().map(|it| w.atoms.name(it)).unwrap_or_default();
        if !matches!(name, "connection_id" | "node_type") {
            return Err(Fault::BADARG);
        }
        if badarg(value.as_bool())? {
            keys.push(key);
        }
    }
    debug_assert!(keys.len() <= w.heap.map_len(options), "each key is an option");
    let mut res = Vec::new();
    for node in found {
        let id = node.as_atom().and_then(|it| w.heap.nodes.find(it));
        let is_here = id == Some(w.here());
        let mut info = Vec::new();
        for key in &keys {
            let is_type = key.as_atom().is_some_and(|it| w.atoms.name(it) == "node_type");
            let value = match id {
                _ if is_type && is_here => atom(w, "this"),
                Some(id) if is_type && w.is_connected(id) => atom(w, "visible"),
                _ if is_type => atom(w, "known"),
                Some(id) if !is_here && w.is_connected(id) => Value::int(i64::from(id.0) + 1),
                _ => Value::atom(AtomId::UNDEFINED),
            };
            info.push((*key, value));
        }
        let info = w.heap.map(&w.atoms, info);
        res.push(w.heap.tuple(&[node, info]));
    }
    Ok(w.heap.list(&res))
}

fn monitor_node(w: &mut World, args: &[Value], options: Value) -> Result<Value, Fault> {
    let options = w.heap.list_items(options);
    let is_known =
        |it: &Value| it.as_atom().is_some_and(|it| w.atoms.name(it) == "allow_passive_connect");
    if !options.is_some_and(|it| it.iter().all(is_known)) {
        let cause = w.atoms.intern("badopt");
        return Err(Fault::Caused(Value::atom(AtomId::BADARG), cause));
    }
    let name = badarg(arg(args, 0).as_atom())?;
    if name != AtomId::NONODE && !w.heap.nodes.is_distributed() {
        return Err(Fault::Error(atom(w, "notalive")));
    }
    let is_on = badarg(arg(args, 1).as_bool())?;
    let node = w.heap.nodes.find(name);
    if !is_on {
        w.unwatch_node(name);
    } else if node == Some(w.here()) {
        // A process does not outlive its own node, so it would never be notified.
    } else if node.is_some_and(|it| w.reaches(it)) {
        w.watch_node(name);
    } else {
        let nodedown = atom(w, "nodedown");
        let message = w.heap.tuple(&[nodedown, Value::atom(name)]);
        w.send(w.run.current, message);
    }
    Ok(Value::TRUE)
}

fn connect(
    w: &mut World,
    args: &[Value],
    act: fn(&mut World, NodeId) -> bool,
) -> Result<Value, Fault> {
    let name = badarg(arg(args, 0).as_atom())?;
    if !w.heap.nodes.is_distributed() {
        return Ok(atom(w, "ignored"));
    }
    let node = w.heap.nodes.find(name);
    Ok(Value::bool(node.is_some_and(|it| act(w, it))))
}

/// All nodes of one machine have the same cookie.
fn get_cookie(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let name = if w.heap.nodes.is_distributed() { "gimlet" } else { "nocookie" };
    Ok(atom(w, name))
}

fn set_cookie(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if args.iter().any(|it| it.as_atom().is_none()) {
        return Err(Fault::Plain(Value::atom(AtomId::FUNCTION_CLAUSE)));
    }
    if !w.heap.nodes.is_distributed() {
        return Err(Fault::Plain(atom(w, "distribution_not_started")));
    }
    Ok(Value::TRUE)
}

/// Returns the host name for builtins that would otherwise ask the real host; `None` for other builtins and without
/// named nodes.
pub(crate) fn own_answer(w: &mut World, builtin: &Builtin) -> Option<Value> {
    if !w.heap.nodes.is_distributed() {
        return None;
    }
    let name = w.atoms.name(w.node_name(w.here()));
    let host = name.split_once('@').map_or(name, |it| it.1).to_owned();
    let host = string(&mut w.heap, &host);
    match (builtin.module, builtin.name, builtin.arity) {
        ("inet", "gethostname", 0) => Some(w.heap.tuple(&[Value::atom(AtomId::OK), host])),
        ("net_adm", "localhost", 0) => Some(host),
        _ => None,
    }
}

/// `process_flag(monitor_nodes | {monitor_nodes, Options}, Flag)`.
pub(super) fn monitor_nodes(w: &mut World, flag: Value, value: Value) -> Result<Value, Fault> {
    let is_on = badarg(value.as_bool())?;
    let mut news = News::default();
    if let Some([_, options]) = w.heap.elements(flag)
        && !options.is_nil()
    {
        news.form = NewsForm::Map;
        for (key, value) in badarg(w.heap.map_pairs(*options))? {
            let name = |it: Value| it.as_atom().map(|it| w.atoms.name(it)).unwrap_or_default();
            match (name(key), name(value)) {
                ("list", "true") => news.form = NewsForm::List,
                ("connection_id", "true") => news.connection = true,
                ("nodedown_reason", "true") => news.reason = true,
                ("connection_id" | "nodedown_reason", "false") => (),
                ("node_type", "visible" | "all") => news.node_type = true,
                // There are no hidden nodes.
                ("node_type", "hidden") => news.form = NewsForm::Never,
                _ => return Err(Fault::BADARG),
            }
        }
    }
    Ok(Value::int(w.listen_to_nodes(news, is_on)))
}
