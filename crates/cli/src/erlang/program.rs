//! Implements the language-independent [`Program`] for Erlang and Elixir.

use crate::args::{Backend, Test};
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::elixir::{self, Structs};
use crate::erlang::confirm::{Real, confirm};
use crate::erlang::corpus::{file_name, print_corpus};
use crate::erlang::coverage::Sources;
use crate::erlang::explore::{
    Explored, MAX_MEMORY, MAX_REDUCTIONS, MAX_TERM, Task, time_of_shrinking,
};
use crate::erlang::harness::OnBeam;
use crate::erlang::machine::allowed;
use crate::erlang::plan::{check_setups, plan};
use crate::erlang::project::{self, Project};
use crate::erlang::reach::who_reaches;
use crate::erlang::report;
use crate::erlang::script::Script;
use crate::erlang::setup::application;
use crate::erlang::systems::{DRIVER, DRIVER_NAME};
use crate::erlang::tests;
use crate::explain::Code;
use crate::flow::clock::Clock;
use crate::flow::{
    Again, Confirming, Done, File, Output, Program, Recorded, Replaying, Slice, Until, of_run,
};
use ::report::{Report, WrittenKind, svg};
use beam::Replayer;
use beam::backend::{Runner, Witness};
use engine::Stop;
use erlang::machine::{Allowed, Limits};
use erlang::{Machine, Settings};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use trace::{Covered, Input};

/// The state of a thread that explores units: our machine, and a BEAM if the backend needs one.
#[derive(Debug)]
pub(crate) struct MachineAndRunner {
    machine: Machine,
    runner: Option<Runner>,
}

/// How much longer a run may take that is in progress when the unit's time is over.
const LAST_RUN: Duration = Duration::from_secs(5);

impl Program for Project {
    type Unit = Task;
    type Worker = MachineAndRunner;
    type Explored = Explored;
    type Runtime = Replayer;

    const CONFIRMING: Confirming = Confirming::Unit;
    const LEAST_ROUNDS: usize = 1;

    fn load(targets: &[String], asked: &Asked, said: &mut Vec<Diagnostic>) -> Vec<Project> {
        let options = &asked.test;
        if !options.build.nodes.0.is_empty() && options.backend != Backend::Machine {
            let title = "--nodes are nodes of our own machine, not of BEAM";
            let hint = "leave --backend or --nodes out";
            said.push(Diagnostic::new(Code::Unsupported, title).hint(hint));
            return Vec::new();
        }
        let (mut project, diagnostics) = Project::load(targets, &options.build);
        said.extend(diagnostics);
        project.allowed = allowed(&options.allowed);
        project.backend = options.backend;
        project.memory = of_run(options, MAX_MEMORY);
        project.leave_out(&asked.excluded());
        if project.modules.is_empty() { Vec::new() } else { vec![project] }
    }

    fn plan(
        &mut self,
        asked: &Asked,
        interrupt: &Arc<AtomicBool>,
        said: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Task>, Diagnostic> {
        let mut tasks = plan(self, asked, said)?;
        let mut machine = machine(self, self.allowed, interrupt)
            .map_err(|why| Diagnostic::new(Code::Unsupported, why))?;
        let Test { setup, no_start, schedules, build, .. } = &asked.test;
        // The exploration of schedules is about the processes of the program alone.
        if setup.is_empty() && !no_start && !schedules && build.nodes.0.is_empty() {
            self.application = application(self, &mut machine, said);
            if let Some(setup) = &self.application {
                // Code that reads the application environment may miss it without raising an exception.
                let readers = who_reaches(self, &["application", "Elixir.Application"]);
                let readers = tasks.iter_mut().filter(|it| readers.contains(&it.unit));
                readers.for_each(|it| it.contract.setups.push(setup.clone()));
            }
        }
        check_setups(&mut machine, &mut tasks, said);
        self.structs = Arc::new(Structs::of(&mut machine, &self.names()));
        for contract in tasks.iter_mut().map(|it| &mut it.contract) {
            contract.structs = Arc::clone(&self.structs);
            if let Some(made_up) = &mut contract.made_up {
                made_up.structs = Arc::clone(&self.structs);
            }
        }
        self.sources = Sources::of(&machine, self);
        for task in &mut tasks {
            task.wanted = self.sources.wanted(&task.unit);
        }
        Ok(tasks)
    }

    fn n_modules(&self) -> usize {
        self.modules.len()
    }

    fn title(unit: &Task) -> String {
        unit.unit.title()
    }

    fn earlier(unit: &Task) -> &[Input] {
        &unit.earlier
    }

    fn worker(&self, interrupt: &Arc<AtomicBool>) -> Result<MachineAndRunner, String> {
        let machine = machine(self, self.allowed, interrupt)?;
        let runner = match self.backend {
            Backend::Machine => None,
            Backend::Auto => Some(runner(self, self.allowed)?),
            Backend::Beam => {
                let mut runner = runner(self, self.allowed)?;
                // Starting BEAM must not count as time of the first unit.
                runner.prepare().map_err(|it| it.to_string())?;
                Some(runner)
            }
        };
        Ok(MachineAndRunner { machine, runner })
    }

    fn explore(
        &self,
        worker: &mut MachineAndRunner,
        unit: &Task,
        before: Option<Explored>,
        slice: &Slice<'_, Explored>,
    ) -> Explored {
        let halt = Arc::new(AtomicBool::new(false));
        let before_it = worker.machine.interrupted_by(&halt);
        let limit = slice.time.saturating_add(time_of_shrinking(slice.time, Duration::ZERO));
        let limit = limit.saturating_add(LAST_RUN);
        let mut res = Clock::setting(&halt, limit, slice.interrupt, || {
            self.explore_on(worker, unit, before, slice)
        });
        worker.machine.interrupted_by(&before_it);
        if elixir::is_elixir(&unit.unit.module) {
            for finding in res.findings.iter_mut().filter(|it| it.said.is_none()) {
                finding.said = elixir::said(&mut worker.machine, &finding.outcome);
            }
        }
        res
    }

    /// A unit that ran out of time is continued while clauses are missing that no unit covered.
    fn is_open(&self, unit: &Task, explored: &Explored) -> bool {
        explored.report.stop == Stop::Time
            && unit.schedules.is_none()
            && explored.report.covered.lacks_some_of(&unit.wanted)
    }

    fn covered(explored: &Explored) -> Covered {
        explored.report.covered.clone()
    }

    fn n_findings(explored: &Explored) -> usize {
        explored.findings.len()
    }

    fn runtime(&self, interrupt: &Arc<AtomicBool>, _: &mut Vec<Diagnostic>) -> Option<Replayer> {
        let mut res = replayer(self)?;
        res.interrupted_by(interrupt);
        Some(res)
    }

    fn confirm(
        &self,
        runtime: &mut Replayer,
        batch: &mut [(&Task, &mut Explored)],
        which: Replaying,
        until: &Until<'_>,
    ) {
        for (task, explored) in batch {
            let was_on_beam = self.backend != Backend::Machine;
            let on = Real { beam: &mut *runtime, allowed: self.allowed, was_on_beam };
            confirm(on, &task.unit, explored, which, until);
        }
    }

    fn report(&self, done: &[Done<'_, Project>], into: &mut Report) {
        report::add(self, done, into);
    }

    fn files(
        &self,
        runtime: Option<&mut Replayer>,
        to: &Output<'_, Project>,
        said: &mut Vec<Diagnostic>,
    ) -> Vec<File> {
        let mut res = Vec::new();
        // Tests would run on one node.
        if self.build.nodes.0.is_empty() {
            res.extend(tests::files(self, to, runtime, said));
        }
        for it in to.done {
            // A unit without runs has no inputs; the file of an earlier run of the tool is kept.
            let explored = it.explored().filter(|it| !it.report.tests.is_empty());
            if let Some(explored) = explored {
                let unit = &it.unit.unit;
                let text = print_corpus(unit, explored, to.targets, &self.build);
                let name = format!("corpus/{}", file_name(unit));
                res.push(File::plain(WrittenKind::Inputs, name, text));
            }
            res.extend(charts(it));
        }
        res
    }

    fn has(&self, recorded: &Recorded) -> bool {
        Script::read(&recorded.call)
            .is_ok_and(|it| it.modules().iter().any(|it| self.module(it).is_some()))
    }

    fn again(
        &self,
        worker: &mut MachineAndRunner,
        recorded: &Recorded,
    ) -> Result<Again, Diagnostic> {
        if recorded.call.starts_with(DRIVER_NAME) {
            install_driver(self, &mut worker.machine)?;
        }
        report::again(&mut worker.machine, recorded)
    }
}

impl Project {
    /// Explores a unit. If a run misses an application that could be started, explores it again with the application
    /// started.
    fn explore_on(
        &self,
        worker: &mut MachineAndRunner,
        unit: &Task,
        before: Option<Explored>,
        slice: &Slice<'_, Explored>,
    ) -> Explored {
        // The driver and the behaviours of systems run on the machine only.
        let runner = worker.runner.as_mut().filter(|_| unit.contract.system.is_none());
        let runner = runner.map(|it| match self.backend {
            Backend::Auto => OnBeam::IfNeeded(it),
            Backend::Beam | Backend::Machine => OnBeam::Always(it),
        });
        let machines = &|| machine(self, self.allowed, slice.interrupt);
        let names = self.names();
        let of = (names.as_slice(), before.as_ref());
        let begin = Instant::now();
        let was_started = before.as_ref().is_some_and(|it| !it.setups.is_empty());
        let may_start = self.application.as_ref().filter(|_| unit.contract.setups.is_empty());
        let mut runner = runner;
        let mut unit = Cow::Borrowed(unit);
        let mut again = None;
        if !was_started {
            let runner = runner.as_mut().map(OnBeam::again);
            unit.to_mut().may_start = may_start.is_some();
            let found = unit.perform(&mut worker.machine, runner, of, slice, machines);
            again = Some(found).filter(|it| !it.misses_system);
        }
        let again = again.unwrap_or_else(|| {
            let unit = unit.to_mut();
            unit.contract.setups.extend(may_start.cloned());
            unit.may_start = false;
            let slice = Slice { time: slice.time.saturating_sub(begin.elapsed()), ..*slice };
            unit.perform(&mut worker.machine, runner, of, &slice, machines)
        });
        match before {
            Some(before) => again.after(before),
            None => again,
        }
    }
}

/// Loads the driver, which runs sequences of steps.
fn install_driver(project: &Project, machine: &mut Machine) -> Result<(), Diagnostic> {
    let failed = |why: String| Diagnostic::new(Code::UnitFailed, why);
    let driver = project.host().and_then(|mut it| it.load_text(DRIVER));
    let driver = driver.map_err(|it| failed(it.to_string()))?;
    machine.install(&driver).map_err(|it| failed(it.to_string()))
}

/// A message sequence chart for each finding with a schedule.
fn charts(done: &Done<'_, Project>) -> Vec<File> {
    let name = file_name(&done.unit.unit);
    let stem = name.strip_suffix(".corpus").unwrap_or(&name);
    let findings = done.explored().into_iter().flat_map(|it| &it.findings);
    let chart = |(n, finding): (usize, &crate::erlang::finding::Finding)| {
        let chart = finding.schedule.as_ref()?.chart.as_ref()?;
        let call = done.unit.unit.script(&finding.input.args).shown();
        let text = svg(chart, &format!("{} in {call}", finding.kind.name()));
        let name = format!("charts/{stem}.{}.svg", n + 1);
        Some(File::plain(WrittenKind::Chart, name, text))
    };
    findings.enumerate().filter_map(chart).collect()
}

/// A BEAM that runs the modules under test. Modules of OTP are tested as copies.
fn runner(project: &Project, allowed: Allowed) -> Result<Runner, String> {
    let host = project.host().map_err(|it| it.to_string())?;
    let mut res = Runner::new(host, allowed, Witness::default(), beam::backend::Limits::default());
    for module in project.modules.iter().filter(|it| it.source.is_some()) {
        res.add(&module.code).map_err(|it| it.to_string())?;
    }
    Ok(res)
}

/// A machine with the modules under test. They are loaded in the same order on every thread, so that clauses have the
/// same numbers.
pub(crate) fn machine(
    project: &Project,
    allowed: Allowed,
    interrupt: &Arc<AtomicBool>,
) -> Result<Machine, String> {
    let host = project.host().map_err(|it| it.to_string())?;
    let limits = Limits {
        reductions: MAX_REDUCTIONS,
        memory_bytes: project.memory,
        term_bytes: MAX_TERM,
        ..Limits::default()
    };
    let interrupt = Arc::clone(interrupt);
    let nodes = project.build.nodes.0.clone();
    let settings = Settings { limits, allowed, interrupt, nodes, ..Settings::default() };
    let mut res = Machine::new(Box::new(host), settings);
    for code in project.modules.iter().map(|it| &it.code).chain(&project.helpers) {
        res.install(code).map_err(|it| it.to_string())?;
    }
    project.modules.iter().for_each(|it| res.name_atoms(&it.code));
    Ok(res)
}

/// A BEAM that replays findings, with the modules under test.
pub(crate) fn replayer(project: &Project) -> Option<Replayer> {
    let with_file = |it: &project::Module| Some((it.name.clone(), it.source.clone()?));
    let modules = project.modules.iter().filter_map(with_file).collect();
    let nodes = project.build.nodes.0.clone();
    let replayer = Replayer::new(project.host().ok()?, modules, nodes);
    Some(match project.systems.is_empty() {
        true => replayer,
        false => replayer.helped_by(vec![DRIVER]),
    })
}
