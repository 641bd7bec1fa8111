//! Counts the holders of pids, ports and references of other nodes, which OTP's own test suites ask for.
//!
//! Nothing is counted while a program runs: a query visits all terms that are alive.

use crate::builtins::debug::object_id;
use crate::builtins::make::{atom, count};
use crate::machine::World;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use values::{AtomId, NodeName, Value};

/// Makes `{{node_references, Nodes}, {dist_references, []}}`: each node with the number of its references and their
/// holders. References to connections do not exist here.
pub(super) fn nodes_and_connections(w: &mut World) -> Value {
    let mut found: BTreeMap<(AtomId, u32), Vec<Value>> = BTreeMap::new();
    let mut sums: BTreeMap<(AtomId, u32), usize> = BTreeMap::new();
    for holder in holders(w) {
        let mut counts: BTreeMap<(AtomId, u32), usize> = BTreeMap::new();
        for node in foreign_nodes(w, &holder.values) {
            *counts.entry((node.name, node.creation)).or_default() += 1;
        }
        for (node, n) in counts {
            *sums.entry(node).or_default() += n;
            let said = described(w, &holder, n);
            found.entry(node).or_default().push(said);
        }
    }
    let mut nodes = Vec::new();
    for ((name, creation), holding) in found {
        let n = count(sums.get(&(name, creation)).copied().unwrap_or(0));
        let node = [Value::atom(name), Value::int(i64::from(creation))];
        let entry = [w.heap.tuple(&node), n, w.heap.list(&holding)];
        nodes.push(w.heap.tuple(&entry));
    }
    let nodes = [atom(w, "node_references"), w.heap.list(&nodes)];
    let connections = [atom(w, "dist_references"), Value::NIL];
    let both = [w.heap.tuple(&nodes), w.heap.tuple(&connections)];
    w.heap.tuple(&both)
}

/// An owner of values: a process, a timer or an ETS table.
struct Holder {
    who: Value,
    kind: &'static str,
    values: Vec<Value>,
}

fn holders(w: &World) -> Vec<Holder> {
    let tables = w.run.ets.contents().map(|(name, values)| Holder {
        who: Value::atom(name),
        kind: "ets",
        values,
    });
    let timers = w.run.timers.messages().map(|(owner, message)| Holder {
        who: owner,
        kind: "timer",
        values: vec![message],
    });
    let processes = w.run.processes.values().map(|process| {
        let mut values: Vec<Value> = process.mailbox.iter().copied().collect();
        values.push(process.dictionary);
        if let Some(execution) = &process.execution {
            values.extend(execution.stack.iter().take(execution.live));
        }
        Holder { who: Value::pid(process.pid), kind: "heap", values }
    });
    tables.chain(timers).chain(processes).collect()
}

/// Returns the node of each foreign pid, port and reference in these values. Within one value a shared subterm counts
/// once; subterms shared by two of the values count twice.
fn foreign_nodes(w: &World, values: &[Value]) -> Vec<NodeName> {
    let mut res = Vec::new();
    for value in values {
        let mut seen = FxHashSet::default();
        let mut todo = vec![*value];
        while let Some(next) = todo.pop() {
            if w.heap.nodes.is_foreign(w.here(), next) {
                res.extend(w.heap.nodes.node_of(next));
            }
            if object_id(next).is_none_or(|it| seen.insert(it)) {
                w.heap.push_parts(next, &mut todo);
            }
        }
    }
    res
}

fn described(w: &mut World, holder: &Holder, n: usize) -> Value {
    let kind = atom(w, holder.kind);
    let role = if holder.kind == "heap" { atom(w, "process") } else { kind };
    let who = w.heap.tuple(&[role, holder.who]);
    let counted = w.heap.tuple(&[kind, count(n)]);
    let counted = w.heap.list(&[counted]);
    w.heap.tuple(&[who, counted])
}
