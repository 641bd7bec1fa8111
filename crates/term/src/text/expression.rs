//! The text of expressions and constraints in Erlang's notation, for people only.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the other operators are called by their names"
)]

use super::print::{Style, print};
use crate::constraint::Constraint;
use crate::expr::{Expr, ExprId, Exprs, Op, Var};
use crate::kind::Kind;

/// The maximal length of a text in characters. An expression shares its parts, but its text repeats them.
const MAX_TEXT: usize = 160;

/// Returns the name of a variable.
type Names<'a> = &'a dyn Fn(Var) -> String;

/// Returns the text of a constraint, such as `length(X) > 3`.
pub fn constraint_text(exprs: &Exprs, constraint: &Constraint, names: Names<'_>) -> String {
    let Constraint { expr, holds } = *constraint;
    let text = match exprs.get(expr) {
        Some(Expr::Apply(Op::IsKind(Kind::Nil), args)) if !holds => {
            let of = args.first().map_or(String::new(), |it| operand(exprs, *it, names));
            format!("{of} =/= []")
        }
        Some(Expr::Apply(op, args)) if !holds => match (op.refused(), &**args) {
            (Some(infix), [a, b]) => {
                format!("{} {infix} {}", operand(exprs, *a, names), operand(exprs, *b, names))
            }
            _ => format!("not {}", operand(exprs, expr, names)),
        },
        _ if holds => expression_text(exprs, expr, names),
        _ => format!("not {}", operand(exprs, expr, names)),
    };
    cut(text)
}

pub fn expression_text(exprs: &Exprs, expr: ExprId, names: Names<'_>) -> String {
    cut(text(exprs, expr, names, MAX_DEPTH))
}

/// Deeper parts are replaced by dots.
const MAX_DEPTH: usize = 12;

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text;
    }
    let mut res: String = text.chars().take(MAX_TEXT).collect();
    res.push('…');
    res
}

fn text(exprs: &Exprs, expr: ExprId, names: Names<'_>, left: usize) -> String {
    let Some(left) = left.checked_sub(1) else { return "…".to_owned() };
    let (op, args) = match exprs.get(expr) {
        Some(Expr::Var(var)) => return names(*var),
        Some(Expr::Const(term)) => return print(term, Style::READABLE),
        Some(Expr::Apply(op, args)) => (*op, &**args),
        None => return "…".to_owned(),
    };
    let part = |n: usize| args.get(n).map_or(String::new(), |it| text(exprs, *it, names, left));
    let wrapped = |n: usize| {
        let is_infix = args.get(n).and_then(|it| exprs.get(*it)).is_some_and(|it| match it {
            Expr::Apply(op, _) => op.infix().is_some(),
            Expr::Var(_) | Expr::Const(_) => false,
        });
        if is_infix { format!("({})", part(n)) } else { part(n) }
    };
    let call = |name: &str| {
        let args: Vec<String> = (0..args.len()).map(part).collect();
        format!("{name}({})", args.join(", "))
    };
    if let Some(infix) = op.infix() {
        return format!("{} {infix} {}", wrapped(0), wrapped(1));
    }
    match op {
        Op::Element(place) => format!("element({}, {})", place + 1, part(0)),
        Op::Key(place) => format!("lists:nth({}, maps:keys({}))", place + 1, part(0)),
        Op::IsTuple(arity) => format!("tuple_size({}) =:= {arity}", part(0)),
        Op::IsFunction(arity) => format!("is_function({}, {arity})", part(0)),
        Op::IsKind(Kind::Cons) => format!("is_cell({})", part(0)),
        Op::IsKind(Kind::Nil) => format!("{} =:= []", part(0)),
        Op::IsKind(kind) => call(&format!("is_{}", kind.name())),
        Op::Convert(conversion) => call(&conversion.name()),
        Op::Converts(conversion) => format!("{}({}) succeeds", conversion.name(), part(0)),
        Op::Cons => format!("[{}|{}]", part(0), part(1)),
        Op::Tuple => {
            let items: Vec<String> = (0..args.len()).map(part).collect();
            format!("{{{}}}", items.join(", "))
        }
        Op::Call => {
            let items: Vec<String> = (1..args.len()).map(part).collect();
            format!("{}({})", wrapped(0), items.join(", "))
        }
        Op::Head => call("hd"),
        Op::Tail => call("tl"),
        Op::Not => format!("not {}", wrapped(0)),
        Op::Negate => format!("-{}", wrapped(0)),
        Op::Absolute => call("abs"),
        Op::BitNot => format!("bnot {}", wrapped(0)),
        Op::ToFloat => call("float"),
        Op::Truncate => call("trunc"),
        Op::Get => call("map_get"),
        Op::HasKey => call("is_map_key"),
        _ => call(op.name().split(':').next().unwrap_or_default()),
    }
}

fn operand(exprs: &Exprs, expr: ExprId, names: Names<'_>) -> String {
    let text = text(exprs, expr, names, MAX_DEPTH);
    let is_infix = matches!(exprs.get(expr), Some(Expr::Apply(op, _)) if op.infix().is_some());
    if is_infix { format!("({text})") } else { text }
}

impl Op {
    fn infix(self) -> Option<&'static str> {
        const INFIX: &[(Op, &str)] = &[
            (Op::Add, "+"),
            (Op::Subtract, "-"),
            (Op::Multiply, "*"),
            (Op::Divide, "/"),
            (Op::Quotient, "div"),
            (Op::Remainder, "rem"),
            (Op::BitAnd, "band"),
            (Op::BitOr, "bor"),
            (Op::BitXor, "bxor"),
            (Op::ShiftLeft, "bsl"),
            (Op::ShiftRight, "bsr"),
            (Op::Same, "=:="),
            (Op::Equal, "=="),
            (Op::Less, "<"),
            (Op::LessEqual, "=<"),
            (Op::And, "andalso"),
            (Op::Or, "orelse"),
        ];
        INFIX.iter().find(|it| it.0 == self).map(|it| it.1)
    }

    /// Returns the operator of the negated comparison.
    fn refused(self) -> Option<&'static str> {
        const REFUSED: &[(Op, &str)] =
            &[(Op::Same, "=/="), (Op::Equal, "/="), (Op::Less, ">="), (Op::LessEqual, ">")];
        REFUSED.iter().find(|it| it.0 == self).map(|it| it.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::read_query;

    fn check(query: &str, expect: &[&str]) {
        let read = read_query(query).expect("a query");
        let names = |var: Var| format!("X{}", var.0 + 1);
        let texts = read.constraints.iter().map(|it| constraint_text(&read.exprs, it, &names));
        assert_eq!(texts.collect::<Vec<_>>(), expect);
    }

    #[test]
    fn constraints_read_like_guards() {
        let sum = "%0 = var 0\n%1 = var 1\n%2 = add %0 %1\n%3 = const 42\n%4 = less %3 %2\n";
        check(&format!("{sum}require %4\nrefuse %4\n"), &["42 < (X1 + X2)", "42 >= (X1 + X2)"]);
        let parts = "%0 = var 0\n%1 = tail %0\n%2 = head %1\n%3 = is:integer %2\n%4 = is_tuple:2 %2\n\
                     %5 = element:1 %2\n%6 = const ok\n%7 = same %5 %6\n";
        check(
            &format!("{parts}refuse %3\nrequire %4\nrefuse %7\n"),
            &[
                "not is_integer(hd(tl(X1)))",
                "tuple_size(hd(tl(X1))) =:= 2",
                "element(2, hd(tl(X1))) =/= ok",
            ],
        );
    }
}
