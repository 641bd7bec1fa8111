//! The level of a finding with its reason. The languages decide it; this module has no rules.

use ::report::Level;
use serde::{Deserialize, Serialize};

/// The level of a finding, and one line that gives the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rated {
    pub(crate) level: Level,
    pub(crate) because: String,
}

impl Rated {
    pub(crate) fn new(level: Level, because: impl Into<String>) -> Rated {
        Rated { level, because: because.into() }
    }

    /// The level of a finding that our machine shows and the real runtime does not: the outcome depends on the
    /// runtime, or the machine is wrong.
    pub(crate) fn of_machine_only(why: &str) -> Rated {
        Rated::new(Level::Refusal, format!("it is seen on our machine only: {why}"))
    }
}
