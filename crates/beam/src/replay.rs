//! Calls on the real BEAM that check whether it behaves as the machine did.
//!
//! Uses a runtime of its own: the modules under test are loaded into it under any name, even those of OTP's modules.

use crate::otp::Otp;
use crate::peer::{Spent, path_term};
use crate::source::Source;
use crate::turns::Turning;
use erlang::{Host, HostError};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use term::{Atom, Style, Term, print};

const NODES: &str = include_str!("nodes.erl");
const SETUP: &str = include_str!("setup.erl");

/// The time limit for starting nodes.
const START_OF_NODES: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct Replayer {
    pub(crate) otp: Otp,
    /// The modules under test that have a file.
    pub(crate) modules: Vec<(Atom, Source)>,
    /// The names of the nodes that calls need; calls are made on the first. Empty if no node is needed.
    nodes: Vec<String>,
    /// Sources of helper modules that calls need.
    helpers: Vec<&'static str>,
    /// Modules that BEAM refused to load, with the reasons.
    unusable: Vec<(Atom, String)>,
    /// The runtime that has the modules loaded, by the number of starts.
    ready: Option<u32>,
    /// The runtime that has the modules loaded in the version that takes turns, and the rewritten modules of OTP.
    pub(crate) turning: Option<Turning>,
    /// The runtime that has the helper for preparations loaded.
    preparing: Option<u32>,
}

/// A call to be made on BEAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub module: Atom,
    pub function: Atom,
    /// An Erlang expression whose value is the list of arguments.
    pub args: String,
}

/// The result of a call on BEAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    Value(Term),
    Raised {
        class: Atom,
        reason: Term,
        trace: Term,
    },
    /// The call timed out.
    Timeout(Spent),
    /// The process was killed, by its memory limit or by another process.
    Killed(Term),
    /// The arguments cannot be written as an expression: functions that compare functions, and some pids, ports and
    /// references.
    Unreadable,
    /// BEAM cannot load the module.
    Unusable(String),
}

impl Replayer {
    pub fn new(mut otp: Otp, modules: Vec<(Atom, Source)>, nodes: Vec<String>) -> Replayer {
        for (_, source) in &modules {
            otp.allow_source(source);
        }
        if !nodes.is_empty() {
            otp.allow_nodes(nodes.len());
        }
        Replayer {
            otp,
            modules,
            nodes,
            helpers: Vec::new(),
            unusable: Vec::new(),
            ready: None,
            turning: None,
            preparing: None,
        }
    }

    /// Adds helper modules.
    #[must_use]
    pub fn helped_by(mut self, sources: Vec<&'static str>) -> Replayer {
        self.helpers = sources;
        self
    }

    /// Sets a flag that, when set, cuts calls short as a timeout does.
    pub fn interrupted_by(&mut self, flag: &Arc<AtomicBool>) {
        self.otp.interrupted_by(flag);
    }

    /// Makes the call in a new process.
    pub fn call(&mut self, call: &Applied, limit: Duration) -> Result<Replayed, HostError> {
        self.prepare()?;
        if let Some((_, why)) = self.unusable.iter().find(|it| it.0 == call.module) {
            return Ok(Replayed::Unusable(why.clone()));
        }
        let request = Term::Tuple(vec![
            Term::atom("replay"),
            Term::Atom(call.module.clone()),
            Term::Atom(call.function.clone()),
            Term::binary(call.args.clone().into_bytes()),
        ]);
        match self.ask(limit, request) {
            Ok(answer) => {
                read(answer).ok_or_else(|| HostError::Lost("no answer to a call".to_owned()))
            }
            // The reductions of other nodes are not counted.
            Err(HostError::Timeout(_)) if !self.nodes.is_empty() => {
                Ok(Replayed::Timeout(Spent { reductions: u64::MAX, is_computing: false }))
            }
            Err(HostError::Timeout(_)) => Ok(Replayed::Timeout(self.otp.spent())),
            Err(error) => Err(error),
        }
    }

    /// Returns the first of these functions that the call reaches; `None` if it reaches none or if that is unknown.
    pub fn touches(
        &mut self,
        call: &Applied,
        named: &[(&str, &str, u8)],
        limit: Duration,
    ) -> Option<String> {
        self.prepare().ok()?;
        let named = named.iter().map(|(module, name, arity)| {
            Term::Tuple(vec![Term::atom(module), Term::atom(name), Term::Int((*arity).into())])
        });
        let request = Term::Tuple(vec![
            Term::atom("touches"),
            Term::Atom(call.module.clone()),
            Term::Atom(call.function.clone()),
            Term::binary(call.args.clone().into_bytes()),
            Term::proper_list(named.collect()),
        ]);
        let answer = self.otp.ask(limit, &request).ok()?;
        let [_, found] = answer.as_tuple()? else { return None };
        let [Term::Atom(module), Term::Atom(name), Term::Int(arity)] = found.as_tuple()? else {
            return None;
        };
        Some(format!("{}:{}/{arity}", module.as_str(), name.as_str()))
    }

    /// Sends a request to the runtime, or to nodes that are started for this request only.
    pub(crate) fn ask(&mut self, limit: Duration, request: Term) -> Result<Term, HostError> {
        if self.nodes.is_empty() {
            return self.otp.ask(limit, &request);
        }
        let ports = self.otp.ports()?;
        let node = |(name, port): (&String, &u16)| {
            Term::Tuple(vec![Term::binary(name.as_bytes().to_vec()), Term::Int((*port).into())])
        };
        let nodes = self.nodes.iter().zip(&ports).map(node).collect();
        let request = Term::Tuple(vec![Term::atom("on"), Term::proper_list(nodes), request]);
        let answer = self.otp.ask(limit + START_OF_NODES, &request)?;
        match answer.as_tuple() {
            Some([tag, why]) if tag.as_atom() == Some("unusable") => {
                let why = String::from_utf8_lossy(why.as_bytes().unwrap_or_default()).into_owned();
                Err(HostError::Lost(why))
            }
            Some(_) | None => Ok(answer),
        }
    }

    /// Loads the modules, again if the runtime was restarted.
    pub(crate) fn prepare(&mut self) -> Result<(), HostError> {
        if self.ready == Some(self.otp.starts()) && self.otp.process_id().is_some() {
            return Ok(());
        }
        self.unusable.clear();
        if !self.nodes.is_empty() {
            self.help(NODES)?;
        }
        for source in self.helpers.clone() {
            self.help(source)?;
        }
        for (name, source) in self.modules.clone() {
            let path = path_term(source.path());
            let name_term = Term::Atom(name.clone());
            let request = match &source {
                Source::Beam(_) => Term::Tuple(vec![Term::atom("use_beam"), name_term, path]),
                Source::Erl(_) => {
                    let options = self.otp.options(&source).to_term();
                    Term::Tuple(vec![Term::atom("use_source"), name_term, path, options])
                }
            };
            let answer = self.otp.ask(self.otp.load_limit(), &request)?;
            if let Some([_, why]) = answer.as_tuple() {
                let why = String::from_utf8_lossy(why.as_bytes().unwrap_or_default()).into_owned();
                self.unusable.push((name, why));
            }
        }
        self.ready = Some(self.otp.starts());
        Ok(())
    }
}

/// A step of setup before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// A call of a function without arguments.
    Call(Atom, Atom),
    /// An application is started, or restarted if it runs.
    Application(Atom),
}

impl Preparation {
    fn to_term(&self) -> Term {
        let parts = match self {
            Preparation::Call(module, function) => {
                vec![Term::atom("call"), Term::Atom(module.clone()), Term::Atom(function.clone())]
            }
            Preparation::Application(name) => {
                vec![Term::atom("application"), Term::Atom(name.clone())]
            }
        };
        Term::Tuple(parts)
    }
}

impl Replayer {
    /// Makes the call after some preparations, in the same process.
    pub fn call_prepared(
        &mut self,
        preparations: &[Preparation],
        call: &Applied,
        limit: Duration,
    ) -> Result<Replayed, HostError> {
        if preparations.is_empty() {
            return self.call(call, limit);
        }
        self.prepare()?;
        if let Some((_, why)) = self.unusable.iter().find(|it| it.0 == call.module) {
            return Ok(Replayed::Unusable(why.clone()));
        }
        if self.preparing != Some(self.otp.starts()) {
            self.help(SETUP)?;
            self.preparing = Some(self.otp.starts());
        }
        let text = |it: &Term| print(it, Style::INPUT);
        let preparations = preparations.iter().map(Preparation::to_term).collect();
        let preparations = text(&Term::proper_list(preparations));
        let name = |it: &Atom| text(&Term::Atom(it.clone()));
        let Applied { module, function, args } = call;
        let args = format!("[{preparations},{},{},{args}]", name(module), name(function));
        let (module, function) = (Atom::new("gimlet_setup"), Atom::new("run"));
        self.call(&Applied { module, function, args }, limit)
    }

    /// Loads a helper module.
    pub(crate) fn help(&mut self, source: &str) -> Result<(), HostError> {
        let source = Term::binary(source.as_bytes().to_vec());
        let request = Term::Tuple(vec![Term::atom("helper"), source]);
        self.otp.ask(self.otp.load_limit(), &request).map(drop)
    }
}

pub(crate) fn read(answer: Term) -> Option<Replayed> {
    if answer.as_atom() == Some("unreadable") {
        return Some(Replayed::Unreadable);
    }
    let Term::Tuple(parts) = answer else { return None };
    let mut parts = parts.into_iter();
    match parts.next()?.as_atom()? {
        "value" => Some(Replayed::Value(parts.next()?)),
        "raised" => {
            let Some(Term::Atom(class)) = parts.next() else { return None };
            Some(Replayed::Raised { class, reason: parts.next()?, trace: parts.next()? })
        }
        "exited" => Some(Replayed::Killed(parts.next()?)),
        _ => None,
    }
}
