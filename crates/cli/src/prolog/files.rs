//! The sources of Prolog text: the user's files, and the library of an installed SWI-Prolog.

use prolog::{File, Library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Whether a target is a Prolog source, or a directory that contains some and is no project of another language.
pub(crate) fn is_prolog(target: &str) -> bool {
    let path = Path::new(target);
    has_prolog_name(path) || path.is_dir() && !is_beam_project(path) && !sources_in(path).is_empty()
}

fn has_prolog_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    matches!(extension, Some("pl" | "plt" | "pro" | "prolog"))
}

fn is_beam_project(dir: &Path) -> bool {
    let has = |name: &str| dir.join(name).exists();
    let is_beam = |it: fs::DirEntry| it.path().extension().is_some_and(|it| it == "beam");
    BEAM_PROJECT.iter().any(|it| has(it))
        || fs::read_dir(dir).is_ok_and(|it| it.flatten().any(is_beam))
}

const BEAM_PROJECT: &[&str] =
    &["rebar.config", "mix.exs", "gleam.toml", "erlang.mk", "ebin", "_build"];
/// Names of directories that contain no programs.
const NO_SOURCES: &[&str] =
    &["t", "test", "tests", "_build", "deps", "node_modules", "target", "doc"];
/// The maximum depth of directories, and the maximum number of files of one target.
const MAX_DEPTH: usize = 8;
const MAX_FILES: usize = 2_000;

/// Finds the programs in a directory and its subdirectories, without tests and pack descriptions.
pub(crate) fn sources_in(dir: &Path) -> Vec<PathBuf> {
    let mut res = Vec::new();
    let mut todo = vec![(dir.to_owned(), 0)];
    while let Some((dir, depth)) = todo.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let is_hidden = name.starts_with('.');
            if path.is_dir() && !is_hidden && depth < MAX_DEPTH && !NO_SOURCES.contains(&&*name) {
                todo.push((path, depth + 1));
            } else if is_program(&path) && !is_hidden && res.len() < MAX_FILES {
                res.push(path);
            }
        }
    }
    res.sort();
    res
}

/// Whether a file is a program. Test files, pack descriptions and Perl programs may have the same extensions.
fn is_program(path: &Path) -> bool {
    if !has_prolog_name(path) || path.extension().is_some_and(|it| it == "plt") || !path.is_file() {
        return false;
    }
    let Ok(text) = fs::read(path) else { return false };
    let text = String::from_utf8_lossy(&text);
    let first = text.lines().next().unwrap_or_default();
    let is_perl = first.starts_with("#!") && first.contains("perl") || text.contains("use strict;");
    let is_pack = path.file_name().is_some_and(|it| it == "pack.pl")
        && text.lines().any(|it| it.trim_start().starts_with("name("));
    !is_perl && !is_pack
}

/// Replaces each directory among the targets by its programs.
pub(crate) fn expanded(targets: &[String]) -> Vec<String> {
    let of = |it: &String| {
        let path = Path::new(it);
        match path.is_dir() {
            true => sources_in(path).iter().map(|it| it.display().to_string()).collect(),
            false => vec![it.clone()],
        }
    };
    targets.iter().flat_map(of).collect()
}

/// Looks files up by the names that programs use.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// The directory of the library; `None` if SWI-Prolog is not installed.
    pub(crate) library: Option<PathBuf>,
}

impl Files {
    /// Finds the library of an installed SWI-Prolog.
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

/// Asks SWI-Prolog for its home directory.
fn asked_home() -> Option<PathBuf> {
    let out = Command::new("swipl").arg("--dump-runtime-variables").output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = text.lines().find_map(|it| it.strip_prefix("PLBASE="))?;
    Some(PathBuf::from(line.trim_end_matches(';').trim_matches('"')))
}

impl Library for Files {
    fn library(&mut self, name: &str) -> Option<File> {
        // Libraries of constraints are in a subdirectory.
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
