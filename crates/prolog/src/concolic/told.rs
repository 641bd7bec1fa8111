//! Describes path constraints as Prolog goals and phrases for users.
//!
//! Knows expressions and choices; no machine and no program.

use term::{Expr, ExprId, Exprs, Kind, Op, Term, expression_text};
use trace::{Choice, Head, Looked};

/// The context of a description: the expressions, and how inputs are named and terms are written.
pub struct Teller<'a> {
    pub exprs: &'a Exprs,
    /// The names of the arguments of an input, in order.
    pub names: &'a [String],
    pub show: &'a mut dyn FnMut(&Term) -> String,
}

/// The maximum number of values that are listed as excluded.
const MAX_LISTED: usize = 6;
/// The nesting depth below which an expression is written as dots.
const MAX_DEPTH: usize = 12;

impl std::fmt::Debug for Teller<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Teller").field("names", &self.names).finish_non_exhaustive()
    }
}

impl Teller<'_> {
    /// Returns the condition on the input under which a choice takes this alternative.
    pub fn condition(&mut self, choice: &Choice, alternative: usize) -> String {
        match &choice.looked {
            Looked::Test(expr) => self.truth(*expr, alternative == 0),
            Looked::Pin(of, value) => {
                let (of, value) = (self.expr(*of, 0), (self.show)(value));
                if alternative == 0 {
                    format!("{of} = {value}")
                } else {
                    format!("{of} \\= {value}")
                }
            }
            Looked::Heads(of, heads) => match heads.get(alternative) {
                Some(head) => self.has_head(*of, head, true),
                None => {
                    let n_more = heads.len().saturating_sub(MAX_LISTED);
                    let listed = heads.iter().take(MAX_LISTED);
                    let mut all: Vec<String> =
                        listed.map(|it| self.has_head(*of, it, false)).collect();
                    if 0 < n_more {
                        all.push(format!("{n_more} more"));
                    }
                    all.join(", ")
                }
            },
        }
    }

    fn has_head(&mut self, of: ExprId, head: &Head, holds: bool) -> String {
        let sign = if holds { "=" } else { "\\=" };
        let not = if holds { "" } else { "\\+ " };
        // The expression is the name of a compound.
        if let Some(Expr::Apply(Op::Element(0), whole)) = self.exprs.get(of).cloned()
            && let (Some(whole), Head::Literal(name)) = (whole.first(), head)
        {
            let (whole, name) = (self.expr(*whole, 0), (self.show)(name));
            return format!("{not}functor({whole}, {name}, _)");
        }
        let subject = self.expr(of, 0);
        match head {
            Head::Literal(term) => format!("{subject} {sign} {}", (self.show)(term)),
            Head::Kind(Kind::Nil) => format!("{subject} {sign} []"),
            Head::Kind(Kind::Cons) => format!("{subject} {sign} [_|_]"),
            Head::Kind(kind) => format!("{not}{}({subject})", test_of(*kind)),
            Head::Tuple(n) => format!("{not}functor({subject}, _, {})", n.saturating_sub(1)),
        }
    }

    fn truth(&mut self, expr: ExprId, holds: bool) -> String {
        let Some(Expr::Apply(op, args)) = self.exprs.get(expr).cloned() else {
            return self.plain(expr, holds);
        };
        // The operators for a test that holds, and for one that does not.
        const SIGNS: [(Op, &str, &str); 4] = [
            (Op::Less, "<", ">="),
            (Op::LessEqual, "=<", ">"),
            (Op::Equal, "=:=", "=\\="),
            (Op::Same, "=", "\\="),
        ];
        let signs = SIGNS.iter().find(|it| it.0 == op).map(|it| (it.1, it.2));
        match (signs, op, &args[..]) {
            (Some((is, is_not)), _, [a, b]) => {
                let (a, b) = (self.expr(*a, 0), self.expr(*b, 0));
                format!("{a} {} {b}", if holds { is } else { is_not })
            }
            (_, Op::Not, [of]) => self.truth(*of, !holds),
            (_, Op::IsKind(kind), [of]) => self.has_head(*of, &Head::Kind(kind), holds),
            (_, Op::IsTuple(n), [of]) => self.has_head(*of, &Head::Tuple(n), holds),
            _ => self.plain(expr, holds),
        }
    }

    fn plain(&mut self, expr: ExprId, holds: bool) -> String {
        let text = self.expr(expr, 0);
        if holds { text } else { format!("\\+ {text}") }
    }

    fn expr(&mut self, of: ExprId, depth: usize) -> String {
        if MAX_DEPTH < depth {
            return "...".to_owned();
        }
        if let Some((list, n)) = self.item(of) {
            return format!("item {} of {}", n + 1, self.expr(list, depth + 1));
        }
        match self.exprs.get(of).cloned() {
            Some(Expr::Var(var)) => {
                let name = usize::try_from(var.0).ok().and_then(|it| self.names.get(it));
                name.cloned().unwrap_or_else(|| format!("X{}", var.0 + 1))
            }
            Some(Expr::Const(term)) => (self.show)(&term),
            Some(Expr::Apply(op, args)) => self.applied(op, &args, of, depth),
            None => String::new(),
        }
    }

    fn applied(&mut self, op: Op, args: &[ExprId], whole: ExprId, depth: usize) -> String {
        const INFIX: [(Op, &str); 11] = [
            (Op::Add, "+"),
            (Op::Subtract, "-"),
            (Op::Multiply, "*"),
            (Op::Divide, "/"),
            (Op::Quotient, "//"),
            (Op::Remainder, "rem"),
            (Op::BitAnd, "/\\"),
            (Op::BitOr, "\\/"),
            (Op::BitXor, "xor"),
            (Op::ShiftLeft, "<<"),
            (Op::ShiftRight, ">>"),
        ];
        let infix = INFIX.iter().find(|it| it.0 == op).map(|it| it.1);
        match (infix, op, args) {
            (Some(sign), _, [a, b]) => {
                let (a, b) = (self.operand(*a, depth), self.operand(*b, depth));
                let is_word = sign.starts_with(char::is_alphabetic);
                if is_word { format!("{a} {sign} {b}") } else { format!("{a}{sign}{b}") }
            }
            (_, Op::Negate, [a]) => format!("-{}", self.operand(*a, depth)),
            (_, Op::Absolute, [a]) => format!("abs({})", self.expr(*a, depth + 1)),
            (_, Op::Tail, [a]) => {
                let (mut list, mut n) = (*a, 1);
                while let Some(Expr::Apply(Op::Tail, inner)) = self.exprs.get(list)
                    && let Some(inner) = inner.first()
                {
                    (list, n) = (*inner, n + 1);
                }
                let list = self.expr(list, depth + 1);
                format!("the rest of {list} after {n}")
            }
            (_, Op::Element(0), [a]) => format!("the name of {}", self.expr(*a, depth + 1)),
            (_, Op::Element(n), [a]) => format!("argument {n} of {}", self.expr(*a, depth + 1)),
            (_, Op::Length, [a]) => format!("the length of {}", self.expr(*a, depth + 1)),
            (_, Op::Convert(conversion), [a]) => {
                format!("{}({})", conversion.name(), self.expr(*a, depth + 1))
            }
            _ => {
                let name = |it: term::Var| format!("X{}", it.0 + 1);
                expression_text(self.exprs, whole, &name)
            }
        }
    }

    /// Writes an operand of an arithmetic operation, in parentheses if needed.
    fn operand(&mut self, of: ExprId, depth: usize) -> String {
        let text = self.expr(of, depth + 1);
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_plain { text } else { format!("({text})") }
    }

    /// If the expression is an item of a list, returns the list and the index, counted from 0.
    fn item(&self, of: ExprId) -> Option<(ExprId, usize)> {
        let Some(Expr::Apply(Op::Head, list)) = self.exprs.get(of) else { return None };
        let (mut list, mut n) = (*list.first()?, 0);
        while let Some(Expr::Apply(Op::Tail, inner)) = self.exprs.get(list) {
            (list, n) = (*inner.first()?, n + 1);
        }
        Some((list, n))
    }
}

/// Returns the name of Prolog's type test for a kind.
fn test_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "integer",
        Kind::Float => "float",
        Kind::Number => "number",
        Kind::Atom | Kind::Boolean => "atom",
        Kind::Nil | Kind::List => "is_list",
        Kind::Cons | Kind::Tuple => "compound",
        Kind::Binary | Kind::Bitstring => "string",
        Kind::Reference => "var",
        Kind::Function | Kind::Map | Kind::Pid | Kind::Port => "blob",
    }
}
