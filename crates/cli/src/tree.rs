//! The parts of a tree of all paths as JSON that are the same for every language.

use engine::Unfolded;
use serde_json::{Value, json};

/// How many paths there are of each kind.
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

/// What could not be followed, and how often.
pub(crate) fn losses(tree: &Unfolded) -> Value {
    tree.losses.iter().map(|it| json!({"what": it.0, "count": it.1})).collect()
}
