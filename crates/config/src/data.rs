//! The contents of a configuration file, and which settings apply to a unit.
//!
//! Does not know the meaning of options: values are kept as the text that the command line would be given.

use crate::glob::Glob;
use crate::ignore::Ignore;

/// An option that may be set, as the command line defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The long name without dashes, such as `time` or `no-spec`.
    pub name: String,
    pub kind: Kind,
    pub extent: Extent,
}

/// Where in the file an option may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// At the top only: it applies to the whole run.
    Run,
    /// At the top, and in the table of a path's or unit's pattern.
    Unit,
}

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No value: the option is given or not.
    Flag,
    /// Exactly one value.
    One,
    /// Any number of values; on the command line the option is repeated.
    Many,
}

/// A whole configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// Options for the whole run. Every report is a separate setting `report`.
    pub options: Vec<Setting>,
    /// Options for the units of some files, in the order of the file.
    pub paths: Vec<Scope>,
    /// Options for some units, in the order of the file.
    pub units: Vec<Scope>,
    /// Findings that are accepted.
    pub ignores: Vec<Ignore>,
}

impl Config {
    /// Returns the settings of the scopes that match a unit, each option at most once. A scope of units overrides a
    /// scope of paths, and a later scope overrides an earlier one of the same sort.
    ///
    /// `file` is relative to the directory of the configuration file. The result overrides settings with the same name
    /// in `options`; it includes flags that are `false` for that purpose.
    pub fn for_unit(&self, unit: &str, file: Option<&str>) -> Vec<&Setting> {
        let mut res: Vec<&Setting> = Vec::new();
        for setting in self.scopes_of(unit, file).flat_map(|it| &it.settings) {
            res.retain(|it| it.name != setting.name);
            res.push(setting);
        }
        res
    }

    /// Whether the file excludes a unit from testing. Scopes override each other as in `for_unit`.
    pub fn is_skipped(&self, unit: &str, file: Option<&str>) -> bool {
        self.scopes_of(unit, file).filter_map(|it| it.skip).last().unwrap_or(false)
    }

    /// Returns the scopes that match; later ones override earlier ones.
    fn scopes_of(&self, unit: &str, file: Option<&str>) -> impl Iterator<Item = &Scope> {
        let paths = self.paths.iter().filter(move |it| file.is_some_and(|file| it.matches(file)));
        paths.chain(self.units.iter().filter(move |it| it.matches(unit)))
    }
}

/// The setting of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The long name of the option, without dashes.
    pub name: String,
    /// The values; for a flag a single `true` or `false`.
    pub values: Vec<String>,
    pub kind: Kind,
    /// The line in the file, counted from one.
    pub line: usize,
}

impl Setting {
    /// Returns the command-line arguments for the setting, such as `--time=30s`; none for a flag that is `false`.
    pub fn arguments(&self) -> Vec<String> {
        let Setting { name, values, kind, .. } = self;
        match kind {
            Kind::Flag if values.iter().any(|it| it == "true") => vec![format!("--{name}")],
            Kind::Flag => Vec::new(),
            Kind::One | Kind::Many => values.iter().map(|it| format!("--{name}={it}")).collect(),
        }
    }
}

/// Options for some units only.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The pattern for the file of a unit, or for its name.
    pub pattern: Glob,
    pub settings: Vec<Setting>,
    /// Whether the units are excluded; `None` if the scope does not say so.
    pub skip: Option<bool>,
    /// The line in the file, counted from one.
    pub line: usize,
}

impl Scope {
    /// Whether a file (`[path."…"]`) or the name of a unit (`[unit."…"]`) belongs to this scope.
    pub fn matches(&self, text: &str) -> bool {
        self.pattern.matches(text)
    }
}
