//! Suppressed findings: those of a baseline, and those that the configuration ignores.

use crate::args::Test;
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use ::report::{Report, Status};
use config::{Day, IgnoreQuery};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads the fingerprints of the findings in the baseline.
pub(super) fn known(options: &Test) -> Result<BTreeSet<String>, Vec<Diagnostic>> {
    match &options.baseline {
        Some(path) => fingerprints(path).map_err(|it| vec![it]),
        None => Ok(BTreeSet::new()),
    }
}

/// Marks findings that are known or ignored. A rule of the configuration whose last day has passed is a warning.
pub(super) fn mark(
    report: &mut Report,
    asked: &Asked,
    known: &BTreeSet<String>,
    said: &mut Vec<Diagnostic>,
) {
    let today = today();
    let file = asked.config.as_ref().map(|it| it.path.display().to_string()).unwrap_or_default();
    let ignores = asked.config.iter().flat_map(|it| &it.config.ignores);
    for ignore in ignores.clone().filter(|it| it.is_expired(today)) {
        let (line, because) = (ignore.line, &ignore.because);
        let title = format!("the ignore at {file}:{line} has expired: {because}");
        let hint = "mend what it ignores, or give it a later date";
        said.push(Diagnostic::warning(Code::BadConfig, title).hint(hint));
    }
    for unit in &mut report.units {
        for finding in &mut unit.findings {
            let query = IgnoreQuery {
                unit: &unit.unit,
                kind: finding.kind.name(),
                fingerprint: &finding.fingerprint,
                reason: &finding.reason,
            };
            let ignored = ignores.clone().find(|it| it.matches(&query, today));
            if let Some(ignore) = ignored {
                finding.status = Status::Ignored;
                finding.ignored_because = Some(ignore.because.clone());
            } else if known.contains(&finding.fingerprint) {
                finding.status = Status::Known;
            }
        }
    }
}

/// The fingerprints of all findings of an earlier report, including those that it ignores.
fn fingerprints(path: &Path) -> Result<BTreeSet<String>, Diagnostic> {
    let file = path.display();
    let bad = |why: String| {
        Diagnostic::new(Code::BadBaseline, format!("the baseline {file} {why}"))
            .hint("write one with `gimlet test … --report json=FILE`")
    };
    let text = fs::read_to_string(path).map_err(|error| bad(format!("can't be read: {error}")))?;
    let report: Report = serde_json::from_str(&text)
        .map_err(|error| bad(format!("is not a report of gimlet test: {error}")))?;
    if report.schema == 0 {
        return Err(bad("is not a report of gimlet test".to_owned()));
    }
    Ok(report.findings().map(|it| it.1.fingerprint.clone()).collect())
}

/// The date in UTC: year, month and day. `None` if the clock is before 1970.
fn today() -> Option<Day> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    civil(i64::try_from(seconds / 86_400).ok()?)
}

/// Converts a number of days since 1 January 1970 to a date, by Howard Hinnant's algorithm `civil_from_days`.
fn civil(days: i64) -> Option<Day> {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some((i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?))
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil(0), Some((1970, 1, 1)));
        assert_eq!(civil(19_782), Some((2024, 2, 29)));
        assert_eq!(civil(20_454), Some((2026, 1, 1)));
        assert_eq!(civil(20_818), Some((2026, 12, 31)));
    }
}
