//! What a configuration file says, and which part of it holds for a unit.
//!
//! Does not know what an option means: values stay the text that the command line would be given.

use crate::glob::Glob;
use crate::ignore::Ignore;

/// An option that may be set, as the command line defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The long name without dashes: `time`, `no-spec`.
    pub name: String,
    pub kind: Kind,
    pub extent: Extent,
}

/// Where in the file an option may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only at the top: it holds for the whole run.
    Run,
    /// At the top, and below the pattern of a path or a unit.
    Unit,
}

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// None: the option is given or not.
    Flag,
    /// Exactly one.
    One,
    /// Any number; on the command line the option is repeated.
    Many,
}

/// A whole configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// Options that hold for the whole run. Every report is a setting `report` of its own.
    pub options: Vec<Setting>,
    /// Options for the units of some files, in the order of the file.
    pub paths: Vec<Scope>,
    /// Options for some units, in the order of the file.
    pub units: Vec<Scope>,
    /// Findings that are accepted.
    pub ignores: Vec<Ignore>,
}

impl Config {
    /// The settings of the scopes that match a unit, each option at most once. A scope of units beats a
    /// scope of paths, and a later scope beats an earlier one of the same sort.
    ///
    /// `file` is relative to the directory of the configuration file. The result replaces settings of
    /// the same name in `options`; a flag that is `false` is part of it, so that it can do so.
    pub fn for_unit(&self, unit: &str, file: Option<&str>) -> Vec<&Setting> {
        let mut res: Vec<&Setting> = Vec::new();
        for setting in self.scopes_of(unit, file).flat_map(|it| &it.settings) {
            res.retain(|it| it.name != setting.name);
            res.push(setting);
        }
        res
    }

    /// Whether the file says that a unit is not tested. The same scopes win as in `for_unit`.
    pub fn is_skipped(&self, unit: &str, file: Option<&str>) -> bool {
        self.scopes_of(unit, file).filter_map(|it| it.skip).last().unwrap_or(false)
    }

    /// The scopes that match, those that win last.
    fn scopes_of(&self, unit: &str, file: Option<&str>) -> impl Iterator<Item = &Scope> {
        let paths = self.paths.iter().filter(move |it| file.is_some_and(|file| it.matches(file)));
        paths.chain(self.units.iter().filter(move |it| it.matches(unit)))
    }
}

/// An option and what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The long name of the option, without dashes.
    pub name: String,
    /// For a flag, the one value `true` or `false`.
    pub values: Vec<String>,
    pub kind: Kind,
    /// The line of the file, counted from one.
    pub line: usize,
}

impl Setting {
    /// The arguments of a command line that set the option so: `--time=30s`. A flag that is `false`
    /// gives none.
    pub fn arguments(&self) -> Vec<String> {
        let Setting { name, values, kind, .. } = self;
        match kind {
            Kind::Flag if values.iter().any(|it| it == "true") => vec![format!("--{name}")],
            Kind::Flag => Vec::new(),
            Kind::One | Kind::Many => values.iter().map(|it| format!("--{name}={it}")).collect(),
        }
    }
}

/// Options that hold for some units only.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What the file of a unit, or its name, has to match.
    pub pattern: Glob,
    pub settings: Vec<Setting>,
    /// Whether the units are left out, if the scope says so.
    pub skip: Option<bool>,
    /// The line of the file, counted from one.
    pub line: usize,
}

impl Scope {
    /// Whether a file (`[path."…"]`) or the name of a unit (`[unit."…"]`) belongs to this scope.
    pub fn matches(&self, text: &str) -> bool {
        self.pattern.matches(text)
    }
}
