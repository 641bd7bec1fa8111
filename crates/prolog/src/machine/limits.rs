//! How much a run may use.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls of predicates.
    pub steps: u64,
    /// Of heap, stacks and collected terms.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: u64::MAX, memory_bytes: 1 << 30 }
    }
}
