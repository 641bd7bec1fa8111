//! The file system operations that OTP's `prim_file` needs: its native functions and no more.
//!
//! Paths are bytes, as the operating system has them. The implementation decides what relative paths are relative to;
//! nothing in this file opens a file.

use std::fmt;

pub trait Files: fmt::Debug {
    fn open(&mut self, path: &[u8], modes: OpenModes) -> Result<FileId, Errno>;
    fn close(&mut self, file: FileId) -> Result<(), Errno>;
    /// Reads up to `n` bytes from the current position; fewer only at the end of the file.
    fn read(&mut self, file: FileId, n: usize) -> Result<Vec<u8>, Errno>;
    fn read_at(&mut self, file: FileId, offset: u64, n: usize) -> Result<Vec<u8>, Errno>;
    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<(), Errno>;
    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno>;
    /// Moves the current position and returns it, in bytes from the beginning.
    fn seek(&mut self, file: FileId, origin: Origin, offset: i64) -> Result<u64, Errno>;
    fn sync(&mut self, file: FileId, what: Sync) -> Result<(), Errno>;
    /// Truncates the file at the current position.
    fn truncate(&mut self, file: FileId) -> Result<(), Errno>;
    fn allocate(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), Errno>;
    fn advise(&mut self, file: FileId, offset: u64, len: u64, advice: Advice) -> Result<(), Errno>;
    fn info_of(&mut self, file: FileId) -> Result<FileInfo, Errno>;
    /// Returns the operating system's descriptor of the open file.
    fn descriptor(&mut self, file: FileId) -> Result<i32, Errno>;

    fn info(&mut self, path: &[u8], links: Links) -> Result<FileInfo, Errno>;
    fn set_permissions(&mut self, path: &[u8], mode: u32) -> Result<(), Errno>;
    /// Sets the owner; `None` leaves the user or group unchanged.
    fn set_owner(
        &mut self,
        path: &[u8],
        user: Option<u32>,
        group: Option<u32>,
    ) -> Result<(), Errno>;
    /// Sets the times of last access and modification, in seconds since 1970.
    fn set_times(&mut self, path: &[u8], accessed: i64, modified: i64) -> Result<(), Errno>;
    fn read_link(&mut self, path: &[u8]) -> Result<Vec<u8>, Errno>;
    /// Returns the names in a directory, without `.` and `..`.
    fn list_dir(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno>;
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno>;
    fn hard_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno>;
    fn soft_link(&mut self, existing: &[u8], new: &[u8]) -> Result<(), Errno>;
    fn make_dir(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn remove_file(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn remove_dir(&mut self, path: &[u8]) -> Result<(), Errno>;
    fn current_dir(&mut self) -> Result<Vec<u8>, Errno>;
    fn set_current_dir(&mut self, path: &[u8]) -> Result<(), Errno>;

    /// Closes all open files and undoes what the program set, such as the current directory.
    fn reset(&mut self);
}

/// The identity of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// An error of the operating system, by its atom in `file:posix()`: `enoent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub &'static str);

impl Errno {
    pub const EINVAL: Errno = Errno("einval");
    pub const ENOTSUP: Errno = Errno("enotsup");
}

/// How a file is opened. A mode that is false is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenModes {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub exclusive: bool,
    pub sync: bool,
    pub directory: bool,
    /// Also opens a directory or device, as if it were a regular file.
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

/// Whether an operation follows a symbolic link or applies to the link itself.
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

/// The fields of `#file_info{}`; times in seconds since 1970.
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
