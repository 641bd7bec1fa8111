//! Ctrl-C: the search stops, and what is known is shown.

use crate::start::COULD_NOT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first signal sets; the second ends the process at once.
pub(crate) fn interrupt() -> Arc<AtomicBool> {
    let res = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&res);
    let ask_to_stop = move || {
        // Who asks twice means it.
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(COULD_NOT));
        }
    };
    // Without the handler, Ctrl-C ends us with nothing shown; that is all that is lost.
    drop(ctrlc::set_handler(ask_to_stop));
    res
}
