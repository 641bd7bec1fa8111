//! Files of tests run as a whole on the real runtime, before anybody else does.
//!
//! Tests pass alone and fail together where one leaves something for the next.

use crate::replay::Replayer;
use erlang::HostError;
use std::collections::BTreeSet;
use std::time::Duration;
use term::Term;

const HELPER: &str = include_str!("tests.erl");

/// What the file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    Eunit,
    Exunit,
}

/// What became of the tests of a file, by the lines that they stand in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The file was compiled without a word, and these passed; all others failed or were cancelled.
    Passed(BTreeSet<u32>),
    /// These failed, or the compiler has something to say of them. None: all is well.
    Failed(BTreeSet<u32>),
}

impl Replayer {
    /// Compiles and runs a file of tests of the modules that are loaded there.
    pub fn run_tests(
        &mut self,
        suite: Suite,
        text: &str,
        limit: Duration,
    ) -> Result<Checked, HostError> {
        // Tests that were made before end with the runtime.
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

/// To compile the file, and to end what runs.
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
