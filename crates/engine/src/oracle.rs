//! Who answers questions: one solver, or several at once.

use solve::{Answer, Chain, Effort, Query, Solver, Statistics};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use term::{Constraint, Domain, Exprs, Model};

/// What has to hold for a choice to be taken the other way.
#[derive(Clone, Debug)]
pub struct Question {
    pub constraints: Vec<Constraint>,
    /// The same with less certainty that the run comes as far as the choice; asked if the first
    /// has no answer.
    pub loose: Option<Vec<Constraint>>,
    /// The input of the run that the choice is from.
    pub hint: Model,
}

pub trait Oracle {
    /// How many questions are asked at once. More keep more solvers busy, but are chosen without
    /// knowing what the others will bring.
    fn batch(&self) -> usize;

    /// An answer for each question, in their order.
    fn ask(&mut self, exprs: &mut Exprs, questions: Vec<Question>) -> Vec<Answer>;

    /// What all answers so far have cost; see [`Solver::cost`].
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

/// Makes those who answer. None of them knows what another was asked.
pub trait Oracles: Sync {
    /// Lets somebody ask a new one, and says what was asked.
    fn lend(&self, ask: &mut dyn FnMut(&mut dyn Oracle)) -> Statistics;
}

/// The solvers that the tool uses, for questions within one domain.
#[derive(Debug)]
pub struct Chains<'a> {
    pub domain: &'a Domain,
    /// Once it is set, whatever is asked is unknown at once.
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
    /// Unsatisfiable is what is so even with less certainty.
    pub fn answer(&self, solver: &mut dyn Solver, exprs: &Exprs, domain: &Domain) -> Answer {
        let mut attempt =
            |constraints| solver.solve(&Query { exprs, constraints, hint: &self.hint, domain });
        match (attempt(&self.constraints), &self.loose) {
            (found @ Answer::Sat(_), _) | (found, None) => found,
            (Answer::Unsat | Answer::Unknown(_), Some(loose)) => attempt(loose),
        }
    }
}
