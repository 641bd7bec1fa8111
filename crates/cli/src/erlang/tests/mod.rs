//! Paths of units as tests that people can run.

mod chosen;
mod command;
mod eunit;
mod exunit;

pub(crate) use chosen::is_opaque;

use crate::args::Emit;
use crate::elixir;
use crate::erlang::explore::{Explored, Task};
use crate::erlang::project::{Module, Project};
use crate::erlang::setup::Setup;
use crate::erlang::unit::UnitName;
use crate::flow::{Done, File, Output};
use ::report::WrittenKind;
use beam::Replayer;
use engine::Test;

/// A unit with what was found of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested<'a> {
    pub(crate) unit: &'a UnitName,
    pub(crate) explored: &'a Explored,
}

/// The test files of all modules that have some.
pub(crate) fn files(project: &Project, to: &Output<'_, Project>, beam: &mut Replayer) -> Vec<File> {
    let Output { done, emit, dir, .. } = *to;
    let mut res = Vec::new();
    for module in &project.modules {
        let of_module = |it: &&Done<Project>| it.unit.unit.module == module.name;
        let units: Vec<Tested<'_>> = done
            .iter()
            .filter(of_module)
            .filter_map(|it| Some(Tested { unit: &it.unit.unit, explored: it.explored()? }))
            .collect();
        if units.is_empty() {
            continue;
        }
        let is_elixir = elixir::is_elixir(&module.name);
        let wants =
            |kind: Emit, is_usual: bool| emit.contains(&kind) || emit.is_empty() && is_usual;
        if wants(Emit::Exunit, is_elixir) {
            let (name, text) = exunit::module(&module.name, &units, beam);
            let run_with = Some(command::exunit(project, dir));
            res.push(File { kind: WrittenKind::Tests, name, text, run_with });
        }
        if wants(Emit::Eunit, !is_elixir) {
            let (name, text) = eunit::module(&module.name, origin(module), &units, beam);
            let run_with = Some(command::eunit(project, dir));
            let name = format!("{name}.erl");
            res.push(File { kind: WrittenKind::Tests, name, text, run_with });
        }
    }
    res
}

/// The test that shows how one input ends, in the test language of its module.
pub(crate) fn one(project: &Project, task: &Task, setups: &[Setup], test: &Test) -> Option<String> {
    let module = project.module(&task.unit.module)?;
    if elixir::is_elixir(&module.name) {
        return exunit::assertion(&task.unit, setups, test).ok();
    }
    eunit::assertion(&task.unit, setups, origin(module), test).ok()
}

fn origin(module: &Module) -> eunit::Origin {
    if module.source.is_some() { eunit::Origin::User } else { eunit::Origin::Otp }
}
