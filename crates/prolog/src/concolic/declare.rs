//! Declarations of predicates in a source text: PlDoc comments, `:- mode` and `:- pred`.
//!
//! Works on the text alone and skips what it does not understand.

use crate::concolic::made::Maker;
use crate::concolic::unit::Arg;
use num_bigint::BigInt;
use term::{Kind, Term, Type, TypeId, Types};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: String,
    pub args: Vec<Declared>,
    pub determinism: Option<Determinism>,
    /// The terms of `@throws` and `@error`, as written.
    pub throws: Vec<String>,
    /// The line, counted from 1.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub mode: char,
    pub name: Option<String>,
    /// The declared type, as written.
    pub of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// Exactly one answer.
    Det,
    /// At most one answer.
    Semidet,
    /// At least one answer.
    Multi,
    Nondet,
    /// No answer.
    Failure,
    /// It throws an exception.
    Erroneous,
}

impl Declared {
    /// Returns the library that constructs such an argument, if its type is an abstract data type of a
    /// library.
    pub fn maker(&self, module: &str) -> Option<Maker> {
        match (&self.of, &self.name) {
            (Some(of), _) => Maker::of_type(of),
            (None, Some(name)) => Maker::of_name(module, name),
            (None, None) => None,
        }
    }

    pub fn arg(&self) -> Arg {
        if matches!(self.mode, '-' | 'o') { Arg::Result } else { Arg::Input }
    }
}

impl Determinism {
    pub fn name(self) -> &'static str {
        match self {
            Determinism::Det => "det",
            Determinism::Semidet => "semidet",
            Determinism::Multi => "multi",
            Determinism::Nondet => "nondet",
            Determinism::Failure => "failure",
            Determinism::Erroneous => "erroneous",
        }
    }

    fn named(name: &str) -> Option<Determinism> {
        Some(match name {
            "det" => Determinism::Det,
            "semidet" => Determinism::Semidet,
            "multi" => Determinism::Multi,
            "nondet" | "undefined" => Determinism::Nondet,
            "failure" => Determinism::Failure,
            "erroneous" => Determinism::Erroneous,
            _ => return None,
        })
    }
}

/// Returns all declarations of a source text, in order.
pub fn declarations(text: &str) -> Vec<Declaration> {
    let mut res: Vec<Declaration> = Vec::new();
    let mut in_comment = false;
    // The `@throws` tags below several declarations of one comment apply to all of them.
    let mut block = 0;
    for (n, line) in text.lines().enumerate() {
        let line_text = line.trim_start();
        if !in_comment && !line_text.starts_with(['%', '/']) {
            block = res.len();
        }
        if let Some(thrown) = thrown(line_text) {
            let own: &mut [Declaration] = res.get_mut(block..).unwrap_or_default();
            own.iter_mut().for_each(|it| it.throws.push(thrown.clone()));
        }
        let doc = line_text.strip_prefix("%!").or_else(|| line_text.strip_prefix("%%"));
        let directive = line_text.strip_prefix(":-").map(str::trim_start).and_then(|it| {
            let rest = it.strip_prefix("mode").or_else(|| it.strip_prefix("pred"))?;
            let rest = rest.trim();
            rest.strip_prefix('(').and_then(|it| it.strip_suffix(").")).or(Some(rest))
        });
        let opened = line_text.strip_prefix("/**");
        let candidate = doc.or(directive).or(opened).or(in_comment.then_some(line_text));
        in_comment = (opened.is_some() || in_comment) && !line_text.contains("*/");
        let continued = in_comment && opened.is_none();
        if let Some(found) = candidate.and_then(|it| declaration(it.trim(), n + 1))
            && (!continued || found.determinism.is_some())
        {
            res.push(found);
        }
    }
    res
}

/// Parses a declaration such as `name(+A:type, -B) is det`.
pub fn declaration(text: &str, line: usize) -> Option<Declaration> {
    let text = text.trim().trim_end_matches("*/").trim().trim_end_matches('.').trim();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_lowercase()) {
        return None;
    }
    let rest = rest.strip_prefix('(')?;
    let close = closing(rest)?;
    let (inside, after) = rest.split_at(close);
    let after = after.trim_start_matches(')');
    let (extra, after) = match after.strip_prefix("//") {
        Some(after) => (2, after),
        None => (0, after),
    };
    let after = after.trim();
    let determinism = match after.strip_prefix("is ").map(str::trim) {
        Some(named) => Some(Determinism::named(named)?),
        None if after.is_empty() => None,
        None => return None,
    };
    let mut args: Vec<Declared> = split(inside).into_iter().map(declared).collect::<Option<_>>()?;
    for n in 0..extra {
        let mode = if n == 0 { '+' } else { '-' };
        args.push(Declared { mode, name: None, of: Some("list".to_owned()) });
    }
    Some(Declaration { name: name.to_owned(), args, determinism, throws: Vec::new(), line })
}

/// Returns the term of a comment's line such as `@throws type_error(integer, X) if X is none`.
fn thrown(line: &str) -> Option<String> {
    let text = line.trim_start_matches(['%', '*', '!', ' ', '\t']);
    let tags = ["@throws", "@error", "@exception", "@raise"];
    let rest = tags.iter().find_map(|it| text.strip_prefix(it))?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim();
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    };
    let term = rest.split(is_end).next()?.trim_end_matches(['.', ',']);
    (!term.is_empty()).then(|| term.to_owned())
}

fn declared(text: &str) -> Option<Declared> {
    let text = text.trim();
    let first = text.chars().next()?;
    let (mode, rest) = match first {
        '+' | '-' | '?' | '@' | '!' | ':' | '=' => {
            (first, text.trim_start_matches(['+', '-', '?', '@', '!', ':', '=']).trim())
        }
        _ if text == "in" => ('+', ""),
        _ if text == "out" => ('-', ""),
        _ => ('?', text),
    };
    if let Some(inner) = rest.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        return Some(Declared { mode, name: None, of: Some(inner.to_owned()) });
    }
    let is_name = |it: &str| it.starts_with(|c: char| c.is_uppercase() || c == '_');
    let (name, of) = match rest.split_once(':') {
        Some((name, of)) if is_name(name) => (Some(name.to_owned()), Some(of.trim().to_owned())),
        _ if rest.is_empty() => (None, None),
        _ if is_name(rest) => (Some(rest.to_owned()), None),
        _ => (None, Some(rest.to_owned())),
    };
    Some(Declared { mode, name, of })
}

/// Returns the offset of the parenthesis that closes the one opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at commas that are not inside brackets.
fn split(text: &str) -> Vec<&str> {
    split_at(text, ',')
}

fn split_at(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start, mut res) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if c == separator && depth == 0 => {
                res.push(text.get(start..at).unwrap_or_default().trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    let last = text.get(start..).unwrap_or_default().trim();
    if !last.is_empty() {
        res.push(last);
    }
    res
}

/// Returns the type with a name; `None` if it is unknown or any term has it.
pub(super) fn declared_type(types: &mut Types, text: &str, any: TypeId) -> Option<TypeId> {
    let text = text.trim();
    let parts = split_at(text, '|');
    if 1 < parts.len() {
        let parts: Vec<TypeId> =
            parts.into_iter().map(|it| declared_type(types, it, any)).collect::<Option<_>>()?;
        return Some(types.add(Type::Union(parts.into())));
    }
    let (name, args) = match text.split_once('(') {
        Some((name, rest)) => (name, split(rest.strip_suffix(')')?)),
        None => (text, Vec::new()),
    };
    let range = |low: Option<i64>, high: Option<i64>| Type::Range {
        low: low.map(BigInt::from),
        high: high.map(BigInt::from),
    };
    let of = match (name, args.as_slice()) {
        ("integer" | "int", []) => Type::Kind(Kind::Integer),
        ("nonneg" | "natural" | "nat", []) => range(Some(0), None),
        ("positive_integer", []) => range(Some(1), None),
        ("between", [low, high]) if is_integer(low) && is_integer(high) => {
            range(low.parse().ok(), high.parse().ok())
        }
        ("between", [_, _]) => Type::Kind(Kind::Number),
        ("order", []) => {
            let all = ["<", "=", ">"].map(|it| types.add(Type::Literal(Term::atom(it))));
            Type::Union(Box::from(all))
        }
        ("float", []) => Type::Kind(Kind::Float),
        ("number", []) => Type::Kind(Kind::Number),
        ("atom" | "symbol", []) => Type::Kind(Kind::Atom),
        ("string", []) => Type::Kind(Kind::Binary),
        ("text", []) => {
            let parts = [Kind::Atom, Kind::Binary].map(|it| types.add(Type::Kind(it)));
            Type::Union(Box::from(parts))
        }
        ("bool" | "boolean", []) => Type::Kind(Kind::Boolean),
        ("char", []) => return Some(letters(types)),
        ("code", []) => range(Some(32), Some(126)),
        ("chars", []) => {
            let item = letters(types);
            return Some(list(types, item));
        }
        ("codes", []) => {
            let item = types.add(range(Some(32), Some(126)));
            return Some(list(types, item));
        }
        ("atomic", []) => {
            let (atom, integer) =
                (types.add(Type::Kind(Kind::Atom)), types.add(Type::Kind(Kind::Integer)));
            Type::Union(Box::from([atom, integer]))
        }
        ("list" | "list_or_partial" | "set" | "ordset", []) => return Some(list(types, any)),
        ("list" | "list_of" | "listof" | "set" | "ordset", [item]) => {
            let item = declared_type(types, item, any).unwrap_or(any);
            return Some(list(types, item));
        }
        ("pair", []) => pair(types, any, any),
        ("pair", [key, value]) => {
            let key = declared_type(types, key, any).unwrap_or(any);
            let value = declared_type(types, value, any).unwrap_or(any);
            pair(types, key, value)
        }
        ("pairs", []) => {
            let pair = pair(types, any, any);
            let item = types.add(pair);
            return Some(list(types, item));
        }
        ("oneof", [all]) => {
            let inside = all.strip_prefix('[')?.strip_suffix(']')?;
            let literal = |it: &str| it.parse().map_or_else(|_| Term::atom(it), Term::Int);
            let parts: Vec<TypeId> =
                split(inside).into_iter().map(|it| types.add(Type::Literal(literal(it)))).collect();
            Type::Union(parts.into())
        }
        _ => return None,
    };
    Some(types.add(of))
}

fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// The types of `must_be/2` without arguments.
const TYPES: &[&str] = &[
    "integer",
    "nonneg",
    "positive_integer",
    "float",
    "number",
    "rational",
    "atom",
    "symbol",
    "string",
    "text",
    "boolean",
    "bool",
    "atomic",
    "callable",
    "compound",
    "ground",
    "char",
    "code",
    "chars",
    "codes",
    "list",
    "proper_list",
    "list_or_partial",
    "pair",
    "order",
    "acyclic",
    "cyclic",
    "encoding",
    "type",
];

/// The types all of whose inputs are generated exactly, so that no goal has to check them.
const MADE: &[&str] = &[
    "integer",
    "nonneg",
    "positive_integer",
    "float",
    "number",
    "atom",
    "symbol",
    "string",
    "text",
    "boolean",
    "bool",
    "atomic",
    "char",
    "code",
    "chars",
    "codes",
    "list",
    "proper_list",
    "list_or_partial",
    "pair",
    "order",
    "oneof",
    "any",
    "|",
];

/// Converts a declared type to the term that `must_be/2` takes, extended by `A|B`, `any` and `pair(K, V)`;
/// `None` if the type is unknown. `own` are the types that the program defines by clauses of
/// `error:has_type/2`.
pub fn type_term(text: &str, own: &[(String, usize)]) -> Option<Term> {
    let text = text.trim();
    let parts = split_at(text, '|');
    if 1 < parts.len() {
        let mut parts = parts.into_iter().rev().map(|it| type_term(it, own));
        let last = parts.next()??;
        return parts.try_fold(last, |rest, it| Some(compound("|", vec![it?, rest])));
    }
    let (name, args) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), split(rest.strip_suffix(')')?)),
        None => (text, Vec::new()),
    };
    let inner = |it: &str| type_term(it, own).unwrap_or_else(|| Term::atom("any"));
    let is_own = own.iter().any(|it| it.0 == name && it.1 == args.len());
    Some(match (name, args.as_slice()) {
        _ if is_own && args.is_empty() => Term::atom(name),
        _ if is_own => compound(name, args.iter().map(|it| constant(it)).collect::<Option<_>>()?),
        ("int", []) => Term::atom("integer"),
        ("natural" | "nat", []) => Term::atom("nonneg"),
        ("set" | "ordset", []) => Term::atom("list"),
        ("pairs", []) => compound("list", vec![Term::atom("pair")]),
        ("list" | "list_of" | "listof" | "set" | "ordset", [item]) => {
            compound("list", vec![inner(item)])
        }
        ("pair", [key, value]) => compound("pair", vec![inner(key), inner(value)]),
        ("between", [low, high]) => compound("between", vec![number(low)?, number(high)?]),
        ("oneof", [all]) => {
            let inside = all.strip_prefix('[')?.strip_suffix(']')?;
            let items = split(inside).into_iter().map(constant).collect::<Option<Vec<Term>>>()?;
            compound("oneof", vec![Term::list(items, Term::Nil)])
        }
        (known, []) if TYPES.contains(&known) => Term::atom(known),
        _ => return None,
    })
}

/// Whether inputs generated for a type always have the type, so that no goal has to check them.
pub fn is_made_exactly(of: &Term) -> bool {
    match of.as_tuple() {
        Some([name, args @ ..]) => match (name.as_atom(), args) {
            (Some("between"), args) => args.iter().all(|it| it.as_int().is_some()),
            (Some("oneof"), _) => true,
            (Some("list" | "pair" | "|"), args) => args.iter().all(is_made_exactly),
            _ => false,
        },
        Some([]) => false,
        None => of.as_atom().is_some_and(|it| MADE.contains(&it)),
    }
}

fn compound(name: &str, args: Vec<Term>) -> Term {
    Term::Tuple(std::iter::once(Term::atom(name)).chain(args).collect())
}

fn number(text: &str) -> Option<Term> {
    text.parse().map(Term::Int).ok().or_else(|| Some(Term::Float(text.parse::<f64>().ok()?)))
}

/// Parses a number, or a name with or without quotes.
fn constant(text: &str) -> Option<Term> {
    let is_name = |it: &str| it.starts_with(char::is_lowercase) && it.chars().all(is_of_name);
    let quoted = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    number(text).or_else(|| quoted.or(Some(text).filter(|it| is_name(it))).map(Term::atom))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn list(types: &mut Types, item: TypeId) -> TypeId {
    let tail = types.add(Type::Literal(Term::Nil));
    types.add(Type::List { item, tail, may_be_empty: true })
}

pub(super) fn pair(types: &mut Types, key: TypeId, value: TypeId) -> Type {
    let name = types.add(Type::Literal(Term::atom("-")));
    Type::Tuple(Box::from([name, key, value]))
}

/// Returns the type of atoms of one letter.
pub(super) fn letters(types: &mut Types) -> TypeId {
    let all = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain([' ', '_']);
    let all = all.map(|it| Term::atom(it.encode_utf8(&mut [0; 4])));
    let parts: Vec<TypeId> = all.map(|it| types.add(Type::Literal(it))).collect();
    types.add(Type::Union(parts.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let found = declarations(text);
        let arg = |it: &Declared| format!("{}{}", it.mode, it.of.as_deref().unwrap_or(""));
        let show = |it: &Declaration| {
            let args: Vec<String> = it.args.iter().map(arg).collect();
            let det = it.determinism.map_or("", Determinism::name);
            format!("{}({}) {det}", it.name, args.join(","))
        };
        let found: Vec<String> = found.iter().map(show).collect();
        assert_eq!(found.join("; ").trim(), expect);
    }

    #[test]
    fn types_are_those_of_must_be() {
        let own = [("even".to_owned(), 0)];
        let check = |text: &str, expect: Option<&str>, is_exact: bool| {
            let found = type_term(text, &own);
            let shown = found.as_ref().map(|it| term::print(it, term::Style::INPUT));
            assert_eq!(shown.as_deref(), expect, "{text}");
            assert!(found.is_none_or(|it| is_made_exactly(&it) == is_exact), "{text}");
        };
        check("between(1, 12)", Some("{between,1,12}"), true);
        check("between(0.0,1.0)", Some("{between,0.0,1.0}"), false);
        check("pairs", Some("{list,pair}"), true);
        check("list(even)", Some("{list,even}"), false);
        check("oneof([a,'B',3])", Some("{oneof,[a,'B',3]}"), true);
        check("integer|even", Some("{'|',integer,even}"), false);
        check("callable", Some("callable"), false);
        check("my_state", None, false);
    }

    #[test]
    fn throws_tags_belong_to_the_declarations_of_their_comment() {
        let found = declarations(
            "%! p(+A) is det.\n%! p(-A) is nondet.\n%\n% Text.\n%  @throws type_error(integer, A) if not\np(_).\n%! q.\n",
        );
        let shown: Vec<_> = found.iter().map(|it| it.throws.join(";")).collect();
        assert_eq!(shown, ["type_error(integer, A)", "type_error(integer, A)"]);
    }

    #[test]
    fn modes_are_read() {
        check("%! p(+A) is failure.", "p(+) failure");
        check("%! p(+A:list(integer), -B) is det.", "p(+list(integer),-) det");
        check("%% q(?X, @Y)", "q(?,@)");
        check(":- mode main(+,+,-).", "main(+,+,-)");
        check(":- pred len(+list, -int) is semidet.", "len(+list,-int) semidet");
        check("/** r(+X:oneof([a,b])) is nondet.\n text */", "r(+oneof([a,b])) nondet");
        check("%! e(+X:int)// is det.", "e(+int,+list,-list) det");
        check("% p(+A) is what it says", "");
        check("%! not a declaration", "");
    }
}
