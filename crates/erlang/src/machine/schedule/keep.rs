//! Checkpoints of a run, so that another run with the same prefix need not repeat its steps.
//!
//! The cells that a run has allocated on the heap are saved once for all checkpoints: objects are immutable, and the
//! cells of an earlier checkpoint are a prefix of those of a later one. Processes and tables are shared with the run
//! until it changes them (copy on write). Runs that are recorded or have used anything outside of the machine have no
//! checkpoints; they are repeated from the start.

use crate::builtins::ets::Tables;
use crate::builtins::handles::Handles;
use crate::builtins::shared::Shared;
use crate::machine::distribution::Network;
use crate::machine::process::Process;
use crate::machine::queue::RunQueue;
use crate::machine::run::Machine;
use crate::machine::schedule::Schedule;
use crate::machine::schedule::stage::Act;
use crate::machine::timers::Timers;
use crate::machine::world::{Ended, World};
use std::collections::BTreeMap;
use values::{AtomId, Forked, Mark, NodeId, PidId, Value};

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) n_steps: usize,
    code: Mark,
    /// The number of cells that the run had allocated.
    n_cells: usize,
    processes: Forked<PidId, Process>,
    queue: RunQueue,
    registry: BTreeMap<(NodeId, AtomId), PidId>,
    network: Network,
    ets: Tables,
    shared: Shared,
    handles: Handles,
    timers: Timers,
    clock: u64,
    output: Vec<u8>,
    error_output: Vec<u8>,
    n_unique: (u64, u64),
    covered: Vec<u64>,
    ended: Option<Ended>,
    schedule: Box<Schedule>,
    reductions: u64,
    act: Act,
}

impl Kept {
    /// Makes a checkpoint; `None` if the run has state that a checkpoint can't hold.
    pub(super) fn of(machine: &mut Machine, act: &Act, n_steps: usize) -> Option<Kept> {
        let code = machine.code_mark();
        let reductions = machine.reductions;
        let is_whole = !machine.has_changed_code();
        let world = &mut machine.world;
        if !is_whole || !is_plain(world) {
            return None;
        }
        let n_cells = world.heap.cells_above(code)?.len();
        let schedule = world.run.schedule.clone()?;
        Some(Kept {
            n_steps,
            code,
            n_cells,
            processes: world.run.processes.clone(),
            queue: world.run.queue.clone(),
            registry: world.run.registry.clone(),
            network: world.run.network.clone(),
            ets: world.run.ets.clone(),
            shared: world.run.shared.clone(),
            handles: world.run.handles.clone(),
            timers: world.run.timers.clone(),
            clock: world.run.clock,
            output: world.run.output.clone(),
            error_output: world.run.error_output.clone(),
            n_unique: (world.run.n_unique, world.run.n_unique_ordered),
            covered: world.run.covered.clone(),
            ended: world.run.ended,
            schedule,
            reductions,
            act: act.clone(),
        })
    }

    /// Saves the cells that the run has allocated, before the run is dropped.
    pub(super) fn save(&self, machine: &Machine, cells: &mut Vec<Value>) {
        cells.clear();
        cells.extend_from_slice(machine.world.heap.first_above(self.code, self.n_cells));
    }

    /// Restores the state of the checkpoint, with the saved cells. `None` if this is impossible because code was loaded
    /// since.
    pub(super) fn restore(&self, machine: &mut Machine, cells: &[Value]) -> Option<Act> {
        let cells = cells.get(..self.n_cells)?;
        if machine.code_mark() != self.code {
            return None;
        }
        machine.reductions = self.reductions;
        let world = &mut machine.world;
        world.heap.put_above(self.code, cells);
        world.heap.keep_all();
        world.run.processes.clone_from(&self.processes);
        world.run.queue.clone_from(&self.queue);
        world.run.registry.clone_from(&self.registry);
        world.run.network = self.network.clone();
        world.run.ets = self.ets.clone();
        world.run.shared = self.shared.clone();
        world.run.handles = self.handles.clone();
        world.run.timers = self.timers.clone();
        world.run.clock = self.clock;
        world.run.output.clone_from(&self.output);
        world.run.error_output.clone_from(&self.error_output);
        (world.run.n_unique, world.run.n_unique_ordered) = self.n_unique;
        world.run.covered.clone_from(&self.covered);
        world.run.ended = self.ended;
        world.run.schedule = Some(self.schedule.clone());
        Some(self.act.clone())
    }
}

/// Whether all state of a run is covered by a checkpoint.
fn is_plain(world: &World) -> bool {
    world.record.is_none()
        && world.replay.is_none()
        && world.run.tracing.is_none()
        && world.run.residents.is_empty()
        && world.ports.n_opened == 0
        && world.files.is_unused()
        && world.run.buffers.is_unused()
        && world.run.streams.is_unused()
        && world.run.patterns.is_unused()
        && world.run.suspended.is_empty()
        && world.run.system_flags.is_empty()
        && world.run.last_statistics.is_empty()
        && world.run.last_now == 0
        && world.code_path.chosen.is_none()
        && world.run.killed.is_none()
}
