//! Expensive builtins: they cost as many reductions as BEAM counts for them.

use crate::builtins::{Builtin, Fault, Stop};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::run::SLICE;
use values::Value;

/// The minimum amount of work that is counted.
const MUCH: usize = 100;

impl World {
    /// Adds to the work of the running builtin, measured in processed items.
    #[inline]
    pub(crate) fn add_work(&mut self, n: usize) {
        if n >= MUCH {
            self.run.work += n as u64;
        }
    }
}

/// The memory in bytes for an item of a list: a cell, and an entry of the vector in which the items were collected.
const BYTES_OF_ITEM: usize = 3 * size_of::<Value>();

/// The minimum length of lists whose memory is checked beforehand; for shorter ones the check at the next collection
/// suffices.
const SHORT: usize = 1_000;

impl World {
    /// The number of bytes that the run may still allocate.
    pub(crate) fn room(&self) -> usize {
        self.limits.memory_bytes.saturating_sub(self.heap.bytes_used())
    }

    /// Ends the run before an allocation that would exceed its memory limit.
    pub(crate) fn check_room(&self, n_bytes: usize) -> Result<(), Fault> {
        let needed = self.heap.bytes_used().saturating_add(n_bytes);
        if needed <= self.limits.memory_bytes { Ok(()) } else { Err(Stop::OutOfMemory.into()) }
    }

    /// As [`World::check_room`], for a list of `len` items.
    pub(crate) fn check_room_for_list(&self, len: usize) -> Result<(), Fault> {
        if len < SHORT {
            return Ok(());
        }
        self.check_room(len.saturating_mul(BYTES_OF_ITEM))
    }

    /// Charges the work of a builtin while it runs, in processed cells, digits or words; fails if the run's limit is
    /// exceeded.
    pub(crate) fn spend_steps(&self, n: usize) -> Result<(), Fault> {
        Ok(self.heap.spend_steps(n)?)
    }
}

impl Cpu<'_> {
    /// Charges the work of a builtin. BEAM would have rescheduled the process after each slice; here it continues, but
    /// tracers of the process are told of the rescheduling.
    #[cold]
    pub(super) fn worked(&mut self, builtin: &Builtin) {
        let work = std::mem::take(&mut self.world.run.work);
        self.spend(work);
        if self.world.run.tracing.is_none() {
            return;
        }
        let names = [builtin.module, builtin.name].map(|it| self.world.atoms.intern(it));
        let [module, name] = names.map(Value::atom);
        let arity = Value::int(i64::from(builtin.arity));
        let pid = self.world.run.current;
        for _ in 0..work / u64::from(SLICE) {
            let place = self.world.heap.tuple(&[module, name, arity]);
            self.world.trace_scheduled(pid, "out", place);
            self.world.trace_scheduled(pid, "in", place);
        }
    }

    /// Charges this many reductions.
    pub(super) fn spend(&mut self, calls: u64) {
        let now = u32::try_from(calls).unwrap_or(u32::MAX).min(self.fuel);
        self.fuel -= now;
        self.world.heap.effort.charge_beyond_slice(calls - u64::from(now));
    }
}
