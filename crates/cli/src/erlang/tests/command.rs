//! The command that runs the written tests, to be pasted in the directory where `gimlet test` was started.

use crate::erlang::project::Project;
use crate::flow::shell_word;
use beam::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The maximum number of sources that the command names one by one; of more, it names their directories.
const MAX_SOURCES: usize = 6;

/// The command that compiles the tests and the modules that were given as sources, and runs all tests.
pub(super) fn eunit(project: &Project, dir: &Path) -> String {
    let out = quoted(dir);
    let mut erlc = vec!["erlc".to_owned(), "-o".to_owned(), out.clone()];
    let sources = sources(project);
    if !sources.is_empty() {
        let includes = project.build.includes.iter().cloned();
        let beside: BTreeSet<PathBuf> =
            sources.iter().filter_map(|it| include_beside(it)).collect();
        for include in includes.chain(beside) {
            erlc.extend(["-I".to_owned(), quoted(&include)]);
        }
        erlc.extend(project.build.defines.iter().map(|it| shell_word(&format!("-D{it}"))));
    }
    erlc.extend(named(&sources));
    erlc.push(format!("{out}/*_gimlet_tests.erl"));
    let erl = ["erl", "-noshell", "-pa"].map(str::to_owned).into_iter();
    let erl: Vec<String> = erl.chain([out]).chain(code_paths(project)).collect();
    let test = format!("eunit:test({{dir, {:?}}})", dir.display().to_string());
    format!("{} && {} -eval {} -s init stop", erlc.join(" "), erl.join(" "), shell_word(&test))
}

pub(super) fn exunit(project: &Project, dir: &Path) -> String {
    let files = shell_word(&format!("{}/*_gimlet_test.exs", dir.display()));
    let paths: Vec<String> = code_paths(project);
    let elixir: Vec<&str> =
        ["elixir"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    format!("{} -e 'ExUnit.start()' -r {files}", elixir.join(" "))
}

/// The modules under test that must be compiled.
fn sources(project: &Project) -> Vec<&Path> {
    let sources = project.modules.iter().filter_map(|it| it.source.as_ref());
    let erl = |it: &&Source| matches!(it, Source::Erl(_));
    sources.filter(erl).map(Source::path).collect()
}

fn named(sources: &[&Path]) -> Vec<String> {
    if sources.len() <= MAX_SOURCES {
        return sources.iter().map(|it| quoted(it)).collect();
    }
    let dirs: BTreeSet<&Path> = sources.iter().filter_map(|it| it.parent()).collect();
    dirs.iter().map(|it| format!("{}/*.erl", quoted(it))).collect()
}

/// The include directory of an application: `include/` beside `src/`.
fn include_beside(source: &Path) -> Option<PathBuf> {
    let app = source.parent().filter(|it| it.ends_with("src"))?.parent()?;
    Some(app.join("include")).filter(|it| it.is_dir())
}

/// `-pa DIR` for each directory of compiled code that the tests need.
fn code_paths(project: &Project) -> Vec<String> {
    let modules = project.modules.iter().filter_map(|it| it.source.as_ref());
    let beams = modules.filter_map(|it| match it {
        Source::Beam(path) => path.parent(),
        Source::Erl(_) => None,
    });
    let given = project.build.code_paths.iter().map(PathBuf::as_path);
    let targets = project.targets.iter().flat_map(|it| &it.code_paths).map(PathBuf::as_path);
    let mut seen = BTreeSet::new();
    let all = beams.chain(given).chain(targets).filter(|it| seen.insert(*it));
    all.flat_map(|it| ["-pa".to_owned(), quoted(it)]).collect()
}

fn quoted(path: &Path) -> String {
    match path.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => shell_word(&path.display().to_string()),
    }
}
