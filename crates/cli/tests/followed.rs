//! Tests `gimlet test --schedules`: inputs are followed symbolically into timers, tables, counters, names and calls.
#![expect(clippy::disallowed_methods, reason = "it starts the binary under test")]

mod common;

use serde_json::Value;
use std::collections::BTreeMap;

/// A predicate that holds for the inputs that make a function of `followed.erl` exit.
type Fails = fn(&str) -> bool;

const FUNCTIONS: &[(&str, Fails)] = &[
    ("sent_later", |it| it == "42"),
    ("timer_started", |it| it == "42"),
    ("timer_time", |it| number(it).is_some_and(|it| (0..5000).contains(&it))),
    ("waits", |it| number(it).is_some_and(|it| (0..5000).contains(&it))),
    ("counted", |it| it == "77"),
    ("counted_at", |it| it == "76"),
    ("wrapped", |it| number(it).is_some_and(|it| it > 995)),
    ("atomic", |it| it == "77"),
    ("atomic_index", |it| it == "2"),
    ("atomic_round", |it| number(it).is_some_and(|it| (256..1000).contains(&it))),
    ("counter", |it| it == "77"),
    ("exchanged", |it| it == "917"),
    ("term", |it| it == "917"),
    ("matched", |it| it == "boom"),
    ("matched_object", |it| it.starts_with("{boom,")),
    ("selected", |it| it == "100"),
    ("selected_value", |it| it == "55"),
    ("pattern", |it| it == "b"),
    ("guard", |it| number(it).is_some_and(|it| (2..=200).contains(&it))),
    ("replaced", |it| it == "7"),
    ("deleted", |it| it == "917"),
    ("deleted_object", |it| it == "5"),
    ("in_bag", |it| it == "55"),
    ("first_key", |it| it == "917"),
    ("next_key", |it| number(it).is_some_and(|it| (10..100).contains(&it))),
    ("select_counted", |it| it == "917"),
    ("name_sent_to", |it| it == "alice"),
    ("name_looked_up", |it| it == "alice"),
    ("name_given", |it| it == "srv"),
    ("spawned", |it| it == "ends"),
    ("key_read_before", |it| it == "5"),
    ("key_put_before", |it| it == "5"),
];

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

#[test]
fn what_goes_into_builtins_is_followed() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let mut args = vec!["test", "followed.erl", "--schedules", "--format", "json"];
    let names: Vec<String> = FUNCTIONS.iter().map(|it| format!("{}/1", it.0)).collect();
    args.extend(names.iter().flat_map(|it| ["-f", it.as_str()]));
    let done = common::gimlet(dir, &args);
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let report: Value = serde_json::from_str(&text).expect("a report");
    let units = report["units"].as_array().expect("units");
    let by_name: BTreeMap<&str, &Value> =
        units.iter().map(|it| (it["unit"].as_str().expect("a name"), it)).collect();
    let mut wrong = Vec::new();
    for (name, fails) in FUNCTIONS {
        let title = format!("followed:{name}/1");
        let Some(unit) = by_name.get(title.as_str()) else {
            wrong.push(format!("{name} was not tested"));
            continue;
        };
        let findings = unit["findings"].as_array().expect("findings").iter();
        let input = |it: &Value| it["args"][0].as_str().unwrap_or_default().to_owned();
        let found: Vec<String> =
            findings.clone().filter(|it| it["reason"] == "found").map(input).collect();
        if found.is_empty() || !found.iter().all(|it| fails(it)) {
            wrong.push(format!("{name}: {found:?} {}", unit["losses"]));
        }
        if findings.clone().any(|it| it["reason"] == "found" && it["confirmed"] != true) {
            wrong.push(format!("{name}: not confirmed on BEAM"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
