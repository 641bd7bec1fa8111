//! Ground terms, symbolic expressions over them, constraints, types, and the text forms of all.
//!
//! Pure data and pure functions. Knows nothing of programs, paths or solvers.
//!
//! `read_term`, `read_args` and `read_call` read literals as the Erlang shell does, without evaluating anything.
//! `print` writes the forms `~w`, `~tw`, `~p` and `~tp` on one line, without recursion. Both are compared with OTP on
//! thousands of random terms. In map keys every integer comes before every float.

mod bits;
mod constraint;
pub mod etf;
mod evaluate;
mod expr;
mod fit;
mod ground;
mod kind;
mod kinds;
pub mod large_integers;
mod meaning;
mod order;
mod query;
mod text;
mod types;

pub use bits::Bits;
pub use constraint::{Constraint, Model, all_hold, holds, value};
pub use evaluate::{Scratch, float_at, place_of};
pub use expr::{Base, Conversion, Expr, ExprId, Exprs, Op, Var};
pub use fit::fit_u32;
pub use ground::{Atom, Fun, List, Pid, Port, Reference, Term};
pub use kind::Kind;
pub use kinds::Kinds;
pub use meaning::{apply, float_bits};
pub use order::{compare_float_to_big, compare_int_to_float};
pub use query::{QueryError, QueryText, print_query, read_query};
pub use text::{
    Call, Code, CodeStep, Encoding, Handles, Lists, Problem, ReadError, Style, atom_text,
    code_text, constraint_text, expression_text, float_text, is_exact_pattern, is_reserved_word,
    print, read_args, read_call, read_open_list, read_script, read_term, script_text,
};
pub use types::{Dice, Domain, Field, Type, TypeId, Types, is_bit_size};
