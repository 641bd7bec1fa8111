//! The binary `gimlet`. All its code is in the library beside it, where tests can reach it.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Loading a module allocates and frees some hundred thousand small terms; glibc's allocator takes twice as long for
/// them on a thread other than the main one.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // The executable's other role: a launcher that confines itself to a policy and then becomes a real runtime.
    sandbox::launched(std::env::args_os()).unwrap_or_else(cli::start)
}
