//! Asks Z3. The only part of the project that names it.
//!
//! One solver per [`Z3`], kept alive: a fresh solver's first check costs milliseconds, the next ones
//! on the same solver a hundredth of that. Effort is counted in Z3's own units and not in time, so
//! that the same query has the same answer on every machine.

mod atoms;
mod decode;
mod encode;
mod theory;

use self::atoms::AtomTable;
use self::decode::Decoder;
use self::encode::Encoder;
use self::theory::Theory;
use crate::{Answer, Counts, Query, Reason, Solver};
use ::z3::ast::Bool;
use ::z3::{Params, SatResult};
use std::fmt;
use term::Model;

/// How hard Z3 may try, in its units of work; a million is about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub u32);

impl Default for Effort {
    fn default() -> Effort {
        Effort(1_000_000)
    }
}

pub struct Z3 {
    pub counts: Counts,
    theory: Theory,
    solver: ::z3::Solver,
}

impl Z3 {
    pub fn new(effort: Effort) -> Z3 {
        let solver = ::z3::Solver::new();
        let mut params = Params::new();
        params.set_u32("rlimit", effort.0);
        solver.set_params(&params);
        Z3 { counts: Counts::default(), theory: Theory::new(), solver }
    }
}

impl Solver for Z3 {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        self.solver.push();
        let answer = self.ask(query);
        self.solver.pop(1);
        self.counts.count(&answer);
        answer
    }
}

impl Z3 {
    /// What the encoding leaves open makes it weaker than the query, never stronger: "unsatisfiable"
    /// can be believed, a model has to be checked. Assumptions that hold of most models make good
    /// ones likely; they are given up one by one.
    fn ask(&self, query: &Query<'_>) -> Answer {
        let atoms = AtomTable::of(query);
        let mut encoder = Encoder::new(&self.theory, &atoms, query.exprs);
        encoder.require_all(query.constraints);
        for fact in &encoder.facts {
            self.solver.assert(fact);
        }
        let wishes: [&[Bool]; 3] = [
            &[encoder.floats_are_reals.clone(), encoder.all_are_plain.clone()],
            std::slice::from_ref(&encoder.floats_are_reals),
            &[],
        ];
        let mut res = Answer::Unsat;
        for (n, wish) in wishes.into_iter().enumerate() {
            res = match self.solver.check_assumptions(wish) {
                SatResult::Unsat => Answer::Unsat,
                SatResult::Unknown => Answer::Unknown(Reason::TooHard),
                SatResult::Sat => match self.model(&encoder, &atoms) {
                    Some(model) => Answer::Sat(model),
                    None => Answer::Unknown(Reason::WrongModel),
                },
            };
            let is_last = encoder.is_exact && n == 1;
            if res != Answer::Unsat || is_last {
                break;
            }
        }
        res
    }

    fn model(&self, encoder: &Encoder<'_>, atoms: &AtomTable) -> Option<Model> {
        let model = self.solver.get_model()?;
        let decoder = Decoder { atoms, opaque: &encoder.opaque };
        let values = encoder.vars.iter().map(|(var, ast)| {
            let value = model.eval(ast, true)?;
            Some((*var, decoder.term(&value, 0)?))
        });
        Some(Model { values: values.collect::<Option<_>>()? })
    }
}

impl fmt::Debug for Z3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Z3").field("counts", &self.counts).finish_non_exhaustive()
    }
}
