//! The counts of a whole report, and the lines of the summary.

use crate::data::{Report, Share, Unit};
use crate::finding::{Kind, Level};
use crate::rank::ranked;
use std::collections::BTreeMap;

/// The counts of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub n_units: usize,
    /// The number of units in words, such as `3 functions` or `2 functions and 5 predicates`.
    pub units: String,
    /// The number of findings that are shown, without races.
    pub n_found: usize,
    pub n_promises: usize,
    pub n_suspicious: usize,
    pub n_races: usize,
    /// The number of units with such findings.
    pub n_units_with_findings: usize,
    pub n_refusals: usize,
    pub n_refusing_units: usize,
    pub n_known: usize,
    pub n_ignored: usize,
    /// The number of all findings of any level.
    pub n_all: usize,
    pub n_confirmed: usize,
    pub runtimes: Vec<String>,
    pub n_diverged: usize,
    /// The number of units that the tool could not explore because of an error of its own.
    pub n_troubled: usize,
    /// The number of units that had no turn because the search was ended.
    pub n_untried: usize,
    /// Whether all paths of all units were tried.
    pub is_complete: bool,
    pub clauses: Share,
    pub n_modules: usize,
}

impl Summary {
    pub fn of(report: &Report) -> Summary {
        let ranked = ranked(report);
        let is_race = |kind: Kind| kind == Kind::Race;
        let found = || ranked.shown.iter().filter(|it| !is_race(it.1.kind));
        let of_level = |level: Level| found().filter(|it| it.1.level == level).count();
        let mut with_findings: Vec<*const Unit> =
            found().map(|it| std::ptr::from_ref(it.0)).collect();
        with_findings.sort();
        with_findings.dedup();
        let mut by_language: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in &report.units {
            *by_language.entry(unit.language.as_str()).or_default() += 1;
        }
        let mut words: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut runtimes: Vec<String> = Vec::new();
        for (name, n) in &by_language {
            let language = report.language(name);
            *words.entry((language.unit, language.units)).or_default() += n;
            runtimes.push(language.runtime);
        }
        runtimes.dedup();
        let units: Vec<String> =
            words.iter().map(|((one, many), n)| count(*n, one, many)).collect();
        let mut clauses = Share::default();
        for module in &report.modules {
            clauses.covered += module.clauses.covered;
            clauses.total += module.clauses.total;
        }
        Summary {
            n_units: report.units.len(),
            units: units.join(" and "),
            n_found: found().count(),
            n_promises: of_level(Level::Promise),
            n_suspicious: of_level(Level::Suspicious),
            n_races: ranked.shown.iter().filter(|it| is_race(it.1.kind)).count(),
            n_units_with_findings: with_findings.len(),
            n_refusals: ranked.folded.iter().map(|it| it.1.len()).sum(),
            n_refusing_units: ranked.folded.len(),
            n_known: ranked.known.len(),
            n_ignored: ranked.ignored.len(),
            n_all: report.findings().count(),
            n_confirmed: report.findings().filter(|it| it.1.confirmed).count(),
            runtimes,
            n_diverged: report.units.iter().map(|it| it.diverged).sum(),
            n_troubled: report.units.iter().filter(|it| it.trouble.is_some()).count(),
            n_untried: report.units.iter().filter(|it| it.is_untried()).count(),
            is_complete: report.units.iter().all(Unit::is_complete),
            clauses,
            n_modules: report.modules.len(),
        }
    }

    /// Returns the first line: what was found, and in how many units.
    pub fn headline(&self) -> String {
        if self.n_found == 0 {
            let tried = match self.is_complete {
                true => "all paths were tried",
                false => "not all paths were tried",
            };
            return format!("nothing found in {}; {tried}", self.units);
        }
        let found = count(self.n_found, "finding", "findings");
        let mut levels = Vec::new();
        if 0 < self.n_promises {
            levels.push(count(self.n_promises, "broken promise", "broken promises"));
        }
        if 0 < self.n_suspicious {
            levels.push(format!("{} suspicious", self.n_suspicious));
        }
        let n_with = self.n_units_with_findings;
        let of = match self.units.contains(" and ") {
            true => format!("{} units ({})", self.n_units, self.units),
            false => self.units.clone(),
        };
        format!("{found} in {n_with} of {of}: {}", levels.join(", "))
    }

    /// Returns the further lines, one for each count that is not zero.
    pub fn details(&self) -> Vec<String> {
        let mut res = Vec::new();
        if 0 < self.n_refusals {
            let kinds = count(self.n_refusals, "kind of input is", "kinds of input are");
            let by = count(self.n_refusing_units, "unit", "units");
            res.push(format!("{kinds} refused by {by}; --strict shows and counts them"));
        }
        if 0 < self.n_races {
            let results = count(self.n_races, "result depends", "results depend");
            res.push(format!("{results} on the schedule; --fail-on race counts them"));
        }
        if 0 < self.n_known {
            res.push(format!(
                "{} known from the baseline",
                count(self.n_known, "finding is", "findings are")
            ));
        }
        if 0 < self.n_ignored {
            res.push(format!("{} ignored", count(self.n_ignored, "finding is", "findings are")));
        }
        if 0 < self.n_all {
            let runtimes = self.runtimes.join(" and ");
            res.push(format!("{} of {} confirmed on {runtimes}", self.n_confirmed, self.n_all));
        }
        if 0 < self.n_troubled {
            let units = count(self.n_troubled, "unit", "units");
            res.push(format!("{units} could not be explored to the end by gimlet itself"));
        }
        if 0 < self.n_untried {
            let units = count(self.n_untried, "unit was", "units were");
            res.push(format!("{units} not tried: the search ended before"));
        }
        if 0 < self.n_diverged {
            let runs = count(self.n_diverged, "run", "runs");
            res.push(format!("{runs} did not take the path that their input was made for"));
        }
        res
    }
}

impl Unit {
    /// Whether nothing was run because the search was ended before the unit's turn.
    pub fn is_untried(&self) -> bool {
        self.runs == 0 && self.stop == crate::Stop::Interrupted
    }
}

/// Returns a number with its noun.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
