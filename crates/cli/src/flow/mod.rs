//! The flow of `gimlet test`, the same for every language: load, plan, explore, confirm, report, write.

mod budget;
pub(crate) mod clock;
mod explorer;
mod files;
mod interrupt;
mod keep;
mod process;
mod program;
mod progress;
mod rated;
mod replay;
mod room;
mod serve;
mod so_far;
mod suppressed;
mod tally;
mod watched;
mod wire;
mod workers;

pub(crate) use budget::n_workers;
pub(crate) use interrupt::Interrupt;
pub(crate) use program::{
    Confirming, Done, File, Output, Program, Proof, Replaying, Slice, Until, shell_word,
};
pub(crate) use progress::{Progress, UnitProgress};
pub(crate) use rated::Rated;
pub(crate) use replay::{Again, Recorded, Replayed, replay, replay_on};
pub(crate) use room::{is_nearly_full, of_run, of_runtime};
pub(crate) use serve::{Role, serve};
pub(crate) use so_far::SoFar;
pub(crate) use tally::{Counts, Tally};

use crate::args::{Test, Tests};
use crate::asked::Asked;
use crate::confinement::lacking;
use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::Code;
use crate::flow::budget::Budget;
use crate::flow::files::OutputDirectory;
use crate::flow::keep::InterimWriter;
use crate::flow::process::{Owner, WorkerProcess};
use crate::flow::workers::{Alone, Search, Worker};
use crate::languages::{Family, by_family};
use crate::start::{self, COULD_NOT, stdout_colours};
use ::report::{Detail, MOST_TESTS, Report, SCHEMA, Unit, View};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs `gimlet test`. The result has the text for stdout, the diagnostics and the exit code.
pub(crate) fn test(asked: &Asked) -> Result<start::Done, Vec<Diagnostic>> {
    let begin = Instant::now();
    let options = &asked.test;
    // An unreadable baseline is reported before the search, not after it.
    let known = suppressed::known(options)?;
    let families = by_family(&options.targets);
    let mut flow = Flow {
        asked,
        begin,
        interrupt: Interrupt::new(),
        n_families_left: families.len(),
        report: Report {
            schema: SCHEMA,
            targets: options.targets.clone(),
            build: options.build.reported(),
            ..Report::default()
        },
        output: OutputDirectory::new(options.out.as_deref()),
        known,
        said: Vec::new(),
    };
    watched::watch(options, &flow.interrupt);
    for (family, targets) in families {
        if flow.interrupt.flag.load(Ordering::SeqCst) {
            break;
        }
        family.explore(&targets, &mut flow);
        flow.n_families_left -= 1;
    }
    if flow.report.units.is_empty() {
        if flow.said.is_empty() {
            let title = "--exclude leaves every target out";
            flow.said.push(
                Diagnostic::new(Code::NothingToTest, title)
                    .hint("`gimlet config` shows what is excluded"),
            );
        }
        return Err(flow.said);
    }
    Ok(flow.finish())
}

/// The maximum number of disagreements of a unit that its diagnostic shows.
const DISAGREEMENTS: usize = 3;

/// Whether an error with this code means that a part of the targets was not tested, or not faithfully.
fn is_lacking(code: Code) -> bool {
    let codes = [
        Code::NoTarget,
        Code::BadSyntax,
        Code::BadClause,
        Code::Refused,
        Code::Disagrees,
        Code::OutOfMemory,
    ];
    codes.contains(&code)
}

/// The maximum size, in bytes, of the inputs of a unit that are not findings in a report.
fn most_tests(options: &Test) -> usize {
    match options.tests {
        Tests::Minimal => MOST_TESTS,
        Tests::All => usize::MAX,
    }
}

/// The state of a `gimlet test`.
pub(crate) struct Flow<'a> {
    asked: &'a Asked,
    begin: Instant,
    interrupt: Interrupt,
    /// Language families that still need a part of the budget.
    n_families_left: usize,
    report: Report,
    output: OutputDirectory,
    /// The fingerprints of the findings in the baseline.
    known: BTreeSet<String>,
    said: Vec<Diagnostic>,
}

impl Flow<'_> {
    /// Loads, plans, explores and confirms the targets of one language family.
    pub(crate) fn explore<P: Program>(&mut self, family: Family, targets: &[String]) {
        let options = &self.asked.test;
        let interrupt = &self.interrupt.flag;
        let Planned { programs, units } =
            planned::<P>(targets, self.asked, interrupt, &mut self.said);
        if units.is_empty() {
            return;
        }
        self.interrupt.begin();
        let n_modules = programs.iter().map(P::n_modules).sum();
        let budget = Budget::new(options, n_modules, self.begin, self.n_families_left);
        let n_workers = n_workers(options);
        let progress = Progress::new(units.len(), n_workers, budget);
        let said = &mut self.said;
        let lacking = lacking(&options.allowed);
        let mut runtimes: Vec<Option<P::Runtime>> = match &lacking {
            None => programs.iter().map(|it| it.runtime(interrupt, said)).collect(),
            Some(_) => programs.iter().map(|_| None).collect(),
        };
        said.extend(lacking.filter(|it| said.iter().all(|known| known.code != it.code)));
        let progress = &progress;
        let arguments = std::env::args_os().skip(1).collect();
        let owner = Owner { arguments, plan: plan_of::<P>(&units), interrupt };
        let n_processes = n_workers.min(units.len());
        let n_cores = (n_workers / units.len()).max(1);
        let start = |alone: Alone| {
            let n_sharing = if alone == Alone::Yes { 1 } else { n_processes };
            let role = Role::new(family, options, n_sharing, n_cores);
            Ok(Box::new(WorkerProcess::start(&owner, &role)?) as Worker<'_, P>)
        };
        let search =
            Search { programs: &programs, units: &units, n_workers, budget, interrupt, progress };
        let mut keeper = InterimWriter::new(self.asked, &self.report, &self.known, interrupt);
        let known = search.run(&start, &mut runtimes, &mut |moment, known, so_far| {
            if keeper.is_due(moment) {
                keeper.keep(&programs, &workers::done(programs.len(), &units, known, so_far));
            }
        });
        let done = workers::done(programs.len(), &units, &known, &[]);
        progress.clear();
        for ((program, done), runtime) in programs.iter().zip(&done).zip(&mut runtimes) {
            program.report(done, &mut self.report);
            if let Some(dir) = &options.out {
                let targets = &self.report.targets;
                let (emit, tests) = (&options.emit, options.tests);
                let until = Until { deadline: budget.end_of_tests(), interrupt };
                let to = Output { done, targets, emit, tests, dir, until };
                let files = program.files(runtime.as_mut(), &to, &mut self.said);
                self.said.extend(self.output.write(files));
            }
        }
        self.leave_out_modules();
    }

    /// Removes modules from the report whose files the configuration excludes, except modules with a tested unit.
    fn leave_out_modules(&mut self) {
        let Report { units, modules, .. } = &mut self.report;
        modules.retain(|module| {
            let has_unit = || units.iter().any(|it| it.module == module.module);
            let is_skipped = |it: &String| self.asked.skips_file(it);
            !module.file.as_ref().is_some_and(is_skipped) || has_unit()
        });
    }

    /// Marks suppressed findings, writes the reports, and decides the exit code.
    fn finish(mut self) -> start::Done {
        let options = &self.asked.test;
        let report = &mut self.report;
        report.interrupted = self.interrupt.flag.load(Ordering::Relaxed);
        report.elapsed_ms = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        suppressed::mark(report, self.asked, &self.known, &mut self.said);
        report.join_causes();
        files::shorten_paths(report);
        report.units.iter_mut().for_each(Unit::judge);
        report.bound(most_tests(options));
        for unit in &report.units {
            if let Some(why) = &unit.trouble {
                let title = format!("{} could not be tested: {why}", unit.unit);
                self.said.push(Diagnostic::new(Code::UnitFailed, title));
            }
        }
        for unit in report.units.iter().filter(|it| !it.disagreements.is_empty()) {
            let title =
                format!("the real runtime does not do what our machine does: {}", unit.unit);
            let (mut shown, n) = (unit.disagreements.clone(), unit.disagreements.len());
            shown.truncate(DISAGREEMENTS);
            if DISAGREEMENTS < n {
                shown.push(format!("and {} more", n - DISAGREEMENTS));
            }
            self.said.push(Diagnostic::new(Code::Disagrees, title).with_details(shown));
        }
        if self.interrupt.is_out_of_memory() {
            let title = "the search was stopped: what it found takes all the memory for it";
            let hint = "--memory says how much there is; -f tests some of the functions";
            self.said.push(Diagnostic::new(Code::OutOfMemory, title).hint(hint));
        }
        report.written = self.output.written.clone();
        self.said.extend(files::write_reports(report, options));
        let detail = match (options.verbose, options.strict) {
            (true, _) => Detail::Everything,
            (false, true) => Detail::Refusals,
            (false, false) => Detail::Folded,
        };
        let view = View { colours: stdout_colours(), detail };
        let stdout = options.format.0.text(report, &view).into_bytes();
        let is_unwritten = self.said.iter().any(|it| it.code == Code::CanNotWrite);
        let is_missing =
            self.said.iter().any(|it| it.severity == Severity::Error && is_lacking(it.code));
        let is_broken = report.units.iter().all(|it| it.trouble.is_some());
        let code = if is_unwritten {
            ExitCode::from(COULD_NOT)
        } else if let Some(code) = self.interrupt.exit_code() {
            ExitCode::from(code)
        } else if report.fails(options.fail_on()) {
            ExitCode::from(1)
        } else if is_missing || is_broken {
            ExitCode::from(COULD_NOT)
        } else {
            ExitCode::SUCCESS
        };
        start::Done { stdout, stderr: vec![], diagnostics: self.said, code }
    }
}

/// The programs of one language family and the units to test.
struct Planned<P: Program> {
    programs: Vec<P>,
    /// Each unit with the index of its program, in the order of the programs.
    units: Vec<(usize, P::Unit)>,
}

/// Loads and plans the targets. The same arguments give the same plan, so a worker process has the same units as its
/// owner.
fn planned<P: Program>(
    targets: &[String],
    asked: &Asked,
    interrupt: &Arc<AtomicBool>,
    said: &mut Vec<Diagnostic>,
) -> Planned<P> {
    let mut res = Planned { programs: Vec::new(), units: Vec::new() };
    for mut program in P::load(targets, asked, said) {
        match program.plan(asked, interrupt, said) {
            Ok(planned) => {
                let place = res.programs.len();
                res.units.extend(planned.into_iter().map(|it| (place, it)));
                res.programs.push(program);
            }
            Err(diagnostic) => said.push(diagnostic),
        }
    }
    res
}

/// A hash of a plan, by which an owner recognises that a worker process has the same plan.
fn plan_of<P: Program>(units: &[(usize, P::Unit)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (place, unit) in units {
        (place, P::title(unit)).hash(&mut hasher);
    }
    hasher.finish()
}
