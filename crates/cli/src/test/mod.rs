//! `gimlet test`: inputs that make functions fail, tests of all paths, coverage of clauses.

mod plan;
mod project;
mod rewrite;
mod select;
mod unit;

mod clock;
mod contract;
mod explore;
mod gate;
mod pool;
mod progress;
mod workers;

mod confirm;
mod finding;
mod frames;
mod minimise;
mod shrink;

mod coverage;
mod reach;
mod replay;
mod report;
mod schedules;
mod symbolic;

pub(crate) mod prolog;

pub(crate) use finding::used_up;
pub(crate) use replay::replay;
pub(crate) use symbolic::symbolic;

use crate::args::{Backend, Format, Test};
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::machine::allowed;
use crate::start::{COULD_NOT, Done, stdout_colours};
use crate::test::confirm::confirm;
use crate::test::coverage::Sources;
use crate::test::explore::Task;
use crate::test::plan::{n_workers, plan, time_of, time_of_all};
use crate::test::progress::Progress;
use crate::test::project::Project;
use crate::test::report::corpus::Origin;
use crate::test::report::files::write_all;
use crate::test::report::{Report, Strictness, UnitReport, json, text};
use crate::test::workers::{Workers, machine};
use beam::Replayer;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::Covered;

/// What goes to stdout and stderr, and the exit code.
pub(crate) fn test(options: &Test) -> Result<Done, Vec<Diagnostic>> {
    if !options.build.nodes.0.is_empty() && options.backend != Backend::Machine {
        let title = "--nodes are nodes of our own machine, not of BEAM";
        return Err(vec![
            Diagnostic::new(Code::Unsupported, title).hint("leave --backend or --nodes out"),
        ]);
    }
    let (mut project, mut diagnostics) = Project::load(&options.targets, &options.build);
    if project.modules.is_empty() {
        return Err(diagnostics);
    }
    let tasks = match plan(&mut project, options, &mut diagnostics) {
        Ok(tasks) => tasks,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Err(diagnostics);
        }
    };
    let mut beam = replayer(&project);
    let report = match explore(&project, &tasks, options, beam.as_mut()) {
        Ok(report) => report,
        Err(why) => {
            diagnostics.push(Diagnostic::new(Code::Unsupported, why));
            return Err(diagnostics);
        }
    };
    for unit in &report.units {
        if let Some(why) = &unit.explored.trouble {
            let title = format!("{} could not be tested: {why}", unit.unit);
            diagnostics.push(Diagnostic::new(Code::UnitFailed, title));
        }
    }
    let origin = Origin { targets: options.targets.clone(), build: options.build.clone() };
    if let Some(dir) = &options.out {
        // Tests would run on one node.
        let beam = beam.as_mut().filter(|_| options.build.nodes.0.is_empty());
        let troubles = write_all(dir, &report, &project, &origin, &options.emit, beam);
        diagnostics.extend(troubles);
    }
    let stdout = match options.format {
        Format::Text => text::text(&report, stdout_colours()),
        Format::Json => json::document(&report, &origin),
    };
    let code = exit_code(&report, options);
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics, code })
}

fn exit_code(report: &Report, options: &Test) -> ExitCode {
    let strictness = if options.strict { Strictness::Strict } else { Strictness::Usual };
    if report.has_found(strictness) {
        ExitCode::from(1)
    } else if report.units.iter().all(|it| it.explored.trouble.is_some()) {
        ExitCode::from(COULD_NOT)
    } else {
        ExitCode::SUCCESS
    }
}

/// All units, their findings tried on BEAM as they come.
fn explore(
    project: &Project,
    tasks: &[Task],
    options: &Test,
    mut beam: Option<&mut Replayer>,
) -> Result<Report, String> {
    let interrupt = interrupt();
    let n_workers = n_workers(options);
    let progress = Progress::new(tasks.len(), n_workers, time_of(options));
    let allowed = allowed(&options.allowed);
    let sources = Sources::of(&machine(project, allowed, &interrupt)?, project);
    let time = time_of_all(options, project.modules.len());
    let wanted = tasks.iter().map(|it| sources.wanted(project, &it.unit)).collect();
    let (interrupt, progress, backend) = (&interrupt, &progress, options.backend);
    let workers =
        Workers { project, tasks, wanted, n_workers, time, allowed, backend, interrupt, progress };
    let mut units: Vec<UnitReport> = Vec::new();
    let mut covered = Covered::default();
    workers.run(|n, mut explored| {
        let Some(Task { unit, contract, .. }) = tasks.get(n) else { return };
        if let Some(beam) = &mut beam {
            confirm(beam, unit, &mut explored);
        }
        covered.add(&explored.report.covered);
        progress.covered(sources.n_covered(&covered));
        let coverage = sources.of_unit(project, unit, &explored.report.covered);
        let (unit, contract) = (unit.clone(), contract.clone());
        units.push(UnitReport { unit, contract, explored, coverage });
    });
    progress.clear();
    let of_units: Vec<_> = units.iter().map(|it| (&it.coverage, &it.explored)).collect();
    let modules = sources.union(&of_units);
    Ok(Report { units, modules })
}

/// Set by Ctrl-C: the search stops, and what is known is shown.
fn interrupt() -> Arc<AtomicBool> {
    let res = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&res);
    let ask_to_stop = move || {
        // Who asks twice means it.
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(COULD_NOT));
        }
    };
    // Without the handler, Ctrl-C ends us with nothing shown; that is all that is lost.
    drop(ctrlc::set_handler(ask_to_stop));
    res
}

/// A BEAM of its own, with the modules under test.
fn replayer(project: &Project) -> Option<Replayer> {
    let with_file = |it: &project::Module| Some((it.name.clone(), it.source.clone()?));
    let modules = project.modules.iter().filter_map(with_file).collect();
    let nodes = project.build.nodes.0.clone();
    Some(Replayer::new(project.host().ok()?, modules, nodes))
}
