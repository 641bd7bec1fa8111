//! The description files of applications (`.app`), and the applications that every Elixir system starts.

use crate::cache::{CacheKey, EntryKind};
use crate::installation::entries;
use crate::otp::Otp;
use crate::peer::path_term;
use erlang::{Host, HostError, Running};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use term::{Atom, Term, etf, read_term};

/// The applications that `elixir` and `mix` start before anything else.
const STARTED: &[&str] = &["elixir", "logger"];

impl Otp {
    /// Starts Elixir on both sides, with the applications loaded whose `ebin` directories are given, and with their
    /// project's configuration. Returns an error if the configuration cannot be read.
    pub fn run_elixir(&mut self, own: &[PathBuf]) -> Result<(), HostError> {
        let mut loaded = Vec::new();
        let configured = match own.iter().find_map(|it| Build::of(it)) {
            Some(build) => self.configuration(&build),
            None => Ok(Vec::new()),
        };
        let files: Vec<_> = STARTED.iter().map(|it| self.find_file(&format!("{it}.app"))).collect();
        let of_elixir = files.into_iter().flatten().filter_map(|it| described(Path::new(&it)));
        for own in of_elixir.chain(own.iter().filter_map(|it| described_in(it))) {
            needed(self, &own, &mut loaded);
        }
        let is_there = |it: &Atom| loaded.iter().any(|one| name_of(one).as_ref() == Some(it));
        let started = STARTED.iter().map(|it| Atom::new(it)).filter(is_there).collect();
        let (environment, trouble) = match configured {
            Ok(environment) => (environment, Ok(())),
            Err(why) => (Vec::new(), Err(why)),
        };
        self.run_applications(Running { environment, loaded, started });
        trouble
    }

    /// Returns the configuration in `config/*.exs`, as `Config.Reader` reads it.
    fn configuration(&mut self, build: &Build) -> Result<Vec<Term>, HostError> {
        let dir = build.project.join("config");
        let mut files = entries(&dir);
        files.retain(|it| it.extension() == Some(OsStr::new("exs")));
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<Vec<u8>> = files.iter().filter_map(|it| fs::read(it).ok()).collect();
        let version = self.version()?;
        let parts = [version.as_slice(), build.env.as_bytes()].into_iter();
        let key = CacheKey::of(&parts.chain(texts.iter().map(Vec::as_slice)).collect::<Vec<_>>());
        if let Some(kept) = self.cache().read(EntryKind::Configuration, &key)
            && let Some(environment) = etf::decode(&kept).ok().as_ref().and_then(Term::as_list)
        {
            return Ok(environment.to_vec());
        }
        self.allow_reading(vec![build.project.clone()]);
        let request = Term::Tuple(vec![
            Term::atom("configuration"),
            path_term(&dir.join("config.exs")),
            path_term(&dir.join("runtime.exs")),
            Term::binary(build.env.clone().into_bytes()),
        ]);
        let answer = self.ask(self.load_limit(), &request)?;
        let unreadable = |why: &str| HostError::Compile(vec![format!("{}: {why}", dir.display())]);
        match answer.as_tuple() {
            Some([tag, environment]) if tag.as_atom() == Some("configuration") => {
                if let Ok(bytes) = etf::encode(environment) {
                    self.cache().write(EntryKind::Configuration, &key, &bytes);
                }
                Ok(environment.as_list().unwrap_or_default().to_vec())
            }
            Some([_, why]) => {
                let why = String::from_utf8_lossy(why.as_bytes().unwrap_or_default()).into_owned();
                Err(unreadable(&why))
            }
            Some(_) | None => Err(unreadable("it was not read")),
        }
    }
}

/// The build of a mix project, found by a directory with compiled modules.
struct Build {
    project: PathBuf,
    /// The mix environment, such as `dev` or `test`.
    env: String,
}

impl Build {
    /// Returns the build of an `ebin` directory of the form `PROJECT/_build/ENV/lib/APP/ebin`; `None` for others.
    fn of(ebin: &Path) -> Option<Build> {
        let env = ebin.ancestors().nth(3)?;
        let build = env.parent().filter(|it| it.ends_with("_build"))?;
        let project = build.parent()?.to_owned();
        let env = env.file_name()?.to_str()?.to_owned();
        project.join("mix.exs").is_file().then_some(Build { project, env })
    }
}

/// Returns the `.app` file in an `ebin` directory.
pub fn app_file(ebin: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(ebin).ok()?.flatten().map(|it| it.path());
    let mut files: Vec<PathBuf> =
        files.filter(|it| it.extension() == Some(OsStr::new("app"))).collect();
    files.sort();
    files.into_iter().next()
}

/// Returns the description of the application in an `ebin` directory.
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

/// Returns the name of a described application.
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

/// Whether the application has a start function, which starts processes.
pub fn starts_something(described: &Term) -> bool {
    key(described, "mod").is_some_and(|it| it.as_tuple().is_some())
}

/// Adds an application after all applications it depends on.
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
