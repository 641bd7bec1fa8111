//! `[[ignore]]`: accepted findings.
//!
//! Does not know which kinds of findings exist.

use super::{Entry, Reader, entries, listed, noun};
use crate::glob::Glob;
use crate::ignore::{Day, Ignore};
use crate::problem::line_at;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys that select findings.
const SELECTORS: &[&str] = &["unit", "kind", "fingerprint", "reason"];
/// The other keys.
const REMARKS: &[&str] = &["because", "until"];

impl Reader<'_> {
    pub(super) fn ignores(&mut self, (key, value): Entry<'_, '_>) -> Vec<Ignore> {
        let Some(values) = value.get_ref().as_array() else {
            self.not_ignores(key.span(), value.get_ref());
            return Vec::new();
        };
        let mut res = Vec::new();
        for value in values.iter() {
            match value.get_ref().as_table() {
                Some(table) => res.extend(self.ignore(value.span(), table)),
                None => self.not_ignores(value.span(), value.get_ref()),
            }
        }
        res
    }

    fn not_ignores(&mut self, span: Range<usize>, value: &DeValue<'_>) {
        let title = format!("`ignore` is a list of tables, not {}", noun(value));
        self.complain(span, title, "write `[[ignore]]` above each of them, in double brackets");
    }

    /// Reads one `[[ignore]]`; `None` if a required key is missing.
    fn ignore(&mut self, span: Range<usize>, table: &DeTable<'_>) -> Option<Ignore> {
        let line = line_at(self.text, span.start);
        let (mut unit, mut kind, mut fingerprint, mut reason) = (None, None, None, None);
        let (mut because, mut until) = (None, None);
        for (key, value) in entries(table) {
            match key.get_ref().as_ref() {
                "unit" => unit = self.name_glob("unit", value, "shop:*"),
                "kind" => kind = self.string("kind", value),
                "fingerprint" => fingerprint = self.fingerprint(value),
                "reason" => reason = self.name_glob("reason", value, "*badarg*"),
                "because" => because = self.string("because", value),
                "until" => until = self.day(value),
                name => {
                    let names = SELECTORS.iter().chain(REMARKS).copied();
                    let hint = match crate::nearest(name, names.clone()) {
                        Some(it) => format!("did you mean `{it}`?"),
                        None => format!("an ignore has {}", listed(names)),
                    };
                    self.complain(key.span(), format!("an ignore has no `{name}`"), hint);
                }
            }
        }
        if self.is_whole {
            self.check_is_complete(&span, table);
        }
        Some(Ignore { unit, kind, fingerprint, reason, because: because?, until, line })
    }

    fn check_is_complete(&mut self, span: &Range<usize>, table: &DeTable<'_>) {
        let has = |name: &str| table.iter().any(|(key, _)| key.get_ref() == name);
        if !SELECTORS.iter().any(|it| has(it)) {
            let title = "this ignores every finding";
            let hint = format!("say which: give at least one of {}", listed(SELECTORS.iter()));
            self.complain(span.clone(), title, hint);
        }
        if !has("because") {
            let title = "an ignore needs a `because`";
            let hint = "say why it is fine: `because = \"the caller checks it\"`";
            self.complain(span.clone(), title, hint);
        }
    }

    /// Reads a string that is not empty.
    fn string(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let noun = match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => return Some(text.to_owned()),
            Some(_) => "an empty one",
            None => noun(value.get_ref()),
        };
        let title = format!("`{name}` wants a string, not {noun}");
        self.complain(value.span(), title, format!("write `{name} = \"TEXT\"`"));
        None
    }

    fn name_glob(
        &mut self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        example: &str,
    ) -> Option<Glob> {
        let text = self.string(name, value)?;
        Glob::name(&text).map_err(|why| self.bad_glob(value.span(), &text, &why, example)).ok()
    }

    fn fingerprint(&mut self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.string("fingerprint", value)?;
        if text.chars().all(|it| it.is_ascii_hexdigit()) {
            return Some(text);
        }
        let hint = "copy it from the report: digits and the letters a to f, such as \
                    `0123456789abcdef`";
        self.complain(value.span(), format!("`{text}` is not a fingerprint"), hint);
        None
    }

    fn day(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Day> {
        let noun = match value.get_ref().as_datetime() {
            Some(it) => match (it.date, it.time) {
                (Some(date), None) => return Some((date.year.into(), date.month, date.day)),
                (Some(_), Some(_)) => "a date with a time",
                (None, Some(_)) => "a time",
                // The text is not a date, which the parser has reported already.
                (None, None) => return None,
            },
            None => noun(value.get_ref()),
        };
        let hint = "write `until = 2026-12-31`, without quotes";
        self.complain(value.span(), format!("`until` wants a date, not {noun}"), hint);
        None
    }
}
