//! `gimlet run --trace`: a run as the paper *Symbolic Execution in Erlang* writes it, rule by rule.

mod expression;
mod mail;
mod normal;
mod system;

pub(crate) use mail::Post;

use crate::diagnostic::{Colours, Paint};
use crate::rules::normal::play;
use crate::rules::system::{Arrow, Channel, Shown, State, states};
use beam::{Otp, Places, Source};
use erlang::machine::Staged;
use erlang::{HostError, Machine, ModuleCode};
use serde_json::{Value, json};
use std::fmt::Write;
use term::{Atom, Call};
use trace::{Input, Outcome};

/// The code of modules that tell how they run, and what they look like.
pub(crate) fn watched(
    host: &mut Otp,
    sources: &[(Atom, Source)],
) -> Result<(Vec<ModuleCode>, Places), HostError> {
    let names: Vec<Atom> = sources.iter().map(|it| it.0.clone()).collect();
    let mut places = Places::default();
    let code = |(_, source): &(Atom, Source)| host.watched(source, &names, &mut places);
    let codes = sources.iter().map(code).collect::<Result<Vec<ModuleCode>, HostError>>()?;
    Ok((codes, places))
}

/// A run, rule by rule.
#[derive(Debug)]
pub(crate) struct Trace {
    states: Vec<State>,
    /// It goes on after the last of them.
    is_cut: bool,
}

/// Runs a call of code that tells how it runs, until it ends or has done so much.
pub(crate) fn run(
    machine: &mut Machine,
    call: &Call,
    places: &Places,
    post: Post,
    max_events: usize,
) -> Result<(Trace, Outcome, Vec<u8>), String> {
    let mut stage = Staged::new(machine, call.module.clone(), call.function.clone());
    let input = Input { args: call.args.clone() };
    let played = play(&mut stage, &input, post, max_events).map_err(|it| it.why)?;
    let trace = Trace { states: states(&played, places), is_cut: played.is_cut };
    Ok((trace, played.performed.outcome, stage.output))
}

impl Trace {
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn text(&self, colours: Colours) -> String {
        let Paint { faint, off, underline, .. } = Paint::new(colours);
        let mut out = String::new();
        let names = self.states.iter().filter_map(|it| it.rule.as_ref());
        let width = names.map(|it| it.name.chars().count()).max().unwrap_or(0) + 2;
        for state in &self.states {
            let arrow = state.rule.as_ref().map_or(String::new(), |it| {
                let arrow = match it.arrow {
                    Arrow::Tau => 'τ',
                    Arrow::Alpha => 'α',
                };
                format!("{arrow} {}", it.name)
            });
            writeln!(out, "{faint}{arrow:<width$}{off} {}", system_text(state, (underline, off)))
                .ok();
        }
        if self.is_cut {
            writeln!(out, "… it goes on; --steps shows more").ok();
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let process = |it: &Shown| json!({"pid": it.name, "expression": it.expression.plain(), "mailbox": it.mailbox});
        let channel = |it: &Channel| json!({"from": it.from, "to": it.to, "messages": it.messages});
        let state = |it: &State| {
            let redex = it.processes.iter().find_map(|it| it.expression.marked());
            json!({
                "rule": it.rule.as_ref().map(|it| it.name.clone()),
                "arrow": it.rule.as_ref().map(|it| match it.arrow {
                    Arrow::Tau => "tau",
                    Arrow::Alpha => "alpha",
                }),
                "process": it.rule.as_ref().and_then(|it| it.process.clone()),
                "redex": redex,
                "processes": it.processes.iter().map(process).collect::<Vec<Value>>(),
                "mail": it.mail.iter().map(channel).collect::<Vec<Value>>(),
            })
        };
        json!({
            "states": self.states.iter().map(state).collect::<Vec<Value>>(),
            "cut": self.is_cut,
        })
    }
}

fn system_text(state: &State, (begin, end): (&str, &str)) -> String {
    let process = |it: &Shown| {
        let expression = it.expression.with(begin, end);
        format!("⟨{}; {expression}; [{}]⟩", it.name, it.mailbox.join(", "))
    };
    let channel = |it: &Channel| format!("({}, {}, [{}])", it.from, it.to, it.messages.join(", "));
    let processes: Vec<String> = state.processes.iter().map(process).collect();
    let mail: Vec<String> = state.mail.iter().map(channel).collect();
    format!("({}, [{}])", processes.join(" & "), mail.join(", "))
}
