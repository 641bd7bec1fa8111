//! The limits of a run. A run that exceeds one ends with an outcome that names the limit.

#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of reductions, counted roughly as on BEAM.
    pub reductions: u64,
    pub memory_bytes: usize,
    /// The maximum size of a result or an exit reason as a separate term, where shared parts are copied.
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

/// The effects outside of the machine that the program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    pub files: bool,
    pub network: bool,
    pub os: bool,
}
