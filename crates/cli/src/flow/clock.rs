//! Watches the time while something is searched for, because the solver has no clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct Clock;

/// How often the thread looks at the interrupt flag.
const TICK: Duration = Duration::from_millis(50);

impl Clock {
    /// Runs `work` with a flag that is set when the time is over or the user interrupts.
    pub(crate) fn during<T>(
        time: Duration,
        interrupt: &AtomicBool,
        work: impl FnOnce(&Arc<AtomicBool>) -> T,
    ) -> T {
        let end = Instant::now() + time;
        let halt = Arc::new(AtomicBool::new(false));
        let (done, is_done) = channel::<()>();
        thread::scope(|scope| {
            let flag = Arc::clone(&halt);
            let watching = thread::Builder::new().name("clock".to_owned());
            // Without the thread, the time is looked at between two queries.
            drop(watching.spawn_scoped(scope, move || {
                while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if end <= Instant::now() || interrupt.load(Ordering::Relaxed) {
                        flag.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }));
            let res = work(&halt);
            drop(done);
            res
        })
    }
}
