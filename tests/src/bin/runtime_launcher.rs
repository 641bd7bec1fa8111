//! The sandbox launcher for tests that start a real runtime in a sandbox.

use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::launched(std::env::args_os()).unwrap_or(ExitCode::FAILURE)
}
