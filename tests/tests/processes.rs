//! Whole programs about processes and OTP's behaviours, run by our machine and by BEAM.

use conformance::{Call, Report, beam_program, machine_with, our_result};
use std::path::Path;
use term::Atom;

/// Runs each function that the program lists in `tests/0` on both sides.
fn check(program: &str, n_expected: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(program);
    let module = Atom::new(path.file_stem().and_then(|it| it.to_str()).expect("a name"));
    let mut machine = machine_with(module.clone(), &path);
    let mut report = Report::default();
    for (function, theirs) in beam_program(&path) {
        let call = Call { module: module.clone(), function, args: Vec::new() };
        let ours = our_result(&mut machine, &call);
        report.compare(&call, &ours, &theirs);
    }
    assert!(n_expected <= report.n_cases(), "only {} programs", report.n_cases());
    report.expect_no_difference();
}

#[test]
fn processes() {
    check("processes.erl", 35);
}

#[test]
fn tracing() {
    check("tracing.erl", 35);
}

#[test]
fn inspection() {
    check("inspection.erl", 18);
}

#[test]
fn behaviours() {
    check("behaviours.erl", 27);
}
