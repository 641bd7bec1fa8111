//! Sequences of ETS operations on the real BEAM.

use crate::otp::run_script;
use term::{Term, etf};

/// What BEAM makes of each step of each sequence; `tables.escript` says how both look.
///
/// # Panics
/// If OTP is missing or its answers can't be read.
pub fn beam_tables(sequences: &Term) -> Term {
    let asked = etf::encode(sequences).expect("steps can be encoded");
    etf::decode(&run_script("tables.escript", &asked)).expect("answers can be read")
}
