//! Conversions between the machine's lists of characters or bytes and Rust's strings.
//!
//! Shared by the builtins that read or write text; knows no formats.

use values::{Heap, Value};

/// Makes a list of the text's code points.
pub(super) fn string(heap: &mut Heap, text: &str) -> Value {
    let items: Vec<Value> = text.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
    heap.list(&items)
}

/// Makes a list of the bytes.
pub(super) fn byte_list(heap: &mut Heap, bytes: &[u8]) -> Value {
    let items: Vec<Value> = bytes.iter().map(|it| Value::int(i64::from(*it))).collect();
    heap.list(&items)
}

/// Returns the bytes of a proper list of bytes, or `None`.
pub(super) fn list_bytes(heap: &Heap, list: Value) -> Option<Vec<u8>> {
    let (bytes, rest) = leading_bytes(heap, list);
    rest.is_nil().then_some(bytes)
}

/// Returns the leading bytes of a list, and the rest of the list.
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

/// Returns the rest of a list after its first `n` cells.
pub(super) fn skip(heap: &Heap, list: Value, n: usize) -> Value {
    (0..n).fold(list, |rest, _| heap.uncons(rest).map_or(rest, |it| it.1))
}
