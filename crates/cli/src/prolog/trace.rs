//! `gimlet run file.pl 'goal' --trace`: prints the states of a goal's derivation in the deterministic semantics of
//! [Vidal 2014].

use crate::args::{Format, Run};
use crate::diagnostic::Diagnostic;
use crate::prolog::source::Session;
use crate::start::{COULD_NOT, Done};
use prolog::Query;
use prolog::concolic::{Derivation, DerivationEnd, Derived};
use serde_json::json;
use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

/// The maximum number of alternatives on the stack that are printed.
const MAX_STACK: usize = 4;
/// The maximum length of a goal, in characters.
const MAX_GOAL: usize = 400;
/// The width of the column of rule names.
const RULE: usize = 9;

pub(super) fn trace(
    session: &mut Session,
    query: &Query,
    goal: &str,
    options: &Run,
    diagnostics: Vec<Diagnostic>,
) -> Done {
    let derivation = derivation(session, query, options.steps);
    let stdout = match options.format {
        Format::Text => shown(&derivation),
        Format::Json => json_text(goal, &derivation),
    };
    let code = match derivation.end {
        DerivationEnd::Answer => ExitCode::SUCCESS,
        DerivationEnd::Failure | DerivationEnd::Threw(_) => ExitCode::from(1),
        DerivationEnd::Steps | DerivationEnd::Stopped(_) => ExitCode::from(COULD_NOT),
    };
    Done { stdout: stdout.into_bytes(), stderr: Vec::new(), diagnostics, code }
}

pub(super) fn derivation(session: &mut Session, query: &Query, steps: usize) -> Derivation {
    let text = fs::read_to_string(&session.source.path).unwrap_or_default();
    let module = session.source.program.module.clone();
    session.machine.derive(&mut session.files, query, &module, &text, steps)
}

/// Prints a line for each state, then the end of the derivation and the clauses that the labels denote.
pub(super) fn shown(of: &Derivation) -> String {
    let mut res = String::new();
    for state in &of.states {
        let line = format!("{:RULE$} {}", state.rule, state_text(state));
        writeln!(res, "{}", line.trim_end()).ok();
        if !state.written.is_empty() {
            writeln!(res, "{:RULE$} writes {:?}", "", state.written).ok();
        }
    }
    let last = of.states.last().map_or("id", |it| it.answer.as_str());
    let end = match &of.end {
        DerivationEnd::Answer => format!("answer: {last}"),
        DerivationEnd::Failure => "no answer".to_owned(),
        DerivationEnd::Threw(ball) => format!("throws {ball}"),
        DerivationEnd::Steps => format!("{} steps; --steps shows more", of.states.len() - 1),
        DerivationEnd::Stopped(why) => format!("not shown further: {why}"),
    };
    writeln!(res, "{end}").ok();
    for (label, name, line) in &of.labels {
        writeln!(res, "({label}) {name}, line {line}").ok();
    }
    res
}

fn state_text(of: &Derived) -> String {
    let kept = of.stack.iter().take(MAX_STACK);
    let mut stack: Vec<String> =
        kept.map(|[label, answer, goal]| format!("({label}; {answer}; {})", cut(goal))).collect();
    if MAX_STACK < of.stack.len() {
        stack.push(format!("… {} more", of.stack.len() - MAX_STACK));
    }
    format!("⟨{}; {}; [{}]⟩", cut(&of.goal), of.answer, stack.join(", "))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_GOAL) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn json_text(goal: &str, of: &Derivation) -> String {
    let states: Vec<_> = of
        .states
        .iter()
        .map(|it| {
            let stack: Vec<_> = it
                .stack
                .iter()
                .map(
                    |[label, answer, goal]| json!({"label": label, "answer": answer, "goal": goal}),
                )
                .collect();
            json!({
                "rule": it.rule,
                "goal": it.goal,
                "answer": it.answer,
                "stack": stack,
                "written": it.written,
            })
        })
        .collect();
    let clauses: Vec<_> = of
        .labels
        .iter()
        .map(|(label, name, line)| json!({"label": label, "predicate": name, "line": line}))
        .collect();
    let (outcome, why) = match &of.end {
        DerivationEnd::Answer => ("true", None),
        DerivationEnd::Failure => ("false", None),
        DerivationEnd::Threw(ball) => ("throws", Some(ball)),
        DerivationEnd::Steps => ("steps", None),
        DerivationEnd::Stopped(why) => ("stopped", Some(why)),
    };
    let document = json!({
        "schema": 1,
        "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
        "goal": goal,
        "outcome": outcome,
        "why": why,
        "states": states,
        "clauses": clauses,
    });
    format!("{document:#}\n")
}
