//! Writes paths of units as tests that people can run.

mod chosen;
mod command;
mod eunit;
mod exunit;

pub(crate) use chosen::is_opaque;
pub(crate) use eunit::pattern;

use crate::args::{self, Emit};
use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::explore::{Explored, Task};
use crate::erlang::project::{Module, Project};
use crate::erlang::setup::Setup;
use crate::erlang::tests::chosen::{Chosen, choose, leave_out_needless};
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use crate::flow::{Done, File, Output, Proof, Until};
use beam::{Checked, Replayer, Suite};
use engine::Test;
use erlang::HostError;
use std::collections::BTreeMap;
use std::time::Duration;
use term::Atom;
use trace::Covered;

/// A unit with its results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested<'a> {
    pub(crate) unit: &'a UnitName,
    pub(crate) explored: &'a Explored,
}

/// Makes the test files of all modules that have tests. Without a BEAM, or when the time is over, the tests are not
/// run before they are written.
pub(crate) fn files(
    project: &Project,
    to: &Output<'_, Project>,
    mut beam: Option<&mut Replayer>,
    said: &mut Vec<Diagnostic>,
) -> Vec<File> {
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
            let written = TestFile { project, module, units: &units, suite };
            let is_over = || to.until.why_over().is_some();
            let trial = beam.as_deref_mut().filter(|_| !is_over());
            let mut proof = if trial.is_some() { Proof::Passed } else { Proof::NotRun };
            let mut text = written.text(how, trial.map(|beam| Trial { beam, until: &to.until }));
            if is_over() {
                // A trial that was interrupted says nothing about the tests.
                proof = Proof::NotRun;
                text = written.text(how, None);
            }
            if let Ok(text) = text {
                res.push(File::of_tests(name, text, run_with, proof));
            } else if let Err(left_out) = text
                && !left_out.is_empty()
            {
                said.push(no_tests(&module.name, left_out));
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

/// A warning that an explored module has no tests, with the reasons.
fn no_tests(module: &Atom, left_out: BTreeMap<&'static str, usize>) -> Diagnostic {
    let title =
        format!("no path of {} can be written as a test that passes on BEAM", quoted(module));
    let details = left_out.into_iter().map(|(why, n)| format!("{n} left out: {why}")).collect();
    Diagnostic::warning(Code::NoTests, title).with_details(details)
}

/// A BEAM that runs tests, with its time limit.
struct Trial<'a> {
    beam: &'a mut Replayer,
    until: &'a Until<'a>,
}

/// A predicate on lines of a test file.
type IsLine = fn(&str) -> bool;

/// A file of tests to be written.
struct TestFile<'a> {
    project: &'a Project,
    module: &'a Module,
    units: &'a [Tested<'a>],
    suite: Suite,
}

/// How often the file is run as a whole, each time without the tests that failed before.
const MAX_ROUNDS: usize = 6;
/// The time limit of all tests of a file.
const LIMIT_OF_SUITE: Duration = Duration::from_secs(120);
const FAILED_TOGETHER: &str = "they fail or warn together with the others";

impl TestFile<'_> {
    /// The text of the tests that pass when run in sequence, if there is a BEAM to try them. `Err` has the reasons why
    /// paths have no test.
    fn text(
        &self,
        how: args::Tests,
        mut trial: Option<Trial<'_>>,
    ) -> Result<String, BTreeMap<&'static str, usize>> {
        let mut entered = Covered::default();
        let mut chosen: Vec<Chosen> = Vec::new();
        for of in self.units {
            let wanted = self.project.sources.wanted(of.unit);
            let write = |test: &Test| self.assertion(*of, test);
            chosen.push(choose(*of, (&wanted, &mut entered), how, trial.as_mut(), write));
        }
        if how == args::Tests::Minimal {
            leave_out_needless(&mut chosen);
        }
        if self.suite == Suite::Exunit {
            // Tests with the same outcome are put next to each other.
            chosen.iter_mut().for_each(|it| it.lines.sort_by_key(|it| exunit::about(&it.text)));
        }
        for _ in 0..MAX_ROUNDS {
            if chosen.iter().all(|it| it.lines.is_empty()) {
                break;
            }
            let text = self.whole(&chosen);
            let Some(Trial { beam, until }) = &mut trial else { return Ok(text) };
            let checked = beam.run_tests(self.suite, &text, LIMIT_OF_SUITE.min(until.left()));
            let fails = self.failing(&text, &checked);
            if !fails.contains(&true) {
                return Ok(text);
            }
            leave_out(&mut chosen, &fails);
        }
        let mut res = BTreeMap::new();
        for Chosen { lines, left_out } in chosen {
            left_out.into_iter().for_each(|(why, n)| *res.entry(why).or_default() += n);
            if !lines.is_empty() {
                *res.entry(FAILED_TOGETHER).or_default() += lines.len();
            }
        }
        Err(res)
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

    /// For each test of the file whether it fails; all fail if that can't be determined.
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
                // No test is at the failing lines, so the file itself is wrong.
                if lines.is_empty() || res.contains(&true) { res } else { vec![true; places.len()] }
            }
            Err(_) => vec![true; places.len()],
        };
        fails
    }
}

/// Removes the tests that fail; `fails` is in the order of the file.
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

/// The test that shows the outcome of one input, in the test language of its module.
pub(crate) fn one(project: &Project, task: &Task, setups: &[Setup], test: &Test) -> Option<String> {
    let module = project.module(&task.unit.module)?;
    if elixir::is_elixir(&module.name) {
        return exunit::assertion(&project.structs, &task.unit, setups, test).ok();
    }
    eunit::assertion(&task.unit, setups, origin(module), test).ok()
}

fn origin(module: &Module) -> eunit::ModuleOrigin {
    if module.source.is_some() { eunit::ModuleOrigin::User } else { eunit::ModuleOrigin::Otp }
}
