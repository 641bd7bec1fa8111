//! What runs before each input: a function that the user names, or the start of the application that the
//! modules under test belong to.
//!
//! The application is started where that has no effect outside, and only for functions that are seen to miss
//! it: a start costs far more than most calls.

use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::gate::{SETUP, setup_code};
use crate::erlang::project::Project;
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use beam::applications::{app_file, described_in, name_of, needed, starts_something};
use beam::{Preparation, Source};
use erlang::{Machine, Outcome};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use term::{Atom, Style, Term, print};

/// What is done before the unit is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Setup {
    Call(UnitName),
    Application(Application),
}

/// An application with all that it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Application {
    pub(crate) name: Atom,
    /// Descriptions of the applications to start, in the order in which they are: `{application, Name, Keys}`.
    pub(crate) all: Vec<Term>,
}

/// A start that takes more steps is left to the user.
const MAX_STEPS: u64 = 300_000;

impl Setup {
    /// That it was done, for people.
    pub(crate) fn title(&self) -> String {
        match self {
            Setup::Call(unit) => format!("after {}", unit.title()),
            Setup::Application(it) => format!("the application {} is running", quoted(&it.name)),
        }
    }

    /// As BEAM is asked to do it.
    pub(crate) fn preparation(&self) -> Preparation {
        match self {
            Setup::Call(unit) => Preparation::Call(unit.module.clone(), unit.function.clone()),
            Setup::Application(it) => Preparation::Application(it.name.clone()),
        }
    }

    /// As a test in Erlang does it.
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

    /// As a test in Elixir does it.
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

/// The application of the modules under test, if it starts processes and that was seen to work; what keeps it
/// from starting goes to `diagnostics`.
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

/// Whether a setup ends well on our machine.
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
