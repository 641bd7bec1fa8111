//! Lists: length, sorting, and deterministic membership.

use crate::builtins::{Row, iso, row};
use crate::data::{FunctorId, ListEnd, Number, Tag, Value, View, compare};
use crate::machine::{Fault, Machine, Next};
use std::cmp::Ordering;

pub(super) const ROWS: &[Row] = &[
    row("$length", 2, length),
    row("msort", 2, |m, a| sort_by(m, a, |m, x, y| compare(&m.heap, &m.atoms, x, y), false)),
    iso("sort", 2, |m, a| sort_by(m, a, |m, x, y| compare(&m.heap, &m.atoms, x, y), true)),
    iso("keysort", 2, keysort),
    iso("sort", 4, sort4),
    row("memberchk", 2, memberchk),
    row("$skip_list", 3, skip_list),
];

/// `'$length'(List, Length)` for a proper list or a known length. The prelude enumerates the other cases.
fn length(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (list, length) = (m.arg(a, 0), m.arg(a, 1));
    m.control.running = Some((m.atoms.intern("length"), 2));
    let (items, end) = m.heap.list_items(list);
    match length.view() {
        View::Var(_) | View::Int(_) | View::Big(_) => {}
        View::Rational(_) | View::Float(_) | View::Atom(_) | View::Text(_) | View::Struct(..) => {
            return Err(m.type_error("integer", length));
        }
    }
    if Number::of(&m.heap, length).is_some_and(|it| it.sign() == Ordering::Less) {
        return Err(m.domain_error("not_less_than_zero", length));
    }
    match end {
        ListEnd::Nil => m.answer(length, Value::size(items.len())),
        ListEnd::Open(tail) => match length.view() {
            View::Int(n) => {
                if n < 0 {
                    return Err(m.domain_error("not_less_than_zero", length));
                }
                let Some(missing) =
                    usize::try_from(n).ok().and_then(|it| it.checked_sub(items.len()))
                else {
                    return Ok(Next::False);
                };
                m.check_memory(missing.saturating_mul(4 * size_of::<Value>()))?;
                m.charge(missing)?;
                let fresh: Vec<Value> = (0..missing).map(|_| m.heap.fresh()).collect();
                let rest = m.heap.list(&fresh);
                m.answer(tail, rest)
            }
            View::Big(_) => {
                let negative =
                    Number::of(&m.heap, length).is_some_and(|it| it.sign() == Ordering::Less);
                if negative {
                    return Err(m.domain_error("not_less_than_zero", length));
                }
                Err(m.resource_error("stack"))
            }
            View::Var(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => Ok(Next::False),
        },
        ListEnd::Other(_) | ListEnd::Cyclic => Err(m.type_error("list", list)),
    }
}

fn sort_by(
    m: &mut Machine,
    a: usize,
    order: fn(&Machine, Value, Value) -> Ordering,
    unique: bool,
) -> Result<Next, Fault> {
    let list = m.arg(a, 0);
    let mut items = m.list_arg(list)?;
    m.charge_sort(items.len())?;
    items.sort_by(|x, y| order(m, *x, *y));
    if unique {
        items.dedup_by(|x, y| order(m, *y, *x) == Ordering::Equal);
    }
    let sorted = m.heap.list(&items);
    let to = m.arg(a, 1);
    m.answer(to, sorted)
}

impl Machine {
    /// Charges the steps of a sort, `n log n` comparisons.
    fn charge_sort(&mut self, n: usize) -> Result<(), Fault> {
        self.check_memory(n.saturating_mul(4 * size_of::<Value>()))?;
        self.charge(n.saturating_mul(n.checked_ilog2().unwrap_or(0) as usize + 1))
    }
}

fn keysort(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let list = m.arg(a, 0);
    let mut items = m.list_arg(list)?;
    m.charge_sort(items.len())?;
    for item in &items {
        if item.is_var() {
            return Err(m.instantiation_error());
        }
        if !item.is_struct(FunctorId::PAIR) {
            let culprit = *item;
            return Err(m.type_error("pair", culprit));
        }
    }
    items.sort_by(|x, y| compare(&m.heap, &m.atoms, m.heap.arg(*x, 0), m.heap.arg(*y, 0)));
    let sorted = m.heap.list(&items);
    let to = m.arg(a, 1);
    m.answer(to, sorted)
}

fn sort4(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (key, order, list, to) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2), m.arg(a, 3));
    // Keys that are names are for dicts, which are not supported.
    let by_name = key.as_atom().is_some() || key.is_cons();
    let position = match key.as_int() {
        Some(it) => usize::try_from(it).ok(),
        None if by_name => Some(0),
        None if key.is_var() => return Err(m.instantiation_error()),
        None => return Err(m.type_error("sort_key", key)),
    };
    let Some(position) = position else {
        return Err(m.domain_error("not_less_than_one", key));
    };
    let order_name = m.atom_arg(order)?;
    let (descending, unique) = match m.atoms.text(order_name) {
        "@<" => (false, true),
        "@=<" => (false, false),
        "@>" => (true, true),
        "@>=" => (true, false),
        _ => return Err(m.domain_error("order", order)),
    };
    let items = m.list_arg(list)?;
    m.charge_sort(items.len())?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        if by_name {
            let wanted = if item.tag() == Tag::Struct { "dict" } else { "compound" };
            return Err(m.type_error(wanted, item));
        }
        if position == 0 {
            keyed.push((item, item));
            continue;
        }
        let View::Struct(functor, _) = item.view() else {
            if item.is_var() {
                return Err(m.instantiation_error());
            }
            return Err(m.type_error("compound", item));
        };
        if m.atoms.arity(functor) < position {
            return Err(m.type_error("compound", item));
        }
        keyed.push((m.heap.arg(item, position - 1), item));
    }
    let by = |x: &(Value, Value), y: &(Value, Value)| {
        let order = compare(&m.heap, &m.atoms, x.0, y.0);
        if descending { order.reverse() } else { order }
    };
    keyed.sort_by(by);
    if unique {
        keyed.dedup_by(|x, y| by(y, x) == Ordering::Equal);
    }
    let items: Vec<Value> = keyed.into_iter().map(|it| it.1).collect();
    let sorted = m.heap.list(&items);
    m.answer(to, sorted)
}

fn memberchk(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (item, whole) = (m.arg(a, 0), m.arg(a, 1));
    let (mut list, mut turtle, mut n, mut power) = (whole, whole, 0_usize, 1);
    while list.is_cons() {
        if n == power {
            m.charge(n / 2)?;
        }
        let head = m.heap.arg(list, 0);
        if m.can_unify(item, head) {
            return m.answer(item, head);
        }
        list = m.heap.arg(list, 1);
        n += 1;
        // Brent's algorithm: a cyclic list comes back to an earlier cell.
        if list.is_cons() && list.same_word(turtle) {
            return Err(m.type_error("list", whole));
        }
        if n == power {
            (turtle, power) = (list, power * 2);
        }
    }
    if list.is_var() {
        let tail = m.heap.fresh();
        let cons = m.heap.cons(item, tail);
        return m.answer(list, cons);
    }
    if list.is_nil() { Ok(Next::False) } else { Err(m.type_error("list", list)) }
}

/// `'$skip_list'(Length, List, Tail)`: the number of list cells, and what follows the last one.
fn skip_list(m: &mut Machine, a: usize) -> Result<Next, Fault> {
    let (length, list, tail) = (m.arg(a, 0), m.arg(a, 1), m.arg(a, 2));
    let mut n = 0;
    let mut at = list;
    let (mut turtle, mut power) = (at, 1);
    while at.is_cons() {
        at = m.heap.arg(at, 1);
        n += 1;
        if at.same_word(turtle) && at.tag() == Tag::Struct {
            break;
        }
        if n == power {
            turtle = at;
            power *= 2;
        }
    }
    Ok((m.unify(length, Value::size(n)) && m.unify(tail, at)).into())
}
