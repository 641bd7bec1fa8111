//! The processes that every Erlang system has. OTP's own code starts each of them when a process first looks one up.
//!
//! Most programs never look one up, so they need not wait for any to start. A process that looks up a name that is
//! being started waits until the start is finished.

use crate::builtins::make::atom;
use crate::builtins::{Fault, Stop};
use crate::machine::World;
use crate::machine::logs::{Logging, handler_config};
use crate::machine::process::{Execution, OnReturn, Process};
use crate::machine::world::USER;
use term::{Atom, Fun, Term};
use values::{AtomId, NodeId, PidId, Value, from_term};

/// The state of a resident's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Residence {
    /// The resident is being started; these processes wait for it.
    Starting { waiting: Vec<PidId> },
    /// The start has ended. The resident may have ended since.
    Settled,
}

/// A resident: its registered name, the table that its process owns, and the calls that start it.
struct Resident {
    name: &'static str,
    table: Option<&'static str>,
    steps: &'static [StartCall],
}

/// Registered names of processes that are started along with a resident, and that resident.
const CHILDREN: &[(&str, &str)] =
    &[("logger_handler_watcher", "logger_sup"), ("logger_proxy", "logger_sup")];

/// Registered names that come with `logger` if the logger has its handler from the start, because the handler needs
/// those processes.
const CHILDREN_OF_LOGGER: &[&str] = &["logger_sup", "logger_handler_watcher", "logger_proxy"];

/// The registered name of the process that starts applications.
pub(super) const CONTROLLER: &str = "application_controller";

const LOGGER: &str = "logger";

/// The name of the resident that stands for applications that are started late: only when one of their processes is
/// looked up.
const LATE: &str = "gimlet$late_applications";

/// Returns a call to make: module, function and arguments.
type StartCall = fn(&mut World) -> (&'static str, &'static str, Vec<Value>);

const RESIDENTS: &[Resident] = &[
    Resident {
        name: CONTROLLER,
        table: Some("ac_tab"),
        steps: &[
            |w| {
                let kernel = application(w, "kernel");
                ("application_controller", "start", vec![kernel])
            },
            |w| {
                let args = vec![atom(w, "kernel"), atom(w, "permanent")];
                ("application", "start_boot", args)
            },
            |w| {
                let stdlib = application(w, "stdlib");
                ("application", "load", vec![stdlib])
            },
            |w| {
                let args = vec![atom(w, "stdlib"), atom(w, "permanent")];
                ("application", "start_boot", args)
            },
            configure,
            |w| {
                let all = Term::proper_list(w.running.loaded.clone());
                for_each(w, "load", &all)
            },
            |w| {
                let n = w.n_started_at_once();
                let all = w.running.started.iter().take(n).cloned().map(Term::Atom).collect();
                for_each(w, "ensure_all_started", &Term::proper_list(all))
            },
        ],
    },
    Resident {
        name: LATE,
        table: None,
        steps: &[
            |w| where_is(w, CONTROLLER),
            |w| {
                let n = w.n_started_at_once();
                let all = w.running.started.iter().skip(n).cloned().map(Term::Atom).collect();
                for_each(w, "ensure_all_started", &Term::proper_list(all))
            },
        ],
    },
    // By default `kernel_safe_sup` starts without children. The children that `kernel_sup` has on BEAM are residents of
    // their own here.
    Resident { name: "kernel_sup", table: None, steps: &[|w| supervisor(w, "kernel_sup")] },
    Resident {
        name: "kernel_safe_sup",
        table: None,
        steps: &[|w| supervisor(w, "kernel_safe_sup")],
    },
    Resident {
        name: LOGGER,
        table: Some("logger"),
        steps: &[
            |_| ("logger_server", "start_link", Vec::new()),
            |w| match w.logging {
                Logging::Terminal => ("logger_sup", "start_link", Vec::new()),
                Logging::Silent => nothing(),
            },
            |w| match w.logging {
                Logging::Terminal => {
                    let names = [atom(w, "default"), atom(w, "logger_std_h")];
                    let config = handler_config(w);
                    ("logger", "add_handler", [&names[..], &[config]].concat())
                }
                Logging::Silent => nothing(),
            },
            // The handler `simple` prints events until another handler is added, which either has happened by now or is
            // left to the program.
            |w| {
                let simple = atom(w, "simple");
                ("logger", "remove_handler", vec![simple])
            },
        ],
    },
    Resident {
        name: "logger_sup",
        table: None,
        steps: &[|w| where_is(w, "logger"), |_| ("logger_sup", "start_link", Vec::new())],
    },
    Resident {
        name: "erl_prim_loader",
        table: None,
        steps: &[|_| ("erl_prim_loader", "start", Vec::new())],
    },
    Resident {
        name: "file_server_2",
        table: None,
        steps: &[|_| ("file_server", "start_link", Vec::new())],
    },
    Resident {
        name: "erts_code_purger",
        table: None,
        steps: &[
            |w| {
                let args = vec![atom(w, "erts_code_purger"), atom(w, "start"), Value::NIL];
                ("erlang", "spawn", args)
            },
            // The purger never returns, but has registered its name by now.
            |_| ("timer", "sleep", vec![Value::int(1)]),
        ],
    },
    Resident {
        name: "inet_db",
        table: Some("inet_db"),
        steps: &[|_| ("inet_db", "start_link", Vec::new())],
    },
    Resident { name: "rex", table: None, steps: &[|_| ("rpc", "start_link", Vec::new())] },
    Resident {
        name: "global_name_server",
        table: Some("global_names"),
        steps: &[|_| ("global", "start_link", Vec::new())],
    },
];

/// A call that looks up a resident, which starts it.
fn where_is(w: &mut World, name: &str) -> (&'static str, &'static str, Vec<Value>) {
    ("erlang", "whereis", vec![atom(w, name)])
}

fn nothing() -> (&'static str, &'static str, Vec<Value>) {
    ("erlang", "self", Vec::new())
}

/// Values in the configuration override those in the application's own description.
fn configure(w: &mut World) -> (&'static str, &'static str, Vec<Value>) {
    if w.running.environment.is_empty() {
        return nothing();
    }
    let persistent = Term::Tuple(vec![Term::atom("persistent"), Term::atom("true")]);
    let environment = Term::proper_list(w.running.environment.clone());
    let args = [environment, Term::proper_list(vec![persistent])];
    let args = args.iter().map(|it| from_term(&mut w.heap, &mut w.atoms, it)).collect();
    ("application", "set_env", args)
}

/// A call of a function of `application` for each element of a list.
fn for_each(
    w: &mut World,
    function: &'static str,
    all: &Term,
) -> (&'static str, &'static str, Vec<Value>) {
    let (module, function) = (Atom::new("application"), Atom::new(function));
    let function = Term::Fun(Box::new(Fun::External { module, function, arity: 1 }));
    let args = [&function, all].map(|it| from_term(&mut w.heap, &mut w.atoms, it));
    ("lists", "foreach", args.to_vec())
}

fn supervisor(w: &mut World, name: &str) -> (&'static str, &'static str, Vec<Value>) {
    let name = [Value::atom(AtomId::LOCAL), atom(w, name)];
    let args = vec![w.heap.tuple(&name), atom(w, "kernel"), atom(w, "safe")];
    ("supervisor", "start_link", args)
}

/// The description of an application without its key `mod`, so that loading it starts no processes.
fn application(w: &mut World, wanted: &str) -> Value {
    let described = w.applications.iter().find_map(|it| match it.as_tuple()? {
        [_, name, keys] if name.as_atom() == Some(wanted) => Some(keys.as_list()?.to_vec()),
        _ => None,
    });
    let is_mod = |it: &Term| {
        let name = it.as_tuple().and_then(|it| it.first()).and_then(Term::as_atom);
        name == Some("mod")
    };
    let keys: Vec<Term> =
        described.unwrap_or_default().into_iter().filter(|it| !is_mod(it)).collect();
    let keys = from_term(&mut w.heap, &mut w.atoms, &Term::proper_list(keys));
    let described = [atom(w, "application"), atom(w, wanted), keys];
    w.heap.tuple(&described)
}

impl World {
    /// The process that has the registered name. If a resident has that name, asks for its start.
    pub fn locate(&self, name: AtomId) -> Result<Option<PidId>, Fault> {
        self.locate_on(self.here(), name)
    }

    /// As [`World::locate`], on another node.
    pub fn locate_on(&self, node: NodeId, name: AtomId) -> Result<Option<PidId>, Fault> {
        let is_starting = |it: &Residence| matches!(it, Residence::Starting { .. });
        if let Some(found) = self.whereis_on(node, name)
            && !self.run.residents.values().any(is_starting)
        {
            return Ok(Some(found));
        }
        let Some(resident) = self.resident(name) else {
            return Ok(self.whereis_on(node, name));
        };
        if self.waits_for_applications(resident)
            && let Some(controller) = self.atoms.find(CONTROLLER)
        {
            return Err(Stop::NeedProcess(node, controller).into());
        }
        let owner = self.atoms.find(resident.name);
        match owner.and_then(|it| self.run.residents.get(&(node, it))) {
            Some(Residence::Starting { .. }) if !owner.is_some_and(|it| self.starts(node, it)) => {
                Err(Stop::NeedProcess(node, name).into())
            }
            Some(_) => Ok(self.whereis_on(node, name)),
            None => match self.whereis_on(node, name) {
                None => Err(Stop::NeedProcess(node, name).into()),
                found => Ok(found),
            },
        }
    }

    /// Called when a named table does not exist: asks for the start of the resident that would own it, if there is one.
    pub fn need_table(&mut self, table: AtomId) -> Result<(), Fault> {
        let text = self.atoms.name(table);
        let owner = match RESIDENTS.iter().find(|it| it.table == Some(text)) {
            Some(owner) if self.waits_for_applications(owner) => CONTROLLER,
            Some(owner) => owner.name,
            // The description of an application does not tell which tables it creates.
            None if !self.running.started.is_empty() => match self.logging {
                Logging::Terminal => CONTROLLER,
                Logging::Silent => LATE,
            },
            None => return Ok(()),
        };
        let name = self.atoms.intern(owner);
        let here = self.here();
        let is_due = match self.run.residents.get(&(here, name)) {
            None => true,
            Some(Residence::Starting { .. }) => !self.starts(here, name),
            Some(Residence::Settled) => false,
        };
        if is_due { Err(Stop::NeedProcess(here, name).into()) } else { Ok(()) }
    }

    /// How many of the configured applications are started along with their controller. With silent logging (many runs
    /// whose logs nobody reads) this is none, because starting them would cost more than most runs; they are started
    /// when one of their processes or tables is looked up.
    fn n_started_at_once(&self) -> usize {
        match self.logging {
            Logging::Terminal => usize::MAX,
            Logging::Silent => 0,
        }
    }

    /// Whether the program may see this resident only after the applications have started that run from the beginning,
    /// because these may change the configuration of the logger.
    fn waits_for_applications(&self, resident: &Resident) -> bool {
        let is_of_program =
            || self.run.processes.get(&self.run.current).is_some_and(|it| it.resident.is_none());
        let is_settled = || {
            let controller = self.atoms.find(CONTROLLER);
            let found = controller.and_then(|it| self.run.residents.get(&(self.here(), it)));
            found == Some(&Residence::Settled)
        };
        resident.name == LOGGER
            && self.logging == Logging::Terminal
            && !self.running.started.is_empty()
            && is_of_program()
            && !is_settled()
    }

    /// Whether the running process is one of those that start this resident.
    fn starts(&self, node: NodeId, name: AtomId) -> bool {
        let me = self.run.processes.get(&self.run.current);
        node == self.here() && me.is_some_and(|it| it.resident == Some(name))
    }

    /// Starts a resident that process `for_whom` waits for.
    pub(super) fn boot(&mut self, node: NodeId, name: AtomId, for_whom: PidId) {
        let name = match self.resident(name) {
            Some(resident) => self.atoms.intern(resident.name),
            None => name,
        };
        if let Some(Residence::Starting { waiting }) = self.run.residents.get_mut(&(node, name)) {
            waiting.push(for_whom);
            return;
        }
        self.start_resident(node, name, vec![for_whom]);
    }

    /// Starts a resident that no process waits for.
    pub(super) fn boot_unasked(&mut self, node: NodeId, name: AtomId) {
        if !self.run.residents.contains_key(&(node, name)) {
            self.start_resident(node, name, Vec::new());
        }
    }

    fn start_resident(&mut self, node: NodeId, name: AtomId, waiting: Vec<PidId>) {
        self.run.residents.insert((node, name), Residence::Starting { waiting });
        let place = RESIDENTS.iter().position(|it| it.name == self.atoms.name(name));
        let Some(execution) = self.boot_step(name, 0) else { return self.settle(node, name) };
        // Pid numbers: the unit under test is child 0 of the process without a parent, residents are its further
        // children.
        let n = u32::try_from(place.unwrap_or(0)).unwrap_or(0) + 1;
        let parent = PidId::default().on(node);
        let pid = self.names.child(parent, n);
        let dictionary = self.heap.empty_map();
        let mut process = Process::new(pid, parent, execution, dictionary);
        process.on_return = OnReturn::Boot { name, step: 0 };
        process.group_leader = USER.on(node);
        process.resident = Some(name);
        self.run.processes.insert(pid, process);
        self.run.queue.push_first(pid);
    }

    fn boot_step(&mut self, name: AtomId, step: usize) -> Option<Execution> {
        let resident = self.resident(name)?;
        let (module, function, args) = resident.steps.get(step)?(self);
        let (module, function) = (atom(self, module), atom(self, function));
        Some(Execution::apply(module, function, &args))
    }

    /// Makes the next call of a resident's start, if there is one. The process that made the calls stays alive, because
    /// the processes that it started are linked to it.
    pub(super) fn boot_on(&mut self, pid: PidId, name: AtomId, step: usize) {
        let next = step + 1;
        let execution = match self.boot_step(name, next) {
            Some(execution) => execution,
            None => {
                self.settle(pid.node(), name);
                let (module, function) = (atom(self, "timer"), atom(self, "sleep"));
                Execution::apply(module, function, &[Value::atom(AtomId::INFINITY)])
            }
        };
        let is_settled = self.run.residents.get(&(pid.node(), name)) == Some(&Residence::Settled);
        if let Some(process) = self.run.processes.get_mut(&pid) {
            process.execution = Some(execution);
            process.on_return =
                if is_settled { OnReturn::Nobody } else { OnReturn::Boot { name, step: next } };
            self.run.queue.push_first(pid);
        }
    }

    /// Ends the start of a resident, successful or not; the waiting processes look it up again.
    pub(super) fn settle(&mut self, node: NodeId, name: AtomId) {
        let before = self.run.residents.insert((node, name), Residence::Settled);
        self.hand_over_logs(node);
        if let Some(Residence::Starting { waiting }) = before {
            for pid in waiting.into_iter().rev() {
                self.run.queue.push_first(pid);
            }
        }
    }

    /// Whether a process is one that exists on BEAM from the start. Here it is started on demand, which a program that
    /// compares counts of processes must not notice.
    pub(crate) fn is_from_the_beginning(&self, pid: PidId) -> bool {
        self.run.processes.get(&pid).is_some_and(|it| {
            let is_named = it.name.is_some_and(|it| self.resident(it).is_some());
            is_named || (it.parent.number() == 0 && it.on_return != OnReturn::Unit)
        })
    }

    /// The resident that a registered name belongs to.
    fn resident(&self, name: AtomId) -> Option<&'static Resident> {
        let name = self.atoms.name(name);
        let with = match self.logging {
            Logging::Terminal if CHILDREN_OF_LOGGER.contains(&name) => Some("logger"),
            Logging::Terminal | Logging::Silent => {
                CHILDREN.iter().find(|it| it.0 == name).map(|it| it.1)
            }
        };
        let of_application = || {
            let place = self.running.registers(name)?;
            Some(if place < self.n_started_at_once() { CONTROLLER } else { LATE })
        };
        let name = with.or_else(of_application).unwrap_or(name);
        RESIDENTS.iter().find(|it| it.name == name)
    }

    /// The number of processes that do not belong to a resident.
    pub(super) fn n_own_processes(&self) -> usize {
        self.run.processes.values().filter(|it| it.resident.is_none()).count()
    }
}

/// Whether the table belongs to a resident.
pub(super) fn is_table_of_system(name: &str) -> bool {
    RESIDENTS.iter().any(|it| it.table == Some(name))
}
