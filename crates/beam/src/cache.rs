//! A cache on disk: bytes under a kind and a key.
//!
//! A cache only saves time: failures to write are ignored, and a damaged entry counts as absent and is written again.
//! Whoever can write here decides what our runtime loads, so only files of this user are read, in directories that
//! nobody else may enter. Does not know what the bytes mean.

use rustix::fs::OFlags;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const MAGIC: &[u8; 8] = b"gimlet2\n";
/// The length of a SHA-256 digest in bytes.
const DIGEST: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    dir: Option<PathBuf>,
}

/// The purpose of an entry; each kind has its own directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// The compiled agent.
    Agent,
    /// The description of an OTP installation.
    Installation,
    /// From a file to the key of the content that it had when it was loaded.
    Index,
    /// Loaded modules, by the hash of their content.
    Code,
    /// Modules that were rewritten and compiled, by the hash of the compiler's input.
    Rewritten,
    /// The configuration of a mix project, by the hash of its files.
    Configuration,
    /// The modules of an Elixir file outside of mix projects, by the file's path and the hash of its content.
    Elixir,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheKey(String);

/// The modification time and size of a file, which show changes without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The modification time in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The size in bytes; negative if there is no such file.
    pub(crate) size: i64,
}

impl Cache {
    /// Returns a cache in this directory; without one, nothing is stored.
    pub(crate) fn new(dir: Option<PathBuf>) -> Cache {
        Cache { dir }
    }

    pub(crate) fn read(&self, kind: EntryKind, key: &CacheKey) -> Option<Vec<u8>> {
        let path = self.path(kind, key)?;
        self.private_dir(kind)?;
        let mut bytes = read_own(&path)?;
        let (magic, rest) = bytes.split_first_chunk()?;
        let (found, body) = rest.split_first_chunk::<DIGEST>()?;
        if magic != MAGIC || *found != digest(kind, key, body) {
            return None;
        }
        bytes.drain(..MAGIC.len() + DIGEST);
        Some(bytes)
    }

    pub(crate) fn write(&self, kind: EntryKind, key: &CacheKey, body: &[u8]) {
        if let (Some(path), Some(dir)) = (self.path(kind, key), self.private_dir(kind)) {
            // If the disk is full or read-only, the next run takes longer; nothing else is lost.
            drop(write_whole(&dir, &path, &[MAGIC, &digest(kind, key, body), body]));
        }
    }

    /// Writes files into a directory that belongs to an entry, and returns their paths. A file that already has this
    /// content and was written after `newer_than` is not written again. Returns `None` if the cache cannot store
    /// them.
    pub(crate) fn unpack(
        &self,
        kind: EntryKind,
        key: &CacheKey,
        files: &[(String, Vec<u8>)],
        newer_than: Stamp,
    ) -> Option<Vec<PathBuf>> {
        let dir = self.private_dir(kind)?.join(format!("{}.files", key.0));
        make_private(&dir)?;
        let mut res = Vec::new();
        for (name, bytes) in files {
            let path = dir.join(name);
            let is_current = newer_than.modified <= Stamp::of(&path).modified;
            if !is_current || read_own(&path).as_ref() != Some(bytes) {
                write_whole(&dir, &path, &[bytes]).ok()?;
            }
            res.push(path);
        }
        Some(res)
    }

    /// Returns the directory of a kind, after making sure that it and its parent are private to this user.
    fn private_dir(&self, kind: EntryKind) -> Option<PathBuf> {
        let all = self.dir.as_ref()?;
        make_private(all)?;
        let dir = all.join(kind.name());
        make_private(&dir)?;
        Some(dir)
    }

    fn path(&self, kind: EntryKind, key: &CacheKey) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(kind.name()).join(&key.0))
    }
}

impl EntryKind {
    fn name(self) -> &'static str {
        match self {
            EntryKind::Agent => "agent",
            EntryKind::Installation => "otp",
            EntryKind::Index => "index",
            EntryKind::Code => "code",
            EntryKind::Rewritten => "rewritten",
            EntryKind::Configuration => "configuration",
            EntryKind::Elixir => "elixir",
        }
    }
}

impl CacheKey {
    pub(crate) fn of(parts: &[&[u8]]) -> CacheKey {
        let mut hash = Sha256::new();
        for part in parts {
            // Each part is hashed with its length, so that different lists of parts have different keys.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        CacheKey(hash.finalize().iter().take(20).map(|it| format!("{it:02x}")).collect())
    }

    pub(crate) fn from_text(text: &str) -> CacheKey {
        CacheKey(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> Stamp {
        let Ok(meta) = fs::metadata(path) else { return Stamp { modified: 0, size: -1 } };
        let modified = meta.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|it| i64::try_from(it.as_nanos()).ok()).unwrap_or(0);
        Stamp { modified, size: i64::try_from(meta.len()).unwrap_or(i64::MAX) }
    }
}

/// Hashes an entry with its kind and key, so that an entry under another name counts as damaged.
fn digest(kind: EntryKind, key: &CacheKey, body: &[u8]) -> [u8; DIGEST] {
    let mut hash = Sha256::new();
    for part in [kind.name().as_bytes(), key.0.as_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(body);
    hash.finalize().into()
}

/// Creates the directory if it is missing, and removes the rights of others to an existing one. Returns `None` if it
/// belongs to another user or is a link.
fn make_private(dir: &Path) -> Option<()> {
    let mut found = fs::symlink_metadata(dir);
    if found.as_ref().is_err_and(|it| it.kind() == io::ErrorKind::NotFound) {
        DirBuilder::new().recursive(true).mode(PRIVATE).create(dir).ok()?;
        found = fs::symlink_metadata(dir);
    }
    let found = found.ok().filter(|it| it.is_dir() && is_ours(it))?;
    if found.mode() & OTHERS != 0 {
        fs::set_permissions(dir, Permissions::from_mode(PRIVATE)).ok()?;
    }
    Some(())
}

/// The mode of a directory that only its owner may enter.
const PRIVATE: u32 = 0o700;
/// The permission bits of the group and of others.
const OTHERS: u32 = 0o077;

fn is_ours(of: &Metadata) -> bool {
    of.uid() == geteuid().as_raw()
}

/// Returns the content of a regular file of this user. Links are not followed, and pipes do not block.
fn read_own(path: &Path) -> Option<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let mut file =
        OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path).ok()?;
    file.metadata().ok().filter(|it| it.is_file() && is_ours(it))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Writes a file atomically, so that readers see the old or the new content. The temporary file has an unpredictable
/// name.
fn write_whole(dir: &Path, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut part = tempfile::Builder::new().prefix(".part-").rand_bytes(16).tempfile_in(dir)?;
    for bytes in parts {
        part.write_all(bytes)?;
    }
    part.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().to_owned()));
        let key = CacheKey::of(&[b"a", b"b"]);
        assert_eq!(cache.read(EntryKind::Code, &key), None);
        cache.write(EntryKind::Code, &key, b"body");
        assert_eq!(cache.read(EntryKind::Code, &key).as_deref(), Some(&b"body"[..]));
        let path = dir.path().join("code").join(key.as_str());
        let mut bytes = fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(cache.read(EntryKind::Code, &key), None, "cut at {cut}");
        }
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.read(EntryKind::Code, &key), None);
        cache.write(EntryKind::Code, &key, b"again");
        assert_eq!(cache.read(EntryKind::Code, &key).as_deref(), Some(&b"again"[..]));
    }

    #[test]
    fn an_entry_under_another_name_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let (mine, other) = (CacheKey::of(&[b"mine"]), CacheKey::of(&[b"other"]));
        cache.write(EntryKind::Code, &mine, b"body");
        let path = |kind: EntryKind, key: &CacheKey| cache.path(kind, key).unwrap();
        fs::copy(path(EntryKind::Code, &mine), path(EntryKind::Code, &other)).unwrap();
        assert_eq!(cache.read(EntryKind::Code, &other), None);
        cache.write(EntryKind::Rewritten, &other, b"what makes the directory");
        fs::copy(path(EntryKind::Code, &mine), path(EntryKind::Rewritten, &mine)).unwrap();
        assert_eq!(cache.read(EntryKind::Rewritten, &mine), None);
        assert_eq!(cache.read(EntryKind::Code, &mine).as_deref(), Some(&b"body"[..]));
    }

    #[test]
    fn directories_are_for_the_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let all = dir.path().join("gimlet");
        let cache = Cache::new(Some(all.clone()));
        let key = CacheKey::of(&[b"a"]);
        cache.write(EntryKind::Code, &key, b"body");
        let mode = |of: &Path| fs::metadata(of).unwrap().mode() & 0o777;
        assert_eq!((mode(&all), mode(&all.join("code"))), (0o700, 0o700));
        assert_eq!(mode(&all.join("code").join(key.as_str())), 0o600);
        // A directory that was open to others is made private.
        fs::set_permissions(&all, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(cache.read(EntryKind::Code, &key).as_deref(), Some(&b"body"[..]));
        assert_eq!(mode(&all), 0o700);
    }

    /// Only root can give a file to another user; for other users this test checks nothing.
    #[test]
    fn what_another_user_wrote_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let key = CacheKey::of(&[b"a"]);
        cache.write(EntryKind::Code, &key, b"body");
        let give_away = |path: &Path| std::os::unix::fs::chown(path, Some(65_534), None).is_ok();
        if give_away(&cache.path(EntryKind::Code, &key).unwrap()) {
            assert_eq!(cache.read(EntryKind::Code, &key), None);
            cache.write(EntryKind::Code, &key, b"again");
            assert_eq!(cache.read(EntryKind::Code, &key).as_deref(), Some(&b"again"[..]));
            assert!(give_away(&dir.path().join("gimlet/code")));
            assert_eq!(cache.read(EntryKind::Code, &key), None);
        }
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let key = CacheKey::of(&[b"a"]);
        cache.write(EntryKind::Code, &key, b"body");
        let entry = cache.path(EntryKind::Code, &key).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        fs::rename(&entry, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &entry).unwrap();
        assert_eq!(cache.read(EntryKind::Code, &key), None);
        // The file is replaced; the link is not written through.
        let before = fs::read(&elsewhere).unwrap();
        cache.write(EntryKind::Code, &key, b"again");
        assert_eq!(cache.read(EntryKind::Code, &key).as_deref(), Some(&b"again"[..]));
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
        let linked = dir.path().join("linked");
        std::os::unix::fs::symlink(dir.path().join("gimlet"), &linked).unwrap();
        assert_eq!(Cache::new(Some(linked)).read(EntryKind::Code, &key), None);
    }

    #[test]
    fn keys_tell_their_parts_apart() {
        assert_ne!(CacheKey::of(&[b"ab", b"c"]), CacheKey::of(&[b"a", b"bc"]));
    }
}
