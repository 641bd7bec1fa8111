//! `gimlet run --trace` and `gimlet symbolic --trace`: shows a run as a derivation in the semantics of [Vidal 2015].

mod expression;
mod mail;
mod normal;
mod system;

pub(crate) use mail::DeliverySettings;

use crate::args::Deliver;
use crate::erlang::rules::normal::play;
use crate::erlang::rules::system::{Arrow, Channel, ProcessState, State, states};
use ::report::{Colours, Paint};
use beam::{Otp, Places, Source};
use erlang::machine::Staged;
use erlang::{HostError, Machine, ModuleCode};
use serde_json::{Value, json};
use std::fmt::Write;
use term::{Atom, Call, ExprId, Var, constraint_text, expression_text};
use trace::{Choice, Input, Outcome, Stage};

/// Loads modules with instrumented code, which reports its steps, and the places in their sources.
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

/// A run as a sequence of states, each with the rule that leads to the next one.
#[derive(Debug)]
pub(crate) struct Trace {
    states: Vec<State>,
    /// Whether the run continues after the last state.
    is_cut: bool,
    /// The condition of each choice on the input; `None` for a run with a known input.
    conditions: Option<Vec<String>>,
}

/// Runs a call of instrumented code until it ends or has reported `max_events` steps.
pub(crate) fn run(
    machine: &mut Machine,
    call: &Call,
    places: &Places,
    post: DeliverySettings,
    max_events: usize,
) -> Result<(Trace, Outcome, Vec<u8>), String> {
    let mut stage = Staged::new(machine, call.module.clone(), call.function.clone());
    let input = Input { args: call.args.clone() };
    let played = play(&mut stage, &input, post, max_events).map_err(|it| it.why)?;
    let (states, is_cut) = (states(&played, places), played.is_cut);
    let trace = Trace { states, is_cut, conditions: None };
    Ok((trace, played.performed.outcome, stage.output))
}

/// Derives the path of an input symbolically: states have a path constraint, and expressions where values depend on
/// the input.
pub(crate) fn derive(
    stage: &mut Staged<'_>,
    input: &Input,
    places: &Places,
    max_events: usize,
) -> Result<Trace, String> {
    let post = DeliverySettings { delivery: Deliver::Free, losses: 0, seed: None };
    let played = play(stage, input, post, max_events).map_err(|it| it.why)?;
    let exprs = stage.exprs();
    let names = |var: Var| argument_name(var.0 as usize);
    let mut condition = |choice: &Choice| -> String {
        let constraints = choice.constraints(exprs, choice.taken);
        let texts = constraints.iter().map(|it| constraint_text(exprs, it, &names));
        texts.collect::<Vec<String>>().join(" and ")
    };
    let conditions = Some(played.performed.choices.iter().map(&mut condition).collect());
    let expr = |id: ExprId| expression_text(exprs, id, &names);
    let states = states(&played, places).into_iter().map(|it| it.spelled(&expr)).collect();
    Ok(Trace { states, is_cut: played.is_cut, conditions })
}

/// The name of the n-th unknown argument.
pub(crate) fn argument_name(n: usize) -> String {
    format!("X{}", n + 1)
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
            let system = self.system_text(state, (underline, off));
            writeln!(out, "{faint}{arrow:<width$}{off} {system}").ok();
        }
        if self.is_cut {
            writeln!(out, "… it goes on; --steps shows more").ok();
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let process = |it: &ProcessState| json!({"pid": it.name, "expression": it.expression.plain(), "mailbox": it.mailbox});
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
                "constraint": self.condition(it),
            })
        };
        json!({
            "states": self.states.iter().map(state).collect::<Vec<Value>>(),
            "cut": self.is_cut,
        })
    }
}

impl Trace {
    fn system_text(&self, state: &State, (begin, end): (&str, &str)) -> String {
        let process = |it: &ProcessState| {
            let expression = it.expression.with(begin, end);
            format!("⟨{}; {expression}; [{}]⟩", it.name, it.mailbox.join(", "))
        };
        let channel =
            |it: &Channel| format!("({}, {}, [{}])", it.from, it.to, it.messages.join(", "));
        let processes: Vec<String> = state.processes.iter().map(process).collect();
        let mail: Vec<String> = state.mail.iter().map(channel).collect();
        let condition = self.condition(state).map_or(String::new(), |it| format!(", {it}"));
        format!("({}, [{}]{condition})", processes.join(" & "), mail.join(", "))
    }

    /// The path constraint; `None` for a run with a known input.
    fn condition(&self, state: &State) -> Option<String> {
        let conditions = self.conditions.as_ref()?;
        let parts: Vec<&str> =
            state.choices.iter().filter_map(|it| conditions.get(*it)).map(String::as_str).collect();
        Some(if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") })
    }
}
