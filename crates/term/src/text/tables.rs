//! Functions that are tables, as fun expressions: `fun (1) -> true; (_) -> false end`.
//!
//! Where a pattern would not match the argument exactly, a guard does: `fun (A) when A =:= #{} -> true; (_) -> false
//! end`. Arguments that are functions are compared by their arity: `fun (A) when is_function(A, 1) -> true; (_) ->
//! false end`. Printed tables can be read again.

use super::print::{Style, print as print_term};
use super::read::{Problem, ReadError, Reader};
use super::scan::Token;
use super::segments::MAX_NESTED;
use crate::ground::{Fun, Term};

pub(super) fn print(out: &mut String, arity: u8, entries: &[(Vec<Term>, Term)], default: &Term) {
    out.push_str("fun ");
    // There is only one way to call the function, so only the first clause is ever taken.
    let (entries, default) = match entries.first() {
        Some((_, result)) if arity == 0 => (&[][..], result),
        _ => (entries, default),
    };
    for (args, result) in entries {
        out.push_str(&head(args));
        out.push_str(" -> ");
        out.push_str(&print_term(result, Style::TW));
        out.push_str("; ");
    }
    out.push('(');
    out.push_str(&vec!["_"; usize::from(arity)].join(","));
    out.push_str(") -> ");
    out.push_str(&print_term(default, Style::TW));
    out.push_str(" end");
}

fn head(args: &[Term]) -> String {
    let mut guards = Vec::new();
    let mut patterns = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        let text = print_term(arg, Style::TW);
        if is_exact_pattern(arg) {
            patterns.push(text);
            continue;
        }
        guards.push(if let Term::Fun(fun) = arg {
            format!("is_function(A{n}, {})", fun.arity())
        } else {
            format!("A{n} =:= {text}")
        });
        patterns.push(format!("A{n}"));
    }
    let guards =
        if guards.is_empty() { String::new() } else { format!(" when {}", guards.join(", ")) };
    format!("({}){guards}", patterns.join(","))
}

/// Whether the term as a pattern matches only itself.
pub fn is_exact_pattern(term: &Term) -> bool {
    match term {
        Term::Int(_) | Term::Big(_) | Term::Atom(_) | Term::Nil | Term::Bits(_) => true,
        Term::List(list) => list.items.iter().all(is_exact_pattern) && is_exact_pattern(&list.tail),
        Term::Tuple(items) => items.iter().all(is_exact_pattern),
        Term::Float(_) | Term::Map(_) | Term::Fun(_) => false,
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => false,
    }
}

/// Reads from the parenthesis of the first clause on.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Term, ReadError> {
    if MAX_NESTED < reader.n_nested {
        return Err(ReadError { offset: reader.offset, problem: Problem::TooDeep(MAX_NESTED) });
    }
    reader.n_nested += 1;
    let mut entries = Vec::new();
    loop {
        let patterns = patterns(reader)?;
        let args = guards(reader, &patterns)?;
        reader.expect("->", "`->` and a result")?;
        let result = reader.term()?;
        // The clause that matches everything is the last one.
        if args.iter().all(Option::is_none) {
            reader.expect_word("end")?;
            reader.n_nested -= 1;
            let arity = u8::try_from(args.len()).unwrap_or(u8::MAX);
            return Ok(Term::Fun(Box::new(Fun::Table { arity, entries, default: result })));
        }
        let args: Option<Vec<Term>> = args.into_iter().collect();
        let Some(args) = args else {
            return Err(reader.unexpected("a value for every argument, or `_` for all of them"));
        };
        entries.push((args, result));
        reader.expect(";", "`;` and a clause for all other arguments")?;
    }
}

/// Reads the patterns of a clause's head; `Err` is the name of a variable.
fn patterns(reader: &mut Reader<'_>) -> Result<Vec<Result<Term, String>>, ReadError> {
    let mut res = Vec::new();
    reader.expect("(", "`(` and patterns")?;
    if reader.accept(")")? {
        return Ok(res);
    }
    loop {
        res.push(if let Token::Variable(name) = reader.token.clone() {
            reader.advance()?;
            Err(name)
        } else {
            Ok(reader.term()?)
        });
        if !reader.accept(",")? {
            reader.expect(")", "`,` or `)`")?;
            return Ok(res);
        }
    }
}

/// Returns the values that the patterns and guards ask for; `None` for any value.
fn guards(
    reader: &mut Reader<'_>,
    patterns: &[Result<Term, String>],
) -> Result<Vec<Option<Term>>, ReadError> {
    let mut res: Vec<Option<Term>> = patterns.iter().map(|it| it.clone().ok()).collect();
    if reader.token != Token::Word("when".to_owned()) {
        return Ok(res);
    }
    reader.advance()?;
    loop {
        let is_function = reader.token == Token::Word("is_function".to_owned());
        if is_function {
            reader.advance()?;
            reader.expect("(", "`(` and a variable")?;
        }
        let Token::Variable(name) = reader.token.clone() else {
            return Err(reader.unexpected("a variable of the head"));
        };
        let Some(place) = patterns.iter().position(|it| it.as_ref().err() == Some(&name)) else {
            return Err(reader.unexpected("a variable of the head"));
        };
        reader.advance()?;
        let value = if is_function {
            reader.expect(",", "`,` and an arity")?;
            let value = any_function(reader)?;
            reader.expect(")", "`)`")?;
            value
        } else {
            reader.expect("=:=", "`=:=` and a value")?;
            reader.term()?
        };
        if let Some(slot) = res.get_mut(place) {
            *slot = Some(value);
        }
        if !reader.accept(",")? {
            return Ok(res);
        }
    }
}

fn any_function(reader: &mut Reader<'_>) -> Result<Term, ReadError> {
    let unexpected = reader.unexpected("an arity");
    let Term::Int(arity) = reader.term()? else { return Err(unexpected) };
    let arity = u8::try_from(arity).map_err(|_| unexpected)?;
    Ok(Term::Fun(Box::new(Fun::any(arity))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_term;

    fn check(text: &str) {
        let read = read_term(text).expect("a table");
        assert_eq!(print_term(&read, Style::TW), text);
    }

    #[test]
    fn what_is_printed_is_read_again() {
        check("fun () -> ok end");
        check("fun (_) -> 0 end");
        check("fun (1,a) -> true; ([2|t],{}) -> [120]; (_,_) -> false end");
        check("fun (A0) when is_function(A0, 2) -> a; (_) -> b end");
        check("fun (A0,1) when A0 =:= #{a => 1.5} -> b; (_,_) -> fun (_) -> c end end");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let check = |text: &str| assert!(read_term(text).is_err(), "{text}");
        check("fun (1) -> true end");
        check("fun (1, _) -> a; (_, _) -> b end");
        check("fun (A) when B =:= 1 -> a; (_) -> b end");
        check(&"fun (_) -> ".repeat(10_000));
    }
}
