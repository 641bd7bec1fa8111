//! The options of `gimlet test`: the command line takes precedence over `gimlet.toml`, which takes precedence over the
//! defaults.
//!
//! The command line parser defines the options. The settings of the file become arguments placed before those of the
//! command line, so that one parser reads and checks both.

use crate::args::{Build, Command, CommandLine, Test};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use ::report::Snippet;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, Parser};
use config::{Config, Extent, FILE_NAME, Glob, Kind, Known, Setting};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The options of one invocation, and the configuration that changes them for single units.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) test: Test,
    pub(crate) config: Option<Configured>,
    /// Long names of the options given on the command line.
    given: BTreeSet<String>,
    /// The arguments of the command line after `test`.
    arguments: Vec<String>,
}

/// A configuration file that was found and parsed.
#[derive(Clone, Debug)]
pub(crate) struct Configured {
    pub(crate) path: PathBuf,
    pub(crate) config: Config,
    text: String,
}

/// Where the value of an option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    /// A line of the configuration file, counted from 1.
    File(usize),
    CommandLine,
}

/// Options that concern the whole invocation and so can't be set for a path or a unit.
const OF_WHOLE_RUN: &[&str] = &[
    "baseline", "budget", "config", "emit", "exclude", "fail-on", "format", "function", "jobs",
    "memory", "nodes", "out", "pa", "report", "strict", "verbose",
];

impl Asked {
    /// Combines the command line with the configuration file. `arguments` are the arguments after `test`, `matches` is
    /// the parser's result for them. Fails with a diagnostic for each bad setting.
    pub(crate) fn new(
        test: Test,
        matches: &ArgMatches,
        arguments: Vec<String>,
    ) -> Result<Asked, Vec<Diagnostic>> {
        let given: BTreeSet<String> = known_options()
            .into_iter()
            .map(|it| it.name)
            .filter(|it| is_given(matches, it))
            .collect();
        let mut res = Asked { config: None, given, arguments, test };
        let Some(path) = res.config_path()? else { return Ok(res) };
        let configured = read_config(&path)?;
        let options: Vec<&Setting> = configured.config.options.iter().collect();
        let mut troubles = Vec::new();
        match res.read_with(&options) {
            Ok(test) => res.test = test,
            Err(error) => troubles.push(configured.trouble(&options, &error)),
        }
        for scope in configured.config.paths.iter().chain(&configured.config.units) {
            let own: Vec<&Setting> = scope.settings.iter().collect();
            let all = with_settings(&configured.config, &own);
            // A bad setting at the top of the file would fail again in every section, so it is reported once.
            if troubles.is_empty()
                && let Err(error) = res.read_with(&all)
            {
                troubles.push(configured.trouble(&all, &error));
            }
        }
        if !troubles.is_empty() {
            return Err(troubles);
        }
        res.config = Some(configured);
        Ok(res)
    }

    /// The options for a replay: defaults for everything except where the code is.
    pub(crate) fn for_replay(
        targets: Vec<String>,
        build: &::report::Build,
    ) -> Result<Asked, Vec<Diagnostic>> {
        let read = read_test(&["--".to_owned()].into_iter().chain(targets).collect::<Vec<_>>());
        let mut test =
            read.map_err(|why| vec![Diagnostic::new(Code::BadRecord, first_line(&why))])?;
        test.build = Build::of_report(build);
        Ok(Asked { test, config: None, given: BTreeSet::new(), arguments: Vec::new() })
    }

    /// Returns the options for one unit, named as `-f` takes it. `None` means that the configuration excludes the
    /// unit.
    pub(crate) fn for_unit(
        &self,
        unit: &str,
        file: Option<&str>,
    ) -> Result<Option<Cow<'_, Test>>, Diagnostic> {
        let Some(configured) = &self.config else {
            return Ok(Some(Cow::Borrowed(&self.test)));
        };
        let Configured { path, config, .. } = configured;
        let relative = file.map(|it| relative(it, path));
        let own = config.for_unit(unit, relative.as_deref());
        if config.is_skipped(unit, relative.as_deref()) {
            return Ok(None);
        }
        if own.is_empty() {
            return Ok(Some(Cow::Borrowed(&self.test)));
        }
        let settings = with_settings(config, &own);
        let read = self.read_with(&settings);
        read.map(|it| Some(Cow::Owned(it))).map_err(|it| configured.trouble(&settings, &it))
    }

    /// Whether the configuration excludes a whole source file.
    pub(crate) fn skips_file(&self, file: &str) -> bool {
        let is_skipped =
            |it: &Configured| it.config.is_skipped("", Some(&relative(file, &it.path)));
        self.config.as_ref().is_some_and(is_skipped)
    }

    /// The files and modules that `--exclude` names.
    pub(crate) fn excluded(&self) -> Excluded {
        let globs = self.test.exclude.iter().filter_map(|it| Glob::path(it).ok()).collect();
        let root = self.config.as_ref().map(|it| it.path.clone());
        Excluded { globs, root: root.unwrap_or_else(|| PathBuf::from(FILE_NAME)) }
    }

    /// Returns the value of every option in command-line spelling, together with its origin.
    pub(crate) fn settings(&self) -> BTreeMap<String, (String, Origin)> {
        let mut res = BTreeMap::new();
        let command = CommandLine::command();
        let Some(test) = command.find_subcommand("test") else { return res };
        for argument in test.get_arguments() {
            let Some(name) = argument.get_long().filter(|it| *it != "help") else { continue };
            let defaults: Vec<String> = argument
                .get_default_values()
                .iter()
                .map(|it| it.to_string_lossy().into_owned())
                .filter(|it| !it.is_empty())
                .collect();
            res.insert(name.to_owned(), (defaults.join(", "), Origin::Default));
        }
        for setting in self.config.iter().flat_map(|it| &it.config.options) {
            let value = setting.values.join(", ");
            let value = match res.get(&setting.name) {
                Some((known, Origin::File(_))) => format!("{known}, {value}"),
                Some(_) | None => value,
            };
            res.insert(setting.name.clone(), (value, Origin::File(setting.line)));
        }
        for name in &self.given {
            res.insert(name.clone(), (self.spelled(name), Origin::CommandLine));
        }
        res
    }

    /// Returns the value of an option as the command line spells it; `given` for a flag.
    fn spelled(&self, name: &str) -> String {
        let long = format!("--{name}");
        let mut values = Vec::new();
        for (n, argument) in self.arguments.iter().enumerate() {
            let is_value = |it: &&String| !it.starts_with('-');
            if *argument == long {
                values.extend(self.arguments.get(n + 1).filter(is_value).cloned());
            } else if let Some(value) = argument.strip_prefix(&format!("{long}=")) {
                values.push(value.to_owned());
            }
        }
        if values.is_empty() { "given".to_owned() } else { values.join(", ") }
    }

    /// Returns the file of `--config`, or the nearest configuration above the project; `None` with `--no-config`.
    fn config_path(&self) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
        if self.test.no_config {
            return Ok(None);
        }
        if let Some(path) = &self.test.config {
            if path.is_file() {
                return Ok(Some(path.clone()));
            }
            let title = format!("there is no file {}", path.display());
            return Err(vec![
                Diagnostic::new(Code::BadConfig, title).hint("`gimlet init` writes one"),
            ]);
        }
        Ok(find_config(&self.test.targets))
    }

    /// Parses the options from these settings followed by the arguments of the command line. A setting of an option
    /// that the command line has too is dropped.
    fn read_with(&self, settings: &[&Setting]) -> Result<Test, clap::Error> {
        let is_free = |it: &&&Setting| !self.given.contains(&it.name);
        let of_file = settings.iter().filter(is_free).flat_map(|it| it.arguments());
        let all: Vec<String> = of_file.chain(self.arguments.iter().cloned()).collect();
        read_test(&all)
    }
}

/// Files and modules that are excluded from testing.
#[derive(Clone, Debug)]
pub(crate) struct Excluded {
    globs: Vec<Glob>,
    /// The path of the configuration file, or the path it would have: globs are relative to its directory.
    root: PathBuf,
}

impl Excluded {
    pub(crate) fn has(&self, file_or_module: &str) -> bool {
        let relative = relative(file_or_module, &self.root);
        self.globs.iter().any(|it| it.matches(&relative) || it.matches(file_or_module))
    }
}

/// Finds the configuration that applies to these targets: in the only directory among them (or else the current one)
/// or the nearest directory above it. `None` if there is no such file.
pub(crate) fn find_config(targets: &[String]) -> Option<PathBuf> {
    config::find(&nearest_to(targets)?, Path::exists)
}

/// Returns the directory from which files of the project are searched upwards: the only target if that is a directory,
/// or else the current directory.
pub(crate) fn nearest_to(targets: &[String]) -> Option<PathBuf> {
    let start = match targets {
        [only] if Path::new(only).is_dir() => PathBuf::from(only),
        _ => PathBuf::from("."),
    };
    start.canonicalize().ok()
}

/// A path relative to the configuration's directory; unchanged if it is not below that directory.
fn relative(file: &str, config: &Path) -> String {
    let dir = config.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = |it: &Path| it.canonicalize().ok();
    let stripped = full(Path::new(file))
        .zip(full(dir))
        .and_then(|(file, dir)| Some(file.strip_prefix(dir).ok()?.display().to_string()));
    stripped.unwrap_or_else(|| file.to_owned())
}

fn read_config(path: &Path) -> Result<Configured, Vec<Diagnostic>> {
    let path = shortened(path);
    let file = path.display().to_string();
    let text = fs::read_to_string(&path).map_err(|error| {
        let title = format!("{file} can't be read: {error}");
        vec![Diagnostic::new(Code::BadConfig, title)]
    })?;
    let formats: Vec<&str> = ::report::FORMATS.iter().map(|it| it.name).collect();
    let config = config::parse(&file, &text, &known_options(), &formats).map_err(|problems| {
        let problem = |it: &config::Problem| {
            let place = line_of(&file, &text, (it.line, it.column, it.length));
            let res = Diagnostic::new(Code::BadConfig, it.title.clone()).at(place);
            match &it.hint {
                Some(hint) => res.hint(hint.clone()),
                None => res,
            }
        };
        problems.iter().map(problem).collect::<Vec<_>>()
    })?;
    Ok(Configured { path, config, text })
}

/// Makes a path relative to the current directory, if it is below it.
fn shortened(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|it| it.canonicalize()).ok();
    let below = here.and_then(|it| path.strip_prefix(it).ok().map(Path::to_owned));
    below.unwrap_or_else(|| path.to_owned())
}

/// A position in a configuration file for a diagnostic: line, column, and number of marked characters.
fn line_of(file: &str, text: &str, (line, column, n_chars): (usize, usize, usize)) -> Snippet {
    Snippet {
        origin: file.to_owned(),
        line,
        column,
        text: text.lines().nth(line.saturating_sub(1)).unwrap_or("").to_owned(),
        n_chars,
        label: String::new(),
    }
}

impl Configured {
    /// Turns an error of the command line parser on these settings into a diagnostic that shows the line of the bad
    /// setting.
    fn trouble(&self, settings: &[&Setting], error: &clap::Error) -> Diagnostic {
        let file = self.path.display().to_string();
        let title = first_line(error);
        // The parser names the argument with its value: `--time <TIME>`.
        let blamed = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(it)) => it.as_str(),
            _ => "",
        };
        let name = blamed.trim_start_matches('-').split([' ', '=', '[']).next().unwrap_or("");
        let Some(setting) = settings.iter().find(|it| it.name == name) else {
            return Diagnostic::new(Code::BadConfig, format!("{file}: {title}"))
                .hint("`gimlet config` shows what holds and from where");
        };
        let shown = line_of(&file, &self.text, (setting.line, 1, 1));
        let n_chars = shown.text.trim_end().chars().count().max(1);
        let res = Diagnostic::new(Code::BadConfig, title).at(Snippet { n_chars, ..shown });
        let text = error.to_string();
        match text.split_once("[possible values: ").and_then(|it| it.1.split_once(']')) {
            Some((values, _)) => res.hint(format!("there is {values}")),
            None => res,
        }
    }
}

/// Returns the settings of a section of the configuration, preceded by the top-level settings that the section does
/// not replace.
fn with_settings<'c>(config: &'c Config, own: &[&'c Setting]) -> Vec<&'c Setting> {
    let is_replaced = |it: &&Setting| own.iter().any(|other| other.name == it.name);
    let base = config.options.iter().filter(|it| !is_replaced(it));
    base.chain(own.iter().copied()).collect()
}

/// Returns the first line of a parser error, without its usage hints.
pub(crate) fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim_end).filter(|it| !it.is_empty());
    lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The options of `gimlet test` that a configuration may set.
fn known_options() -> Vec<Known> {
    let command = CommandLine::command();
    let Some(test) = command.find_subcommand("test") else { return Vec::new() };
    let known = |it: &clap::Arg| {
        let name = it.get_long().filter(|it| !matches!(*it, "help" | "config" | "no-config"))?;
        let action = it.get_action();
        let kind = if matches!(action, ArgAction::SetTrue) {
            Kind::Flag
        } else if matches!(action, ArgAction::Append) {
            Kind::Many
        } else {
            Kind::One
        };
        let extent = if OF_WHOLE_RUN.contains(&name) { Extent::Run } else { Extent::Unit };
        Some(Known { name: name.to_owned(), kind, extent })
    };
    test.get_arguments().filter_map(known).collect()
}

fn is_given(matches: &ArgMatches, name: &str) -> bool {
    let command = CommandLine::command();
    let id = command
        .find_subcommand("test")
        .and_then(|it| it.get_arguments().find(|it| it.get_long() == Some(name)))
        .map(|it| it.get_id().as_str().to_owned());
    id.is_some_and(|it| matches.value_source(&it) == Some(ValueSource::CommandLine))
}

/// Parses arguments as options of `gimlet test`.
fn read_test(arguments: &[String]) -> Result<Test, clap::Error> {
    let all = ["gimlet", "test"].map(str::to_owned).into_iter().chain(arguments.iter().cloned());
    let mut read = CommandLine::try_parse_from(all)?;
    read.command.share_rights();
    match read.command {
        Command::Test(test) => Ok(*test),
        Command::Run(_)
        | Command::Record(_)
        | Command::Replay(_)
        | Command::Symbolic(_)
        | Command::Instrument(_)
        | Command::Init(_)
        | Command::Config(_)
        | Command::Watch(_)
        | Command::Lsp
        | Command::Completions { .. }
        | Command::Manual { .. }
        | Command::Explain { .. } => {
            Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand))
        }
    }
}
