//! All state of a run besides the stack of the process that is running.

use crate::data::{Atoms, Heap};
use crate::machine::Limits;

#[derive(Debug, Default)]
pub struct World {
    pub heap: Heap,
    pub atoms: Atoms,
    pub limits: Limits,
}
