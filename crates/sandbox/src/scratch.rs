//! A temporary directory that a program may write to.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// A new directory with an unpredictable name that only this user may enter. It is removed when the value is dropped;
/// links in it are removed, never followed.
#[derive(Debug)]
pub struct Scratch {
    dir: TempDir,
}

impl Scratch {
    pub fn new() -> io::Result<Scratch> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("gimlet-").rand_bytes(16).permissions(Permissions::from_mode(0o700));
        Ok(Scratch { dir: builder.tempdir()? })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}
