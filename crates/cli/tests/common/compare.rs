//! Compares reports and shows only the positions at which they differ.

use serde_json::Value;

/// A report without its durations.
pub(crate) fn timeless(mut report: Value) -> Value {
    let set_none = |it: &mut Value| {
        it.as_object_mut().expect("an object").insert("elapsed_ms".to_owned(), Value::Null);
    };
    set_none(&mut report);
    let units = report.get_mut("units").and_then(Value::as_array_mut);
    units.expect("units").iter_mut().for_each(set_none);
    report
}

/// Fails with the positions at which two documents differ, and the values there.
#[track_caller]
pub(crate) fn assert_same(left: &Value, right: &Value, what: &str) {
    let mut found = Vec::new();
    differences(left, right, "", &mut found);
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Adds the positions below `at` at which two documents differ.
fn differences(left: &Value, right: &Value, at: &str, found: &mut Vec<String>) {
    let none = Value::Null;
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|it| !left.contains_key(*it))) {
                let [left, right] = [left, right].map(|it| it.get(key).unwrap_or(&none));
                differences(left, right, &format!("{at}/{key}"), found);
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for n in 0..left.len().max(right.len()) {
                let [left, right] = [left, right].map(|it| it.get(n).unwrap_or(&none));
                differences(left, right, &format!("{at}/{n}"), found);
            }
        }
        _ if left == right => {}
        _ => found.push(format!("{at}: {left} and {right}")),
    }
}
