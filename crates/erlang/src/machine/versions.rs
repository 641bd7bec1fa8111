//! Versions of a module: the current one, and an old one that processes may still execute.
//!
//! A version becomes old when it is deleted or replaced, and is removed when it is purged. Its instructions stay in
//! memory; purging removes all references to them.

use crate::code::{FnId, Program};
use crate::machine::World;
use crate::machine::process::{Execution, Start};
use crate::machine::run::Machine;
use std::ops::Range;
use term::fit_u32;
use values::{AtomId, LambdaId, PidId, Value};

/// A version that can't be reached by calls by name.
#[derive(Clone, Debug)]
pub struct OldCode {
    functions: Range<u32>,
    addresses: Range<u32>,
    /// Present while the version is being purged: the purging process, and the closures that can't be called until the
    /// purge is finished.
    purge: Option<(PidId, Vec<(LambdaId, FnId)>)>,
}

impl OldCode {
    /// The functions of a module have consecutive numbers, and their code is contiguous.
    fn of(program: &Program, functions: &[FnId]) -> OldCode {
        let infos = || functions.iter().filter_map(|it| program.function(*it));
        let low = infos().map(|it| it.entry).min().unwrap_or(0);
        let high = infos().map(|it| it.end).max().unwrap_or(0);
        let first = functions.iter().map(|it| it.0).min().unwrap_or(0);
        let last = functions.iter().map(|it| it.0 + 1).max().unwrap_or(0);
        OldCode { functions: first..last, addresses: low..high, purge: None }
    }
}

/// The effect of a purge on processes that execute the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purge {
    /// The processes are killed.
    Hard,
    /// The purge fails, and the code stays.
    Soft,
}

impl Machine {
    /// Makes the current version the old one. Code that is being executed continues.
    pub(super) fn retire(&mut self, module: AtomId) {
        let info = self.program.modules.get(&module);
        let old = info.map(|it| OldCode::of(&self.program, &it.functions));
        self.forget(module);
        if let Some(old) = old {
            self.world.run.old_code.insert(module, old);
        }
    }

    /// Purges the old version. Returns whether it had to be kept, and whether a process was killed.
    pub(super) fn purge(&mut self, module: AtomId, kind: Purge) -> (bool, bool) {
        let inside: Vec<PidId> = self
            .world
            .run
            .processes
            .values()
            .filter(|it| {
                it.execution.as_ref().is_some_and(|it| self.world.is_old(module, positions(it)))
            })
            .map(|it| it.pid)
            .collect();
        if kind == Purge::Soft && !inside.is_empty() {
            return (true, false);
        }
        for pid in &inside {
            self.world.terminate(*pid, Value::atom(AtomId::KILLED));
        }
        self.drop_old(module);
        // Literals of the purged code now count as data of the processes that refer to them.
        let limited = self.world.run.processes.values().filter(|it| it.heap_limit.is_some());
        let limited: Vec<PidId> = limited.map(|it| it.pid).collect();
        limited.into_iter().for_each(|it| self.world.enforce_heap_limit(it));
        (false, !inside.is_empty())
    }

    /// Begins a purge: the closures of the old version can't be called until the purge is finished or aborted. Returns
    /// whether there is an old version.
    pub(super) fn prepare_purge(&mut self, module: AtomId) -> bool {
        let Some(old) = self.world.run.old_code.get_mut(&module) else { return false };
        let mut closures = Vec::new();
        for (n, code) in self.program.lambdas.iter_mut().enumerate() {
            if let Some(function) = code.filter(|it| old.functions.contains(&it.0)) {
                let lambda = LambdaId(fit_u32(n));
                closures.push((lambda, function));
                *code = None;
            }
        }
        old.purge = Some((self.world.run.current, closures));
        true
    }

    /// Aborts a purge: the old version stays, and its closures can be called again.
    pub(super) fn abort_purge(&mut self, module: AtomId) {
        let purge = self.world.run.old_code.get_mut(&module).and_then(|it| it.purge.take());
        let Some((purger, closures)) = purge else { return };
        for (lambda, function) in closures {
            if let Some(code) = self.program.lambdas.get_mut(lambda.0 as usize) {
                *code = Some(function);
            }
        }
        self.world.resume_callers(purger);
    }

    /// Finishes a purge: the old version can't be reached any more.
    pub(super) fn drop_old(&mut self, module: AtomId) {
        self.prepare_purge(module);
        let purge = self.world.run.old_code.remove(&module).and_then(|it| it.purge);
        if let Some((purger, _)) = purge {
            self.world.resume_callers(purger);
        }
    }
}

impl World {
    /// Whether one of the positions is in the old version of a module.
    pub(super) fn is_old(
        &self,
        module: AtomId,
        positions: impl IntoIterator<Item = CodePosition>,
    ) -> bool {
        let Some(old) = self.run.old_code.get(&module) else { return false };
        positions.into_iter().any(|it| match it {
            CodePosition::Address(pc) => old.addresses.contains(&pc),
            CodePosition::Function(id) => old.functions.contains(&id.0),
        })
    }

    /// The process that is purging the code of a closure.
    pub(crate) fn purger_of(&self, lambda: LambdaId) -> Option<PidId> {
        let purges = self.run.old_code.values().filter_map(|it| it.purge.as_ref());
        let mut mine = purges.filter(|it| it.1.iter().any(|it| it.0 == lambda));
        mine.next().map(|it| it.0)
    }

    /// Resumes the processes that wait to call a closure whose code was being purged.
    fn resume_callers(&mut self, purger: PidId) {
        let callers: Vec<PidId> =
            self.run.suspended.keys().filter(|it| it.0 == purger).map(|it| it.1).collect();
        self.run.suspended.retain(|it, _| it.0 != purger);
        callers.into_iter().for_each(|it| self.unstall(it));
    }
}

/// A position in the code that a process executes or will return to.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodePosition {
    Address(u32),
    /// The first function of a process that has not entered it yet.
    Function(FnId),
}

/// All positions of a process that is not running.
pub(super) fn positions(execution: &Execution) -> Vec<CodePosition> {
    let returns = execution.frames.iter().map(|it| CodePosition::Address(it.pc.saturating_sub(1)));
    let own = match execution.start {
        Start::Begun => Some(CodePosition::Address(execution.pc)),
        Start::Enter(function) => Some(CodePosition::Function(function)),
        Start::Apply | Start::ApplyFun | Start::Deliver | Start::DeliverRaise => None,
    };
    returns.chain(own).collect()
}
