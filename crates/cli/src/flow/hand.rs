//! Who explores units: this thread on a machine of its own, or a process of its own. The search treats
//! both alike.

use crate::flow::program::{Program, Slice};
use crate::flow::progress::Progress;
use crate::flow::so_far::SoFar;
use crate::flow::wire::{Turn, read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) trait Hand<P: Program> {
    /// Waits until it can explore, so that this is not taken from the time of a unit.
    fn prepare(&mut self) -> Result<(), Lost>;

    /// `heard` gets what was found until then, now and then.
    fn explore(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        heard: &mut dyn FnMut(P::Explored),
    ) -> Result<P::Explored, Lost>;
}

/// A turn that came to nothing.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) why: String,
    pub(super) cause: Fault,
}

/// What a turn was lost by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process ended. Others may have taken the memory that it needed.
    Died,
    /// A mistake of ours, or no end in sight: it would be the same again.
    Failed,
    /// The user asked to stop.
    Stopped,
}

/// Explores on the thread that asks.
pub(super) struct Local<'a, P: Program> {
    programs: &'a [P],
    units: &'a [(usize, P::Unit)],
    interrupt: &'a Arc<AtomicBool>,
    /// The program that was explored last, with its machine.
    own: Option<(usize, P::Worker)>,
}

impl<'a, P: Program> Local<'a, P> {
    pub(super) fn new(
        programs: &'a [P],
        units: &'a [(usize, P::Unit)],
        interrupt: &'a Arc<AtomicBool>,
    ) -> Local<'a, P> {
        Local { programs, units, interrupt, own: None }
    }

    /// Explores a unit, and passes on what is found on the way.
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

impl<P: Program> Hand<P> for Local<'_, P> {
    fn prepare(&mut self) -> Result<(), Lost> {
        Ok(())
    }

    fn explore(
        &mut self,
        turn: &Turn,
        progress: &Progress,
        _: &mut dyn FnMut(P::Explored),
    ) -> Result<P::Explored, Lost> {
        let explored = self.perform(turn, progress, &SoFar::new(|_| ()));
        explored.map_err(|why| Lost { why, cause: Fault::Failed })
    }
}
