//! The symbolic half: what of a run depended on its input, and the predicate under test as an
//! `Executor`.
//!
//! Prolog terms are terms of the shared theory: `f(a, b)` is the tuple `{f, a, b}`, a list is a list,
//! a string is a binary and a variable is a reference. Knows no solver and no strategy.

mod convert;
mod facts;
mod recorder;

mod arithmetic;
mod builtins;
mod letters;
mod look;
mod order;
mod stored;
mod text;

mod declare;
mod infer;
mod made;
mod maker;
mod modes;
mod wanted;

mod derive;
mod impossible;
mod program;
mod told;
mod unit;

mod journal;

pub use convert::{decode, term_of, term_text, term_texts, to_term};
pub use declare::{
    Declaration, Declared, Determinism, declaration, declarations, is_made_exactly, type_term,
};
pub use derive::{Derivation, DerivationEnd, Derived};
pub use infer::{Belief, Inference};
pub use journal::{Candidate, ChoicePlace, Event};
pub use made::Maker;
pub use maker::TypeMaker;
pub use program::{ClauseInfo, FactInfo, PredicateInfo, Program};
pub(crate) use recorder::Recorder;
pub use told::Teller;
pub use unit::{Answer, Arg, Finished, Goal, Ran, Unit, Waiting};
