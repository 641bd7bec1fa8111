//! The binary `gimlet`. What it does is in the library beside it, where tests can reach it.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Loading a module makes and drops some hundred thousand small terms; glibc's allocator takes
/// twice as long over them on a thread of its own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::start()
}
