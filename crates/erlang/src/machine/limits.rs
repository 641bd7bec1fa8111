//! Budgets of a run. Exceeding one ends the run with an outcome that says which.

#[derive(Clone, Debug)]
pub struct Limits {
    /// Function calls, roughly as BEAM counts them.
    pub reductions: u64,
    pub memory_bytes: usize,
    /// Of a result or a reason when it is written out, where shared parts are repeated.
    pub term_bytes: usize,
    pub atoms: usize,
    pub integer_bits: u64,
    pub processes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            reductions: u64::MAX,
            memory_bytes: 2 << 30,
            term_bytes: 1 << 30,
            atoms: 1 << 20,
            integer_bits: 1 << 26,
            processes: 1 << 18,
        }
    }
}

/// Effects outside the machine that the program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    pub files: bool,
    pub network: bool,
    pub os: bool,
}
