//! What one execution leaves behind: the input it took, the choices it made, how it ended.
//!
//! This is the whole contract between a back end and the engine. Knows no language and no solver.

mod choice;

pub use choice::{Choice, Head, Looked, SiteId};

use std::fmt;
use term::{Atom, Exprs, Model, Term};

/// The arguments of the unit. The n-th is `Var(n)` in every expression of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub args: Vec<Term>,
}

impl Input {
    pub fn to_model(&self) -> Model {
        Model::of(self.args.iter().cloned())
    }

    /// This input, changed where the model says something.
    pub fn with(&self, model: &Model) -> Input {
        let of = |(var, old): (term::Var, &Term)| model.values.get(&var).unwrap_or(old).clone();
        Input { args: (0..).map(term::Var).zip(&self.args).map(of).collect() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Value(Term),
    /// The program failed; reason and trace are in its own words.
    Crash {
        class: Atom,
        reason: Term,
        trace: Term,
    },
    /// Nobody can go on.
    Deadlock,
    /// A budget was used up, or something was refused.
    Stopped(String),
}

/// A place where the symbolic half fell behind the concrete half. Never silent: reports count them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loss {
    pub site: SiteId,
    /// What we could not follow, by the name that the user knows it by.
    pub what: String,
}

/// The choices of a run that depend on its input, in order, over the run's own expressions.
#[derive(Clone, Debug, Default)]
pub struct Path {
    pub exprs: Exprs,
    pub choices: Vec<Choice>,
}

#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub path: Path,
    pub losses: Vec<Loss>,
}

/// The program under test, whatever runs it: interpreter, real BEAM or Prolog machine.
pub trait Executor {
    /// Runs one input to its end. A crash of the program is an [`Outcome`], not an `Err`.
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError>;
}

/// Our machinery failed, not the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorError {
    pub why: String,
}

impl fmt::Display for ExecutorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}
