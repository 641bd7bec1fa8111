//! An ExUnit file for each module under test.

use crate::elixir::{self, PREFIX, alias, atom, quoted};
use crate::erlang::setup::Setup;
use crate::erlang::tests::Tested;
use crate::erlang::tests::chosen::{Chosen, choose, is_opaque, is_unwritable};
use crate::erlang::unit::UnitName;
use beam::Replayer;
use engine::Test;
use std::fmt::Write;
use term::{Atom, Term};
use trace::Outcome;

/// The name and the text of the file.
pub(super) fn module(module: &Atom, units: &[Tested<'_>], beam: &mut Replayer) -> (String, String) {
    let name = module.as_str().strip_prefix(PREFIX).unwrap_or(module.as_str());
    let file = format!("{}_gimlet_test.exs", underscored(name));
    let shown = alias(module);
    let mut out = format!(
        "# Tests of {shown}, one for each path that gimlet {} found. Made anew by `gimlet test --out`.\n\
         ExUnit.start()\n\n\
         defmodule {}GimletTest do\n  use ExUnit.Case\n",
        env!("CARGO_PKG_VERSION"),
        camel(name),
    );
    for unit in units {
        let setups = &unit.explored.setups;
        let Chosen { lines, left_out } =
            choose(*unit, beam, |test| assertion(unit.unit, setups, test));
        for (why, count) in &left_out {
            writeln!(
                out,
                "\n  # {}/{}: {count} left out: {why}",
                unit.unit.function.as_str(),
                unit.unit.arity
            )
            .ok();
        }
        let title = format!("{}/{}", unit.unit.function.as_str(), unit.unit.arity);
        for (n, part) in lines.chunks(MAX_ASSERTIONS).enumerate() {
            let title = if n == 0 { title.clone() } else { format!("{title}, part {}", n + 1) };
            writeln!(out, "\n  test {} do", quoted(&title)).ok();
            part.iter().for_each(|it| {
                writeln!(out, "    {it}").ok();
            });
            writeln!(out, "  end").ok();
        }
    }
    out.push_str("end\n");
    (file, out)
}

/// Assertions in one test: Elixir's compiler takes minutes for a thousand.
const MAX_ASSERTIONS: usize = 20;

pub(super) fn assertion(
    unit: &UnitName,
    setups: &[Setup],
    test: &Test,
) -> Result<String, &'static str> {
    let args = &test.input.args;
    if args.iter().any(is_unwritable) {
        return Err("the input can't be written down");
    }
    let list: Vec<String> = args.iter().map(elixir::term).collect();
    // A call by name: the compiler would warn of some that fail.
    let call =
        format!("apply({}, {}, [{}])", alias(&unit.module), atom(&unit.function), list.join(", "));
    let steps: Vec<String> = setups.iter().map(Setup::elixir).collect();
    let call = match steps.is_empty() {
        true => call,
        false => format!("({}; {call})", steps.join("; ")),
    };
    match &test.outcome {
        Outcome::Value(value) if is_opaque(value) => Err("the value can't be compared"),
        Outcome::Value(value) => Ok(format!("assert {call} === {}", elixir::term(value))),
        Outcome::Crash { class, trace, .. } if *trace == Term::Nil && class.as_str() == "exit" => {
            Err("the process is ended by another one")
        }
        Outcome::Crash { class, reason, .. } => {
            let kind = match class.as_str() {
                "throw" => "catch_throw",
                "exit" => "catch_exit",
                _ => "catch_error",
            };
            Ok(if is_opaque(reason) {
                format!("{kind}({call})")
            } else {
                format!("assert {kind}({call}) === {}", elixir::term(reason))
            })
        }
        Outcome::Deadlock => Err("it waits for a message that nobody sends"),
        Outcome::Stopped(_) => Err("it did not end"),
    }
}

/// `MyApp.Shop` is `my_app_shop`.
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
