//! The lexer: text to tokens.
//!
//! Knows no operators: the caller tells whether a minus sign before a digit belongs to the number.

use crate::data::Number;
use crate::text::chars::{is_alnum, is_blank, is_name_start, is_symbol_char, is_var_start};
use crate::text::numbers::scan_number;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name without quotes: letters and digits, symbol characters, or a solo character.
    Name(String),
    Quoted(String),
    Var(String),
    Number(Number),
    /// `"..."`
    DoubleQuoted(String),
    /// `` `...` ``
    BackQuoted(String),
    /// One of the characters `( ) [ ] { } , |`.
    Punct(char),
    FullStop,
    EndOfFile,
}

/// The character that follows a token without layout between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Open,
    Brace,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) after: After,
}

/// Why there is no token: SWI-Prolog's name of the error, and its offset in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LexError {
    pub(crate) name: String,
    pub(crate) at: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    /// The spans of comments that were skipped since the caller last emptied this list.
    pub(crate) comments: Vec<(usize, usize)>,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, comments: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Returns the next token. `operand` says that a term may start here, so that a minus sign before a digit
    /// belongs to the number.
    pub(crate) fn next(&mut self, operand: bool) -> Result<Lexed, LexError> {
        self.skip_layout()?;
        let start = self.at;
        let token = self.token(operand)?;
        let after = match self.peek() {
            Some('(') => After::Open,
            Some('{') => After::Brace,
            _ => After::Other,
        };
        Ok(Lexed { token, start, after })
    }

    fn token(&mut self, operand: bool) -> Result<Token, LexError> {
        let start = self.at;
        let Some(c) = self.next_char() else { return Ok(Token::EndOfFile) };
        match c {
            '0'..='9' => {
                self.at = start;
                self.number()
            }
            '\'' => self.quoted('\'').map(Token::Quoted),
            '"' => self.quoted('"').map(Token::DoubleQuoted),
            '`' => self.quoted('`').map(Token::BackQuoted),
            '(' | ')' | ']' | '}' | ',' => Ok(Token::Punct(c)),
            '[' | '{' => {
                let close = if c == '[' { ']' } else { '}' };
                let here = (self.at, self.comments.len());
                self.skip_layout()?;
                if self.peek() == Some(close) {
                    self.next_char();
                    return Ok(Token::Name(if c == '[' { "[]" } else { "{}" }.to_owned()));
                }
                self.at = here.0;
                self.comments.truncate(here.1);
                Ok(Token::Punct(c))
            }
            '|' => {
                if self.peek() == Some('|') {
                    self.next_char();
                    return Ok(Token::Name("||".to_owned()));
                }
                Ok(Token::Punct('|'))
            }
            '!' | ';' => Ok(Token::Name(c.to_string())),
            '.' if self.ends_clause() => Ok(Token::FullStop),
            '-' if operand && self.peek().is_some_and(|it| it.is_ascii_digit()) => {
                self.number().map(negate)
            }
            _ if is_var_start(c) => {
                self.skip_while(is_alnum);
                Ok(Token::Var(self.since(start)))
            }
            _ if is_name_start(c) => {
                self.skip_while(is_alnum);
                Ok(Token::Name(self.since(start)))
            }
            _ if is_symbol_char(c) => {
                self.skip_while(is_symbol_char);
                Ok(Token::Name(self.since(start)))
            }
            _ => Err(LexError { name: "illegal_character".to_owned(), at: start }),
        }
    }

    /// Whether a dot at the current offset, already consumed, ends the clause.
    fn ends_clause(&self) -> bool {
        self.peek().is_none_or(|c| is_blank(c) || c == '%')
    }

    fn number(&mut self) -> Result<Token, LexError> {
        match scan_number(self.rest()) {
            Ok((number, len)) => {
                self.at += len;
                Ok(Token::Number(number))
            }
            Err((name, len)) => {
                let at = self.at;
                self.at += len.max(1);
                Err(LexError { name: name.to_owned(), at })
            }
        }
    }

    /// Returns the text between quotes. The opening quote was already consumed.
    fn quoted(&mut self, quote: char) -> Result<String, LexError> {
        let start = self.at - 1;
        let mut res = String::new();
        loop {
            let at = self.at;
            match self.next_char() {
                None => {
                    return Err(LexError { name: "end_of_file_in_quoted".to_owned(), at: start });
                }
                Some(c) if c == quote => {
                    if self.peek() != Some(quote) {
                        return Ok(res);
                    }
                    self.next_char();
                    res.push(quote);
                }
                Some('\\') => match scan_escape(self.rest(), quote) {
                    Ok((c, len)) => {
                        self.at += len;
                        res.extend(c);
                    }
                    Err(name) => {
                        // Skip to the closing quote, so that reading can continue after the clause.
                        self.skip_quoted(quote);
                        return Err(LexError { name, at });
                    }
                },
                Some(c) => res.push(c),
            }
        }
    }

    fn skip_quoted(&mut self, quote: char) {
        while let Some(c) = self.next_char() {
            if c == '\\' {
                self.next_char();
            } else if c == quote {
                return;
            }
        }
    }

    /// Skips blanks and comments.
    pub(crate) fn skip_layout(&mut self) -> Result<(), LexError> {
        loop {
            self.skip_while(is_blank);
            let start = self.at;
            match (self.peek(), self.peek_second()) {
                (Some('%'), _) => {
                    self.skip_while(|c| c != '\n');
                    self.comments.push((start, self.at));
                }
                (Some('/'), Some('*')) => match self.rest().get(2..).and_then(|it| it.find("*/")) {
                    Some(len) => {
                        self.at += len + 4;
                        self.comments.push((start, self.at));
                    }
                    None => {
                        self.at = self.text.len();
                        return Err(LexError {
                            name: "end_of_file_in_block_comment".to_owned(),
                            at: start,
                        });
                    }
                },
                _ => return Ok(()),
            }
        }
    }

    fn skip_while(&mut self, of: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !of(c)).unwrap_or(rest.len());
    }

    fn since(&self, start: usize) -> String {
        self.text.get(start..self.at).unwrap_or("").to_owned()
    }
}

fn negate(token: Token) -> Token {
    match token {
        Token::Number(Number::Int(it)) => Token::Number(
            it.checked_neg()
                .map_or_else(|| Number::integer(-num_bigint::BigInt::from(it)), Number::Int),
        ),
        Token::Number(Number::Big(it)) => Token::Number(Number::integer(-it)),
        Token::Number(Number::Rational(it)) => Token::Number(Number::Rational(it.neg())),
        Token::Number(Number::Float(it)) => Token::Number(Number::Float(-it)),
        other @ Token::Name(_)
        | other @ Token::Quoted(_)
        | other @ Token::Var(_)
        | other @ Token::DoubleQuoted(_)
        | other @ Token::BackQuoted(_)
        | other @ Token::Punct(_)
        | other @ Token::FullStop
        | other @ Token::EndOfFile => other,
    }
}

/// Reads the part of an escape sequence after the backslash. Returns the character (`None` if the escape
/// stands for no character), and how many bytes it took.
pub(crate) fn scan_escape(rest: &str, quote: char) -> Result<(Option<char>, usize), String> {
    let mut chars = rest.chars();
    let c = chars.next().ok_or("end_of_file_in_quoted")?;
    let one = |res: char| Ok((Some(res), c.len_utf8()));
    match c {
        'a' => one('\u{7}'),
        'b' => one('\u{8}'),
        'f' => one('\u{c}'),
        'n' => one('\n'),
        'r' => one('\r'),
        't' => one('\t'),
        'v' => one('\u{b}'),
        'e' => one('\u{1b}'),
        's' => one(' '),
        '0'..='7' => scan_code(rest, 0, 8),
        'x' => scan_code(rest, 1, 16),
        'u' => scan_fixed(rest, 4),
        'U' => scan_fixed(rest, 8),
        '\n' => Ok((None, 1)),
        'c' => {
            let blank = chars.as_str().find(|it: char| !it.is_whitespace());
            Ok((None, 1 + blank.unwrap_or(chars.as_str().len())))
        }
        '\\' | '\'' | '"' | '`' => one(c),
        'z' => Err("undefined_char_escape(z)".to_owned()),
        _ if c == quote => one(c),
        _ => Err(format!("undefined_char_escape({c})")),
    }
}

/// Reads a numeric escape, `x41\` or `101\`: digits, and a closing backslash that may be missing.
fn scan_code(rest: &str, skip: usize, radix: u32) -> Result<(Option<char>, usize), String> {
    let digits = rest.get(skip..).unwrap_or("");
    let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let code = u32::from_str_radix(digits.get(..len).unwrap_or(""), radix);
    let closed = digits.get(len..).is_some_and(|it| it.starts_with('\\'));
    let c = code.ok().and_then(char::from_u32).ok_or("illegal_character_code")?;
    Ok((Some(c), skip + len + usize::from(closed)))
}

fn scan_fixed(rest: &str, n: usize) -> Result<(Option<char>, usize), String> {
    let digits = rest.get(1..=n).ok_or("illegal_escape_sequence")?;
    let code = u32::from_str_radix(digits, 16).map_err(|_| "illegal_escape_sequence")?;
    let c = char::from_u32(code).ok_or("illegal_character_code")?;
    Ok((Some(c), 1 + n))
}
