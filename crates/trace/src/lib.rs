//! The record of one execution: its input, its choices, its outcome; and the traits of back ends.
//!
//! This is the whole contract between a back end (`Executor`, `Stage`) and the engine. Knows no language and no solver.

mod choice;
mod schedule;

pub use choice::{Choice, Head, Looked, SiteId};
pub use schedule::{
    Access, Actor, ActorCrash, ActorName, Blocked, Label, Match, MessageId, Mode, Object, Offer,
    OfferKind, Patience, Performed, ReceiveId, Sent, Signal, Spin, Stage, Step, StepText, Take,
    Waiting,
};

use serde::{Deserialize, Serialize};
use std::fmt;
use term::{Atom, ExprId, Exprs, Model, Term};

/// The arguments of the unit. Argument n is `Var(n)` in every expression of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub args: Vec<Term>,
}

impl Input {
    pub fn to_model(&self) -> Model {
        Model::of(self.args.iter().cloned())
    }

    /// Returns this input with the values of the model in the place of its own where the model has some.
    pub fn with(&self, model: &Model) -> Input {
        let of = |(var, old): (term::Var, &Term)| model.values.get(&var).unwrap_or(old).clone();
        Input { args: (0..).map(term::Var).zip(&self.args).map(of).collect() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Value(Term),
    /// The program failed; reason and trace are terms of the program's language.
    Crash {
        class: Atom,
        reason: Term,
        trace: Term,
    },
    /// Every process waits and none can ever continue.
    Deadlock,
    /// The run was ended from outside before the program ended it.
    Stopped(Stopped),
}

/// Why a run was ended before its program ended it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stopped {
    /// A budget was used up: the program may have no bound on it.
    OutOf(Budget),
    /// The program asked for an effect that is not allowed.
    Refused { what: String, touches: String },
    /// The program needs something that the machine does not support.
    Unsupported { why: String },
    /// The program ended its runtime.
    Halted { status: i64 },
    /// The run took this many steps, the most allowed. Its program may have been about to end.
    OutOfSteps { most: usize },
    /// The owner of the machine asked it to stop.
    Interrupted,
}

/// A resource that is limited for each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Budget {
    Reductions,
    Memory,
    Processes,
    Atoms,
}

impl Budget {
    pub fn name(self) -> &'static str {
        match self {
            Budget::Reductions => "reductions",
            Budget::Memory => "memory",
            Budget::Processes => "processes",
            Budget::Atoms => "atoms",
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::OutOf(Budget::Memory) => write!(f, "the memory budget is used up"),
            Stopped::OutOf(budget) => write!(f, "the budget of {} is used up", budget.name()),
            Stopped::Refused { what, touches } => {
                write!(f, "{what} was refused: it touches {touches}")
            }
            Stopped::Unsupported { why } => f.write_str(why),
            Stopped::Halted { status } => write!(f, "the program halted with status {status}"),
            Stopped::OutOfSteps { most } => {
                write!(f, "a run had not ended after {most} steps (--steps)")
            }
            Stopped::Interrupted => write!(f, "the run was interrupted"),
        }
    }
}

/// Something that the symbolic half could not follow. Losses are never silent: reports count them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loss {
    pub site: SiteId,
    /// What was not followed, by a name that the user knows.
    pub what: String,
}

/// The record of a run.
#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// The choices that depended on the input, in order.
    pub choices: Vec<Choice>,
    /// For each choice, the trail: a hash of the last clauses of the code under test entered before it. Empty if the
    /// executor keeps no trails.
    pub trails: Vec<u64>,
    pub losses: Vec<Loss>,
    pub covered: Covered,
}

/// The record of a run that was not followed symbolically.
#[derive(Clone, Debug)]
pub struct Tried {
    pub outcome: Outcome,
    pub covered: Covered,
    /// The work of the run, in calls.
    pub reductions: u64,
}

/// A clause of the source; the executor's program has the table of clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClauseId(pub u32);

/// A set of clauses whose bodies were entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    words: Vec<u64>,
}

impl Covered {
    pub fn from_words(words: Vec<u64>) -> Covered {
        Covered { words }
    }

    pub fn has(&self, clause: ClauseId) -> bool {
        let (word, bit) = (clause.0 as usize / 64, clause.0 % 64);
        self.words.get(word).is_some_and(|it| it >> bit & 1 == 1)
    }

    pub fn insert(&mut self, clause: ClauseId) {
        let (word, bit) = (clause.0 as usize / 64, clause.0 % 64);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    pub fn add(&mut self, other: &Covered) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Whether the other set has a clause that this one lacks.
    pub fn lacks_some_of(&self, other: &Covered) -> bool {
        let mine = |n: usize| self.words.get(n).copied().unwrap_or(0);
        other.words.iter().enumerate().any(|(n, theirs)| theirs & !mine(n) != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = ClauseId> {
        let n = u32::try_from(self.words.len() * 64).unwrap_or(u32::MAX);
        (0..n).map(ClauseId).filter(|it| self.has(*it))
    }
}

/// The program under test, run by the interpreter, the real BEAM or the Prolog machine.
pub trait Executor {
    /// Runs one input to its end. A crash of the program is an [`Outcome`], not an `Err`.
    ///
    /// Deterministic: as long as two runs make equal choices, they look at equal expressions.
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError>;

    /// Returns the input that is run in the place of `input`. They differ where a value cannot exist as it is because
    /// some of its parts imply others, such as the fields of an Elixir struct.
    fn completed(&self, input: Input) -> Input {
        input
    }

    /// Runs one input without following it symbolically, which is faster.
    fn try_out(&mut self, input: &Input) -> Result<Tried, ExecutorError> {
        let Run { outcome, covered, .. } = self.run(input)?;
        Ok(Tried { outcome, covered, reductions: 0 })
    }

    /// Returns the expressions of all runs so far. Runs with a common beginning share its expressions.
    fn exprs(&mut self) -> &mut Exprs;

    /// Whether the site is in the code under test, not in code that it uses.
    fn is_inside(&self, _site: SiteId) -> bool {
        true
    }

    /// Whether a run with this input looks at the value. A Prolog variable, for example, is looked at only once it is
    /// bound.
    fn looks_at(&mut self, _value: ExprId, _input: &Input) -> bool {
        true
    }

    /// Whether the last run came as close to an uncovered clause as any run did.
    fn is_close(&self) -> bool {
        false
    }
}

/// A failure of our machinery, not of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorError {
    pub why: String,
}

impl fmt::Display for ExecutorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}
