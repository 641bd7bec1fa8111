//! Prints terms as `io_lib:format` does with `~w`, `~tw`, `~p` and `~tp`, on one line.
//!
//! The line breaks of `~p` are not implemented. Not recursive: a term nested a million deep is printed in constant
//! native stack.

use super::floats::float_text;
use super::names::{is_bare_atom, is_reserved_word};
use crate::bits::Bits;
use crate::ground::{Atom, Fun, Pid, Port, Reference, Term};
use num_bigint::Sign;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub lists: Lists,
    pub encoding: Encoding,
    pub handles: Handles,
}

/// How lists of characters and binaries with text are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    AsItems,
    AsText,
    /// As text if it consists mostly of letters and digits; `[42]` stays a list of numbers.
    AsWords,
}

/// How pids, ports and references are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handles {
    /// As BEAM prints them, which cannot be read again.
    AsNames,
    /// As calls that make them.
    AsCalls,
}

/// The encoding of the output. Formats without `t` use Latin-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Latin1,
    Unicode,
}

impl Style {
    pub const W: Style = Style::of(Lists::AsItems, Encoding::Latin1);
    pub const TW: Style = Style::of(Lists::AsItems, Encoding::Unicode);
    pub const P: Style = Style::of(Lists::AsText, Encoding::Latin1);
    pub const TP: Style = Style::of(Lists::AsText, Encoding::Unicode);
    /// The text can be pasted into a shell.
    pub const INPUT: Style = Style { handles: Handles::AsCalls, ..Style::TW };
    /// The text can be pasted into a shell, and words are shown as strings.
    pub const READABLE: Style = Style { lists: Lists::AsWords, ..Style::INPUT };

    const fn of(lists: Lists, encoding: Encoding) -> Style {
        Style { lists, encoding, handles: Handles::AsNames }
    }
}

/// Returns the text of a term. Maps are printed in key order, which is BEAM's order up to 32 keys.
pub fn print(term: &Term, style: Style) -> String {
    let mut out = String::new();
    let mut todo = vec![PrintTask::Term(term)];
    while let Some(next) = todo.pop() {
        match next {
            PrintTask::Text(text) => out.push_str(text),
            PrintTask::Term(term) => print_head(&mut out, &mut todo, term, style),
            PrintTask::Items([]) | PrintTask::Pairs([]) => (),
            PrintTask::Items([first, rest @ ..]) => {
                if !rest.is_empty() {
                    todo.extend([PrintTask::Items(rest), PrintTask::Text(",")]);
                }
                todo.push(PrintTask::Term(first));
            }
            PrintTask::Pairs([(key, value), rest @ ..]) => {
                if !rest.is_empty() {
                    todo.extend([PrintTask::Pairs(rest), PrintTask::Text(",")]);
                }
                todo.extend([
                    PrintTask::Term(value),
                    PrintTask::Text(" => "),
                    PrintTask::Term(key),
                ]);
            }
        }
    }
    out
}

/// What remains to be printed; the last entry comes first.
enum PrintTask<'a> {
    Text(&'static str),
    Term(&'a Term),
    Items(&'a [Term]),
    Pairs(&'a [(Term, Term)]),
}

/// Larger integers are printed in base 16, since computing millions of decimal digits takes minutes.
const MAX_DECIMAL_BITS: u64 = 1 << 17;

/// Prints a leaf, or the beginning of a compound whose rest is put on `todo`.
fn print_head<'a>(out: &mut String, todo: &mut Vec<PrintTask<'a>>, term: &'a Term, style: Style) {
    match term {
        Term::Int(value) => push(out, format_args!("{value}")),
        Term::Big(value) if value.bits() > MAX_DECIMAL_BITS => {
            let sign = if value.sign() == Sign::Minus { "-" } else { "" };
            push(out, format_args!("{sign}16#{:X}", value.magnitude()));
        }
        Term::Big(value) => push(out, format_args!("{value}")),
        Term::Float(value) => out.push_str(&float_text(*value)),
        Term::Atom(atom) => out.push_str(&atom_text(atom, style.encoding)),
        Term::Nil => out.push_str("[]"),
        Term::List(list) => {
            if style.lists != Lists::AsItems
                && matches!(list.tail, Term::Nil)
                && let Some(text) = printable_text(&list.items)
                && (style.lists == Lists::AsText || is_wordy(&text))
            {
                push_quoted(out, &text, '"', style.encoding);
                return;
            }
            out.push('[');
            todo.push(PrintTask::Text("]"));
            if !matches!(list.tail, Term::Nil) {
                todo.extend([PrintTask::Term(&list.tail), PrintTask::Text("|")]);
            }
            todo.push(PrintTask::Items(&list.items));
        }
        Term::Tuple(items) => {
            out.push('{');
            todo.extend([PrintTask::Text("}"), PrintTask::Items(items)]);
        }
        Term::Map(pairs) => {
            out.push_str("#{");
            todo.extend([PrintTask::Text("}"), PrintTask::Pairs(pairs)]);
        }
        Term::Bits(bits) => print_bits(out, bits, style),
        Term::Fun(fun) => print_fun(out, fun),
        Term::Pid(_) | Term::Port(_) | Term::Ref(_) => print_handle(out, term, style.handles),
    }
}

fn print_handle(out: &mut String, handle: &Term, handles: Handles) {
    let (function, name) = match handle {
        Term::Pid(Pid { node, id, serial, .. }) => {
            ("list_to_pid", format!("<{}.{id}.{serial}>", node_number(node)))
        }
        Term::Port(Port { node, id, .. }) => {
            ("list_to_port", format!("#Port<{}.{id}>", node_number(node)))
        }
        Term::Ref(Reference { node, words, .. }) => {
            let words: String = words.iter().rev().map(|it| format!(".{it}")).collect();
            ("list_to_ref", format!("#Ref<{}{words}>", node_number(node)))
        }
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::List(_)
        | Term::Tuple(_)
        | Term::Map(_)
        | Term::Bits(_)
        | Term::Fun(_) => return,
    };
    match handles {
        Handles::AsNames => out.push_str(&name),
        Handles::AsCalls => push(out, format_args!("{function}(\"{name}\")")),
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string can't fail");
}

/// Returns the text of an atom, quoted where necessary.
pub fn atom_text(atom: &Atom, encoding: Encoding) -> String {
    let text = atom.as_str();
    if is_bare_atom(text) && !is_reserved_word(text) {
        return text.to_owned();
    }
    let mut out = String::new();
    push_quoted(&mut out, text, '\'', encoding);
    out
}

fn push_quoted(out: &mut String, text: &str, quote: char, encoding: Encoding) {
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            _ if c == quote => push(out, format_args!("\\{c}")),
            ' '..='~' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\x1b' => out.push_str("\\e"),
            '\x7f' => out.push_str("\\d"),
            '\0'..='\u{9f}' => push(out, format_args!("\\{:03o}", u32::from(c))),
            '\u{a0}'..='\u{ff}' => out.push(c),
            _ => match encoding {
                Encoding::Latin1 => push(out, format_args!("\\x{{{:X}}}", u32::from(c))),
                Encoding::Unicode => out.push(c),
            },
        }
    }
    out.push(quote);
}

/// Returns the characters of a list, if it looks like text to a runtime started without `+pc unicode`.
fn printable_text(items: &[Term]) -> Option<String> {
    items
        .iter()
        .map(|it| it.as_int().and_then(|it| u8::try_from(it).ok()).map(char::from))
        .map(|it| it.filter(|it| is_printable(*it)))
        .collect()
}

/// Whether a text has at least three characters, most of them letters and digits.
fn is_wordy(text: &str) -> bool {
    let n_all = text.chars().count();
    let n_word = text.chars().filter(|it| it.is_ascii_alphanumeric()).count();
    let is_plain = text.chars().all(|it| (' '..='~').contains(&it));
    is_plain && n_all >= 3 && n_word * 3 >= n_all * 2
}

fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{ff}' | '\n' | '\r' | '\t' | '\x0b' | '\x08' | '\x0c' | '\x1b')
}

fn print_bits(out: &mut String, bits: &Bits, style: Style) {
    if style.lists != Lists::AsItems
        && let Some(bytes) = bits.as_bytes()
        && let Some((text, suffix)) = printable_bytes(bytes, style.encoding)
        && (style.lists == Lists::AsText || is_wordy(&text))
    {
        out.push_str("<<");
        push_quoted(out, &text, '"', style.encoding);
        out.push_str(suffix);
        out.push_str(">>");
        return;
    }
    out.push_str("<<");
    let n_trailing = bits.bit_len() % 8;
    let n_bytes = bits.bit_len().div_ceil(8);
    for (at, byte) in bits.padded_bytes().iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        if n_trailing != 0 && at + 1 == n_bytes {
            push(out, format_args!("{comma}{}:{n_trailing}", byte >> (8 - n_trailing)));
        } else {
            push(out, format_args!("{comma}{byte}"));
        }
    }
    out.push_str(">>");
}

/// Returns the text in a binary and what must follow its closing quote.
fn printable_bytes(bytes: &[u8], encoding: Encoding) -> Option<(String, &'static str)> {
    if bytes.is_empty() {
        return None;
    }
    if encoding == Encoding::Unicode
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        let suffix = if text.is_ascii() { "" } else { "/utf8" };
        return text.chars().all(is_printable).then(|| (text.to_owned(), suffix));
    }
    let text: String = bytes.iter().copied().map(char::from).collect();
    text.chars().all(is_printable).then_some((text, ""))
}

/// Prints a fun as `erlang:fun_to_list/1` does.
fn print_fun(out: &mut String, fun: &Fun) {
    match fun {
        Fun::External { module, function, arity } => {
            out.push_str("fun ");
            push_runtime_atom(out, module);
            out.push(':');
            push_runtime_atom(out, function);
            push(out, format_args!("/{arity}"));
        }
        Fun::Closure { module, old_index, old_uniq, .. } => {
            out.push_str("#Fun<");
            push_runtime_atom(out, module);
            push(out, format_args!(".{old_index}.{old_uniq}>"));
        }
        Fun::Table { arity, entries, default } => {
            super::tables::print(out, *arity, entries, default);
        }
    }
}

/// Prints an atom as the runtime does itself: it knows no reserved words, quotes `@`, and shows UTF-8 byte by byte.
fn push_runtime_atom(out: &mut String, atom: &Atom) {
    let bytes: String = atom.as_str().bytes().map(char::from).collect();
    if is_bare_atom(atom.as_str()) && !atom.as_str().contains('@') {
        out.push_str(&bytes);
    } else {
        out.push('\'');
        for c in bytes.chars() {
            match c {
                '\'' => out.push_str("\\'"),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\x0c' => out.push_str("\\f"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\x08' => out.push_str("\\b"),
                '\x0b' => out.push_str("\\v"),
                '\0'..='\x1f' | '\x7f' => push(out, format_args!("\\{:03o}", u32::from(c))),
                _ => out.push(c),
            }
        }
        out.push('\'');
    }
}

/// Returns the number of a node. A runtime numbers the nodes it has met; a runtime that is not distributed has the
/// number 0.
fn node_number(node: &Atom) -> u8 {
    u8::from(node.as_str() != "nonode@nohost")
}

#[cfg(test)]
mod tests;
