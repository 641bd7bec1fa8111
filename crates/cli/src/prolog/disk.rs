//! Access to real files, for programs that `--allow files` permits it.

use prolog::builtins::{Disk, DiskError, Write};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};

#[derive(Clone, Copy, Debug)]
pub(crate) struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &str) -> Result<String, DiskError> {
        fs::read(path).map(|it| String::from_utf8_lossy(&it).into_owned()).map_err(|it| why(&it))
    }

    fn write(&self, path: &str, text: &str, how: Write) -> Result<(), DiskError> {
        let mut options = OpenOptions::new();
        match how {
            Write::Replace => options.write(true).create(true).truncate(true),
            Write::Append => options.append(true).create(true),
        };
        let mut file = options.open(path).map_err(|it| why(&it))?;
        file.write_all(text.as_bytes()).map_err(|it| why(&it))
    }

    fn delete(&self, path: &str) -> Result<(), DiskError> {
        fs::remove_file(path).map_err(|it| why(&it))
    }
}

fn why(error: &std::io::Error) -> DiskError {
    if error.kind() == ErrorKind::NotFound { DiskError::Missing } else { DiskError::Denied }
}
