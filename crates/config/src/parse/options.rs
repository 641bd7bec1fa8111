//! Options and their values: the option of a key, and its value as text for a command line.
//!
//! Knows how many values an option takes, not which ones are valid.

use super::{Entry, Reader, TABLES, entries, listed, noun};
use crate::data::{Extent, Kind, Known, Setting};
use crate::problem::{Problem, line_at};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

impl Reader<'_> {
    /// Reads the settings of a scope and its `skip`.
    pub(super) fn scope(&mut self, table: &DeTable<'_>) -> (Vec<Setting>, Option<bool>) {
        let (mut settings, mut skip) = (Vec::new(), None);
        for entry @ (key, value) in entries(table) {
            match key.get_ref().as_ref() {
                "skip" => skip = self.flag("skip", value),
                "report" => {
                    let title = "`report` holds for the whole run, not for some units";
                    self.complain(key.span(), title, "move it to `[report]`");
                }
                name => match self.option_of(key).map(|it| it.extent) {
                    Some(Extent::Unit) => self.setting(&mut settings, entry),
                    Some(Extent::Run) => {
                        let title = format!("`{name}` holds for the whole run, not for some units");
                        self.complain(key.span(), title, "move it to the top of the file");
                    }
                    None => {
                        let problem = self.unknown_in_scope(name, key.span(), value.get_ref());
                        self.problems.push(problem);
                    }
                },
            }
        }
        (settings, skip)
    }

    /// Returns the option of a key; `no_spec` stands for `no-spec`.
    pub(super) fn option_of(&self, key: &Spanned<DeString<'_>>) -> Option<&Known> {
        let name = key.get_ref().replace('_', "-");
        self.known.iter().find(|it| it.name == name)
    }

    /// Adds the setting of an option. Ignores keys that are not options.
    pub(super) fn setting(&mut self, acc: &mut Vec<Setting>, (key, value): Entry<'_, '_>) {
        let Some(Known { name, kind, extent: _ }) = self.option_of(key).cloned() else {
            return;
        };
        if acc.iter().any(|it| it.name == name) {
            let title = format!("`{name}` is set twice");
            self.complain(
                key.span(),
                title,
                "`-` and `_` are the same in names; keep one of the two",
            );
            return;
        }
        let values = match kind {
            Kind::Flag => self.flag(&name, value).map(|it| vec![it.to_string()]),
            Kind::One => self.one(&name, value).map(|it| vec![it]),
            Kind::Many => match value.get_ref().as_array() {
                Some(values) => values.iter().map(|it| self.one_of_many(&name, it)).collect(),
                None => self.one_of_many(&name, value).map(|it| vec![it]),
            },
        };
        if let Some(values) = values {
            acc.push(Setting { name, values, kind, line: line_at(self.text, key.span().start) });
        }
    }

    fn flag(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        let res = value.get_ref().as_bool();
        if res.is_none() {
            let title = format!("`{name}` wants true or false, not {}", noun(value.get_ref()));
            self.complain(value.span(), title, format!("write `{name} = true`, without quotes"));
        }
        res
    }

    fn one(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let res = text_of(value.get_ref());
        if res.is_none() {
            let title = format!("`{name}` wants one value, not {}", noun(value.get_ref()));
            self.complain(value.span(), title, format!("write `{name} = \"VALUE\"`"));
        }
        res
    }

    fn one_of_many(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let res = text_of(value.get_ref());
        if res.is_none() {
            let title = format!("`{name}` wants strings or numbers, not {}", noun(value.get_ref()));
            self.complain(value.span(), title, format!("write `{name} = [\"ONE\", \"TWO\"]`"));
        }
        res
    }

    pub(super) fn unknown_at_top(
        &self,
        name: &str,
        span: Range<usize>,
        value: &DeValue<'_>,
    ) -> Problem {
        let near_table = crate::nearest(name, TABLES.iter().map(|it| it.0))
            .and_then(|near| TABLES.iter().find(|it| it.0 == near))
            .map(|it| format!("did you mean `{}`?", it.1));
        if is_table(value) {
            let hint = near_table.unwrap_or_else(|| {
                format!("the tables are {}", listed(TABLES.iter().map(|it| it.1)))
            });
            return Problem::at(self.text, span, format!("there is no table `{name}`")).hint(hint);
        }
        let hint = match name {
            "skip" => "it goes below `[path.\"src/**\"]` or `[unit.\"m:f/1\"]`".to_owned(),
            _ => match (self.near_option(name), near_table) {
                (Some(hint), _) | (None, Some(hint)) => hint,
                (None, None) => {
                    format!("the options are {}", listed(self.known.iter().map(|it| &it.name)))
                }
            },
        };
        Problem::at(self.text, span, format!("there is no option `{name}`")).hint(hint)
    }

    fn unknown_in_scope(&self, name: &str, span: Range<usize>, value: &DeValue<'_>) -> Problem {
        if is_table(value) {
            return Problem::at(self.text, span, format!("`{name}` is a table inside a pattern"))
                .hint("put the whole pattern in quotes: `[unit.\"a.b:f/1\"]`");
        }
        let near_skip = crate::nearest(name, ["skip"]).map(|it| format!("did you mean `{it}`?"));
        let hint = self.near_option(name).or(near_skip).unwrap_or_else(|| {
            let of_unit = |it: &&Known| it.extent == Extent::Unit;
            let names = self.known.iter().filter(of_unit).map(|it| it.name.as_str());
            format!("there is `skip`, and the options are {}", listed(names))
        });
        Problem::at(self.text, span, format!("there is no option `{name}`")).hint(hint)
    }

    fn near_option(&self, name: &str) -> Option<String> {
        let name = name.replace('_', "-");
        crate::nearest(&name, self.known.iter().map(|it| it.name.as_str()))
            .map(|it| format!("did you mean `{it}`?"))
    }
}

fn is_table(value: &DeValue<'_>) -> bool {
    let is_list_of_tables = |values: &[Spanned<DeValue<'_>>]| {
        !values.is_empty() && values.iter().all(|it| it.get_ref().is_table())
    };
    value.is_table() || value.as_array().is_some_and(|it| is_list_of_tables(it))
}

/// Returns a plain value as it is written on a command line.
fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(it) if it.radix() == 10 => Some(without_plus(it.as_str())),
        // Prefixes such as 0x exist in TOML only. A number that is too large is passed on unchanged and refused by the
        // option.
        DeValue::Integer(it) => Some(
            u64::from_str_radix(it.as_str(), it.radix())
                .map_or_else(|_| it.to_string(), |it| it.to_string()),
        ),
        DeValue::Float(it) => Some(without_plus(it.as_str())),
        DeValue::Boolean(it) => Some(it.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn without_plus(number: &str) -> String {
    number.strip_prefix('+').unwrap_or(number).to_owned()
}
