//! The flow of `gimlet test`, the same for every language: load, plan, explore, confirm, report, write.

mod budget;
pub(crate) mod clock;
mod files;
mod interrupt;
mod program;
mod progress;
mod replay;
mod suppressed;
mod tally;
mod workers;

pub(crate) use budget::n_workers;
pub(crate) use interrupt::interrupt;
pub(crate) use program::{Confirming, Done, File, Output, Program, Slice, shell_word};
pub(crate) use progress::{Progress, UnitProgress};
pub(crate) use replay::{Again, Recorded, Replayed, replay, replay_on};
pub(crate) use tally::Tally;

use crate::args::Tests;
use crate::asked::Asked;
use crate::confinement::lacking;
use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::Code;
use crate::flow::budget::Budget;
use crate::flow::files::OutputDirectory;
use crate::flow::workers::Search;
use crate::languages::by_family;
use crate::start::{self, COULD_NOT, stdout_colours};
use ::report::{Detail, MOST_TESTS, Report, SCHEMA, Unit, View};
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs `gimlet test`: what goes to stdout and stderr, and the exit code.
pub(crate) fn test(asked: &Asked) -> Result<start::Done, Vec<Diagnostic>> {
    let begin = Instant::now();
    let options = &asked.test;
    // A baseline that can't be read is told of before the search, not after it.
    let known = suppressed::known(options)?;
    let families = by_family(&options.targets);
    let mut flow = Flow {
        asked,
        begin,
        interrupt: interrupt(),
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
    for (family, targets) in families {
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

/// Disagreements of one unit that are shown.
const DISAGREEMENTS: usize = 3;

/// Whether an error means that a part of what was asked for was not looked at, or not as it is.
fn is_lacking(code: Code) -> bool {
    let codes = [Code::NoTarget, Code::BadSyntax, Code::BadClause, Code::Refused, Code::Disagrees];
    codes.contains(&code)
}

/// A run of `gimlet test` while it goes on.
pub(crate) struct Flow<'a> {
    asked: &'a Asked,
    begin: Instant,
    interrupt: Arc<AtomicBool>,
    /// Families of languages that still need a part of the budget.
    n_families_left: usize,
    report: Report,
    output: OutputDirectory,
    /// The fingerprints of the findings that the baseline has.
    known: BTreeSet<String>,
    said: Vec<Diagnostic>,
}

impl Flow<'_> {
    /// Loads, plans, explores and confirms the targets of one family of languages.
    pub(crate) fn explore<P: Program>(&mut self, targets: &[String]) {
        let options = &self.asked.test;
        let mut programs = Vec::new();
        let mut units = Vec::new();
        for mut program in P::load(targets, self.asked, &mut self.said) {
            match program.plan(self.asked, &self.interrupt, &mut self.said) {
                Ok(planned) => {
                    units.extend(planned.into_iter().map(|it| (programs.len(), it)));
                    programs.push(program);
                }
                Err(diagnostic) => self.said.push(diagnostic),
            }
        }
        if units.is_empty() {
            return;
        }
        let n_modules = programs.iter().map(P::n_modules).sum();
        let budget = Budget::new(options, n_modules, self.begin, self.n_families_left);
        let n_workers = n_workers(options);
        let progress = Progress::new(units.len(), n_workers, budget);
        let said = &mut self.said;
        let lacking = lacking(&options.allowed);
        let mut runtimes: Vec<Option<P::Runtime>> = match &lacking {
            None => programs.iter().map(|it| it.runtime(said)).collect(),
            Some(_) => programs.iter().map(|_| None).collect(),
        };
        said.extend(lacking.filter(|it| said.iter().all(|known| known.code != it.code)));
        let (interrupt, progress) = (&self.interrupt, &progress);
        let search = Search { programs: &programs, units, n_workers, budget, interrupt, progress };
        let done = search.run(&mut runtimes);
        progress.clear();
        for ((program, done), runtime) in programs.iter().zip(&done).zip(&mut runtimes) {
            program.report(done, &mut self.report);
            if let Some(dir) = &options.out {
                let targets = &self.report.targets;
                let (emit, tests) = (&options.emit, options.tests);
                let to = Output { done, targets, emit, tests, dir };
                let files = program.files(runtime.as_mut(), &to);
                self.said.extend(self.output.write(files));
            }
        }
        self.leave_out_modules();
    }

    /// Leaves out the modules that the configuration leaves out as files, unless a unit of them was named.
    fn leave_out_modules(&mut self) {
        let Report { units, modules, .. } = &mut self.report;
        modules.retain(|module| {
            let has_unit = || units.iter().any(|it| it.module == module.module);
            let is_skipped = |it: &String| self.asked.skips_file(it);
            !module.file.as_ref().is_some_and(is_skipped) || has_unit()
        });
    }

    /// Marks the findings that do not count, writes the reports, and decides the exit code.
    fn finish(mut self) -> start::Done {
        let options = &self.asked.test;
        let report = &mut self.report;
        report.interrupted = self.interrupt.load(Ordering::Relaxed);
        report.elapsed_ms = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        suppressed::mark(report, self.asked, &self.known, &mut self.said);
        report.join_causes();
        report.units.iter_mut().for_each(Unit::judge);
        report.bound(match options.tests {
            Tests::Minimal => MOST_TESTS,
            Tests::All => usize::MAX,
        });
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
