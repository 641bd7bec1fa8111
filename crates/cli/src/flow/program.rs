//! What the flow needs to know of a language: how its programs are loaded, planned, explored, confirmed
//! and turned into tests. A new language implements [`Program`] and is named in `languages.rs`.

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

/// What is loaded together and explored unit by unit: a project of Erlang modules, a file of Prolog.
pub(crate) trait Program: Sized + Sync {
    /// A function or predicate, with all that its exploration depends on.
    type Unit: Send + Sync;
    /// What one thread runs units on: a machine that has the program loaded.
    type Worker;
    /// What the exploration of a unit has found so far, in the language's own types. It is plain data:
    /// what a worker process found is sent to the process that reports it.
    type Explored: Send + Serialize + DeserializeOwned;
    /// The real runtime of the language, on which findings are replayed.
    type Runtime;

    /// When findings are replayed.
    const CONFIRMING: Confirming;
    /// Rounds that every unit has, even if the time is over after the first.
    const LEAST_ROUNDS: usize;

    /// Loads the targets. Targets that belong together are one program; a target that can't be loaded
    /// is a diagnostic.
    fn load(targets: &[String], asked: &Asked, said: &mut Vec<Diagnostic>) -> Vec<Self>;

    /// Chooses the units, with the options and budgets of each.
    fn plan(
        &mut self,
        asked: &Asked,
        interrupt: &Arc<AtomicBool>,
        said: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Self::Unit>, Diagnostic>;

    /// How many modules the program has: the default budget grows with them.
    fn n_modules(&self) -> usize;

    /// The name that people give a unit. Equal plans have equal names in the same order.
    fn title(unit: &Self::Unit) -> String;

    /// Inputs that an earlier run of the tool left for the unit. They were read with the plan and don't
    /// change with what is written meanwhile.
    fn earlier(unit: &Self::Unit) -> &[Input];

    fn worker(&self, interrupt: &Arc<AtomicBool>) -> Result<Self::Worker, String>;

    /// Explores a unit within a slice of time, going on from what an earlier round found.
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

    /// Starts the real runtime; without one, nothing is confirmed.
    fn runtime(
        &self,
        interrupt: &Arc<AtomicBool>,
        said: &mut Vec<Diagnostic>,
    ) -> Option<Self::Runtime>;

    /// Replays the findings on the real runtime, and leaves out those that it shows to be none. What is
    /// not replayed until then is unconfirmed.
    fn confirm(
        &self,
        runtime: &mut Self::Runtime,
        batch: &mut [(&Self::Unit, &mut Self::Explored)],
        which: Replaying,
        until: &Until<'_>,
    );

    /// Adds the units, modules, sources and the words of the language to the report.
    fn report(&self, done: &[Done<'_, Self>], into: &mut Report);

    /// The files that belong to the output directory: tests, recorded inputs, charts. Tests that can't be
    /// written are a diagnostic.
    fn files(
        &self,
        runtime: Option<&mut Self::Runtime>,
        to: &Output<'_, Self>,
        said: &mut Vec<Diagnostic>,
    ) -> Vec<File>;

    /// Whether a recorded input is one of a unit of this program.
    fn has(&self, recorded: &Recorded) -> bool;

    /// Runs a recorded input again.
    fn again(&self, worker: &mut Self::Worker, recorded: &Recorded) -> Result<Again, Diagnostic>;
}

/// When findings are replayed on the real runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirming {
    /// As soon as a unit is done, while others are explored.
    Unit,
    /// Those of a whole program together: starting the runtime costs more than a replay.
    Program,
}

/// Which findings are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaying {
    /// Those that reports show one by one.
    Shown,
    /// Refusals, too.
    All,
}

/// A unit after its last round.
#[derive(Debug)]
pub(crate) struct Done<'a, P: Program> {
    pub(crate) unit: &'a P::Unit,
    pub(crate) ended: Ended<'a, P::Explored>,
}

/// What became of a unit.
#[derive(Debug)]
pub(crate) enum Ended<'a, E> {
    Explored(&'a E),
    /// Our own machinery failed, after it had found this.
    Failed {
        why: &'a str,
        so_far: Option<&'a E>,
    },
    /// The search ended before its turn.
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

    /// Notes in the report of a unit why it was not explored.
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

/// What a unit may use of time and cores in one round.
#[derive(Debug)]
pub(crate) struct Slice<'a, E> {
    /// 0 is the first round, in which every unit has a turn.
    pub(crate) round: usize,
    pub(crate) time: Duration,
    /// Cores that the unit has for itself, because there are fewer units than cores.
    pub(crate) n_cores: usize,
    /// Inputs that an earlier run of the tool left.
    pub(crate) earlier: &'a [Input],
    /// Clauses that any unit of the program covered in earlier rounds.
    pub(crate) elsewhere: &'a Covered,
    /// Set when the user asks to stop.
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
    /// Takes what was found until now.
    pub(crate) so_far: &'a SoFar<'a, E>,
}

/// How long findings may be replayed, and tests run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) interrupt: &'a AtomicBool,
}

impl Until<'_> {
    /// Why nothing more may be replayed.
    pub(crate) fn why_over(&self) -> Option<&'static str> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some("the search was interrupted first");
        }
        let is_late = self.deadline.is_some_and(|it| it <= Instant::now());
        is_late.then_some("there was no time left to replay it")
    }

    /// The time that is left; the longest there is without a deadline.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()))
    }
}

/// What files are made of, and where they go.
pub(crate) struct Output<'a, P: Program> {
    pub(crate) done: &'a [Done<'a, P>],
    /// The targets as the command line named them.
    pub(crate) targets: &'a [String],
    /// The kinds of tests that are asked for; none: those of the language.
    pub(crate) emit: &'a [Emit],
    pub(crate) tests: Tests,
    pub(crate) dir: &'a Path,
    /// How long tests may be run.
    pub(crate) until: Until<'a>,
}

/// A file for the output directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) kind: WrittenKind,
    /// Relative to the output directory.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The command that runs it, if it is a file of tests.
    pub(crate) run_with: Option<String>,
    pub(crate) proof: Proof,
}

impl File {
    /// One without tests.
    pub(crate) fn plain(kind: WrittenKind, name: String, text: String) -> File {
        File { kind, name, text, run_with: None, proof: Proof::Passed }
    }

    pub(crate) fn of_tests(name: String, text: String, run_with: String, proof: Proof) -> File {
        File { kind: WrittenKind::Tests, name, text, run_with: Some(run_with), proof }
    }
}

/// What is known of the tests in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// They passed on the real runtime, or there are none in it.
    Passed,
    /// Nobody ran them: some may fail.
    NotRun,
}

/// A word of a command, in quotes if the shell would read it otherwise.
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
