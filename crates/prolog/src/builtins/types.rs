//! Type tests and comparison of terms.

use crate::builtins::{Row, iso, row};
use crate::code::Test;
use crate::data::{Value, View, Walk, compare, same};
use crate::machine::{Fault, Machine, Next};
use std::cmp::Ordering;

pub(super) const ROWS: &[Row] = &[
    iso("var", 1, |m, a| test(m, a, Test::Var)),
    iso("nonvar", 1, |m, a| test(m, a, Test::Nonvar)),
    iso("atom", 1, |m, a| test(m, a, Test::Atom)),
    iso("integer", 1, |m, a| test(m, a, Test::Integer)),
    iso("float", 1, |m, a| test(m, a, Test::Float)),
    iso("number", 1, |m, a| test(m, a, Test::Number)),
    iso("atomic", 1, |m, a| test(m, a, Test::Atomic)),
    iso("compound", 1, |m, a| test(m, a, Test::Compound)),
    iso("callable", 1, |m, a| test(m, a, Test::Callable)),
    row("is_list", 1, |m, a| test(m, a, Test::IsList)),
    row("string", 1, |m, a| test(m, a, Test::String)),
    row("rational", 1, |m, a| {
        let value = m.arg(a, 0);
        Ok((value.is_integer() || matches!(value.view(), View::Rational(_))).into())
    }),
    row("blob", 2, |m, a| {
        let it = m.arg(a, 0);
        if it.as_atom().is_none() && !it.is_nil() {
            return Ok(Next::False);
        }
        let kind = m.atom_named(if it.is_nil() { "reserved_symbol" } else { "text" });
        let to = m.arg(a, 1);
        m.answer(to, kind)
    }),
    row("is_dict", 1, |_, _| Ok(Next::False)),
    iso("ground", 1, |m, a| {
        let value = m.arg(a, 0);
        Ok(m.is_ground(value).into())
    }),
    iso("=", 2, |m, a| {
        let (x, y) = (m.arg(a, 0), m.arg(a, 1));
        m.answer(x, y)
    }),
    iso("\\=", 2, not_unifiable),
    iso("==", 2, |m, a| Ok(same(&m.heap, &m.atoms, m.arg(a, 0), m.arg(a, 1)).into())),
    iso("\\==", 2, |m, a| Ok((!same(&m.heap, &m.atoms, m.arg(a, 0), m.arg(a, 1))).into())),
    iso("@<", 2, |m, a| order(m, a, Ordering::is_lt)),
    iso("@>", 2, |m, a| order(m, a, Ordering::is_gt)),
    iso("@=<", 2, |m, a| order(m, a, Ordering::is_le)),
    iso("@>=", 2, |m, a| order(m, a, Ordering::is_ge)),
    iso("compare", 3, compare_terms),
    row("acyclic_term", 1, |m, a| Ok((!m.is_cyclic(m.arg(a, 0))).into())),
    row("cyclic_term", 1, |m, a| Ok(m.is_cyclic(m.arg(a, 0)).into())),
];

fn test(m: &mut Machine, a: usize, test: Test) -> Result<Next, Fault> {
    Ok(m.test(test, m.arg(a, 0)).into())
}

fn order(m: &mut Machine, a: usize, holds: fn(Ordering) -> bool) -> Result<Next, Fault> {
    Ok(holds(compare(&m.heap, &m.atoms, m.arg(a, 0), m.arg(a, 1))).into())
}

fn not_unifiable(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (x, y) = (m.arg(a, 0), m.arg(a, 1));
    Ok((!m.can_unify(x, y)).into())
}

fn compare_terms(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let wanted = m.arg(a, 0);
    match wanted.view() {
        View::Var(_) => {}
        View::Atom(name) if matches!(m.atoms.text(name), "<" | ">" | "=") => {}
        View::Atom(_) => return Err(m.domain_error("order", wanted)),
        View::Int(_)
        | View::Big(_)
        | View::Rational(_)
        | View::Float(_)
        | View::Text(_)
        | View::Struct(..) => return Err(m.type_error("atom", wanted)),
    }
    let name = match compare(&m.heap, &m.atoms, m.arg(a, 1), m.arg(a, 2)) {
        Ordering::Less => "<",
        Ordering::Equal => "=",
        Ordering::Greater => ">",
    };
    let name = m.atom_named(name);
    m.answer(wanted, name)
}

impl Machine {
    /// Whether two terms unify; leaves no bindings.
    pub(crate) fn can_unify(&mut self, x: Value, y: Value) -> bool {
        let mark = self.heap.mark();
        let old = std::mem::replace(&mut self.heap.old, mark.cells);
        let n_woken = self.heap.woken.len();
        let res = self.unify(x, y);
        self.heap.undo_to(mark, |_, _| {});
        self.heap.cut_back(mark);
        self.heap.old = old;
        self.heap.woken.truncate(n_woken);
        res
    }

    pub(crate) fn is_ground(&self, term: Value) -> bool {
        !Walk::new(&self.heap, &self.atoms, term).any(|it| it.is_var())
    }
}
