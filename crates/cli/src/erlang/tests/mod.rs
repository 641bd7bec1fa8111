//! Paths of units as tests that people can run.

mod chosen;
mod command;
mod eunit;
mod exunit;

pub(crate) use chosen::is_opaque;
pub(crate) use eunit::pattern;

use crate::args::{self, Emit};
use crate::elixir;
use crate::erlang::explore::{Explored, Task};
use crate::erlang::project::{Module, Project};
use crate::erlang::setup::Setup;
use crate::erlang::tests::chosen::{Chosen, choose, leave_out_needless};
use crate::erlang::unit::UnitName;
use crate::flow::{Done, File, Output};
use ::report::WrittenKind;
use beam::{Checked, Replayer, Suite};
use engine::Test;
use erlang::HostError;
use std::time::Duration;
use trace::Covered;

/// A unit with what was found of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested<'a> {
    pub(crate) unit: &'a UnitName,
    pub(crate) explored: &'a Explored,
}

/// The test files of all modules that have some.
pub(crate) fn files(project: &Project, to: &Output<'_, Project>, beam: &mut Replayer) -> Vec<File> {
    let Output { done, emit, dir, tests: how, .. } = *to;
    let mut res = Vec::new();
    for module in &project.modules {
        let of_module = |it: &&Done<'_, Project>| it.unit.unit.module == module.name;
        let units: Vec<Tested<'_>> = done
            .iter()
            .filter(of_module)
            .filter_map(|it| Some(Tested { unit: &it.unit.unit, explored: it.explored()? }))
            .collect();
        let is_elixir = elixir::is_elixir(&module.name);
        let wants =
            |kind: Emit, is_usual: bool| emit.contains(&kind) || emit.is_empty() && is_usual;
        let mut add = |suite: Suite, name: String, run_with: String| {
            let written = Written { project, module, units: &units, suite };
            if let Some(text) = written.text(how, beam) {
                let run_with = Some(run_with);
                res.push(File { kind: WrittenKind::Tests, name, text, run_with });
            }
        };
        if wants(Emit::Exunit, is_elixir) {
            add(Suite::Exunit, exunit::name(&module.name), command::exunit(project, dir));
        }
        if wants(Emit::Eunit, !is_elixir) {
            let name = format!("{}.erl", eunit::name(&module.name));
            add(Suite::Eunit, name, command::eunit(project, dir));
        }
    }
    res
}

/// Tells lines of one kind from others.
type IsLine = fn(&str) -> bool;

/// A file of tests that is to be written.
struct Written<'a> {
    project: &'a Project,
    module: &'a Module,
    units: &'a [Tested<'a>],
    suite: Suite,
}

/// The file is run as a whole so often, without what failed before.
const MAX_ROUNDS: usize = 6;
/// For the tests of a file together.
const LIMIT_OF_SUITE: Duration = Duration::from_secs(120);
const FAILED_TOGETHER: &str = "they fail or warn together with the others";

impl Written<'_> {
    /// Tests that pass one after the other; `None` if there are none.
    fn text(&self, how: args::Tests, beam: &mut Replayer) -> Option<String> {
        let mut entered = Covered::default();
        let mut chosen: Vec<Chosen> = Vec::new();
        for of in self.units {
            let wanted = self.project.sources.wanted(of.unit);
            let write = |test: &Test| self.assertion(*of, test);
            chosen.push(choose(*of, (&wanted, &mut entered), how, beam, write));
        }
        if how == args::Tests::Minimal {
            leave_out_needless(&mut chosen);
        }
        for _ in 0..MAX_ROUNDS {
            if chosen.iter().all(|it| it.lines.is_empty()) {
                return None;
            }
            let text = self.whole(&chosen);
            let checked = beam.run_tests(self.suite, &text, LIMIT_OF_SUITE);
            let fails = self.failing(&text, &checked);
            if !fails.contains(&true) {
                return Some(text);
            }
            leave_out(&mut chosen, &fails);
        }
        None
    }

    fn whole(&self, chosen: &[Chosen]) -> String {
        let name = &self.module.name;
        match self.suite {
            Suite::Eunit => eunit::text(name, origin(self.module), self.units, chosen),
            Suite::Exunit => exunit::text(name, self.units, chosen),
        }
    }

    fn assertion(&self, of: Tested<'_>, test: &Test) -> Result<String, &'static str> {
        let (unit, setups) = (of.unit, &of.explored.setups);
        match self.suite {
            Suite::Eunit => eunit::assertion(unit, setups, origin(self.module), test),
            Suite::Exunit => exunit::assertion(&self.project.structs, unit, setups, test),
        }
    }

    /// For each test of the file whether it fails, or all if that is not known.
    fn failing(&self, text: &str, checked: &Result<Checked, HostError>) -> Vec<bool> {
        let (is_test, is_begin): (IsLine, IsLine) = match self.suite {
            Suite::Eunit => (eunit::is_test, |_| false),
            Suite::Exunit => (exunit::is_test, exunit::is_begin),
        };
        let mut begin = 0;
        let mut places = Vec::new();
        for (n, line) in (1..).zip(text.lines()) {
            begin = if is_begin(line) { n } else { begin };
            if is_test(line) {
                places.push((n, begin));
            }
        }
        let fails: Vec<bool> = match checked {
            Ok(Checked::Passed(lines)) => places.iter().map(|it| !lines.contains(&it.0)).collect(),
            Ok(Checked::Failed(lines)) => {
                let is_named = |it: &(u32, u32)| lines.contains(&it.0) || lines.contains(&it.1);
                let res: Vec<bool> = places.iter().map(is_named).collect();
                // Something else than a test is wrong.
                if lines.is_empty() || res.contains(&true) { res } else { vec![true; places.len()] }
            }
            Err(_) => vec![true; places.len()],
        };
        fails
    }
}

/// Leaves out the tests that fail, in the order of the file.
fn leave_out(chosen: &mut [Chosen], fails: &[bool]) {
    let mut fails = fails.iter();
    for Chosen { lines, left_out } in chosen {
        let n_before = lines.len();
        lines.retain(|_| fails.next() == Some(&false));
        let n_failed = n_before - lines.len();
        if n_failed > 0 {
            *left_out.entry(FAILED_TOGETHER).or_default() += n_failed;
        }
    }
}

/// The test that shows how one input ends, in the test language of its module.
pub(crate) fn one(project: &Project, task: &Task, setups: &[Setup], test: &Test) -> Option<String> {
    let module = project.module(&task.unit.module)?;
    if elixir::is_elixir(&module.name) {
        return exunit::assertion(&project.structs, &task.unit, setups, test).ok();
    }
    eunit::assertion(&task.unit, setups, origin(module), test).ok()
}

fn origin(module: &Module) -> eunit::Origin {
    if module.source.is_some() { eunit::Origin::User } else { eunit::Origin::Otp }
}
