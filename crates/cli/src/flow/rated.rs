//! How much a finding matters, and why. Each language decides it; nothing here knows how.

use ::report::Level;
use serde::{Deserialize, Serialize};

/// The level of a finding, and one line that says why it has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rated {
    pub(crate) level: Level,
    pub(crate) because: String,
}

impl Rated {
    pub(crate) fn new(level: Level, because: impl Into<String>) -> Rated {
        Rated { level, because: because.into() }
    }

    /// Of what our machine does and the real runtime does not: it depends on the runtime, or the machine is
    /// wrong.
    pub(crate) fn of_machine_only(why: &str) -> Rated {
        Rated::new(Level::Refusal, format!("it is seen on our machine only: {why}"))
    }
}
