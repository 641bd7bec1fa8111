//! Interim results of a unit, which are passed on during its turn, so that they survive the death of the worker.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The minimum time between two interim results.
const EVERY: Duration = Duration::from_millis(300);
/// Passing on takes at most 1/50 of the time: the pause after it is this many times its duration.
const SHARE: u32 = 50;

/// Passes on the interim results of one unit during one turn.
pub(crate) struct SoFar<'a, E> {
    state: Mutex<State>,
    pass: Box<dyn Fn(&E) + Send + Sync + 'a>,
}

struct State {
    due: Instant,
    news: usize,
}

impl<'a, E> SoFar<'a, E> {
    pub(super) fn new(pass: impl Fn(&E) + Send + Sync + 'a) -> SoFar<'a, E> {
        let state = State { due: Instant::now() + EVERY, news: 0 };
        SoFar { state: Mutex::new(state), pass: Box::new(pass) }
    }

    /// Passes on results at once, before a step that might kill the process.
    pub(crate) fn now(&self, found: impl FnOnce() -> E) {
        (self.pass)(&found());
    }

    /// Passes on results unless the last ones were passed on recently. `news` is a counter that changes with new
    /// results.
    pub(crate) fn note(&self, news: usize, found: impl FnOnce() -> E) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = Instant::now();
        if news == state.news || begin < state.due {
            return;
        }
        (self.pass)(&found());
        let end = Instant::now();
        *state = State { due: end + EVERY.max((end - begin) * SHARE), news };
    }
}

impl<E> fmt::Debug for SoFar<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SoFar")
    }
}
