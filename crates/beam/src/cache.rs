//! Bytes kept between runs, each under a kind and a key.
//!
//! A cache only saves time: what cannot be written is not kept, what is damaged counts as absent
//! and is written anew. Does not know what the bytes mean.

use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::UNIX_EPOCH;

const MAGIC: &[u8; 8] = b"gimlet1\n";

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
        let mut bytes = fs::read(self.path(kind, key)?).ok()?;
        let header = MAGIC.len() + 4;
        let (magic, rest) = bytes.split_first_chunk()?;
        let (checksum, body) = rest.split_first_chunk()?;
        if magic != MAGIC || u32::from_le_bytes(*checksum) != crc(body) {
            return None;
        }
        bytes.drain(..header);
        Some(bytes)
    }

    pub(crate) fn write(&self, kind: Kind, key: &Key, body: &[u8]) {
        if let Some(path) = self.path(kind, key) {
            // A full disk or a read-only home costs the next run its time, nothing else.
            drop(write_whole(&path, body));
        }
    }

    fn path(&self, kind: Kind, key: &Key) -> Option<PathBuf> {
        let kind = match kind {
            Kind::Agent => "agent",
            Kind::Installation => "otp",
            Kind::Index => "index",
            Kind::Code => "code",
            Kind::Rewritten => "rewritten",
        };
        Some(self.dir.as_ref()?.join(kind).join(&key.0))
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

/// Readers see the old file or the new one, never a part.
fn write_whole(path: &Path, body: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let unique = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = dir.join(format!(".{}-{unique}.part", std::process::id()));
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&crc(body).to_le_bytes())?;
        file.write_all(body)
    });
    match written {
        Ok(()) => fs::rename(&part, path),
        Err(why) => {
            fs::remove_file(&part)?;
            Err(why)
        }
    }
}

fn crc(body: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(body);
    crc.sum()
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
    fn keys_tell_their_parts_apart() {
        assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
    }
}
