//! The real file system, for programs that may access it.
//!
//! Each program has its own current directory, which begins as that of the tool. Changing it does not change the
//! tool's, since several programs may run at once.

use crate::errno;
use erlang::{Advice, Errno, FileId, FileInfo, FileKind, Files, Links, OpenModes, Origin, Sync};
use rustix::fs::{
    Access, AtFlags, CWD, FallocateFlags, Mode, OFlags, Timespec, Timestamps, access, fadvise,
    fallocate, open, utimensat,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub(crate) struct Disk {
    open: BTreeMap<FileId, File>,
    n_opened: u32,
    /// The directory for relative paths; `None` until the program changes it.
    current: Option<PathBuf>,
}

impl Disk {
    fn file(&mut self, id: FileId) -> Result<&mut File, Errno> {
        self.open.get_mut(&id).ok_or(Errno::EINVAL)
    }

    /// Resolves a path. An empty path never exists.
    fn place(&self, path: &[u8]) -> Result<PathBuf, Errno> {
        if path.is_empty() {
            return Err(Errno("enoent"));
        }
        let path = Path::new(OsStr::from_bytes(path));
        Ok(self.current.as_ref().map_or_else(|| path.to_owned(), |it| it.join(path)))
    }

    fn is_current(&self, path: &Path) -> bool {
        let here = self.current.clone().unwrap_or_else(|| PathBuf::from("."));
        match (fs::metadata(path), fs::metadata(here)) {
            (Ok(path), Ok(here)) => path.ino() == here.ino() && path.dev() == here.dev(),
            (Err(_), _) | (_, Err(_)) => false,
        }
    }
}

impl Files for Disk {
    fn open(&mut self, path: &[u8], modes: OpenModes) -> Result<FileId, Errno> {
        let fd = open(self.place(path)?, flags(modes), Mode::from_raw_mode(0o666));
        let file = File::from(fd.map_err(|it| errno::name(&it.into()))?);
        let is_dir = || file.metadata().is_ok_and(|it| it.is_dir());
        if !modes.any_type && !modes.directory && is_dir() {
            return Err(Errno("eisdir"));
        }
        self.n_opened += 1;
        let id = FileId(self.n_opened);
        self.open.insert(id, file);
        Ok(id)
    }

    fn close(&mut self, file: FileId) -> Result<(), Errno> {
        self.open.remove(&file).map(drop).ok_or(Errno::EINVAL)
    }

    fn read(&mut self, file: FileId, n: usize) -> Result<Vec<u8>, Errno> {
        let file = self.file(file)?;
        let mut bytes = Vec::new();
        // Reading zero bytes from an unreadable file is an error, too.
        let done = match n {
            0 => file.read(&mut []),
            _ => file.take(n as u64).read_to_end(&mut bytes),
        };
        said(done).map(|_| bytes)
    }

    fn read_at(&mut self, file: FileId, offset: u64, n: usize) -> Result<Vec<u8>, Errno> {
        let file = self.file(file)?;
        let mut bytes = Vec::new();
        while bytes.len() < n {
            let begin = bytes.len();
            bytes.resize((begin + BLOCK).min(n), 0);
            let room = bytes.get_mut(begin..).unwrap_or_default();
            match said(file.read_at(room, offset + begin as u64))? {
                0 => {
                    bytes.truncate(begin);
                    break;
                }
                more => bytes.truncate(begin + more),
            }
        }
        Ok(bytes)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<(), Errno> {
        said(self.file(file)?.write_all(bytes))
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        said(self.file(file)?.write_all_at(bytes, offset))
    }

    fn seek(&mut self, file: FileId, origin: Origin, offset: i64) -> Result<u64, Errno> {
        let to = match origin {
            Origin::Begin => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
            Origin::Current => SeekFrom::Current(offset),
            Origin::End => SeekFrom::End(offset),
        };
        said(self.file(file)?.seek(to))
    }

    fn sync(&mut self, file: FileId, what: Sync) -> Result<(), Errno> {
        let file = self.file(file)?;
        said(match what {
            Sync::Everything => file.sync_all(),
            Sync::DataOnly => file.sync_data(),
        })
    }

    fn truncate(&mut self, file: FileId) -> Result<(), Errno> {
        let file = self.file(file)?;
        said(file.stream_position().and_then(|it| file.set_len(it)))
    }

    fn allocate(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), Errno> {
        let file = self.file(file)?;
        match fallocate(&*file, FallocateFlags::empty(), offset, len) {
            // If the file system cannot reserve space, the file is extended instead.
            Err(rustix::io::Errno::OPNOTSUPP) => said(file.metadata().and_then(|it| {
                if it.len() < offset + len { file.set_len(offset + len) } else { Ok(()) }
            })),
            done => said(done.map_err(io::Error::from)),
        }
    }

    fn advise(&mut self, file: FileId, offset: u64, len: u64, advice: Advice) -> Result<(), Errno> {
        let advice = match advice {
            Advice::Normal => rustix::fs::Advice::Normal,
            Advice::Random => rustix::fs::Advice::Random,
            Advice::Sequential => rustix::fs::Advice::Sequential,
            Advice::WillNeed => rustix::fs::Advice::WillNeed,
            Advice::DontNeed => rustix::fs::Advice::DontNeed,
            Advice::NoReuse => rustix::fs::Advice::NoReuse,
        };
        // BEAM ignores the result, too.
        let done = fadvise(self.file(file)?, offset, NonZeroU64::new(len), advice);
        done.unwrap_or_default();
        Ok(())
    }

    fn info_of(&mut self, file: FileId) -> Result<FileInfo, Errno> {
        let data = said(self.file(file)?.metadata())?;
        let bits = if data.uid() == rustix::process::geteuid().as_raw() {
            data.mode() >> 6
        } else if data.gid() == rustix::process::getegid().as_raw() {
            data.mode() >> 3
        } else {
            data.mode()
        };
        Ok(info(&data, bits & 4 != 0, bits & 2 != 0))
    }

    fn descriptor(&mut self, file: FileId) -> Result<i32, Errno> {
        Ok(self.file(file)?.as_raw_fd())
    }

    fn info(&mut self, path: &[u8], links: Links) -> Result<FileInfo, Errno> {
        let path = self.place(path)?;
        let data = said(match links {
            Links::Follow => fs::metadata(&path),
            Links::Keep => fs::symlink_metadata(&path),
        })?;
        let may = |what| access(&path, what).is_ok();
        Ok(info(&data, may(Access::READ_OK), may(Access::WRITE_OK)))
    }

    fn set_permissions(&mut self, path: &[u8], mode: u32) -> Result<(), Errno> {
        let path = self.place(path)?;
        let set = |mode| fs::set_permissions(&path, Permissions::from_mode(mode));
        // A user who may not set the setuid and setgid bits sets the others.
        said(set(mode & 0o6777).or_else(|_| set(mode & 0o777)))
    }

    fn set_owner(
        &mut self,
        path: &[u8],
        user: Option<u32>,
        group: Option<u32>,
    ) -> Result<(), Errno> {
        said(chown(self.place(path)?, user, group))
    }

    fn set_times(&mut self, path: &[u8], accessed: i64, modified: i64) -> Result<(), Errno> {
        let at = |seconds| Timespec { tv_sec: seconds, tv_nsec: 0 };
        let times = Timestamps { last_access: at(accessed), last_modification: at(modified) };
        let done = utimensat(CWD, self.place(path)?, &times, AtFlags::empty());
        said(done.map_err(io::Error::from))
    }

    fn read_link(&mut self, path: &[u8]) -> Result<Vec<u8>, Errno> {
        said(fs::read_link(self.place(path)?)).map(|it| it.into_os_string().into_vec())
    }

    fn list_dir(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
        let entries = said(fs::read_dir(self.place(path)?))?;
        Ok(entries.flatten().map(|it| it.file_name().into_vec()).collect())
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        match said(fs::rename(self.place(from)?, self.place(to)?)) {
            Err(Errno("enotempty")) => Err(Errno("eexist")),
            Err(_) if from == b"/" => Err(Errno::EINVAL),
            done => done,
        }
    }

    fn hard_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno> {
        said(fs::hard_link(self.place(existing)?, self.place(new)?))
    }

    fn soft_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno> {
        said(symlink(OsStr::from_bytes(existing), self.place(new)?))
    }

    fn make_dir(&mut self, path: &[u8]) -> Result<(), Errno> {
        said(fs::create_dir(self.place(path)?))
    }

    fn remove_file(&mut self, path: &[u8]) -> Result<(), Errno> {
        match said(fs::remove_file(self.place(path)?)) {
            // POSIX specifies `EPERM`; Linux returns `EISDIR`.
            Err(Errno("eisdir")) => Err(Errno("eperm")),
            done => done,
        }
    }

    fn remove_dir(&mut self, path: &[u8]) -> Result<(), Errno> {
        let place = self.place(path)?;
        match said(fs::remove_dir(&place)) {
            Err(Errno("enotempty" | "eexist")) if self.is_current(&place) => Err(Errno::EINVAL),
            Err(Errno("enotempty")) => Err(Errno("eexist")),
            done => done,
        }
    }

    fn current_dir(&mut self) -> Result<Vec<u8>, Errno> {
        let dir = match &self.current {
            // A directory that was removed is an error.
            Some(dir) => said(fs::metadata(dir)).map(|_| dir.clone()),
            None => said(std::env::current_dir()),
        };
        dir.map(|it| it.into_os_string().into_vec())
    }

    fn set_current_dir(&mut self, path: &[u8]) -> Result<(), Errno> {
        let dir = said(fs::canonicalize(self.place(path)?))?;
        if !said(fs::metadata(&dir))?.is_dir() {
            return Err(Errno("enotdir"));
        }
        said(access(&dir, Access::EXEC_OK).map_err(io::Error::from))?;
        self.current = Some(dir);
        Ok(())
    }

    fn reset(&mut self) {
        *self = Disk::default();
    }
}

/// How many bytes are read at once when the size is unknown.
const BLOCK: usize = 1 << 20;

fn flags(modes: OpenModes) -> OFlags {
    let mut flags = match (modes.read, modes.write) {
        (true, true) => OFlags::RDWR | OFlags::CREATE,
        (false, true) => OFlags::WRONLY | OFlags::CREATE,
        (true | false, false) => OFlags::RDONLY,
    };
    flags.set(OFlags::TRUNC, modes.write && !modes.read && !modes.append);
    flags.set(OFlags::APPEND, modes.append);
    flags.set(OFlags::EXCL, modes.exclusive);
    flags.set(OFlags::SYNC, modes.sync);
    flags.set(OFlags::DIRECTORY, modes.directory);
    flags | OFlags::CLOEXEC
}

fn info(data: &Metadata, readable: bool, writable: bool) -> FileInfo {
    let kind = data.file_type();
    let kind = if kind.is_char_device() || kind.is_block_device() {
        FileKind::Device
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_file() {
        FileKind::Regular
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Other
    };
    FileInfo {
        size: data.size(),
        kind,
        readable,
        writable,
        accessed: data.atime(),
        modified: data.mtime(),
        changed: data.ctime(),
        mode: data.mode(),
        links: data.nlink(),
        device: data.dev(),
        special_device: data.rdev(),
        inode: data.ino(),
        user: data.uid(),
        group: data.gid(),
    }
}

fn said<T>(done: io::Result<T>) -> Result<T, Errno> {
    done.map_err(|it| errno::name(&it))
}
