//! Tuples: sizes, elements, construction, and records.

use crate::lift::compare::same_values;
use crate::lift::ranges::{MAX_RANGES, Range};
use crate::lift::{Lifting, arg, own_expr};
use std::sync::Arc;
use term::{Kind, Op, Term};
use trace::{Head, Looked};
use values::{Value, View, compare_value};

impl Lifting<'_> {
    /// The element at a position counted from 1; `None` if the value is not a tuple or too small. Both are choices.
    pub(crate) fn element(
        &mut self,
        site_index: u32,
        tuple: Value,
        position: usize,
    ) -> Option<Value> {
        let is_tuple = matches!(tuple.view(), View::Tuple(..));
        if !self.test_kind(site_index, tuple, Kind::Tuple, is_tuple) {
            return None;
        }
        let found =
            self.heap.elements(tuple).and_then(|it| it.get(position.checked_sub(1)?)).copied();
        let selector = Op::Element(u32::try_from(position - 1).ok()?);
        if let Some(expr) = own_expr(tuple) {
            let size = self.apply(Op::TupleSize, &[expr]);
            let least = self.int(i64::try_from(position).ok()?);
            let is_there = self.apply(Op::LessEqual, &[least, size]);
            self.test(site_index + 1, is_there, found.is_some());
        }
        Some(self.part(tuple, selector, found?))
    }

    /// All elements of a tuple; the number of elements is a choice.
    pub(crate) fn elements(&mut self, site_index: u32, tuple: Value) -> Option<Vec<Value>> {
        let items = self.heap.elements(tuple).map(<[Value]>::to_vec);
        let Some(expr) = own_expr(tuple) else { return items };
        let is_tuple = items.is_some();
        if !self.test_kind(site_index, tuple, Kind::Tuple, is_tuple) {
            return None;
        }
        let items = items?;
        let n = u32::try_from(items.len()).ok()?;
        let size = self.apply(Op::TupleSize, &[expr]);
        // One test for each smaller size, so that larger tuples share these tests.
        for smaller in 0..=n {
            let this = self.int(i64::from(smaller));
            let test = self.apply(Op::Same, &[size, this]);
            self.test(site_index + 1, test, smaller == n);
        }
        Some((0..n).zip(items).map(|(at, it)| self.part(tuple, Op::Element(at), it)).collect())
    }

    /// The tuple, rebuilt from its elements.
    pub(crate) fn whole(&mut self, tuple: Value) -> Value {
        if own_expr(tuple).is_none() {
            return tuple;
        }
        match self.elements(3, tuple) {
            Some(items) => self.heap.tuple(&items),
            None => tuple,
        }
    }

    /// Records the choice of a symbolic position in a tuple of known size, with one alternative for each position.
    pub(crate) fn choose_position(&mut self, site_index: u32, position: Value, size: usize) {
        let Some(expr) = own_expr(position) else { return };
        let heads: Vec<Head> =
            (1..=size).map(|it| Head::Literal(Term::Int(i64::try_from(it).unwrap_or(0)))).collect();
        let taken = position.as_usize().filter(|it| (1..=size).contains(it));
        let taken = taken.map_or(size, |it| it - 1);
        let site = self.site(site_index);
        self.record.choose(site, taken, Looked::Heads(expr, Arc::from(heads)));
    }
}

pub(crate) fn element(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (position, tuple) = (arg(args, 0), arg(args, 1));
    if own_expr(position).is_none() {
        let Some(position) = position.as_usize().filter(|it| *it > 0) else { return found };
        if own_expr(tuple).is_none() {
            return found;
        }
        let element = l.element(0, tuple, position);
        return found.and(element);
    }
    if !l.test_kind(3, position, Kind::Integer, position.is_integer()) {
        return found;
    }
    if let Some(runs) = l.runs(tuple) {
        let ranges: Vec<Range> = runs.iter().map(|it| it.0).collect();
        let run = l.range_of(4, position, &ranges).and_then(|it| runs.get(it));
        let (Some((_, Some(offset))), Some(expr)) = (run, own_expr(position)) else { return found };
        let offset = l.int(*offset);
        return Some(l.result(Op::Add, &[expr, offset], found?));
    }
    let elements = l.elements(4, tuple)?;
    l.choose_position(6, position, elements.len());
    found?;
    elements.get(position.as_usize()?.checked_sub(1)?).copied()
}

/// A range of positions in a table. With `Some(offset)`, each element is its position plus the offset; with `None`, all
/// elements of the range are the same.
type TableRun = (Range, Option<i64>);

impl Lifting<'_> {
    /// The ranges of a constant table (such as a character table); `None` if the table is small or has too many ranges.
    fn runs(&self, table: Value) -> Option<Vec<TableRun>> {
        if self.is_symbolic(table) {
            return None;
        }
        let items = self.heap.elements(table).filter(|it| LEAST_TABLE <= it.len())?;
        let mut res: Vec<TableRun> = Vec::new();
        let mut rest: &[Value] = items;
        let mut low = 1;
        while let Some(first) = rest.first() {
            let n_equal = rest.iter().take_while(|it| it.same_word(*first)).count();
            let offset_at = |at: i64, it: &Value| it.as_int().and_then(|it| it.checked_sub(at));
            let offset = offset_at(low, first);
            let follows = |(at, it): &(i64, &Value)| offset_at(*at, it) == offset;
            let n_steps = (low..).zip(rest).take_while(follows).count();
            let is_steps = offset.is_some() && n_equal < n_steps;
            let (n, offset) = if is_steps { (n_steps, offset) } else { (n_equal, None) };
            let next = low.checked_add(i64::try_from(n).ok()?)?;
            res.push(((low, next - 1), offset));
            if MAX_RANGES < res.len() {
                return None;
            }
            (low, rest) = (next, rest.get(n..)?);
        }
        Some(res)
    }
}

/// In smaller tables, each element is an alternative of its own.
const LEAST_TABLE: usize = 32;

pub(crate) fn set_element(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (position, tuple, item) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if own_expr(position).is_none() && own_expr(tuple).is_none() {
        return found;
    }
    if !l.test_kind(3, position, Kind::Integer, position.is_integer()) {
        return found;
    }
    let mut elements = l.elements(4, tuple)?;
    l.choose_position(6, position, elements.len());
    found?;
    *elements.get_mut(position.as_usize()?.checked_sub(1)?)? = item;
    Some(l.heap.tuple(&elements))
}

pub(crate) fn size(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let tuple = arg(args, 0);
    let Some(expr) = own_expr(tuple) else { return found };
    l.test_kind(0, tuple, Kind::Tuple, found.is_some());
    Some(l.result(Op::TupleSize, &[expr], found?))
}

pub(crate) fn to_list(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let tuple = arg(args, 0);
    if own_expr(tuple).is_none() {
        return found;
    }
    let elements = l.elements(0, tuple)?;
    found?;
    Some(l.heap.list(&elements))
}

pub(crate) fn from_list(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (items, _) = l.spine(0, arg(args, 0));
    found?;
    Some(l.heap.tuple(&items))
}

/// `is_record/2` and `is_record/3`
pub(crate) fn is_record(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (tuple, tag) = (arg(args, 0), arg(args, 1));
    if args.iter().all(|it| own_expr(*it).is_none()) && !l.is_symbolic_record(tuple) {
        return found;
    }
    l.concretise("erlang:is_record/3", args, |it| it == 2);
    if !l.test_kind(5, tag, Kind::Atom, tag.as_atom().is_some()) {
        return found;
    }
    if let Some(expr) = own_expr(tuple) {
        let is_tuple = match args.get(2).and_then(|it| it.as_usize()) {
            Some(n) => {
                let n = u32::try_from(n).unwrap_or(u32::MAX);
                let test = l.apply(Op::IsTuple(n), &[expr]);
                let holds = matches!(tuple.view(), View::Tuple(_, m) if m == n);
                l.test(0, test, holds);
                holds
            }
            None => l.test_kind(0, tuple, Kind::Tuple, matches!(tuple.view(), View::Tuple(..))),
        };
        if !is_tuple {
            return found;
        }
    }
    if let Some(first) = l.element(1, tuple, 1) {
        same_values(l, 3, first, tag);
    }
    found
}

impl Lifting<'_> {
    fn is_symbolic_record(&self, tuple: Value) -> bool {
        let first = self.heap.elements(tuple).and_then(|it| it.first());
        first.is_some_and(|it| own_expr(*it).is_some())
    }
}

/// `make_tuple/2`: the number of elements is a choice.
pub(crate) fn made(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let arity = arg(args, 0);
    if own_expr(arity).is_some() && l.test_kind(0, arity, Kind::Integer, arity.is_integer()) {
        l.natural(1, arity, "erlang:make_tuple/2");
    }
    found
}

impl Lifting<'_> {
    /// The value of an integer that says how many parts to make; which value it is, is a choice. `None` if it is
    /// negative, or so large that it is pinned.
    pub(crate) fn natural(&mut self, site_index: u32, number: Value, what: &str) -> Option<usize> {
        let Some(expr) = own_expr(number) else { return number.as_usize() };
        let zero = self.int(0);
        let is_negative = self.apply(Op::Less, &[expr, zero]);
        let holds = compare_value(self.heap, self.atoms, number, Value::int(0)).is_lt();
        self.test(site_index, is_negative, holds);
        if holds {
            return None;
        }
        let Some(n) = number.as_usize().filter(|it| *it <= MAX_MADE) else {
            self.concretise(what, &[number], |_| true);
            return None;
        };
        for smaller in 0..=n {
            let this = self.int(i64::try_from(smaller).unwrap_or(0));
            let test = self.apply(Op::Same, &[expr, this]);
            self.test(site_index + 1, test, smaller == n);
        }
        Some(n)
    }
}

/// The maximum value that is followed symbolically.
const MAX_MADE: usize = 64;
