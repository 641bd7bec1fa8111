//! A launcher of sandboxes for tests that start the real runtime in one.

use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::launched(std::env::args_os()).unwrap_or(ExitCode::FAILURE)
}
