//! The output directory: reports, tests and inputs.

use crate::args::Emit;
use crate::diagnostic::{Colours, Diagnostic};
use crate::elixir;
use crate::explain::Code;
use crate::test::project::Project;
use crate::test::report::corpus::{Origin, file_name, print_corpus, read_corpus};
use crate::test::report::{Report, UnitReport, eunit, exunit, json, text};
use crate::test::schedules::svg::svg;
use crate::test::unit::UnitName;
use beam::Replayer;
use std::fs;
use std::path::{Path, PathBuf};
use trace::Input;

/// Writes all files, and says what could not be written.
pub(crate) fn write_all(
    dir: &Path,
    report: &Report,
    project: &Project,
    origin: &Origin,
    emit: &[Emit],
    beam: Option<&mut Replayer>,
) -> Vec<Diagnostic> {
    let mut troubles = Vec::new();
    let mut put = |path: &Path, text: &str| {
        let parent = path.parent().unwrap_or(dir);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(path, text));
        if let Err(error) = written {
            let title = format!("{} can't be written: {error}", path.display());
            troubles.push(Diagnostic::new(Code::CanNotWrite, title));
        }
    };
    put(&dir.join("report.json"), &json::document(report, origin));
    put(&dir.join("report.txt"), &text::text(report, Colours::Off));
    for unit in &report.units {
        // A unit that was not run has no inputs; those of an earlier run are still good.
        if !unit.explored.report.tests.is_empty() {
            let path = corpus_path(dir, &unit.unit);
            put(&path, &print_corpus(unit, origin));
        }
        for (n, finding) in unit.explored.findings.iter().enumerate() {
            if let Some(chart) = finding.schedule.as_ref().and_then(|it| it.chart.as_ref()) {
                let kind = finding.kind.name();
                let title = format!("{kind} in {}", unit.unit.shown(&finding.input.args));
                put(&chart_path(dir, &unit.unit, n + 1), &svg(chart, &title));
            }
        }
    }
    let Some(beam) = beam else { return troubles };
    for module in &project.modules {
        let is_its = |it: &&UnitReport| it.unit.module == module.name;
        let units: Vec<&UnitReport> = report.units.iter().filter(is_its).collect();
        if units.is_empty() {
            continue;
        }
        let is_elixir = elixir::is_elixir(&module.name);
        let wants =
            |kind: Emit, is_usual: bool| emit.contains(&kind) || emit.is_empty() && is_usual;
        if wants(Emit::Exunit, is_elixir) {
            let (name, text) = exunit::module(&module.name, &units, beam);
            put(&dir.join(name), &text);
        }
        if wants(Emit::Eunit, !is_elixir) {
            let origin =
                if module.source.is_some() { eunit::Origin::User } else { eunit::Origin::Otp };
            let (name, text) = eunit::module(&module.name, origin, &units, beam);
            put(&dir.join(format!("{name}.erl")), &text);
        }
    }
    troubles
}

/// The inputs that an earlier run left for this unit.
pub(crate) fn earlier_inputs(dir: &Path, unit: &UnitName) -> Vec<Input> {
    let Ok(text) = fs::read_to_string(corpus_path(dir, unit)) else { return vec![] };
    let Ok((_, inputs)) = read_corpus(&text) else { return vec![] };
    let fits = inputs.into_iter().filter(|it| it.args.len() == unit.arity);
    fits.map(|it| Input { args: it.args }).collect()
}

/// The message sequence chart of the n-th finding of a unit.
fn chart_path(dir: &Path, unit: &UnitName, n: usize) -> PathBuf {
    let name = file_name(unit);
    let stem = name.strip_suffix(".corpus").unwrap_or(&name);
    dir.join("charts").join(format!("{stem}.{n}.svg"))
}

fn corpus_path(dir: &Path, unit: &UnitName) -> PathBuf {
    dir.join("corpus").join(file_name(unit))
}
