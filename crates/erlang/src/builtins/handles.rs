//! References to objects of the machine: tables, match specifications, atomics, buffers.
//!
//! Handles are numbered per process like other references, with the highest bit set. They are therefore the same in
//! every interleaving and never equal to a reference made by `make_ref`.

use rustc_hash::FxHashMap;
use values::{PidId, RefId, Value};

#[derive(Clone, Debug, Default)]
pub struct Handles {
    made: FxHashMap<PidId, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleKind {
    Table,
    Other,
}

const HANDLE: u32 = 1 << 31;
const TABLE: u32 = 1 << 30;

impl Handles {
    pub(crate) fn make(&mut self, owner: PidId, kind: HandleKind) -> RefId {
        let made = self.made.entry(owner).or_default();
        *made += 1;
        let n = HANDLE | (*made & (TABLE - 1));
        RefId { owner, n: if kind == HandleKind::Table { n | TABLE } else { n } }
    }
}

/// Whether the value is the reference of a table, even of a deleted one.
pub(crate) fn is_table(value: Value) -> bool {
    value.as_ref().is_some_and(|it| it.n & (HANDLE | TABLE) == HANDLE | TABLE)
}
