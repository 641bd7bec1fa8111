//! Finds the modules of an installed Elixir.

use std::path::PathBuf;
use std::{env, fs};

/// Returns the directories of Elixir's compiled modules; `None` if Elixir is not installed.
pub fn elixir_libraries() -> Option<Vec<PathBuf>> {
    let libraries = fs::read_dir(home()?).ok()?;
    let mut res: Vec<PathBuf> =
        libraries.flatten().map(|it| it.path().join("ebin")).filter(|it| it.is_dir()).collect();
    res.sort();
    Some(res)
}

/// Returns the directory of Elixir's libraries, which is next to the directory of the `elixir` command.
pub(crate) fn home() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let command = env::split_paths(&path).map(|it| it.join("elixir")).find(|it| it.is_file())?;
    let command = fs::canonicalize(command).ok()?;
    let home = command.parent()?.parent()?.join("lib");
    home.join("elixir").join("ebin").is_dir().then_some(home)
}
