//! The binary `gimlet`. What it does is in the library beside it, where tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::start()
}
