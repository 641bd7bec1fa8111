//! Oracles answer the questions of the search: one solver, or several at once.

use solve::{Answer, Chain, Effort, Query, Solver, Statistics};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use term::{Constraint, Domain, Exprs, Model};

/// A question for an input that takes a flip.
#[derive(Clone, Debug)]
pub struct Question {
    pub constraints: Vec<Constraint>,
    /// Fewer constraints, asked if `constraints` has no answer: without the pins, an answer may leave the path before
    /// the flip. `None` if there are no pins.
    pub loose: Option<Vec<Constraint>>,
    /// The input of the run whose choice is flipped; the solver changes it as little as it can.
    pub hint: Model,
}

/// Answers questions with models.
pub trait Oracle {
    /// How many questions are asked at once. A larger batch keeps more solvers busy, but its flips are chosen before
    /// the answers to the others are known.
    fn batch(&self) -> usize;

    /// Answers all questions, in their order.
    fn ask(&mut self, exprs: &mut Exprs, questions: Vec<Question>) -> Vec<Answer>;

    /// The cost of all answers so far; see [`Solver::cost`].
    fn cost(&self) -> u64;
}

/// One solver, one question at a time.
#[derive(Debug)]
pub struct Alone<'a, S> {
    pub solver: &'a mut S,
    pub domain: &'a Domain,
}

impl<S: Solver> Oracle for Alone<'_, S> {
    fn batch(&self) -> usize {
        1
    }

    fn ask(&mut self, exprs: &mut Exprs, questions: Vec<Question>) -> Vec<Answer> {
        questions.iter().map(|it| it.answer(self.solver, exprs, self.domain)).collect()
    }

    fn cost(&self) -> u64 {
        self.solver.cost()
    }
}

/// Makes oracles that are independent of each other: no answer depends on what another oracle was asked.
pub trait Oracles: Sync {
    /// Calls `ask` with a new oracle, and returns the statistics of its solver.
    fn lend(&self, ask: &mut dyn FnMut(&mut dyn Oracle)) -> Statistics;
}

/// Oracles over the tool's chain of solvers, for questions within one domain.
#[derive(Debug)]
pub struct Chains<'a> {
    pub domain: &'a Domain,
    /// When the flag is set, all solvers answer `Unknown` at once.
    pub halt: Option<&'a Arc<AtomicBool>>,
}

impl Oracles for Chains<'_> {
    fn lend(&self, ask: &mut dyn FnMut(&mut dyn Oracle)) -> Statistics {
        let mut solver = Chain::new(Effort::default());
        if let Some(halt) = self.halt {
            solver = solver.halted_by(halt);
        }
        ask(&mut Alone { solver: &mut solver, domain: self.domain });
        solver.statistics
    }
}

impl Question {
    /// Answers with a model of `constraints`, or else with the answer to `loose`: the question is unsatisfiable only if
    /// the loose constraints are.
    pub fn answer(&self, solver: &mut dyn Solver, exprs: &Exprs, domain: &Domain) -> Answer {
        let mut attempt =
            |constraints| solver.solve(&Query { exprs, constraints, hint: &self.hint, domain });
        match (attempt(&self.constraints), &self.loose) {
            (found @ Answer::Sat(_), _) | (found, None) => found,
            (Answer::Unsat | Answer::Unknown(_), Some(loose)) => attempt(loose),
        }
    }
}
