//! Constructors of values that builtins build often.

use crate::machine::World;
use values::Value;

pub(crate) fn atom(w: &mut World, text: &str) -> Value {
    Value::atom(w.atoms.intern(text))
}

/// Makes a list of the characters.
pub(crate) fn string(w: &mut World, text: &str) -> Value {
    let chars: Vec<Value> = text.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
    w.heap.list(&chars)
}

pub(crate) fn pair(w: &mut World, name: &str, value: Value) -> Value {
    let name = atom(w, name);
    w.heap.tuple(&[name, value])
}

/// Makes the list `[{Name, Value}]`.
pub(crate) fn pairs(w: &mut World, pairs: &[(&str, Value)]) -> Value {
    let items: Vec<Value> = pairs.iter().map(|it| pair(w, it.0, it.1)).collect();
    w.heap.list(&items)
}

/// Makes an integer of a count.
pub(crate) fn count(n: usize) -> Value {
    Value::int(i64::try_from(n).unwrap_or(i64::MAX))
}
