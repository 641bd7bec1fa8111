//! The two ways to explore units, which the search treats alike: on the calling thread, or in a worker process.

use crate::flow::program::{Program, Slice};
use crate::flow::progress::Progress;
use crate::flow::so_far::SoFar;
use crate::flow::wire::{Turn, read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) trait Explorer<P: Program> {
    /// Waits until the explorer has loaded the program, so that loading does not count as time of a unit.
    fn prepare(&mut self) -> Result<(), LostTurn>;

    /// Explores the unit of a turn. `heard` is called with interim results from time to time.
    fn explore(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        heard: &mut dyn FnMut(P::Explored),
    ) -> Result<P::Explored, LostTurn>;
}

/// A turn without a result.
#[derive(Debug)]
pub(super) struct LostTurn {
    pub(super) why: String,
    pub(super) cause: Fault,
}

/// Why a turn has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The worker process died. A retry may succeed, since other workers may have taken the memory that it needed.
    Died,
    /// A bug of ours, or the worker exceeded its limits: a retry would fail as well.
    Failed,
    /// The user interrupted the search.
    Stopped,
}

/// Explores on the calling thread.
pub(super) struct InThread<'a, P: Program> {
    programs: &'a [P],
    units: &'a [(usize, P::Unit)],
    interrupt: &'a Arc<AtomicBool>,
    /// The index of the program that was explored last, and its worker.
    own: Option<(usize, P::Worker)>,
}

impl<'a, P: Program> InThread<'a, P> {
    pub(super) fn new(
        programs: &'a [P],
        units: &'a [(usize, P::Unit)],
        interrupt: &'a Arc<AtomicBool>,
    ) -> InThread<'a, P> {
        InThread { programs, units, interrupt, own: None }
    }

    /// Explores the unit of a turn and passes interim results to `so_far`.
    pub(super) fn perform(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        so_far: &SoFar<'_, P::Explored>,
    ) -> Result<P::Explored, String> {
        let before = turn.before.as_deref().map(read).transpose()?;
        let unit = self.units.get(turn.n);
        let found = unit.and_then(|(place, unit)| Some((*place, self.programs.get(*place)?, unit)));
        let Some((place, program, unit)) = found else {
            return Err("there is no such unit".to_owned());
        };
        let slice = Slice {
            round: turn.round,
            time: turn.time,
            n_cores: turn.n_cores,
            earlier: &turn.earlier,
            elsewhere: &turn.elsewhere,
            interrupt: self.interrupt,
            progress,
            so_far,
        };
        let explore = || {
            if self.own.as_ref().is_none_or(|it| it.0 != place) {
                self.own = None;
                self.own = Some((place, program.worker(self.interrupt)?));
            }
            let Some((_, worker)) = &mut self.own else { return Err("no machine".to_owned()) };
            Ok(program.explore(worker, unit, before, &slice))
        };
        // A panic is a bug of ours. It ends the exploration of this unit only.
        let explored = catch_unwind(AssertUnwindSafe(explore))
            .unwrap_or_else(|_| Err("gimlet broke; that is a bug of ours".to_owned()));
        if explored.is_err() {
            self.own = None;
        }
        explored
    }
}

impl<P: Program> Explorer<P> for InThread<'_, P> {
    fn prepare(&mut self) -> Result<(), LostTurn> {
        Ok(())
    }

    fn explore(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        _: &mut dyn FnMut(P::Explored),
    ) -> Result<P::Explored, LostTurn> {
        let explored = self.perform(turn, progress, &SoFar::new(|_| ()));
        explored.map_err(|why| LostTurn { why, cause: Fault::Failed })
    }
}
