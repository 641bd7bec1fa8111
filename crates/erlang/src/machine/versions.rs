//! Two versions of a module: the current one, and an old one that processes may still run.
//!
//! A version becomes old when it is deleted or another takes its place, and is gone when it is
//! purged. Its instructions stay where they are: what goes is every way to reach them.

use crate::code::{FnId, Program};
use crate::machine::World;
use crate::machine::process::{Execution, Start};
use crate::machine::run::Machine;
use std::ops::Range;
use values::{AtomId, LambdaId, PidId, Value};

/// A version that calls by name no longer reach.
#[derive(Clone, Debug)]
pub struct OldCode {
    functions: Range<u32>,
    addresses: Range<u32>,
    /// While it is being purged: by whom, and closures that nobody may call until that is done.
    purge: Option<(PidId, Vec<(LambdaId, FnId)>)>,
}

impl OldCode {
    /// The functions of a module lie together, and so does their code.
    fn of(program: &Program, functions: &[FnId]) -> OldCode {
        let infos = || functions.iter().filter_map(|it| program.function(*it));
        let low = infos().map(|it| it.entry).min().unwrap_or(0);
        let high = infos().map(|it| it.end).max().unwrap_or(0);
        let first = functions.iter().map(|it| it.0).min().unwrap_or(0);
        let last = functions.iter().map(|it| it.0 + 1).max().unwrap_or(0);
        OldCode { functions: first..last, addresses: low..high, purge: None }
    }
}

/// What a purge does about processes that run the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purge {
    /// They are killed.
    Hard,
    /// They are spared, and so is the code.
    Soft,
}

impl Machine {
    /// The current version becomes the old one. Code that runs goes on.
    pub(super) fn retire(&mut self, module: AtomId) {
        let info = self.program.modules.get(&module);
        let old = info.map(|it| OldCode::of(&self.program, &it.functions));
        self.forget(module);
        if let Some(old) = old {
            self.world.old_code.insert(module, old);
        }
    }

    /// Whether the old version had to be left, and whether anyone was killed.
    pub(super) fn purge(&mut self, module: AtomId, kind: Purge) -> (bool, bool) {
        let inside: Vec<PidId> = self
            .world
            .processes
            .values()
            .filter(|it| {
                it.execution.as_ref().is_some_and(|it| self.world.is_old(module, places(it)))
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
        // Literals of the code now belong to whoever holds them.
        let limited = self.world.processes.values().filter(|it| it.heap_limit.is_some());
        let limited: Vec<PidId> = limited.map(|it| it.pid).collect();
        limited.into_iter().for_each(|it| self.world.enforce_heap_limit(it));
        (false, !inside.is_empty())
    }

    /// The closures of the old version can't be called until it is known what becomes of it.
    /// Whether there is an old version.
    pub(super) fn prepare_purge(&mut self, module: AtomId) -> bool {
        let Some(old) = self.world.old_code.get_mut(&module) else { return false };
        let mut closures = Vec::new();
        for (n, code) in self.program.lambdas.iter_mut().enumerate() {
            if let Some(function) = code.filter(|it| old.functions.contains(&it.0)) {
                let lambda = LambdaId(u32::try_from(n).unwrap_or(u32::MAX));
                closures.push((lambda, function));
                *code = None;
            }
        }
        old.purge = Some((self.world.current, closures));
        true
    }

    /// The old version stays: its closures can be called again.
    pub(super) fn abort_purge(&mut self, module: AtomId) {
        let purge = self.world.old_code.get_mut(&module).and_then(|it| it.purge.take());
        let Some((purger, closures)) = purge else { return };
        for (lambda, function) in closures {
            if let Some(code) = self.program.lambdas.get_mut(lambda.0 as usize) {
                *code = Some(function);
            }
        }
        self.world.resume_callers(purger);
    }

    /// Nothing leads to the old version any more.
    pub(super) fn drop_old(&mut self, module: AtomId) {
        self.prepare_purge(module);
        let purge = self.world.old_code.remove(&module).and_then(|it| it.purge);
        if let Some((purger, _)) = purge {
            self.world.resume_callers(purger);
        }
    }
}

impl World {
    /// Whether one of these addresses is in the old version of a module.
    pub(super) fn is_old(&self, module: AtomId, places: impl IntoIterator<Item = Place>) -> bool {
        let Some(old) = self.old_code.get(&module) else { return false };
        places.into_iter().any(|it| match it {
            Place::Address(pc) => old.addresses.contains(&pc),
            Place::Function(id) => old.functions.contains(&id.0),
        })
    }

    /// Who is about to purge the code of a closure.
    pub(crate) fn purger_of(&self, lambda: LambdaId) -> Option<PidId> {
        let purges = self.old_code.values().filter_map(|it| it.purge.as_ref());
        let mut mine = purges.filter(|it| it.1.iter().any(|it| it.0 == lambda));
        mine.next().map(|it| it.0)
    }

    /// Whoever wanted to call a closure of purged code tries again.
    fn resume_callers(&mut self, purger: PidId) {
        let callers: Vec<PidId> =
            self.suspended.keys().filter(|it| it.0 == purger).map(|it| it.1).collect();
        self.suspended.retain(|it, _| it.0 != purger);
        callers.into_iter().for_each(|it| self.unstall(it));
    }
}

/// Where a process is, or will return to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Address(u32),
    /// Not yet entered.
    Function(FnId),
}

/// All places in which a process that is not running is.
pub(super) fn places(execution: &Execution) -> Vec<Place> {
    let returns = execution.frames.iter().map(|it| Place::Address(it.pc.saturating_sub(1)));
    let own = match execution.start {
        Start::Begun => Some(Place::Address(execution.pc)),
        Start::Enter(function) => Some(Place::Function(function)),
        Start::Apply | Start::ApplyFun | Start::Deliver | Start::DeliverRaise => None,
    };
    returns.chain(own).collect()
}
