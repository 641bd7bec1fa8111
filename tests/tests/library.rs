//! OTP's own libraries, run by our machine, compared with BEAM.

use conformance::{
    Answer, Kinds, Random, Report, beam_results, machine, our_result, without_closures,
};

/// Calls of each function.
const N_EACH: usize = 40;
/// A list that lost its functions must not pass.
const N_EXPECTED: usize = 10_000;

#[test]
fn libraries_compute_what_they_compute_on_beam() {
    let mut kinds = Kinds::default();
    kinds.add(include_str!("library_kinds.txt"));
    let mut random = Random(1);
    kinds.make(&mut random);
    let calls = kinds.calls(&mut random, N_EACH);

    let mut machine = machine();
    let mut report = Report::default();
    for (call, theirs) in calls.iter().zip(beam_results(&calls)) {
        let ours = our_result(&mut machine, call);
        report.compare(call, &settled(ours), &settled(theirs));
    }
    assert!(N_EXPECTED < report.n_cases(), "only {} cases", report.n_cases());
    report.expect_no_difference();
}

fn settled(answer: Answer) -> Answer {
    match answer {
        Answer::Value(value) => Answer::Value(without_closures(&value)),
        Answer::Raised { class, reason } => {
            Answer::Raised { class, reason: without_closures(&reason) }
        }
        Answer::Lost(why) => Answer::Lost(why),
    }
}
