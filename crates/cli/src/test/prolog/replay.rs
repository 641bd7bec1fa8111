//! `gimlet replay` of a report on Prolog programs: its goals run again, and compared.

use crate::args::{Format, Replay};
use crate::diagnostic::{Diagnostic, Paint};
use crate::explain::Code;
use crate::prolog::is_prolog;
use crate::start::{Done, stdout_colours};
use crate::test::prolog::expect::{Expectation, expect, whole};
use crate::test::prolog::explore::ANSWERS;
use crate::test::prolog::finding::MANY_STEPS;
use crate::test::prolog::load::{Source, load};
use crate::test::prolog::plan::{FirstGoal, first_goal};
use prolog::Limits;
use prolog::concolic::{Arg, Goal, Unit};
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::ExitCode;
use term::Term;
use trace::Input;

/// Whether a document is a report on Prolog programs.
pub(crate) fn is_report(document: &Value) -> bool {
    let targets = document.get("targets").and_then(Value::as_array);
    targets
        .is_some_and(|it| !it.is_empty() && it.iter().all(|it| it.as_str().is_some_and(is_prolog)))
}

/// A goal of the report.
struct Recorded {
    unit: String,
    id: String,
    setup: Vec<String>,
    call: String,
    outcome: String,
    /// What its first answer was, or what was thrown.
    term: Option<String>,
}

pub(crate) fn replay(document: &Value, options: &Replay) -> Result<Done, Vec<Diagnostic>> {
    let units = document.get("units").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut ends = Vec::new();
    let mut sources: Vec<Source> = Vec::new();
    for unit in &units {
        let file = unit.get("file").and_then(Value::as_str).unwrap_or_default();
        let place = match sources.iter().position(|it| it.path.to_string_lossy() == file) {
            Some(place) => place,
            None => {
                sources.push(load(file).map_err(|it| vec![it])?);
                sources.len() - 1
            }
        };
        let Some(source) = sources.get_mut(place) else { continue };
        for recorded in recorded(unit) {
            if options.id.as_ref().is_some_and(|it| *it != recorded.id) {
                continue;
            }
            let now = run(source, &recorded).map_err(|it| vec![it])?;
            ends.push((recorded, now));
        }
    }
    if ends.is_empty() {
        let title = match &options.id {
            Some(id) => format!("there is no input {id}"),
            None => format!("{} has no inputs", options.file.display()),
        };
        return Err(vec![Diagnostic::new(Code::BadRecord, title)]);
    }
    let is_same = |it: &(Recorded, (String, Option<String>))| {
        it.0.outcome == it.1.0 && (it.0.term.is_none() || it.0.term == it.1.1)
    };
    let stdout = match options.format {
        Format::Text => {
            let Paint { bold, faint, good, error, off, .. } = Paint::new(stdout_colours());
            let mut out = String::new();
            for end in &ends {
                let (Recorded { id, setup, call, outcome, term, .. }, now) = end;
                let call = whole(setup, call);
                writeln!(out, "{bold}?- {call}.{off} {faint}{id}{off}").ok();
                writeln!(out, "  {} {}", now.0, now.1.as_deref().unwrap_or_default()).ok();
                if is_same(end) {
                    writeln!(out, "  {good}as recorded{off}").ok();
                } else {
                    let term = term.as_deref().unwrap_or_default();
                    writeln!(out, "  {error}recorded was {outcome} {term}{off}").ok();
                }
            }
            let n_same = ends.iter().filter(|it| is_same(it)).count();
            writeln!(out, "{n_same} of {} as recorded", ends.len()).ok();
            out
        }
        Format::Json => {
            let inputs = ends.iter().map(|end| {
                let (recorded, now) = end;
                json!({
                    "id": recorded.id,
                    "unit": recorded.unit,
                    "setup": recorded.setup,
                    "call": recorded.call,
                    "outcome": now.0,
                    "term": now.1,
                    "recorded": {"outcome": recorded.outcome, "term": recorded.term},
                    "as_recorded": is_same(end),
                })
            });
            let document = json!({
                "schema": 1,
                "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
                "inputs": inputs.collect::<Vec<Value>>(),
            });
            format!("{document:#}\n")
        }
    };
    let code = if ends.iter().all(is_same) { ExitCode::SUCCESS } else { ExitCode::from(1) };
    Ok(Done { stdout: stdout.into_bytes(), stderr: vec![], diagnostics: vec![], code })
}

fn recorded(unit: &Value) -> Vec<Recorded> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let name = text(unit, "unit").unwrap_or_default();
    let all = |field: &str| unit.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut res: Vec<Recorded> = Vec::new();
    for it in all("findings").iter().chain(&all("tests")) {
        let (Some(id), Some(call)) = (text(it, "id"), text(it, "call")) else { continue };
        let Some(outcome) = text(it, "outcome").or_else(|| text(it, "class")) else { continue };
        let term = match it.get("bindings") {
            Some(bindings) if outcome == "true" => Some(bindings.to_string()),
            _ => text(it, "term"),
        };
        if res.iter().all(|known| known.id != id) {
            let setup = it.get("setup").and_then(Value::as_array).into_iter().flatten();
            let setup = setup.filter_map(|it| it.as_str().map(str::to_owned)).collect();
            res.push(Recorded { unit: name.clone(), id, setup, call, outcome, term });
        }
    }
    res
}

/// The outcome of a goal now, and its first answer or what it throws.
fn run(source: &mut Source, of: &Recorded) -> Result<(String, Option<String>), Diagnostic> {
    let (mut goals, mut given, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for call in of.setup.iter().chain([&of.call]) {
        let FirstGoal { name, args, names } = first_goal(source, call)?;
        let mut modes = Vec::new();
        results.clear();
        for (arg, name) in args.into_iter().zip(names) {
            match name {
                Some(name) if matches!(arg, Term::Ref(_)) => {
                    modes.push(Arg::Result);
                    results.push(name);
                }
                _ => {
                    modes.push(Arg::Input);
                    given.push(arg);
                }
            }
        }
        let module = source.program.module.clone();
        goals.push(Goal { module, name, args: modes, before: Vec::new() });
    }
    let Some(goal) = goals.pop() else { return Ok(("timeout".to_owned(), None)) };
    let goal = Goal { before: goals, ..goal };
    let limits = Limits { steps: MANY_STEPS, ..Limits::default() };
    let mut unit = Unit::new(&mut source.machine, &mut source.files, goal, limits, ANSWERS);
    let ran = unit.solve(&Input { args: given }, limits, ANSWERS);
    let expectation = ran.and_then(|it| expect(&mut unit, &it));
    Ok(match expectation {
        None => ("timeout".to_owned(), None),
        Some(Expectation::Fails) => ("false".to_owned(), None),
        Some(Expectation::Throws { ball, is_error }) => {
            let ball = if is_error { format!("error({ball}, _)") } else { ball };
            ("throws".to_owned(), Some(ball))
        }
        Some(Expectation::Answers(answers)) => {
            let first = answers.values.first();
            let pairs = first.into_iter().flat_map(|it| results.iter().zip(it));
            let pairs = pairs.map(|it| (it.0.clone(), Value::from(it.1.as_str())));
            ("true".to_owned(), Some(Value::Object(pairs.collect()).to_string()))
        }
    })
}
