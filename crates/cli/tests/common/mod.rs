//! Starts the binary under test as users do, with a cache directory of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `gimlet` in a directory and waits for its exit.
pub(crate) fn gimlet(dir: impl AsRef<Path>, args: &[impl AsRef<OsStr>]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gimlet"))
        .args(args)
        .current_dir(dir)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the binary starts")
}
