//! The machine's interface: loads code and runs calls.

use crate::builtins::files::OpenFiles;
use crate::builtins::{Effect, Stop};
use crate::code::Program;
use crate::core;
use crate::host::{Host, HostError, ModuleCode};
use crate::lower;
use crate::machine::boot::CONTROLLER;
use crate::machine::interpret::{Pause, run};
use crate::machine::io;
use crate::machine::ports::Ports;
use crate::machine::process::{Execution, OnReturn, Process, Status};
use crate::machine::raise::{self, Raised};
use crate::machine::world::{Ended, Epoch, USER, World};
use crate::machine::{Allowed, Limits, Logging, Recorder};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use term::{Atom, Term};
use trace::{Covered, Head};
use values::{AtomId, Effort, Mark, NoTerm, PidId, RefId, Value, from_term, to_term};

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub limits: Limits,
    pub allowed: Allowed,
    pub logging: Logging,
    /// When another thread sets this flag, the run ends within a slice.
    pub interrupt: Arc<AtomicBool>,
    /// The value of the system clock at the beginning of a run.
    pub epoch: Epoch,
    /// The environment variables that the program sees.
    pub environment: BTreeMap<String, String>,
    /// The names of the machine's nodes; the unit runs on the first one. If empty, the machine is not distributed.
    pub nodes: Vec<String>,
}

/// The outcome of a call, and its side effects.
#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub output: Vec<u8>,
    /// The text written to the standard error.
    pub error_output: Vec<u8>,
    pub reductions: u64,
    pub covered: Covered,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Value(Term),
    Raised {
        class: Atom,
        reason: Term,
        trace: Term,
    },
    /// The unit was ended by an exit signal of another process.
    Killed {
        reason: Term,
    },
    /// All processes wait, and no timer is running.
    Deadlock {
        waiting: usize,
    },
    /// The result can't be represented as a term: it is nested too deeply, or too large.
    NoTerm(NoTerm),
    Stopped(Stop),
}

/// A failure of our own machinery, not of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineError {
    Host(HostError),
    Read(core::ReadError),
    Lower(lower::TooLarge),
    Assembly(lower::AssemblyError),
    NoSuchModule(String),
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachineError::Host(error) => error.fmt(f),
            MachineError::Read(error) => error.fmt(f),
            MachineError::Lower(error) => error.fmt(f),
            MachineError::Assembly(error) => error.fmt(f),
            MachineError::NoSuchModule(name) => write!(f, "there is no module {name}"),
        }
    }
}

pub struct Machine {
    pub(crate) program: Program,
    pub(crate) world: World,
    pub(crate) host: Box<dyn Host>,
    pub(super) interrupt: Arc<AtomicBool>,
    /// The part of the heap that belongs to loaded code.
    code_mark: Mark,
    n_code_atoms: usize,
    /// The number of full collections of the heap when the mark was set.
    n_collections: u64,
    pub(crate) loaded_in_run: bool,
    /// Code that the program has prepared for loading.
    pub(super) prepared: BTreeMap<RefId, (AtomId, ModuleCode)>,
    /// Modules that the program has deleted.
    pub(super) deleted: BTreeSet<AtomId>,
    /// Modules that the program has loaded itself; they are unloaded after the run.
    pub(super) made_in_run: Vec<AtomId>,
    /// The atoms in tested code, which are alternatives where a text must be an existing atom.
    pub(super) named: Arc<[Head]>,
    /// The names of the tested modules.
    pub(super) tested: Arc<[Head]>,
    /// The initial environment variables of each run.
    environment: BTreeMap<String, String>,
    pub(super) reductions: u64,
}

/// How long external programs are awaited before the interrupt flag is checked.
const PATIENCE: Duration = Duration::from_millis(50);

/// The maximum number of slices for writing logs after the run; only a logger in an endless loop needs more.
const SLICES_OF_LOGGER: usize = 10_000;

/// The size of a heap cell in bytes; a cell stands for one word on BEAM.
const WORD_BYTES: usize = size_of::<Value>();

/// The number of reductions in a slice, as on BEAM.
pub(super) const SLICE: u32 = 4000;

impl Machine {
    pub fn new(mut host: Box<dyn Host>, settings: Settings) -> Machine {
        let Settings { limits, allowed, logging, epoch, environment, interrupt, nodes } = settings;
        host.interrupted_by(&interrupt);
        let mut world = World {
            limits,
            allowed,
            logging,
            epoch,
            files: OpenFiles::of(host.files()),
            ports: Ports::of(host.programs(), host.sockets()),
            ..World::default()
        };
        world.heap.max_term_bytes = world.limits.term_bytes.min(world.limits.memory_bytes);
        world.heap.effort = Effort::interrupted_by(Arc::clone(&interrupt));
        let program = Program::new(&mut world.atoms);
        let nodes: Vec<AtomId> = nodes.iter().map(|it| world.atoms.intern(it)).collect();
        world.heap.nodes.name_own(&nodes);
        let code_mark = world.heap.mark();
        let n_code_atoms = world.atoms.len();
        Machine {
            program,
            world,
            host,
            interrupt,
            code_mark,
            n_code_atoms,
            n_collections: 0,
            loaded_in_run: false,
            prepared: BTreeMap::new(),
            deleted: BTreeSet::new(),
            made_in_run: Vec::new(),
            named: Arc::new([]),
            tested: Arc::new([]),
            environment,
            reductions: 0,
        }
    }

    /// Replaces the interrupt flag, which ends runs when it is set. Returns the previous flag.
    pub fn interrupted_by(&mut self, flag: &Arc<AtomicBool>) -> Arc<AtomicBool> {
        self.host.interrupted_by(flag);
        self.world.heap.effort.look_at(flag);
        std::mem::replace(&mut self.interrupt, Arc::clone(flag))
    }

    /// Loads a module and lists its exports.
    pub fn exports(&mut self, module: &Atom) -> Result<Vec<(Atom, u32)>, MachineError> {
        let id = self.world.atoms.intern(module.as_str());
        if !self.load(id)? {
            return Err(MachineError::NoSuchModule(module.as_str().to_owned()));
        }
        let exports = self.world.modules.get(&id).map(|it| it.exports.clone());
        let name = |id| Atom::new(self.world.atoms.name(id));
        Ok(exports.unwrap_or_default().into_iter().map(|it| (name(it.0), it.1)).collect())
    }

    /// The host from which the machine loads its code.
    pub fn host(&mut self) -> &mut dyn Host {
        self.host.as_mut()
    }

    /// The number of loaded instructions.
    pub fn code_len(&self) -> usize {
        self.program.code.len()
    }

    /// Runs a call in a new world, without processes of earlier runs.
    pub fn call(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
    ) -> Result<Run, MachineError> {
        self.begin()?;
        let args = self.values(args);
        self.call_values(module, function, &args)
    }

    /// Runs a call with symbolic arguments. Also returns the recorded choices.
    pub fn record(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
        mut recorder: Recorder,
    ) -> Result<(Run, Recorder), MachineError> {
        self.begin()?;
        let args = self.values(args);
        self.begin_record(&mut recorder);
        let args: Vec<Value> =
            args.into_iter().enumerate().map(|(n, it)| recorder.argument(n, it)).collect();
        self.world.record = Some(Box::new(recorder));
        let run = self.call_values(module, function, &args);
        let recorder = self.world.record.take().unwrap_or_default();
        Ok((run?, *recorder))
    }

    /// Prepares a recorder for the next run, with the names that occur in the loaded code.
    pub(super) fn begin_record(&self, recorder: &mut Recorder) {
        recorder.begin();
        recorder.named = Arc::clone(&self.named);
        recorder.tested = Arc::clone(&self.tested);
    }

    pub(super) fn values(&mut self, terms: &[Term]) -> Vec<Value> {
        let World { heap, atoms, .. } = &mut self.world;
        terms.iter().map(|it| from_term(heap, atoms, it)).collect()
    }

    fn call_values(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Value],
    ) -> Result<Run, MachineError> {
        let World { atoms, .. } = &mut self.world;
        let module = Value::atom(atoms.intern(module.as_str()));
        let function = Value::atom(atoms.intern(function.as_str()));
        let unit = self.world.names.child(PidId(0), 0);
        if let Some(replay) = &mut self.world.replay {
            replay.unit = unit;
        }
        let dictionary = self.world.heap.empty_map();
        let execution = Execution::apply(module, function, args);
        let mut process = Process::new(unit, PidId(0), execution, dictionary);
        process.on_return = OnReturn::Unit;
        process.group_leader = USER;
        self.world.run.processes.insert(unit, process);
        self.world.enqueue(unit);
        let outcome = self.schedule();
        let output = std::mem::take(&mut self.world.run.output);
        let error_output = std::mem::take(&mut self.world.run.error_output);
        let reductions = self.reductions;
        let outcome = self.outcome(outcome);
        let covered = Covered::from_words(std::mem::take(&mut self.world.run.covered));
        self.end();
        Ok(Run { outcome: outcome?, output, error_output, reductions, covered })
    }

    pub(super) fn begin(&mut self) -> Result<(), MachineError> {
        self.reductions = 0;
        self.world.heap.effort.reset();
        self.world.run.environment.clone_from(&self.environment);
        self.world.atoms.intern(CONTROLLER);
        if self.world.facts.is_empty() {
            let system = self.host.system().map_err(MachineError::Host)?;
            for (name, text) in
                [("otp_release", &system.release), ("version", &system.erts_version)]
            {
                self.world.facts.insert(name.to_owned(), Term::string(text));
            }
            self.world.applications = system.applications;
            self.world.running = system.running;
            self.world.code_path.initial = system.code_path;
            self.world.code_path.root = system.root;
        }
        Ok(())
    }

    /// The top of the heap before the run.
    pub(super) fn code_mark(&self) -> Mark {
        self.code_mark
    }

    /// Whether the run has loaded code or created atoms.
    pub(super) fn has_changed_code(&self) -> bool {
        self.loaded_in_run
            || !self.made_in_run.is_empty()
            || !self.prepared.is_empty()
            || self.world.atoms.len() != self.n_code_atoms
    }

    /// Drops everything that the run created, except loaded code.
    pub(super) fn end(&mut self) {
        self.stop_tracing();
        self.prepared.clear();
        self.deleted.clear();
        for module in std::mem::take(&mut self.made_in_run) {
            self.forget(module);
        }
        if self.loaded_in_run {
            self.n_code_atoms = self.world.atoms.len();
        }
        if self.loaded_in_run || self.world.heap.n_full_collections != self.n_collections {
            // The literals were moved by a full collection, or new ones are above the run's data.
            self.world.collect_after_run();
            self.code_mark = self.world.heap.mark();
            self.n_collections = self.world.heap.n_full_collections;
        }
        self.world.reset(self.code_mark, self.n_code_atoms);
        self.host.set_code_path(None);
        self.loaded_in_run = false;
    }

    /// Runs processes until the unit has ended or a deadlock is reached.
    fn schedule(&mut self) -> Result<Stopped, MachineError> {
        loop {
            if self.world.run.ended.is_some() {
                self.write_logs()?;
                return Ok(Stopped::Ended);
            }
            while let Some(timer) = self.world.run.timers.take_due(self.world.run.clock) {
                self.world.fire(timer);
            }
            if self.world.awaits_outside() {
                self.listen();
                if self.interrupt.load(Ordering::Relaxed) {
                    return Ok(Stopped::Stop(Stop::Interrupted));
                }
                if self.world.run.queue.is_empty() {
                    continue;
                }
            }
            let Some(pid) = self.world.run.queue.take(self.world.schedulers()) else {
                match self.world.run.timers.next_at() {
                    Some(at) => self.world.run.clock = self.world.run.clock.max(at),
                    None => return Ok(Stopped::Deadlock),
                }
                continue;
            };
            if let Some(stop) = self.run_process(pid)? {
                return Ok(Stopped::Stop(stop));
            }
            if self.interrupt.load(Ordering::Relaxed) {
                return Ok(Stopped::Stop(Stop::Interrupted));
            }
        }
    }

    /// Runs the logger's processes after the unit has ended, until all log events are written.
    fn write_logs(&mut self) -> Result<(), MachineError> {
        if self.world.logging == Logging::Silent || self.world.run.residents.is_empty() {
            return Ok(());
        }
        for _ in 0..SLICES_OF_LOGGER {
            let processes = &self.world.run.processes;
            let is_due = |it: &PidId| {
                let process = processes.get(it);
                process.is_some_and(|it| it.resident.is_some() || it.on_return.is_output())
            };
            let Some(pid) = self.world.run.queue.iter().find(is_due) else { break };
            self.world.run.queue.remove(pid);
            if self.run_process(pid)?.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Receives output of external programs. If no process is runnable, waits for it until the next timer, and advances
    /// the virtual clock by the elapsed time.
    fn listen(&mut self) {
        if !self.world.run.queue.is_empty() {
            self.world.listen(Duration::ZERO);
            self.world.expire_sockets();
            return;
        }
        let until = [self.world.run.timers.next_at(), self.world.socket_deadline()];
        let until = until.into_iter().flatten().min();
        let left = until.map(|it| Duration::from_nanos(it.saturating_sub(self.world.run.clock)));
        let elapsed = self.world.listen(left.unwrap_or(PATIENCE).min(PATIENCE));
        let elapsed = u64::try_from(elapsed.as_nanos()).unwrap_or(0);
        self.world.run.clock = self.world.run.clock.saturating_add(elapsed);
        self.world.expire_sockets();
    }

    fn run_process(&mut self, pid: PidId) -> Result<Option<Stop>, MachineError> {
        if self.world.is_suspended(pid) {
            self.world.run.stalled.insert(pid);
            return Ok(None);
        }
        self.world.run.current = pid;
        self.world.run.shared.give_up_erased();
        let Some(process) = self.world.run.processes.get_mut(&pid) else { return Ok(None) };
        let Some(mut execution) = process.execution.take() else { return Ok(None) };
        let slice = u32::try_from(self.world.limits.reductions.saturating_sub(self.reductions))
            .unwrap_or(u32::MAX)
            .min(SLICE);
        if self.world.run.tracing.is_some() {
            let place = self.place_of(&execution);
            self.world.trace_scheduled(pid, "in", place);
        }
        let before = self.world.heap.bytes_used();
        let (pause, used) = run(&self.program, &mut self.world, &mut execution, slice);
        self.reductions += u64::from(used);
        // The virtual clock advances by 100 ns for each reduction.
        self.world.run.clock = self.world.run.clock.saturating_add(u64::from(used) * 100);
        execution.live = execution.stack.len();
        if self.world.replay.is_some() {
            self.world.sample(&self.program, &execution, self.reductions);
        }
        let killed = self.world.run.killed.take();
        if self.world.run.tracing.is_some()
            && killed.is_none()
            && matches!(pause, Pause::Yield | Pause::Wait)
        {
            let place = self.place_of(&execution);
            self.world.trace_scheduled(pid, "out", place);
        }
        let mut is_large = false;
        if let Some(process) = self.world.run.processes.get_mut(&pid) {
            process.reductions += u64::from(used);
            process.execution = Some(execution);
            if let Some(limit) = &mut process.heap_limit {
                let made = self.world.heap.bytes_used().saturating_sub(before) / WORD_BYTES;
                limit.made = limit.made.saturating_add(i64::try_from(made).unwrap_or(i64::MAX));
                is_large = limit.is_due || limit.made > limit.words;
            }
        }
        if let Some(reason) = killed {
            self.world.terminate(pid, reason);
            return Ok(None);
        }
        if self.reductions >= self.world.limits.reductions {
            return Ok(Some(Stop::OutOfReductions));
        }
        if is_large && matches!(pause, Pause::Yield | Pause::Wait) {
            self.world.enforce_heap_limit(pid);
        }
        self.after(pid, pause)
    }

    /// The function that a process is executing, for traces of scheduling.
    fn place_of(&mut self, execution: &Execution) -> Value {
        let found = self.program.function_at(execution.pc);
        match found.filter(|_| !execution.is_new()) {
            Some(info) => {
                let arity = Value::int(i64::from(info.arity));
                let items = [Value::atom(info.module), Value::atom(info.name), arity];
                self.world.heap.tuple(&items)
            }
            None => Value::int(0),
        }
    }

    pub(super) fn after(&mut self, pid: PidId, pause: Pause) -> Result<Option<Stop>, MachineError> {
        if matches!(pause, Pause::Yield | Pause::Wait) {
            self.world.tell_vain_monitors(pid);
        }
        match pause {
            Pause::Yield => self.world.enqueue(pid),
            Pause::Wait => {
                // A message may have arrived while the process was going to sleep.
                if let Some(process) = self.world.run.processes.get(&pid)
                    && process.status == Status::Runnable
                {
                    self.world.enqueue(pid);
                }
            }
            Pause::Returned(value) => self.returned(pid, value),
            Pause::Raised(raised) => self.uncaught(pid, raised),
            Pause::Killed(reason) => self.world.terminate(pid, reason),
            Pause::Load(module) | Pause::Stop(Stop::NeedModule(module)) => {
                self.load(module)?;
                self.world.run.queue.push_first(pid);
            }
            Pause::Stop(Stop::NeedProcess(node, name)) => self.world.boot(node, name, pid),
            Pause::Stop(Stop::NeedFact(name)) => {
                if let Some(stop) = self.learn(name) {
                    return Ok(Some(stop));
                }
                self.world.run.queue.push_first(pid);
            }
            Pause::Host { builtin, args } => {
                if let Some(stop) = self.ask_host(pid, builtin, &args)? {
                    return Ok(Some(stop));
                }
                self.world.run.queue.push_first(pid);
            }
            Pause::Stop(stop) => return Ok(Some(stop)),
        }
        Ok(None)
    }

    pub(super) fn returned(&mut self, pid: PidId, value: Value) {
        match self.world.run.processes.get(&pid).map(|it| it.on_return) {
            Some(OnReturn::Unit) => {
                self.world.record_result(value);
                self.world.run.ended = Some(Ended::Value(value));
            }
            Some(OnReturn::Output { asker, request, device }) => {
                if let Some(process) = self.world.run.processes.get_mut(&pid) {
                    process.on_return = OnReturn::Nobody;
                }
                io::formatted(&mut self.world, device, asker, request, value);
            }
            Some(OnReturn::Boot { name, step }) => {
                self.world.boot_on(pid, name, step);
                return;
            }
            Some(OnReturn::OnLoad { module }) if !value.is_atom(AtomId::OK) => {
                self.on_load_failed(pid, module);
            }
            Some(OnReturn::Nobody | OnReturn::OnLoad { .. }) | None => (),
        }
        self.world.terminate(pid, Value::atom(AtomId::NORMAL));
    }

    pub(super) fn uncaught(&mut self, pid: PidId, raised: Raised) {
        let Raised { class, reason, trace } = raised;
        if self.world.run.processes.get(&pid).is_some_and(|it| it.on_return == OnReturn::Unit) {
            self.world.run.ended = Some(Ended::Raised { class, reason, trace });
        }
        if let Some(OnReturn::OnLoad { module }) =
            self.world.run.processes.get(&pid).map(|it| it.on_return)
        {
            self.on_load_failed(pid, module);
        }
        let reason = match class {
            AtomId::EXIT => reason,
            AtomId::THROW => {
                let nocatch = self.world.heap.tuple(&[Value::atom(AtomId::NOCATCH), reason]);
                raise::error_reason(&self.program, &mut self.world, nocatch, trace)
            }
            _ => raise::error_reason(&self.program, &mut self.world, reason, trace),
        };
        if class != AtomId::EXIT {
            self.world.log_crash(pid, reason);
        }
        self.world.terminate(pid, reason);
    }

    pub(super) fn outcome(
        &mut self,
        stopped: Result<Stopped, MachineError>,
    ) -> Result<Outcome, MachineError> {
        Ok(match stopped? {
            Stopped::Deadlock => Outcome::Deadlock { waiting: self.world.n_own_processes() },
            Stopped::Stop(stop) => Outcome::Stopped(stop),
            Stopped::Ended => match self.world.run.ended {
                None => Outcome::Deadlock { waiting: 0 },
                Some(Ended::Value(value)) => {
                    self.term(value).map_or_else(Outcome::NoTerm, Outcome::Value)
                }
                Some(Ended::Killed(reason)) => self
                    .term(reason)
                    .map_or_else(Outcome::NoTerm, |reason| Outcome::Killed { reason }),
                Some(Ended::Raised { class, reason, trace }) => {
                    let trace = raise::build_trace(&self.program, &mut self.world, trace);
                    let class = Atom::new(self.world.atoms.name(class));
                    match (self.term(reason), self.term(trace)) {
                        (Ok(reason), Ok(trace)) => Outcome::Raised { class, reason, trace },
                        (Err(why), _) | (_, Err(why)) => Outcome::NoTerm(why),
                    }
                }
            },
        })
    }

    fn term(&self, value: Value) -> Result<Term, NoTerm> {
        to_term(&self.world.heap, &self.world.atoms, value)
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("modules", &self.program.modules.len()).finish()
    }
}

pub(super) enum Stopped {
    Ended,
    Deadlock,
    Stop(Stop),
}

/// Whether the program may have an effect outside of the machine.
impl Allowed {
    pub fn allows(self, effect: Effect) -> bool {
        match effect {
            Effect::Pure | Effect::Machine => true,
            // Programs of the operating system can access files as well.
            Effect::Files => self.files || self.os,
            Effect::Network => self.network,
            Effect::Os => self.os,
        }
    }
}
