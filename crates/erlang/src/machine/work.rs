//! Builtins that do much: they cost as many calls as BEAM counts for them, and as many slices.

use crate::builtins::{Builtin, Fault, Stop};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::run::SLICE;
use values::Value;

/// What is less is not worth counting.
const MUCH: usize = 100;

impl World {
    /// The builtin that runs has so many things to look at.
    #[inline]
    pub(crate) fn add_work(&mut self, n: usize) {
        if n >= MUCH {
            self.work += n as u64;
        }
    }
}

/// A cell of a list and the vector that its items were gathered in.
const BYTES_OF_ITEM: usize = 3 * size_of::<Value>();

/// The next collection is soon enough to see what shorter lists take.
const SHORT: usize = 1_000;

impl World {
    /// Bytes that the run may still take.
    pub(crate) fn room(&self) -> usize {
        self.limits.memory_bytes.saturating_sub(self.heap.bytes_used())
    }

    /// Ends the run before something is made that its budget of memory does not allow.
    pub(crate) fn check_room(&self, n_bytes: usize) -> Result<(), Fault> {
        let needed = self.heap.bytes_used().saturating_add(n_bytes);
        if needed <= self.limits.memory_bytes { Ok(()) } else { Err(Stop::OutOfMemory.into()) }
    }

    /// The same for a list of so many items.
    pub(crate) fn check_room_for_list(&self, len: usize) -> Result<(), Fault> {
        if len < SHORT {
            return Ok(());
        }
        self.check_room(len.saturating_mul(BYTES_OF_ITEM))
    }

    /// Counts work of a builtin that may be too much for the run: cells, digits or words of bytes.
    pub(crate) fn spend_steps(&self, n: usize) -> Result<(), Fault> {
        Ok(self.heap.spend_steps(n)?)
    }
}

impl Cpu<'_> {
    /// Counts what a builtin did. On BEAM it would have paused whenever a slice was over; here
    /// nobody else runs meanwhile, but who traces the process is told so.
    #[cold]
    pub(super) fn worked(&mut self, builtin: &Builtin) {
        let work = std::mem::take(&mut self.world.work);
        self.spend(work);
        if self.world.tracing.is_none() {
            return;
        }
        let names = [builtin.module, builtin.name].map(|it| self.world.atoms.intern(it));
        let [module, name] = names.map(Value::atom);
        let arity = Value::int(i64::from(builtin.arity));
        let pid = self.world.current;
        for _ in 0..work / u64::from(SLICE) {
            let place = self.world.heap.tuple(&[module, name, arity]);
            self.world.trace_scheduled(pid, "out", place);
            self.world.trace_scheduled(pid, "in", place);
        }
    }

    /// So many calls are over.
    pub(super) fn spend(&mut self, calls: u64) {
        let now = u32::try_from(calls).unwrap_or(u32::MAX).min(self.fuel);
        self.fuel -= now;
        self.world.heap.effort.charge_beyond_slice(calls - u64::from(now));
    }
}
