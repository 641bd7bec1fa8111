//! Programs for every construct of the language: each `t_*` function of `programs/*.erl` gives the
//! same value, or the same exception with the same stack trace, as on BEAM.

use conformance::{Call, Compiled, Programs, Report, beam_runs};
use std::path::{Path, PathBuf};
use std::thread;

/// A file that lost its functions must not pass.
const N_EXPECTED: usize = 100;

#[test]
fn programs_run_as_on_beam() {
    // Terms are compared and dropped recursively, and some programs make deep ones.
    let worker = thread::Builder::new().stack_size(256 << 20).spawn(compare).expect("a thread");
    let report = worker.join().expect("the comparison ends");
    assert!(N_EXPECTED < report.n_cases(), "only {} cases", report.n_cases());
    report.expect_no_difference();
}

fn compare() -> Report {
    let files = sources();
    let mut programs = Programs::new(&files);
    let calls: Vec<Call> = files.iter().flat_map(|it| programs.tests(it)).collect();
    let theirs = thread::spawn({
        let (files, calls) = (files.clone(), calls.clone());
        move || beam_runs(&files, Compiled::AsUsual, &calls)
    });
    let ours: Vec<_> = calls.iter().map(|it| programs.run(it)).collect();
    let theirs = theirs.join().expect("BEAM answers");
    let mut report = Report::default();
    for ((call, ours), theirs) in calls.iter().zip(&ours).zip(&theirs) {
        report.compare(call, ours, theirs);
    }
    report
}

fn sources() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let entries = dir.read_dir().expect("a directory of programs");
    let mut files: Vec<PathBuf> = entries.map(|it| it.expect("a file").path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "erl"));
    files.sort();
    files
}
