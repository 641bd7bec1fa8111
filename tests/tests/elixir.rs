//! Elixir's own modules, run by our machine from their `.beam` files, compared with BEAM.

use conformance::{
    Answer, Kinds, Random, Report, beam_results, elixir_libraries, machine_on_paths, our_result,
    without_closures,
};
use std::io::Write;

/// Calls of each function.
const N_EACH: usize = 25;
/// A list that lost its functions must not pass.
const N_EXPECTED: usize = 4_000;

#[test]
fn elixir_computes_what_it_computes_on_beam() {
    let Some(paths) = elixir_libraries() else {
        let said =
            writeln!(std::io::stderr(), "no Elixir here, so nothing is compared: `make deps`");
        said.expect("standard error");
        return;
    };
    let mut kinds = Kinds::default();
    kinds.add(include_str!("elixir_kinds.txt"));
    let mut random = Random(1);
    kinds.make(&mut random);
    let calls = kinds.calls(&mut random, N_EACH);

    let mut machine = machine_on_paths(paths);
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
