//! The meaning of a TARGET on the command line: modules and directories with code.
//!
//! Looks at names and at the first bytes of files; loads and starts nothing.

use crate::installation::{ebin_dirs, entries};
use crate::source::{Source, absolute};
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use term::{Atom, Term, etf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The modules under test.
    pub modules: Vec<TargetModule>,
    /// The directories of the modules that they call.
    pub code_paths: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetModule {
    pub name: Atom,
    /// The file of the module; `None` for a module of OTP, which is found by its name.
    pub source: Option<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetError {
    /// Looks like a path, but there is no such file.
    NoSuchFile(PathBuf),
    Unreadable(PathBuf, String),
    /// A file with an unknown extension.
    UnknownKind(PathBuf),
    /// A `.beam` file without the format's header.
    NotBeam(PathBuf),
    NoDebugInfo(PathBuf),
    /// A file name that cannot be a module's name.
    NotModule(PathBuf),
    /// A project that was never built.
    NotBuilt(PathBuf, Builder),
    /// An Elixir file without compiled modules in a mix project; [`crate::Otp::compile_elixir`] compiles it.
    NotCompiled(PathBuf),
    /// A directory without code.
    Empty(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builder {
    Rebar3,
    Mix,
    Gleam,
}

impl Target {
    pub fn resolve(text: &str) -> Result<Target, TargetError> {
        let path = Path::new(text);
        let Ok(meta) = fs::metadata(path) else { return by_name(text) };
        if meta.is_dir() {
            return directory(path);
        }
        match path.extension().and_then(OsStr::to_str) {
            Some("erl") => source_file(path),
            Some("beam") => beam_file(path),
            Some("ex" | "exs") => elixir_file(path),
            _ => Err(TargetError::UnknownKind(path.to_owned())),
        }
    }

    /// Returns the directories with the compiled modules of the target itself.
    pub fn own_code(&self) -> BTreeSet<PathBuf> {
        let files = self.modules.iter().filter_map(|it| match &it.source {
            Some(Source::Beam(path)) => Some(path),
            Some(Source::Erl(_)) | None => None,
        });
        files.filter_map(|it| it.parent().map(Path::to_owned)).collect()
    }
}

/// Resolves a name without a path to a module of the project or of OTP; whether it exists shows when it is loaded.
fn by_name(text: &str) -> Result<Target, TargetError> {
    let looks_like_file =
        [".erl", ".beam", ".pl", ".ex", ".exs"].iter().any(|it| text.ends_with(it));
    if text.is_empty() || text.contains(['/', '\\', '\0']) || looks_like_file {
        return Err(TargetError::NoSuchFile(PathBuf::from(text)));
    }
    // Elixir's users write `Enum` for `Elixir.Enum`.
    let is_alias =
        text.starts_with(|it: char| it.is_ascii_uppercase()) && !text.starts_with("Elixir.");
    let name = if is_alias { Atom::new(&format!("Elixir.{text}")) } else { Atom::new(text) };
    if let Some(found) = in_project_here(&name) {
        return Ok(found);
    }
    Ok(Target { modules: vec![TargetModule { name, source: None }], code_paths: Vec::new() })
}

/// Returns a module of the project that the current directory belongs to.
fn in_project_here(name: &Atom) -> Option<Target> {
    let here = std::env::current_dir().ok()?;
    let ebins = here.ancestors().filter_map(project_ebins).last()?;
    let file = format!("{}.beam", name.as_str());
    let beam = ebins.iter().map(|it| it.join(&file)).find(|it| it.is_file())?;
    let source = Some(Source::Beam(beam));
    Some(Target {
        modules: vec![TargetModule { name: name.clone(), source }],
        code_paths: with_siblings(ebins),
    })
}

fn source_file(path: &Path) -> Result<Target, TargetError> {
    let module = TargetModule { name: name_of(path)?, source: Some(Source::Erl(path.to_owned())) };
    fs::File::open(path).map_err(|why| unreadable(path, &why))?;
    // The code path contains the project's build; the file itself is compiled anew.
    let project = absolute(path).ancestors().skip(1).find_map(project_ebins);
    Ok(Target { modules: vec![module], code_paths: project.unwrap_or_default() })
}

/// Returns the modules that the project's build compiled from an Elixir file.
fn elixir_file(path: &Path) -> Result<Target, TargetError> {
    let file = absolute(path);
    let is_project = |it: &&Path| it.join("mix.exs").is_file();
    // The outermost project: the applications of an umbrella project are built there.
    let Some(project) = file.ancestors().skip(1).filter(is_project).last() else {
        return Err(TargetError::NotCompiled(path.to_owned()));
    };
    let Some(ebins) = project_ebins(project) else {
        return Err(TargetError::NotBuilt(project.to_owned(), Builder::Mix));
    };
    let real = file.canonicalize().unwrap_or_else(|_| file.clone());
    let is_from_file = |beam: &PathBuf| {
        let source = fs::read(beam).ok().and_then(|it| compiled_from(&it));
        source.is_some_and(|it| it == real || it.canonicalize().is_ok_and(|it| it == real))
    };
    let own = own_ebins(project);
    let mut beams: Vec<PathBuf> = own.iter().flat_map(|it| beams_in(it)).collect();
    beams.retain(is_from_file);
    match beams.is_empty() {
        true => Err(TargetError::NotCompiled(path.to_owned())),
        false => from_beams(&beams, with_siblings(ebins)),
    }
}

/// Returns the source file that the compiler recorded in a `.beam` file.
fn compiled_from(bytes: &[u8]) -> Option<PathBuf> {
    let unpacked = bytes.starts_with(&[0x1f, 0x8b]).then(|| unpack(bytes));
    let info = etf::decode(chunk(unpacked.as_deref().unwrap_or(bytes), b"CInf")?).ok()?;
    let is_source = |it: &&[Term]| it.first().and_then(Term::as_atom) == Some("source");
    let pair = info.as_list()?.iter().filter_map(Term::as_tuple).find(is_source)?;
    let codes = pair.get(1)?.as_list()?.iter();
    let chars = codes.map(|it| char::from_u32(u32::try_from(it.as_int()?).ok()?));
    Some(PathBuf::from(chars.collect::<Option<String>>()?))
}

/// Returns the content of a chunk of a `.beam` file.
fn chunk<'b>(bytes: &'b [u8], wanted: &[u8; 4]) -> Option<&'b [u8]> {
    let mut rest = bytes.strip_prefix(b"FOR1")?.get(4..)?.strip_prefix(b"BEAM")?;
    while let Some((name, after)) = rest.split_first_chunk::<4>()
        && let Some((size, after)) = after.split_first_chunk::<4>()
    {
        let size = usize::try_from(u32::from_be_bytes(*size)).ok()?;
        if name == wanted {
            return after.get(..size);
        }
        rest = after.get(size.next_multiple_of(4)..)?;
    }
    None
}

fn beam_file(path: &Path) -> Result<Target, TargetError> {
    let module = beam_module(path)?;
    let dir = absolute(path).parent().map(Path::to_owned);
    Ok(Target { modules: vec![module], code_paths: with_siblings(dir.into_iter().collect()) })
}

fn beam_module(path: &Path) -> Result<TargetModule, TargetError> {
    let name = name_of(path)?;
    let bytes = fs::read(path).map_err(|why| unreadable(path, &why))?;
    let module = TargetModule { name, source: Some(Source::Beam(path.to_owned())) };
    match debug_info(&bytes) {
        DebugInfo::There => Ok(module),
        DebugInfo::Missing => Err(TargetError::NoDebugInfo(path.to_owned())),
        DebugInfo::NotBeam => Err(TargetError::NotBeam(path.to_owned())),
    }
}

fn directory(path: &Path) -> Result<Target, TargetError> {
    let path = absolute(path);
    let beams = beams_in(&path);
    if !beams.is_empty() {
        return from_beams(&beams, with_siblings(vec![path]));
    }
    let builder = builder_of(&path);
    let own = own_ebins(&path);
    let beams: Vec<PathBuf> = own.iter().flat_map(|it| beams_in(it)).collect();
    match builder {
        _ if !beams.is_empty() => from_beams(&beams, with_siblings(own)),
        Some(builder) => Err(TargetError::NotBuilt(path, builder)),
        None => Err(TargetError::Empty(path)),
    }
}

/// Returns all modules of a project. A module without debug info is an error only if there is no other.
pub(crate) fn from_beams(
    beams: &[PathBuf],
    code_paths: Vec<PathBuf>,
) -> Result<Target, TargetError> {
    let mut modules = Vec::new();
    let mut first_error = None;
    for beam in beams {
        match beam_module(beam) {
            Ok(module) => modules.push(module),
            Err(why) => drop(first_error.get_or_insert(why).clone()),
        }
    }
    match first_error {
        Some(why) if modules.is_empty() => Err(why),
        _ => Ok(Target { modules, code_paths }),
    }
}

fn beams_in(dir: &Path) -> Vec<PathBuf> {
    let mut files = entries(dir);
    files.retain(|it| it.extension() == Some(OsStr::new("beam")) && it.is_file());
    files
}

fn builder_of(dir: &Path) -> Option<Builder> {
    let has = |name: &str| dir.join(name).is_file();
    if has("mix.exs") {
        Some(Builder::Mix)
    } else if has("gleam.toml") {
        Some(Builder::Gleam)
    } else if has("rebar.config") {
        Some(Builder::Rebar3)
    } else {
        None
    }
}

/// Returns the `ebin` directories of a project's own applications, without its dependencies.
fn own_ebins(project: &Path) -> Vec<PathBuf> {
    let Some(libs) = project_ebins(project) else {
        return Some(project.join("ebin")).filter(|it| it.is_dir()).into_iter().collect();
    };
    let app_of = |ebin: &PathBuf| ebin.parent().and_then(Path::file_name).map(OsStr::to_owned);
    let own: Vec<PathBuf> = libs
        .iter()
        .filter(|ebin| app_of(ebin).is_some_and(|app| belongs(project, &app)))
        .cloned()
        .collect();
    if own.is_empty() { libs } else { own }
}

/// Whether the project itself contains the source of an application.
fn belongs(project: &Path, app: &OsStr) -> bool {
    let named = |dir: &Path| {
        let file =
            |suffix: &str| [app, OsStr::new(suffix)].into_iter().collect::<std::ffi::OsString>();
        dir.join("src").join(file(".app.src")).is_file()
    };
    let umbrella = ["apps", "lib"].iter().map(|it| project.join(it).join(app));
    named(project)
        || umbrella.into_iter().any(|it| named(&it) || it.join("mix.exs").is_file())
        || config_names(project, app)
}

/// Whether `mix.exs` or `gleam.toml` gives the application's name.
fn config_names(project: &Path, app: &OsStr) -> bool {
    let Some(app) = app.to_str() else { return false };
    let says = |file: &str, text: &str| {
        fs::read(project.join(file))
            .is_ok_and(|it| String::from_utf8_lossy(&it).replace(' ', "").contains(text))
    };
    says("mix.exs", &format!("app::{app},")) || says("gleam.toml", &format!("name=\"{app}\""))
}

/// Returns all `ebin` directories of a project's build: `_build/*/lib/*/ebin`, that of `MIX_ENV` or the usual profile
/// first, or Gleam's `build/dev/erlang/*/ebin`.
fn project_ebins(project: &Path) -> Option<Vec<PathBuf>> {
    builder_of(project)?;
    let build = project.join("_build");
    let wanted = std::env::var_os("MIX_ENV").filter(|_| project.join("mix.exs").is_file());
    let mut libs: Vec<PathBuf> = wanted.iter().map(|it| build.join(it).join("lib")).collect();
    libs.extend([build.join("default/lib"), build.join("dev/lib")]);
    libs.extend(entries(&build).into_iter().map(|it| it.join("lib")));
    libs.push(project.join("build/dev/erlang"));
    libs.iter().map(|it| ebin_dirs(it)).find(|it| !it.is_empty())
}

/// Adds the sibling applications of each application: `lib/*/ebin` for `lib/app/ebin`.
fn with_siblings(mut dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    let in_ebin = dirs.iter().filter(|it| it.ends_with("ebin"));
    let shelves: Vec<PathBuf> =
        in_ebin.filter_map(|it| it.ancestors().nth(2).map(Path::to_owned)).collect();
    for sibling in shelves.iter().flat_map(|it| ebin_dirs(it)) {
        if !dirs.contains(&sibling) {
            dirs.push(sibling);
        }
    }
    dirs
}

fn name_of(path: &Path) -> Result<Atom, TargetError> {
    path.file_stem()
        .and_then(OsStr::to_str)
        .filter(|it| !it.is_empty())
        .map(Atom::new)
        .ok_or_else(|| TargetError::NotModule(path.to_owned()))
}

fn unreadable(path: &Path, why: &std::io::Error) -> TargetError {
    TargetError::Unreadable(path.to_owned(), why.to_string())
}

enum DebugInfo {
    There,
    Missing,
    NotBeam,
}

/// Looks for debug info in the chunks of a `.beam` file, an IFF form of type BEAM padded to four bytes.
fn debug_info(bytes: &[u8]) -> DebugInfo {
    // The compiler's option `compressed` and `beam_lib:strip/1` compress the whole file.
    let unpacked = bytes.starts_with(&[0x1f, 0x8b]).then(|| unpack(bytes));
    let bytes = unpacked.as_deref().unwrap_or(bytes);
    let header = bytes.strip_prefix(b"FOR1").and_then(|it| it.get(4..));
    let Some(mut rest) = header.and_then(|it| it.strip_prefix(b"BEAM")) else {
        return DebugInfo::NotBeam;
    };
    while let Some((name, after)) = rest.split_first_chunk::<4>()
        && let Some((size, after)) = after.split_first_chunk::<4>()
    {
        let size = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(usize::MAX);
        let body = after.get(..size).unwrap_or(after);
        if (name == b"Dbgi" && !says_none(body)) || name == b"Abst" && !body.is_empty() {
            return DebugInfo::There;
        }
        rest = after.get(size.next_multiple_of(4)..).unwrap_or_default();
    }
    DebugInfo::Missing
}

/// Decompresses a file, up to a limit; returns what was read before any error.
fn unpack(bytes: &[u8]) -> Vec<u8> {
    const LONGEST: u64 = 64 << 20;
    let mut unpacked = Vec::new();
    // After an error, the bytes read before it are kept.
    drop(GzDecoder::new(bytes).take(LONGEST).read_to_end(&mut unpacked));
    unpacked
}

/// Whether a chunk is `{debug_info_v1, _, {none, _}}`, which the compiler writes without the option `debug_info`.
fn says_none(chunk: &[u8]) -> bool {
    // Real debug info is longer and slow to decode.
    const LONGEST: usize = 4096;
    if chunk.len() > LONGEST {
        return false;
    }
    let Ok(term) = etf::decode(chunk) else { return false };
    let data = term.as_tuple().and_then(|it| it.get(2)).and_then(Term::as_tuple);
    data.and_then(|it| it.first()).is_some_and(|it| it.as_atom() == Some("none"))
}

impl TargetError {
    /// Returns advice on how to fix the error.
    pub fn hint(&self) -> String {
        match self {
            TargetError::NoSuchFile(_) => {
                "give a .erl or .beam file, a directory, or the name of a module".to_owned()
            }
            TargetError::Unreadable(..) => "check the permissions of the file".to_owned(),
            TargetError::UnknownKind(_) => {
                "targets are .erl, .ex, .exs and .beam files, directories and module names"
                    .to_owned()
            }
            TargetError::NotBeam(_) => "compile the module again".to_owned(),
            TargetError::NoDebugInfo(_) => {
                "compile with +debug_info, or give the .erl file".to_owned()
            }
            TargetError::NotModule(_) => "rename the file to the name of its module".to_owned(),
            TargetError::NotBuilt(_, builder) => {
                let command = match builder {
                    Builder::Rebar3 => "rebar3 compile",
                    Builder::Mix => "mix compile",
                    Builder::Gleam => "gleam build",
                };
                format!("run `{command}` there first")
            }
            TargetError::NotCompiled(_) => {
                "compile it with elixirc and give the .beam files".to_owned()
            }
            TargetError::Empty(_) => {
                "give a directory with .beam files, or a rebar3 or mix project".to_owned()
            }
        }
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::NoSuchFile(path) => write!(f, "there is no {}", path.display()),
            TargetError::Unreadable(path, why) => {
                write!(f, "{} cannot be read: {why}", path.display())
            }
            TargetError::UnknownKind(path) => {
                write!(f, "{} is not a file that can be loaded", path.display())
            }
            TargetError::NotBeam(path) => write!(f, "{} is not a BEAM file", path.display()),
            TargetError::NoDebugInfo(path) => {
                write!(f, "{} has no debug info", path.display())
            }
            TargetError::NotModule(path) => {
                write!(f, "{} has a name that no module can have", path.display())
            }
            TargetError::NotBuilt(path, _) => {
                write!(f, "the project {} is not built", path.display())
            }
            TargetError::NotCompiled(path) => write!(f, "{} is not compiled", path.display()),
            TargetError::Empty(path) => write!(f, "{} holds no modules", path.display()),
        }
    }
}

impl std::error::Error for TargetError {}
