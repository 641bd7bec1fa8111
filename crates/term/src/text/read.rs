//! Reads terms as a person types them at the Erlang shell.
//!
//! Only literals are read; nothing is evaluated, and variables have no values. Unfinished compounds are kept on an
//! explicit stack. The depth is bounded, because terms are compared and dropped recursively.

use super::handles::{self, Handle};
use super::names::is_reserved_word;
use super::print::{Style, print};
use super::scan::{Scanner, Token};
use super::segments;
use crate::ground::{Atom, Fun, Term};
use std::fmt;

/// A call such as `lists:seq(1, 3)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub module: Atom,
    pub function: Atom,
    pub args: Vec<Term>,
}

/// The offset in bytes at which reading failed, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub offset: usize,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    Expected {
        expected: &'static str,
        found: String,
    },
    Variable(String),
    ReservedWord(String),
    StrayCharacter(char),
    Unfinished(&'static str),
    BadNumber,
    BadBase(String),
    BadEscape,
    GreatFloat,
    LongAtom,
    BadSegment(&'static str),
    /// The term has more than this many levels.
    TooDeep(usize),
}

/// Reads a term, which may be followed by a dot only.
pub fn read_term(text: &str) -> Result<Term, ReadError> {
    let mut reader = Reader::new(text)?;
    let res = reader.term()?;
    reader.end()?;
    Ok(res)
}

/// Reads the arguments of a call: a list such as `[1, a]`, or the text between the parentheses such as `1, a`.
pub fn read_args(text: &str) -> Result<Vec<Term>, ReadError> {
    let mut reader = Reader::new(text)?;
    if reader.token == Token::End {
        return Ok(vec![]);
    }
    let start = reader.offset;
    let first = reader.term()?;
    if reader.token != Token::Mark(",") {
        reader.end()?;
        return match first.as_list() {
            Some(items) => Ok(items.to_vec()),
            None => {
                let found = print(&first, Style::TP);
                let problem = Problem::Expected { expected: "a list of arguments", found };
                Err(ReadError { offset: start, problem })
            }
        };
    }
    let mut res = vec![first];
    while reader.accept(",")? {
        res.push(reader.term()?);
    }
    reader.end()?;
    Ok(res)
}

pub fn read_call(text: &str) -> Result<Call, ReadError> {
    let mut reader = Reader::new(text)?;
    let module = reader.atom("a module name")?;
    reader.expect(":", "`:` and a function name")?;
    let function = reader.atom("a function name")?;
    reader.expect("(", "`(` and arguments")?;
    let mut args = Vec::new();
    if !reader.accept(")")? {
        loop {
            args.push(reader.term()?);
            if !reader.accept(",")? {
                break;
            }
        }
        reader.expect(")", "`,` or `)`")?;
    }
    reader.end()?;
    Ok(Call { module, function, args })
}

/// Deeper than a person types, and shallow enough for any thread's stack.
const MAX_DEPTH: usize = 10_000;

pub(super) struct Reader<'a> {
    scanner: Scanner<'a>,
    /// The next token; `offset` is its beginning.
    pub(super) token: Token,
    pub(super) offset: usize,
    /// How many bitstrings and functions enclose the current place; these are read recursively.
    pub(super) n_nested: usize,
    /// The names of the variables so far, where variables may have any name; `None` where they may not.
    pub(super) variables: Option<Vec<String>>,
}

/// An unfinished compound.
enum Open {
    List(Vec<Term>),
    Tail(Vec<Term>),
    Tuple(Vec<Term>),
    Key(Vec<(Term, Term)>),
    Value(Vec<(Term, Term)>, Term),
    Parens,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Result<Reader<'a>, ReadError> {
        let mut scanner = Scanner::new(text);
        let (offset, token) = scanner.next()?;
        Ok(Reader { scanner, token, offset, n_nested: 0, variables: None })
    }

    pub(super) fn term(&mut self) -> Result<Term, ReadError> {
        let mut open = Vec::new();
        loop {
            if MAX_DEPTH < open.len() {
                return Err(ReadError {
                    offset: self.offset,
                    problem: Problem::TooDeep(MAX_DEPTH),
                });
            }
            let Some(mut term) = self.leaf_or_opening(&mut open)? else { continue };
            loop {
                let Some(waiting) = open.pop() else { return Ok(term) };
                match self.close(&mut open, waiting, term)? {
                    Some(closed) => term = closed,
                    None => break,
                }
            }
        }
    }

    /// Returns a complete term, or `None` if a compound was opened.
    fn leaf_or_opening(&mut self, open: &mut Vec<Open>) -> Result<Option<Term>, ReadError> {
        if self.accept("[")? {
            if self.accept("]")? {
                return Ok(Some(Term::Nil));
            }
            open.push(Open::List(vec![]));
        } else if self.accept("{")? {
            if self.accept("}")? {
                return Ok(Some(Term::Tuple(vec![])));
            }
            open.push(Open::Tuple(vec![]));
        } else if self.accept("#{")? {
            if self.accept("}")? {
                return Ok(Some(Term::Map(vec![])));
            }
            open.push(Open::Key(vec![]));
        } else if self.accept("(")? {
            open.push(Open::Parens);
        } else {
            return self.leaf().map(Some);
        }
        Ok(None)
    }

    /// Adds a part to a compound. Returns the compound if that was its last part, otherwise puts it back on `open`.
    fn close(
        &mut self,
        open: &mut Vec<Open>,
        waiting: Open,
        part: Term,
    ) -> Result<Option<Term>, ReadError> {
        let still_open = match waiting {
            Open::List(mut items) => {
                items.push(part);
                if self.accept(",")? {
                    Open::List(items)
                } else if self.accept("|")? {
                    Open::Tail(items)
                } else {
                    self.expect("]", "`,`, `|` or `]`")?;
                    return Ok(Some(Term::proper_list(items)));
                }
            }
            Open::Tail(items) => {
                self.expect("]", "`]`")?;
                return Ok(Some(Term::list(items, part)));
            }
            Open::Tuple(mut items) => {
                items.push(part);
                if !self.accept(",")? {
                    self.expect("}", "`,` or `}`")?;
                    return Ok(Some(Term::Tuple(items)));
                }
                Open::Tuple(items)
            }
            Open::Key(pairs) => {
                self.expect("=>", "`=>` and a value")?;
                Open::Value(pairs, part)
            }
            Open::Value(mut pairs, key) => {
                pairs.push((key, part));
                if !self.accept(",")? {
                    self.expect("}", "`,` or `}`")?;
                    return Ok(Some(Term::map(pairs)));
                }
                Open::Key(pairs)
            }
            Open::Parens => {
                self.expect(")", "`)`")?;
                return Ok(Some(part));
            }
        };
        open.push(still_open);
        Ok(None)
    }

    pub(super) fn leaf(&mut self) -> Result<Term, ReadError> {
        match &self.token {
            Token::Int(_) | Token::Float(_) | Token::Mark("-" | "+") => self.number(),
            Token::Str(_) => Ok(Term::string(&self.strings()?)),
            Token::Word(word) if word == "fun" => self.fun(),
            Token::Atom(_) | Token::Word(_) => {
                let atom = self.atom("a term")?;
                match handles::of_function(atom.as_str()) {
                    Some(handle) if self.accept("(")? => self.handle(handle),
                    _ => Ok(Term::Atom(atom)),
                }
            }
            Token::Mark("<<") => segments::bitstring(self),
            Token::Variable(_) | Token::Mark(_) | Token::End => Err(self.unexpected("a term")),
        }
    }

    /// Reads the arguments of a call such as `list_to_pid("<0.1.0>")`.
    fn handle(&mut self, handle: Handle) -> Result<Term, ReadError> {
        let expected = "a string as the shell prints it, such as \"<0.1.0>\"";
        let start = self.offset;
        let text = self.strings()?;
        let res = handles::read(handle, &text).ok_or_else(|| ReadError {
            offset: start,
            problem: Problem::Expected { expected, found: format!("{text:?}") },
        })?;
        self.expect(")", "`)`")?;
        Ok(res)
    }

    pub(super) fn number(&mut self) -> Result<Term, ReadError> {
        let mut negative = false;
        while let Token::Mark(sign @ ("-" | "+")) = self.token {
            negative ^= sign == "-";
            self.advance()?;
        }
        let res = match &self.token {
            Token::Int(value) => Term::integer(if negative { -value } else { value.clone() }),
            Token::Float(value) => Term::Float(if negative { -value } else { *value }),
            Token::Atom(_)
            | Token::Word(_)
            | Token::Variable(_)
            | Token::Str(_)
            | Token::Mark(_)
            | Token::End => return Err(self.unexpected("a number")),
        };
        self.advance()?;
        Ok(res)
    }

    /// Reads a string and the strings directly after it, which are part of it.
    pub(super) fn strings(&mut self) -> Result<String, ReadError> {
        let mut res = String::new();
        while let Token::Str(text) = &self.token {
            res.push_str(text);
            self.advance()?;
        }
        Ok(res)
    }

    /// Reads `fun m:f/1`, or a table.
    fn fun(&mut self) -> Result<Term, ReadError> {
        self.advance()?;
        if self.token == Token::Mark("(") {
            return super::tables::read(self);
        }
        let module = self.atom("a module name, as in `fun lists:map/2`")?;
        self.expect(":", "`:` and a function name")?;
        let function = self.atom("a function name")?;
        self.expect("/", "`/` and an arity")?;
        let expected = "an arity from 0 to 255";
        let start = self.offset;
        let arity = u8::try_from(self.small_integer(expected)?).map_err(|_| {
            let problem = Problem::Expected { expected, found: "a greater number".to_owned() };
            ReadError { offset: start, problem }
        })?;
        Ok(Term::Fun(Box::new(Fun::External { module, function, arity })))
    }

    pub(super) fn atom(&mut self, expected: &'static str) -> Result<Atom, ReadError> {
        if matches!(&self.token, Token::Word(text) if is_reserved_word(text)) {
            return Err(self.unexpected(expected));
        }
        let (Token::Atom(text) | Token::Word(text)) = &self.token else {
            return Err(self.unexpected(expected));
        };
        let res = Atom::new(text);
        self.advance()?;
        Ok(res)
    }

    pub(super) fn small_integer(&mut self, expected: &'static str) -> Result<usize, ReadError> {
        if let Token::Int(value) = &self.token
            && let Ok(value) = usize::try_from(value)
        {
            self.advance()?;
            return Ok(value);
        }
        Err(self.unexpected(expected))
    }

    pub(super) fn end(&mut self) -> Result<(), ReadError> {
        self.accept(".")?;
        if self.token == Token::End { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    pub(super) fn advance(&mut self) -> Result<(), ReadError> {
        (self.offset, self.token) = self.scanner.next()?;
        Ok(())
    }

    pub(super) fn accept(&mut self, mark: &'static str) -> Result<bool, ReadError> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(
        &mut self,
        mark: &'static str,
        expected: &'static str,
    ) -> Result<(), ReadError> {
        if self.accept(mark)? { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    pub(super) fn expect_word(&mut self, word: &'static str) -> Result<(), ReadError> {
        if self.token != Token::Word(word.to_owned()) {
            return Err(self.unexpected(word));
        }
        self.advance()
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> ReadError {
        let found = &self.token;
        let problem = match found {
            Token::Variable(name) => Problem::Variable(name.clone()),
            Token::Word(word) if is_reserved_word(word) => Problem::ReservedWord(word.clone()),
            Token::Int(_)
            | Token::Float(_)
            | Token::Atom(_)
            | Token::Word(_)
            | Token::Str(_)
            | Token::Mark(_)
            | Token::End => Problem::Expected { expected, found: found.describe() },
        };
        ReadError { offset: self.offset, problem }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Expected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Problem::Variable(name) => {
                write!(f, "{name} is a variable; only literal terms can be given here")
            }
            Problem::ReservedWord(word) => {
                write!(f, "{word} is a reserved word; as an atom it is written '{word}'")
            }
            Problem::StrayCharacter(c) => write!(f, "`{c}` can't be part of a term"),
            Problem::Unfinished(what) => write!(f, "{what} starts here and does not end"),
            Problem::BadNumber => write!(f, "not a number"),
            Problem::BadBase(base) => write!(f, "{base} is no base; it must be from 2 to 36"),
            Problem::BadEscape => write!(f, "this escape names no character"),
            Problem::GreatFloat => write!(f, "this float is too great to be represented"),
            Problem::LongAtom => write!(f, "an atom has at most 255 characters"),
            Problem::BadSegment(why) => write!(f, "{why}"),
            Problem::TooDeep(limit) => write!(f, "nested deeper than {limit} levels"),
        }
    }
}

impl std::error::Error for ReadError {}

#[cfg(test)]
mod tests;
