//! The binary `gimlet`. What it does is in the library beside it, where tests can reach it.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Loading a module makes and drops some hundred thousand small terms; glibc's allocator takes
/// twice as long over them on a thread of its own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // The other role of this executable: to become a runtime that may do no more than its policy says.
    sandbox::launched(std::env::args_os()).unwrap_or_else(cli::start)
}
