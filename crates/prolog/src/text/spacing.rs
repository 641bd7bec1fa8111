//! When two tokens need a space between them.
//!
//! Text that was written must read back as the same term, with as few spaces as possible. There are
//! three dangers, and nothing else ever needs a space:
//!
//! 1. Two tokens read as one: words side by side (`a mod b`), symbols side by side (`1- -a`), a quote
//!    behind a digit (`0'c` is a character) or behind the same quote (`''` is one inside).
//! 2. A name with a parenthesis right behind it reads as a functor: `- (1)` and `f (` differ from
//!    `-(1)`. Behind punctuation and behind an infix operator nobody expects a functor. Behind a
//!    prefix operator, `{` is as bad.
//! 3. A minus in front of digits reads as a negative number; in front of symbols it keeps its
//!    distance too, as SWI-Prolog writes it.
//!
//! Knows no terms: only what was written last and how the next token begins.

use crate::text::chars::{is_alnum, is_symbol_char};

/// What was written last, and the class of its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Token(Class),
    /// A prefix operator, whose operand comes now.
    Prefix(Class),
    /// The prefix operator `-`.
    Minus,
    /// An infix operator, whose right side comes now.
    Infix(Class),
}

/// Characters that behave alike beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Letter,
    Symbol,
    SingleQuote,
    DoubleQuote,
    /// `(`
    Open,
    /// `{`
    Brace,
    /// Other brackets, commas and bars: they end whatever was before.
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

    /// Whether a name may end so, which a parenthesis would make a functor.
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

/// The first danger.
fn would_join(last: Class, next: Class) -> bool {
    match next {
        Class::Digit | Class::Letter => last.is_word(),
        Class::Symbol => last == Class::Symbol,
        Class::SingleQuote => matches!(last, Class::Digit | Class::SingleQuote),
        Class::DoubleQuote => last == Class::DoubleQuote,
        Class::Open | Class::Brace | Class::Punctuation | Class::Layout | Class::Other => false,
    }
}
