//! Terms and calls in Elixir's syntax. What is printed can be pasted and gives the same term: a
//! struct is a map that says so, for `%Shop{}` would add the fields that are missing.

use crate::elixir::PREFIX;
use std::fmt::Write;
use term::{
    Atom, Code, CodeStep, Fun, Handles, Lists, Style, Term, float_text, is_exact_pattern, print,
};

pub(crate) fn term(of: &Term) -> String {
    match of {
        Term::Int(_) | Term::Big(_) | Term::Nil => print(of, Style::TW),
        Term::Float(value) => float_text(*value),
        Term::Atom(it) => atom(it),
        Term::List(list) if list.tail == Term::Nil => match keywords(&list.items) {
            Some(pairs) => format!("[{pairs}]"),
            None => format!("[{}]", terms(&list.items)),
        },
        Term::List(list) => format!("[{} | {}]", terms(&list.items), term(&list.tail)),
        Term::Tuple(items) => format!("{{{}}}", terms(items)),
        Term::Map(pairs) => {
            let keyword = |it: &(Term, Term)| keyword(&it.0, &it.1);
            let arrow = |it: &(Term, Term)| format!("{} => {}", term(&it.0), term(&it.1));
            let keywords: Option<Vec<String>> = pairs.iter().map(keyword).collect();
            let all = keywords.unwrap_or_else(|| pairs.iter().map(arrow).collect());
            format!("%{{{}}}", all.join(", "))
        }
        Term::Bits(bits) => match bits.as_bytes().map(str::from_utf8) {
            Some(Ok(text)) if text.chars().all(|it| (' '..='~').contains(&it)) => quoted(text),
            _ => {
                let items = print(of, Style { lists: Lists::AsItems, ..Style::TW });
                // `<<1,5:3>>` is `<<1, 5::3>>`.
                items.replace(',', ", ").replace(':', "::")
            }
        },
        Term::Fun(fun) => match &**fun {
            Fun::External { module, function, arity } => {
                format!("Function.capture({}, {}, {arity})", alias(module), atom(function))
            }
            Fun::Table { arity, entries, default } => table(*arity, entries, default),
            Fun::Closure { .. } => print(of, Style::TW),
        },
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => {
            let call = print(of, Style { handles: Handles::AsCalls, ..Style::TW });
            format!(":erlang.{}", call.replacen('(', "(~c", 1))
        }
    }
}

fn terms(items: &[Term]) -> String {
    items.iter().map(term).collect::<Vec<_>>().join(", ")
}

/// `a: 1, b: 2`, if the items are pairs with such keys.
fn keywords(items: &[Term]) -> Option<String> {
    let pair = |it: &Term| match it.as_tuple()? {
        [key, value] => keyword(key, value),
        _ => None,
    };
    Some(items.iter().map(pair).collect::<Option<Vec<_>>>()?.join(", "))
}

fn keyword(key: &Term, value: &Term) -> Option<String> {
    let key = key.as_atom().filter(|it| is_bare(it) && !it.contains('@'))?;
    Some(format!("{key}: {}", term(value)))
}

fn table(arity: u8, entries: &[(Vec<Term>, Term)], default: &Term) -> String {
    if arity == 0 {
        let value = entries.first().map_or(default, |it| &it.1);
        return format!("fn -> {} end", term(value));
    }
    let clause = |(args, result): &(Vec<Term>, Term)| format!("{} -> {}", head(args), term(result));
    let mut clauses: Vec<String> = entries.iter().map(clause).collect();
    let any = vec!["_"; usize::from(arity)].join(", ");
    clauses.push(format!("{any} -> {}", term(default)));
    format!("fn {} end", clauses.join("; "))
}

/// Where a pattern would not mean the argument exactly, a guard says it.
fn head(args: &[Term]) -> String {
    let (mut patterns, mut guards) = (Vec::new(), Vec::new());
    for (n, arg) in args.iter().enumerate() {
        if is_exact_pattern(arg) {
            patterns.push(term(arg));
            continue;
        }
        patterns.push(format!("a{n}"));
        guards.push(if let Term::Fun(fun) = arg {
            format!("is_function(a{n}, {})", fun.arity())
        } else {
            format!("a{n} === {}", term(arg))
        });
    }
    let patterns = patterns.join(", ");
    if guards.is_empty() { patterns } else { format!("{patterns} when {}", guards.join(" and ")) }
}

pub(crate) fn atom(atom: &Atom) -> String {
    let text = atom.as_str();
    if matches!(text, "nil" | "true" | "false") {
        return text.to_owned();
    }
    if is_alias(text) {
        return alias(atom);
    }
    if is_bare(text) { format!(":{text}") } else { format!(":{}", quoted(text)) }
}

/// Whether it needs no quotes.
fn is_bare(text: &str) -> bool {
    let starts = text.starts_with(|it: char| it.is_ascii_lowercase() || it == '_');
    let rest = text.strip_suffix(['?', '!']).unwrap_or(text);
    starts && rest.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '@')
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
pub(crate) fn alias(module: &Atom) -> String {
    match module.as_str().strip_prefix(PREFIX) {
        Some(name) if is_alias(module.as_str()) => name.to_owned(),
        _ => atom(module),
    }
}

/// `Shop.price/2`; a closure is shown by where it stands.
pub(crate) fn function(module: &Atom, name: &Atom, arity: usize) -> String {
    if let Some(owner) = owner(name.as_str()) {
        return format!("anonymous fn/{arity} in {}.{owner}", alias(module));
    }
    format!("{}/{arity}", named(module, name))
}

/// `-price/2-fun-0-` stands in `price/2`.
fn owner(name: &str) -> Option<&str> {
    let (owner, number) = name.strip_prefix('-')?.strip_suffix('-')?.rsplit_once("-fun-")?;
    number.bytes().all(|it| it.is_ascii_digit()).then_some(owner)
}

/// Steps on one line.
pub(crate) fn script(steps: &[CodeStep]) -> String {
    let step = |it: &CodeStep| match &it.binds {
        Some(pattern) => format!("{} = {}", code(pattern), code(&it.value)),
        None => code(&it.value),
    };
    steps.iter().map(step).collect::<Vec<_>>().join("; ")
}

pub(crate) fn code(of: &Code) -> String {
    match of {
        Code::Term(it) => term(it),
        Code::Variable(n) => format!("v{n}"),
        Code::List(items, tail) if tail.as_term() == Some(&Term::Nil) => {
            format!("[{}]", codes(items))
        }
        Code::List(items, tail) => format!("[{} | {}]", codes(items), code(tail)),
        Code::Tuple(items) => format!("{{{}}}", codes(items)),
        Code::Map(pairs) => {
            let arrow = |it: &(Code, Code)| format!("{} => {}", code(&it.0), code(&it.1));
            format!("%{{{}}}", pairs.iter().map(arrow).collect::<Vec<_>>().join(", "))
        }
        Code::Call { module, function, args } => {
            // Elixir counts elements from 0.
            if let ("erlang", "element", [Code::Term(Term::Int(n)), of]) =
                (module.as_str(), function.as_str(), args.as_slice())
            {
                return format!("elem({}, {})", code(of), n - 1);
            }
            format!("{}({})", named(module, function), codes(args))
        }
    }
}

/// A call whose arguments are terms.
pub(crate) fn call(module: &Atom, name: &Atom, args: &[Term]) -> String {
    format!("{}({})", named(module, name), terms(args))
}

fn codes(items: &[Code]) -> String {
    items.iter().map(code).collect::<Vec<_>>().join(", ")
}

fn named(module: &Atom, name: &Atom) -> String {
    let text = name.as_str();
    let is_operator = !text.is_empty() && text.chars().all(|it| "+-*/<>=!&|^.~".contains(it));
    let is_plain = is_operator || (is_bare(text) && !text.contains('@'));
    let name = if is_plain { text.to_owned() } else { quoted(text) };
    format!("{}.{name}", alias(module))
}

pub(crate) fn quoted(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::{code, function, term};
    use term::{Atom, Code, read_term};

    #[test]
    fn terms_as_elixir_writes_them() {
        let check = |erlang: &str, expect: &str| {
            assert_eq!(term(&read_term(erlang).expect("a term")), expect);
        };
        check("{ok,'Elixir.My.App',[1.0,'a b',nil]}", "{:ok, My.App, [1.0, :\"a b\", nil]}");
        check("#{a => <<\"x#y\">>}", "%{a: \"x\\#y\"}");
        check("#{a => 1,<<\"b\">> => 2}", "%{:a => 1, \"b\" => 2}");
        check("#{'__struct__' => 'Elixir.Cart',n => 0}", "%{__struct__: Cart, n: 0}");
        check("[{a,1},{ok,[{'b c',2}]}]", "[a: 1, ok: [{:\"b c\", 2}]]");
        check("<<1,255,5:3>>", "<<1, 255, 5::3>>");
        check("[a|b]", "[:a | :b]");
        check("fun (1) -> true; (_) -> false end", "fn 1 -> true; _ -> false end");
        check(
            "fun (A0) when A0 =:= #{} -> a; (_) -> b end",
            "fn a0 when a0 === %{} -> :a; _ -> :b end",
        );
        let function = "fun (A0,1) when is_function(A0, 2) -> a; (_,_) -> b end";
        check(function, "fn a0, 1 when is_function(a0, 2) -> :a; _, _ -> :b end");
        check("list_to_pid(\"<0.1.0>\")", ":erlang.list_to_pid(~c\"<0.1.0>\")");
    }

    #[test]
    fn functions_and_calls() {
        let check = |module: &str, name: &str, expect: [&str; 2]| {
            let (module, name) = (Atom::new(module), Atom::new(name));
            let args = vec![Code::Term(read_term("1").expect("a term"))];
            let title = function(&module, &name, 1);
            assert_eq!([title, code(&Code::Call { module, function: name, args })], expect);
        };
        check("Elixir.My.App", "f", ["My.App.f/1", "My.App.f(1)"]);
        check("lists", "map", [":lists.map/1", ":lists.map(1)"]);
        check("Elixir.A", "ok?", ["A.ok?/1", "A.ok?(1)"]);
        check("Elixir.A", "we ird", ["A.\"we ird\"/1", "A.\"we ird\"(1)"]);
        let closure = "anonymous fn/1 in A.price/2";
        check("Elixir.A", "-price/2-fun-0-", [closure, "A.\"-price/2-fun-0-\"(1)"]);
    }
}
