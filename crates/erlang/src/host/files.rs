//! The file system as OTP's `prim_file` needs it: what is native there, and no more.
//!
//! Paths are bytes, as the operating system has them. Who implements this decides where relative
//! paths begin; nothing here opens a file.

use std::fmt;

pub trait Files: fmt::Debug {
    fn open(&mut self, path: &[u8], modes: OpenModes) -> Result<FileId, Errno>;
    fn close(&mut self, file: FileId) -> Result<(), Errno>;
    /// As many bytes as there are, up to `n`.
    fn read(&mut self, file: FileId, n: usize) -> Result<Vec<u8>, Errno>;
    fn read_at(&mut self, file: FileId, offset: u64, n: usize) -> Result<Vec<u8>, Errno>;
    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<(), Errno>;
    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno>;
    /// The new position, from the beginning.
    fn seek(&mut self, file: FileId, origin: Origin, offset: i64) -> Result<u64, Errno>;
    fn sync(&mut self, file: FileId, what: Sync) -> Result<(), Errno>;
    /// Ends the file at the current position.
    fn truncate(&mut self, file: FileId) -> Result<(), Errno>;
    fn allocate(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), Errno>;
    fn advise(&mut self, file: FileId, offset: u64, len: u64, advice: Advice) -> Result<(), Errno>;
    fn info_of(&mut self, file: FileId) -> Result<FileInfo, Errno>;
    /// What the operating system calls the open file.
    fn descriptor(&mut self, file: FileId) -> Result<i32, Errno>;

    fn info(&mut self, path: &[u8], links: Links) -> Result<FileInfo, Errno>;
    fn set_permissions(&mut self, path: &[u8], mode: u32) -> Result<(), Errno>;
    /// `None` leaves it as it is.
    fn set_owner(
        &mut self,
        path: &[u8],
        user: Option<u32>,
        group: Option<u32>,
    ) -> Result<(), Errno>;
    /// Seconds since 1970.
    fn set_times(&mut self, path: &[u8], accessed: i64, modified: i64) -> Result<(), Errno>;
    fn read_link(&mut self, path: &[u8]) -> Result<Vec<u8>, Errno>;
    /// The names in a directory, without itself and its parent.
    fn list_dir(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno>;
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno>;
    fn hard_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno>;
    fn soft_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno>;
    fn make_dir(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn remove_file(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn remove_dir(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn current_dir(&mut self) -> Result<Vec<u8>, Errno>;
    fn set_current_dir(&mut self, path: &[u8]) -> Result<(), Errno>;

    /// Closes all that is open and forgets what the program set.
    fn reset(&mut self);
}

/// A file that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// The name of an error of the operating system, in the atoms of `file:posix()`: `enoent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub &'static str);

impl Errno {
    pub const EINVAL: Errno = Errno("einval");
    pub const ENOTSUP: Errno = Errno("enotsup");
}

/// How a file is opened; what is not said is not done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenModes {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub exclusive: bool,
    pub sync: bool,
    pub directory: bool,
    /// Opens a directory as if it were a file.
    pub any_type: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Begin,
    Current,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Everything,
    DataOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    Normal,
    Random,
    Sequential,
    WillNeed,
    DontNeed,
    NoReuse,
}

/// Whether a symbolic link stands for itself or for what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Follow,
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Device,
    Directory,
    Regular,
    Link,
    Other,
}

/// What `#file_info{}` holds; times in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    pub size: u64,
    pub kind: FileKind,
    pub readable: bool,
    pub writable: bool,
    pub accessed: i64,
    pub modified: i64,
    pub changed: i64,
    pub mode: u32,
    pub links: u64,
    pub device: u64,
    pub special_device: u64,
    pub inode: u64,
    pub user: u32,
    pub group: u32,
}
