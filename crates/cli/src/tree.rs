//! The parts of an execution tree in JSON that are the same for every language.

use engine::Unfolded;
use serde_json::{Value, json};

/// The number of paths by kind.
pub(crate) fn summary(tree: &Unfolded) -> Value {
    let sums = tree.summary();
    json!({
        "feasible": sums.feasible,
        "infeasible": sums.infeasible,
        "unknown": sums.unknown,
        "open": sums.open,
        "cut": sums.cut,
        "whole": tree.is_whole(),
    })
}

/// The losses of an execution tree, each with its count.
pub(crate) fn losses(tree: &Unfolded) -> Value {
    tree.losses.iter().map(|it| json!({"what": it.0, "count": it.1})).collect()
}
