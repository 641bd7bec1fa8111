//! The encoding of terms as bytes.

use super::{FLOAT_TEXT_BYTES, VERSION, tag};
use crate::{Atom, Bits, Fun, List, Pid, Term};
use num_bigint::{BigInt, Sign};
use std::fmt;
use std::slice::Iter;

/// A part of the term has more elements than the format can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the term is too large for the external term format")
    }
}

impl std::error::Error for TooLarge {}

/// Which of several forms to write where readers accept more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub atoms: AtomForm,
    pub floats: FloatForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomForm {
    Utf8,
    /// Latin-1 if all characters are in Latin-1, otherwise UTF-8.
    Latin1,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatForm {
    Bits,
    Text,
}

impl Form {
    /// The form that OTP 26 and later write by default; all versions since OTP 23 read it.
    pub const MODERN: Form = Form { atoms: AtomForm::Utf8, floats: FloatForm::Bits };

    /// Returns the form of a minor version of `term_to_binary`; the default of OTP 25 is 1.
    pub fn of_minor_version(version: i64) -> Option<Form> {
        match version {
            0 => Some(Form { atoms: AtomForm::Latin1, floats: FloatForm::Text }),
            1 => Some(Form { atoms: AtomForm::Latin1, floats: FloatForm::Bits }),
            2 => Some(Form::MODERN),
            _ => None,
        }
    }
}

pub fn encode(term: &Term) -> Result<Vec<u8>, TooLarge> {
    encode_as(term, Form::MODERN)
}

pub fn encode_as(term: &Term, form: Form) -> Result<Vec<u8>, TooLarge> {
    let mut writer = Writer { out: vec![VERSION], stack: Vec::new(), form };
    writer.begin(term)?;
    while let Some(work) = writer.stack.last_mut() {
        match work {
            EncodeTask::Terms(terms) => match terms.next() {
                Some(next) => writer.begin(next)?,
                None => drop(writer.stack.pop()),
            },
            EncodeTask::Pairs(pairs) => match pairs.next() {
                Some((key, value)) => {
                    writer.stack.push(EncodeTask::Terms(std::slice::from_ref(value).iter()));
                    writer.begin(key)?;
                }
                None => drop(writer.stack.pop()),
            },
            EncodeTask::FunSize(start) => {
                let start = *start;
                writer.stack.pop();
                writer.set_size(start)?;
            }
        }
    }
    Ok(writer.out)
}

struct Writer<'a> {
    out: Vec<u8>,
    stack: Vec<EncodeTask<'a>>,
    form: Form,
}

/// What remains to be written, the innermost part last.
enum EncodeTask<'a> {
    Terms(Iter<'a, Term>),
    Pairs(Iter<'a, (Term, Term)>),
    /// The fun that began at this offset is complete: its size must be written there.
    FunSize(usize),
}

impl<'a> Writer<'a> {
    fn begin(&mut self, term: &'a Term) -> Result<(), TooLarge> {
        match term {
            Term::Int(value) => self.int(*value),
            Term::Big(value) => self.big(value)?,
            Term::Float(value) => self.float(*value),
            Term::Atom(atom) => self.atom(atom)?,
            Term::Nil => self.out.push(tag::NIL),
            Term::List(list) => self.list(list)?,
            Term::Tuple(items) => {
                match u8::try_from(items.len()) {
                    Ok(arity) => self.out.extend([tag::SMALL_TUPLE, arity]),
                    Err(_) => self.tagged_len(tag::LARGE_TUPLE, items.len())?,
                }
                self.stack.push(EncodeTask::Terms(items.iter()));
            }
            Term::Map(pairs) => {
                self.tagged_len(tag::MAP, pairs.len())?;
                self.stack.push(EncodeTask::Pairs(pairs.iter()));
            }
            Term::Bits(bits) => self.bits(bits)?,
            Term::Fun(fun) => self.fun(fun)?,
            Term::Pid(pid) => self.pid(pid)?,
            Term::Port(port) => {
                match u32::try_from(port.id) {
                    Ok(id) => {
                        self.out.push(tag::NEW_PORT);
                        self.atom(&port.node)?;
                        self.u32(id);
                    }
                    Err(_) => {
                        self.out.push(tag::V4_PORT);
                        self.atom(&port.node)?;
                        self.out.extend(port.id.to_be_bytes());
                    }
                }
                self.u32(port.creation);
            }
            Term::Ref(reference) => {
                let len = u16::try_from(reference.words.len()).map_err(|_| TooLarge)?;
                self.out.push(tag::NEWER_REFERENCE);
                self.out.extend(len.to_be_bytes());
                self.atom(&reference.node)?;
                self.u32(reference.creation);
                for word in &reference.words {
                    self.u32(*word);
                }
            }
        }
        Ok(())
    }

    fn int(&mut self, value: i64) {
        if let Ok(byte) = u8::try_from(value) {
            self.out.extend([tag::SMALL_INTEGER, byte]);
        } else if let Ok(word) = i32::try_from(value) {
            self.out.push(tag::INTEGER);
            self.out.extend(word.to_be_bytes());
        } else {
            let digits = value.unsigned_abs().to_le_bytes();
            let used = digits.iter().rposition(|it| *it != 0).map_or(0, |last| last + 1);
            let digits = digits.get(..used).unwrap_or(&digits);
            // There are at most eight digits.
            let len = u8::try_from(used).unwrap_or(u8::MAX);
            self.out.extend([tag::SMALL_BIG, len, u8::from(value < 0)]);
            self.out.extend_from_slice(digits);
        }
    }

    fn big(&mut self, value: &BigInt) -> Result<(), TooLarge> {
        let (sign, digits) = value.to_bytes_le();
        match u8::try_from(digits.len()) {
            Ok(len) => self.out.extend([tag::SMALL_BIG, len]),
            Err(_) => self.tagged_len(tag::LARGE_BIG, digits.len())?,
        }
        self.out.push(u8::from(sign == Sign::Minus));
        self.out.extend(digits);
        Ok(())
    }

    fn float(&mut self, value: f64) {
        match self.form.floats {
            FloatForm::Bits => {
                self.out.push(tag::NEW_FLOAT);
                self.out.extend(value.to_be_bytes());
            }
            FloatForm::Text => {
                self.out.push(tag::FLOAT);
                let mut field = float_text(value).into_bytes();
                field.resize(FLOAT_TEXT_BYTES, 0);
                self.out.extend(field);
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Result<(), TooLarge> {
        let latin1 = match self.form.atoms {
            AtomForm::Utf8 => None,
            AtomForm::Latin1 => {
                let bytes = atom.as_str().chars().map(|it| u8::try_from(u32::from(it)).ok());
                bytes.collect::<Option<Vec<u8>>>()
            }
        };
        if let Some(bytes) = latin1 {
            let len = u16::try_from(bytes.len()).map_err(|_| TooLarge)?;
            self.out.push(tag::ATOM);
            self.out.extend(len.to_be_bytes());
            self.out.extend(bytes);
            return Ok(());
        }
        let text = atom.as_str().as_bytes();
        match u8::try_from(text.len()) {
            Ok(len) => self.out.extend([tag::SMALL_ATOM_UTF8, len]),
            Err(_) => {
                let len = u16::try_from(text.len()).map_err(|_| TooLarge)?;
                self.out.push(tag::ATOM_UTF8);
                self.out.extend(len.to_be_bytes());
            }
        }
        self.out.extend_from_slice(text);
        Ok(())
    }

    fn list(&mut self, list: &'a List) -> Result<(), TooLarge> {
        if let Some(text) = byte_string(list) {
            let len = u16::try_from(text.len()).map_err(|_| TooLarge)?;
            self.out.push(tag::STRING);
            self.out.extend(len.to_be_bytes());
            self.out.extend(text);
            return Ok(());
        }
        self.tagged_len(tag::LIST, list.items.len())?;
        self.stack.push(EncodeTask::Terms(std::slice::from_ref(&list.tail).iter()));
        self.stack.push(EncodeTask::Terms(list.items.iter()));
        Ok(())
    }

    fn bits(&mut self, bits: &Bits) -> Result<(), TooLarge> {
        let bytes = bits.padded_bytes();
        match u8::try_from(bits.bit_len() % 8) {
            Ok(used) if used != 0 => {
                self.tagged_len(tag::BIT_BINARY, bytes.len())?;
                self.out.push(used);
            }
            _ => self.tagged_len(tag::BINARY, bytes.len())?,
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn fun(&mut self, fun: &'a Fun) -> Result<(), TooLarge> {
        match fun {
            // The format has no such function.
            Fun::Table { .. } => return Err(TooLarge),
            Fun::External { module, function, arity } => {
                self.out.push(tag::EXPORT);
                self.atom(module)?;
                self.atom(function)?;
                self.int(i64::from(*arity));
            }
            Fun::Closure { module, arity, index, uniq, old_index, old_uniq, pid, env } => {
                self.out.push(tag::NEW_FUN);
                let start = self.out.len();
                self.u32(0);
                self.out.push(*arity);
                self.out.extend(uniq);
                self.u32(*index);
                self.u32(u32::try_from(env.len()).map_err(|_| TooLarge)?);
                self.atom(module)?;
                self.int(*old_index);
                self.int(*old_uniq);
                self.pid(pid)?;
                self.stack.push(EncodeTask::FunSize(start));
                self.stack.push(EncodeTask::Terms(env.iter()));
            }
        }
        Ok(())
    }

    /// Writes the size of a fun, which includes the size field itself.
    fn set_size(&mut self, start: usize) -> Result<(), TooLarge> {
        let size = u32::try_from(self.out.len() - start).map_err(|_| TooLarge)?;
        if let Some(field) = self.out.get_mut(start..start + 4) {
            field.copy_from_slice(&size.to_be_bytes());
        }
        Ok(())
    }

    fn pid(&mut self, pid: &Pid) -> Result<(), TooLarge> {
        self.out.push(tag::NEW_PID);
        self.atom(&pid.node)?;
        self.u32(pid.id);
        self.u32(pid.serial);
        self.u32(pid.creation);
        Ok(())
    }

    fn tagged_len(&mut self, tag: u8, len: usize) -> Result<(), TooLarge> {
        self.out.push(tag);
        self.u32(u32::try_from(len).map_err(|_| TooLarge)?);
        Ok(())
    }

    fn u32(&mut self, value: u32) {
        self.out.extend(value.to_be_bytes());
    }
}

/// Returns a float in the form `"~.20e"`: the exponent has a sign and at least two digits.
fn float_text(value: f64) -> String {
    let text = format!("{value:.20e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Returns the bytes of a proper list of bytes that is short enough for the format's string form.
fn byte_string(list: &List) -> Option<Vec<u8>> {
    if !matches!(list.tail, Term::Nil) || list.items.len() > usize::from(u16::MAX) {
        return None;
    }
    list.items.iter().map(|it| it.as_int().and_then(|it| u8::try_from(it).ok())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Form, encode_as};
    use crate::read_term;

    /// Checks the encoding against the answer of `term_to_binary` of OTP 25.
    fn check(text: &str, minor_version: i64, expect: &[u8]) {
        let form = Form::of_minor_version(minor_version).unwrap();
        assert_eq!(encode_as(&read_term(text).unwrap(), form).unwrap(), expect, "{text}");
    }

    #[test]
    fn minor_versions() {
        check("'é'", 1, &[131, 100, 0, 1, 233]);
        check("'λ'", 1, &[131, 119, 2, 206, 187]);
        check("'é'", 2, &[131, 119, 2, 195, 169]);
        check("fun a:b/2", 0, &[131, 113, 100, 0, 1, 97, 100, 0, 1, 98, 97, 2]);
        check("1.5", 1, &[131, 70, 63, 248, 0, 0, 0, 0, 0, 0]);
        check("1.5", 0, b"\x83c1.50000000000000000000e+00\0\0\0\0\0");
        check("-2.5e-300", 0, b"\x83c-2.49999999999999997976e-300\0\0\0");
        assert_eq!(Form::of_minor_version(3), None);
    }
}
