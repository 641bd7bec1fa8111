//! The numeric solver that uses Z3. No other part of the project names Z3.
//!
//! Solvers are kept alive: the first check of a fresh solver costs milliseconds, later checks a hundredth of that. The
//! effort is limited in Z3's own units and not in time, so that the same question has the same answer on every machine.
//! Z3's answers also depend on earlier questions in the same thread, so each [`Z3`] has its own thread. Knows numbers
//! only; the structure of terms is decided before.

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

/// The limit on Z3's work for one question, in Z3's resource units; a million units take about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub u32);

impl Default for Effort {
    fn default() -> Effort {
        Effort(100_000)
    }
}

const MAX_MILLIS: u32 = 150;

/// The stack of the thread, since Z3 recurses deeply. Memory that is never touched costs nothing.
const STACK_BYTES: usize = 256 << 20;

pub struct Z3 {
    pub counts: Counts,
    effort: Effort,
    /// Started with the first question, since most units never need Z3.
    thread: Option<SolverThread>,
}

/// A thread that solves problems one after the other until the sender is dropped.
struct SolverThread {
    problems: Sender<Problem>,
    solutions: Receiver<Solution>,
}

impl Z3 {
    pub fn new(effort: Effort) -> Z3 {
        Z3 { counts: Counts::default(), effort, thread: None }
    }

    fn solution(&mut self, problem: &Problem) -> Option<Solution> {
        if self.thread.is_none() {
            self.thread = SolverThread::new(self.effort);
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

impl SolverThread {
    fn new(effort: Effort) -> Option<SolverThread> {
        let (problems, asked) = channel::<Problem>();
        let (answered, solutions) = channel();
        let answer = move || {
            let session = Session::new(effort);
            for problem in asked {
                if answered.send(session.find(&problem)).is_err() {
                    return;
                }
            }
        };
        let builder = thread::Builder::new().name("gimlet numbers".to_owned());
        builder.stack_size(STACK_BYTES).spawn(answer).ok()?;
        Some(SolverThread { problems, solutions })
    }
}

/// The Z3 solver, as used by its thread.
struct Session {
    solver: ::z3::Solver,
}

/// An encoding of numeric problems in one of Z3's theories.
trait Theory {
    /// Returns assertions for the unknowns and for all rows that the theory can express.
    fn facts(&mut self, problem: &Problem) -> Vec<Bool>;
    /// Returns assumptions that all numbers have at most this absolute value.
    fn small(&self, size: i64) -> Vec<Bool>;
    /// Returns the assertion that an unknown equals a number.
    fn is(&self, place: usize, number: &Term) -> Option<Bool>;
    fn read(&self, model: &Model) -> Option<Vec<Term>>;
}

impl Session {
    fn new(effort: Effort) -> Session {
        let solver = ::z3::Solver::new();
        let mut params = Params::new();
        // Otherwise Z3 would install its own handler of Ctrl-C, and the tool would not be told.
        params.set_bool("ctrl_c", false);
        params.set_u32("rlimit", effort.0);
        // Some of Z3's steps take long and count for little, so the time is limited, too.
        params.set_u32("timeout", MAX_MILLIS);
        solver.set_params(&params);
        Session { solver }
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
            // Each theory encodes only a part of the problem; only "no solution" can be trusted.
            match self.ask(problem, &mut integers::Integers::default()) {
                Solution::Nothing => Solution::Nothing,
                Solution::Found(_) | Solution::GaveUp => Solution::GaveUp,
            }
        } else if needs_bits(problem) {
            match self.ask(problem, &mut vectors::Vectors::of(problem)) {
                // Numbers that do not fit the vectors were left out.
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

/// With more computed floats Z3 may run for many seconds without checking its limits.
const MAX_FLOAT_RESULTS: usize = 3;

/// Returns the number of computed floats; divisions count twice, as they take longest.
fn n_float_results(problem: &Problem) -> usize {
    let cost = |it: &Row| match it {
        Row::Is(_, Op::Divide, _) => 2,
        Row::Is(..) => 1,
        Row::Holds(..) => 0,
    };
    problem.rows.iter().map(cost).sum()
}

/// Whether some row is a bit operation that integer arithmetic cannot express.
fn needs_bits(problem: &Problem) -> bool {
    let is_known = |it: &Number| matches!(it, Number::Known(_));
    problem.rows.iter().any(|it| match it {
        Row::Is(_, Op::BitAnd, args) => !args.iter().any(integers::is_mask),
        Row::Is(_, Op::BitOr | Op::BitXor, _) => true,
        Row::Is(_, Op::ShiftLeft | Op::ShiftRight, args) => !args.get(1).is_some_and(is_known),
        Row::Is(..) | Row::Holds(..) => false,
    })
}

/// The absolute values up to which numbers are tried first: small numbers are easier to read.
const SIZES: [i64; 2] = [100, 1_000_000];

impl Session {
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

    /// If the problem is too hard, fixes all numbers but one to their hints [Giantsios et al. 2015, §5.3].
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
