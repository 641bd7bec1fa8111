//! The code path: the list that `code:get_path/0` returns, and the functions that change it.
//!
//! The host searches the path. A program that may use files may change the path for the rest of its run.

use crate::builtins::arithmetic::arg;
use crate::builtins::files;
use crate::builtins::make::{atom, string};
use crate::builtins::{Builtin, Effect, Fault, OnBeam, Run, Shares, inside, reaching};
use crate::machine::World;
use trace::Mode;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside("code", "get_path", 0, Shares::CodePath(Mode::Read), OnBeam::Alike, |w, _| {
        let path: Vec<Value> = shown(w).iter().map(|it| string(w, it)).collect();
        Ok(w.heap.list(&path))
    })
    .environment(),
    change("add_path", 1, |w, args| add(w, arg(args, 0), PathEnd::Last)),
    change("add_path", 2, |w, args| add(w, arg(args, 0), PathEnd::Last)),
    change("add_pathz", 1, |w, args| add(w, arg(args, 0), PathEnd::Last)),
    change("add_pathz", 2, |w, args| add(w, arg(args, 0), PathEnd::Last)),
    change("add_patha", 1, |w, args| add(w, arg(args, 0), PathEnd::First)),
    change("add_patha", 2, |w, args| add(w, arg(args, 0), PathEnd::First)),
    change("add_paths", 1, |w, args| add_all(w, arg(args, 0), PathEnd::Last)),
    change("add_pathsz", 1, |w, args| add_all(w, arg(args, 0), PathEnd::Last)),
    change("add_pathsa", 1, |w, args| add_all(w, arg(args, 0), PathEnd::First)),
    change("del_path", 1, remove),
    change("set_path", 1, set),
    change("set_path", 2, set),
];

const fn change(name: &'static str, arity: u8, run: Run) -> Builtin {
    let shares = Shares::CodePath(Mode::Write);
    reaching((Effect::Files, shares, OnBeam::Never), "code", name, arity, run)
}

#[derive(Debug, Default)]
pub struct CodePath {
    /// The directory where the runtime is installed.
    pub(crate) root: String,
    /// The path at the beginning of every run.
    pub(crate) initial: Vec<String>,
    pub(crate) chosen: Option<Vec<String>>,
}

impl CodePath {
    /// Whether a file is in a directory of the initial path.
    pub(crate) fn is_initial(&self, file: &str) -> bool {
        let dir = file.rsplit_once('/').map_or("", |it| it.0);
        // The modules of the runtime system itself are in no directory of the path.
        self.initial.iter().any(|it| it == dir) || dir.contains("/erts-")
    }
}

/// Returns the current path with relative directories made absolute.
pub(crate) fn absolute(w: &mut World) -> Vec<String> {
    let here = files::current_dir(w).unwrap_or_default();
    let whole = |dir: String| match dir.as_str() {
        _ if dir.starts_with('/') => dir,
        "." => here.clone(),
        _ => format!("{here}/{dir}"),
    };
    shown(w).into_iter().map(whole).collect()
}

fn shown(w: &World) -> Vec<String> {
    match &w.code_path.chosen {
        Some(chosen) => chosen.clone(),
        None => {
            std::iter::once(".".to_owned()).chain(w.code_path.initial.iter().cloned()).collect()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
    First,
    Last,
}

fn add(w: &mut World, dir: Value, end: PathEnd) -> Result<Value, Fault> {
    let Some(dir) = directory(w, dir).filter(|it| files::is_dir(w, it)) else {
        return Ok(error(w, "bad_directory"));
    };
    insert(w, dir, end);
    Ok(Value::TRUE)
}

/// Adds all directories; names that are not directories are ignored.
fn add_all(w: &mut World, dirs: Value, end: PathEnd) -> Result<Value, Fault> {
    let function_clause = Fault::Plain(Value::atom(AtomId::FUNCTION_CLAUSE));
    let mut dirs = w.heap.list_items(dirs).ok_or(function_clause)?;
    if end == PathEnd::First {
        dirs.reverse();
    }
    for dir in dirs {
        add(w, dir, end)?;
    }
    Ok(Value::atom(AtomId::OK))
}

fn insert(w: &mut World, dir: String, end: PathEnd) {
    let mut path = shown(w);
    match end {
        PathEnd::First => {
            path.retain(|it| *it != dir);
            path.insert(0, dir);
        }
        PathEnd::Last if path.contains(&dir) => (),
        PathEnd::Last => path.push(dir),
    }
    choose(w, path);
}

/// Removes a directory, given by its name or by the name of its application.
fn remove(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(dir) = directory(w, arg(args, 0)) else { return Ok(error(w, "bad_name")) };
    let mut path = shown(w);
    let Some(place) = path.iter().position(|it| *it == dir || application(it) == dir) else {
        return Ok(Value::FALSE);
    };
    path.remove(place);
    choose(w, path);
    Ok(Value::TRUE)
}

/// Returns the application of a directory: `kernel` for `/usr/lib/erlang/lib/kernel-8.5/ebin`.
fn application(dir: &str) -> &str {
    let top = dir.strip_suffix("/ebin").unwrap_or(dir);
    let name = top.rsplit('/').next().unwrap_or(top);
    name.split('-').next().unwrap_or(name)
}

fn set(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(dirs) = w.heap.list_items(arg(args, 0)) else {
        return Ok(error(w, "bad_path"));
    };
    let mut path = Vec::new();
    for dir in dirs {
        let Some(dir) = directory(w, dir).filter(|it| files::is_dir(w, it)) else {
            return Ok(error(w, "bad_directory"));
        };
        path.push(dir);
    }
    choose(w, path);
    Ok(Value::TRUE)
}

fn choose(w: &mut World, path: Vec<String>) {
    w.code_path.chosen = Some(path);
    w.missing.clear();
}

/// Reads a directory name, an atom or a list of characters, without slashes at its end.
fn directory(w: &World, dir: Value) -> Option<String> {
    if let Some(name) = dir.as_atom() {
        return Some(w.atoms.name(name).to_owned());
    }
    let chars = w.heap.list_items(dir)?;
    let char_of = |it: Value| u32::try_from(it.as_int()?).ok().and_then(char::from_u32);
    let text: String = chars.into_iter().map(char_of).collect::<Option<_>>()?;
    let trimmed = text.trim_end_matches('/');
    Some(if trimmed.is_empty() { text } else { trimmed.to_owned() })
}

fn error(w: &mut World, reason: &str) -> Value {
    let reason = atom(w, reason);
    w.heap.tuple(&[Value::atom(AtomId::ERROR), reason])
}
