//! Modules that keep a state, explored as systems: an input is how the process is started and what is then
//! asked of it, step by step.
//!
//! A system is made from the code and the specs of its module alone. It runs through a driver of ours
//! (`driver.erl`), the same on the machine and on BEAM, where OTP's behaviours run as they are.

mod build;
mod gate;
mod heads;
mod roles;
mod script;
mod walk;

pub(crate) use build::Builder;
pub(crate) use gate::gate;
pub(crate) use heads::is_runtime_message;
pub(crate) use script::{read, script_of, test};

use crate::erlang::systems::gate::RUN;
use crate::erlang::unit::UnitName;
use std::collections::BTreeSet;
use term::{Atom, Domain, Term};
use trace::Input;

/// The driver's source.
pub(crate) const DRIVER: &str = include_str!("driver.erl");
/// The name of its module.
pub(crate) const DRIVER_NAME: &str = "gimlet_system";
/// The functions of units that are systems begin with it. They take the start and the list of steps.
const PREFIX: &str = "$";
/// An argument that stands for the process itself.
const SERVER: &str = "$server";
/// `{'$result', N}` stands for what the N-th step returned, where 1 is the start.
const RESULT: &str = "$result";
/// `{'$content', N}`: it returned `{ok, Content}`.
const CONTENT: &str = "$content";
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
    /// The process itself.
    Server,
    /// May be what an earlier step returned.
    Handle,
    /// May be a process, a reference or a port that an earlier step returned.
    Process,
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

    /// What a unit is that is explored in this way.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Protocol::GenServer => "a gen_server",
            Protocol::GenStatem => "a gen_statem",
            Protocol::GenEvent => "a gen_event",
            Protocol::Supervisor => "a supervisor",
            Protocol::Functions => "calls in sequence",
        }
    }

    fn named(name: &str) -> Option<Protocol> {
        let all = PROTOCOLS.iter().map(|it| it.1).chain([Protocol::Functions]);
        all.into_iter().find(|it| it.name() == name)
    }

    /// The unit of a module that is explored in this way.
    fn unit(self, module: &Atom) -> UnitName {
        let function = Atom::new(&format!("{PREFIX}{}", self.name()));
        UnitName { module: module.clone(), function, arity: 2 }
    }

    /// Of a unit that is a system, told by its name.
    pub(crate) fn of_unit(unit: &UnitName) -> Option<Protocol> {
        let name = unit.function.as_str().strip_prefix(PREFIX)?;
        Protocol::named(name).filter(|_| unit.arity == 2)
    }
}

impl System {
    pub(crate) fn function(&self, tag: &Atom) -> Option<&Function> {
        self.functions.iter().find(|it| it.tag == *tag)
    }

    /// Whether a function is called in its steps, or by the behaviour.
    pub(crate) fn takes(&self, unit: &UnitName) -> bool {
        self.entries().any(|it| it == *unit)
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

    /// The tag of the last step that is taken, or of the start, and its content.
    pub(crate) fn last_step<'i>(&self, input: &'i Input) -> Option<(&'i Atom, &'i [Term])> {
        let [start, steps] = input.args.as_slice() else { return None };
        let steps = steps.as_list().unwrap_or_default();
        let last = steps.last().unwrap_or(start);
        match last.as_tuple()? {
            [Term::Atom(tag), content @ ..] => Some((tag, content)),
            _ => None,
        }
    }

    /// With no more steps than are taken.
    pub(crate) fn cut(&self, input: &Input) -> Option<Input> {
        let [start, steps] = input.args.as_slice() else { return None };
        let steps = steps.as_list()?.iter().take(self.n_steps).cloned().collect();
        Some(Input { args: vec![start.clone(), Term::proper_list(steps)] })
    }

    /// With fewer steps, the fewest first.
    pub(crate) fn shorter(input: &Input) -> Vec<Input> {
        let [start, steps] = input.args.as_slice() else { return Vec::new() };
        let steps = steps.as_list().unwrap_or_default();
        let with = |steps: Vec<Term>| Input { args: vec![start.clone(), Term::proper_list(steps)] };
        let first = (0..steps.len()).map(|n| steps.iter().take(n).cloned().collect());
        let without = (0..steps.len()).map(|n| {
            let others = steps.iter().enumerate().filter(|it| it.0 != n);
            others.map(|it| it.1.clone()).collect()
        });
        first.chain(without).map(with).collect()
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
        std::iter::once(start).chain(steps).all(is_promised)
    }
}

impl Function {
    /// As the driver knows it.
    fn row(&self) -> Term {
        let role = |it: &Role| match it {
            Role::Server => Term::atom("server"),
            Role::Handle => Term::atom("handle"),
            Role::Process => Term::atom("process"),
            Role::Value => Term::atom("value"),
        };
        Term::Tuple(vec![
            Term::Atom(self.name.module.clone()),
            Term::Atom(self.name.function.clone()),
            Term::proper_list(self.roles.iter().map(role).collect()),
        ])
    }
}
