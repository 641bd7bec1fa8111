//! Finds the source files of modules relative to the current directory.
//!
//! Elixir's compiler names a file relative to its application, which in an umbrella is not the current directory.

use crate::erlang::project::{Module, Project};
use crate::erlang::stale::source_of;
use ::report::Report;
use beam::Source;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// The path of a module's source, if the path recorded by the compiler does not exist.
pub(crate) fn located(module: &Module) -> Option<String> {
    let said = module.code.file.as_str();
    if said.is_empty() || Path::new(said).is_file() {
        return None;
    }
    let Some(Source::Beam(beam)) = &module.source else { return None };
    let source = source_of(beam, &module.code.compile_info)?;
    source.ends_with(said).then(|| source.display().to_string())
}

/// Replaces the file names in a report by paths that exist.
pub(super) fn locate(project: &Project, report: &mut Report) {
    let mut of_module: FxHashMap<&str, (&str, String)> = FxHashMap::default();
    for module in &project.modules {
        if let Some(path) = located(module) {
            of_module.insert(module.name.as_str(), (&module.code.file, path));
        }
    }
    let paths = only_ones(of_module.values());
    let put = |file: &mut Option<String>, own: Option<&(&str, String)>| {
        let Some(said) = file.as_deref() else { return };
        let own = own.filter(|it| it.0 == said).map(|it| &it.1);
        if let Some(path) = own.or_else(|| paths.get(said)) {
            *file = Some(path.clone());
        }
    };
    for module in &mut report.modules {
        put(&mut module.file, of_module.get(module.module.as_str()));
    }
    for unit in &mut report.units {
        let own = of_module.get(unit.module.as_str());
        put(&mut unit.file, own);
        for finding in &mut unit.findings {
            put(&mut finding.file, own);
            finding.reached.iter_mut().for_each(|it| put(&mut it.file, own));
        }
    }
}

/// The names that belong to one path only.
fn only_ones<'a>(all: impl Iterator<Item = &'a (&'a str, String)>) -> FxHashMap<String, String> {
    let mut res: FxHashMap<String, String> = FxHashMap::default();
    let mut several: FxHashSet<&str> = FxHashSet::default();
    for (said, path) in all {
        if res.insert((*said).to_owned(), path.clone()).is_some_and(|it| it != *path) {
            several.insert(said);
        }
    }
    res.retain(|said, _| !several.contains(said.as_str()));
    res
}
