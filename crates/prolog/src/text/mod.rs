//! Prolog as text: tokens, terms, operators, and terms back to text.
//!
//! Knows no program: what a clause or directive means is not its business.

mod chars;
mod lex;
mod numbers;
mod ops;
mod parse;
mod quote;
mod spacing;
mod write;

pub use chars::{is_alnum, is_symbol_char};
pub use numbers::{read_number, read_number_prefix};
pub use ops::{Fixity, Op, OpType, Ops};
pub use parse::{ReadTerm, Reader, Syntax, SyntaxError, TextKind};
pub use quote::{Escapes, atom_needs_quotes, quoted};
pub use write::{WriteOptions, write_term};
