//! Asks Z3 for numbers. The only part of the project that names it.
//!
//! Solvers are kept alive: a fresh one's first check costs milliseconds, the next ones on the same
//! solver a hundredth of that. Effort is counted in Z3's own units and not in time, so that the same
//! question has the same answer on every machine. What Z3 finds also depends on what it was asked before in
//! the same thread, so each has a thread of its own. Knows numbers only; the structure of terms is decided
//! before.

mod floats;
mod integers;
mod rows;
mod vectors;

use crate::Counts;
use crate::numbers::{Number, Numbers, Problem, Row, Solution};
use ::z3::ast::Bool;
use ::z3::{Model, Params, SatResult};
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use term::{Op, Term};

/// How hard Z3 may try for one question, in its units of work; a million is about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub u32);

impl Default for Effort {
    fn default() -> Effort {
        Effort(100_000)
    }
}

const MAX_MILLIS: u32 = 150;

/// Z3 goes deep into what it is asked. Memory that is not touched costs nothing.
const STACK_BYTES: usize = 256 << 20;

pub struct Z3 {
    pub counts: Counts,
    effort: Effort,
    /// Begun when it is first asked: most units never need it.
    thread: Option<Thread>,
}

/// Answers problems one after the other, until nobody can ask any more.
struct Thread {
    problems: Sender<Problem>,
    solutions: Receiver<Solution>,
}

impl Z3 {
    pub fn new(effort: Effort) -> Z3 {
        Z3 { counts: Counts::default(), effort, thread: None }
    }

    fn solution(&mut self, problem: &Problem) -> Option<Solution> {
        if self.thread.is_none() {
            self.thread = Thread::new(self.effort);
        }
        let thread = self.thread.as_ref()?;
        thread.problems.send(problem.clone()).ok()?;
        thread.solutions.recv().ok()
    }
}

impl Numbers for Z3 {
    fn find(&mut self, problem: &Problem) -> Solution {
        let solution = self.solution(problem).unwrap_or(Solution::GaveUp);
        match &solution {
            Solution::Found(_) => self.counts.sat += 1,
            Solution::Nothing => self.counts.unsat += 1,
            Solution::GaveUp => self.counts.unknown += 1,
        }
        solution
    }
}

impl Thread {
    fn new(effort: Effort) -> Option<Thread> {
        let (problems, asked) = channel::<Problem>();
        let (answered, solutions) = channel();
        let answer = move || {
            let asker = Asker::new(effort);
            for problem in asked {
                if answered.send(asker.find(&problem)).is_err() {
                    return;
                }
            }
        };
        let builder = thread::Builder::new().name("gimlet numbers".to_owned());
        builder.stack_size(STACK_BYTES).spawn(answer).ok()?;
        Some(Thread { problems, solutions })
    }
}

/// Who asks, where Z3 is.
struct Asker {
    solver: ::z3::Solver,
}

/// A way to put numbers to Z3.
trait Theory {
    /// Facts of the unknowns and of all rows that can be said in it.
    fn facts(&mut self, problem: &Problem) -> Vec<Bool>;
    /// What makes the numbers small.
    fn small(&self, size: i64) -> Vec<Bool>;
    /// That an unknown is a certain number.
    fn is(&self, place: usize, number: &Term) -> Option<Bool>;
    fn read(&self, model: &Model) -> Option<Vec<Term>>;
}

impl Asker {
    fn new(effort: Effort) -> Asker {
        let solver = ::z3::Solver::new();
        let mut params = Params::new();
        // It would catch Ctrl-C while it thinks, and nobody else would hear of it.
        params.set_bool("ctrl_c", false);
        params.set_u32("rlimit", effort.0);
        // Some steps of Z3 count for little and take long.
        params.set_u32("timeout", MAX_MILLIS);
        solver.set_params(&params);
        Asker { solver }
    }

    fn find(&self, problem: &Problem) -> Solution {
        let has_floats = problem.unknowns.iter().any(|it| it.is_float);
        let has_integers = problem.unknowns.iter().any(|it| !it.is_float);
        if has_floats && !has_integers {
            if MAX_FLOAT_RESULTS < n_float_results(problem) {
                return Solution::GaveUp;
            }
            self.ask(problem, &mut floats::Floats::default())
        } else if has_floats {
            // Each kind on its own says less than both together: only "nothing" can be believed.
            match self.ask(problem, &mut integers::Integers::default()) {
                Solution::Nothing => Solution::Nothing,
                Solution::Found(_) | Solution::GaveUp => Solution::GaveUp,
            }
        } else if needs_bits(problem) {
            match self.ask(problem, &mut vectors::Vectors::of(problem)) {
                // Numbers that do not fit were left out.
                Solution::Nothing => match self.ask(problem, &mut integers::Integers::default()) {
                    Solution::Nothing => Solution::Nothing,
                    Solution::Found(_) | Solution::GaveUp => Solution::GaveUp,
                },
                other @ (Solution::Found(_) | Solution::GaveUp) => other,
            }
        } else {
            self.ask(problem, &mut integers::Integers::default())
        }
    }
}

/// More of them keep Z3 busy for many seconds, and it does not look at its limits meanwhile.
const MAX_FLOAT_RESULTS: usize = 3;

/// How many floats are computed; divisions take longest by far.
fn n_float_results(problem: &Problem) -> usize {
    let cost = |it: &Row| match it {
        Row::Is(_, Op::Divide, _) => 2,
        Row::Is(..) => 1,
        Row::Holds(..) => 0,
    };
    problem.rows.iter().map(cost).sum()
}

/// Whether some row is about single bits and can't be said as arithmetic.
fn needs_bits(problem: &Problem) -> bool {
    let is_known = |it: &Number| matches!(it, Number::Known(_));
    problem.rows.iter().any(|it| match it {
        Row::Is(_, Op::BitAnd, args) => !args.iter().any(integers::is_mask),
        Row::Is(_, Op::BitOr | Op::BitXor, _) => true,
        Row::Is(_, Op::ShiftLeft | Op::ShiftRight, args) => !args.get(1).is_some_and(is_known),
        Row::Is(..) | Row::Holds(..) => false,
    })
}

/// Small numbers are preferred: people read them.
const SIZES: [i64; 2] = [100, 1_000_000];

impl Asker {
    fn ask(&self, problem: &Problem, theory: &mut dyn Theory) -> Solution {
        self.solver.push();
        for fact in theory.facts(problem) {
            self.solver.assert(&fact);
        }
        let solution = self.check(problem, theory);
        self.solver.pop(1);
        solution
    }

    fn check(&self, problem: &Problem, theory: &dyn Theory) -> Solution {
        for size in SIZES {
            match self.solver.check_assumptions(&theory.small(size)) {
                SatResult::Sat => return self.read(theory),
                SatResult::Unsat => (),
                SatResult::Unknown => return self.nearer(problem, theory),
            }
        }
        match self.solver.check() {
            SatResult::Sat => self.read(theory),
            SatResult::Unsat => Solution::Nothing,
            SatResult::Unknown => self.nearer(problem, theory),
        }
    }

    /// Too hard: all numbers but one as they were [Giantsios et al. 2015, §5.3].
    fn nearer(&self, problem: &Problem, theory: &dyn Theory) -> Solution {
        for free in 0..problem.unknowns.len().min(MAX_FREE) {
            let others = problem.unknowns.iter().enumerate().filter(|it| it.0 != free);
            let fixed: Vec<Bool> =
                others.filter_map(|(place, it)| theory.is(place, it.hint.as_ref()?)).collect();
            if self.solver.check_assumptions(&fixed) == SatResult::Sat {
                return self.read(theory);
            }
        }
        Solution::GaveUp
    }

    fn read(&self, theory: &dyn Theory) -> Solution {
        let found = self.solver.get_model().and_then(|it| theory.read(&it));
        found.map_or(Solution::GaveUp, Solution::Found)
    }
}

const MAX_FREE: usize = 1;

impl fmt::Debug for Z3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Z3").field("counts", &self.counts).finish_non_exhaustive()
    }
}
