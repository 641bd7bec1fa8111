//! Stops the search at Ctrl-C, SIGTERM and SIGHUP, so that its findings until then are reported. Exhausted memory of
//! the process that collects the findings stops the search in the same way.

use crate::start::write;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::{fs, io, thread};

/// The state that the signal handler sets. The first signal sets the flag; the second ends the process at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) flag: Arc<AtomicBool>,
    signal: Arc<AtomicI32>,
    /// Whether the search has begun, so that there is something to report.
    has_begun: Arc<AtomicBool>,
    is_out_of_memory: Arc<AtomicBool>,
}

/// A process that a signal ended has this exit code plus the signal's number.
const OF_SIGNAL: i32 = 128;
/// The stored number as long as no signal was caught.
const NO_SIGNAL: i32 = 0;

impl Interrupt {
    /// Starts to catch signals, except those that were ignored when this process was started.
    pub(crate) fn new() -> Interrupt {
        let res = Interrupt::default();
        let Interrupt { flag, signal, has_begun, .. } = res.clone();
        let Ok(mut signals) = Signals::new(wanted()) else { return res };
        let waiting = thread::Builder::new().name("signals".to_owned());
        drop(waiting.spawn(move || {
            for caught in signals.forever() {
                // A second signal ends the process without waiting for the report. Before the search begins, the
                // first signal does, because there is nothing to report.
                let is_second = signal.swap(caught, Ordering::SeqCst) != NO_SIGNAL;
                flag.store(true, Ordering::SeqCst);
                if is_second {
                    std::process::exit(OF_SIGNAL + caught);
                }
                if !has_begun.load(Ordering::SeqCst) {
                    write(&mut io::stderr(), b"interrupted: nothing was tested\n");
                    std::process::exit(OF_SIGNAL + caught);
                }
            }
        }));
        res
    }

    /// Marks the beginning of the search: from now on the first signal only sets the flag.
    pub(crate) fn begin(&self) {
        self.has_begun.store(true, Ordering::SeqCst);
    }

    /// Stops the search because the memory for its findings is used up.
    pub(super) fn out_of_memory(&self) {
        self.is_out_of_memory.store(true, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_out_of_memory(&self) -> bool {
        self.is_out_of_memory.load(Ordering::SeqCst)
    }

    /// Returns the exit code for the caught signal; `None` if no signal was caught.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        let signal = self.signal.load(Ordering::SeqCst);
        u8::try_from(OF_SIGNAL + signal).ok().filter(|_| signal != NO_SIGNAL)
    }
}

/// The signals to catch. `nohup` and shells start programs with some signals ignored; these stay ignored.
fn wanted() -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
    let is_wanted = |it: &i32| ignored >> (it - 1) & 1 == 0;
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(is_wanted).collect()
}

/// Makes a worker process ignore the signals: its owner handles them and tells the worker to stop.
pub(super) fn ignore() {
    let nobody_looks = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        drop(signal_hook::flag::register(signal, Arc::clone(&nobody_looks)));
    }
}

#[cfg(test)]
mod tests {
    use super::Interrupt;
    use std::sync::atomic::Ordering;

    #[test]
    fn an_owner_without_memory_reports_what_it_has() {
        let interrupt = Interrupt::default();
        interrupt.begin();
        interrupt.out_of_memory();
        assert!(interrupt.flag.load(Ordering::SeqCst) && interrupt.is_out_of_memory());
        // The flag was not set by a signal, so there is no exit code.
        assert_eq!(interrupt.exit_code(), None);
    }
}
