//! Counts the work inside single operations, so that a long one is charged for and can be stopped.
//!
//! A function call costs one reduction; an operation over a large term costs one more per [`STEPS_PER_CALL`] cells,
//! bytes or digits that it processes. Operations count steps through a shared reference, and the steps are charged at
//! the next safe point of the process. Knows no processes: the interpreter sets how many reductions are left and takes
//! the counted steps.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many steps cost one reduction, because they take about as long as a function call.
const STEPS_PER_CALL: u64 = 64;

/// Fewer counted steps than this are not charged yet, but together with later ones.
const MIN_CHARGED_STEPS: u64 = 100 * STEPS_PER_CALL;

/// Steps between two checks of the interrupt flag.
const STEPS_BETWEEN_CHECKS: u64 = 1 << 16;

#[derive(Debug)]
pub struct Effort {
    interrupt: Arc<AtomicBool>,
    /// Steps counted and not yet charged.
    n_steps: Cell<u64>,
    /// The number of steps after which the run is out of reductions.
    max_steps: Cell<u64>,
    /// The number of steps at which the interrupt flag is checked next.
    next_interrupt_check: Cell<u64>,
    /// Reductions charged in this slice beyond its remaining fuel.
    beyond_slice: u64,
    /// Reductions that the run used before this slice.
    used: u64,
}

/// Why an operation must stop before it is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Interrupted,
    OutOfReductions,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            interrupt: Arc::default(),
            n_steps: Cell::new(0),
            max_steps: Cell::new(u64::MAX),
            next_interrupt_check: Cell::new(STEPS_BETWEEN_CHECKS),
            beyond_slice: 0,
            used: 0,
        }
    }
}

impl Effort {
    pub fn interrupted_by(interrupt: Arc<AtomicBool>) -> Effort {
        Effort { interrupt, ..Effort::default() }
    }

    /// Makes operations stop when this flag is set.
    pub fn look_at(&mut self, interrupt: &Arc<AtomicBool>) {
        self.interrupt = Arc::clone(interrupt);
    }

    /// Sets all counters back for a new run; the interrupt flag stays.
    pub fn reset(&mut self) {
        let interrupt = Arc::clone(&self.interrupt);
        *self = Effort::interrupted_by(interrupt);
    }

    /// Begins a slice of a process, in a run that may use `max_reductions` in all.
    pub fn begin_slice(&mut self, max_reductions: u64) {
        let left = max_reductions.saturating_sub(self.used);
        self.max_steps.set(left.saturating_mul(STEPS_PER_CALL));
    }

    /// Ends a slice in which `n_calls` reductions of its fuel were used. Returns what the slice cost with the charges
    /// beyond it.
    pub fn end_slice(&mut self, n_calls: u32) -> u32 {
        let beyond = u32::try_from(std::mem::take(&mut self.beyond_slice)).unwrap_or(u32::MAX);
        let all = n_calls.saturating_add(beyond);
        self.used = self.used.saturating_add(u64::from(all));
        all
    }

    pub fn beyond_slice(&self) -> u64 {
        self.beyond_slice
    }

    pub fn charge_beyond_slice(&mut self, n_calls: u64) {
        self.beyond_slice = self.beyond_slice.saturating_add(n_calls);
    }

    /// Counts `n` steps. Returns whether enough steps are counted to be charged.
    #[inline]
    pub(super) fn count(&self, n: u64) -> bool {
        let sum = self.n_steps.get().saturating_add(n);
        self.n_steps.set(sum);
        sum >= MIN_CHARGED_STEPS
    }

    pub(super) fn is_due(&self) -> bool {
        self.n_steps.get() >= MIN_CHARGED_STEPS
    }

    /// Returns an error if the counted steps exceed the run's reductions or the interrupt flag is set.
    pub(super) fn check(&self) -> Result<(), Exhausted> {
        let sum = self.n_steps.get();
        if sum > self.max_steps.get() {
            return Err(Exhausted::OutOfReductions);
        }
        if sum >= self.next_interrupt_check.get() {
            self.next_interrupt_check.set(sum.saturating_add(STEPS_BETWEEN_CHECKS));
            if self.is_interrupted() {
                return Err(Exhausted::Interrupted);
            }
        }
        Ok(())
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Takes the counted steps, converted to reductions; the remainder stays counted.
    pub(crate) fn take_calls(&mut self) -> u64 {
        let steps = self.n_steps.get();
        self.n_steps.set(steps % STEPS_PER_CALL);
        self.next_interrupt_check.set(STEPS_BETWEEN_CHECKS);
        steps / STEPS_PER_CALL
    }
}
