//! Compares programs that use files and start other programs on the machine and on BEAM.

use conformance::{compare_program, machine_outside};

#[test]
fn files() {
    compare_program("files.erl", 73, machine_outside);
}

#[test]
fn sockets() {
    compare_program("sockets.erl", 45, machine_outside);
}

#[test]
fn ports() {
    compare_program("ports.erl", 30, machine_outside);
}
