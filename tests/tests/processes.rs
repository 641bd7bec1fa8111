//! Compares programs about processes and OTP's behaviours on the machine and on BEAM.

use conformance::{compare_program, machine_that_logs, machine_with};

#[test]
fn processes() {
    compare_program("processes.erl", 39, machine_with);
}

#[test]
fn tracing() {
    compare_program("tracing.erl", 35, machine_with);
}

#[test]
fn inspection() {
    compare_program("inspection.erl", 31, machine_with);
}

#[test]
fn versions() {
    compare_program("versions.erl", 13, machine_with);
}

#[test]
fn settings() {
    compare_program("settings.erl", 17, machine_with);
}

#[test]
fn logging() {
    compare_program("logging.erl", 11, machine_that_logs);
}

#[test]
fn of_other_nodes() {
    compare_program("foreign.erl", 25, machine_with);
}

#[test]
fn behaviours() {
    compare_program("behaviours.erl", 27, machine_with);
}
