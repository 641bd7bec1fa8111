//! Compares OTP's own libraries on the machine and on BEAM.

use conformance::{compare_functions, machine};

#[test]
fn libraries_compute_what_they_compute_on_beam() {
    compare_functions(include_str!("library_kinds.txt"), 150, 40_000, &mut machine());
}
