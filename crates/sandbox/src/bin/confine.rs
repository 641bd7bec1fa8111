//! A launcher and nothing else, for tests of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::launched(std::env::args_os()).unwrap_or(ExitCode::FAILURE)
}
