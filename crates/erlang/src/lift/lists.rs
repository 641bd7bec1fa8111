//! Lists: walking a symbolic list makes a choice at every cell.

use crate::lift::compare::{equal_values, same_values};
use crate::lift::ranges::{MAX_RANGES, Range, ranges};
use crate::lift::{Lifting, arg, own_expr};
use num_bigint::Sign;
use term::{Kind, Op};
use trace::{Head, Looked};
use values::Value;

impl Lifting<'_> {
    /// The head and tail of a list, with the choice whether the list has them.
    pub(crate) fn uncons(&mut self, site_index: u32, list: Value) -> Option<(Value, Value)> {
        if let Some(expr) = own_expr(list) {
            let taken = if list.is_cons() { 0 } else { 1 + usize::from(!list.is_nil()) };
            let heads = self.record.list_heads();
            let site = self.site(site_index);
            self.record.choose(site, taken, Looked::Heads(expr, heads));
        }
        let (head, tail) = self.heap.uncons(list)?;
        Some((self.part(list, Op::Head, head), self.part(list, Op::Tail, tail)))
    }

    /// All items of a list and its tail after the last cell.
    pub(crate) fn spine(&mut self, site_index: u32, list: Value) -> (Vec<Value>, Value) {
        let mut items = Vec::new();
        let mut rest = list;
        while let Some((head, tail)) = self.uncons(site_index, rest) {
            items.push(head);
            rest = tail;
        }
        (items, rest)
    }

    /// Whether a cell or the end of a list is symbolic, so that walking the list makes choices.
    fn has_symbolic_spine(&self, list: Value) -> bool {
        let mut rest = list;
        while own_expr(rest).is_none() {
            match self.heap.uncons(rest) {
                Some((_, tail)) => rest = tail,
                None => return false,
            }
        }
        true
    }
}

/// The heads that the choice on a list distinguishes.
pub(crate) const LIST_HEADS: [Head; 2] = [Head::Kind(Kind::Cons), Head::Kind(Kind::Nil)];

pub(crate) fn head(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    part(l, args, Op::Head, found)
}

pub(crate) fn tail(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    part(l, args, Op::Tail, found)
}

fn part(l: &mut Lifting<'_>, args: &[Value], op: Op, found: Option<Value>) -> Option<Value> {
    let list = arg(args, 0);
    l.test_kind(0, list, Kind::Cons, list.is_cons());
    Some(l.part(list, op, found?))
}

pub(crate) fn length(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let mut rest = arg(args, 0);
    let mut n = 0;
    // Concrete cells in front only add to the length.
    while own_expr(rest).is_none() {
        match l.heap.uncons(rest) {
            Some((_, tail)) => (rest, n) = (tail, n + 1),
            None => return found,
        }
    }
    let expr = own_expr(rest)?;
    let is_proper = l.apply(Op::IsProper, &[expr]);
    l.test(0, is_proper, found.is_some());
    let found = found?;
    if n == 0 {
        return Some(l.result(Op::Length, &[expr], found));
    }
    let (n, rest) = (l.int(n), l.apply(Op::Length, &[expr]));
    Some(l.result(Op::Add, &[rest, n], found))
}

/// `++`
pub(crate) fn append(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (left, right) = (arg(args, 0), arg(args, 1));
    if !l.has_symbolic_spine(left) {
        return found;
    }
    let (items, _) = l.spine(0, left);
    found?;
    Some(if items.is_empty() { right } else { l.heap.list_with_tail(&items, right) })
}

/// `--`: for each item on the right, the first identical item on the left is removed.
pub(crate) fn subtract(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (left, right) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic(left) || l.is_symbolic(right)) {
        return found;
    }
    let (mut items, _) = l.spine(0, left);
    let (unwanted, _) = l.spine(1, right);
    found?;
    for item in unwanted {
        if let Some(place) = (0..items.len()).find(|it| same_values(l, 2, arg(&items, *it), item)) {
            items.remove(place);
        }
    }
    Some(l.heap.list(&items))
}

pub(crate) fn reverse(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (list, onto) = (arg(args, 0), arg(args, 1));
    if !l.has_symbolic_spine(list) {
        return found;
    }
    let (mut items, _) = l.spine(0, list);
    found?;
    items.reverse();
    Some(if items.is_empty() { onto } else { l.heap.list_with_tail(&items, onto) })
}

pub(crate) fn member(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (item, list) = (arg(args, 0), arg(args, 1));
    if !(l.is_symbolic(item) || l.is_symbolic(list)) {
        return found;
    }
    if let Some(ranges) = known_ranges(l, item, list) {
        if l.test_kind(1, item, Kind::Integer, item.is_integer()) {
            l.range_of(2, item, &ranges);
        }
        return found;
    }
    let mut rest = list;
    while let Some((head, tail)) = l.uncons(0, rest) {
        if same_values(l, 1, head, item) {
            break;
        }
        rest = tail;
    }
    found
}

/// The integer ranges of a concrete list in which a symbolic item is searched; `None` if it has other items, no
/// adjacent integers, or too many ranges.
fn known_ranges(l: &Lifting<'_>, item: Value, list: Value) -> Option<Vec<Range>> {
    own_expr(item)?;
    if l.is_symbolic(list) {
        return None;
    }
    let numbers: Vec<i64> =
        l.heap.list_items(list)?.iter().map(|it| it.as_int()).collect::<Option<_>>()?;
    let n = numbers.len();
    let res = ranges(numbers);
    (res.len() < n && res.len() <= MAX_RANGES).then_some(res)
}

pub(crate) fn key_find(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let tuple = key_search(l, args, found);
    Some(tuple.unwrap_or(found?))
}

pub(crate) fn key_member(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    key_search(l, args, found);
    found
}

/// `lists:keysearch/3`, which returns `{value, Tuple}` or `false`.
pub(crate) fn key_pair(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let tuple = key_search(l, args, found);
    let Some(tuple) = tuple else { return found };
    let tag = l.heap.elements(found?).and_then(|it| it.first()).copied()?;
    Some(l.heap.tuple(&[tag, tuple]))
}

/// The largest valid position: BEAM rejects bignums.
const MAX_POSITION: i64 = (1 << 59) - 1;

/// The tuple that was found, with its shadow; `None` if there is none or no argument is symbolic.
fn key_search(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (key, position, list) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if !args.iter().any(|it| l.is_symbolic(*it)) {
        return None;
    }
    if !l.test_kind(4, position, Kind::Integer, position.is_integer()) {
        return None;
    }
    let n = position.as_usize().filter(|it| *it > 0);
    if let Some(expr) = own_expr(position) {
        let one = l.int(1);
        let test = l.apply(Op::LessEqual, &[one, expr]);
        let is_positive = l.heap.to_big(position).is_some_and(|it| it.sign() == Sign::Plus);
        l.test(5, test, is_positive);
        let most = l.int(MAX_POSITION);
        let test = l.apply(Op::LessEqual, &[expr, most]);
        let is_small = position.as_int().is_some_and(|it| it <= MAX_POSITION);
        if is_positive {
            l.test(9, test, is_small);
        }
    }
    let n = n?;
    let mut rest = list;
    while let Some((item, tail)) = l.uncons(0, rest) {
        let element = if own_expr(position).is_some() {
            let elements = l.elements(6, item);
            elements.and_then(|it| {
                l.choose_position(8, position, it.len());
                it.get(n - 1).copied()
            })
        } else {
            l.element(1, item, n)
        };
        if element.is_some_and(|it| equal_values(l, 3, it, key)) {
            found?;
            return Some(item);
        }
        rest = tail;
    }
    None
}
