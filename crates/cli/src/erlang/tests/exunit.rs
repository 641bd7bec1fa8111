//! Writes an ExUnit file for each module under test.

use crate::elixir::{PREFIX, Spelling, Structs, alias, exception, quoted};
use crate::erlang::setup::Setup;
use crate::erlang::systems::{self, Protocol};
use crate::erlang::tests::Tested;
use crate::erlang::tests::chosen::{Chosen, has_place, is_opaque};
use crate::erlang::unit::UnitName;
use engine::Test;
use std::fmt::Write;
use term::{Atom, Term};
use trace::Outcome;

/// The name of the file.
pub(super) fn name(module: &Atom) -> String {
    format!("{}_gimlet_test.exs", underscored(plain(module)))
}

fn plain(module: &Atom) -> &str {
    module.as_str().strip_prefix(PREFIX).unwrap_or(module.as_str())
}

/// The text of the file.
pub(super) fn text(module: &Atom, units: &[Tested<'_>], chosen: &[Chosen]) -> String {
    let shown = alias(module);
    let mut out = format!(
        "# Tests of {shown}, which gimlet {} found. Made anew by `gimlet test --out`.\n\
         defmodule {}GimletTest do\n  use ExUnit.Case\n",
        env!("CARGO_PKG_VERSION"),
        camel(plain(module)),
    );
    for (unit, Chosen { lines, left_out }) in units.iter().zip(chosen) {
        for (why, count) in left_out {
            writeln!(
                out,
                "\n  # {}/{}: {count} left out: {why}",
                unit.unit.function.as_str(),
                unit.unit.arity
            )
            .ok();
        }
        let title = match Protocol::of_unit(unit.unit) {
            Some(protocol) => protocol.title().to_owned(),
            None => format!("{}/{}", unit.unit.function.as_str(), unit.unit.arity),
        };
        // The processes of one sequence must not interfere with those of another.
        let is_system = Protocol::of_unit(unit.unit).is_some();
        let n_together = if is_system { 1 } else { MAX_ASSERTIONS };
        for alike in lines.chunk_by(|a, b| about(&a.text) == about(&b.text)) {
            let about = alike.first().map(|it| about(&it.text)).unwrap_or_default();
            for (n, part) in alike.chunks(n_together).enumerate() {
                let title = format!("{title}{about}");
                let title = if n == 0 { title } else { format!("{title}, part {}", n + 1) };
                writeln!(out, "\n  test {} do", quoted(&title)).ok();
                part.iter().for_each(|it| {
                    writeln!(out, "    {}", it.text).ok();
                });
                writeln!(out, "  end").ok();
            }
        }
    }
    out.push_str("end\n");
    out
}

/// The outcome of an assertion, as the name of its test states it.
pub(super) fn about(line: &str) -> String {
    if let Some(rest) = line.strip_prefix(RAISES) {
        let name: String = rest.chars().take_while(|it| *it != ',').collect();
        return format!(" raises {name}");
    }
    let found = [("assert catch_throw(", " throws"), ("assert catch_exit(", " exits")];
    let found = found.iter().find(|it| line.starts_with(it.0)).map(|it| it.1);
    found.unwrap_or_default().to_owned()
}

const RAISES: &str = "assert_raise ";

/// Whether a line of the file is an assertion.
pub(super) fn is_test(line: &str) -> bool {
    let line = line.strip_prefix("    ").unwrap_or_default();
    ["assert ", RAISES, "catch_"].iter().any(|it| line.starts_with(it))
}

/// Whether a line of the file begins a test.
pub(super) fn is_begin(line: &str) -> bool {
    line.starts_with("  test ")
}

/// The maximum number of assertions in a test: Elixir's compiler takes minutes for a thousand.
const MAX_ASSERTIONS: usize = 20;

pub(super) fn assertion(
    structs: &Structs,
    unit: &UnitName,
    setups: &[Setup],
    test: &Test,
) -> Result<String, &'static str> {
    if let Some(protocol) = Protocol::of_unit(unit) {
        return systems::test(unit, protocol, (&test.input.args, &test.outcome));
    }
    let script = unit.script(&test.input.args);
    if script.is_unwritable() {
        return Err("the input can't be written down");
    }
    let spelling = Spelling::of_code(structs);
    let call = match script.steps() {
        [only] => spelling.code(&only.value),
        steps => format!("({})", spelling.script(steps)),
    };
    let steps: Vec<String> = setups.iter().map(Setup::elixir).collect();
    let call = match steps.is_empty() {
        true => call,
        false => format!("({}; {call})", steps.join("; ")),
    };
    match &test.outcome {
        Outcome::Value(value) if is_opaque(value) || has_place(value) => {
            Err("the value can't be compared")
        }
        Outcome::Value(value) => {
            // `==` does not distinguish `1` from `1.0`.
            let is = if value.has_part(|it| matches!(it, Term::Float(_))) { "===" } else { "==" };
            Ok(format!("assert {call} {is} {}", spelling.term(value)))
        }
        Outcome::Crash { class, trace, .. } if *trace == Term::Nil && class.as_str() == "exit" => {
            Err("the process is ended by another one")
        }
        Outcome::Crash { class, reason, trace } => {
            let kind = match class.as_str() {
                "throw" => "catch_throw",
                "exit" => "catch_exit",
                _ => return Ok(raising(reason, trace, &call)),
            };
            Ok(if is_opaque(reason) || has_place(reason) {
                format!("{kind}({call})")
            } else {
                format!("assert {kind}({call}) == {}", spelling.term(reason))
            })
        }
        Outcome::Deadlock => Err("it waits for a message that nobody sends"),
        Outcome::Stopped(_) => Err("it did not end"),
    }
}

/// The assertion that a call raises an exception, with its message if the program specified one.
fn raising(reason: &Term, trace: &Term, call: &str) -> String {
    let (name, message) = exception(reason, trace);
    let is_own = matches!(name.as_str(), "RuntimeError" | "ArgumentError") && is_raised(reason);
    let is_alias = name.starts_with(|it: char| it.is_ascii_uppercase());
    match (is_alias, message.len() <= MAX_MESSAGE && is_own) {
        (true, true) => format!("{RAISES}{name}, {}, fn -> {call} end", quoted(&message)),
        (true, false) => format!("{RAISES}{name}, fn -> {call} end"),
        (false, _) => format!("catch_error({call})"),
    }
}

/// The maximum length of a message in an assertion, in bytes.
const MAX_MESSAGE: usize = 80;

/// Whether the exception has an explicit message, so that `raise` made it.
fn is_raised(reason: &Term) -> bool {
    let is_message =
        |it: &(Term, Term)| it.0.as_atom() == Some("message") && it.1.as_bytes().is_some();
    matches!(reason, Term::Map(fields) if fields.iter().any(is_message))
}

/// Converts `MyApp.Shop` to `my_app_shop`.
fn underscored(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && out.ends_with(|it: char| it.is_ascii_lowercase()) {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    out
}

fn camel(name: &str) -> String {
    let parts = name.split(|it: char| !it.is_ascii_alphanumeric());
    parts
        .filter_map(|it| {
            let mut chars = it.chars();
            Some(chars.next()?.to_ascii_uppercase().to_string() + chars.as_str())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_and_modules() {
        assert_eq!(underscored("MyApp.Shop"), "my_app_shop");
        assert_eq!(camel("my_app.shop"), "MyAppShop");
    }
}
