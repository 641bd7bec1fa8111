//! The declarations of a module about its functions: `-spec`, `-type`, `-opaque`, `-callback`, records, and the
//! attributes that are directives to Gimlet.
//!
//! Reads abstract forms and builds types (sets of terms). Knows nothing of code or of runs.

mod build;
mod declarations;
mod directives;
mod extract;
mod form;
mod made;
mod numbers;
mod outside;
mod protocols;
mod read;
mod signature;
mod specs;

pub use build::is_text;
pub use directives::{Directives, Precondition};
pub use made::{Gives, Maker, Otherwise};
pub use signature::{Breach, Origin, Refusal, Signature};
pub use specs::{Inputs, Record, Specs};
