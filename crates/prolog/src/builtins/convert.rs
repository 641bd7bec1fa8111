//! Conversions between the representations of text: atoms, strings, lists of codes or characters, and
//! numbers.

use crate::builtins::{Row, iso, row};
use crate::data::{ListEnd, Tag, Value, View, format_float};
use crate::machine::{Fault, Machine, Next};
use crate::text::read_number;

pub(super) const ROWS: &[Row] = &[
    iso("atom_codes", 2, |m, a| atom_list(m, a, TextForm::Codes)),
    iso("atom_chars", 2, |m, a| atom_list(m, a, TextForm::Chars)),
    iso("char_code", 2, char_code),
    iso("number_codes", 2, |m, a| number_text(m, a, TextForm::Codes)),
    iso("number_chars", 2, |m, a| number_text(m, a, TextForm::Chars)),
    row("atom_number", 2, atom_number),
    row("number_string", 2, |m, a| number_text(m, a, TextForm::String)),
    row("atom_string", 2, |m, a| text_both(m, a, TextForm::Atom, TextForm::String)),
    row("string_to_atom", 2, |m, a| text_both(m, a, TextForm::String, TextForm::Atom)),
    row("string_chars", 2, |m, a| string_list(m, a, TextForm::Chars)),
    row("string_codes", 2, |m, a| string_list(m, a, TextForm::Codes)),
    row("text_to_string", 2, text_to_string),
    row("name", 2, name),
];

/// The representation that a text is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    Atom,
    /// A number if the text is one in Prolog's syntax, otherwise an atom.
    Name,
    String,
    Codes,
    Chars,
}

impl Machine {
    /// Returns the text of an atom, string or number.
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

    /// Returns the text of a list of codes or characters; `None` if it mixes both or has other items.
    pub(crate) fn list_text(&self, list: Value) -> Option<String> {
        let (items, end) = self.heap.list_items(list);
        if end != ListEnd::Nil {
            return None;
        }
        let codes = items.first().is_some_and(|it| it.is_integer());
        let of = |it: Value| self.character(it).filter(|_| it.is_integer() == codes);
        items.into_iter().map(of).collect()
    }

    /// Returns a character, given as a code or an atom of one character.
    pub(crate) fn character(&self, value: Value) -> Option<char> {
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

    /// Returns the text of a value in any representation.
    pub(crate) fn any_text(&self, value: Value) -> Option<String> {
        if value.is_nil() {
            return Some(String::new());
        }
        self.atomic_text(value)
            .or_else(|| if value.is_cons() { self.list_text(value) } else { None })
    }

    pub(crate) fn make_text(&mut self, text: &str, form: TextForm) -> Value {
        match form {
            TextForm::Atom => self.atom_named(text),
            TextForm::Name => match read_number(text) {
                Some(number) => number.store(&mut self.heap),
                None => self.atom_named(text),
            },
            TextForm::String => self.heap.text(text),
            TextForm::Codes => {
                let codes: Vec<Value> =
                    text.chars().map(|c| Value::int(i64::from(u32::from(c)))).collect();
                self.heap.list(&codes)
            }
            TextForm::Chars => {
                let chars: Vec<Value> =
                    text.chars().map(|c| self.atom_named(c.encode_utf8(&mut [0; 4]))).collect();
                self.heap.list(&chars)
            }
        }
    }

    /// Returns the text of a builtin's input argument; an error if it is unbound or not a text.
    pub(crate) fn text_arg(&mut self, value: Value) -> Result<String, Fault> {
        if value.is_var() {
            return Err(self.instantiation_error());
        }
        match self.any_text(value) {
            Some(text) => Ok(text),
            None => Err(self.not_text(value)),
        }
    }

    /// Returns the error of a value that is not a text.
    pub(crate) fn not_text(&mut self, value: Value) -> Fault {
        if value.is_cons() {
            let (items, end) = self.heap.list_items(value);
            match end {
                ListEnd::Open(_) => return self.instantiation_error(),
                ListEnd::Nil => return self.not_characters(&items),
                ListEnd::Other(_) | ListEnd::Cyclic => {}
            }
        }
        self.type_error("text", value)
    }

    /// Returns the error of a list with items that are not characters.
    fn not_characters(&mut self, items: &[Value]) -> Fault {
        let codes = items.first().is_some_and(|it| it.is_integer());
        let wrong = |it: &&Value| self.character(**it).is_none() || codes != it.is_integer();
        match items.iter().find(wrong) {
            Some(item) if !item.is_var() => self.type_error("character_code", *item),
            _ => self.instantiation_error(),
        }
    }

    /// Returns the text of an argument that should be a list of characters; a string is accepted, too.
    fn list_text_arg(&mut self, value: Value) -> Result<String, Fault> {
        if value.is_var() {
            return Err(self.instantiation_error());
        }
        if let Some(text) = self.heap.as_text(value) {
            return Ok(text.to_string());
        }
        let (items, end) = self.heap.list_items(value);
        match end {
            ListEnd::Nil => match self.list_text(value) {
                Some(text) => Ok(text),
                None => Err(self.not_characters(&items)),
            },
            ListEnd::Open(_) => Err(self.instantiation_error()),
            ListEnd::Other(_) | ListEnd::Cyclic => Err(self.type_error("list", value)),
        }
    }

    /// Whether a value is unbound or a list with unbound parts.
    fn has_holes(&self, value: Value) -> bool {
        let (items, end) = self.heap.list_items(value);
        value.is_var()
            || matches!(end, ListEnd::Open(_))
            || end == ListEnd::Nil && items.iter().any(|it| it.is_var())
    }

    /// Returns the text of a bound value in any representation.
    fn known_text(&self, value: Value) -> Option<String> {
        if value.is_var() { None } else { self.any_text(value) }
    }
}

/// Implements `atom_codes/2` and `atom_chars/2`.
fn atom_list(m: &mut Machine, a: usize, form: TextForm) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    if x.is_var() {
        let text = m.list_text_arg(y)?;
        let atom = m.atom_named(&text);
        return m.answer(x, atom);
    }
    let Some(text) = m.atomic_text(x).filter(|_| !x.is_nil()) else {
        return Err(m.type_error("atom", x));
    };
    if !m.has_holes(y) {
        let given = m.list_text_arg(y)?;
        // SWI-Prolog compares an atom made of the first argument, which is never identical to a string.
        return Ok((given == text && (x.tag(), y.tag()) != (Tag::Text, Tag::Text)).into());
    }
    let new = m.make_text(&text, form);
    m.answer(y, new)
}

/// Implements `string_codes/2` and `string_chars/2`.
fn string_list(m: &mut Machine, a: usize, form: TextForm) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    if m.has_holes(x) {
        let text = m.list_text_arg(y)?;
        let string = m.heap.text(&text);
        return m.answer(x, string);
    }
    let text = m.text_arg(x)?;
    if m.known_text(y).as_deref() == Some(text.as_str()) {
        return Ok(Next::True);
    }
    let new = m.make_text(&text, form);
    m.answer(y, new)
}

/// Converts between two representations in both directions: `atom_string/2`, `string_to_atom/2`.
fn text_both(m: &mut Machine, a: usize, left: TextForm, right: TextForm) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    let names = |form: TextForm| if form == TextForm::Atom { "atom" } else { "string" };
    match (m.known_text(x), m.known_text(y)) {
        (Some(text), _) if y.is_var() => {
            let new = m.make_text(&text, right);
            m.answer(y, new)
        }
        (Some(x), Some(y)) => Ok((x == y).into()),
        (Some(_), None) => Ok(Next::False),
        (None, Some(text)) if x.is_var() => {
            let new = m.make_text(&text, left);
            m.answer(x, new)
        }
        (None, Some(_)) => Ok(Next::False),
        (None, None) => Err(match (x.is_var(), y.is_var()) {
            (true, true) => m.instantiation_error(),
            (false, true) => m.type_error(names(left), x),
            (true, false) => m.type_error(names(right), y),
            (false, false) => m.type_error("string", if left == TextForm::String { x } else { y }),
        }),
    }
}

fn name(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    if x.is_var() {
        let text = m.list_text_arg(y)?;
        let new = m.make_text(&text, TextForm::Name);
        return m.answer(x, new);
    }
    let Some(text) = m.atomic_text(x).filter(|_| !x.is_nil()) else {
        return Err(m.type_error("atomic", x));
    };
    let is_text = y.is_var() || y.is_cons() || y.is_nil() || m.heap.as_text(y).is_some();
    if !is_text {
        return Err(m.type_error("list", y));
    }
    let new = m.make_text(&text, TextForm::Codes);
    m.answer(y, new)
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
                None => Err(m.type_error("character_code", code)),
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

/// Implements `number_codes/2` and similar predicates. A string that is not a number fails.
fn number_text(m: &mut Machine, a: usize, form: TextForm) -> Result<Next, Fault> {
    let (number, list) = (m.arg(a, 0), m.arg(a, 1));
    if !number.is_var() && !number.is_number() {
        return Err(m.type_error("number", number));
    }
    if !number.is_var() && m.has_holes(list) {
        let text = m.atomic_text(number).unwrap_or_default();
        let new = m.make_text(&text, form);
        return m.answer(list, new);
    }
    let text = m.list_text_arg(list)?;
    let read =
        if form == TextForm::String { plain_number(&text) } else { read_number(text.trim_start()) };
    match read {
        Some(found) => {
            let found = found.store(&mut m.heap);
            m.answer(number, found)
        }
        None if form == TextForm::String => Ok(Next::False),
        None => Err(m.syntax_error("illegal_number")),
    }
}

/// Parses a number without layout before it; names of special floats such as `inf` are not accepted.
fn plain_number(text: &str) -> Option<crate::data::Number> {
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    if begins { read_number(text) } else { None }
}

fn atom_number(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (atom, number) = (m.arg(a, 0), m.arg(a, 1));
    let is_text = matches!(atom.tag(), Tag::Atom | Tag::Text) && !atom.is_nil();
    if is_text {
        let text = m.atomic_text(atom).unwrap_or_default();
        return match plain_number(&text) {
            Some(found) => {
                let found = found.store(&mut m.heap);
                m.answer(number, found)
            }
            None => Ok(Next::False),
        };
    }
    match (atom.is_var(), number.is_var()) {
        (true, true) => Err(m.instantiation_error()),
        (false, true) => Err(m.type_error("atom", atom)),
        (_, false) if !number.is_number() => Err(m.type_error("number", number)),
        (false, false) => Ok(Next::False),
        (true, false) => {
            let text = m.atomic_text(number).unwrap_or_default();
            let new = m.atom_named(&text);
            m.answer(atom, new)
        }
    }
}

fn text_to_string(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (text, string) = (m.arg(a, 0), m.arg(a, 1));
    if text.is_number() {
        return Err(m.type_error("text", text));
    }
    let found = m.text_arg(text)?;
    if !string.is_var() {
        return Ok((m.known_text(string).as_deref() == Some(found.as_str())).into());
    }
    let new = m.heap.text(&found);
    m.answer(string, new)
}
