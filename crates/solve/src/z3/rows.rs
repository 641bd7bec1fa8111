//! The translation of a problem's rows into assertions, generic over Z3's theories.

use crate::numbers::{Number, Row};
use ::z3::ast::Bool;
use term::Op;

/// The arithmetic of one of Z3's theories.
pub(super) trait Arithmetic {
    type Value;

    /// Returns a number of the problem, if the theory can represent it.
    fn number(&self, number: &Number) -> Option<Self::Value>;

    /// Returns the comparison `<` or `=<`; any other operator is compared as equality.
    fn compare(op: Op, a: &Self::Value, b: &Self::Value) -> Bool;

    /// Returns the result of an operation, if the theory can express it; adds the conditions under which it is valid to
    /// `when`.
    fn result(
        &self,
        op: Op,
        args: &[Number],
        values: &[Self::Value],
        when: &mut Vec<Bool>,
    ) -> Option<Self::Value>;

    /// Returns the assertions of a row; `None` if the theory cannot express it.
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
