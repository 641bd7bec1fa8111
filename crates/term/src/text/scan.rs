//! Splits the text of a term into tokens.
//!
//! Knows characters, numbers and escapes, not the order of tokens.

use super::names::{continues_name, starts_atom, starts_variable};
use super::read::{Problem, ReadError};
use num_bigint::BigInt;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(BigInt),
    Float(f64),
    Atom(String),
    /// A name without quotes, which may be a reserved word.
    Word(String),
    Variable(String),
    Str(String),
    Mark(&'static str),
    End,
}

impl Token {
    /// Returns the name of the token for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Int(value) => format!("{value}"),
            Token::Float(value) => super::float_text(*value),
            Token::Atom(text) => format!("'{text}'"),
            Token::Word(text) | Token::Variable(text) => text.clone(),
            Token::Str(_) => "a string".to_owned(),
            Token::Mark(text) => format!("`{text}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Longer marks come before their prefixes.
const MARKS: &[&str] = &[
    "<<", ">>", "=:=", "=>", ":=", "#{", "->", ";", "[", "]", "{", "}", "(", ")", ",", "|", ":",
    "=", "/", "-", "+", ".",
];

/// The maximal length of an atom in characters.
const MAX_ATOM_CHARS: usize = 255;

#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// Returns the next token and where it starts.
    pub(super) fn next(&mut self) -> Result<(usize, Token), ReadError> {
        self.skip_blanks();
        let start = self.at;
        let Some(c) = self.peek() else { return Ok((start, Token::End)) };
        let token = match c {
            '0'..='9' => self.number()?,
            '$' => self.character()?,
            '"' => Token::Str(self.quoted('"')?),
            '\'' => Token::Atom(self.quoted('\'')?),
            _ if starts_atom(c) => Token::Word(self.name()),
            _ if starts_variable(c) => Token::Variable(self.name()),
            _ => self.mark()?,
        };
        if let Token::Atom(text) | Token::Word(text) = &token
            && MAX_ATOM_CHARS < text.chars().count()
        {
            return Err(ReadError { offset: start, problem: Problem::LongAtom });
        }
        Ok((start, token))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn fail<T>(&self, offset: usize, problem: Problem) -> Result<T, ReadError> {
        Err(ReadError { offset, problem })
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|c| c <= ' ' || ('\u{80}'..='\u{a0}').contains(&c));
            if self.peek() != Some('%') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn name(&mut self) -> String {
        self.take_while(continues_name).to_owned()
    }

    fn mark(&mut self) -> Result<Token, ReadError> {
        match MARKS.iter().find(|it| self.rest().starts_with(**it)) {
            Some(mark) => {
                self.at += mark.len();
                Ok(Token::Mark(mark))
            }
            None => self.fail(self.at, Problem::StrayCharacter(self.peek().unwrap_or_default())),
        }
    }

    /// Reads a number such as `17`, `1_000`, `16#ff`, `1.5` or `2.0e-3`.
    fn number(&mut self) -> Result<Token, ReadError> {
        let start = self.at;
        let whole = self.digits(10)?;
        if self.peek() == Some('#') && !self.rest().starts_with("#{") {
            self.bump();
            let base = whole.parse::<u32>().ok().filter(|it| (2..=36).contains(it));
            let Some(base) = base else { return self.fail(start, Problem::BadBase(whole)) };
            let digits = self.digits(base)?;
            return self.integer(start, &digits, base);
        }
        let mut after_point = self.rest().chars().skip(1);
        if self.peek() != Some('.') || !after_point.next().is_some_and(|it| it.is_ascii_digit()) {
            return self.integer(start, &whole, 10);
        }
        self.bump();
        let fraction = self.digits(10)?;
        let mut text = format!("{whole}.{fraction}");
        if matches!(self.peek(), Some('e' | 'E')) {
            self.bump();
            text.push('e');
            if let Some(sign @ ('+' | '-')) = self.peek() {
                self.bump();
                text.push(sign);
            }
            text.push_str(&self.digits(10)?);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Float(value)),
            Ok(_) | Err(_) => self.fail(start, Problem::GreatFloat),
        }
    }

    fn integer(&self, start: usize, digits: &str, base: u32) -> Result<Token, ReadError> {
        match BigInt::parse_bytes(digits.as_bytes(), base) {
            Some(value) => Ok(Token::Int(value)),
            None => self.fail(start, Problem::BadNumber),
        }
    }

    /// Reads digits of a base, without the single underscores between them.
    fn digits(&mut self, base: u32) -> Result<String, ReadError> {
        let start = self.at;
        let text = self.take_while(|c| c.is_digit(base) || c == '_');
        let lonely = text.starts_with('_') || text.ends_with('_') || text.contains("__");
        if text.is_empty() || lonely || self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.fail(start, Problem::BadNumber);
        }
        Ok(text.replace('_', ""))
    }

    /// Reads a character such as `$a` or `$\n`.
    fn character(&mut self) -> Result<Token, ReadError> {
        let start = self.at;
        self.bump();
        let c = match self.bump() {
            Some('\\') => self.escape(start)?,
            Some(c) => c,
            None => return self.fail(start, Problem::Unfinished("a character")),
        };
        Ok(Token::Int(BigInt::from(u32::from(c))))
    }

    fn quoted(&mut self, quote: char) -> Result<String, ReadError> {
        let start = self.at;
        self.bump();
        let mut res = String::new();
        loop {
            let at = self.at;
            match self.bump() {
                Some('\\') => res.push(self.escape(at)?),
                Some(c) if c == quote => return Ok(res),
                Some(c) => res.push(c),
                None => {
                    let what = if quote == '"' { "a string" } else { "a quoted atom" };
                    return self.fail(start, Problem::Unfinished(what));
                }
            }
        }
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self, start: usize) -> Result<char, ReadError> {
        let Some(c) = self.bump() else {
            return self.fail(start, Problem::Unfinished("an escape"));
        };
        Ok(match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'b' => '\x08',
            'f' => '\x0c',
            'e' => '\x1b',
            's' => ' ',
            'd' => '\x7f',
            '0'..='7' => {
                let mut code = c.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|it| it.to_digit(8)) else { break };
                    self.bump();
                    code = code * 8 + digit;
                }
                self.code_point(start, Some(code))?
            }
            'x' if self.peek() == Some('{') => {
                self.bump();
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                if self.bump() != Some('}') {
                    return self.fail(start, Problem::BadEscape);
                }
                self.code_point(start, u32::from_str_radix(digits, 16).ok())?
            }
            'x' => {
                let digits: String = self.rest().chars().take(2).collect();
                self.at += digits.len();
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 2);
                self.code_point(start, code)?
            }
            '^' => match self.bump() {
                Some(c) => self.code_point(start, Some(u32::from(c) & 31))?,
                None => return self.fail(start, Problem::Unfinished("an escape")),
            },
            other => other,
        })
    }

    fn code_point(&self, start: usize, code: Option<u32>) -> Result<char, ReadError> {
        match code.and_then(char::from_u32) {
            Some(c) => Ok(c),
            None => self.fail(start, Problem::BadEscape),
        }
    }
}
