//! Counts the work within a single operation, so that budgets and interrupts stop long operations too.

use crate::builtins::PARTS_PER_STEP;
use crate::machine::{Fault, Machine, Stop};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use term::large_integers::Work;

/// The work that an operation has done, and the maximum that it may do.
pub(crate) struct Meter {
    n_parts: Cell<u64>,
    most: u64,
    interrupt: Arc<AtomicBool>,
}

impl Work for Meter {
    type Stopped = Stop;

    fn count(&self, n_parts: u64) -> Result<(), Stop> {
        self.n_parts.set(self.n_parts.get().saturating_add(n_parts));
        if self.most < self.n_parts.get() {
            return Err(Stop::Steps);
        }
        if PARTS_PER_STEP < n_parts && self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Time);
        }
        Ok(())
    }
}

impl Machine {
    /// Runs an operation and counts its work as steps of the run. Stops the operation at the limit of steps or at an
    /// interrupt.
    pub(crate) fn metered<T>(
        &mut self,
        operation: impl FnOnce(&Meter) -> Result<T, Stop>,
    ) -> Result<T, Fault> {
        let left = self.limits.steps.saturating_sub(self.control.steps);
        let meter = Meter {
            n_parts: Cell::new(0),
            most: left.saturating_mul(PARTS_PER_STEP),
            interrupt: Arc::clone(&self.interrupt),
        };
        let done = operation(&meter);
        self.control.steps =
            self.control.steps.saturating_add(meter.n_parts.get() / PARTS_PER_STEP);
        Ok(done?)
    }
}
