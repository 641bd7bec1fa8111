//! Ctrl-C and SIGTERM: the search stops, and what was found until then is reported.

use crate::start::COULD_NOT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first signal sets; the second ends the process at once.
pub(crate) fn interrupt() -> Arc<AtomicBool> {
    let res = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&res);
    let ask_to_stop = move || {
        // The second signal does not wait for the report.
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(COULD_NOT));
        }
    };
    // Without the handler a signal ends the process, and nothing is reported.
    drop(ctrlc::set_handler(ask_to_stop));
    res
}
