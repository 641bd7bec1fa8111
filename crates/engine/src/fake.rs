//! Test doubles: a program that is a table of tests of one integer, and an oracle that tries all integers of a small
//! range. Neither needs a runtime or a solver.

use crate::oracle::{Oracle, Question};
use solve::{Answer, Reason};
use std::ops::RangeInclusive;
use term::{Atom, ExprId, Exprs, Model, Op, Term, Var, holds};
use trace::{
    Choice, ClauseId, Covered, Executor, ExecutorError, Input, Looked, Outcome, Run, SiteId,
};

/// A row of the table. A test's site is the number of its row, and an end's clause is the number of its row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row {
    /// If the argument is less than the number, continues with the next row, otherwise with the given row.
    IfLess(i64, usize),
    /// If the argument equals the number, continues with the next row, otherwise with the given row.
    IfEqual(i64, usize),
    Returns,
    Crashes,
}

#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Row>,
    exprs: Exprs,
    /// Rows from this number on count as library code.
    pub(crate) library_from: usize,
}

impl Table {
    pub(crate) fn new(rows: &[Row]) -> Table {
        Table { rows: rows.to_vec(), exprs: Exprs::default(), library_from: usize::MAX }
    }

    fn test(&mut self, op: Op, number: i64) -> ExprId {
        let argument = self.exprs.var(Var(0));
        let number = self.exprs.constant(Term::Int(number));
        self.exprs.apply(op, &[argument, number])
    }
}

impl Executor for Table {
    fn run(&mut self, input: &Input) -> Result<Run, ExecutorError> {
        let failed = |why: &str| ExecutorError { why: why.to_owned() };
        let argument = input.args.first().and_then(Term::as_int);
        let argument = argument.ok_or_else(|| failed("the argument is no integer"))?;
        let mut choices = Vec::new();
        let mut at = 0;
        loop {
            let row = *self.rows.get(at).ok_or_else(|| failed("there is no such row"))?;
            let site = u32::try_from(at).map_err(|_| failed("too many rows"))?;
            let (op, number, other, is_so) = match row {
                Row::IfLess(number, other) => (Op::Less, number, other, argument < number),
                Row::IfEqual(number, other) => (Op::Equal, number, other, argument == number),
                Row::Returns | Row::Crashes => {
                    let mut covered = Covered::default();
                    covered.insert(ClauseId(site));
                    let outcome = if matches!(row, Row::Returns) {
                        Outcome::Value(Term::Int(i64::from(site)))
                    } else {
                        let (reason, trace) = (Term::Int(i64::from(site)), Term::Nil);
                        Outcome::Crash { class: Atom::new("error"), reason, trace }
                    };
                    let (trails, losses) = (Vec::new(), Vec::new());
                    return Ok(Run { outcome, choices, trails, losses, covered });
                }
            };
            let looked = Looked::Test(self.test(op, number));
            choices.push(Choice { site: SiteId(site), taken: usize::from(!is_so), looked });
            at = if is_so { at + 1 } else { other };
        }
    }

    fn exprs(&mut self) -> &mut Exprs {
        &mut self.exprs
    }

    fn is_inside(&self, site: SiteId) -> bool {
        usize::try_from(site.0).is_ok_and(|it| it < self.library_from)
    }
}

/// Answers with the least integer of a range that satisfies the constraints.
#[derive(Debug)]
pub(crate) struct Small {
    pub(crate) numbers: RangeInclusive<i64>,
    /// Questions with a constraint on this expression are given up.
    pub(crate) too_hard: Option<ExprId>,
    pub(crate) n_asked: u64,
}

impl Small {
    pub(crate) fn new(numbers: RangeInclusive<i64>) -> Small {
        Small { numbers, too_hard: None, n_asked: 0 }
    }
}

impl Oracle for Small {
    fn batch(&self) -> usize {
        1
    }

    fn ask(&mut self, exprs: &mut Exprs, questions: Vec<Question>) -> Vec<Answer> {
        let answer = |question: Question| {
            self.n_asked += 1;
            let is_hard = question.constraints.iter().any(|it| Some(it.expr) == self.too_hard);
            if is_hard {
                return Answer::Unknown(Reason::TooHard);
            }
            let models = self.numbers.clone().map(|it| Model::of([Term::Int(it)]));
            let will_do = |model: &Model| {
                question.constraints.iter().all(|it| holds(exprs, *it, model) == Some(true))
            };
            models.into_iter().find(will_do).map_or(Answer::Unsat, Answer::Sat)
        };
        questions.into_iter().map(answer).collect()
    }

    fn cost(&self) -> u64 {
        self.n_asked
    }
}
