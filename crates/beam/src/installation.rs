//! The installed OTP and Elixir: versions and directories with code.
//!
//! The runtime is asked once and the answer is cached, so that later runs need not start it.

use crate::cache::{CacheKey, Stamp};
use crate::confinement::library_paths;
use crate::peer::path_term;
use erlang::HostError;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use term::{Term, etf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The release, such as `25`.
    pub release: String,
    /// The full version of OTP, such as `25.2.3`.
    pub otp_version: String,
    /// The version of the runtime system, such as `13.1.5`.
    pub erts_version: String,
    pub root: PathBuf,
    /// The `ebin` directories of OTP's applications.
    pub code_paths: Vec<PathBuf>,
}

impl Installation {
    /// Reads the answer of the agent's request `info`.
    pub fn from_term(term: &Term) -> Option<Installation> {
        let [_, info] = term.as_tuple()? else { return None };
        let [release, otp, erts, root, paths] = info.as_tuple()? else { return None };
        Some(Installation {
            release: text(release)?,
            otp_version: text(otp)?,
            erts_version: text(erts)?,
            root: PathBuf::from(text(root)?),
            code_paths: paths
                .as_list()?
                .iter()
                .map(|it| text(it).map(PathBuf::from))
                .collect::<Option<Vec<_>>>()?,
        })
    }

    /// Returns the term that [`Installation::from_term`] reads.
    pub fn to_term(&self) -> Term {
        let text = |it: &str| Term::binary(it.as_bytes().to_vec());
        let paths = self.code_paths.iter().map(|it| path_term(it)).collect();
        let info = Term::Tuple(vec![
            text(&self.release),
            text(&self.otp_version),
            text(&self.erts_version),
            path_term(&self.root),
            Term::proper_list(paths),
        ]);
        Term::Tuple(vec![Term::atom("info"), info])
    }

    /// Returns a term for the cache, with the modification times of the directories that hold applications.
    pub(crate) fn stamped(&self) -> Term {
        let stamps = self.shelves().into_iter().map(|it| {
            let modified = Term::Int(Stamp::of(&it).modified);
            Term::Tuple(vec![path_term(&it), modified])
        });
        Term::Tuple(vec![self.to_term(), Term::proper_list(stamps.collect())])
    }

    /// Reads a cached term; `None` if an application was installed or removed since.
    pub(crate) fn still_there(bytes: &[u8]) -> Option<Installation> {
        let Term::Tuple(parts) = etf::decode(bytes).ok()? else { return None };
        let [info, stamps] = parts.as_slice() else { return None };
        let is_as_before = |it: &Term| {
            let [path, modified] = it.as_tuple()? else { return None };
            Some(Stamp::of(Path::new(&text(path)?)).modified == modified.as_int()?)
        };
        let is_same = stamps.as_list()?.iter().all(|it| is_as_before(it) == Some(true));
        Installation::from_term(info).filter(|it| is_same && it.root.is_dir())
    }

    /// Returns the directories that hold applications.
    fn shelves(&self) -> BTreeSet<PathBuf> {
        let apps = self.code_paths.iter().filter_map(|it| it.ancestors().nth(2));
        apps.map(Path::to_owned).chain([self.root.join("lib")]).chain(library_paths()).collect()
    }
}

fn text(term: &Term) -> Option<String> {
    String::from_utf8(term.as_bytes()?.to_vec()).ok()
}

/// Finds an executable by its name or path.
pub(crate) fn find_executable(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file())
}

pub(crate) fn find_erl(name: &Path) -> Result<PathBuf, HostError> {
    find_executable(name).ok_or_else(|| {
        let name = name.display();
        HostError::Lost(format!(
            "there is no {name} on the PATH; install Erlang/OTP (Debian: erlang-nox erlang-dev)"
        ))
    })
}

/// Returns a key for an executable `erl` and everything that decides which OTP it starts.
pub(crate) fn identity(erl: &Path) -> CacheKey {
    let real = erl.canonicalize().unwrap_or_else(|_| erl.to_owned());
    let stamp = Stamp::of(&real);
    let libs = std::env::var_os("ERL_LIBS").unwrap_or_default();
    // The scripts of version managers choose OTP by the current directory.
    let inside_otp = real.ancestors().nth(2).is_some_and(|it| it.join("releases").is_dir());
    let dir = if inside_otp { PathBuf::new() } else { std::env::current_dir().unwrap_or_default() };
    CacheKey::of(&[
        real.as_os_str().as_encoded_bytes(),
        &stamp.modified.to_le_bytes(),
        &stamp.size.to_le_bytes(),
        libs.as_encoded_bytes(),
        dir.as_os_str().as_encoded_bytes(),
    ])
}

/// Returns the `ebin` directories of Elixir, found relative to its executable.
pub(crate) fn elixir_paths(name: &Path) -> Vec<PathBuf> {
    let found = find_executable(name).and_then(|it| it.canonicalize().ok());
    let beside = found.and_then(|it| it.ancestors().nth(2).map(Path::to_owned));
    let usual = ["/usr/lib/elixir", "/usr/local/lib/elixir"].map(PathBuf::from);
    let root = beside.into_iter().chain(usual).find(|it| it.join("lib/elixir/ebin").is_dir());
    root.map(|it| ebin_dirs(&it.join("lib"))).unwrap_or_default()
}

/// Returns the `ebin` directories of all applications in a directory, sorted by name.
pub(crate) fn ebin_dirs(lib: &Path) -> Vec<PathBuf> {
    let mut dirs = entries(lib);
    dirs.retain_mut(|it| {
        it.push(OsStr::new("ebin"));
        it.is_dir()
    });
    dirs
}

/// Returns the sorted entries of a directory; none if it cannot be read.
pub(crate) fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_installation_is_asked_again_once_an_application_came_or_went() {
        let dir = tempfile::tempdir().unwrap();
        let ebin = dir.path().join("lib/stdlib-1/ebin");
        fs::create_dir_all(&ebin).unwrap();
        let found = Installation {
            release: "25".to_owned(),
            otp_version: "25.1".to_owned(),
            erts_version: "13".to_owned(),
            root: dir.path().to_owned(),
            code_paths: vec![ebin],
        };
        let kept = etf::encode(&found.stamped()).unwrap();
        assert_eq!(Installation::still_there(&kept), Some(found));
        let new = dir.path().join("lib/common_test-1");
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::create_dir_all(new.join("ebin")).unwrap();
        assert_eq!(Installation::still_there(&kept), None);
    }
}
