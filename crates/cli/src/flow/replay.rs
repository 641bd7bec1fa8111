//! `gimlet replay`: runs recorded inputs again, and compares the outcomes with the recorded ones.

use crate::args::{Format, Replay};
use crate::asked::Asked;
use crate::diagnostic::Diagnostic;
use crate::erlang::read_corpus;
use crate::explain::Code;
use crate::flow::program::Program;
use crate::languages::Family;
use crate::start::{Done, stdout_colours};
use ::report::{Build, Colours, Finding, Paint, Report, Schedule, Test, Unit, is_cut};
use config::nearest;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An input, and how its run ended when it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    /// The tag of the language, such as `erlang`.
    pub(crate) language: String,
    pub(crate) unit: String,
    pub(crate) file: Option<String>,
    pub(crate) id: String,
    /// Goals that are called before the input.
    pub(crate) setup: Vec<String>,
    pub(crate) call: String,
    /// The kind of the outcome as in reports: `value`, `error`, `true`, ...
    pub(crate) outcome: String,
    /// The value, the reason or the answer; `None` if it can't be written as text.
    pub(crate) term: Option<String>,
    pub(crate) schedule: Option<Schedule>,
}

/// The outcome of replaying a recorded input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) outcome: String,
    pub(crate) term: Option<String>,
    /// The call as the shell of the language takes it.
    pub(crate) shown: String,
    /// The outcome in the words of the language's shell.
    pub(crate) says: Vec<String>,
    pub(crate) is_as_recorded: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    recorded: Recorded,
    again: Again,
}

pub(crate) fn replay(options: &Replay) -> Result<Done, Vec<Diagnostic>> {
    let (targets, build, mut inputs) = read(options).map_err(|it| vec![it])?;
    if let Some(id) = &options.id {
        let ids: Vec<String> = inputs.iter().map(|it| it.id.clone()).collect();
        inputs.retain(|it| it.id == *id);
        if inputs.is_empty() {
            return Err(vec![no_such_id(id, &ids)]);
        }
    }
    if inputs.is_empty() {
        let title = format!("{} has no inputs", options.file.display());
        return Err(vec![Diagnostic::new(Code::BadRecord, title)]);
    }
    let asked = Asked::for_replay(targets, &build)?;
    let mut ends = Vec::new();
    for family in Family::ALL {
        let is_its = |it: &Recorded| Family::of_tag(&it.language) == Some(family);
        let own: Vec<Recorded> = inputs.iter().filter(|it| is_its(it)).cloned().collect();
        if !own.is_empty() {
            ends.extend(family.replay(&asked, own)?);
        }
    }
    let stdout = match options.format {
        Format::Text => text(&ends, stdout_colours()),
        Format::Json => document(&ends),
    };
    let is_as_recorded = ends.iter().all(|it| it.again.is_as_recorded);
    let code = if is_as_recorded { ExitCode::SUCCESS } else { ExitCode::from(1) };
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics: vec![], code })
}

/// Loads the programs of one language family and runs the inputs one after the other.
pub(crate) fn replay_on<P: Program>(
    asked: &Asked,
    recorded: Vec<Recorded>,
) -> Result<Vec<Replayed>, Vec<Diagnostic>> {
    let mut said = Vec::new();
    let targets = asked.test.targets.iter();
    let is_its = |it: &&String| {
        let tag = recorded.first().map(|it| it.language.as_str()).unwrap_or_default();
        Some(Family::of_target(it)) == Family::of_tag(tag)
    };
    let targets: Vec<String> = targets.filter(is_its).cloned().collect();
    let programs = P::load(&targets, asked, &mut said);
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut workers = Vec::new();
    for program in &programs {
        let worker = program.worker(&interrupt);
        workers.push(worker.map_err(|why| vec![Diagnostic::new(Code::Unsupported, why)])?);
    }
    let mut res = Vec::new();
    for recorded in recorded {
        let place = programs.iter().position(|it| it.has(&recorded));
        let found = place.and_then(|it| Some((programs.get(it)?, workers.get_mut(it)?)));
        let Some((program, worker)) = found else {
            let title = format!("{} is in none of the targets", recorded.unit);
            said.push(Diagnostic::new(Code::BadRecord, title));
            return Err(said);
        };
        let again = program.again(worker, &recorded).map_err(|it| vec![it])?;
        res.push(Replayed { recorded, again });
    }
    Ok(res)
}

/// Reads the targets, their build options, and the inputs from a corpus file or a report.
fn read(options: &Replay) -> Result<(Vec<String>, Build, Vec<Recorded>), Diagnostic> {
    let file = options.file.display();
    let text = fs::read_to_string(&options.file).map_err(|error| {
        Diagnostic::new(Code::BadRecord, format!("{file} can't be read: {error}"))
    })?;
    let is_json = text.trim_start().starts_with('{') && !text.contains("{gimlet_corpus");
    if is_json {
        let report: Report = serde_json::from_str(&text).map_err(|_| {
            Diagnostic::new(Code::BadRecord, format!("{file} is not a report of gimlet test"))
                .hint("`gimlet test --out DIR` writes DIR/report.json")
        })?;
        let inputs = of_report(&report);
        return Ok((report.targets, report.build, inputs));
    }
    read_corpus(&text).map_err(|line| {
        let title = format!("{file} is not a corpus file: line {line} is not understood");
        Diagnostic::new(Code::BadRecord, title)
            .hint("`gimlet test --out DIR` writes such files to DIR/corpus")
    })
}

/// The inputs of a report: for each unit those of its findings, then those of its tests.
fn of_report(report: &Report) -> Vec<Recorded> {
    let mut res: Vec<Recorded> = Vec::new();
    for unit in &report.units {
        let found = unit.findings.iter().map(|it| of_finding(unit, it));
        for input in found.chain(unit.tests.iter().map(|it| of_test(unit, it))) {
            let is_known = |it: &Recorded| it.id == input.id && it.schedule == input.schedule;
            // A report cuts long calls off; only the corpus file of the unit has them in full.
            if is_cut(&input.call) {
                continue;
            }
            if !res.iter().rev().take_while(|it| it.unit == input.unit).any(is_known) {
                res.push(input);
            }
        }
    }
    res
}

fn of_finding(unit: &Unit, of: &Finding) -> Recorded {
    Recorded {
        language: unit.language.clone(),
        unit: unit.unit.clone(),
        file: unit.file.clone(),
        id: of.id.clone(),
        setup: of.setup.clone(),
        call: of.call.clone(),
        outcome: of.class.clone(),
        term: Some(of.reason.clone()),
        schedule: of.schedule.clone(),
    }
}

fn of_test(unit: &Unit, of: &Test) -> Recorded {
    let bindings = of.bindings.clone().filter(|_| of.outcome == "true");
    Recorded {
        language: unit.language.clone(),
        unit: unit.unit.clone(),
        file: unit.file.clone(),
        id: of.id.clone(),
        setup: of.setup.clone(),
        call: of.call.clone(),
        outcome: of.outcome.clone(),
        term: bindings.map(|it| Value::Object(it).to_string()).or_else(|| of.term.clone()),
        schedule: None,
    }
}

fn no_such_id(id: &str, ids: &[String]) -> Diagnostic {
    let res = Diagnostic::new(Code::BadRecord, format!("there is no input {id}"));
    match nearest(id, ids.iter().map(String::as_str)) {
        Some(near) => res.hint(format!("did you mean {near}?")),
        None => res.hint("without --id all inputs are run"),
    }
}

fn text(ends: &[Replayed], colours: Colours) -> String {
    let Paint { bold, faint, good, error, off, .. } = Paint::new(colours);
    let mut out = String::new();
    for Replayed { recorded, again } in ends {
        writeln!(out, "{bold}{}{off} {faint}{}{off}", again.shown, recorded.id).ok();
        for line in &again.says {
            writeln!(out, "  {line}").ok();
        }
        if again.is_as_recorded {
            writeln!(out, "  {good}as recorded{off}").ok();
        } else {
            let term = recorded.term.as_deref().unwrap_or("");
            writeln!(out, "  {error}recorded was {} {term}{off}", recorded.outcome).ok();
        }
    }
    let n_same = ends.iter().filter(|it| it.again.is_as_recorded).count();
    writeln!(out, "{n_same} of {} as recorded", ends.len()).ok();
    out
}

fn document(ends: &[Replayed]) -> String {
    let input = |it: &Replayed| {
        let Replayed { recorded, again } = it;
        json!({
            "id": recorded.id,
            "unit": recorded.unit,
            "setup": recorded.setup,
            "call": recorded.call,
            "outcome": again.outcome,
            "term": again.term,
            "recorded": {"outcome": recorded.outcome, "term": recorded.term},
            "as_recorded": again.is_as_recorded,
        })
    };
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "inputs": ends.iter().map(input).collect::<Vec<Value>>(),
    });
    format!("{document:#}\n")
}
