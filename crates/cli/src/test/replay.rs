//! `gimlet replay`: recorded inputs run again, and compared with what was recorded.

use crate::args::{Format, Replay};
use crate::diagnostic::{Colours, Diagnostic, Paint};
use crate::exception::exception_text;
use crate::explain::Code;
use crate::start::{Done, stdout_colours};
use crate::suggest::nearest;
use crate::test::project::Project;
use crate::test::report::corpus::{Origin, Recorded, read_corpus};
use crate::test::report::json::{class_and_reason, read_document};
use crate::test::unit::UnitName;
use crate::test::workers::machine;
use erlang::Machine;
use erlang::machine::{Allowed, Unit};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use term::{Style, print};
use trace::{Executor, Input, Outcome};

pub(crate) fn replay(options: &Replay) -> Result<Done, Vec<Diagnostic>> {
    let written = fs::read_to_string(&options.file).unwrap_or_default();
    if let Ok(document) = serde_json::from_str::<Value>(&written)
        && crate::test::prolog::is_report(&document)
    {
        return crate::test::prolog::replay(&document, options);
    }
    let (origin, mut inputs) = read(options).map_err(|it| vec![it])?;
    if let Some(id) = &options.id {
        let ids: Vec<String> = inputs.iter().map(|it| it.id.clone()).collect();
        inputs.retain(|it| it.id == *id);
        if inputs.is_empty() {
            return Err(vec![no_such_id(id, &ids)]);
        }
    }
    let (project, diagnostics) = Project::load(&origin.targets, &origin.build);
    if project.modules.is_empty() {
        return Err(diagnostics);
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut machine = machine(&project, Allowed::default(), &interrupt)
        .map_err(|why| vec![Diagnostic::new(Code::Unsupported, why)])?;
    let mut ends = Vec::new();
    for input in inputs {
        let end = run(&mut machine, &input).map_err(|why| {
            let title = format!("{} could not be run: {why}", input.unit);
            vec![Diagnostic::new(Code::UnitFailed, title)]
        })?;
        ends.push(Replayed { recorded: input, end });
    }
    let stdout = match options.format {
        Format::Text => text(&ends, stdout_colours()),
        Format::Json => document(&ends),
    };
    let is_as_recorded = ends.iter().all(Replayed::is_as_recorded);
    let code = if is_as_recorded { ExitCode::SUCCESS } else { ExitCode::from(1) };
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics, code })
}

struct Replayed {
    recorded: Recorded,
    end: Outcome,
}

impl Replayed {
    fn is_as_recorded(&self) -> bool {
        let (class, term) = class_and_reason(&self.end);
        let is_same = |it: &String| handles_in_order(it) == handles_in_order(&term);
        class == self.recorded.class && self.recorded.term.as_ref().is_none_or(is_same)
    }
}

/// The text of a term with processes, ports and references numbered as they come: what numbers they have
/// depends on what ran before.
fn handles_in_order(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = text.split("list_to_");
    let mut res = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let kind = ["pid(\"", "port(\"", "ref(\""].into_iter().find(|it| part.starts_with(it));
        let handle = kind.and_then(|_| part.split_inclusive(')').next());
        let rest = part.get(handle.map_or(0, str::len)..).unwrap_or_default();
        res.push_str("list_to_");
        if let (Some(kind), Some(handle)) = (kind, handle) {
            let nth = known.iter().position(|it| *it == handle).unwrap_or_else(|| {
                known.push(handle);
                known.len() - 1
            });
            write!(res, "{kind}{nth}\")").ok();
        }
        res.push_str(rest);
    }
    res
}

fn read(options: &Replay) -> Result<(Origin, Vec<Recorded>), Diagnostic> {
    let file = options.file.display();
    let text = fs::read_to_string(&options.file).map_err(|error| {
        Diagnostic::new(Code::BadRecord, format!("{file} can't be read: {error}"))
    })?;
    let is_json = text.trim_start().starts_with('{') && !text.contains("{gimlet_corpus");
    if is_json {
        return read_document(&text).ok_or_else(|| {
            Diagnostic::new(Code::BadRecord, format!("{file} is not a report of gimlet test"))
                .hint("`gimlet test --out DIR` writes DIR/report.json")
        });
    }
    read_corpus(&text).map_err(|line| {
        let title = format!("{file} is not a corpus file: line {line} is not understood");
        Diagnostic::new(Code::BadRecord, title)
            .hint("`gimlet test --out DIR` writes such files to DIR/corpus")
    })
}

fn no_such_id(id: &str, ids: &[String]) -> Diagnostic {
    let res = Diagnostic::new(Code::BadRecord, format!("there is no input {id}"));
    match nearest(id, ids.iter().map(String::as_str)) {
        Some(near) => res.hint(format!("did you mean {near}?")),
        None => res.hint("without --id all inputs are run"),
    }
}

fn run(machine: &mut Machine, input: &Recorded) -> Result<Outcome, String> {
    let UnitName { module, function, .. } = &input.unit;
    if let Some(schedule) = &input.schedule {
        return schedule.run(machine, &input.unit, &input.args);
    }
    let mut unit = Unit::new(machine, module.clone(), function.clone());
    let run = unit.run(&Input { args: input.args.clone() });
    run.map(|it| it.outcome).map_err(|it| it.why)
}

fn text(ends: &[Replayed], colours: Colours) -> String {
    let Paint { bold, faint, good, error, off, .. } = Paint::new(colours);
    let mut out = String::new();
    for it in ends {
        let Recorded { unit, id, args, class, term, .. } = &it.recorded;
        writeln!(out, "{bold}{}{off} {faint}{id}{off}", unit.shown(args)).ok();
        let end = match &it.end {
            Outcome::Value(value) => print(value, Style::TP),
            Outcome::Crash { class, reason, trace } => {
                exception_text(class.as_str(), reason, trace)
            }
            Outcome::Deadlock => "** deadlock".to_owned(),
            Outcome::Stopped(why) => format!("** {why}"),
        };
        for line in end.lines() {
            writeln!(out, "  {line}").ok();
        }
        if it.is_as_recorded() {
            writeln!(out, "  {good}as recorded{off}").ok();
        } else {
            let term = term.as_deref().unwrap_or("");
            writeln!(out, "  {error}recorded was {class} {term}{off}").ok();
        }
    }
    let n_same = ends.iter().filter(|it| it.is_as_recorded()).count();
    writeln!(out, "{n_same} of {} as recorded", ends.len()).ok();
    out
}

fn document(ends: &[Replayed]) -> String {
    let input = |it: &Replayed| {
        let (outcome, term) = class_and_reason(&it.end);
        let Recorded { unit, id, args, .. } = &it.recorded;
        json!({
            "id": id,
            "unit": unit.to_string(),
            "call": unit.call(args),
            "outcome": outcome,
            "term": term,
            "recorded": {"outcome": it.recorded.class, "term": it.recorded.term},
            "as_recorded": it.is_as_recorded(),
        })
    };
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "inputs": ends.iter().map(input).collect::<Vec<Value>>(),
    });
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::handles_in_order;

    #[test]
    fn what_matters_is_which_handles_are_the_same() {
        let check = |a: &str, b: &str, is_same: bool| {
            assert_eq!(handles_in_order(a) == handles_in_order(b), is_same, "{a} {b}");
        };
        let pid = |n: u32| format!("list_to_pid(\"<0.{n}.0>\")");
        let pair = |a: u32, b: u32| format!("{{{},{},x}}", pid(a), pid(b));
        check(&pair(81, 82), &pair(81, 84), true);
        check(&pair(81, 82), &pair(82, 81), true);
        check(&pair(81, 82), &pair(81, 81), false);
        check(&pid(1), "list_to_ref(\"#Ref<0.1.2.3>\")", false);
        check(&pid(1), "list_to_pid", false);
        check("{list_to_atom,1}", "{list_to_atom,2}", false);
    }
}
