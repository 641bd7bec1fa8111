//! Setups that run before each input: a function that the user names, or the start of the application of the modules
//! under test.
//!
//! The application is started if that has no effect outside, and only for functions in whose runs it was missing: a
//! start costs far more than most calls.

use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::harness::{SETUP, setup_code};
use crate::erlang::project::Project;
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use beam::applications::{app_file, described_in, name_of, needed, starts_something};
use beam::{Preparation, Source};
use erlang::{Machine, Outcome};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use term::{Atom, Style, Term, print};

/// A setup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Setup {
    Call(UnitName),
    Application(Application),
}

/// An application with its dependencies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Application {
    pub(crate) name: Atom,
    /// The descriptions of the applications to start, in this order: `{application, Name, Keys}`.
    pub(crate) all: Vec<Term>,
}

/// The maximum number of reductions of a start; a longer one is left to the user.
const MAX_STEPS: u64 = 300_000;

impl Setup {
    /// A phrase for messages that says that the setup was done.
    pub(crate) fn title(&self) -> String {
        match self {
            Setup::Call(unit) => format!("after {}", unit.title()),
            Setup::Application(it) => format!("the application {} is running", quoted(&it.name)),
        }
    }

    /// The setup as a request to BEAM.
    pub(crate) fn preparation(&self) -> Preparation {
        match self {
            Setup::Call(unit) => Preparation::Call(unit.module.clone(), unit.function.clone()),
            Setup::Application(it) => Preparation::Application(it.name.clone()),
        }
    }

    /// The setup as code of a test in Erlang.
    pub(crate) fn erlang(&self) -> String {
        match self {
            Setup::Call(unit) => format!("{}:{}()", quoted(&unit.module), quoted(&unit.function)),
            Setup::Application(it) => {
                let name = quoted(&it.name);
                format!(
                    "application:stop({name}), {{ok, _}} = application:ensure_all_started({name})"
                )
            }
        }
    }

    /// The setup as code of a test in Elixir.
    pub(crate) fn elixir(&self) -> String {
        match self {
            Setup::Call(unit) => elixir::call(&unit.module, &unit.function, &[]),
            Setup::Application(it) => {
                let name = elixir::atom(&it.name);
                format!(
                    "Application.stop({name}); {{:ok, _}} = Application.ensure_all_started({name})"
                )
            }
        }
    }
}

/// Returns the application of the modules under test, if it starts processes and starting it works. The reason why it
/// can't be started goes to `diagnostics`.
pub(crate) fn application(
    project: &Project,
    machine: &mut Machine,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Setup> {
    let mut host = project.host().ok()?;
    let own = described_in(&ebin_of(project)?)?;
    let mut all = Vec::new();
    needed(&mut host, &own, &mut all);
    all.retain(|it| !host.runs(it));
    if !all.iter().any(starts_something) {
        return None;
    }
    let setup = Setup::Application(Application { name: name_of(&own)?, all });
    match tried(machine, &setup) {
        Ok(()) => Some(setup),
        Err(why) => {
            let title =
                format!("the application {} is not started: {why}", quoted(&name_of(&own)?));
            let hint = "--setup M:F/0 names a function that starts what is needed; without it, what \
                        needs a running system is refused";
            diagnostics.push(Diagnostic::note(Code::NotStarted, title).hint(hint));
            None
        }
    }
}

/// Runs a setup on our machine; `Err` is the reason why it can't be used.
pub(crate) fn tried(machine: &mut Machine, setup: &Setup) -> Result<(), String> {
    let code = setup_code(setup);
    machine.install(&code).map_err(|it| it.to_string())?;
    let run = machine.call(&code.name, &Atom::new(SETUP), &[]).map_err(|it| it.to_string())?;
    match run.outcome {
        Outcome::Value(_) if MAX_STEPS < run.reductions => {
            Err(format!("it takes {} steps", run.reductions))
        }
        Outcome::Value(_) => Ok(()),
        Outcome::Raised { reason, .. } | Outcome::Killed { reason } => {
            Err(format!("it fails with {}", short(&reason)))
        }
        Outcome::Deadlock { .. } => Err("it waits for ever".to_owned()),
        Outcome::Stopped(stop) => Err(stop.to_string()),
        Outcome::NoTerm(_) => Err("its result is too large".to_owned()),
    }
}

fn short(reason: &Term) -> String {
    const MAX: usize = 120;
    let text = print(reason, Style::TW);
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// The directory with the compiled modules under test and the description of their application.
fn ebin_of(project: &Project) -> Option<PathBuf> {
    let of_beams = project.modules.iter().filter_map(|it| match &it.source {
        Some(Source::Beam(path)) => path.parent().map(Path::to_owned),
        Some(Source::Erl(_)) | None => None,
    });
    let built = project.targets.iter().flat_map(|it| it.code_paths.iter().cloned());
    let has_module = |dir: &PathBuf| {
        let beam = |it: &crate::erlang::project::Module| format!("{}.beam", it.name.as_str());
        project.modules.iter().any(|it| it.source.is_some() && dir.join(beam(it)).is_file())
    };
    of_beams.chain(built).find(|it| has_module(it) && app_file(it).is_some())
}
