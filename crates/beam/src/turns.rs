//! Schedules on the real BEAM: processes take their steps in the order that the search found.
//!
//! The modules under test, and modules of libraries whose code takes steps, are rewritten so that they wait for a
//! token before each step. Code that is not rewritten does not wait: where it should have, the schedule is lost, and
//! the run goes on without it.

use crate::peer::path_term;
use crate::replay::{Applied, Replayed, Replayer, read};
use crate::source::Source;
use erlang::HostError;
use erlang::builtins::{self, Builtin, CHANGING_ITEMS, Shares, TableUse};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;
use term::Term;
use trace::Mode;

const TOKEN: &str = include_str!("token.erl");

/// Modules that are not rewritten although their code takes steps: the runtime that follows the schedule needs them
/// itself, before and while it gives turns.
const RUNTIME: &[&str] = &[
    "application_controller",
    "application_master",
    "code",
    "code_server",
    "erl_eval",
    "error_handler",
    "file",
    "file_io_server",
    "file_server",
    "group",
    "init",
    "kernel",
    "user",
];

/// Modules whose functions take one step each, whichever code calls them.
const HELD_UP: &[&str] =
    &["atomics", "counters", "erlang", "erts_internal", "ets", "persistent_term"];

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub name: String,
    pub how: How,
    /// The names of the processes and timers that the step starts.
    pub starts: Vec<String>,
    /// The module whose code takes the step; `None` for the end of an actor.
    pub module: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    Next,
    Takes,
    GivesUp,
    /// The message that the step sends is lost.
    Loses,
}

/// The modules that were rewritten so that they take turns.
#[derive(Debug)]
pub(crate) struct Turning {
    /// The number of starts of the runtime when the modules were rewritten. After another start, the runtime lacks
    /// them.
    starts: u32,
    /// The modules of libraries that take turns, each with whether it could be rewritten.
    talkers: BTreeMap<String, bool>,
}

/// The result of following a schedule on BEAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The index of the first step that BEAM could not take as planned.
    pub lost: Option<usize>,
    /// The result of the call; `None` if it still waits.
    pub end: Option<Replayed>,
    /// Other processes that failed, by name.
    pub failed: Vec<(String, Replayed)>,
}

impl Replayer {
    /// Makes the call and lets its processes take the steps in this order.
    pub fn follow(
        &mut self,
        call: &Applied,
        turns: &[Turn],
        limit: Duration,
    ) -> Result<Followed, HostError> {
        self.prepare()?;
        self.prepare_turns(turns)?;
        let held = self.held_up(turns);
        let request = Term::Tuple(vec![
            Term::atom("follow"),
            Term::Atom(call.module.clone()),
            Term::Atom(call.function.clone()),
            Term::binary(call.args.clone().into_bytes()),
            Term::proper_list(held.iter().map(|it| turn_term(it.1)).collect()),
        ]);
        let answer = self.ask(limit, request)?;
        let mut res = followed(answer)
            .ok_or_else(|| HostError::Lost("no answer to a schedule".to_owned()))?;
        let of_all = |it: usize| held.get(it).map_or(turns.len(), |it| it.0);
        res.lost = res.lost.map(of_all);
        Ok(res)
    }

    /// Returns the steps taken by rewritten code, with their indices.
    fn held_up<'t>(&self, turns: &'t [Turn]) -> Vec<(usize, &'t Turn)> {
        let talkers = self.turning.as_ref().map(|it| &it.talkers);
        let is_talker = |it: &String| talkers.is_some_and(|all| all.get(it) == Some(&true));
        let is_rewritten = |name: &String| {
            is_talker(name) || HELD_UP.contains(&name.as_str()) || self.is_tested(name)
        };
        let mut strangers: Vec<&String> = Vec::new();
        let mut over: Vec<&String> = Vec::new();
        let mut res = Vec::new();
        for (n, turn) in turns.iter().enumerate() {
            if turn.module.is_none() {
                // On BEAM the end of a process is a single step.
                if over.contains(&&turn.name) {
                    continue;
                }
                over.push(&turn.name);
            }
            if !strangers.contains(&&turn.name) && turn.module.as_ref().is_none_or(is_rewritten) {
                res.push((n, turn));
            } else {
                strangers.extend(&turn.starts);
            }
        }
        res
    }

    fn is_tested(&self, name: &str) -> bool {
        self.modules.iter().any(|it| it.0.as_str() == name)
    }

    /// Rewrites and loads the modules under test and those modules of libraries whose code takes a turn. They are
    /// loaded again if the runtime was started anew. Other modules of libraries are not rewritten, because rewriting
    /// one takes longer than most schedules.
    fn prepare_turns(&mut self, turns: &[Turn]) -> Result<(), HostError> {
        let limit = self.otp.load_limit();
        let starts = self.otp.starts();
        let known = self.turning.take().filter(|it| it.starts == starts);
        let is_new = known.is_none();
        let mut turning = known.unwrap_or(Turning { starts, talkers: BTreeMap::new() });
        if is_new {
            self.help(&token())?;
        }
        for name in turns.iter().filter_map(|it| it.module.as_ref()) {
            if self.is_tested(name) || is_left(name) || turning.talkers.contains_key(name) {
                continue;
            }
            let request = Term::Tuple(vec![Term::atom("take_turns"), Term::atom(name)]);
            let answer = self.otp.ask(limit, &request)?;
            turning.talkers.insert(name.clone(), answer.as_atom() == Some("done"));
        }
        if !is_new {
            self.turning = Some(turning);
            return Ok(());
        }
        for (name, source) in self.modules.clone() {
            let path = path_term(source.path());
            let options = match &source {
                Source::Beam(_) => Term::atom("beam"),
                Source::Erl(_) => self.otp.options(&source).to_term(),
            };
            let parts = vec![Term::atom("take_turns"), Term::Atom(name), path, options];
            self.otp.ask(limit, &Term::Tuple(parts))?;
        }
        self.turning = Some(turning);
        Ok(())
    }
}

/// Whether a module of a library is not rewritten.
fn is_left(name: &str) -> bool {
    // Loggers keep the results of their requests, so that they take other steps in a second run.
    let is_of_runtime = ["prim_", "erts_", "logger", "error_logger"];
    is_of_runtime.iter().any(|it| name.starts_with(it))
        || HELD_UP.contains(&name)
        || RUNTIME.contains(&name)
}

/// Returns the source of the token module. The tables of builtins complete it: `row/3`, and the items of
/// `erlang:system_info/1` that may change.
fn token() -> String {
    let mut text = TOKEN.to_owned();
    let is_called = |it: &&Builtin| it.module != "erts_internal";
    for row in builtins::all().filter(is_called) {
        let Builtin { module, name, arity, .. } = row;
        if let Some(kind) = kind(row.shares) {
            writeln!(text, "row('{module}', '{name}', {arity}) -> {kind};").ok();
        } else {
            writeln!(text, "row('{module}', '{name}', {arity}) -> local;").ok();
        }
    }
    let items: Vec<&str> = CHANGING_ITEMS.iter().map(|it| it.0).collect();
    writeln!(text, "row(_, _, _) -> none.\n\nchanging_items() -> ['{}'].", items.join("', '")).ok();
    text
}

/// Returns how a builtin takes its step; `None` if no other process can observe it.
fn kind(shares: Shares) -> Option<&'static str> {
    Some(match shares {
        Shares::Nothing | Shares::InItsCode => return None,
        Shares::Spawn | Shares::SpawnLinked => "spawn",
        Shares::StartTimer => "timer",
        Shares::Timer(Mode::Write) => "cancel",
        Shares::Timer(_) => "read",
        Shares::ExitSignal => "signal",
        Shares::ProcessFlag => "flag",
        Shares::ProcessInfo => "info",
        Shares::Clock => "clock",
        Shares::UniqueInteger => "unique",
        Shares::Nodes => "nodes",
        Shares::SystemInfo => "system_info",
        Shares::Table(TableUse::New) => "table",
        Shares::Table(_) | Shares::Everything | Shares::Population | Shares::GroupLeader(_) => {
            "turn"
        }
        Shares::Send | Shares::Link(_) | Shares::Monitor | Shares::Demonitor => "turn",
        Shares::Unalias | Shares::Register | Shares::Unregister | Shares::WhereIs => "turn",
        Shares::RegisteredNames | Shares::IsAlive | Shares::FlagOfOther | Shares::Cell(_) => "turn",
        Shares::PersistentTerm(_) | Shares::PersistentTerms(_) | Shares::Node(_) => "turn",
        Shares::Variable(_) | Shares::Variables | Shares::SystemFlags(_) => "turn",
        Shares::Ports(_) | Shares::Files(_) | Shares::Handle | Shares::LoadedCode(_) => "turn",
        Shares::CodePath(_) => "turn",
    })
}

fn turn_term(turn: &Turn) -> Term {
    let how = match turn.how {
        How::Next => "next",
        How::Takes => "takes",
        How::GivesUp => "gives_up",
        How::Loses => "loses",
    };
    let name = |it: &String| Term::binary(it.as_bytes().to_vec());
    let starts = turn.starts.iter().map(name).collect();
    Term::Tuple(vec![name(&turn.name), Term::atom(how), Term::proper_list(starts)])
}

fn followed(answer: Term) -> Option<Followed> {
    if answer.as_atom() == Some("unreadable") {
        let end = Some(Replayed::Unreadable);
        return Some(Followed { lost: None, end, failed: Vec::new() });
    }
    let Term::Tuple(parts) = answer else { return None };
    let [tag, fate, end, failed] = <[Term; 4]>::try_from(parts).ok()?;
    if tag.as_atom() != Some("followed") {
        return None;
    }
    let lost = match fate.as_tuple() {
        Some([_, at]) => Some(usize::try_from(at.as_int()?).ok()?),
        _ => None,
    };
    let end = if end.as_atom() == Some("waiting") { None } else { Some(read(end)?) };
    let named = |it: &Term| match it.as_tuple() {
        Some([name, end]) => {
            Some((String::from_utf8(name.as_bytes()?.to_vec()).ok()?, read(end.clone())?))
        }
        _ => None,
    };
    let failed = failed.as_list()?.iter().map(named).collect::<Option<Vec<_>>>()?;
    Some(Followed { lost, end, failed })
}
