//! `gimlet init` writes a configuration for a project; `gimlet config` shows the value of every option and its origin.

use crate::args::{Command, CommandLine};
use crate::asked::{Asked, Origin, first_line};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::start::stdout_colours;
use ::report::Paint;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use config::{FILE_NAME, Project, ProjectKind, template};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Writes a configuration file into the directory. Fails if there is one already.
pub(crate) fn init(dir: &Path) -> Result<(Vec<u8>, ExitCode), Diagnostic> {
    let path = dir.join(FILE_NAME);
    if !dir.is_dir() {
        let title = format!("there is no directory {}", dir.display());
        return Err(Diagnostic::new(Code::NoTarget, title));
    }
    if path.exists() {
        let title = format!("{} is there already", path.display());
        return Err(Diagnostic::new(Code::CanNotWrite, title)
            .hint("`gimlet config` shows what it says; remove it to begin anew"));
    }
    let project = project(dir);
    fs::write(&path, template(&project)).map_err(|error| {
        let title = format!("{} can't be written: {error}", path.display());
        Diagnostic::new(Code::CanNotWrite, title)
    })?;
    let what = match project.kind {
        ProjectKind::Rebar3 => "a rebar3 project",
        ProjectKind::Mix => "a mix project",
        ProjectKind::Gleam => "a Gleam project",
        ProjectKind::ErlangFiles => "Erlang files",
        ProjectKind::PrologFiles => "Prolog files",
        ProjectKind::Unknown => "no project that it knows",
    };
    let text = format!("wrote {}: found {what}\n", path.display());
    Ok((text.into_bytes(), ExitCode::SUCCESS))
}

/// Recognises the kind of the project in a directory by its files.
fn project(dir: &Path) -> Project {
    let has = |name: &str| dir.join(name).exists();
    let has_files = |ends: &[&str]| {
        let dirs = [dir.to_owned(), dir.join("src"), dir.join("prolog")];
        let files = dirs.iter().filter_map(|it| fs::read_dir(it).ok()).flatten().flatten();
        let extension = |it: &fs::DirEntry| it.path().extension().map(std::ffi::OsStr::to_owned);
        files.filter_map(|it| extension(&it)).any(|it| ends.iter().any(|end| it == *end))
    };
    let kind = if has("mix.exs") {
        ProjectKind::Mix
    } else if has("rebar.config") {
        ProjectKind::Rebar3
    } else if has("gleam.toml") {
        ProjectKind::Gleam
    } else if has_files(&["erl"]) {
        ProjectKind::ErlangFiles
    } else if has_files(&["pl", "prolog", "pro", "plt"]) {
        ProjectKind::PrologFiles
    } else {
        ProjectKind::Unknown
    };
    let name = dir.canonicalize().ok();
    let name = name.and_then(|it| Some(it.file_name()?.to_string_lossy().into_owned()));
    Project { kind, name, has_tests: has("test") || has("tests") }
}

/// Lists every option with its value and its origin.
pub(crate) fn show_config(arguments: &[String]) -> Result<(Vec<u8>, ExitCode), Vec<Diagnostic>> {
    let read = |own: &[String]| {
        let all = ["gimlet", "test"].map(str::to_owned).into_iter().chain(own.iter().cloned());
        CommandLine::command().try_get_matches_from(all)
    };
    let bad = |error: &clap::Error| vec![Diagnostic::new(Code::BadConfig, first_line(error))];
    let mut own = arguments.to_vec();
    let mut matches = read(&own);
    if matches.as_ref().is_err_and(|it| it.kind() == ErrorKind::MissingRequiredArgument) {
        // The parser requires a target, although the listing does not depend on it.
        own.push(".".to_owned());
        matches = read(&own);
    }
    let matches = matches.map_err(|it| bad(&it))?;
    let command = CommandLine::from_arg_matches(&matches).map_err(|it| bad(&it))?.command;
    let (Command::Test(test), Some((_, matches))) = (command, matches.subcommand()) else {
        return Ok((Vec::new(), ExitCode::SUCCESS));
    };
    let asked = Asked::new(*test, matches, own)?;
    Ok((listed(&asked).into_bytes(), ExitCode::SUCCESS))
}

fn listed(asked: &Asked) -> String {
    let Paint { bold, faint, off, .. } = Paint::new(stdout_colours());
    let mut out = String::new();
    let settings = asked.settings();
    let width = settings.keys().map(|it| it.chars().count()).max().unwrap_or(0);
    let value_width = settings.values().map(|it| it.0.chars().count()).max().unwrap_or(0).min(40);
    for (name, (value, origin)) in &settings {
        let (value, origin) = match origin {
            Origin::Default if value.is_empty() => ("-", "default".to_owned()),
            Origin::Default => (value.as_str(), "default".to_owned()),
            Origin::CommandLine => (value.as_str(), "command line".to_owned()),
            Origin::File(line) => {
                let file = asked.config.as_ref().map(|it| it.path.display().to_string());
                (value.as_str(), format!("{}:{line}", file.unwrap_or_default()))
            }
        };
        writeln!(out, "{bold}{name:width$}{off}  {value:value_width$}  {faint}{origin}{off}").ok();
    }
    let Some(configured) = &asked.config else {
        writeln!(out, "\nno {FILE_NAME} was found; `gimlet init` writes one").ok();
        return out;
    };
    for scope in configured.config.paths.iter().chain(&configured.config.units) {
        let skip = if scope.skip == Some(true) { " left out" } else { "" };
        writeln!(out, "\n{bold}{}{off}{skip}  {faint}line {}{off}", scope.pattern, scope.line).ok();
        for setting in &scope.settings {
            writeln!(out, "  {:width$}  {}", setting.name, setting.values.join(", ")).ok();
        }
    }
    let n_ignores = configured.config.ignores.len();
    if 0 < n_ignores {
        writeln!(out, "\n{n_ignores} ignores").ok();
    }
    out
}
