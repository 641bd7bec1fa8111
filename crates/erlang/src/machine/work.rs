//! Builtins that do much: they cost as many calls as BEAM counts for them, and as many slices.

use crate::builtins::Builtin;
use crate::data::Value;
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::run::SLICE;

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
        if let Some(me) = self.world.me() {
            me.reductions += calls - u64::from(now);
        }
    }
}
