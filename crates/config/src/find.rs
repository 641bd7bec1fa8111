//! The location of a project's configuration file.
//!
//! The caller says which files exist, since this crate does not access the disk.

use std::path::{Path, PathBuf};

/// The name of the configuration file.
pub const FILE_NAME: &str = "gimlet.toml";

/// Returns the first `gimlet.toml` in a directory or those above it. The search ends after the root of a repository (a
/// directory with `.git`). `start` is an absolute path.
pub fn find(start: &Path, exists: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    for dir in start.ancestors() {
        let file = dir.join(FILE_NAME);
        if exists(&file) {
            return Some(file);
        }
        if exists(&dir.join(".git")) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::path::{Path, PathBuf};

    #[track_caller]
    fn check(start: &str, files: &[&str], expected: Option<&str>) {
        let found = find(Path::new(start), |it| files.iter().any(|file| it == Path::new(file)));
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn the_nearest_file_above() {
        let both = ["/p/gimlet.toml", "/p/apps/a/gimlet.toml"];
        check("/p/apps/a/src", &both, Some("/p/apps/a/gimlet.toml"));
        check("/p/apps/b/src", &both, Some("/p/gimlet.toml"));
        check("/p", &both, Some("/p/gimlet.toml"));
        check("/other", &both, None);
    }

    #[test]
    fn a_repository_ends_the_search() {
        check("/home/p/src", &["/home/gimlet.toml", "/home/p/.git"], None);
        check("/home/p/src", &["/home/p/gimlet.toml", "/home/p/.git"], Some("/home/p/gimlet.toml"));
    }
}
