//! Code that makes values: calls, and terms that contain calls, step by step as a person types them at the shell: `{ok,
//! V1} = m:start(), m:get(V1, queue:new())`.
//!
//! Defines only the syntax of such code; nothing is evaluated here.

use super::print::{Style, atom_text, print};
use super::read::{Problem, ReadError, Reader};
use super::scan::Token;
use crate::fit_u32;
use crate::ground::{Atom, Term};
use std::fmt::Write;

/// An expression without any choice in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Term(Term),
    /// A variable that an earlier step bound, or that a pattern binds: `V1`, `V2` and so on.
    Variable(u32),
    /// Items and a tail.
    List(Vec<Code>, Box<Code>),
    Tuple(Vec<Code>),
    Map(Vec<(Code, Code)>),
    Call {
        module: Atom,
        function: Atom,
        args: Vec<Code>,
    },
}

/// One of several expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeStep {
    /// The pattern that the value must match.
    pub binds: Option<Code>,
    pub value: Code,
}

impl Code {
    pub fn list(items: Vec<Code>) -> Code {
        Code::List(items, Box::new(Code::Term(Term::Nil)))
    }

    /// Returns a term if all parts are terms.
    pub fn folded(self) -> Code {
        let terms = |items: &[Code]| -> Option<Vec<Term>> {
            items.iter().map(|it| it.as_term().cloned()).collect()
        };
        let term: Option<Term> = match &self {
            Code::Term(_) | Code::Variable(_) | Code::Call { .. } => None,
            Code::List(items, tail) => {
                tail.as_term().and_then(|tail| Some(Term::list(terms(items)?, tail.clone())))
            }
            Code::Tuple(items) => terms(items).map(Term::Tuple),
            Code::Map(pairs) => pairs
                .iter()
                .map(|it| Some((it.0.as_term()?.clone(), it.1.as_term()?.clone())))
                .collect::<Option<_>>()
                .map(Term::map),
        };
        term.map_or(self, Code::Term)
    }

    pub fn as_term(&self) -> Option<&Term> {
        if let Code::Term(term) = self { Some(term) } else { None }
    }

    /// Whether some term in the code satisfies the predicate.
    pub fn has_term(&self, is: &dyn Fn(&Term) -> bool) -> bool {
        match self {
            Code::Term(term) => is(term),
            Code::Variable(_) => false,
            Code::List(items, tail) => items.iter().any(|it| it.has_term(is)) || tail.has_term(is),
            Code::Tuple(items) | Code::Call { args: items, .. } => {
                items.iter().any(|it| it.has_term(is))
            }
            Code::Map(pairs) => pairs.iter().any(|it| it.0.has_term(is) || it.1.has_term(is)),
        }
    }
}

/// Returns the text of code in Erlang's syntax.
pub fn code_text(code: &Code, style: Style) -> String {
    let mut out = String::new();
    put(&mut out, code, style);
    out
}

/// Returns the text of steps in Erlang's syntax.
pub fn script_text(steps: &[CodeStep], style: Style) -> String {
    let step = |it: &CodeStep| match &it.binds {
        Some(pattern) => {
            format!("{} = {}", code_text(pattern, style), code_text(&it.value, style))
        }
        None => code_text(&it.value, style),
    };
    steps.iter().map(step).collect::<Vec<_>>().join(", ")
}

fn put(out: &mut String, code: &Code, style: Style) {
    match code {
        Code::Term(term) => out.push_str(&print(term, style)),
        Code::Variable(n) => {
            write!(out, "V{n}").ok();
        }
        Code::List(items, tail) => {
            out.push('[');
            put_all(out, items, ",", style);
            if tail.as_term() != Some(&Term::Nil) {
                out.push('|');
                put(out, tail, style);
            }
            out.push(']');
        }
        Code::Tuple(items) => {
            out.push('{');
            put_all(out, items, ",", style);
            out.push('}');
        }
        Code::Map(pairs) => {
            out.push_str("#{");
            for (n, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                put(out, key, style);
                out.push_str(" => ");
                put(out, value, style);
            }
            out.push('}');
        }
        Code::Call { module, function, args } => {
            if !is_projection(module, function) {
                out.push_str(&atom_text(module, style.encoding));
                out.push(':');
            }
            out.push_str(&atom_text(function, style.encoding));
            out.push('(');
            put_all(out, args, ", ", style);
            out.push(')');
        }
    }
}

/// Whether a call is to `erlang:element/2`, which is written without its module.
fn is_projection(module: &Atom, function: &Atom) -> bool {
    (module.as_str(), function.as_str()) == ("erlang", "element")
}

fn put_all(out: &mut String, items: &[Code], between: &str, style: Style) {
    for (n, item) in items.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { between });
        put(out, item, style);
    }
}

/// The maximal nesting of calls; deeper parts are terms.
const MAX_DEPTH: usize = 200;

/// Reads steps in the form that [`script_text`] writes.
pub fn read_script(text: &str) -> Result<Vec<CodeStep>, ReadError> {
    let mut reader = Reader::new(text)?;
    let mut res = Vec::new();
    loop {
        let first = code(&mut reader, 0)?;
        res.push(match reader.accept("=")? {
            true => CodeStep { binds: Some(first), value: code(&mut reader, 0)? },
            false => CodeStep { binds: None, value: first },
        });
        if !reader.accept(",")? {
            break;
        }
    }
    reader.end()?;
    Ok(res)
}

/// Reads a list of terms with variables, which may have any names: `[{K, 3}, X]`. Returns the items, and the names of
/// the variables by their numbers.
pub fn read_open_list(text: &str) -> Result<(Vec<Code>, Vec<String>), ReadError> {
    let mut reader = Reader::new(text)?;
    reader.variables = Some(Vec::new());
    let start = reader.offset;
    let found = code(&mut reader, 0)?;
    reader.end()?;
    let names = reader.variables.take().unwrap_or_default();
    let ground = found.as_term().and_then(Term::as_list);
    if let Some(items) = ground {
        return Ok((items.iter().cloned().map(Code::Term).collect(), names));
    }
    let found = match found {
        Code::List(items, tail) if tail.as_term() == Some(&Term::Nil) => return Ok((items, names)),
        Code::Term(_)
        | Code::Variable(_)
        | Code::List(..)
        | Code::Tuple(_)
        | Code::Map(_)
        | Code::Call { .. } => code_text(&found, Style::TP),
    };
    let problem = Problem::Expected { expected: "a list of arguments", found };
    Err(ReadError { offset: start, problem })
}

/// Returns the number of a variable. Each `_` is a new variable.
fn numbered(known: &mut Vec<String>, name: &str) -> u32 {
    let place = known.iter().position(|it| it == name && name != "_");
    let place = place.unwrap_or_else(|| {
        known.push(name.to_owned());
        known.len() - 1
    });
    fit_u32(place)
}

fn code(reader: &mut Reader<'_>, depth: usize) -> Result<Code, ReadError> {
    if MAX_DEPTH < depth {
        return Err(ReadError { offset: reader.offset, problem: Problem::TooDeep(MAX_DEPTH) });
    }
    if let Token::Variable(name) = &reader.token {
        let number = match &mut reader.variables {
            Some(known) => Some(numbered(known, name)),
            None => name.strip_prefix('V').and_then(|it| it.parse().ok()),
        };
        let Some(number) = number else { return Err(reader.unexpected("a variable such as V1")) };
        reader.advance()?;
        return Ok(Code::Variable(number));
    }
    if reader.accept("[")? {
        if reader.accept("]")? {
            return Ok(Code::Term(Term::Nil));
        }
        let items = several(reader, depth)?;
        let tail = match reader.accept("|")? {
            true => code(reader, depth + 1)?,
            false => Code::Term(Term::Nil),
        };
        reader.expect("]", "`,`, `|` or `]`")?;
        return Ok(Code::List(items, Box::new(tail)).folded());
    }
    if reader.accept("{")? {
        if reader.accept("}")? {
            return Ok(Code::Term(Term::Tuple(vec![])));
        }
        let items = several(reader, depth)?;
        reader.expect("}", "`,` or `}`")?;
        return Ok(Code::Tuple(items).folded());
    }
    if reader.accept("#{")? {
        return map(reader, depth);
    }
    let leaf = reader.leaf()?;
    let Term::Atom(module) = &leaf else { return Ok(Code::Term(leaf)) };
    let erlang = Atom::new("erlang");
    let (module, function) = if is_projection(&erlang, module) && reader.token == Token::Mark("(") {
        (&erlang, module.clone())
    } else if reader.accept(":")? {
        (module, reader.atom("a function name")?)
    } else {
        return Ok(Code::Term(leaf));
    };
    reader.expect("(", "`(` and arguments")?;
    let mut args = Vec::new();
    if !reader.accept(")")? {
        args = several(reader, depth)?;
        reader.expect(")", "`,` or `)`")?;
    }
    Ok(Code::Call { module: module.clone(), function, args })
}

fn several(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<Code>, ReadError> {
    let mut res = vec![code(reader, depth + 1)?];
    while reader.accept(",")? {
        res.push(code(reader, depth + 1)?);
    }
    Ok(res)
}

fn map(reader: &mut Reader<'_>, depth: usize) -> Result<Code, ReadError> {
    let mut pairs = Vec::new();
    while !reader.accept("}")? {
        if !pairs.is_empty() {
            reader.expect(",", "`,` or `}`")?;
        }
        let key = code(reader, depth + 1)?;
        reader.expect("=>", "`=>` and a value")?;
        pairs.push((key, code(reader, depth + 1)?));
    }
    Ok(Code::Map(pairs).folded())
}

#[cfg(test)]
mod tests {
    use super::{Code, read_open_list, read_script, script_text};
    use crate::text::Style;

    #[test]
    fn variables_of_any_name_are_numbered() {
        let (args, names) = read_open_list("[{K, 3}, _, [a | _], K]").expect("arguments");
        assert_eq!(names, ["K", "_", "_"]);
        assert_eq!(args.len(), 4);
        assert_eq!(args[3], Code::Variable(0));
        assert!(read_open_list("{K}").is_err());
        let (args, names) = read_open_list("[1, b]").expect("arguments");
        assert_eq!((args.len(), names.len()), (2, 0));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let check = |text: &str| {
            let steps = read_script(text).expect("a script");
            assert_eq!(script_text(&steps, Style::INPUT), text);
        };
        check("lists:seq(1, 3)");
        check("queue:len(queue:in(-1, queue:new()))");
        check("{ok,V1} = m:start([{a,q:new()}|b]), m:get(V1, #{k => 'x y':new(V1)})");
        check("m:f(element(2, m:g()), element)");
        check("m:f(<<1,2>>, [], {}, #{}, [104,105], fun (1) -> 2; (_) -> 3 end, 1.5)");
        check("m:f(list_to_pid(\"<0.1.0>\"), [1|2])");
    }

    #[test]
    fn what_is_no_script_is_refused() {
        let check = |text: &str, expect: &str| {
            assert_eq!(read_script(text).expect_err("no script").to_string(), expect);
        };
        check("m:f(X)", "X is a variable; only literal terms can be given here");
        check("m:f(1", "expected `,` or `)`, found the end");
        check(&"[".repeat(300), "nested deeper than 200 levels");
    }
}
