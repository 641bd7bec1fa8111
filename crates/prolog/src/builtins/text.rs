//! Operations on text that have exactly one answer.

use crate::builtins::convert::TextForm;
use crate::builtins::{Row, iso, row};
use crate::data::{ListEnd, Value};
use crate::machine::{Fault, Machine, Next};

pub(super) const ROWS: &[Row] = &[
    iso("atom_length", 2, length),
    row("string_length", 2, length),
    row("upcase_atom", 2, |m, a| map_text(m, a, TextForm::Atom, upper)),
    row("downcase_atom", 2, |m, a| map_text(m, a, TextForm::Atom, lower)),
    row("string_upper", 2, |m, a| map_text(m, a, TextForm::String, upper)),
    row("string_lower", 2, |m, a| map_text(m, a, TextForm::String, lower)),
    row("atomic_list_concat", 2, |m, a| concat_list(m, a, None)),
    row("atomic_list_concat", 3, concat_or_split),
    row("split_string", 4, split_string),
    row("$string_code", 3, string_code),
    row("$char_type", 3, char_type),
    row("$concat", 4, |m, a| {
        // `'$concat'(Kind, A, B, C)`, where `A` and `B` are known.
        let kind = m.arg(a, 0);
        let form = if kind.as_atom().is_some_and(|it| m.atoms.text(it) == "string") {
            TextForm::String
        } else {
            TextForm::Atom
        };
        concat_known(m, a + 1, form)
    }),
];

fn length(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, length) = (m.arg(a, 0), m.arg(a, 1));
    let found = m.text_arg(text)?;
    if !length.is_var() && !length.is_integer() {
        return Err(m.type_error("integer", length));
    }
    m.answer(length, Value::size(found.chars().count()))
}

fn map_text(
    m: &mut Machine,
    a: usize,
    form: TextForm,
    map: fn(char) -> char,
) -> Result<Next, Fault> {
    let (from, to) = (m.arg(a, 0), m.arg(a, 1));
    if from.is_var() {
        return Err(m.instantiation_error());
    }
    if from.is_nil() {
        return Err(m.type_error("atom", from));
    }
    let Some(text) = m.atomic_text(from) else {
        return Err(m.type_error("atomic", from));
    };
    let mapped: String = text.chars().map(map).collect();
    if to.is_var() {
        let new = m.make_text(&mapped, form);
        return m.answer(to, new);
    }
    match m.atomic_text(to).filter(|_| !to.is_nil()) {
        Some(given) => Ok((given == mapped).into()),
        None => Err(m.type_error(if form == TextForm::Atom { "atom" } else { "string" }, to)),
    }
}

/// Returns the character in upper case, if that is a single character; otherwise the character itself.
fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn concat_known(m: &mut Machine, a: usize, form: TextForm) -> Result<Next, Fault> {
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

/// Returns the texts of a list's items; `None` if an item or the tail is unbound.
fn item_texts(m: &mut Machine, list: Value) -> Result<Option<Vec<String>>, Fault> {
    let (items, end) = m.heap.list_items(list);
    match end {
        ListEnd::Nil => {}
        ListEnd::Open(_) => return Ok(None),
        ListEnd::Other(tail) => return Err(m.type_error("list", tail)),
        ListEnd::Cyclic => return Err(m.type_error("list", list)),
    }
    let mut res = Vec::with_capacity(items.len());
    for item in items {
        if item.is_var() {
            return Ok(None);
        }
        match m.atomic_text(item) {
            Some(text) => res.push(text),
            None => return Err(m.type_error("text", item)),
        }
    }
    Ok(Some(res))
}

fn concat_list(m: &mut Machine, a: usize, separator: Option<&str>) -> Result<Next, Fault> {
    let list = m.arg(a, 0);
    let to = m.arg(a, if separator.is_some() { 2 } else { 1 });
    match item_texts(m, list)? {
        Some(texts) => {
            let new = m.atom_named(&texts.join(separator.unwrap_or("")));
            m.answer(to, new)
        }
        None => Err(m.instantiation_error()),
    }
}

fn concat_or_split(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (list, separator, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    if separator.is_cons() {
        return Err(m.type_error("text", separator));
    }
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
    let mut texts = [String::new(), String::new(), String::new()];
    for (n, text) in texts.iter_mut().enumerate() {
        let value = m.arg(a, n);
        if value.is_number() {
            return Err(m.type_error("text", value));
        }
        *text = m.text_arg(value)?;
    }
    // SWI-Prolog uses the C function `wcschr`, for which the character with code 0 is in every set.
    texts.iter_mut().skip(1).for_each(|it| it.push('\0'));
    let [text, separators, pad] = &texts;
    let is_pad = |c: char| pad.contains(c);
    let mut parts = Vec::new();
    let mut rest = Some(text.trim_matches(is_pad));
    while let Some(text) = rest {
        // Padding before a part is skipped even if it is also a separator.
        let text = text.trim_start_matches(is_pad);
        let (part, after) = match text.find(|c: char| separators.contains(c)) {
            Some(at) => {
                let (part, after) = text.split_at(at);
                let mut after = after.chars();
                after.next();
                (part, Some(after.as_str()))
            }
            None => (text, None),
        };
        parts.push(m.heap.text(part.trim_end_matches(is_pad)));
        rest = after;
    }
    let list = m.heap.list(&parts);
    let to = m.arg(a, 3);
    m.answer(to, list)
}

fn string_code(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (n, text, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let n = m.int_arg(n)?;
    if n < 0 {
        let culprit = m.arg(a, 0);
        return Err(m.domain_error("not_less_than_zero", culprit));
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

/// `'$char_type'(Char, Type, Argument)`: whether a character, given as a code, is of a type. Types with an
/// argument unify it.
fn char_type(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (code, kind, argument) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let Some(c) = code.as_int().and_then(|it| u32::try_from(it).ok()).and_then(char::from_u32)
    else {
        return Ok(Next::False);
    };
    let kind = m.atom_arg(kind)?;
    let code_of = |c: char| Value::int(i64::from(u32::from(c)));
    let holds = match m.atoms.text(kind) {
        "alnum" => c.is_alphanumeric(),
        "alpha" => c.is_alphabetic(),
        "csym" | "prolog_identifier_continue" => c.is_alphanumeric() || c == '_',
        "csymf" => c.is_alphabetic() || c == '_',
        "prolog_var_start" => c.is_uppercase() || c == '_',
        "prolog_atom_start" => c.is_alphabetic() && !c.is_uppercase(),
        "prolog_symbol" => crate::text::is_symbol_char(c),
        "ascii" => c.is_ascii(),
        "white" => c == ' ' || c == '\t',
        "cntrl" => c.is_control(),
        "decimal" | "digit" if argument.is_nil() => c.is_ascii_digit(),
        "space" => c.is_whitespace() && c != '\u{a0}',
        "end_of_line" => matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}'),
        "newline" => c == '\n',
        "end_of_file" => false,
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
        "paren" if !argument.is_nil() => {
            let closing = match c {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                _ => return Ok(Next::False),
            };
            return m.answer(argument, code_of(closing));
        }
        "digit" | "decimal" => match c.to_digit(10) {
            Some(weight) => return m.answer(argument, Value::int(i64::from(weight))),
            None => false,
        },
        "xdigit" => match c.to_digit(16) {
            Some(weight) => return m.answer(argument, Value::int(i64::from(weight))),
            None => false,
        },
        // As on SWI-Prolog, these two types mean the opposite of their names.
        "to_lower" => return m.answer(argument, code_of(upper(c))),
        "to_upper" => return m.answer(argument, code_of(lower(c))),
        "upper" => {
            return if c.is_uppercase() {
                m.answer(argument, code_of(lower(c)))
            } else {
                Ok(Next::False)
            };
        }
        "lower" => {
            return if c.is_lowercase() {
                m.answer(argument, code_of(upper(c)))
            } else {
                Ok(Next::False)
            };
        }
        _ => return Ok(Next::False),
    };
    Ok(holds.into())
}
