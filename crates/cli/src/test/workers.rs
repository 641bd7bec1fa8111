//! Units over threads. Each thread has a machine and a solver of its own; results come back in the
//! order of the units, whoever was first.

use crate::args::Backend;
use crate::start::STACK_BYTES;
use crate::test::explore::{Around, Explored, MAX_MEMORY, MAX_REDUCTIONS, Task};
use crate::test::gate::OnBeam;
use crate::test::plan::share_of;
use crate::test::progress::Progress;
use crate::test::project::Project;
use beam::backend::{Runner, Witness};
use engine::Stop;
use erlang::machine::{Allowed, Limits};
use erlang::{Machine, Settings};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use trace::Covered;

#[derive(Debug)]
pub(crate) struct Workers<'a> {
    pub(crate) project: &'a Project,
    pub(crate) tasks: &'a [Task],
    /// For each task, the clauses that it should come to.
    pub(crate) wanted: Vec<Covered>,
    pub(crate) n_workers: usize,
    /// For all tasks together.
    pub(crate) time: Option<Duration>,
    pub(crate) allowed: Allowed,
    pub(crate) backend: Backend,
    pub(crate) interrupt: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a Progress,
}

impl Workers<'_> {
    /// `done` gets the results one by one, in order.
    pub(crate) fn run(&self, mut done: impl FnMut(usize, Explored)) {
        let (next, begin) = (AtomicUsize::new(0), Instant::now());
        let (results, arrived) = channel();
        thread::scope(|scope| {
            for n in 0..self.n_workers.min(self.tasks.len()).max(1) {
                let (next, results) = (&next, results.clone());
                let name = format!("gimlet {n}");
                let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
                // What one thread can't take, another will.
                drop(builder.spawn_scoped(scope, move || self.work(next, begin, &results)));
            }
            drop(results);
            let mut waiting: BTreeMap<usize, Explored> = BTreeMap::new();
            let mut expected = 0;
            for (n, explored) in arrived {
                waiting.insert(n, explored);
                while let Some(explored) = waiting.remove(&expected) {
                    done(expected, explored);
                    expected += 1;
                }
            }
        });
    }

    fn work(&self, next: &AtomicUsize, begin: Instant, results: &Sender<(usize, Explored)>) {
        let modules = self.project.names();
        let (mut own, nothing) = (None, Covered::default());
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(n) else { return };
            let explored = if self.interrupt.load(Ordering::Relaxed) {
                let mut res = Explored::default();
                res.report.stop = Stop::Interrupted;
                res
            } else {
                let mut perform = || -> Result<Explored, String> {
                    let (machine, runner) = match &mut own {
                        Some(own) => own,
                        none => none.insert(self.sides()?),
                    };
                    let time = self.time_of(n, task, begin);
                    let runner = runner.as_mut().map(|it| match self.backend {
                        Backend::Auto => OnBeam::IfNeeded(it),
                        Backend::Beam | Backend::Machine => OnBeam::Always(it),
                    });
                    let budget = (time, self.wanted.get(n).unwrap_or(&nothing));
                    let (interrupt, progress) = (self.interrupt, self.progress);
                    let machines = &|| self::machine(self.project, self.allowed, interrupt);
                    let around = Around { interrupt, progress, machines };
                    Ok(task.perform(machine, runner, &modules, budget, &around))
                };
                // A bug of ours in one unit must not take the others with it.
                catch_unwind(AssertUnwindSafe(&mut perform))
                    .unwrap_or_else(|_| Err("gimlet broke; that is a bug of ours".to_owned()))
                    .unwrap_or_else(|why| {
                        own = None;
                        failed(why)
                    })
            };
            if results.send((n, explored)).is_err() {
                return;
            }
        }
    }
}

impl Workers<'_> {
    /// What the n-th task may take if those after it are to have their part.
    fn time_of(&self, n: usize, task: &Task, begin: Instant) -> Duration {
        let Some(time) = self.time else { return task.time };
        let left = time.saturating_sub(begin.elapsed());
        share_of(left, self.tasks.len().saturating_sub(n), self.n_workers).min(task.time)
    }

    /// What one thread runs units on.
    fn sides(&self) -> Result<(Machine, Option<Runner>), String> {
        let machine = machine(self.project, self.allowed, self.interrupt)?;
        let runner = match self.backend {
            Backend::Machine => None,
            Backend::Auto => Some(runner(self.project, self.allowed)?),
            Backend::Beam => {
                let mut runner = runner(self.project, self.allowed)?;
                // Its start must not be taken from the time of the first unit.
                runner.prepare().map_err(|it| it.to_string())?;
                Some(runner)
            }
        };
        Ok((machine, runner))
    }
}

/// A BEAM of its own for the modules under test. Those of OTP are under test in a copy.
fn runner(project: &Project, allowed: Allowed) -> Result<Runner, String> {
    let host = project.host().map_err(|it| it.to_string())?;
    let mut res = Runner::new(host, allowed, Witness::default(), beam::backend::Limits::default());
    for module in project.modules.iter().filter(|it| it.source.is_some()) {
        res.add(&module.code).map_err(|it| it.to_string())?;
    }
    Ok(res)
}

/// With the modules under test loaded, in the same order on every thread, so that their clauses have
/// the same numbers.
pub(crate) fn machine(
    project: &Project,
    allowed: Allowed,
    interrupt: &Arc<AtomicBool>,
) -> Result<Machine, String> {
    let host = project.host().map_err(|it| it.to_string())?;
    let limits =
        Limits { reductions: MAX_REDUCTIONS, memory_bytes: MAX_MEMORY, ..Limits::default() };
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

fn failed(why: String) -> Explored {
    let mut res = Explored { trouble: Some(why), ..Explored::default() };
    res.report.stop = Stop::Unsupported;
    res
}
