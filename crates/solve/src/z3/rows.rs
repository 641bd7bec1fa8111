//! How a row of a problem becomes a statement, whatever Z3's numbers are in a theory.

use crate::numbers::{Number, Row};
use ::z3::ast::Bool;
use term::Op;

/// The arithmetic of one of Z3's theories.
pub(super) trait Arithmetic {
    type Value;

    /// A number of the problem, if the theory has it.
    fn number(&self, number: &Number) -> Option<Self::Value>;

    /// `<` and `=<`; any other comparison is equality.
    fn compare(op: Op, a: &Self::Value, b: &Self::Value) -> Bool;

    /// What an operation gives, if the theory can say it. `when` takes what must hold for it to.
    fn result(
        &self,
        op: Op,
        args: &[Number],
        values: &[Self::Value],
        when: &mut Vec<Bool>,
    ) -> Option<Self::Value>;

    /// What the row states; nothing if the theory can't say it.
    fn statements(&self, row: &Row) -> Option<Vec<Bool>> {
        let mut res = Vec::new();
        match row {
            Row::Holds(op, [a, b], holds) => {
                let test = Self::compare(*op, &self.number(a)?, &self.number(b)?);
                res.push(if *holds { test } else { test.not() });
            }
            Row::Is(result, op, args) => {
                let result = self.number(result)?;
                let values: Option<Vec<_>> = args.iter().map(|it| self.number(it)).collect();
                let found = self.result(*op, args, &values?, &mut res)?;
                res.push(Self::compare(Op::Same, &result, &found));
            }
        }
        Some(res)
    }
}
