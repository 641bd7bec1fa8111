//! Strings of the machine: lists of characters, and texts made for programs.
//!
//! Shared by the builtins that read or write text; knows nothing of what the text means.

use values::{Heap, Value};

/// A list of the text's code points.
pub(super) fn string(heap: &mut Heap, text: &str) -> Value {
    let items: Vec<Value> = text.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
    heap.list(&items)
}

/// A list of bytes.
pub(super) fn byte_list(heap: &mut Heap, bytes: &[u8]) -> Value {
    let items: Vec<Value> = bytes.iter().map(|it| Value::int(i64::from(*it))).collect();
    heap.list(&items)
}

/// The bytes of a proper list of bytes.
pub(super) fn list_bytes(heap: &Heap, list: Value) -> Option<Vec<u8>> {
    let (bytes, rest) = leading_bytes(heap, list);
    rest.is_nil().then_some(bytes)
}

/// The bytes that a list begins with, and what follows them.
pub(super) fn leading_bytes(heap: &Heap, list: Value) -> (Vec<u8>, Value) {
    let mut bytes = Vec::new();
    let mut rest = list;
    while let Some((head, tail)) = heap.uncons(rest)
        && let Some(byte) = as_byte(head)
    {
        bytes.push(byte);
        rest = tail;
    }
    (bytes, rest)
}

pub(super) fn as_byte(value: Value) -> Option<u8> {
    value.as_int().and_then(|it| u8::try_from(it).ok())
}

/// What is left of a list after its first `n` cells.
pub(super) fn skip(heap: &Heap, list: Value, n: usize) -> Value {
    (0..n).fold(list, |rest, _| heap.uncons(rest).map_or(rest, |it| it.1))
}
