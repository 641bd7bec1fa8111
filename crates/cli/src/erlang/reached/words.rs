//! Describes constraints on the input in words, with the argument names of the source.
//!
//! Knows expressions and constraints, and how the caller prints a term; no program and no language.

use std::fmt::Display;
use term::{Constraint, Expr, ExprId, Exprs, Kind, Model, Op, Term, Var, value};

/// The context of a description.
pub(super) struct Words<'a> {
    pub(super) exprs: &'a Exprs,
    /// The names of the arguments, in order.
    pub(super) names: &'a [String],
    /// The values of the arguments, which complete negated statements.
    pub(super) model: &'a Model,
    pub(super) show: &'a dyn Fn(&Term) -> String,
}

/// The statement of one constraint.
enum Statement {
    /// A subject, and a description that does not apply to it.
    IsNot(ExprId, String),
    Whole(String),
}

/// The maximum number of statements of one choice.
const MAX_STATEMENTS: usize = 3;
/// The maximum number of excluded values that are listed.
const MAX_LISTED: usize = 6;
/// The maximum nesting of a described part; deeper parts are shown as dots.
const MAX_DEPTH: usize = 12;
/// The maximum length of a quoted value, in characters.
const MAX_VALUE: usize = 40;
/// The maximum length of the description of a choice, in characters.
const MAX_TOLD: usize = 240;

impl Words<'_> {
    /// Describes the constraints of a choice in one phrase.
    pub(super) fn told(&self, constraints: &[Constraint]) -> String {
        let mut phrases = Vec::new();
        let mut statements =
            constraints.iter().map(|it| self.statement(it.expr, it.holds)).peekable();
        while let Some(statement) = statements.next() {
            match statement {
                Statement::Whole(text) => phrases.push(text),
                Statement::IsNot(subject, other) => {
                    let mut others = vec![other];
                    while let Some(Statement::IsNot(of, other)) =
                        statements.next_if(|it| it.denies(subject))
                    {
                        debug_assert_eq!(of, subject);
                        others.push(other);
                    }
                    phrases.push(self.denied(subject, &others));
                }
            }
        }
        let is_cut = MAX_STATEMENTS < phrases.len();
        phrases.truncate(MAX_STATEMENTS);
        let text = phrases.join(" and ");
        cut(if is_cut { format!("{text} and more") } else { text }, MAX_TOLD)
    }

    fn statement(&self, expr: ExprId, holds: bool) -> Statement {
        let Some(Expr::Apply(op, args)) = self.exprs.get(expr) else {
            return Statement::Whole(self.truth(expr, holds));
        };
        match (*op, &args[..]) {
            (Op::Not, [of]) => self.statement(*of, !holds),
            (Op::And | Op::Or, [a, b]) => {
                // De Morgan: a negated conjunction is a disjunction of negations, and vice versa.
                let word = if (*op == Op::And) == holds { "and" } else { "or" };
                let (a, b) = (self.clause(*a, holds), self.clause(*b, holds));
                Statement::Whole(format!("{a} {word} {b}"))
            }
            (Op::Same | Op::Equal, [a, b]) => self.equality(*op, (*a, *b), holds),
            (Op::Less | Op::LessEqual, [a, b]) => Statement::Whole(self.order(*op, *a, *b, holds)),
            (Op::IsKind(Kind::Nil), [of]) => self.is(*of, "[]", holds),
            (Op::IsKind(Kind::Cons), [of]) => match self.place_in_list(*of) {
                Some((list, n)) if 0 < n => Statement::Whole(self.goes_on(list, n, holds)),
                Some(_) | None => self.is(*of, noun(Kind::Cons), holds),
            },
            (Op::IsKind(kind), [of]) => self.is(*of, noun(kind), holds),
            (Op::IsTuple(arity), [of]) => {
                self.is(*of, &format!("a tuple of {}", count(arity, "element")), holds)
            }
            (Op::IsFunction(arity), [of]) => {
                let what = format!("a function of {}", count(arity, "argument"));
                self.is(*of, &what, holds)
            }
            (Op::IsProper, [of]) => self.is(*of, "a proper list", holds),
            (Op::HasKey, [key, map]) => {
                let (key, map) = (self.subject(*key), self.subject(*map));
                let has = if holds { "has the key" } else { "has no key" };
                Statement::Whole(format!("{map} {has} {key}"))
            }
            (Op::Converts(conversion), [of]) => {
                let does = if holds { "succeeds" } else { "fails" };
                let of = self.subject(*of);
                Statement::Whole(format!("{}({of}) {does}", conversion.name()))
            }
            _ => Statement::Whole(self.truth(expr, holds)),
        }
    }

    fn clause(&self, expr: ExprId, holds: bool) -> String {
        match self.statement(expr, holds) {
            Statement::Whole(text) => text,
            Statement::IsNot(subject, other) => self.denied(subject, &[other]),
        }
    }

    fn truth(&self, expr: ExprId, holds: bool) -> String {
        format!("{} is {}", self.subject(expr), if holds { "true" } else { "not true" })
    }

    fn is(&self, of: ExprId, what: &str, holds: bool) -> Statement {
        match (what, self.place_in_list(of)) {
            ("[]", Some((list, n))) if 0 < n => Statement::Whole(self.goes_on(list, n, !holds)),
            _ if holds => Statement::Whole(format!("{} is {what}", self.subject(of))),
            _ => Statement::IsNot(of, what.to_owned()),
        }
    }

    /// States whether a list has more than `n` items.
    fn goes_on(&self, list: ExprId, n: usize, does: bool) -> String {
        let list = self.subject(list);
        match does {
            true => format!("{list} has more than {}", count(n, "item")),
            false => format!("{list} has {}", count(n, "item")),
        }
    }

    fn equality(&self, op: Op, (a, b): (ExprId, ExprId), holds: bool) -> Statement {
        let (a, b) = if self.exprs.as_constant(a).is_some() { (b, a) } else { (a, b) };
        let constant = self.exprs.as_constant(b);
        let truth = constant.and_then(Term::as_atom).and_then(|it| it.parse::<bool>().ok());
        if let (Some(truth), true) = (truth, self.exprs.is_test(a)) {
            return self.statement(a, holds == truth);
        }
        let other = self.operand(b, MAX_DEPTH);
        match (op, holds) {
            (Op::Equal, true) => Statement::Whole(format!("{} equals {other}", self.subject(a))),
            _ => self.is(a, &other, holds),
        }
    }

    fn order(&self, op: Op, a: ExprId, b: ExprId, holds: bool) -> String {
        // A constant comes last, since "X is at least 8" is easier to read than "8 is at most X".
        let is_turned = self.exprs.as_constant(a).is_some() && self.exprs.as_constant(b).is_none();
        let relation = match (op == Op::Less, holds, is_turned) {
            (true, true, false) | (false, false, true) => "is less than",
            (true, true, true) | (false, false, false) => "is greater than",
            (true, false, false) | (false, true, true) => "is at least",
            (true, false, true) | (false, true, false) => "is at most",
        };
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        format!("{} {relation} {}", self.subject(a), self.operand(b, MAX_DEPTH))
    }

    /// States that a subject is none of the others, and gives its value.
    fn denied(&self, subject: ExprId, others: &[String]) -> String {
        let what = match others {
            [one] => format!("not {one}"),
            [one, two] => format!("neither {one} nor {two}"),
            _ => {
                let listed: Vec<&str> =
                    others.iter().take(MAX_LISTED).map(String::as_str).collect();
                let more = if MAX_LISTED < others.len() { ", …" } else { "" };
                format!("none of {}{more}", listed.join(", "))
            }
        };
        let text = format!("{} is {what}", self.subject(subject));
        match value(self.exprs, subject, self.model) {
            Some(it) => format!("{text} (it is {})", cut((self.show)(&it), MAX_VALUE)),
            None => text,
        }
    }

    /// The list of which an expression is a tail, and the number of items before it; `None` if it is no tail.
    fn place_in_list(&self, of: ExprId) -> Option<(ExprId, usize)> {
        let (mut list, mut n) = (of, 0);
        while let Some(Expr::Apply(Op::Tail, args)) = self.exprs.get(list) {
            list = *args.first()?;
            n += 1;
        }
        (0 < n).then_some((list, n))
    }

    fn subject(&self, expr: ExprId) -> String {
        self.part(expr, MAX_DEPTH)
    }

    /// Describes an operand of a formula, in parentheses if necessary.
    fn operand(&self, expr: ExprId, left: usize) -> String {
        let text = self.part(expr, left);
        match self.exprs.get(expr) {
            Some(Expr::Apply(op, _)) if infix(*op).is_some() => format!("({text})"),
            Some(_) | None => text,
        }
    }

    fn part(&self, expr: ExprId, left: usize) -> String {
        let Some(left) = left.checked_sub(1) else { return "…".to_owned() };
        let (op, args) = match self.exprs.get(expr) {
            Some(Expr::Var(Var(n))) => {
                let name = usize::try_from(*n).ok().and_then(|it| self.names.get(it));
                return name.map_or_else(|| format!("argument {}", n + 1), Clone::clone);
            }
            Some(Expr::Const(term)) => return cut((self.show)(term), MAX_VALUE),
            Some(Expr::Apply(op, args)) => (*op, &args[..]),
            None => return "…".to_owned(),
        };
        let part = |it: &ExprId| self.part(*it, left);
        match (op, args) {
            (Op::Head, [list]) => {
                let (list, n) = self.place_in_list(*list).unwrap_or((*list, 0));
                format!("item {} of {}", n + 1, self.part(list, left))
            }
            (Op::Tail, [list]) => {
                let (list, n) = self.place_in_list(*list).unwrap_or((*list, 0));
                let list = self.part(list, left);
                format!("{list} after its first {}", count_of_first(n + 1, "item"))
            }
            (Op::Element(n), [tuple]) => format!("element {} of {}", n + 1, part(tuple)),
            (Op::Get, [key, map]) => format!("the value of {} in {}", part(key), part(map)),
            (Op::Key(n), [map]) => format!("key {} of {}", n + 1, part(map)),
            (Op::Length, [of]) => format!("the length of {}", part(of)),
            (Op::TupleSize, [of]) => format!("the size of {}", part(of)),
            (Op::MapSize, [of]) => format!("the number of keys of {}", part(of)),
            (Op::BitSize, [of]) => format!("the number of bits of {}", part(of)),
            (Op::BitsToInteger { .. }, [of]) => match self.byte(*of) {
                Some((n, bytes)) => format!("byte {n} of {}", self.part(bytes, left)),
                None => format!("the number in {}", part(of)),
            },
            (Op::Slice, [bits, from, size]) => self.slice(*bits, *from, *size, left),
            (Op::Add, [zero, of]) if self.int(*zero) == Some(0) => part(of),
            (Op::Absolute, [of]) => format!("abs({})", part(of)),
            (Op::Negate, [of]) => format!("-{}", self.operand(*of, left)),
            (Op::Cons, [head, tail]) => format!("[{}|{}]", part(head), part(tail)),
            (Op::Tuple, items) => {
                let items: Vec<String> = items.iter().map(part).collect();
                format!("{{{}}}", items.join(", "))
            }
            (Op::Call, [function, args @ ..]) => {
                let args: Vec<String> = args.iter().map(part).collect();
                format!("{}({})", part(function), args.join(", "))
            }
            (Op::Convert(conversion), [of]) => format!("{}({})", conversion.name(), part(of)),
            (op, args) => {
                if let (Some(infix), [a, b]) = (infix(op), args) {
                    return format!(
                        "{} {infix} {}",
                        self.operand(*a, left),
                        self.operand(*b, left)
                    );
                }
                let name = op.name();
                let args: Vec<String> = args.iter().map(part).collect();
                format!("{}({})", name.split(':').next().unwrap_or_default(), args.join(", "))
            }
        }
    }

    /// The number of a whole byte of a bitstring, from 1.
    fn byte(&self, slice: ExprId) -> Option<(i64, ExprId)> {
        let Some(Expr::Apply(Op::Slice, args)) = self.exprs.get(slice) else { return None };
        let [bits, from, size] = args[..] else { return None };
        let (from, size) = (self.int(from)?, self.int(size)?);
        (size == 8 && from % 8 == 0).then_some((from / 8 + 1, bits))
    }

    fn slice(&self, bits: ExprId, from: ExprId, size: ExprId, left: usize) -> String {
        let of = self.part(bits, left);
        match (self.int(from), self.int(size)) {
            (Some(from), Some(size)) => format!("bits {} to {} of {of}", from + 1, from + size),
            (Some(from), None) if from % 8 == 0 => {
                format!("{of} after its first {}", count_of_first(from / 8, "byte"))
            }
            _ => format!("{of} after its first {} bits", self.operand(from, left)),
        }
    }

    fn int(&self, expr: ExprId) -> Option<i64> {
        self.exprs.as_constant(expr)?.as_int()
    }
}

impl Statement {
    fn denies(&self, of: ExprId) -> bool {
        match self {
            Statement::IsNot(subject, _) => *subject == of,
            Statement::Whole(_) => false,
        }
    }
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Atom => "an atom",
        Kind::Binary => "a binary",
        Kind::Bitstring => "a bitstring",
        Kind::Boolean => "a boolean",
        Kind::Cons => "a list with items",
        Kind::Float => "a float",
        Kind::Function => "a function",
        Kind::Integer => "an integer",
        Kind::List => "a list",
        Kind::Map => "a map",
        Kind::Nil => "[]",
        Kind::Number => "a number",
        Kind::Pid => "a process",
        Kind::Port => "a port",
        Kind::Reference => "a reference",
        Kind::Tuple => "a tuple",
    }
}

fn infix(op: Op) -> Option<&'static str> {
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
    ];
    INFIX.iter().find(|it| it.0 == op).map(|it| it.1)
}

fn count(n: impl Display, what: &str) -> String {
    let n = n.to_string();
    let end = if n == "1" { "" } else { "s" };
    format!("{n} {what}{end}")
}

/// The words after "its first".
fn count_of_first(n: impl Display, what: &str) -> String {
    let n = n.to_string();
    if n == "1" { what.to_owned() } else { format!("{n} {what}s") }
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::Words;
    use expect_test::{Expect, expect};
    use term::{Model, QueryText, Style, Term, print, read_args, read_query};

    /// Checks the description of a query's constraints with these arguments.
    fn check(query: &str, args: &str, expected: &Expect) {
        let QueryText { exprs, constraints, .. } = read_query(query).expect("a query");
        let names: Vec<String> = ["Items", "Options"].map(str::to_owned).into();
        let model = Model::of(read_args(args).expect("arguments"));
        let show = |it: &Term| print(it, Style::READABLE);
        let words = Words { exprs: &exprs, names: &names, model: &model, show: &show };
        expected.assert_eq(&words.told(&constraints));
    }

    const FRUIT: &str = "\
%0 = var 0
%1 = head %0
%2 = element:0 %1
%3 = const apple
%4 = const pear
%5 = same %2 %3
%6 = same %2 %4
";

    #[test]
    fn what_is_denied_of_one_part_is_told_at_once_with_what_it_is() {
        check(
            &format!("{FRUIT}refuse %5\nrefuse %6\n"),
            "[[{plum, 1}]]",
            &expect!["element 1 of item 1 of Items is neither apple nor pear (it is plum)"],
        );
        check(
            &format!("{FRUIT}require %5\n"),
            "[[{apple, 1}]]",
            &expect!["element 1 of item 1 of Items is apple"],
        );
    }

    #[test]
    fn lists_go_on_or_end() {
        let rest = "%0 = var 0\n%1 = tail %0\n%2 = tail %1\n%3 = is:cons %2\n%4 = is:cons %0\n";
        check(
            &format!("{rest}require %4\nrequire %3\n"),
            "[[1, 2, 3]]",
            &expect!["Items is a list with items and Items has more than 2 items"],
        );
        check(&format!("{rest}refuse %3\n"), "[[1, 2]]", &expect!["Items has 2 items"]);
    }

    #[test]
    fn a_constant_stands_last_and_truth_values_are_not_shown() {
        let compared = "\
%0 = var 1
%1 = length %0
%2 = const 8
%3 = less_equal %2 %1
%4 = const false
%5 = same %3 %4
";
        check(
            &format!("{compared}require %3\n"),
            "[0, []]",
            &expect!["the length of Options is at least 8"],
        );
        check(
            &format!("{compared}require %5\n"),
            "[0, []]",
            &expect!["the length of Options is less than 8"],
        );
    }

    #[test]
    fn bytes_are_counted() {
        let bytes = "\
%0 = var 0
%1 = const 8
%2 = slice %0 %1 %1
%3 = bits_to_integer:unsigned-big %2
%4 = const 0
%5 = same %3 %4
";
        check(&format!("{bytes}require %5\n"), "[<<1, 0>>]", &expect!["byte 2 of Items is 0"]);
    }
}
