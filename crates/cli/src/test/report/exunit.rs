//! An ExUnit file for each module under test, and terms as Elixir writes them.

use crate::test::report::UnitReport;
use crate::test::report::chosen::{Chosen, choose, is_opaque, is_unwritable};
use crate::test::unit::UnitName;
use beam::Replayer;
use engine::Test;
use std::fmt::Write;
use term::{Atom, Fun, Handles, Lists, Style, Term, float_text, print};
use trace::Outcome;

/// Whether the author wrote it in Elixir.
pub(super) fn is_elixir(module: &Atom) -> bool {
    module.as_str().starts_with(PREFIX)
}

const PREFIX: &str = "Elixir.";

/// The name and the text of the file.
pub(super) fn module(
    module: &Atom,
    units: &[&UnitReport],
    beam: &mut Replayer,
) -> (String, String) {
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
        let Chosen { lines, left_out } = choose(unit, beam, |test| assertion(&unit.unit, test));
        for (why, count) in &left_out {
            writeln!(
                out,
                "\n  # {}/{}: {count} left out: {why}",
                unit.unit.function.as_str(),
                unit.unit.arity
            )
            .ok();
        }
        if lines.is_empty() {
            continue;
        }
        let title = format!("{}/{}", unit.unit.function.as_str(), unit.unit.arity);
        writeln!(out, "\n  test {} do", quoted(&title)).ok();
        lines.iter().for_each(|it| {
            writeln!(out, "    {it}").ok();
        });
        writeln!(out, "  end").ok();
    }
    out.push_str("end\n");
    (file, out)
}

fn assertion(unit: &UnitName, test: &Test) -> Result<String, &'static str> {
    let args = &test.input.args;
    if args.iter().any(is_unwritable) {
        return Err("the input can't be written down");
    }
    let list: Vec<String> = args.iter().map(elixir).collect();
    // A call by name: the compiler would warn of some that fail.
    let call =
        format!("apply({}, {}, [{}])", alias(&unit.module), atom(&unit.function), list.join(", "));
    match &test.outcome {
        Outcome::Value(value) if is_opaque(value) => Err("the value can't be compared"),
        Outcome::Value(value) => Ok(format!("assert {call} === {}", elixir(value))),
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
                format!("assert {kind}({call}) === {}", elixir(reason))
            })
        }
        Outcome::Deadlock => Err("it waits for a message that nobody sends"),
        Outcome::Stopped(_) => Err("it did not end"),
    }
}

/// The term in Elixir's syntax.
fn elixir(term: &Term) -> String {
    let all = |items: &[Term]| items.iter().map(elixir).collect::<Vec<_>>().join(", ");
    match term {
        Term::Int(_) | Term::Big(_) | Term::Nil => print(term, Style::TW),
        Term::Float(value) => float_text(*value),
        Term::Atom(it) => atom(it),
        Term::List(list) if list.tail == Term::Nil => format!("[{}]", all(&list.items)),
        Term::List(list) => format!("[{} | {}]", all(&list.items), elixir(&list.tail)),
        Term::Tuple(items) => format!("{{{}}}", all(items)),
        Term::Map(pairs) => {
            let pair = |it: &(Term, Term)| format!("{} => {}", elixir(&it.0), elixir(&it.1));
            format!("%{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Term::Bits(bits) => match bits.as_bytes().map(str::from_utf8) {
            Some(Ok(text)) if text.chars().all(|it| (' '..='~').contains(&it)) => quoted(text),
            _ => {
                let items = print(term, Style { lists: Lists::AsItems, ..Style::TW });
                // `<<1,5:3>>` is `<<1,5::3>>`.
                items.replace(':', "::")
            }
        },
        Term::Fun(fun) => match &**fun {
            Fun::External { module, function, arity } => {
                format!("Function.capture({}, {}, {arity})", alias(module), atom(function))
            }
            Fun::Table { arity, entries, default } => table(*arity, entries, default),
            Fun::Closure { .. } => print(term, Style::TW),
        },
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => {
            let call = print(term, Style { handles: Handles::AsCalls, ..Style::TW });
            format!(":erlang.{}", call.replacen('(', "(~c", 1))
        }
    }
}

fn table(arity: u8, entries: &[(Vec<Term>, Term)], default: &Term) -> String {
    if arity == 0 {
        let value = entries.first().map_or(default, |it| &it.1);
        return format!("fn -> {} end", elixir(value));
    }
    let clause = |(args, result): &(Vec<Term>, Term)| {
        let args: Vec<String> = args.iter().map(elixir).collect();
        format!("{} -> {}", args.join(", "), elixir(result))
    };
    let mut clauses: Vec<String> = entries.iter().map(clause).collect();
    let any = vec!["_"; usize::from(arity)].join(", ");
    clauses.push(format!("{any} -> {}", elixir(default)));
    format!("fn {} end", clauses.join("; "))
}

fn atom(atom: &Atom) -> String {
    let text = atom.as_str();
    if matches!(text, "nil" | "true" | "false") {
        return text.to_owned();
    }
    if is_alias(text) {
        return alias(atom);
    }
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|it| it.is_ascii_lowercase() || it == '_');
    let rest = text.strip_suffix(['?', '!']).unwrap_or(text);
    let is_bare =
        starts && rest.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '@');
    if is_bare { format!(":{text}") } else { format!(":{}", quoted(text)) }
}

fn is_alias(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|it| {
        it.split('.').all(|part| {
            part.starts_with(|it: char| it.is_ascii_uppercase())
                && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        })
    })
}

/// A module as it is written before a call.
fn alias(module: &Atom) -> String {
    match module.as_str().strip_prefix(PREFIX) {
        Some(name) if is_alias(module.as_str()) => name.to_owned(),
        _ => atom(module),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '#' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => {
                write!(out, "\\u{{{:X}}}", u32::from(c)).ok();
            }
        }
    }
    out.push('"');
    out
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
    use term::read_term;

    #[test]
    fn terms_as_elixir_writes_them() {
        let check = |erlang: &str, expect: &str| {
            assert_eq!(elixir(&read_term(erlang).expect("a term")), expect);
        };
        check("{ok,'Elixir.My.App',[1.0,'a b',nil]}", "{:ok, My.App, [1.0, :\"a b\", nil]}");
        check("#{a => <<\"x#y\">>}", "%{:a => \"x\\#y\"}");
        check("<<1,255,5:3>>", "<<1,255,5::3>>");
        check("[a|b]", "[:a | :b]");
        check("fun (1) -> true; (_) -> false end", "fn 1 -> true; _ -> false end");
        check("list_to_pid(\"<0.1.0>\")", ":erlang.list_to_pid(~c\"<0.1.0>\")");
        assert_eq!(underscored("MyApp.Shop"), "my_app_shop");
        assert_eq!(camel("my_app.shop"), "MyAppShop");
    }
}
