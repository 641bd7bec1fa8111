//! Runs generated files of tests on the real runtime before the user does.
//!
//! Each test may pass alone and fail together with others if one leaves state for the next.

use crate::replay::Replayer;
use erlang::HostError;
use std::collections::BTreeSet;
use std::time::Duration;
use term::Term;

const HELPER: &str = include_str!("tests.erl");

/// The test framework of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    Eunit,
    Exunit,
}

/// The result of running a file of tests; tests are named by their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The file compiled without warnings and these tests passed; all others failed or were cancelled.
    Passed(BTreeSet<u32>),
    /// These tests failed, or the compiler warns about them; empty if everything passed.
    Failed(BTreeSet<u32>),
}

impl Replayer {
    /// Compiles a file of tests of the loaded modules and runs it.
    pub fn run_tests(
        &mut self,
        suite: Suite,
        text: &str,
        limit: Duration,
    ) -> Result<Checked, HostError> {
        // Tests that are still running end with their runtime.
        self.prepare()?;
        self.help(HELPER)?;
        let function = match suite {
            Suite::Eunit => "eunit",
            Suite::Exunit => "exunit",
        };
        let millis = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
        let args = vec![Term::binary(text.as_bytes().to_vec()), Term::Int(millis)];
        let request = Term::Tuple(vec![
            Term::atom("apply"),
            Term::atom("gimlet_tests"),
            Term::atom(function),
            Term::proper_list(args),
        ]);
        let answer = self.otp.ask(limit + GRACE, &request)?;
        read(&answer).ok_or_else(|| HostError::Lost(format!("no tests were run: {answer:?}")))
    }
}

/// Additional time to compile the file and to end its processes.
const GRACE: Duration = Duration::from_secs(60);

fn read(answer: &Term) -> Option<Checked> {
    let [_, answer] = answer.as_tuple()? else { return None };
    let [tag, lines] = answer.as_tuple()? else { return None };
    let lines = lines.as_list()?.iter().filter_map(|it| u32::try_from(it.as_int()?).ok());
    match tag.as_atom()? {
        "passed" => Some(Checked::Passed(lines.collect())),
        "said" => Some(Checked::Failed(lines.collect())),
        _ => None,
    }
}
