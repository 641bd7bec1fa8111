//! Shares the time of a test run among its units.
//!
//! Depths and numbers of runs limit the search wherever that is possible, so that two runs of the tool on the same
//! program give equal reports. Time limits only stop the search.

use crate::args::Test;
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of one unit, unless `--time` or `--budget` is given.
const TIME_OF_UNIT: Duration = Duration::from_secs(30);
/// The time per module, unless `--time` or `--budget` is given.
const TIME_OF_MODULE: Duration = Duration::from_secs(45);
/// The time limit of all modules together, unless `--time` or `--budget` is given: a person waits for the report.
const TIME_OF_PROJECT: Duration = Duration::from_secs(300);
/// In the first round the slice of a unit is this many times its equal share of the remaining time, since most units
/// end long before their slice does.
const SHARES: u32 = 2;
/// The minimum slice of a unit in the first round, unless `--time` or `--budget` is given.
const LEAST_TIME: Duration = Duration::from_millis(300);
/// The minimum time for replaying the findings of a unit, unless `--budget` is given.
const LEAST_REPLAYING: Duration = Duration::from_secs(10);
/// The maximum time for replaying the findings of all units, unless `--budget` is given.
const LONGEST_REPLAYING: Duration = Duration::from_secs(3600);
/// The search ends when 1/10 of the budget is left; the rest is for replaying findings, running tests and writing
/// reports.
const KEPT: u32 = 10;
/// Replaying ends when 1/20 of the budget is left; the rest is for running tests and writing reports.
const KEPT_FOR_TESTS: u32 = 20;
/// Running tests ends when 1/40 of the budget is left; the rest is for writing reports.
const KEPT_FOR_REPORTS: u32 = 40;

/// The time limits of a test run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    begin: Instant,
    of_unit: Duration,
    total: Total,
}

#[derive(Clone, Copy, Debug)]
enum Total {
    /// No limit for the whole run; `--time` limits each unit.
    None,
    /// Neither `--time` nor `--budget` is given: the limit of the search grows with the number of modules.
    Usual(Duration),
    /// `--budget`: the limit of the whole run, including loading and replaying.
    Asked(Duration),
}

impl Budget {
    /// Makes the budget of one language family. The families are explored one after the other; `n_left` of them, this
    /// one included, share the time that is left of `--budget`. The test run began at `begin`.
    pub(crate) fn new(options: &Test, n_modules: usize, begin: Instant, n_left: usize) -> Budget {
        let n_modules = u32::try_from(n_modules).unwrap_or(u32::MAX);
        let usual = TIME_OF_MODULE.saturating_mul(n_modules).min(TIME_OF_PROJECT);
        let total = match (options.budget, options.time) {
            (Some(budget), _) => {
                let spent = begin.elapsed();
                let n_left = u32::try_from(n_left.max(1)).unwrap_or(u32::MAX);
                Total::Asked(spent + budget.saturating_sub(spent) / n_left)
            }
            (None, Some(_)) => Total::None,
            (None, None) => Total::Usual(usual),
        };
        let begin = match total {
            Total::Asked(_) => begin,
            // The default limit does not include the time for loading.
            Total::None | Total::Usual(_) => Instant::now(),
        };
        Budget { begin, of_unit: time_of_unit(options), total }
    }

    /// Returns the slice of the next unit, of `n_left` that have not had their turn in this round.
    pub(crate) fn slice(&self, n_left: usize, n_workers: usize, round: usize) -> Duration {
        let count = |n: usize| u32::try_from(n.max(1)).unwrap_or(u32::MAX);
        let part = |shares: u32| {
            let left = self.left();
            let part = left.saturating_mul(shares.saturating_mul(count(n_workers)));
            (part / count(n_left)).min(left)
        };
        match self.total {
            Total::None => self.of_unit,
            Total::Usual(_) if round == 0 => part(SHARES).max(LEAST_TIME).min(self.of_unit),
            Total::Usual(_) | Total::Asked(_) => part(1).min(self.of_unit),
        }
    }

    /// The time that is left for the search.
    fn left(&self) -> Duration {
        let total = match self.total {
            Total::None => return Duration::MAX,
            Total::Usual(total) => total,
            Total::Asked(total) => total - total / KEPT,
        };
        total.saturating_sub(self.begin.elapsed())
    }

    /// Whether `n_open` units that were explored before may get another turn.
    pub(crate) fn has_more(&self, n_open: usize, n_workers: usize) -> bool {
        match self.total {
            Total::None => true,
            Total::Usual(_) | Total::Asked(_) => {
                LEAST_TIME <= self.slice(n_open, n_workers, 1)
                    || n_open <= n_workers && LEAST_TIME < self.left()
            }
        }
    }

    /// When replaying findings must end; `None` without `--budget`.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.end_that_keeps(KEPT_FOR_TESTS)
    }

    /// When running tests must end; `None` without `--budget`.
    pub(crate) fn end_of_tests(&self) -> Option<Instant> {
        self.end_that_keeps(KEPT_FOR_REPORTS)
    }

    fn end_that_keeps(&self, part: u32) -> Option<Instant> {
        match self.total {
            Total::None | Total::Usual(_) => None,
            Total::Asked(total) => Some(self.begin + (total - total / part)),
        }
    }

    /// When replaying the findings of `n_units` units must end if it begins now. Most replays take milliseconds;
    /// without `--budget` the limit per unit is that of its search.
    pub(crate) fn end_of_replaying(&self, n_units: usize) -> Instant {
        let n_units = u32::try_from(n_units.max(1)).unwrap_or(u32::MAX);
        let time = self.of_unit.max(LEAST_REPLAYING).saturating_mul(n_units).min(LONGEST_REPLAYING);
        self.deadline().unwrap_or_else(|| Instant::now() + time)
    }

    /// Whether the budget is used up, so that units without a turn stay untried.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline().is_some_and(|it| it <= Instant::now())
    }

    /// An upper bound of the remaining search time, for the progress line.
    pub(crate) fn at_most(&self, n_units: usize, n_workers: usize) -> Duration {
        let rounds = u32::try_from(n_units.div_ceil(n_workers.max(1))).unwrap_or(u32::MAX);
        self.left().min(self.of_unit.saturating_mul(rounds))
    }
}

/// The maximum time of a single unit.
fn time_of_unit(options: &Test) -> Duration {
    options.time.or(options.budget).unwrap_or(TIME_OF_UNIT)
}

pub(crate) fn n_workers(options: &Test) -> usize {
    let cores = || thread::available_parallelism().map_or(1, Into::into);
    options.jobs.unwrap_or_else(cores).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Budget, LEAST_TIME};
    use crate::args::{Command, CommandLine};
    use clap::Parser;
    use std::time::{Duration, Instant};

    fn budget(args: &[&str], n_modules: usize) -> Budget {
        let all = ["gimlet", "test", "x"].iter().chain(args);
        let line = CommandLine::try_parse_from(all).expect("arguments");
        let Command::Test(options) = line.command else { panic!("not `test`") };
        Budget::new(&options, n_modules, Instant::now(), 1)
    }

    #[test]
    fn a_budget_is_shared_and_some_of_it_is_kept_for_the_report() {
        let of_two_minutes = budget(&["--budget", "2m"], 100);
        // 108 s, which is 9/10 of two minutes, are for the search of 300 units on two cores.
        assert!(of_two_minutes.slice(300, 2, 0) <= Duration::from_millis(720));
        assert!(of_two_minutes.slice(1, 2, 0) <= Duration::from_secs(108));
        assert!(of_two_minutes.deadline().is_some());
    }

    #[test]
    fn without_a_budget_every_unit_has_its_least_time() {
        assert!(LEAST_TIME <= budget(&[], 1).slice(1_000_000, 1, 0));
        assert_eq!(budget(&["--time", "5s"], 100).slice(1_000_000, 1, 0), Duration::from_secs(5));
        assert_eq!(budget(&[], 100).deadline(), None);
        let begin = Instant::now();
        let end = budget(&["--time", "20s"], 1).end_of_replaying(3);
        assert!(begin + Duration::from_secs(60) <= end);
    }
}
