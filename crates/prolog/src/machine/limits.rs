//! The budgets of a run.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of predicate calls.
    pub steps: u64,
    /// The maximum number of bytes of heap, stacks, collected answers, added clauses and output.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: u64::MAX, memory_bytes: 1 << 30 }
    }
}
