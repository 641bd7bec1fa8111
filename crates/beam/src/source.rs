//! Files with the code of modules, the requests to load them, and the agent's answers.

use crate::otp::Define;
use crate::peer::path_term;
use erlang::{HostError, ModuleCode};
use std::path::{Path, PathBuf};
use term::{Atom, Term, etf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Beam(PathBuf),
    Erl(PathBuf),
}

/// The options for compiling a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceOptions {
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) defines: Vec<Define>,
    /// Where parse transforms and the headers of applications are looked for.
    pub(crate) code_paths: Vec<PathBuf>,
    /// The `rebar.config` files whose `erl_opts` apply, innermost first.
    pub(crate) rebar: Vec<PathBuf>,
}

/// A module as the agent sent it, and the source files it was made from.
pub(crate) struct Loaded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) files: Vec<PathBuf>,
}

impl Source {
    pub fn path(&self) -> &Path {
        match self {
            Source::Beam(path) | Source::Erl(path) => path,
        }
    }

    pub(crate) fn request(&self, options: &SourceOptions) -> Term {
        match self {
            Source::Beam(path) => Term::Tuple(vec![Term::atom("load_beam"), path_term(path)]),
            Source::Erl(path) => {
                Term::Tuple(vec![Term::atom("load_source"), path_term(path), options.to_term()])
            }
        }
    }

    /// Returns all files that determine the content, if they are known before loading.
    pub(crate) fn own_files(&self) -> Option<Vec<PathBuf>> {
        match self {
            Source::Beam(path) => Some(vec![absolute(path)]),
            Source::Erl(_) => None,
        }
    }

    /// Returns a text that identifies file and options, whatever the file's content.
    pub(crate) fn fingerprint(&self, options: &SourceOptions) -> String {
        match self {
            Source::Beam(path) => format!("beam {:?}", absolute(path)),
            Source::Erl(path) => format!("erl {:?} {:?} {options:?}", absolute(path), path),
        }
    }
}

impl SourceOptions {
    pub(crate) fn of(
        source: &Source,
        includes: &[PathBuf],
        defines: &[Define],
        code_paths: &[PathBuf],
    ) -> SourceOptions {
        let Source::Erl(path) = source else { return SourceOptions::default() };
        let mut includes = includes.to_vec();
        // By the usual layout of an application, `src/` is beside `include/`.
        let path = absolute(path);
        let app = path.parent().filter(|it| it.ends_with("src")).and_then(Path::parent);
        if let Some(app) = app {
            includes.extend([app.join("include"), app.join("src"), app.to_owned()]);
            includes.extend(app.parent().map(Path::to_owned));
        }
        let (defines, code_paths) = (defines.to_vec(), code_paths.to_vec());
        SourceOptions { includes, defines, code_paths, rebar: rebar_configs(&path) }
    }

    pub(crate) fn to_term(&self) -> Term {
        let paths = |it: &[PathBuf]| Term::proper_list(it.iter().map(|it| path_term(it)).collect());
        let define = |it: &Define| {
            let value = it.value.as_ref().map_or(Term::atom("none"), |it| text_term(it));
            Term::Tuple(vec![text_term(&it.name), value])
        };
        Term::map(vec![
            (Term::atom("includes"), paths(&self.includes)),
            (Term::atom("rebar"), paths(&self.rebar)),
            (Term::atom("defines"), Term::proper_list(self.defines.iter().map(define).collect())),
        ])
    }
}

/// Returns the nearest `rebar.config`, and that of the project if the nearest one belongs to an application inside it.
fn rebar_configs(path: &Path) -> Vec<PathBuf> {
    let config = |dir: &Path| Some(dir.join("rebar.config")).filter(|it| it.is_file());
    let Some(nearest) = path.ancestors().skip(1).find(|it| config(it).is_some()) else {
        return Vec::new();
    };
    let shelf = nearest.parent().filter(|it| it.ends_with("apps") || it.ends_with("lib"));
    let project = shelf.and_then(Path::parent);
    [Some(nearest), project].into_iter().flatten().filter_map(config).collect()
}

pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn read_answer(source: &Source, answer: &Term) -> Result<Loaded, HostError> {
    let path = source.path().display();
    let lost = || HostError::Lost(format!("no answer to loading {path}"));
    let parts = answer.as_tuple().ok_or_else(lost)?;
    match parts {
        [kind, code, files] if kind.as_atom() == Some("module") => {
            let files = files.as_list().ok_or_else(lost)?.iter().filter_map(text);
            let files = files.map(|it| absolute(Path::new(&it))).collect();
            Ok(Loaded { bytes: code.as_bytes().ok_or_else(lost)?.to_vec(), files })
        }
        [kind, why] => match (kind.as_atom(), text(why)) {
            (Some("no_debug_info"), Some(why)) => {
                Err(HostError::NoDebugInfo(format!("{path} ({why})")))
            }
            (Some("unreadable" | "not_a_module"), Some(why)) => {
                Err(HostError::Compile(vec![format!("{path}: {why}")]))
            }
            (Some("compile_errors"), _) => {
                let messages = why.as_list().ok_or_else(lost)?.iter().filter_map(text);
                Err(HostError::Compile(messages.collect()))
            }
            _ => Err(HostError::Lost(format!("loading {path} failed inside OTP: {why:?}"))),
        },
        _ => Err(lost()),
    }
}

/// Reads a module from the bytes that the agent sends and the cache stores.
pub(crate) fn module_code(bytes: &[u8]) -> Option<ModuleCode> {
    let Term::Tuple(parts) = etf::decode(bytes).ok()? else { return None };
    let [name, core, forms, attributes, compile_info, file, md5, closures] =
        <[Term; 8]>::try_from(parts).ok()?;
    Some(ModuleCode {
        name: Atom::new(name.as_atom()?),
        core,
        forms,
        attributes,
        compile_info,
        file: text(&file)?,
        md5: md5.as_bytes()?.try_into().ok()?,
        closures: closures.as_list()?.iter().map(closure).collect::<Option<_>>()?,
    })
}

fn closure(term: &Term) -> Option<(Atom, u32)> {
    match term.as_tuple()? {
        [Term::Atom(name), Term::Int(arity)] => Some((name.clone(), u32::try_from(*arity).ok()?)),
        _ => None,
    }
}

fn text_term(text: &str) -> Term {
    Term::binary(text.as_bytes().to_vec())
}

fn text(term: &Term) -> Option<String> {
    Some(String::from_utf8_lossy(term.as_bytes()?).into_owned())
}
