//! `gimlet test file.pl`: goals that complete every clause, what they answer, and what goes wrong.

mod bounded;
mod expect;
mod explore;
mod finding;
mod json;
mod load;
mod plan;
mod plunit;
mod replay;
mod report;
mod seeds;
mod swipl;
mod text;
mod vary;
mod words;
mod workers;

pub(crate) use replay::{is_report, replay};

use crate::args::{Format, Test};
use crate::diagnostic::{Colours, Diagnostic};
use crate::explain::Code;
use crate::start::{COULD_NOT, Done, stdout_colours};
use crate::test::prolog::load::{Source, load};
use crate::test::prolog::plan::plan;
use crate::test::prolog::report::{FileReport, Report};
use crate::test::prolog::swipl::Swipl;
use crate::test::prolog::workers::explore_all;
use std::fs;
use std::process::ExitCode;

pub(crate) fn test(options: &Test) -> Result<Done, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut report = Report { files: Vec::new() };
    let swipl = Swipl::find(&options.allowed);
    if swipl.is_none() {
        let title = "swipl could not be started: nothing is confirmed";
        diagnostics.push(Diagnostic::warning(Code::NoSwipl, title));
    }
    let interrupt = super::interrupt();
    for target in &options.targets {
        let mut source = match load(target) {
            Ok(source) => source,
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                continue;
            }
        };
        diagnostics.append(&mut source.diagnostics);
        match plan(&mut source, options) {
            Ok(tasks) => {
                let units = explore_all(&mut source, &tasks, options, &interrupt);
                let mut file = FileReport::new(&source, units);
                if let Some(swipl) = &swipl {
                    swipl.confirm(&source, &mut file);
                }
                finish(&source, options, swipl.as_ref(), &mut file, &mut diagnostics);
                report.files.push(file);
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if report.files.is_empty() {
        return Err(diagnostics);
    }
    let stdout = match options.format {
        Format::Text => text::text(&report, stdout_colours()),
        Format::Json => json::document(&report, options),
    };
    if let Some(dir) = &options.out {
        let pages = [
            ("report.json", json::document(&report, options)),
            ("report.txt", text::text(&report, Colours::Off)),
        ];
        for (name, page) in pages {
            if let Err(error) = fs::write(dir.join(name), page) {
                let title = format!("{} can't be written: {error}", dir.join(name).display());
                diagnostics.push(Diagnostic::new(Code::CanNotWrite, title));
            }
        }
    }
    let code = exit_code(&report, options);
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics, code })
}

/// Writes what was asked for.
fn finish(
    source: &Source,
    options: &Test,
    swipl: Option<&Swipl>,
    file: &mut FileReport,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(dir) = &options.out else { return };
    let written = plunit::write(dir, source, swipl, file);
    match written {
        Ok(path) => file.tests_file = Some(path),
        Err(why) => diagnostics.push(Diagnostic::new(Code::CanNotWrite, why)),
    }
}

fn exit_code(report: &Report, options: &Test) -> ExitCode {
    let counts = |it: &finding::Finding| options.strict || it.kind != finding::Kind::Rejected;
    if report.units().any(|it| it.findings.iter().any(counts)) {
        ExitCode::from(1)
    } else if report.units().next().is_none() {
        ExitCode::from(COULD_NOT)
    } else {
        ExitCode::SUCCESS
    }
}
