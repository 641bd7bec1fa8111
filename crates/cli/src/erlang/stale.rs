//! Warns of compiled modules whose source is newer, since the tested code is not what the user reads.
//!
//! Compares the times of files only, so nothing is refused.

use crate::diagnostic::Diagnostic;
use crate::erlang::project::Module;
use crate::explain::Code;
use beam::Source;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use term::{Atom, Term};

/// How many modules a warning names.
const MAX_NAMED: usize = 3;

/// Returns one warning for all modules whose source was changed after they were compiled.
pub(crate) fn warning(modules: &[Module]) -> Option<Diagnostic> {
    let stale: Vec<(&Atom, PathBuf)> =
        modules.iter().filter_map(|it| Some((&it.name, newer_source(it)?))).collect();
    let (name, source) = stale.first()?;
    let title = match stale.len() {
        1 => format!("{} is newer than the compiled module {}", source.display(), name.as_str()),
        many => format!("the sources of {many} modules are newer than what was compiled of them"),
    };
    let mut details = Vec::new();
    if stale.len() > 1 {
        details.extend(stale.iter().take(MAX_NAMED).map(|it| it.1.display().to_string()));
        details.extend((stale.len() > MAX_NAMED).then(|| "…".to_owned()));
    }
    let hint = "build the project first: the compiled code is what was tested";
    Some(Diagnostic::warning(Code::StaleModule, title).with_details(details).hint(hint))
}

fn newer_source(of: &Module) -> Option<PathBuf> {
    let Some(Source::Beam(beam)) = &of.source else { return None };
    let source = source_of(beam, &of.code.compile_info)?;
    (modified(beam)? < modified(&source)?).then_some(source)
}

/// The source that the compiler was given, or else the usual one in an application's directory.
pub(crate) fn source_of(beam: &Path, compile_info: &Term) -> Option<PathBuf> {
    let said = compile_info.as_list().unwrap_or_default().iter().find_map(|it| {
        let [Term::Atom(key), value] = it.as_tuple()? else { return None };
        (key.as_str() == "source").then(|| text(value)).flatten()
    });
    let app = beam.parent().filter(|it| it.ends_with("ebin")).and_then(Path::parent);
    let stem = beam.file_stem().and_then(OsStr::to_str);
    let usual = app.zip(stem).map(|(app, stem)| app.join(format!("src/{stem}.erl")));
    [said.map(PathBuf::from), usual].into_iter().flatten().find(|it| it.is_file())
}

fn text(of: &Term) -> Option<String> {
    let codes = of.as_list()?.iter();
    codes.map(|it| char::from_u32(u32::try_from(it.as_int()?).ok()?)).collect()
}

fn modified(of: &Path) -> Option<SystemTime> {
    fs::metadata(of).ok()?.modified().ok()
}
