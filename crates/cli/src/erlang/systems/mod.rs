//! Systems: modules with a state, explored by sequences of steps. An input has the start of the process and the list
//! of messages and calls that follow.
//!
//! A system is derived from the code and the specs of its module alone. It runs through our driver (`driver.erl`),
//! which is the same on the machine and on BEAM, with OTP's own behaviours.

mod build;
mod harness;
mod heads;
mod roles;
mod script;
mod walk;

pub(crate) use build::Builder;
pub(crate) use harness::harness;
pub(crate) use heads::is_runtime_message;
pub(crate) use script::{read, script_of, test};

use crate::erlang::systems::harness::RUN;
use crate::erlang::unit::UnitName;
use std::collections::BTreeSet;
use term::{Atom, Domain, Term};
use trace::Input;

/// The driver's source.
pub(crate) const DRIVER: &str = include_str!("driver.erl");
/// The name of the driver's module.
pub(crate) const DRIVER_NAME: &str = "gimlet_system";
/// The prefix of the function name of a unit that is a system. The function takes the start and the list of steps.
const PREFIX: &str = "$";
/// An argument that stands for the process itself.
const SERVER: &str = "$server";
/// `{'$result', N}` stands for the result of the N-th step; the start is step 1.
const RESULT: &str = "$result";
/// `{'$content', N}` stands for `Content` if the N-th step returned `{ok, Content}`.
const CONTENT: &str = "$content";
/// The message for a callback with a clause that matches everything and ignores it.
pub(crate) const UNKNOWN: &str = "unknown_message";

/// The default number of steps.
pub(crate) const STEPS: usize = 4;

/// A system: a module with the domain of its steps.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) unit: UnitName,
    pub(crate) protocol: Protocol,
    /// The functions of the module that start the process or are called in steps.
    pub(crate) functions: Vec<StepFunction>,
    /// The callbacks of the behaviour.
    pub(crate) callbacks: BTreeSet<(Atom, usize)>,
    /// The domain of two arguments: the start, and the list of steps.
    pub(crate) domain: Domain,
    pub(crate) n_steps: usize,
}

/// How the process of a behaviour is started and addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    GenServer,
    GenStatem,
    GenEvent,
    /// Started without further steps.
    Supervisor,
    /// Only functions of the module are called.
    Functions,
}

/// A function of the module that is called in a step.
#[derive(Clone, Debug)]
pub(crate) struct StepFunction {
    /// The tag of its steps: `add/2`.
    pub(crate) tag: Atom,
    pub(crate) name: UnitName,
    pub(crate) roles: Vec<Role>,
    /// Whether its spec says more than `term()` of some argument.
    pub(crate) is_promised: bool,
}

/// The role of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The process itself.
    Server,
    /// Any value, or the result of an earlier step.
    Handle,
    /// A pid, reference or port from the result of an earlier step.
    Process,
    Value,
}

/// The known behaviours with their protocols.
const PROTOCOLS: &[(&str, Protocol)] = &[
    ("gen_server", Protocol::GenServer),
    ("Elixir.GenServer", Protocol::GenServer),
    ("gen_statem", Protocol::GenStatem),
    ("gen_event", Protocol::GenEvent),
    ("supervisor", Protocol::Supervisor),
    ("Elixir.Supervisor", Protocol::Supervisor),
];

impl Protocol {
    /// The protocol of the first known behaviour.
    pub(crate) fn of(behaviours: &[Atom]) -> Option<Protocol> {
        let of_name = |name: &Atom| PROTOCOLS.iter().find(|it| it.0 == name.as_str());
        behaviours.iter().find_map(of_name).map(|it| it.1)
    }

    /// The name that the driver uses: the module that implements the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Protocol::GenServer => "gen_server",
            Protocol::GenStatem => "gen_statem",
            Protocol::GenEvent => "gen_event",
            Protocol::Supervisor => "supervisor",
            Protocol::Functions => "functions",
        }
    }

    /// The description of such a unit in messages.
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

    /// The unit for a module that is explored with this protocol.
    fn unit(self, module: &Atom) -> UnitName {
        let function = Atom::new(&format!("{PREFIX}{}", self.name()));
        UnitName { module: module.clone(), function, arity: 2 }
    }

    /// The protocol of a unit that is a system, by the unit's name.
    pub(crate) fn of_unit(unit: &UnitName) -> Option<Protocol> {
        let name = unit.function.as_str().strip_prefix(PREFIX)?;
        Protocol::named(name).filter(|_| unit.arity == 2)
    }
}

impl System {
    pub(crate) fn function(&self, tag: &Atom) -> Option<&StepFunction> {
        self.functions.iter().find(|it| it.tag == *tag)
    }

    /// Whether a function is called in a step or by the behaviour.
    pub(crate) fn takes(&self, unit: &UnitName) -> bool {
        self.entries().any(|it| it == *unit)
    }

    /// The functions under test that steps or the behaviour call.
    pub(crate) fn entries(&self) -> impl Iterator<Item = UnitName> {
        let module = self.unit.module.clone();
        let callbacks = self.callbacks.iter().cloned().map(move |(function, arity)| UnitName {
            module: module.clone(),
            function,
            arity,
        });
        callbacks.chain(self.functions.iter().map(|it| it.name.clone()))
    }

    /// The tag and content of the last step, or of the start if there is no step.
    pub(crate) fn last_step<'i>(&self, input: &'i Input) -> Option<(&'i Atom, &'i [Term])> {
        let [start, steps] = input.args.as_slice() else { return None };
        let steps = steps.as_list().unwrap_or_default();
        let last = steps.last().unwrap_or(start);
        match last.as_tuple()? {
            [Term::Atom(tag), content @ ..] => Some((tag, content)),
            _ => None,
        }
    }

    /// Truncates the list of steps to the maximum number.
    pub(crate) fn cut(&self, input: &Input) -> Option<Input> {
        let [start, steps] = input.args.as_slice() else { return None };
        let steps = steps.as_list()?.iter().take(self.n_steps).cloned().collect();
        Some(Input { args: vec![start.clone(), Term::proper_list(steps)] })
    }

    /// Variants with fewer steps, shortest first.
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

    /// Whether all steps call functions with specs, so that the input is promised to work.
    pub(crate) fn promises(&self, input: &Input) -> bool {
        let [start, steps] = input.args.as_slice() else { return false };
        let steps = steps.as_list().unwrap_or_default();
        let is_promised = |it: &Term| match it.as_tuple() {
            Some([Term::Atom(tag), content @ ..]) => {
                let says = |it: &StepFunction| it.is_promised || content.is_empty();
                self.function(tag).is_some_and(says)
            }
            Some(_) | None => it.as_atom() == Some("none"),
        };
        std::iter::once(start).chain(steps).all(is_promised)
    }
}

impl StepFunction {
    /// The entry of the function for the driver.
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
