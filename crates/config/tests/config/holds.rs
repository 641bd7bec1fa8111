//! Tests of which settings apply to a unit, and which findings are ignored on a day.

use crate::good;
use config::{Day, IgnoreQuery};
use expect_test::{Expect, expect};

const SCOPES: &str = r#"
strict = true
[unit."shop:*"]
time = "1s"
runs = 1
[path."**/*.erl"]
time = "2s"
depth = 2
skip = true
[path."src/**"]
time = "3s"
jobs = 3
strict = false
[unit."shop:total/1"]
time = "4s"
skip = false
"#;

fn check(unit: &str, file: Option<&str>, expected: &Expect) {
    let config = good(SCOPES);
    let settings = config.for_unit(unit, file);
    let settings: Vec<String> =
        settings.iter().map(|it| format!("{}={}", it.name, it.values.join(","))).collect();
    let skip = if config.is_skipped(unit, file) { " skipped" } else { "" };
    expected.assert_eq(&format!("{}{skip}", settings.join(" ")));
}

#[test]
fn units_beat_paths_and_later_beats_earlier() {
    let source = Some("src/shop.erl");
    check("shop:total/1", source, &expect!["depth=2 jobs=3 strict=false runs=1 time=4s"]);
    check("shop:add/2", source, &expect!["depth=2 jobs=3 strict=false time=1s runs=1 skipped"]);
    check("shop:add/2", None, &expect!["time=1s runs=1"]);
    check("other:f/0", source, &expect!["depth=2 time=3s jobs=3 strict=false skipped"]);
    check("other:f/0", Some("lib/a/b.erl"), &expect!["time=2s depth=2 skipped"]);
    check("other:f/0", Some("src/a.ex"), &expect!["time=3s jobs=3 strict=false"]);
    check("other:f/0", None, &expect![""]);
}

#[test]
fn a_scope_says_what_it_matches() {
    let config = good(SCOPES);
    let matches: Vec<bool> = config.units.iter().map(|it| it.matches("shop:total/1")).collect();
    assert_eq!(matches, [true, true]);
    let matches: Vec<bool> = config.paths.iter().map(|it| it.matches("src/a.ex")).collect();
    assert_eq!(matches, [false, true]);
}

const FINDING: IgnoreQuery<'_> = IgnoreQuery {
    unit: "shop:total/1",
    kind: "crash",
    fingerprint: "0123456789abcdef",
    reason: "{badmatch,[1]}",
};

#[track_caller]
fn check_ignore(keys: &str, today: Option<Day>, expected: bool) {
    let config = good(&format!("[[ignore]]\nbecause = \"known\"\n{keys}\n"));
    let ignore = config.ignores.first().expect("one");
    assert_eq!(ignore.matches(&FINDING, today), expected, "{keys}");
}

#[test]
fn everything_that_an_ignore_says_has_to_match() {
    for (keys, expected) in [
        ("unit = 'shop:*'", true),
        ("unit = 'other:*'", false),
        ("kind = 'crash'", true),
        ("kind = 'spec'", false),
        ("fingerprint = '0123456789ABCDEF'", true),
        ("fingerprint = '0123456789'", false),
        ("reason = '{badmatch,*}'", true),
        ("reason = '*badarg*'", false),
        ("unit = '*:total/1'\nkind = 'crash'\nreason = '*badmatch*'", true),
        ("unit = '*:total/1'\nkind = 'spec'\nreason = '*badmatch*'", false),
    ] {
        check_ignore(keys, None, expected);
    }
}

#[test]
fn an_ignore_ends_after_its_last_day() {
    let keys = "kind = 'crash'\nuntil = 2026-12-31";
    check_ignore(keys, None, true);
    check_ignore(keys, Some((2026, 6, 30)), true);
    check_ignore(keys, Some((2026, 12, 31)), true);
    check_ignore(keys, Some((2027, 1, 1)), false);
    let config = good(&format!("[[ignore]]\nbecause = 'x'\n{keys}\n"));
    let ignore = config.ignores.first().expect("one");
    assert!(ignore.is_expired(Some((2027, 1, 1))) && !ignore.is_expired(None));
}
