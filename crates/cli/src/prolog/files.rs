//! Where Prolog text comes from: the user's files, and the library of an installed SWI-Prolog.

use prolog::{File, Library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Whether a target is Prolog source.
pub(crate) fn is_prolog(target: &str) -> bool {
    let extension = Path::new(target).extension().and_then(|it| it.to_str());
    matches!(extension, Some("pl" | "plt" | "pro" | "prolog"))
}

/// Files as they are named by programs.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// `None`: SWI-Prolog is not installed.
    pub(crate) library: Option<PathBuf>,
}

impl Files {
    /// Finds the installed library.
    pub(crate) fn find() -> Files {
        let home = env::var_os("SWI_HOME_DIR").map(PathBuf::from);
        let usual = USUAL_HOMES.iter().map(PathBuf::from);
        let is_library =
            |it: &PathBuf| it.join("INDEX.pl").is_file() || it.join("lists.pl").is_file();
        let library = home.into_iter().chain(usual).map(|it| it.join("library")).find(is_library);
        Files { library: library.or_else(|| asked_home().map(|it| it.join("library"))) }
    }
}

const USUAL_HOMES: &[&str] =
    &["/usr/lib/swi-prolog", "/usr/lib/swipl", "/usr/local/lib/swipl", "/usr/lib64/swipl"];

/// What SWI-Prolog itself says.
fn asked_home() -> Option<PathBuf> {
    let out = Command::new("swipl").arg("--dump-runtime-variables").output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = text.lines().find_map(|it| it.strip_prefix("PLBASE="))?;
    Some(PathBuf::from(line.trim_end_matches(';').trim_matches('"')))
}

impl Library for Files {
    fn library(&mut self, name: &str) -> Option<File> {
        // Constraint libraries are found without their directory.
        let library = self.library.as_ref()?;
        ["", "clp/"].iter().find_map(|it| read(&library.join(format!("{it}{name}.pl"))))
    }

    fn file(&mut self, name: &str, from: &str) -> Option<File> {
        let dir = Path::new(from).parent()?;
        ["", ".pl", ".prolog"].iter().find_map(|it| read(&dir.join(format!("{name}{it}"))))
    }
}

pub(crate) fn read(path: &Path) -> Option<File> {
    if !path.is_file() {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Old sources are Latin-1.
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    };
    Some(File { path: path.display().to_string(), text })
}
