//! Prolog's syntax: tokens, the table of operators, the parser, and writing terms as text.
//!
//! Knows no programs: clauses and directives are only terms here.

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
