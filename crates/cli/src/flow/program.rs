//! What the flow needs to know of a language: how its programs are loaded, planned, explored, confirmed
//! and turned into tests. A new language implements [`Program`] and is named in `languages.rs`.

use crate::args::{Emit, Tests};
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::flow::progress::Progress;
use crate::flow::replay::{Again, Recorded};
use ::report::{Report, Stop, Unit, WrittenKind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use trace::Covered;

/// What is loaded together and explored unit by unit: a project of Erlang modules, a file of Prolog.
pub(crate) trait Program: Sized + Sync {
    /// A function or predicate, with all that its exploration depends on.
    type Unit: Send + Sync;
    /// What one thread runs units on: a machine that has the program loaded.
    type Worker;
    /// What the exploration of a unit has found so far, in the language's own types.
    type Explored: Send;
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

    fn worker(&self, interrupt: &Arc<AtomicBool>) -> Result<Self::Worker, String>;

    /// Explores a unit within a slice of time, going on from what an earlier round found.
    fn explore(
        &self,
        worker: &mut Self::Worker,
        unit: &Self::Unit,
        before: Option<Self::Explored>,
        slice: &Slice<'_>,
    ) -> Self::Explored;

    /// Whether another round may cover more clauses.
    fn is_open(&self, unit: &Self::Unit, explored: &Self::Explored) -> bool;

    /// The clauses that the unit covered so far.
    fn covered(explored: &Self::Explored) -> Covered;

    fn n_findings(explored: &Self::Explored) -> usize;

    /// Starts the real runtime; without one, nothing is confirmed.
    fn runtime(&self, said: &mut Vec<Diagnostic>) -> Option<Self::Runtime>;

    /// Replays the findings on the real runtime, and leaves out those that it shows to be none. What is
    /// not replayed by the deadline is unconfirmed.
    fn confirm(
        &self,
        runtime: &mut Self::Runtime,
        batch: &mut [(&Self::Unit, &mut Self::Explored)],
        deadline: Option<Instant>,
    );

    /// Adds the units, modules, sources and the words of the language to the report.
    fn report(&self, done: &[Done<Self>], into: &mut Report);

    /// The files that belong to the output directory: tests, recorded inputs, charts.
    fn files(&self, runtime: Option<&mut Self::Runtime>, to: &Output<'_, Self>) -> Vec<File>;

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

/// A unit after its last round.
#[derive(Debug)]
pub(crate) struct Done<P: Program> {
    pub(crate) unit: P::Unit,
    pub(crate) ended: Ended<P::Explored>,
}

/// What became of a unit.
#[derive(Debug)]
pub(crate) enum Ended<E> {
    Explored(E),
    /// Our own machinery failed.
    Failed {
        why: String,
    },
    /// The search ended before its turn.
    Untried,
}

impl<P: Program> Done<P> {
    pub(crate) fn explored(&self) -> Option<&P::Explored> {
        match &self.ended {
            Ended::Explored(explored) => Some(explored),
            Ended::Failed { .. } | Ended::Untried => None,
        }
    }

    /// Notes in the report of a unit why it was not explored.
    pub(crate) fn excuse(&self, unit: &mut Unit) {
        match &self.ended {
            Ended::Explored(_) => {}
            Ended::Failed { why } => {
                unit.stop = Stop::Unsupported;
                unit.trouble = Some(why.clone());
            }
            Ended::Untried => unit.stop = Stop::Interrupted,
        }
    }
}

/// What a unit may use of time and cores in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice<'a> {
    /// 0 is the first round, in which every unit has a turn.
    pub(crate) round: usize,
    pub(crate) time: Duration,
    /// Cores that the unit has for itself, because there are fewer units than cores.
    pub(crate) n_cores: usize,
    /// Clauses that any unit of the program covered in earlier rounds.
    pub(crate) elsewhere: &'a Covered,
    /// Set when the user asks to stop.
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
}

/// What files are made of, and where they go.
pub(crate) struct Output<'a, P: Program> {
    pub(crate) done: &'a [Done<P>],
    /// The targets as the command line named them.
    pub(crate) targets: &'a [String],
    /// The kinds of tests that are asked for; none: those of the language.
    pub(crate) emit: &'a [Emit],
    pub(crate) tests: Tests,
    pub(crate) dir: &'a Path,
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
