//! Spacing: decides whether a space is needed between two tokens.
//!
//! Written text must read back as the same term, with as few spaces as possible. A space is needed in exactly
//! three cases:
//!
//! 1. Two tokens would read as one: two words (`a mod b`), two symbols (`1- -a`), a quote after a digit (`0'c` is a
//!    character code), or a quote after the same quote (`''` is one quote character).
//! 2. A name directly before a parenthesis would read as a functor: `- (1)` and `f (` differ from `-(1)`. After
//!    punctuation and after an infix operator there is no functor. After a prefix operator the same holds for `{`.
//! 3. A minus sign directly before digits would read as a negative number. Before symbols it gets a space, too,
//!    because SWI-Prolog writes one.
//!
//! Knows no terms: only the token written last and the first character of the next one.

use crate::text::chars::{is_alnum, is_symbol_char};

/// The token written last, and the class of its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Token(Class),
    /// A prefix operator; its operand is written next.
    Prefix(Class),
    /// The prefix operator `-`.
    Minus,
    /// An infix operator; its right operand is written next.
    Infix(Class),
}

/// A class of characters that need the same spacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Letter,
    Symbol,
    SingleQuote,
    DoubleQuote,
    /// The character `(`.
    Open,
    /// The character `{`.
    Brace,
    /// Other brackets, commas and bars: no token continues over them.
    Punctuation,
    Layout,
    Other,
}

impl Class {
    pub(super) fn of(c: char) -> Class {
        match c {
            '0'..='9' => Class::Digit,
            '\'' => Class::SingleQuote,
            '"' => Class::DoubleQuote,
            '(' => Class::Open,
            '{' => Class::Brace,
            ')' | '[' | ']' | '}' | ',' | '|' => Class::Punctuation,
            ' ' => Class::Layout,
            _ if is_alnum(c) => Class::Letter,
            _ if is_symbol_char(c) => Class::Symbol,
            _ => Class::Other,
        }
    }

    fn is_word(self) -> bool {
        matches!(self, Class::Digit | Class::Letter)
    }

    /// Whether a token that ends with this class would read as a functor before a parenthesis.
    fn may_be_functor(self) -> bool {
        !matches!(self, Class::Open | Class::Brace | Class::Punctuation | Class::Layout)
    }
}

pub(super) fn needs_space(before: Before, next: Class) -> bool {
    match before {
        Before::Nothing => false,
        Before::Minus => {
            matches!(next, Class::Digit | Class::Symbol | Class::Open | Class::Brace)
        }
        Before::Prefix(last) => {
            matches!(next, Class::Open | Class::Brace) || would_join(last, next)
        }
        Before::Infix(last) => would_join(last, next),
        Before::Token(last) => {
            would_join(last, next) || next == Class::Open && last.may_be_functor()
        }
    }
}

/// Whether two tokens would read as one: the first case of the module's documentation.
fn would_join(last: Class, next: Class) -> bool {
    match next {
        Class::Digit | Class::Letter => last.is_word(),
        Class::Symbol => last == Class::Symbol,
        Class::SingleQuote => matches!(last, Class::Digit | Class::SingleQuote),
        Class::DoubleQuote => last == Class::DoubleQuote,
        Class::Open | Class::Brace | Class::Punctuation | Class::Layout | Class::Other => false,
    }
}
