//! The interface between the flow and a language: how programs are loaded, planned, explored, confirmed and turned
//! into tests. A new language implements [`Program`] and has a row in `languages.rs`.

use crate::args::{Emit, Tests};
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::flow::progress::Progress;
use crate::flow::replay::{Again, Recorded};
use crate::flow::so_far::SoFar;
use ::report::{Report, Stop, Unit, WrittenKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trace::{Covered, Input};

/// Code that is loaded together and explored unit by unit: a project of Erlang modules, a file of Prolog.
pub(crate) trait Program: Sized + Sync {
    /// A function or predicate with everything that its exploration depends on.
    type Unit: Send + Sync;
    /// The state of a thread that explores units: a machine with the program loaded.
    type Worker;
    /// The results of a unit's exploration so far, in the language's own types. Plain data, since a worker process
    /// sends it to its owner.
    type Explored: Send + Serialize + DeserializeOwned;
    /// The real runtime of the language, on which findings are replayed.
    type Runtime;

    /// When findings are replayed.
    const CONFIRMING: Confirming;
    /// The minimum number of rounds in which every unit gets a turn, even if the time is over after the first.
    const LEAST_ROUNDS: usize;

    /// Loads the targets. Targets that belong together are one program; a target that can't be loaded is a diagnostic.
    fn load(targets: &[String], asked: &Asked, said: &mut Vec<Diagnostic>) -> Vec<Self>;

    /// Selects the units, with the options and budgets of each.
    fn plan(
        &mut self,
        asked: &Asked,
        interrupt: &Arc<AtomicBool>,
        said: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Self::Unit>, Diagnostic>;

    /// The number of modules; the default budget grows with it.
    fn n_modules(&self) -> usize;

    /// The name of a unit in messages. Equal plans have equal names in the same order.
    fn title(unit: &Self::Unit) -> String;

    /// Inputs of the unit that an earlier run of the tool wrote. They are read during planning, before this run writes
    /// any.
    fn earlier(unit: &Self::Unit) -> &[Input];

    fn worker(&self, interrupt: &Arc<AtomicBool>) -> Result<Self::Worker, String>;

    /// Explores a unit within a slice of time, and continues from the results of an earlier round.
    fn explore(
        &self,
        worker: &mut Self::Worker,
        unit: &Self::Unit,
        before: Option<Self::Explored>,
        slice: &Slice<'_, Self::Explored>,
    ) -> Self::Explored;

    /// Whether another round may cover more clauses.
    fn is_open(&self, unit: &Self::Unit, explored: &Self::Explored) -> bool;

    /// The clauses that the unit covered so far.
    fn covered(explored: &Self::Explored) -> Covered;

    fn n_findings(explored: &Self::Explored) -> usize;

    /// Starts the real runtime; `None` means that no finding is confirmed.
    fn runtime(
        &self,
        interrupt: &Arc<AtomicBool>,
        said: &mut Vec<Diagnostic>,
    ) -> Option<Self::Runtime>;

    /// Replays the findings on the real runtime, and drops those that the replay disproves. Findings that are not
    /// replayed before `until` stay unconfirmed.
    fn confirm(
        &self,
        runtime: &mut Self::Runtime,
        batch: &mut [(&Self::Unit, &mut Self::Explored)],
        which: Replaying,
        until: &Until<'_>,
    );

    /// Adds units, modules, sources and the language's wording to the report.
    fn report(&self, done: &[Done<'_, Self>], into: &mut Report);

    /// The files of the output directory: tests, recorded inputs, charts. Tests that can't be written are a
    /// diagnostic.
    fn files(
        &self,
        runtime: Option<&mut Self::Runtime>,
        to: &Output<'_, Self>,
        said: &mut Vec<Diagnostic>,
    ) -> Vec<File>;

    /// Whether a recorded input belongs to a unit of this program.
    fn has(&self, recorded: &Recorded) -> bool;

    /// Replays a recorded input on our machine.
    fn again(&self, worker: &mut Self::Worker, recorded: &Recorded) -> Result<Again, Diagnostic>;
}

/// When findings are replayed on the real runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirming {
    /// A finding is replayed as soon as the turn of its unit has ended, while other units are explored.
    Unit,
    /// All findings of a program are replayed together after the search: starting the runtime costs more than a
    /// replay.
    Program,
}

/// Which findings are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaying {
    /// Findings that reports show one by one.
    Shown,
    /// All findings, including refusals.
    All,
}

/// A unit after its last round.
#[derive(Debug)]
pub(crate) struct Done<'a, P: Program> {
    pub(crate) unit: &'a P::Unit,
    pub(crate) ended: Ended<'a, P::Explored>,
}

/// How the exploration of a unit ended.
#[derive(Debug)]
pub(crate) enum Ended<'a, E> {
    Explored(&'a E),
    /// Our own code failed; `so_far` has the interim results.
    Failed {
        why: &'a str,
        so_far: Option<&'a E>,
    },
    /// The search ended before the unit's first turn.
    Untried,
}

impl<'a, P: Program> Done<'a, P> {
    pub(crate) fn explored(&self) -> Option<&'a P::Explored> {
        match &self.ended {
            Ended::Explored(explored) => Some(explored),
            Ended::Failed { so_far, .. } => *so_far,
            Ended::Untried => None,
        }
    }

    /// Sets stop reason and trouble of a unit that was not explored to its end.
    pub(crate) fn excuse(&self, unit: &mut Unit) {
        match &self.ended {
            Ended::Explored(_) => {}
            Ended::Failed { why, .. } => {
                unit.stop = Stop::Unsupported;
                unit.trouble = Some((*why).to_owned());
            }
            Ended::Untried => unit.stop = Stop::Interrupted,
        }
    }
}

/// The resources of a unit in one round.
#[derive(Debug)]
pub(crate) struct Slice<'a, E> {
    /// The number of the round, from 0. Every unit has a turn in round 0.
    pub(crate) round: usize,
    pub(crate) time: Duration,
    /// The number of cores for this unit alone; more than 1 if there are fewer units than cores.
    pub(crate) n_cores: usize,
    /// Inputs that an earlier run of the tool wrote.
    pub(crate) earlier: &'a [Input],
    /// Clauses that any unit of the program covered in earlier rounds.
    pub(crate) elsewhere: &'a Covered,
    /// Set when the user interrupts the search.
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
    /// Receives interim results.
    pub(crate) so_far: &'a SoFar<'a, E>,
}

/// The limits of replaying findings and of running tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) interrupt: &'a AtomicBool,
}

impl Until<'_> {
    /// Why no further finding may be replayed; `None` if one may.
    pub(crate) fn why_over(&self) -> Option<&'static str> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some("the search was interrupted first");
        }
        let is_late = self.deadline.is_some_and(|it| it <= Instant::now());
        is_late.then_some("there was no time left to replay it")
    }

    /// The remaining time; [`Duration::MAX`] without a deadline.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()))
    }
}

/// The data from which a program makes files for the output directory.
pub(crate) struct Output<'a, P: Program> {
    pub(crate) done: &'a [Done<'a, P>],
    /// The targets as the command line has them.
    pub(crate) targets: &'a [String],
    /// The requested kinds of tests; empty for the default of the language.
    pub(crate) emit: &'a [Emit],
    pub(crate) tests: Tests,
    pub(crate) dir: &'a Path,
    /// The limit of running tests.
    pub(crate) until: Until<'a>,
}

/// A file for the output directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) kind: WrittenKind,
    /// The path relative to the output directory.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The command that runs the tests of the file; `None` if it has no tests.
    pub(crate) run_with: Option<String>,
    pub(crate) proof: Proof,
}

impl File {
    /// Makes a file without tests.
    pub(crate) fn plain(kind: WrittenKind, name: String, text: String) -> File {
        File { kind, name, text, run_with: None, proof: Proof::Passed }
    }

    pub(crate) fn of_tests(name: String, text: String, run_with: String, proof: Proof) -> File {
        File { kind: WrittenKind::Tests, name, text, run_with: Some(run_with), proof }
    }
}

/// Whether the tests of a file were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The tests passed on the real runtime, or the file has no tests.
    Passed,
    /// The tests were not run; some may fail.
    NotRun,
}

/// Quotes a word of a command for the shell, if that is necessary.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "/._-+=:,@%".contains(it);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_of_commands() {
        assert_eq!(shell_word("out/a_tests.erl"), "out/a_tests.erl");
        assert_eq!(shell_word("it's here"), "'it'\\''s here'");
        assert_eq!(shell_word("*"), "'*'");
        assert_eq!(shell_word(""), "''");
    }
}
