//! Replay of a run that another runtime has made: the machine repeats the run for the symbolic half, and takes results
//! that it does not compute itself from the log of that runtime.
//!
//! This module knows the order of the logged results and which function gave each of them, not how they were computed.

use crate::builtins::{Builtin, Fault, Stop};
use crate::code::{FnId, FunctionInfo, Ins, Program};
use crate::machine::RunState;
use crate::machine::interpret::{Cpu, Flow, Pause, pause};
use crate::machine::process::Execution;
use crate::machine::run::{Machine, MachineError, Run};
use crate::machine::{Recorder, World};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;
use term::fit_u32;
use term::{Atom, Term};
use trace::{ClauseId, SiteId};
use values::{Atoms, PidId, Value, View, from_term};

/// The log of a run on another runtime, and the notes that the machine takes during the replay.
#[derive(Debug, Default)]
pub struct Replay {
    pub outside: Arc<Outside>,
    /// The logged results of calls by the unit's process, in order. They may include calls of functions that the
    /// machine computes itself.
    pub results: VecDeque<(FunctionName, Answer)>,
    /// The source clauses that the unit's process entered, in order; `None` if they are not wanted.
    pub entered: Option<Vec<ClauseId>>,
    /// A function that runs on the other runtime, but was given a symbolic value or a fun, or whose result is missing
    /// in the log.
    pub misplaced: Option<FunctionName>,
    /// Functions in which the run spent many reductions, each with their number; outer functions first.
    pub heavy: Vec<(FunctionName, u64)>,
    pub(super) unit: PidId,
    stack: Vec<SampledCall>,
}

/// The functions and modules that the machine does not compute.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    pub builtins: FxHashSet<(&'static str, &'static str, u8)>,
    pub modules: FxHashSet<Atom>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Value(Term),
    Raised { class: Atom, reason: Term, trace: Term },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionName {
    pub module: Atom,
    pub name: Atom,
    pub arity: u32,
}

/// A call that was active when the stack was sampled.
#[derive(Clone, Copy, Debug)]
struct SampledCall {
    function: FnId,
    base: u32,
    /// The number of reductions of the run when the call was first sampled.
    since: u64,
}

/// The number of reductions inside one call from which on its function counts as heavy.
const HEAVY: u64 = 100_000;
/// The maximum number of frames that are sampled.
const MAX_FRAMES: usize = 64;

impl Machine {
    /// Repeats a run with symbolic arguments. Returns the run, its record, and the notes of the replay.
    pub fn replay(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
        recorder: Recorder,
        replay: Replay,
    ) -> Result<(Run, Recorder, Replay), MachineError> {
        self.world.replay = Some(Box::new(replay));
        let recorded = self.record(module, function, args, recorder);
        let mut replay = *self.world.replay.take().unwrap_or_default();
        let (run, recorder) = recorded?;
        replay.finish(0, run.reductions, &self.program, &self.world.atoms);
        // Inner calls end first, so this puts outer functions first.
        replay.heavy.reverse();
        Ok((run, recorder, replay))
    }

    /// From now on, calls of this function take their results from the log.
    pub fn let_go(&mut self, function: &FunctionName) {
        self.put_first(function, |_| Ins::Outside);
    }

    /// From now on, this function is computed by the machine again.
    pub fn take_back(&mut self, function: &FunctionName) {
        self.put_first(function, |it| it);
    }

    /// Replaces the first instruction of a function; `change` gets the original one.
    fn put_first(&mut self, function: &FunctionName, change: impl Fn(Ins) -> Ins) {
        let Machine { program, world, .. } = self;
        let find = |text: &Atom| world.atoms.find(text.as_str());
        let (Some(module), Some(name)) = (find(&function.module), find(&function.name)) else {
            return;
        };
        let is_it = |it: &&FunctionInfo| {
            it.module == module && it.name == name && it.arity == function.arity
        };
        let Some(entry) = program.functions.iter().rev().find(is_it).map(|it| it.entry) else {
            return;
        };
        let Some(ins) = program.code.get_mut(entry as usize) else { return };
        let first = *program.first_instructions.entry(entry).or_insert(*ins);
        *ins = change(first);
    }

    /// The module that contains the site.
    pub fn module_at(&self, site: SiteId) -> Option<Atom> {
        let function = self.program.function_at(crate::lift::address(site))?;
        Some(Atom::new(self.world.atoms.name(function.module)))
    }

    /// The function of the source that contains the site, with its arity; a fun belongs to the function in which it is
    /// written.
    pub fn function_at(&self, site: SiteId) -> Option<(Atom, Atom, u32)> {
        let function = self.program.function_at(crate::lift::address(site))?;
        let name = self.world.atoms.name(function.name);
        let outer = name.strip_prefix('-').and_then(|it| it.split_once('/'));
        let outer = outer.and_then(|(name, rest)| {
            let arity = rest.split('-').next()?.parse().ok()?;
            Some((Atom::new(name), arity))
        });
        let (name, arity) = outer.unwrap_or((Atom::new(name), function.arity));
        Some((Atom::new(self.world.atoms.name(function.module)), name, arity))
    }

    /// The module, line and column of a source clause.
    pub fn clause_place(&self, id: ClauseId) -> Option<(Atom, u32, u32)> {
        let clause = self.program.clause(id)?;
        let function = self.program.function(clause.function)?;
        let module = Atom::new(self.world.atoms.name(function.module));
        Some((module, clause.place.line, clause.place.column))
    }
}

impl World {
    /// The logged result of a call; `None` if the machine computes the call itself.
    fn answer(
        &mut self,
        (module, name, arity): (&str, &str, usize),
        is_outside: impl FnOnce(&Outside) -> bool,
    ) -> Option<Answer> {
        let World { replay: Some(replay), run: RunState { current, .. }, .. } = self else {
            return None;
        };
        // Only calls of the unit's process are logged.
        if *current != replay.unit || !is_outside(&replay.outside) {
            return None;
        }
        let is_it = |(it, _): &(FunctionName, Answer)| {
            it.module.as_str() == module && it.name.as_str() == name && it.arity as usize == arity
        };
        let at = replay.results.iter().position(is_it)?;
        replay.results.drain(..at);
        Some(replay.results.pop_front()?.1)
    }

    pub(super) fn enter_clause(&mut self, clause: ClauseId) {
        if let Some(replay) = &mut self.replay
            && self.run.current == replay.unit
            && let Some(entered) = &mut replay.entered
        {
            entered.push(clause);
        }
    }

    /// Samples the stack between two slices.
    pub(super) fn sample(&mut self, program: &Program, execution: &Execution, reductions: u64) {
        let World { replay: Some(replay), atoms, run: RunState { current, .. }, .. } = self else {
            return;
        };
        if *current == replay.unit {
            replay.sample(program, atoms, execution, reductions);
        }
    }

    fn fault_or_value(&mut self, answer: Answer) -> Result<Value, Fault> {
        let World { heap, atoms, .. } = self;
        let mut put = |it: &Term| from_term(heap, atoms, it);
        match answer {
            Answer::Value(term) => Ok(put(&term)),
            Answer::Raised { class, reason, trace } => {
                let (reason, trace) = (put(&reason), put(&trace));
                Err(Fault::Raise(self.atoms.intern(class.as_str()), reason, trace))
            }
        }
    }
}

impl Cpu<'_> {
    /// The logged result of a builtin.
    #[cold]
    pub(super) fn answered(
        &mut self,
        builtin: &Builtin,
        args: &[Value],
    ) -> Option<Result<Value, Fault>> {
        let Builtin { module, name, arity, .. } = *builtin;
        let key = (module, name, arity);
        let called = (module, name, usize::from(arity));
        let answer = self.world.answer(called, |outside| outside.builtins.contains(&key))?;
        self.looked_outside(builtin);
        self.look_at_all(&builtin.to_string(), args);
        Some(self.world.fault_or_value(answer))
    }

    /// The logged result of a function in a module that runs on the other runtime.
    #[cold]
    pub(super) fn answered_by(
        &mut self,
        (module, name): (values::AtomId, values::AtomId),
        args: &[Value],
    ) -> Option<Result<Value, Fault>> {
        let outside = &self.world.replay.as_ref()?.outside;
        if outside.modules.is_empty() {
            return None;
        }
        let atoms = &self.world.atoms;
        let (module, name) = (Atom::new(atoms.name(module)), Atom::new(atoms.name(name)));
        let called = (module.as_str(), name.as_str(), args.len());
        let answer = self.world.answer(called, |outside| outside.modules.contains(&module))?;
        let what = format!("{}:{}/{}", module.as_str(), name.as_str(), args.len());
        self.look_at_all(&what, args);
        Some(self.world.fault_or_value(answer))
    }

    fn look_at_all(&mut self, what: &str, args: &[Value]) {
        let pc = self.pc;
        if let Some(mut lifting) = self.lifting(pc) {
            lifting.concretise(what, args, |_| true);
        }
    }

    /// The body of a function that runs on the other runtime as a whole.
    #[cold]
    pub(super) fn run_outside(&mut self) -> Flow {
        let info = self.program.function_at(self.pc.saturating_sub(1)).cloned();
        let Some(info) = info else { return self.fault(Fault::BADARG, None) };
        let args: Vec<Value> = (0..info.arity as usize).map(|it| self.reg(it)).collect();
        let pc = self.pc;
        let is_symbolic =
            self.lifting(pc).is_some_and(|lifting| args.iter().any(|it| lifting.is_symbolic(*it)));
        let has_fun = args.iter().any(|it| matches!(it.view(), View::Fun(_)));
        let atoms = &self.world.atoms;
        let name = |id| Atom::new(atoms.name(id));
        let (module, arity) = (name(info.module), info.arity);
        let function = FunctionName { module, name: name(info.name), arity };
        let called = (function.module.as_str(), function.name.as_str(), arity as usize);
        let is_kept = is_symbolic || has_fun;
        let answer = if is_kept { None } else { self.world.answer(called, |_| true) };
        let Some(answer) = answer else {
            if let Some(replay) = &mut self.world.replay {
                replay.misplaced = Some(function);
            }
            let what = "a function that runs elsewhere".to_owned();
            return pause(Pause::Stop(Stop::Unsupported { what }));
        };
        match self.world.fault_or_value(answer) {
            Ok(value) => self.return_value(value),
            Err(fault) => self.fault(fault, None),
        }
    }
}

impl Replay {
    /// A replay of a run with these results. If `entered` is present, clauses are added to it.
    pub fn new(
        outside: Arc<Outside>,
        results: VecDeque<(FunctionName, Answer)>,
        entered: Option<Vec<ClauseId>>,
    ) -> Replay {
        Replay { outside, results, entered, ..Replay::default() }
    }

    fn sample(&mut self, program: &Program, atoms: &Atoms, execution: &Execution, reductions: u64) {
        let id = |pc: u32| {
            let after = program.functions.partition_point(|it| it.entry <= pc);
            u32::try_from(after.saturating_sub(1)).ok().map(FnId)
        };
        // A frame holds the return address of its caller; the innermost function is given by the program counter.
        let frames = execution.frames.iter().take(MAX_FRAMES);
        let mut running: Vec<(u32, u32)> =
            frames.map(|it| (it.pc.saturating_sub(1), it.base)).collect();
        if execution.frames.len() < MAX_FRAMES {
            running.push((execution.pc, fit_u32(execution.base)));
        }
        let running = running.into_iter().filter_map(|(pc, base)| {
            Some(SampledCall { function: id(pc)?, base, since: reductions })
        });
        let running: Vec<SampledCall> = running.collect();
        let same = |it: &(&SampledCall, &SampledCall)| {
            it.0.function == it.1.function && it.0.base == it.1.base
        };
        let n_same = self.stack.iter().zip(&running).take_while(same).count();
        self.finish(n_same, reductions, program, atoms);
        self.stack.extend(running.into_iter().skip(n_same));
    }

    /// Ends the sampled calls above this height of the stack.
    fn finish(&mut self, height: usize, reductions: u64, program: &Program, atoms: &Atoms) {
        let ended = self.stack.split_off(height.min(self.stack.len()));
        // The outermost call is the unit itself, which is never heavy because it gets the symbolic arguments. Inner
        // calls are reported first.
        for SampledCall { function, since, .. } in ended.iter().skip(usize::from(height == 0)).rev()
        {
            let n = reductions.saturating_sub(*since);
            let Some(info) = program.function(*function).filter(|_| n >= HEAVY) else { continue };
            let name = |id| Atom::new(atoms.name(id));
            let (module, arity) = (name(info.module), info.arity);
            let function = FunctionName { module, name: name(info.name), arity };
            if self.heavy.iter().all(|it| it.0 != function) {
                self.heavy.push((function, n));
            }
        }
    }
}
