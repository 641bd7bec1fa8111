//! Who answers questions: one solver, or several at once.

use solve::{Answer, Query, Solver};
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
