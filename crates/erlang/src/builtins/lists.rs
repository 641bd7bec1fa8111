//! Lists: the operators `++` and `--`, and the native functions of `lists`.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use values::{AtomId, Value, compare_exact, equal_exact, equal_value};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "hd", 1, |w, args| head(w, arg(args, 0))).own(lift::lists::head),
    pure("erlang", "tl", 1, |w, args| tail(w, arg(args, 0))).own(lift::lists::tail),
    pure("erlang", "length", 1, |w, args| length(w, arg(args, 0))).own(lift::lists::length),
    pure("erlang", "++", 2, |w, args| append(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::append),
    pure("erlang", "append", 2, |w, args| append(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::append),
    pure("erlang", "--", 2, |w, args| subtract(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::subtract),
    pure("erlang", "subtract", 2, |w, args| subtract(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::subtract),
    pure("lists", "member", 2, |w, args| member(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::member),
    pure("lists", "reverse", 2, |w, args| reverse(w, arg(args, 0), arg(args, 1)))
        .own(lift::lists::reverse),
    pure("lists", "keyfind", 3, |w, args| Ok(key_search(w, args)?.unwrap_or(Value::FALSE)))
        .own(lift::lists::key_find),
    pure("lists", "keymember", 3, |w, args| Ok(Value::bool(key_search(w, args)?.is_some())))
        .own(lift::lists::key_member),
    pure("lists", "keysearch", 3, |w, args| {
        Ok(match key_search(w, args)? {
            Some(found) => w.heap.tuple(&[Value::atom(AtomId::VALUE), found]),
            None => Value::FALSE,
        })
    })
    .own(lift::lists::key_pair),
];

#[inline]
pub(crate) fn head(w: &World, list: Value) -> Result<Value, Fault> {
    badarg(w.heap.uncons(list).map(|it| it.0))
}

#[inline]
pub(crate) fn tail(w: &World, list: Value) -> Result<Value, Fault> {
    badarg(w.heap.uncons(list).map(|it| it.1))
}

pub(crate) fn length(w: &World, list: Value) -> Result<Value, Fault> {
    let len = badarg(w.heap.list_len(list))?;
    Ok(Value::int(i64::try_from(len).unwrap_or(i64::MAX)))
}

pub(crate) fn append(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    let appended = badarg(w.heap.append(left, right))?;
    // The copy is made before its length is known; the budget is checked afterwards, as the copy needs no more memory
    // than the original.
    w.check_room(0)?;
    Ok(appended)
}

/// Evaluates `--`: removes the first occurrence of each item on the right, in O(n log n) as BEAM does.
fn subtract(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    let items = badarg(w.heap.list_items(left))?;
    let mut unwanted = badarg(w.heap.list_items(right))?;
    if unwanted.is_empty() || items.is_empty() {
        return Ok(left);
    }
    let (heap, atoms) = (&w.heap, &w.atoms);
    unwanted.sort_by(|a, b| compare_exact(heap, atoms, *a, *b));
    let mut counted: Vec<(Value, usize)> = Vec::with_capacity(unwanted.len());
    for item in unwanted {
        match counted.last_mut() {
            Some((last, n)) if equal_exact(heap, atoms, *last, item) => *n += 1,
            _ => counted.push((item, 1)),
        }
    }
    w.heap.count_steps(items.len().saturating_mul(16));
    let mut kept = Vec::with_capacity(items.len());
    for item in items {
        let place = counted.binary_search_by(|it| compare_exact(heap, atoms, it.0, item));
        match place.ok().and_then(|it| counted.get_mut(it)) {
            Some((_, n)) if *n > 0 => *n -= 1,
            _ => kept.push(item),
        }
    }
    Ok(w.heap.list(&kept))
}

/// Evaluates `lists:member`. An improper tail is an error only if the search reaches it.
fn member(w: &World, item: Value, list: Value) -> Result<Value, Fault> {
    let mut rest = list;
    while let Some((head, tail)) = w.heap.uncons(rest) {
        w.spend_steps(1)?;
        if equal_exact(&w.heap, &w.atoms, head, item) {
            return Ok(Value::TRUE);
        }
        rest = tail;
    }
    if rest.is_nil() { Ok(Value::FALSE) } else { Err(Fault::BADARG) }
}

fn reverse(w: &mut World, list: Value, onto: Value) -> Result<Value, Fault> {
    w.check_room_for_list(badarg(w.heap.list_len(list))?)?;
    let (mut rest, mut res) = (list, onto);
    while let Some((head, tail)) = w.heap.uncons(rest) {
        res = w.heap.cons(head, res);
        rest = tail;
    }
    Ok(res)
}

/// Returns the first tuple whose element at the position compares equal (`==`) to the key.
fn key_search(w: &World, args: &[Value]) -> Result<Option<Value>, Fault> {
    let (key, position, list) = (arg(args, 0), arg(args, 1), arg(args, 2));
    // BEAM accepts only positions that are small integers.
    let position = position.as_usize().filter(|it| *it < 1 << 59);
    let place = badarg(position.and_then(|it| it.checked_sub(1)))?;
    let mut rest = list;
    while let Some((head, tail)) = w.heap.uncons(rest) {
        w.spend_steps(1)?;
        let element = w.heap.elements(head).and_then(|it| it.get(place));
        if element.is_some_and(|it| equal_value(&w.heap, &w.atoms, *it, key)) {
            return Ok(Some(head));
        }
        rest = tail;
    }
    if rest.is_nil() { Ok(None) } else { Err(Fault::BADARG) }
}
