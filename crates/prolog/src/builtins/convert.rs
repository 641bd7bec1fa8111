//! Text as atoms, strings, codes, characters and numbers, and from one to the other.

use crate::builtins::{Row, iso, row};
use crate::data::{ListEnd, Value, View, format_float};
use crate::machine::{Fault, Machine, Next};
use crate::text::read_number;

pub(super) const ROWS: &[Row] = &[
    iso("atom_codes", 2, |m, a| both(m, a, Form::Atomic, Form::Codes)),
    iso("atom_chars", 2, |m, a| both(m, a, Form::Atomic, Form::Chars)),
    iso("char_code", 2, char_code),
    iso("number_codes", 2, |m, a| number_text(m, a, Form::Codes)),
    iso("number_chars", 2, |m, a| number_text(m, a, Form::Chars)),
    row("atom_number", 2, atom_number),
    row("number_string", 2, number_string),
    row("atom_string", 2, |m, a| both(m, a, Form::Atom, Form::String)),
    row("string_chars", 2, |m, a| both(m, a, Form::String, Form::Chars)),
    row("string_codes", 2, |m, a| both(m, a, Form::String, Form::Codes)),
    row("string_to_atom", 2, |m, a| both(m, a, Form::String, Form::Atom)),
    row("text_to_string", 2, text_to_string),
    row("name", 2, |m, a| both(m, a, Form::Name, Form::Codes)),
];

/// What a text is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Atom,
    /// Atoms are made, but numbers are taken too.
    Atomic,
    /// A number where it is one, an atom otherwise.
    Name,
    String,
    Codes,
    Chars,
}

impl Machine {
    /// The text of an atom, string or number.
    pub(crate) fn atomic_text(&self, value: Value) -> Option<String> {
        Some(match value.view() {
            View::Atom(name) => self.atoms.text(name).to_owned(),
            View::Text(_) => self.heap.as_text(value)?.to_string(),
            View::Int(it) => it.to_string(),
            View::Float(it) => format_float(it),
            View::Big(_) => self.heap.as_big(value)?.to_string(),
            View::Rational(_) => {
                let it = self.heap.as_rational(value)?;
                format!("{}r{}", it.numerator, it.denominator)
            }
            View::Var(_) | View::Struct(..) => return None,
        })
    }

    /// The text of a list of codes or characters.
    pub(crate) fn list_text(&self, list: Value) -> Option<String> {
        let (items, end) = self.heap.list_items(list);
        if end != ListEnd::Nil {
            return None;
        }
        items.into_iter().map(|it| self.character(it)).collect()
    }

    /// A code or a character.
    fn character(&self, value: Value) -> Option<char> {
        match value.view() {
            View::Int(code) => u32::try_from(code).ok().and_then(char::from_u32),
            View::Atom(name) => {
                let mut chars = self.atoms.text(name).chars();
                let first = chars.next()?;
                chars.next().is_none().then_some(first)
            }
            View::Var(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_)
            | View::Struct(..) => None,
        }
    }

    /// Any kind of text.
    pub(crate) fn any_text(&self, value: Value) -> Option<String> {
        if value.is_nil() {
            return Some(String::new());
        }
        self.atomic_text(value)
            .or_else(|| if value.is_cons() { self.list_text(value) } else { None })
    }

    pub(super) fn make_text(&mut self, text: &str, form: Form) -> Value {
        match form {
            Form::Atom | Form::Atomic => self.atom_named(text),
            Form::Name => match read_number(text) {
                Some(number) => number.store(&mut self.heap),
                None => self.atom_named(text),
            },
            Form::String => self.heap.text(text),
            Form::Codes => {
                let codes: Vec<Value> =
                    text.chars().map(|c| Value::int(i64::from(u32::from(c)))).collect();
                self.heap.list(&codes)
            }
            Form::Chars => {
                let chars: Vec<Value> =
                    text.chars().map(|c| self.atom_named(c.encode_utf8(&mut [0; 4]))).collect();
                self.heap.list(&chars)
            }
        }
    }

    /// Text that must be there, for a builtin's input.
    pub(crate) fn text_arg(&mut self, value: Value) -> Result<String, Fault> {
        if value.is_var() {
            return Err(self.instantiation_error());
        }
        match self.any_text(value) {
            Some(text) => Ok(text),
            None => Err(self.not_text(value)),
        }
    }

    /// The error of something that is no text.
    pub(crate) fn not_text(&mut self, value: Value) -> Fault {
        if value.is_cons() {
            let (items, end) = self.heap.list_items(value);
            if matches!(end, ListEnd::Open(_)) || items.iter().any(|it| it.is_var()) {
                return self.instantiation_error();
            }
            for item in items {
                if let View::Int(_) = item.view()
                    && self.character(item).is_none()
                {
                    return self.representation_error("character_code");
                }
            }
        }
        self.type_error("atomic", value)
    }
}

fn both(m: &mut Machine, a: usize, left: Form, right: Form) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    if !x.is_var() {
        let Some(text) = m.any_text(x) else {
            return Err(m.not_text(x));
        };
        let found = if x.is_nil() && left != Form::Name { "[]".to_owned() } else { text };
        let new = m.make_text(&found, right);
        if y.is_var() || matches!(right, Form::Codes | Form::Chars) && (y.is_cons() || y.is_nil()) {
            return match m.heap.list_items(y).1 {
                // A text of the other kind of list is the same text.
                ListEnd::Nil if y.is_cons() && m.is_ground(y) => {
                    let given = m.list_text(y);
                    if given.is_none() {
                        return m.answer(y, new);
                    }
                    Ok((given.as_deref() == Some(found.as_str())).into())
                }
                ListEnd::Nil | ListEnd::Open(_) | ListEnd::Other(_) | ListEnd::Cyclic => {
                    m.answer(y, new)
                }
            };
        }
        return match m.any_text(y) {
            Some(given) => Ok((given == found).into()),
            None => m.answer(y, new),
        };
    }
    if y.is_var() {
        return Err(m.instantiation_error());
    }
    let Some(text) = m.any_text(y) else {
        return Err(m.not_text(y));
    };
    let new = m.make_text(&text, left);
    m.answer(x, new)
}

fn char_code(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (c, code) = (m.arg(a, 0), m.arg(a, 1));
    match c.view() {
        View::Atom(name) => {
            let mut chars = m.atoms.text(name).chars();
            let (first, second) = (chars.next(), chars.next());
            match (first, second) {
                (Some(first), None) => {
                    if !code.is_var() && code.as_int().is_none() {
                        return Err(m.type_error("integer", code));
                    }
                    m.answer(code, Value::int(i64::from(u32::from(first))))
                }
                _ => Err(m.type_error("character", c)),
            }
        }
        View::Var(_) => {
            if code.is_var() {
                return Err(m.instantiation_error());
            }
            let n = m.int_arg(code)?;
            match u32::try_from(n).ok().and_then(char::from_u32) {
                Some(found) => {
                    let atom = m.atom_named(found.encode_utf8(&mut [0; 4]));
                    m.answer(c, atom)
                }
                None => Err(m.representation_error("character_code")),
            }
        }
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Text(_)
        | View::Struct(..) => Err(m.type_error("character", c)),
    }
}

fn number_text(m: &mut Machine, a: usize, form: Form) -> Result<Next, Fault> {
    let (number, list) = (m.arg(a, 0), m.arg(a, 1));
    if !list.is_var()
        && let Some(text) = m.any_text(list)
    {
        return match read_number(text.trim_start()) {
            Some(found) => {
                let found = found.store(&mut m.heap);
                m.answer(number, found)
            }
            None => Err(m.syntax_error("illegal_number")),
        };
    }
    if number.is_var() {
        if list.is_var() {
            return Err(m.instantiation_error());
        }
        return Err(m.not_text(list));
    }
    if !number.is_number() {
        return Err(m.type_error("number", number));
    }
    let text = m.atomic_text(number).unwrap_or_default();
    let new = m.make_text(&text, form);
    m.answer(list, new)
}

fn atom_number(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (atom, number) = (m.arg(a, 0), m.arg(a, 1));
    if atom.is_var() {
        if number.is_var() {
            return Err(m.instantiation_error());
        }
        if !number.is_number() {
            return Err(m.type_error("number", number));
        }
        let text = m.atomic_text(number).unwrap_or_default();
        let new = m.atom_named(&text);
        return m.answer(atom, new);
    }
    let Some(text) = m.atomic_text(atom) else {
        return Err(m.type_error("atom", atom));
    };
    if atom.is_number() {
        return Err(m.type_error("atom", atom));
    }
    if !number.is_var() && !number.is_number() {
        return Err(m.type_error("number", number));
    }
    match read_number(&text) {
        Some(found) => {
            let found = found.store(&mut m.heap);
            m.answer(number, found)
        }
        None => Ok(Next::False),
    }
}

fn number_string(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (number, string) = (m.arg(a, 0), m.arg(a, 1));
    if !string.is_var() {
        let Some(text) = m.any_text(string) else {
            return Err(m.not_text(string));
        };
        return match read_number(text.trim()) {
            Some(found) => {
                let found = found.store(&mut m.heap);
                m.answer(number, found)
            }
            None => Ok(Next::False),
        };
    }
    if number.is_var() {
        return Err(m.instantiation_error());
    }
    if !number.is_number() {
        return Err(m.type_error("number", number));
    }
    let text = m.atomic_text(number).unwrap_or_default();
    let new = m.heap.text(&text);
    m.answer(string, new)
}

fn text_to_string(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, string) = (m.arg(a, 0), m.arg(a, 1));
    let found = m.text_arg(text)?;
    let new = m.heap.text(&found);
    m.answer(string, new)
}
