//! What `.app` files say of applications, and those that every Elixir system runs.

use crate::otp::Otp;
use erlang::{Host, Running};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use term::{Atom, Term, read_term};

/// What `elixir` and `mix` start before anything else.
const STARTED: &[&str] = &["elixir", "logger"];

impl Otp {
    /// Lets Elixir run, with the applications loaded whose compiled modules these directories hold.
    pub fn run_elixir<'p>(&mut self, own: impl IntoIterator<Item = &'p PathBuf>) {
        let mut loaded = Vec::new();
        let files: Vec<_> = STARTED.iter().map(|it| self.find_file(&format!("{it}.app"))).collect();
        let of_elixir = files.into_iter().flatten().filter_map(|it| described(Path::new(&it)));
        for own in of_elixir.chain(own.into_iter().filter_map(|it| described_in(it))) {
            needed(self, &own, &mut loaded);
        }
        let is_there = |it: &Atom| loaded.iter().any(|one| name_of(one).as_ref() == Some(it));
        let started = STARTED.iter().map(|it| Atom::new(it)).filter(is_there).collect();
        self.run_applications(Running { environment: Vec::new(), loaded, started });
    }
}

/// The description of an application in the directory with its compiled modules.
pub fn app_file(ebin: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(ebin).ok()?.flatten().map(|it| it.path());
    let mut files: Vec<PathBuf> =
        files.filter(|it| it.extension() == Some(OsStr::new("app"))).collect();
    files.sort();
    files.into_iter().next()
}

/// The description of the application whose compiled modules are in this directory.
pub fn described_in(ebin: &Path) -> Option<Term> {
    described(&app_file(ebin)?)
}

fn described(file: &Path) -> Option<Term> {
    let text = fs::read_to_string(file).ok()?;
    let code: Vec<&str> = text.lines().filter(|it| !it.trim_start().starts_with('%')).collect();
    let text = code.join("\n");
    let text = text.trim_end();
    let term = read_term(text.strip_suffix('.').unwrap_or(text)).ok()?;
    let is_one = matches!(term.as_tuple(), Some([tag, Term::Atom(_), _])
        if tag.as_atom() == Some("application"));
    is_one.then_some(term)
}

/// The name of a described application.
pub fn name_of(described: &Term) -> Option<Atom> {
    match described.as_tuple()? {
        [_, Term::Atom(name), _] => Some(name.clone()),
        _ => None,
    }
}

fn key<'t>(described: &'t Term, name: &str) -> Option<&'t Term> {
    let keys = described.as_tuple()?.get(2)?.as_list()?;
    let pair = |it: &'t Term| match it.as_tuple()? {
        [key, value] if key.as_atom() == Some(name) => Some(value),
        _ => None,
    };
    keys.iter().find_map(pair)
}

/// Whether starting the application starts processes.
pub fn starts_something(described: &Term) -> bool {
    key(described, "mod").is_some_and(|it| it.as_tuple().is_some())
}

/// Adds an application behind all that it needs.
pub fn needed(host: &mut dyn Host, described_one: &Term, all: &mut Vec<Term>) {
    let known = |all: &[Term], name: &str| {
        all.iter().any(|it| name_of(it).is_some_and(|it| it.as_str() == name))
    };
    let names = key(described_one, "applications").and_then(Term::as_list).unwrap_or_default();
    for name in names.iter().filter_map(Term::as_atom) {
        // These are part of every system.
        if matches!(name, "kernel" | "stdlib") || known(all, name) {
            continue;
        }
        let file = host.find_file(&format!("{name}.app"));
        if let Some(it) = file.and_then(|it| described(Path::new(&it))) {
            needed(host, &it, all);
        }
    }
    if name_of(described_one).is_some_and(|it| !known(all, it.as_str())) {
        all.push(described_one.clone());
    }
}
