//! Programs for every construct of Erlang: each `t_*` function of `programs/*.erl` has the same value, or the
//! same exception with the same stack trace, as on BEAM. The programs are loaded from source, and from object
//! files without debug info.

use conformance::{Call, Compiled, Programs, Report, beam_runs};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// The minimum number of compared functions, so that a file that lost its functions does not pass.
const N_EXPECTED: usize = 100;

#[test]
fn programs_run_as_on_beam() {
    // Comparing and dropping terms is recursive, and some programs make deep terms, so the thread needs a
    // large stack.
    let worker = thread::Builder::new().stack_size(256 << 20).spawn(|| {
        let files = sources();
        let from_source = compare(&files, Programs::new(&files));
        let dir = std::env::temp_dir().join(format!("gimlet-programs-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let from_assembly = compare(&files, Programs::compiled(&files, &dir));
        fs::remove_dir_all(&dir).expect("it was ours");
        [from_source, from_assembly]
    });
    for report in worker.expect("a thread").join().expect("the comparison ends") {
        assert!(N_EXPECTED < report.n_cases(), "only {} cases", report.n_cases());
        report.expect_no_difference();
    }
}

fn compare(files: &[PathBuf], mut programs: Programs) -> Report {
    let calls: Vec<Call> = files.iter().flat_map(|it| programs.tests(it)).collect();
    let theirs = thread::spawn({
        let (files, calls) = (files.to_vec(), calls.clone());
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
