//! Text that is not TOML: the parser's errors, reworded for users.
//!
//! Knows the messages of the parser. Unknown messages are shown unchanged.

use crate::problem::{Problem, line_at};
use std::collections::BTreeSet;
use toml::de::Error;

pub(super) struct Syntax {
    pub(super) problems: Vec<Problem>,
    /// The first line with an error that makes the structure of the following lines unclear.
    pub(super) clear_until: Option<usize>,
}

impl Syntax {
    /// Whether a line was read correctly: it has no error, and no earlier error makes it unclear.
    pub(super) fn is_clear(&self, line: usize) -> bool {
        self.clear_until.is_none_or(|it| line < it)
            && self.problems.iter().all(|it| it.line != line)
    }
}

/// Returns at most one problem for a line, and none after the first one that makes the rest unclear, since those are
/// mostly consequential errors.
pub(super) fn read(text: &str, errors: &[Error]) -> Syntax {
    let line_of = |error: &Error| line_at(text, error.span().unwrap_or_default().start);
    let clear_until = errors.iter().filter(|it| !is_local(it.message())).map(line_of).min();
    let mut lines = BTreeSet::new();
    let mut problems = Vec::new();
    for error in errors {
        let line = line_of(error);
        if clear_until.is_none_or(|it| line <= it) && lines.insert(line) {
            problems.push(problem(text, error));
        }
    }
    Syntax { problems, clear_until }
}

// The beginnings of the parser's messages, before `, expected …`.
const NO_QUOTES: &str = "string values must be quoted";
const TWICE: &str = "duplicate key";
const BAD_KEY: &str = "invalid unquoted key";
const NO_VALUE: &str = "key with no value";
const BAD_BOOLEAN: &str = "invalid boolean";
const BAD_DATE: &str = "invalid date";
const BAD_FLOAT: &str = "invalid float";

/// Whether an error concerns a single value or name, so that the following text is read correctly.
fn is_local(message: &str) -> bool {
    let local = [NO_QUOTES, TWICE, BAD_KEY, BAD_BOOLEAN, BAD_DATE, BAD_FLOAT];
    local.iter().any(|it| message.starts_with(it))
}

fn problem(text: &str, error: &Error) -> Problem {
    let message = error.message();
    let span = error.span().unwrap_or_default();
    let meant = text.get(span.clone()).unwrap_or_default();
    let at = |title: String| Problem::at(text, span, title);
    let (trouble, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    match trouble {
        TWICE => {
            let name = meant.trim_matches(['"', '\'']);
            at(format!("`{name}` is there twice")).hint("keep one of the two")
        }
        BAD_KEY => at(format!("`{meant}` can't be in a name without quotes"))
            .hint("put the name in quotes: `[unit.\"shop:total/1\"]`"),
        NO_VALUE => at("there is no `=` after this name".to_owned()).hint("write `name = value`"),
        BAD_DATE => at(format!("`{meant}` is not a date: expected {expected}"))
            .hint("write the year, the month and the day: `2026-12-31`"),
        NO_QUOTES if meant.is_empty() => at("there is no value after `=`".to_owned())
            .hint("write the value, or put `#` before the line"),
        NO_QUOTES | BAD_BOOLEAN | BAD_FLOAT if is_word(meant) => {
            let lower = meant.to_ascii_lowercase();
            match lower.as_str() {
                "true" | "false" => {
                    at(format!("`{meant}` is not in lower case")).hint(format!("write `{lower}`"))
                }
                _ => at(format!("`{meant}` has no quotes")).hint(format!("write `\"{meant}\"`")),
            }
        }
        _ if is_end_missing(trouble, expected) => at(format!("{expected} is missing here")),
        _ if trouble.ends_with("in array") => {
            at(format!("this is not TOML: {message}")).hint("is there a `]` for each `[` above?")
        }
        "missing escaped value" => at(format!("this is not TOML: {message}"))
            .hint("write `\\\\` for a backslash, or put the string in single quotes"),
        _ => at(format!("this is not TOML: {message}")),
    }
}

/// Whether a string, a list or a table is not closed.
fn is_end_missing(trouble: &str, expected: &str) -> bool {
    let is_open_string = trouble.starts_with("invalid") && trouble.ends_with("string");
    (trouble.starts_with("unclosed") || is_open_string)
        && ["`\"`", "`'`", "`]`", "`]]`", "`}`"].contains(&expected)
}

/// Whether the text would be a valid string in quotes.
fn is_word(meant: &str) -> bool {
    !meant.is_empty() && !meant.contains(['"', '\'', '\\', '\n', '#', '[', ']', '{', '}', '=', ','])
}
