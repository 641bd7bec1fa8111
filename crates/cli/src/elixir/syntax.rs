//! Prints terms and calls in Elixir's syntax. Printed text evaluates to the same term, provided that structs have the
//! fields of their definitions.

use crate::elixir::{PREFIX, Structs, literals};
use std::fmt::Write;
use term::{
    Atom, Code, CodeStep, Fun, Handles, Lists, Style, Term, float_text, is_exact_pattern, print,
};

/// The way in which structs are printed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spelling<'s> {
    /// The definitions of structs that the compiler of a test knows; other maps are printed as maps. `None`, for
    /// messages: every map with a struct's name is printed as a struct.
    known: Option<&'s Structs>,
}

/// Prints a term for a message.
pub(crate) fn term(of: &Term) -> String {
    Spelling::default().term(of)
}

impl<'s> Spelling<'s> {
    /// The spelling for code to be compiled, whose terms must be reproduced exactly.
    pub(crate) fn of_code(known: &'s Structs) -> Spelling<'s> {
        Spelling { known: Some(known) }
    }

    pub(crate) fn term(self, of: &Term) -> String {
        match of {
            Term::Int(_) | Term::Big(_) | Term::Nil => print(of, Style::TW),
            Term::Float(value) => float_text(*value),
            Term::Atom(it) => atom(it),
            Term::List(list) if list.tail == Term::Nil => self.list(&list.items),
            Term::List(list) => {
                format!("[{} | {}]", self.terms(&list.items), self.term(&list.tail))
            }
            Term::Tuple(items) => format!("{{{}}}", self.terms(items)),
            Term::Map(pairs) => self.structure(pairs).unwrap_or_else(|| self.map(pairs)),
            Term::Bits(bits) => match bits.as_bytes().map(str::from_utf8) {
                Some(Ok(text)) if text.chars().all(is_printable) => quoted(text),
                _ => {
                    let items = print(of, Style { lists: Lists::AsItems, ..Style::TW });
                    // Erlang's `<<1,5:3>>` is `<<1, 5::3>>` in Elixir.
                    items.replace(',', ", ").replace(':', "::")
                }
            },
            Term::Fun(fun) => match &**fun {
                Fun::External { module, function, arity } => {
                    format!("&{}/{arity}", named(module, function))
                }
                Fun::Table { arity, entries, default } => self.table(*arity, entries, default),
                Fun::Closure { .. } => print(of, Style::TW),
            },
            Term::Pid(_) | Term::Port(_) | Term::Ref(_) => {
                let call = print(of, Style { handles: Handles::AsCalls, ..Style::TW });
                format!(":erlang.{}", call.replacen('(', "(~c", 1))
            }
        }
    }

    fn terms(self, items: &[Term]) -> String {
        items.iter().map(|it| self.term(it)).collect::<Vec<_>>().join(", ")
    }

    fn list(self, items: &[Term]) -> String {
        if let Some(pairs) = self.keywords(items) {
            return format!("[{pairs}]");
        }
        match word(items) {
            Some(word) => format!("~c{}", quoted(&word)),
            None => format!("[{}]", self.terms(items)),
        }
    }

    /// Prints a keyword list, `a: 1, b: 2`; `None` if an item is no pair with an atom as its key.
    fn keywords(self, items: &[Term]) -> Option<String> {
        let pair = |it: &Term| match it.as_tuple()? {
            [key, value] => self.keyword(key, value),
            _ => None,
        };
        Some(items.iter().map(pair).collect::<Option<Vec<_>>>()?.join(", "))
    }

    fn keyword(self, key: &Term, value: &Term) -> Option<String> {
        let key = key.as_atom()?;
        let key = match is_bare(key) && !key.contains('@') {
            true => key.to_owned(),
            false if is_alias(key) => return None,
            false => quoted(key),
        };
        Some(format!("{key}: {}", self.term(value)))
    }

    fn map(self, pairs: &[(Term, Term)]) -> String {
        let keyword = |it: &(Term, Term)| self.keyword(&it.0, &it.1);
        let arrow = |it: &(Term, Term)| format!("{} => {}", self.term(&it.0), self.term(&it.1));
        let keywords: Option<Vec<String>> = pairs.iter().map(keyword).collect();
        let all = keywords.unwrap_or_else(|| pairs.iter().map(arrow).collect());
        format!("%{{{}}}", all.join(", "))
    }

    /// Prints a map with the name of a struct; `None` if it can't be printed as a struct.
    fn structure(self, pairs: &[(Term, Term)]) -> Option<String> {
        let is_name = |it: &&(Term, Term)| it.0.as_atom() == Some("__struct__");
        let (_, Term::Atom(name)) = pairs.iter().find(is_name)? else { return None };
        let fields: Vec<(Term, Term)> = pairs.iter().filter(|it| !is_name(it)).cloned().collect();
        if let Some(text) = literals::text(name.as_str(), &fields, |it| self.term(it)) {
            return Some(text);
        }
        let is_known = self.known.is_none_or(|it| it.has(pairs));
        if !is_known || !is_alias(name.as_str()) {
            return None;
        }
        let of_exception = |it: &&(Term, Term)| it.0.as_atom() == Some("__exception__");
        let fields = fields.iter().filter(|it| !of_exception(it));
        let fields = fields.map(|it| self.keyword(&it.0, &it.1)).collect::<Option<Vec<_>>>()?;
        Some(format!("%{}{{{}}}", alias(name), fields.join(", ")))
    }

    fn table(self, arity: u8, entries: &[(Vec<Term>, Term)], default: &Term) -> String {
        if arity == 0 {
            let value = entries.first().map_or(default, |it| &it.1);
            return format!("fn -> {} end", self.term(value));
        }
        let clause = |(args, result): &(Vec<Term>, Term)| {
            format!("{} -> {}", self.head(args), self.term(result))
        };
        let mut clauses: Vec<String> = entries.iter().map(clause).collect();
        let any = vec!["_"; usize::from(arity)].join(", ");
        clauses.push(format!("{any} -> {}", self.term(default)));
        format!("fn {} end", clauses.join("; "))
    }

    /// Prints the head of a clause that matches exactly these arguments. An argument that no pattern matches exactly
    /// becomes a variable with a guard.
    fn head(self, args: &[Term]) -> String {
        let (mut patterns, mut guards) = (Vec::new(), Vec::new());
        for (n, arg) in args.iter().enumerate() {
            if is_exact_pattern(arg) {
                patterns.push(self.term(arg));
                continue;
            }
            patterns.push(format!("a{n}"));
            guards.push(if let Term::Fun(fun) = arg {
                format!("is_function(a{n}, {})", fun.arity())
            } else {
                format!("a{n} === {}", self.term(arg))
            });
        }
        let patterns = patterns.join(", ");
        if guards.is_empty() {
            patterns
        } else {
            format!("{patterns} when {}", guards.join(" and "))
        }
    }
}

/// The text of a list of characters if it looks like a word: printable, with at least two letters. A list such as `[9,
/// 10]` is more often a list of numbers.
fn word(items: &[Term]) -> Option<String> {
    let letter = |it: &Term| {
        let code = u32::try_from(it.as_int()?).ok()?;
        char::from_u32(code).filter(|it| (' '..='~').contains(it))
    };
    let word: String = items.iter().map(letter).collect::<Option<_>>()?;
    let n_letters = word.chars().filter(char::is_ascii_alphabetic).count();
    (n_letters > 1).then_some(word)
}

/// Whether `inspect/2` considers a character printable.
fn is_printable(of: char) -> bool {
    match of {
        '\u{7}'..='\r' | '\u{1b}' | '\u{7f}' => true,
        ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' => true,
        _ => '\u{10000}' <= of,
    }
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

/// Whether an atom needs no quotes.
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

/// Prints the name of a module as in front of a call.
pub(crate) fn alias(module: &Atom) -> String {
    match module.as_str().strip_prefix(PREFIX) {
        Some(name) if is_alias(module.as_str()) => name.to_owned(),
        _ => atom(module),
    }
}

/// Prints a function, `Shop.price/2`; a closure is named after the function that contains it.
pub(crate) fn function(module: &Atom, name: &Atom, arity: usize) -> String {
    if let Some(owner) = owner(name.as_str()) {
        return format!("anonymous fn/{arity} in {}.{owner}", alias(module));
    }
    format!("{}/{arity}", named(module, name))
}

/// The function that contains a closure: `price/2` for `-price/2-fun-0-`.
fn owner(name: &str) -> Option<&str> {
    let (owner, number) = name.strip_prefix('-')?.strip_suffix('-')?.rsplit_once("-fun-")?;
    number.bytes().all(|it| it.is_ascii_digit()).then_some(owner)
}

/// Prints a sequence of steps on one line.
pub(crate) fn script(steps: &[CodeStep]) -> String {
    Spelling::default().script(steps)
}

pub(crate) fn code(of: &Code) -> String {
    Spelling::default().code(of)
}

impl Spelling<'_> {
    pub(crate) fn script(self, steps: &[CodeStep]) -> String {
        let step = |it: &CodeStep| match &it.binds {
            Some(pattern) => format!("{} = {}", self.code(pattern), self.code(&it.value)),
            None => self.code(&it.value),
        };
        steps.iter().map(step).collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn code(self, of: &Code) -> String {
        match of {
            Code::Term(it) => self.term(it),
            Code::Variable(n) => format!("v{n}"),
            Code::List(items, tail) if tail.as_term() == Some(&Term::Nil) => {
                format!("[{}]", self.codes(items))
            }
            Code::List(items, tail) => format!("[{} | {}]", self.codes(items), self.code(tail)),
            Code::Tuple(items) => format!("{{{}}}", self.codes(items)),
            Code::Map(pairs) => {
                let arrow =
                    |it: &(Code, Code)| format!("{} => {}", self.code(&it.0), self.code(&it.1));
                let keyword = |it: &(Code, Code)| {
                    let key = it.0.as_term()?.as_atom().filter(|it| is_bare(it))?;
                    Some(format!("{key}: {}", self.code(&it.1)))
                };
                let keywords: Option<Vec<String>> = pairs.iter().map(keyword).collect();
                let all = keywords.unwrap_or_else(|| pairs.iter().map(arrow).collect());
                format!("%{{{}}}", all.join(", "))
            }
            Code::Call { module, function, args } => {
                // Elixir counts elements from 0.
                if let ("erlang", "element", [Code::Term(Term::Int(n)), of]) =
                    (module.as_str(), function.as_str(), args.as_slice())
                {
                    let made = if *n == 2 { self.literal(of, "!") } else { None };
                    return made.unwrap_or_else(|| format!("elem({}, {})", self.code(of), n - 1));
                }
                self.literal(of, "")
                    .unwrap_or_else(|| format!("{}({})", named(module, function), self.codes(args)))
            }
        }
    }

    /// The literal of the value that a call makes, if there is one. `bang` is appended to the function's name: `new`
    /// returns `{:ok, date}`, `new!` the date itself.
    fn literal(self, of: &Code, bang: &str) -> Option<String> {
        let Code::Call { module, function, args } = of else { return None };
        let terms: Vec<&Term> = args.iter().map(Code::as_term).collect::<Option<_>>()?;
        literals::made(module.as_str(), &format!("{}{bang}", function.as_str()), &terms)
    }

    fn codes(self, items: &[Code]) -> String {
        items.iter().map(|it| self.code(it)).collect::<Vec<_>>().join(", ")
    }
}

/// Prints a call whose arguments are terms.
pub(crate) fn call(module: &Atom, name: &Atom, args: &[Term]) -> String {
    format!("{}({})", named(module, name), Spelling::default().terms(args))
}

fn named(module: &Atom, name: &Atom) -> String {
    let text = name.as_str();
    let is_operator = !text.is_empty() && text.chars().all(|it| "+-*/<>=!&|^.~".contains(it));
    let is_plain = is_operator || (is_bare(text) && !text.contains('@'));
    let name = if is_plain { text.to_owned() } else { quoted(text) };
    format!("{}.{name}", alias(module))
}

/// Prints a text in double quotes as `inspect/2` does.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let escape = match c {
            '"' | '\\' => Some(c),
            '#' if rest.peek() == Some(&'{') => Some('#'),
            '\0' => Some('0'),
            '\u{7}' => Some('a'),
            '\u{8}' => Some('b'),
            '\t' => Some('t'),
            '\n' => Some('n'),
            '\u{b}' => Some('v'),
            '\u{c}' => Some('f'),
            '\r' => Some('r'),
            '\u{1b}' => Some('e'),
            '\u{7f}' => Some('d'),
            _ => None,
        };
        match escape {
            Some(escape) => out.extend(['\\', escape]),
            None if is_printable(c) => out.push(c),
            None => {
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
        check("[97,98]", "~c\"ab\"");
        check("[9,10,97]", "[9, 10, 97]");
        check("<<97,195,177,10,0>>", "<<97, 195, 177, 10, 0>>");
        check("<<97,195,177,10>>", "\"añ\\n\"");
        check("fun lists:map/2", "&:lists.map/2");
        check("#{a => <<\"x#y\">>}", "%{a: \"x#y\"}");
        check("#{a => 1,<<\"b\">> => 2}", "%{:a => 1, \"b\" => 2}");
        check("#{'__struct__' => 'Elixir.Cart',n => 0}", "%Cart{n: 0}");
        check("#{'__struct__' => cart,n => 0}", "%{__struct__: :cart, n: 0}");
        let range = "#{'__struct__' => 'Elixir.Range',first => 1,last => 9,step => 2}";
        check(range, "1..9//2");
        check("#{'__struct__' => 'Elixir.Range',first => 1}", "%Range{first: 1}");
        check("[{a,1},{ok,[{'b c',2}]}]", "[a: 1, ok: [\"b c\": 2]]");
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
