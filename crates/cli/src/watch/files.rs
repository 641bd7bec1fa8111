//! Selects the directories to watch, and the changes in them that start a new round.

use crate::args::Test;
use crate::asked::find_config;
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecursiveMode};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Extensions of files that influence what is tested: sources, files of build tools, and our own configuration.
const SOURCES: &[&str] = &[
    "erl", "hrl", "yrl", "xrl", "ex", "exs", "gleam", "pl", "pro", "prolog", "src", "config",
    "toml",
];
/// Directories that build tools and version control write to; changes in them are ignored.
const WRITTEN: &[&str] = &["_build", "build", "deps", ".git", ".gimlet", ".elixir_ls", "ebin"];

/// The directories to watch.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) dirs: BTreeMap<PathBuf, RecursiveMode>,
    /// Targets that are directories of compiled modules.
    compiled: Vec<PathBuf>,
    /// Files and directories that a round writes; changes in them are ignored.
    outputs: Vec<PathBuf>,
}

/// Files that changed at about the same time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    paths: BTreeSet<PathBuf>,
}

impl Files {
    pub(super) fn of(test: &Test) -> Files {
        let mut res = Files { dirs: BTreeMap::new(), compiled: Vec::new(), outputs: Vec::new() };
        for target in &test.targets {
            let Ok(path) = Path::new(target).canonicalize() else { continue };
            if !path.is_dir() {
                res.add_parent(&path);
                continue;
            }
            if is_compiled(&path) {
                res.compiled.push(path.clone());
            }
            res.dirs.insert(path, RecursiveMode::Recursive);
        }
        let config = test.config.clone().or_else(|| find_config(&test.targets));
        if let Some(config) =
            config.and_then(|it| it.canonicalize().ok()).filter(|_| !test.no_config)
        {
            res.add_parent(&config);
        }
        let here = std::env::current_dir().unwrap_or_default();
        let reports = test.report.iter().map(|it| &it.file);
        res.outputs = test.out.iter().chain(reports).map(|it| here.join(it)).collect();
        res
    }

    fn add_parent(&mut self, file: &Path) {
        if let Some(dir) = file.parent() {
            self.dirs.entry(dir.to_owned()).or_insert(RecursiveMode::NonRecursive);
        }
    }

    /// Returns the watched files that an event changed. `None` for events that change no contents, such as reads.
    pub(super) fn change(&self, event: &notify::Result<Event>) -> Option<Change> {
        let event = event.as_ref().ok()?;
        let is_change = match event.kind {
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any => true,
            EventKind::Modify(how) => !matches!(how, ModifyKind::Metadata(_)),
            EventKind::Access(_) | EventKind::Other => false,
        };
        let paths: BTreeSet<PathBuf> =
            event.paths.iter().filter(|it| is_change && self.counts(it)).cloned().collect();
        (!paths.is_empty()).then_some(Change { paths })
    }

    fn counts(&self, path: &Path) -> bool {
        if self.outputs.iter().any(|it| path.starts_with(it)) {
            return false;
        }
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if self.compiled.iter().any(|it| path.parent() == Some(it)) {
            return extension == "beam";
        }
        let root = self
            .dirs
            .keys()
            .filter(|it| path.starts_with(it))
            .max_by_key(|it| it.as_os_str().len());
        let below = root.and_then(|it| path.strip_prefix(it).ok()).unwrap_or(path);
        let mut parts = below.components().filter_map(|it| it.as_os_str().to_str());
        // Backups and lock files of editors begin with a dot or a hash, or have another extension.
        let is_kept = |it: &str| it.starts_with(['.', '#']);
        SOURCES.contains(&extension)
            && !parts.clone().any(|it| WRITTEN.contains(&it))
            && !parts.next_back().is_some_and(is_kept)
    }

    /// The watched directories relative to the current directory, for messages.
    pub(super) fn title(&self) -> String {
        let names: Vec<String> = self.dirs.keys().map(|it| shown(it)).collect();
        names.join(", ")
    }
}

impl Change {
    pub(super) fn join(&mut self, other: Change) {
        self.paths.extend(other.paths);
    }

    pub(super) fn title(&self) -> String {
        let first = self.paths.first().map(|it| shown(it)).unwrap_or_default();
        match self.paths.len() {
            0 | 1 => first,
            many => format!("{first} and {} more", many - 1),
        }
    }
}

/// Whether a directory contains compiled modules itself, as opposed to a project's root.
fn is_compiled(dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|it| it.path()).any(|it| it.extension() == Some(OsStr::new("beam")))
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|it| it.canonicalize()).unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Files;
    use notify::event::{AccessKind, CreateKind, EventKind};
    use notify::{Event, RecursiveMode};
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    #[test]
    fn only_sources_count() {
        let dirs = BTreeMap::from([(PathBuf::from("/p"), RecursiveMode::Recursive)]);
        let files =
            Files { dirs, compiled: vec!["/p/out".into()], outputs: vec!["/p/gimlet".into()] };
        let counts = |kind: EventKind, path: &str| {
            files.change(&Ok(Event::new(kind).add_path(PathBuf::from(path)))).is_some()
        };
        let is_seen = |path: &str| counts(EventKind::Create(CreateKind::File), path);
        for path in
            ["/p/src/a.erl", "/p/lib/a.ex", "/p/gimlet.toml", "/p/out/a.beam", "/p/rebar.config"]
        {
            assert!(is_seen(path), "{path}");
        }
        for path in [
            "/p/_build/lib/a.erl",
            "/p/src/.a.erl.swp",
            "/p/src/.#a.erl",
            "/p/gimlet/a_gimlet_tests.erl",
            "/p/a.beam",
        ] {
            assert!(!is_seen(path), "{path}");
        }
        assert!(!counts(EventKind::Access(AccessKind::Any), "/p/src/a.erl"));
        assert!(Path::new("/p").is_absolute());
    }
}
