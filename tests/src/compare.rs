//! Comparisons of the machine with BEAM: the same calls are made on both sides, and any difference is a
//! failure. So is a smaller number of calls than expected.

use crate::{
    Answer, Call, Kinds, Random, Report, beam_program, beam_results, our_result, without_closures,
};
use erlang::Machine;
use std::path::Path;
use term::Atom;

/// Compares the functions that a program lists in `tests/0`.
///
/// # Panics
/// If there is a difference, or fewer functions than expected.
pub fn compare_program(
    program: &str,
    n_expected: usize,
    machine: impl FnOnce(Atom, &Path) -> Machine,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(program);
    let module = Atom::new(path.file_stem().and_then(|it| it.to_str()).expect("a name"));
    let mut machine = machine(module.clone(), &path);
    let mut report = Report::default();
    for (function, theirs) in beam_program(&path) {
        let call = Call { module: module.clone(), function, args: Vec::new() };
        let ours = our_result(&mut machine, &call);
        report.compare(&call, &ours, &theirs);
    }
    assert!(n_expected <= report.n_cases(), "only {} programs", report.n_cases());
    report.expect_no_difference();
}

/// Compares calls of each function of a list, `n_each` per function, with arguments of its kinds.
///
/// # Panics
/// If there is a difference, or fewer calls than expected.
pub fn compare_functions(list: &str, n_each: usize, n_expected: usize, machine: &mut Machine) {
    let mut kinds = Kinds::default();
    kinds.add(list);
    let mut random = Random(1);
    kinds.make(&mut random);
    let calls = kinds.calls(&mut random, n_each);

    let mut report = Report::default();
    for (call, theirs) in calls.iter().zip(beam_results(&calls)) {
        let ours = our_result(machine, call);
        report.compare(call, &settled(ours), &settled(theirs));
    }
    assert!(n_expected < report.n_cases(), "only {} cases", report.n_cases());
    report.expect_no_difference();
}

/// Removes the identity of closures, which differs between the two sides.
fn settled(answer: Answer) -> Answer {
    match answer {
        Answer::Value(value) => Answer::Value(without_closures(&value)),
        Answer::Raised { class, reason } => {
            Answer::Raised { class, reason: without_closures(&reason) }
        }
        Answer::Lost(why) => Answer::Lost(why),
    }
}
