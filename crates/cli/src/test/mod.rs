//! `gimlet test`: inputs that make functions fail, tests of all paths, coverage of clauses.

mod confirm;
mod contract;
mod coverage;
mod explore;
mod finding;
mod frames;
mod minimise;
mod pool;
mod precondition;
mod progress;
mod project;
mod reach;
mod report;
mod select;
mod shrink;
mod unit;
mod workers;

use crate::args::{Format, Test};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::machine::allowed;
use crate::start::Done;
use crate::test::confirm::{Verdict, try_on_beam};
use crate::test::contract::{Contract, Specs};
use crate::test::coverage::Sources;
use crate::test::explore::{Explored, Task};
use crate::test::finding::Confirmation;
use crate::test::progress::Progress;
use crate::test::project::Project;
use crate::test::report::{Report, Strictness, UnitReport};
use crate::test::select::{first_args, named, select};
use crate::test::unit::UnitName;
use crate::test::workers::Workers;
use beam::Replayer;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;
use trace::Input;

/// What goes to stdout and stderr, and the exit code.
pub(crate) fn test(options: &Test) -> Result<Done, Vec<Diagnostic>> {
    let (project, mut diagnostics) = Project::load(&options.targets, &options.build);
    if project.modules.is_empty() {
        return Err(diagnostics);
    }
    let mut tasks = match tasks(&project, options, &mut diagnostics) {
        Ok(tasks) => tasks,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Err(diagnostics);
        }
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    // Without the handler, Ctrl-C ends us with nothing shown; that is all that is lost.
    drop(ctrlc::set_handler(move || flag.store(true, std::sync::atomic::Ordering::Relaxed)));
    let n_workers =
        options.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into));
    // Workers without a unit of their own help with another's.
    let n_solvers = (n_workers / tasks.len().max(1)).max(1);
    tasks.iter_mut().for_each(|it| it.n_solvers = n_solvers);
    let progress = Progress::new(tasks.len(), n_workers, time(options));
    let workers = Workers {
        project: &project,
        tasks: &tasks,
        n_workers,
        allowed: allowed(&options.allowed),
        interrupt: &interrupt,
        progress: &progress,
    };
    let machine = workers.machine().map_err(|why| vec![Diagnostic::new(Code::Unsupported, why)])?;
    let sources = Sources::of(&machine, &project);
    drop(machine);
    let mut beam = replayer(&project);
    let mut units: Vec<UnitReport> = Vec::new();
    let mut covered = trace::Covered::default();
    workers.run(|n, mut explored| {
        let Some(task) = tasks.get(n) else { return };
        if let Some(beam) = &mut beam {
            confirm(beam, &task.unit, &mut explored);
        }
        covered.add(&explored.report.covered);
        progress.covered(sources.n_covered(&covered));
        let coverage = sources.of_unit(&project, &task.unit, &explored.report.covered);
        units.push(UnitReport { unit: task.unit.clone(), explored, coverage });
    });
    progress.clear();
    for unit in &units {
        if let Some(why) = &unit.explored.trouble {
            let title = format!("{} could not be tested: {why}", unit.unit);
            diagnostics.push(Diagnostic::new(Code::UnitFailed, title));
        }
    }
    let of_units: Vec<_> = units.iter().map(|it| (&it.coverage, &it.explored)).collect();
    let modules = sources.union(&of_units);
    let report = Report { units, modules };
    let strictness = if options.strict { Strictness::Strict } else { Strictness::Usual };
    let stdout = match options.format {
        Format::Text => report::text::text(&report),
        Format::Json => report::json::document(&report, &options.targets),
    };
    let code = if report.has_found(strictness) { ExitCode::from(1) } else { ExitCode::SUCCESS };
    Ok(Done { stdout: stdout.into_bytes(), diagnostics, code })
}

/// Runs without news before a unit is left, at least.
const PATIENCE: u64 = 10_000;

const TIME: Duration = Duration::from_secs(30);

fn time(options: &Test) -> Duration {
    options.time.unwrap_or(TIME)
}

/// All units with their contracts.
fn tasks(
    project: &Project,
    options: &Test,
    _diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Task>, Diagnostic> {
    let preconditions: Vec<UnitName> =
        options.pre.iter().map(|it| named(project, it)).collect::<Result<_, _>>()?;
    let specs = if options.no_spec { Specs::Ignored } else { Specs::Heeded };
    let settings = engine::Settings {
        depth: options.depth,
        max_runs: options.runs,
        // Whoever names a budget wants it used.
        patience: (options.time.is_none() && options.runs.is_none()).then_some(PATIENCE),
        strategy: options.strategy,
        seed: options.seed,
    };
    let task = |unit: UnitName| -> Result<Option<Task>, Diagnostic> {
        let Some(module) = project.module(&unit.module) else { return Ok(None) };
        let mut contract = Contract::of(module, &unit, specs);
        let fits = |it: &&UnitName| it.arity == unit.arity;
        contract.preconditions.extend(preconditions.iter().filter(fits).cloned());
        if let Some(text) = &options.args {
            contract.seeds = vec![Input { args: first_args(text, &unit)? }];
        }
        Ok(Some(Task { unit, contract, settings, time: time(options), n_solvers: 1 }))
    };
    let units = select(project, &options.functions)?;
    units.into_iter().filter_map(|it| task(it).transpose()).collect()
}

/// A BEAM of its own, with the modules under test.
fn replayer(project: &Project) -> Option<Replayer> {
    let modules =
        project.modules.iter().filter_map(|it| Some((it.name.clone(), it.source.clone()?)));
    Some(Replayer::new(project.host().ok()?, modules.collect()))
}

fn confirm(beam: &mut Replayer, unit: &UnitName, explored: &mut Explored) {
    explored.findings.retain_mut(|finding| {
        match try_on_beam(beam, unit, finding) {
            Verdict::Confirmed => finding.confirmation = Confirmation::Confirmed,
            Verdict::Unconfirmed(why) => finding.confirmation = Confirmation::Unconfirmed(why),
            Verdict::Dismissed => return false,
        }
        true
    });
}
