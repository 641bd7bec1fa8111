//! What was found of a unit before its turn is over: it is passed on now and then, so that it is not lost
//! with whoever found it.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is found is passed on so often at most.
const EVERY: Duration = Duration::from_millis(300);
/// And takes one part in so many of the time.
const SHARE: u32 = 50;

/// Passes on what is found of one unit in one turn.
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

    /// Passes on what must not wait: what comes next may take the finder with it.
    pub(crate) fn now(&self, found: impl FnOnce() -> E) {
        (self.pass)(&found());
    }

    /// `news` is a number that is another one if there is something to tell.
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
