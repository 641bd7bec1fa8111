//! The parser of `gimlet.toml`: returns plain data, or all problems in the text.
//!
//! Knows the tables of the file, and no option by name; the options are passed as a list. Whether a value is a valid
//! time or number is checked where the options are defined.

mod ignores;
mod options;
mod syntax;

use crate::data::{Config, Known, Scope, Setting};
use crate::glob::{BadGlob, Glob};
use crate::problem::{Problem, line_at};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Reads a configuration file.
///
/// `file` is its name, `known` the options that may be set, `reports` the names of the formats that `[report]` may
/// contain. All problems are returned at once, in the order of the file; after a mistake that makes the rest of the
/// text unclear, such as an open bracket, only the problems before it.
pub fn parse(
    file: &str,
    text: &str,
    known: &[Known],
    reports: &[&str],
) -> Result<Config, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let syntax = syntax::read(text, &errors);
    let is_whole = syntax.clear_until.is_none();
    let mut reader = Reader { text, known, reports, is_whole, problems: Vec::new() };
    let config = reader.document(file, table.get_ref());
    let mut problems = reader.problems;
    problems.retain(|it| syntax.is_clear(it.line));
    problems.extend(syntax.problems);
    problems.sort_by_key(|it| (it.line, it.column));
    if problems.is_empty() { Ok(config) } else { Err(problems) }
}

/// The tables of the file besides options, and how they are written.
const TABLES: &[(&str, &str)] = &[
    ("report", "[report]"),
    ("path", "[path.\"src/**\"]"),
    ("unit", "[unit.\"m:f/1\"]"),
    ("ignore", "[[ignore]]"),
];

struct Reader<'a> {
    text: &'a str,
    known: &'a [Known],
    reports: &'a [&'a str],
    /// Whether the whole text could be read, so that something absent is really missing.
    is_whole: bool,
    problems: Vec<Problem>,
}

/// A key with its value.
type Entry<'t, 'i> = (&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>);

/// Which sort of scope a table is.
#[derive(Clone, Copy)]
enum ScopeKind {
    Path,
    Unit,
}

impl ScopeKind {
    /// Returns the name of the table and an example of a pattern.
    fn name_and_example(self) -> (&'static str, &'static str) {
        match self {
            ScopeKind::Path => ("path", "src/**"),
            ScopeKind::Unit => ("unit", "m:f/1"),
        }
    }

    fn glob(self, text: &str) -> Result<Glob, BadGlob> {
        match self {
            ScopeKind::Path => Glob::path(text),
            ScopeKind::Unit => Glob::name(text),
        }
    }
}

impl Reader<'_> {
    fn document(&mut self, file: &str, table: &DeTable<'_>) -> Config {
        let (mut options, mut paths, mut units, mut ignores) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for entry @ (key, value) in entries(table) {
            match key.get_ref().as_ref() {
                "report" => self.report(&mut options, entry),
                "path" => paths = self.scopes(ScopeKind::Path, entry),
                "unit" => units = self.scopes(ScopeKind::Unit, entry),
                "ignore" => ignores = self.ignores(entry),
                _ if self.option_of(key).is_some() => self.setting(&mut options, entry),
                name => {
                    let problem = self.unknown_at_top(name, key.span(), value.get_ref());
                    self.problems.push(problem);
                }
            }
        }
        Config { file: file.to_owned(), options, paths, units, ignores }
    }

    /// Reads `[report]`: a file for each format.
    fn report(&mut self, acc: &mut Vec<Setting>, (key, value): Entry<'_, '_>) {
        let Some(table) = value.get_ref().as_table() else {
            let title = format!("`report` is a table, not {}", noun(value.get_ref()));
            let hint = "write `[report]`, and below it a line for each: `html = \"report.html\"`";
            self.complain(key.span(), title, hint);
            return;
        };
        for (key, value) in entries(table) {
            let name = key.get_ref().as_ref();
            if !self.reports.contains(&name) {
                let hint = match crate::nearest(name, self.reports.iter().copied()) {
                    Some(it) => format!("did you mean `{it}`?"),
                    None => format!("the formats are {}", listed(self.reports.iter())),
                };
                self.complain(key.span(), format!("there is no report `{name}`"), hint);
            } else if let Some(file) = value.get_ref().as_str().filter(|it| !it.is_empty()) {
                acc.push(Setting {
                    name: "report".to_owned(),
                    values: vec![format!("{name}={file}")],
                    kind: crate::Kind::Many,
                    line: line_at(self.text, key.span().start),
                });
            } else {
                let noun = match value.get_ref().as_str() {
                    Some(_) => "an empty string",
                    None => noun(value.get_ref()),
                };
                let title = format!("a report wants the name of a file, not {noun}");
                self.complain(value.span(), title, format!("write `{name} = \"FILE\"`"));
            }
        }
    }

    /// Reads `[path."…"]` or `[unit."…"]`: options for each pattern.
    fn scopes(&mut self, kind: ScopeKind, (key, value): Entry<'_, '_>) -> Vec<Scope> {
        let (name, example) = kind.name_and_example();
        let usage = format!("write `[{name}.\"{example}\"]`, and the options below it");
        let Some(table) = value.get_ref().as_table() else {
            let title = format!("`{name}` is a table of patterns, not {}", noun(value.get_ref()));
            self.complain(key.span(), title, usage);
            return Vec::new();
        };
        let mut res = Vec::new();
        for (key, value) in entries(table) {
            let pattern = key.get_ref().as_ref();
            let Some(table) = value.get_ref().as_table() else {
                let title = format!("`{pattern}` is not a pattern with options");
                self.complain(key.span(), title, &usage);
                continue;
            };
            let (settings, skip) = self.scope(table);
            let line = line_at(self.text, key.span().start);
            match kind.glob(pattern) {
                Ok(pattern) => res.push(Scope { pattern, settings, skip, line }),
                Err(why) => self.bad_glob(key.span(), pattern, &why, example),
            }
        }
        res
    }

    fn bad_glob(&mut self, span: Range<usize>, pattern: &str, why: &BadGlob, example: &str) {
        let title = match why {
            BadGlob::Empty => "this pattern is empty".to_owned(),
            BadGlob::Malformed(how) => format!("`{pattern}` is not a pattern: {how}"),
        };
        self.complain(span, title, format!("a pattern looks like `{example}`"));
    }

    fn complain(&mut self, span: Range<usize>, title: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem::at(self.text, span, title).hint(hint));
    }
}

/// Returns the entries in the order of the file.
fn entries<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut res: Vec<Entry<'t, 'i>> = table.iter().collect();
    res.sort_by_key(|(key, _)| key.span().start);
    res
}

/// Returns a noun for the value's type, with its article.
fn noun(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn listed(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<String> = names.map(|it| format!("`{}`", it.as_ref())).collect();
    names.join(", ")
}
