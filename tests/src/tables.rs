//! Runs sequences of ETS operations on BEAM.

use crate::otp::run_script;
use term::{Term, etf};

/// Returns BEAM's answers to the steps of each sequence; `tables.escript` documents the formats.
///
/// # Panics
/// If OTP is missing or its answers cannot be read.
pub fn beam_tables(sequences: &Term) -> Term {
    let asked = etf::encode(sequences).expect("steps can be encoded");
    etf::decode(&run_script("tables.escript", &asked)).expect("answers can be read")
}
