//! The set of terms that a node must differ from. A switch may exclude a thousand integers, so small integers are found
//! by hash.

use super::value::Value;
use rustc_hash::FxHashSet;

#[derive(Clone, Debug, Default)]
pub(super) struct Excluded<'q> {
    all: Vec<Value<'q>>,
    /// The small integers among `all`.
    integers: FxHashSet<i64>,
}

impl<'q> Excluded<'q> {
    pub(super) fn has(&self, value: &Value<'q>) -> bool {
        match value.term().as_int() {
            Some(int) => self.integers.contains(&int),
            None => {
                self.integers.len() < self.all.len() && self.all.iter().any(|it| it.is_same(value))
            }
        }
    }

    /// Adds a term; returns `false` if it was in the set.
    pub(super) fn add(&mut self, value: &Value<'q>) -> bool {
        if self.has(value) {
            return false;
        }
        self.integers.extend(value.term().as_int());
        self.all.push(value.clone());
        true
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value<'q>> {
        self.all.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}
