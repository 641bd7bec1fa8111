//! Operations on text that have one answer.

use crate::builtins::convert::Form;
use crate::builtins::{Row, iso, row};
use crate::data::{ListEnd, Value, View};
use crate::machine::{Fault, Machine, Next};

pub(super) const ROWS: &[Row] = &[
    iso("atom_length", 2, length),
    row("string_length", 2, length),
    row("upcase_atom", 2, |m, a| map_text(m, a, Form::Atom, |it| it.to_uppercase())),
    row("downcase_atom", 2, |m, a| map_text(m, a, Form::Atom, |it| it.to_lowercase())),
    row("string_upper", 2, |m, a| map_text(m, a, Form::String, |it| it.to_uppercase())),
    row("string_lower", 2, |m, a| map_text(m, a, Form::String, |it| it.to_lowercase())),
    row("normalize_space_text", 2, |m, a| {
        map_text(m, a, Form::Atom, |it| it.split_whitespace().collect::<Vec<_>>().join(" "))
    }),
    row("atomic_list_concat", 2, |m, a| concat_list(m, a, None)),
    row("atomic_list_concat", 3, concat_or_split),
    row("split_string", 4, split_string),
    row("string_code", 3, string_code),
    row("$char_type", 3, char_type),
    row("$concat", 4, |m, a| {
        // `'$concat'(Kind, A, B, C)` with A and B known.
        let kind = m.arg(a, 0);
        let form = if kind.as_atom().is_some_and(|it| m.atoms.text(it) == "string") {
            Form::String
        } else {
            Form::Atom
        };
        concat_known(m, a + 1, form)
    }),
];

fn length(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, length) = (m.arg(a, 0), m.arg(a, 1));
    if text.is_var() {
        return Err(m.instantiation_error());
    }
    let found = if text.is_nil() { Some("[]".to_owned()) } else { m.any_text(text) };
    let Some(found) = found else {
        return Err(m.type_error("atomic", text));
    };
    match length.view() {
        View::Var(_) => {}
        View::Int(n) if n < 0 => return Err(m.type_error("not_less_than_zero", length)),
        View::Int(_) | View::Big(_) => {}
        View::Rational(_) | View::Float(_) | View::Atom(_) | View::Text(_) | View::Struct(..) => {
            return Err(m.type_error("integer", length));
        }
    }
    m.answer(length, Value::size(found.chars().count()))
}

fn map_text(m: &mut Machine, a: usize, form: Form, map: fn(&str) -> String) -> Result<Next, Fault> {
    let (from, to) = (m.arg(a, 0), m.arg(a, 1));
    let text = m.text_arg(from)?;
    let new = m.make_text(&map(&text), form);
    m.answer(to, new)
}

fn concat_known(m: &mut Machine, a: usize, form: Form) -> Result<Next, Fault> {
    let (x, y, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let (x, y) = (m.text_arg(x)?, m.text_arg(y)?);
    m.check_memory(x.len() + y.len())?;
    let both = x + &y;
    if !to.is_var()
        && let Some(given) = m.any_text(to)
    {
        return Ok((given == both).into());
    }
    let new = m.make_text(&both, form);
    m.answer(to, new)
}

/// The texts of a list's items; `None` if one is unbound.
fn item_texts(m: &mut Machine, list: Value) -> Result<Option<Vec<String>>, Fault> {
    let (items, end) = m.heap.list_items(list);
    if end != ListEnd::Nil || items.iter().any(|it| it.is_var()) {
        return Ok(None);
    }
    let mut res = Vec::with_capacity(items.len());
    for item in items {
        match m.atomic_text(item) {
            Some(text) => res.push(text),
            None => return Err(m.type_error("atomic", item)),
        }
    }
    Ok(Some(res))
}

fn concat_list(m: &mut Machine, a: usize, separator: Option<&str>) -> Result<Next, Fault> {
    let list = m.arg(a, 0);
    let to = m.arg(a, if separator.is_some() { 2 } else { 1 });
    match item_texts(m, list)? {
        Some(texts) => {
            let joined = texts.join(separator.unwrap_or(""));
            if !to.is_var()
                && let Some(given) = m.any_text(to)
            {
                return Ok((given == joined).into());
            }
            let new = m.atom_named(&joined);
            m.answer(to, new)
        }
        None => Err(m.instantiation_error()),
    }
}

fn concat_or_split(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (list, separator, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let separator_text = m.text_arg(separator)?;
    if item_texts(m, list)?.is_some() {
        return concat_list(m, a, Some(&separator_text));
    }
    if to.is_var() {
        return Err(m.instantiation_error());
    }
    if separator_text.is_empty() {
        return Err(m.domain_error("non_empty_atom", separator));
    }
    let whole = m.text_arg(to)?;
    let parts: Vec<Value> =
        whole.split(separator_text.as_str()).map(|it| m.atom_named(it)).collect();
    let found = m.heap.list(&parts);
    m.answer(list, found)
}

fn split_string(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let args = [m.arg(a, 0), m.arg(a, 1), m.arg(a, 2)];
    let [text, separators, pad] =
        [m.text_arg(args[0])?, m.text_arg(args[1])?, m.text_arg(args[2])?];
    let is_pad = |c: char| pad.contains(c);
    let parts: Vec<&str> = if separators.is_empty() {
        vec![text.as_str()]
    } else {
        text.split(|c: char| separators.contains(c)).collect()
    };
    let parts: Vec<Value> =
        parts.into_iter().map(|it| m.heap.text(it.trim_matches(is_pad))).collect();
    let list = m.heap.list(&parts);
    let to = m.arg(a, 3);
    m.answer(to, list)
}

fn string_code(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (n, text, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let n = m.int_arg(n)?;
    if n < 0 {
        let culprit = m.arg(a, 0);
        return Err(m.type_error("not_less_than_zero", culprit));
    }
    let text = m.text_arg(text)?;
    let found = usize::try_from(n)
        .ok()
        .and_then(|it| it.checked_sub(1))
        .and_then(|it| text.chars().nth(it));
    match found {
        Some(c) => m.answer(to, Value::int(i64::from(u32::from(c)))),
        None => Ok(Next::False),
    }
}

/// `'$char_type'(Char, Type, Argument)`: whether a known character is of a known type; types with an
/// argument unify it. Characters are codes here.
fn char_type(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (code, kind, argument) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let Some(c) = code.as_int().and_then(|it| u32::try_from(it).ok()).and_then(char::from_u32)
    else {
        return Ok(Next::False);
    };
    let kind = m.atom_arg(kind)?;
    let code_of = |c: char| Value::int(i64::from(u32::from(c)));
    let one = |text: String, default: char| text.chars().next().unwrap_or(default);
    let holds = match m.atoms.text(kind) {
        "alnum" => c.is_alphanumeric(),
        "alpha" => c.is_alphanumeric() || c == '_',
        "csym" => c.is_alphanumeric() || c == '_',
        "csymf" => c.is_alphabetic() || c == '_',
        "ascii" => c.is_ascii(),
        "white" => c == ' ' || c == '\t',
        "cntrl" => c.is_control(),
        "digit" if argument.is_nil() => c.is_ascii_digit(),
        "space" => c.is_whitespace(),
        "end_of_line" => matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}'),
        "lower" if argument.is_nil() => c.is_lowercase(),
        "upper" if argument.is_nil() => c.is_uppercase(),
        "punct" => {
            c.is_ascii_punctuation()
                || !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control()
        }
        "graph" => !c.is_whitespace() && !c.is_control(),
        "print" => !c.is_control(),
        "period" => matches!(c, '.' | '?' | '!'),
        "quote" => matches!(c, '\'' | '"' | '`'),
        "paren" => matches!(c, '(' | ')' | '[' | ']' | '{' | '}'),
        "digit" => match c.to_digit(10) {
            Some(weight) => return m.answer(argument, Value::int(i64::from(weight))),
            None => false,
        },
        "xdigit" => match c.to_digit(16) {
            Some(weight) => return m.answer(argument, Value::int(i64::from(weight))),
            None => false,
        },
        "to_lower" => return m.answer(argument, code_of(one(c.to_lowercase().to_string(), c))),
        "to_upper" => return m.answer(argument, code_of(one(c.to_uppercase().to_string(), c))),
        "upper" => {
            return if c.is_uppercase() {
                m.answer(argument, code_of(one(c.to_lowercase().to_string(), c)))
            } else {
                Ok(Next::False)
            };
        }
        "lower" => {
            return if c.is_lowercase() {
                m.answer(argument, code_of(one(c.to_uppercase().to_string(), c)))
            } else {
                Ok(Next::False)
            };
        }
        _ => {
            let culprit = Value::atom(kind);
            return Err(m.domain_error("char_type", culprit));
        }
    };
    Ok(holds.into())
}
