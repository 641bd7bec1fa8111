//! Bytes kept between runs, each under a kind and a key.
//!
//! A cache only saves time: what cannot be written is not kept, what is damaged counts as absent
//! and is written anew. Whoever can write here decides what our runtime loads, so only what this user
//! wrote is read, in directories that nobody else may enter. Does not know what the bytes mean.

use rustix::fs::OFlags;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const MAGIC: &[u8; 8] = b"gimlet2\n";
/// The length of a digest by SHA-256.
const DIGEST: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    dir: Option<PathBuf>,
}

/// What an entry is for; each kind has a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The compiled agent.
    Agent,
    /// What an OTP installation said about itself.
    Installation,
    /// From a file to the content it had when it was loaded.
    Index,
    /// Loaded modules by content.
    Code,
    /// Modules that were rewritten and compiled, by what was compiled.
    Rewritten,
    /// What the configuration of a mix project says, by its files.
    Configuration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

/// What tells one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Negative if there is no such file.
    pub(crate) size: i64,
}

impl Cache {
    /// Keeps nothing if there is no directory.
    pub(crate) fn new(dir: Option<PathBuf>) -> Cache {
        Cache { dir }
    }

    pub(crate) fn read(&self, kind: Kind, key: &Key) -> Option<Vec<u8>> {
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

    pub(crate) fn write(&self, kind: Kind, key: &Key, body: &[u8]) {
        if let (Some(path), Some(dir)) = (self.path(kind, key), self.private_dir(kind)) {
            // A full disk or a read-only home costs the next run its time, nothing else.
            drop(write_whole(&dir, &path, &[MAGIC, &digest(kind, key, body), body]));
        }
    }

    /// The directory of a kind, once it and the one that it is in are ours alone.
    fn private_dir(&self, kind: Kind) -> Option<PathBuf> {
        let all = self.dir.as_ref()?;
        make_private(all)?;
        let dir = all.join(kind.name());
        make_private(&dir)?;
        Some(dir)
    }

    fn path(&self, kind: Kind, key: &Key) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(kind.name()).join(&key.0))
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Installation => "otp",
            Kind::Index => "index",
            Kind::Code => "code",
            Kind::Rewritten => "rewritten",
            Kind::Configuration => "configuration",
        }
    }
}

impl Key {
    pub(crate) fn of(parts: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            // With its length, so that no two lists of parts run together.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().iter().take(20).map(|it| format!("{it:02x}")).collect())
    }

    pub(crate) fn from_text(text: &str) -> Key {
        Key(text.to_owned())
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

/// An entry under another name is damaged too.
fn digest(kind: Kind, key: &Key, body: &[u8]) -> [u8; DIGEST] {
    let mut hash = Sha256::new();
    for part in [kind.name().as_bytes(), key.0.as_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(body);
    hash.finalize().into()
}

/// Makes the directory if it is not there, and keeps others out of one that is. `None` if it is another
/// user's, or a link.
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

/// For the owner alone.
const PRIVATE: u32 = 0o700;
/// What a group and others may do.
const OTHERS: u32 = 0o077;

fn is_ours(of: &Metadata) -> bool {
    of.uid() == geteuid().as_raw()
}

/// The content of a regular file of this user's. A link is not followed, and a pipe not waited for.
fn read_own(path: &Path) -> Option<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let mut file =
        OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path).ok()?;
    file.metadata().ok().filter(|it| it.is_file() && is_ours(it))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Readers see the old file or the new one, never a part. The part has a name that nobody can foresee.
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
        let key = Key::of(&[b"a", b"b"]);
        assert_eq!(cache.read(Kind::Code, &key), None);
        cache.write(Kind::Code, &key, b"body");
        assert_eq!(cache.read(Kind::Code, &key).as_deref(), Some(&b"body"[..]));
        let path = dir.path().join("code").join(key.as_str());
        let mut bytes = fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(cache.read(Kind::Code, &key), None, "cut at {cut}");
        }
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.read(Kind::Code, &key), None);
        cache.write(Kind::Code, &key, b"again");
        assert_eq!(cache.read(Kind::Code, &key).as_deref(), Some(&b"again"[..]));
    }

    #[test]
    fn an_entry_under_another_name_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let (mine, other) = (Key::of(&[b"mine"]), Key::of(&[b"other"]));
        cache.write(Kind::Code, &mine, b"body");
        let path = |kind: Kind, key: &Key| cache.path(kind, key).unwrap();
        fs::copy(path(Kind::Code, &mine), path(Kind::Code, &other)).unwrap();
        assert_eq!(cache.read(Kind::Code, &other), None);
        cache.write(Kind::Rewritten, &other, b"what makes the directory");
        fs::copy(path(Kind::Code, &mine), path(Kind::Rewritten, &mine)).unwrap();
        assert_eq!(cache.read(Kind::Rewritten, &mine), None);
        assert_eq!(cache.read(Kind::Code, &mine).as_deref(), Some(&b"body"[..]));
    }

    #[test]
    fn directories_are_for_the_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let all = dir.path().join("gimlet");
        let cache = Cache::new(Some(all.clone()));
        let key = Key::of(&[b"a"]);
        cache.write(Kind::Code, &key, b"body");
        let mode = |of: &Path| fs::metadata(of).unwrap().mode() & 0o777;
        assert_eq!((mode(&all), mode(&all.join("code"))), (0o700, 0o700));
        assert_eq!(mode(&all.join("code").join(key.as_str())), 0o600);
        // One that was left open is closed.
        fs::set_permissions(&all, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(cache.read(Kind::Code, &key).as_deref(), Some(&b"body"[..]));
        assert_eq!(mode(&all), 0o700);
    }

    /// Only root can give a file away; for others there is nothing to try.
    #[test]
    fn what_another_user_wrote_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let key = Key::of(&[b"a"]);
        cache.write(Kind::Code, &key, b"body");
        let give_away = |path: &Path| std::os::unix::fs::chown(path, Some(65_534), None).is_ok();
        if give_away(&cache.path(Kind::Code, &key).unwrap()) {
            assert_eq!(cache.read(Kind::Code, &key), None);
            cache.write(Kind::Code, &key, b"again");
            assert_eq!(cache.read(Kind::Code, &key).as_deref(), Some(&b"again"[..]));
            assert!(give_away(&dir.path().join("gimlet/code")));
            assert_eq!(cache.read(Kind::Code, &key), None);
        }
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(dir.path().join("gimlet")));
        let key = Key::of(&[b"a"]);
        cache.write(Kind::Code, &key, b"body");
        let entry = cache.path(Kind::Code, &key).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        fs::rename(&entry, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &entry).unwrap();
        assert_eq!(cache.read(Kind::Code, &key), None);
        // Written anew in place of the link, not through it.
        let before = fs::read(&elsewhere).unwrap();
        cache.write(Kind::Code, &key, b"again");
        assert_eq!(cache.read(Kind::Code, &key).as_deref(), Some(&b"again"[..]));
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
        let linked = dir.path().join("linked");
        std::os::unix::fs::symlink(dir.path().join("gimlet"), &linked).unwrap();
        assert_eq!(Cache::new(Some(linked)).read(Kind::Code, &key), None);
    }

    #[test]
    fn keys_tell_their_parts_apart() {
        assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
    }
}
