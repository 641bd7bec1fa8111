//! Modules that keep a state, explored as systems: an input is how the process is started and what is then
//! asked of it, step by step.
//!
//! A system is made from the code and the specs of its module alone. It runs through a driver of ours
//! (`driver.erl`), the same on the machine and on BEAM, where OTP's behaviours run as they are.

mod build;
mod gate;
mod heads;
mod roles;

pub(crate) use build::Builder;
pub(crate) use gate::gate;

use crate::erlang::unit::UnitName;
use std::collections::BTreeSet;
use term::{Atom, Domain, Term};
use trace::Input;

/// The driver's source.
pub(crate) const DRIVER: &str = include_str!("driver.erl");
/// The name of its module.
pub(crate) const DRIVER_NAME: &str = "gimlet_system";
/// The function of a unit that is a system: it takes the start and the list of steps.
pub(crate) const SYSTEM: &str = "$system";
/// The same where functions are called without a process to watch.
pub(crate) const SEQUENCE: &str = "$sequence";
/// What is sent where a callback has a clause for everything that it does not look at.
pub(crate) const UNKNOWN: &str = "unknown_message";

/// Steps of a system, unless somebody says how many.
pub(crate) const STEPS: usize = 4;

/// A module with all that its steps may be.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) unit: UnitName,
    pub(crate) protocol: Protocol,
    /// The functions of the module that start the process, and those that are steps.
    pub(crate) functions: Vec<Function>,
    /// The callbacks, which the behaviour calls.
    pub(crate) callbacks: BTreeSet<(Atom, usize)>,
    /// Two arguments: the start, and the list of steps.
    pub(crate) domain: Domain,
    pub(crate) n_steps: usize,
}

/// How a process of a behaviour is started and spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    GenServer,
    GenStatem,
    GenEvent,
    /// Started, and asked nothing.
    Supervisor,
    /// Only the module's own functions are called.
    Functions,
}

/// A function of the module, called in a step.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// How steps call it: `add/2`.
    pub(crate) tag: Atom,
    pub(crate) name: UnitName,
    pub(crate) roles: Vec<Role>,
    /// Whether its spec says more than `term()` of some argument.
    pub(crate) is_promised: bool,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The process itself; it is no part of the step.
    Server,
    /// May be what an earlier step returned: `{'$result', N}`, where 1 is the start.
    Handle,
    Value,
}

/// Behaviours and how their processes are spoken to.
const PROTOCOLS: &[(&str, Protocol)] = &[
    ("gen_server", Protocol::GenServer),
    ("Elixir.GenServer", Protocol::GenServer),
    ("gen_statem", Protocol::GenStatem),
    ("gen_event", Protocol::GenEvent),
    ("supervisor", Protocol::Supervisor),
    ("Elixir.Supervisor", Protocol::Supervisor),
];

impl Protocol {
    /// Of the first behaviour that is known.
    pub(crate) fn of(behaviours: &[Atom]) -> Option<Protocol> {
        let of_name = |name: &Atom| PROTOCOLS.iter().find(|it| it.0 == name.as_str());
        behaviours.iter().find_map(of_name).map(|it| it.1)
    }

    /// As the driver knows it, which is the module that speaks it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Protocol::GenServer => "gen_server",
            Protocol::GenStatem => "gen_statem",
            Protocol::GenEvent => "gen_event",
            Protocol::Supervisor => "supervisor",
            Protocol::Functions => "functions",
        }
    }
}

/// Whether a unit is a system, told by its name.
pub(crate) fn is_system(unit: &UnitName) -> bool {
    matches!(unit.function.as_str(), SYSTEM | SEQUENCE)
}

impl System {
    pub(crate) fn function(&self, tag: &Atom) -> Option<&Function> {
        self.functions.iter().find(|it| it.tag == *tag)
    }

    /// The functions under test that its steps call, or the behaviour.
    pub(crate) fn entries(&self) -> impl Iterator<Item = UnitName> {
        let module = self.unit.module.clone();
        let callbacks = self.callbacks.iter().cloned().map(move |(function, arity)| UnitName {
            module: module.clone(),
            function,
            arity,
        });
        callbacks.chain(self.functions.iter().map(|it| it.name.clone()))
    }

    /// What the driver is told of it on BEAM.
    pub(crate) fn config(&self) -> Term {
        let functions = self.functions.iter().map(|it| (Term::Atom(it.tag.clone()), it.row()));
        self.config_with(("functions", Term::map(functions.collect())), SETTLE_ON_BEAM)
    }

    fn config_with(&self, (key, value): (&str, Term), settle: i64) -> Term {
        let steps = Term::Int(i64::try_from(self.n_steps).unwrap_or(i64::MAX));
        Term::map(vec![
            (Term::atom("module"), Term::Atom(self.unit.module.clone())),
            (Term::atom("protocol"), Term::atom(self.protocol.name())),
            (Term::atom("steps"), steps),
            (Term::atom("settle"), Term::Int(settle)),
            (Term::atom(key), value),
        ])
    }

    /// The tag of the last step that is taken, or of the start, and its content.
    pub(crate) fn last_step<'i>(&self, input: &'i Input) -> Option<(&'i Atom, &'i [Term])> {
        let [start, steps] = input.args.as_slice() else { return None };
        let steps = steps.as_list().unwrap_or_default();
        let last = steps.get(..self.n_steps.min(steps.len()))?.last().unwrap_or(start);
        match last.as_tuple()? {
            [Term::Atom(tag), content @ ..] => Some((tag, content)),
            _ => None,
        }
    }

    /// Whether all steps are calls of functions whose specs say something, so that the input is promised
    /// to work.
    pub(crate) fn promises(&self, input: &Input) -> bool {
        let [start, steps] = input.args.as_slice() else { return false };
        let steps = steps.as_list().unwrap_or_default();
        let is_promised = |it: &Term| match it.as_tuple() {
            Some([Term::Atom(tag), content @ ..]) => {
                let says = |it: &Function| it.is_promised || content.is_empty();
                self.function(tag).is_some_and(says)
            }
            Some(_) | None => it.as_atom() == Some("none"),
        };
        std::iter::once(start).chain(steps.iter().take(self.n_steps)).all(is_promised)
    }
}

/// Milliseconds until everything that was sent has arrived and was worked on. The machine's clock only
/// passes when nobody can do anything.
const SETTLE: i64 = 1;
const SETTLE_ON_BEAM: i64 = 20;

impl Function {
    /// As the driver knows it.
    fn row(&self) -> Term {
        let role = |it: &Role| match it {
            Role::Server => Term::atom("server"),
            Role::Handle => Term::atom("handle"),
            Role::Value => Term::atom("value"),
        };
        Term::Tuple(vec![
            Term::Atom(self.name.module.clone()),
            Term::Atom(self.name.function.clone()),
            Term::proper_list(self.roles.iter().map(role).collect()),
        ])
    }
}
