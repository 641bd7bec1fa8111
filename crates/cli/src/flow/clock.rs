//! A thread that watches the time during a search, because the search and the solver can't read a clock.

use engine::{Report, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct Clock;

/// Returns the report of a search during which the user may have interrupted a run. The choices of the interrupted
/// run are unknown, so a search that claims to be exhausted is marked as interrupted instead.
pub(crate) fn not_exhausted_if_interrupted(mut report: Report, interrupt: &AtomicBool) -> Report {
    if report.stop == Stop::Exhausted && interrupt.load(Ordering::Relaxed) {
        report.stop = Stop::Interrupted;
    }
    report
}

/// The interval at which the thread checks the time and the interrupt flag.
const TICK: Duration = Duration::from_millis(50);

impl Clock {
    /// Runs `work` with a flag that is set when the time is over or the user interrupts.
    pub(crate) fn during<T>(
        time: Duration,
        interrupt: &AtomicBool,
        work: impl FnOnce(&Arc<AtomicBool>) -> T,
    ) -> T {
        let halt = Arc::new(AtomicBool::new(false));
        Clock::setting(&halt, time, interrupt, || work(&halt))
    }

    /// Like [`Clock::during`], with a flag of the caller.
    pub(crate) fn setting<T>(
        halt: &Arc<AtomicBool>,
        time: Duration,
        interrupt: &AtomicBool,
        work: impl FnOnce() -> T,
    ) -> T {
        // `None` if the sum overflows; then there is no limit.
        let end = Instant::now().checked_add(time);
        let (done, is_done) = channel::<()>();
        thread::scope(|scope| {
            let flag = Arc::clone(halt);
            let watching = thread::Builder::new().name("clock".to_owned());
            // If the thread can't be started, the search still checks the time between two queries.
            drop(watching.spawn_scoped(scope, move || {
                while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    let is_over = end.is_some_and(|it| it <= Instant::now());
                    if is_over || interrupt.load(Ordering::Relaxed) {
                        flag.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }));
            let res = work();
            drop(done);
            res
        })
    }
}

#[cfg(test)]
mod tests {
    use super::not_exhausted_if_interrupted;
    use engine::{Report, Stop};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_search_with_an_interrupted_run_is_not_exhausted() {
        let stop = |stop, is_interrupted| {
            let report = Report { stop, ..Report::default() };
            not_exhausted_if_interrupted(report, &AtomicBool::new(is_interrupted)).stop
        };
        assert_eq!(stop(Stop::Exhausted, false), Stop::Exhausted);
        assert_eq!(stop(Stop::Exhausted, true), Stop::Interrupted);
        assert_eq!(stop(Stop::Time, true), Stop::Time);
    }
}
