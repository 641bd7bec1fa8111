//! `cargo xtask suites DIR`: runs OTP's Common Test suites on BEAM and on the machine.
//!
//! Only cases that pass on BEAM under the same driver count. BEAM's verdicts are cached in the directory of
//! the suites. The machine runs in worker processes, so that a case that crashes a worker affects no other
//! case.

mod machine_side;
mod on_beam;

pub(crate) use machine_side::{WORKER, work};

use machine_side::Ending;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const USAGE: &str = "usage: cargo xtask suites DIR [--suite NAME[,NAME]] [--case NAME] [--jobs N] \
    [--time SECONDS] [--beam-time SECONDS] [--reductions N] [--refuse] [--out FILE]";

/// The options of the chore.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The directory of the compiled suites. The data of a suite is next to it, in `SUITE_data`.
    pub(crate) dir: PathBuf,
    suites: Vec<String>,
    case: Option<String>,
    jobs: usize,
    time: Duration,
    beam_time: Duration,
    pub(crate) reductions: u64,
    /// Whether the programs may use files and the system.
    pub(crate) effects: Effects,
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effects {
    Refused,
    Allowed,
}

/// A case of a suite. The name is preceded by those of its groups.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Case {
    pub(crate) suite: String,
    pub(crate) name: String,
}

pub(crate) fn run(args: &[&str]) -> Result<String, String> {
    let options = Options::parse(args)?;
    let driver = on_beam::driver(&options.dir)?;
    let suites = options.chosen_suites()?;
    let verdicts = each(&suites, options.jobs, |suite| {
        on_beam::verdicts(&options.dir, &driver, suite, options.beam_time)
    });
    let mut passing = Vec::new();
    let mut on_beam = Vec::new();
    for (suite, verdicts) in suites.iter().zip(verdicts) {
        let verdicts = verdicts?;
        let passes: Vec<Case> = verdicts
            .iter()
            .filter(|it| it.1 == "ok" && options.wants(it.0))
            .map(|it| Case { suite: suite.clone(), name: it.0.clone() })
            .collect();
        on_beam.push((suite.clone(), verdicts.len(), passes.len()));
        passing.extend(passes);
    }
    // The order keeps the cases of a suite together, so that they share the code that a worker has loaded.
    let endings = machine_side::run_all(&options, &driver, &passing)?;
    let report = report(&on_beam, &endings);
    if let Some(out) = &options.out {
        fs::write(out, &report).map_err(|it| format!("{}: {it}", out.display()))?;
    }
    Ok(report)
}

impl Options {
    fn parse(args: &[&str]) -> Result<Options, String> {
        let mut args = args.iter().copied();
        let Some(dir) = args.next() else { return Err(USAGE.to_owned()) };
        let dir = fs::canonicalize(dir).map_err(|it| format!("{dir}: {it}"))?;
        let mut res = Options {
            dir,
            suites: Vec::new(),
            case: None,
            jobs: 1,
            time: Duration::from_secs(20),
            beam_time: Duration::from_secs(60),
            reductions: 2_000_000_000,
            effects: Effects::Allowed,
            out: None,
        };
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            match option {
                "--suite" => res.suites.extend(value()?.split(',').map(str::to_owned)),
                "--case" => res.case = Some(value()?.to_owned()),
                "--jobs" => res.jobs = number(value()?)?,
                "--time" => res.time = Duration::from_secs(number(value()?)?),
                "--beam-time" => res.beam_time = Duration::from_secs(number(value()?)?),
                "--reductions" => res.reductions = number(value()?)?,
                "--allow" => res.effects = Effects::Allowed,
                "--refuse" => res.effects = Effects::Refused,
                "--out" => res.out = Some(PathBuf::from(value()?)),
                _ => return Err(format!("{option} is no option\n{USAGE}")),
            }
        }
        Ok(res)
    }

    fn chosen_suites(&self) -> Result<Vec<String>, String> {
        if !self.suites.is_empty() {
            let full = |it: &String| {
                if it.ends_with("_SUITE") { it.clone() } else { format!("{it}_SUITE") }
            };
            return Ok(self.suites.iter().map(full).collect());
        }
        let files =
            fs::read_dir(&self.dir).map_err(|it| format!("{}: {it}", self.dir.display()))?;
        let mut res: Vec<String> = files
            .flatten()
            .filter_map(|it| it.file_name().to_str()?.strip_suffix(".beam").map(str::to_owned))
            .filter(|it| it.ends_with("_SUITE"))
            .collect();
        res.sort();
        Ok(res)
    }

    fn wants(&self, case: &str) -> bool {
        let named = |it: &String| case == it || case.rsplit('/').next() == Some(it);
        self.case.as_ref().is_none_or(named)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim_end_matches('s').parse().map_err(|_| format!("{text} is not a number"))
}

/// Calls `work` for each item on `jobs` threads. The results are in the order of the items.
fn each<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let queue: Mutex<VecDeque<(usize, &T)>> = Mutex::new(items.iter().enumerate().collect());
    let done: Mutex<BTreeMap<usize, R>> = Mutex::new(BTreeMap::new());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some((i, item)) = next() {
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(i, result);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// Returns the table of results, followed by the causes of failures, most frequent first.
fn report(on_beam: &[(String, usize, usize)], endings: &[(Case, Ending)]) -> String {
    let mut res = format!("{:32} {:>6} {:>8} {:>8}\n", "suite", "cases", "on BEAM", "here");
    let (mut n_beam, mut n_here) = (0, 0);
    for (suite, cases, passes) in on_beam {
        let here = endings.iter().filter(|it| it.0.suite == *suite && it.1 == Ending::Passed);
        let here = here.count();
        n_beam += passes;
        n_here += here;
        push(&mut res, format_args!("{suite:32} {cases:6} {passes:8} {here:8}"));
    }
    push(&mut res, format_args!("{:32} {:6} {n_beam:8} {n_here:8}\n", "all", ""));
    let mut causes: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for (case, ending) in endings {
        if let Some(cause) = ending.cause() {
            causes.entry(cause).or_default().push(case);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|it| std::cmp::Reverse(it.1.len()));
    for (cause, cases) in causes {
        push(&mut res, format_args!("{:4} {cause}", cases.len()));
        for case in cases {
            push(&mut res, format_args!("       {} {}", case.suite, case.name));
        }
    }
    res
}

fn push(acc: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(acc, "{line}").unwrap_or_default();
}
