//! Counts the work inside single operations, so that a long one is charged for and can be stopped.
//!
//! A function call costs one reduction whatever it does; an operation over a large term also costs
//! one per [`STEPS_PER_CALL`] cells, bytes or digits that it goes through. Operations count through a
//! shared reference and are charged at the next safe point of the process. Knows no processes: the
//! interpreter says how many reductions are left and takes what was counted.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use term::large_integers::Work;

/// Steps that take about as long as a function call.
const STEPS_PER_CALL: u64 = 64;

/// Less is charged together with what comes next.
const WORTH_CHARGING: u64 = 100 * STEPS_PER_CALL;

/// Between two looks at the interrupt.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 16;

#[derive(Debug)]
pub(crate) struct Effort {
    interrupt: Arc<AtomicBool>,
    /// Steps that nobody has been charged for.
    n_steps: Cell<u64>,
    /// Steps after which the run has used up its reductions.
    max_steps: Cell<u64>,
    /// Where the interrupt is looked at again.
    next_look: Cell<u64>,
    /// Reductions charged beyond what was left of the slice.
    beyond_slice: u64,
    /// Reductions that the run has used before this slice.
    used: u64,
}

/// Why an operation has to stop before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Interrupted,
    OutOfReductions,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            interrupt: Arc::default(),
            n_steps: Cell::new(0),
            max_steps: Cell::new(u64::MAX),
            next_look: Cell::new(STEPS_BETWEEN_LOOKS),
            beyond_slice: 0,
            used: 0,
        }
    }
}

impl Work for Effort {
    type Stopped = Exhausted;

    fn count(&self, n_steps: u64) -> Result<(), Exhausted> {
        Effort::count(self, n_steps);
        self.check()
    }
}

impl Effort {
    pub(crate) fn interrupted_by(interrupt: Arc<AtomicBool>) -> Effort {
        Effort { interrupt, ..Effort::default() }
    }

    /// From now on, operations stop when this is set.
    pub(crate) fn look_at(&mut self, interrupt: &Arc<AtomicBool>) {
        self.interrupt = Arc::clone(interrupt);
    }

    /// A run begins.
    pub(crate) fn reset(&mut self) {
        let interrupt = Arc::clone(&self.interrupt);
        *self = Effort::interrupted_by(interrupt);
    }

    /// A process is about to run, in a run that may use so many reductions.
    pub(crate) fn begin_slice(&mut self, max_reductions: u64) {
        let left = max_reductions.saturating_sub(self.used);
        self.max_steps.set(left.saturating_mul(STEPS_PER_CALL));
    }

    /// The process pauses after so many calls; what the slice has cost in all.
    pub(crate) fn end_slice(&mut self, n_calls: u32) -> u32 {
        let beyond = u32::try_from(std::mem::take(&mut self.beyond_slice)).unwrap_or(u32::MAX);
        let all = n_calls.saturating_add(beyond);
        self.used = self.used.saturating_add(u64::from(all));
        all
    }

    pub(crate) fn beyond_slice(&self) -> u64 {
        self.beyond_slice
    }

    pub(crate) fn charge_beyond_slice(&mut self, n_calls: u64) {
        self.beyond_slice = self.beyond_slice.saturating_add(n_calls);
    }

    /// Counts steps that have been made. Whether there is enough to charge for.
    #[inline]
    pub(super) fn count(&self, n: u64) -> bool {
        let sum = self.n_steps.get().saturating_add(n);
        self.n_steps.set(sum);
        sum >= WORTH_CHARGING
    }

    pub(super) fn is_due(&self) -> bool {
        self.n_steps.get() >= WORTH_CHARGING
    }

    /// Whether steps that were counted may go on.
    pub(super) fn check(&self) -> Result<(), Exhausted> {
        let sum = self.n_steps.get();
        if sum > self.max_steps.get() {
            return Err(Exhausted::OutOfReductions);
        }
        if sum >= self.next_look.get() {
            self.next_look.set(sum.saturating_add(STEPS_BETWEEN_LOOKS));
            if self.is_interrupted() {
                return Err(Exhausted::Interrupted);
            }
        }
        Ok(())
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Takes what was counted, in calls.
    pub(crate) fn take_calls(&mut self) -> u64 {
        let steps = self.n_steps.get();
        self.n_steps.set(steps % STEPS_PER_CALL);
        self.next_look.set(STEPS_BETWEEN_LOOKS);
        steps / STEPS_PER_CALL
    }
}
