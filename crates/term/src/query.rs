//! A query as text, so that whatever was asked of a solver can be kept in a file and asked again.
//!
//! One line per expression, parts before wholes, so that shared parts stay shared:
//! ```text
//! %0 = var 0
//! %1 = const 42
//! %2 = less %1 %0
//! require %2
//! refuse %2
//! hint 0 = 17
//! type 0 = kind integer
//! type 1 = tuple 0
//! domain 1
//! ```
//! Terms are written as Erlang writes them; a line that begins with `#` is a remark.

mod type_text;

use crate::constraint::{Constraint, Model};
use crate::expr::{Expr, ExprId, Exprs, Op, Var};
use crate::text::{Style, print, read_term};
use crate::types::{Domain, TypeId};
use rustc_hash::FxHashMap;
use std::fmt;
use std::fmt::Write;

#[derive(Clone, Debug, Default)]
pub struct QueryText {
    pub exprs: Exprs,
    pub constraints: Vec<Constraint>,
    /// A model of a query that differs in its last constraint.
    pub hint: Model,
    pub domain: Domain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub line: usize,
    pub problem: &'static str,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the query: {}", self.line, self.problem)
    }
}

/// Returns the text of a query. Only expressions that the constraints use are written, with new numbers.
pub fn print_query(
    exprs: &Exprs,
    constraints: &[Constraint],
    hint: &Model,
    domain: &Domain,
) -> String {
    let mut res = String::new();
    let mut numbers: FxHashMap<ExprId, usize> = FxHashMap::default();
    let number = |numbers: &FxHashMap<ExprId, usize>, id: ExprId| {
        numbers.get(&id).copied().unwrap_or(usize::MAX)
    };
    for (n, id) in exprs.reachable(constraints.iter().map(|it| it.expr)).into_iter().enumerate() {
        numbers.insert(id, n);
        let text = match exprs.get(id) {
            None => continue,
            Some(Expr::Var(var)) => format!("var {}", var.0),
            Some(Expr::Const(term)) => format!("const {}", print(term, Style::TW)),
            Some(Expr::Apply(op, args)) => {
                args.iter().fold(op.name(), |text, it| format!("{text} %{}", number(&numbers, *it)))
            }
        };
        writeln!(res, "%{n} = {text}").ok();
    }
    for constraint in constraints {
        let word = if constraint.holds { "require" } else { "refuse" };
        writeln!(res, "{word} %{}", number(&numbers, constraint.expr)).ok();
    }
    for (var, term) in &hint.values {
        writeln!(res, "hint {} = {}", var.0, print(term, Style::TW)).ok();
    }
    if let Some(args) = domain.args {
        for id in (0..domain.types.len()).filter_map(|it| u32::try_from(it).ok()).map(TypeId) {
            writeln!(res, "type {} = {}", id.0, type_text::print(domain.types.get(id))).ok();
        }
        writeln!(res, "domain {}", args.0).ok();
    }
    res
}

pub fn read_query(text: &str) -> Result<QueryText, QueryError> {
    let mut reader = Reader::default();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        reader.line(line).map_err(|problem| QueryError { line: n + 1, problem })?;
    }
    Ok(reader.res)
}

#[derive(Default)]
struct Reader {
    res: QueryText,
    ids: FxHashMap<String, ExprId>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let (first, rest) = line.split_once(' ').ok_or("a line has at least two words")?;
        match first {
            "require" | "refuse" => {
                let expr = self.reference(rest.trim())?;
                self.res.constraints.push(Constraint { expr, holds: first == "require" });
            }
            "hint" => {
                let (var, term) = rest.split_once('=').ok_or("a hint is `hint 0 = TERM`")?;
                let term = read_term(term).map_err(|_| "this is no term")?;
                self.res.hint.values.insert(variable(var)?, term);
            }
            "type" => {
                let (id, of) = rest.split_once('=').ok_or("a type is `type 0 = TYPE`")?;
                let of = type_text::read(of.trim()).ok_or("this is no type")?;
                let types = &mut self.res.domain.types;
                if id.trim().parse() != Ok(types.add(of).0) {
                    return Err("types are numbered from 0 on");
                }
            }
            "domain" => {
                let id = rest.trim().parse().map_err(|_| "a domain is the number of a type")?;
                self.res.domain.args = Some(TypeId(id));
            }
            name if name.starts_with('%') => {
                let what = rest.trim_start().strip_prefix('=').ok_or("expected `=`")?;
                let id = self.expr(what.trim())?;
                self.ids.insert(name.to_owned(), id);
            }
            _ => return Err(BEGINNINGS),
        }
        Ok(())
    }

    fn expr(&mut self, text: &str) -> Result<ExprId, &'static str> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        if word == "var" {
            return Ok(self.res.exprs.var(variable(rest)?));
        }
        if word == "const" {
            let term = read_term(rest).map_err(|_| "this is no term")?;
            return Ok(self.res.exprs.constant(term));
        }
        let op = Op::from_name(word).ok_or("there is no such operator")?;
        let args: Result<Vec<ExprId>, &str> =
            rest.split_whitespace().map(|it| self.reference(it)).collect();
        let args = args?;
        if op.arity().is_some_and(|it| it != args.len()) {
            return Err("the operator takes another number of operands");
        }
        Ok(self.res.exprs.apply(op, &args))
    }

    fn reference(&self, name: &str) -> Result<ExprId, &'static str> {
        self.ids.get(name).copied().ok_or("the expression is not there yet")
    }
}

const BEGINNINGS: &str =
    "a line begins with `%`, `require`, `refuse`, `hint`, `type`, `domain` or `#`";

fn variable(text: &str) -> Result<Var, &'static str> {
    text.trim().parse().map(Var).map_err(|_| "a variable is a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print_it(query: &QueryText) -> String {
        print_query(&query.exprs, &query.constraints, &query.hint, &query.domain)
    }

    #[test]
    fn a_query_is_read_as_it_was_printed() {
        let text = "\
%0 = var 0
%1 = head %0
%2 = const 'a b\\n(%0'
%3 = same %1 %2
%4 = const [1,2.0,{<<1,2:3>>,#{a => \"x\"}}|t]
%5 = tuple %1 %4 %1
%6 = is_tuple:3 %5
%7 = var 12
%8 = is:float %7
refuse %3
require %6
require %8
hint 0 = [17]
hint 12 = -0.5
type 0 = any
type 1 = kind integer
type 2 = literal {a,<<1>>}
type 3 = range 0 -
type 4 = list 1 2
type 5 = nonempty_list 4 5
type 6 = tuple
type 7 = map 2:=3 1=>0
type 8 = bits 8 16
type 9 = fun any 1
type 10 = fun 0 1 -> 2
type 11 = union 0 1
type 12 = none
domain 6
";
        let read = read_query(text).expect("a query");
        let printed = print_it(&read);
        let again = read_query(&printed).expect("a query");
        assert_eq!(printed, print_it(&again));
        assert_eq!(printed.replace("[120]", "\"x\""), text);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |text: &str, line: usize, word: &str| {
            let error = read_query(text).expect_err("not a query");
            assert!(error.line == line && error.problem.contains(word), "{error}");
        };
        check("%0 = var x", 1, "number");
        check("\n%0 = const [1", 2, "term");
        check("%0 = var 0\n%1 = head %0 %0", 2, "operands");
        check("%1 = head %0", 1, "not there");
        check("%1 = hea %0", 1, "operator");
        check("require %0", 1, "not there");
        check("type 1 = any", 1, "numbered");
        check("type 0 = range 1", 1, "type");
        check("assert %0", 1, "begins");
    }
}
