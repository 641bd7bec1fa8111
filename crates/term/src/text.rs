//! The text of Erlang terms: what a person types at the shell, and what the shell prints.

mod code;
mod expression;
mod floats;
mod handles;
mod names;
mod print;
mod read;
mod scan;
mod segments;
mod tables;

pub use code::{Code, CodeStep, code_text, read_open_list, read_script, script_text};
pub use expression::{constraint_text, expression_text};
pub use floats::float_text;
pub use names::is_reserved_word;
pub use print::{Encoding, Handles, Lists, Style, atom_text, print};
pub use read::{Call, Problem, ReadError, read_args, read_call, read_term};
pub use tables::is_exact_pattern;
