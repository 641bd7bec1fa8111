//! Quoting of atoms and strings.

use crate::text::chars::{is_alnum, is_name_start, is_symbol_char};

/// Whether an atom of this text must be quoted to be read back. Callers handle the empty list before.
pub fn atom_needs_quotes(text: &str) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return true };
    if is_name_start(first) {
        return !chars.all(is_alnum);
    }
    if is_symbol_char(first) {
        return text == "." || text.starts_with("/*") || !chars.all(is_symbol_char);
    }
    !matches!(text, "!" | ";" | "{}")
}

/// The syntax of the escapes for unprintable characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// For example `\x1B\`.
    Hexadecimal,
    /// For example `\u001B`.
    Unicode,
}

/// Returns the text in quotes, with escapes.
pub fn quoted(text: &str, quote: char, escapes: Escapes) -> String {
    let mut res = String::with_capacity(text.len() + 2);
    res.push(quote);
    for c in text.chars() {
        push_escaped(&mut res, c, quote, escapes);
    }
    res.push(quote);
    res
}

fn push_escaped(res: &mut String, c: char, quote: char, escapes: Escapes) {
    match c {
        _ if c == quote => {
            res.push('\\');
            res.push(c);
        }
        '\\' => res.push_str("\\\\"),
        '\u{7}' => res.push_str("\\a"),
        '\u{8}' => res.push_str("\\b"),
        '\t' => res.push_str("\\t"),
        '\n' => res.push_str("\\n"),
        '\u{b}' => res.push_str("\\v"),
        '\u{c}' => res.push_str("\\f"),
        '\r' => res.push_str("\\r"),
        _ if is_unprintable(c) => res.push_str(&match (escapes, u32::from(c)) {
            (Escapes::Hexadecimal, code) => format!("\\x{code:X}\\"),
            (Escapes::Unicode, code @ 0..=0xffff) => format!("\\u{code:04X}"),
            (Escapes::Unicode, code) => format!("\\U{code:08X}"),
        }),
        _ => res.push(c),
    }
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || c.is_whitespace() && c != ' '
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}')
}
