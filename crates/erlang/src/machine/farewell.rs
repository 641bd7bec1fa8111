//! The end of a process, in the parts that other processes can observe separately, in the order of BEAM: first its
//! tables, then its name and the process itself, then its links, and finally its monitors.

use crate::builtins::ets::{give_up, owner_died};
use crate::machine::World;
use crate::machine::io;
use crate::machine::process::{OnReturn, Process};
use crate::machine::signals::Through;
use crate::machine::world::Ended;
use std::collections::VecDeque;
use values::{PidId, RefId, Value};

/// The state of a process that is ending.
#[derive(Clone, Debug)]
pub(crate) struct Farewell {
    reason: Value,
    is_gone: bool,
    /// The linked processes that are still to be notified.
    links: VecDeque<PidId>,
    watchers: VecDeque<(RefId, PidId)>,
}

/// A part of a process's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A table is deleted or given to its heir.
    Table(RefId),
    /// The process and its name disappear.
    Leave,
    Link(PidId),
    Watcher(RefId, PidId),
}

impl Farewell {
    fn new(reason: Value) -> Farewell {
        Farewell { reason, is_gone: false, links: VecDeque::new(), watchers: VecDeque::new() }
    }

    pub(crate) fn reason(&self) -> Value {
        self.reason
    }
}

impl World {
    /// Ends a process. If the run is scheduled, only the first part happens here.
    pub fn terminate(&mut self, pid: PidId, reason: Value) {
        let mut farewell = Farewell::new(reason);
        if self.ends_by_parts(pid) {
            self.touch_end(pid);
            self.keep_farewell(pid, farewell);
            self.go_on_ending(pid);
            return;
        }
        while let Some(part) = self.next_part(pid, &farewell) {
            self.part(pid, &mut farewell, part);
        }
    }

    /// Executes the next part of an end that has begun.
    pub(crate) fn go_on_ending(&mut self, pid: PidId) {
        let Some(mut farewell) = self.take_farewell(pid) else { return };
        if let Some(part) = self.next_part(pid, &farewell) {
            self.part(pid, &mut farewell, part);
        }
        if self.next_part(pid, &farewell).is_some() {
            self.keep_farewell(pid, farewell);
        }
    }

    pub(crate) fn next_part(&self, pid: PidId, farewell: &Farewell) -> Option<Part> {
        if !farewell.is_gone {
            let is_noticed = self.run.schedule.is_some();
            let table = is_noticed.then(|| self.run.ets.owned_by(pid).next()).flatten();
            return Some(table.map_or(Part::Leave, Part::Table));
        }
        let link = farewell.links.front().copied().map(Part::Link);
        link.or_else(|| farewell.watchers.front().map(|it| Part::Watcher(it.0, it.1)))
    }

    fn part(&mut self, pid: PidId, farewell: &mut Farewell, part: Part) {
        self.touch_part(pid, farewell.reason, part);
        match part {
            Part::Table(id) => give_up(self, id),
            Part::Leave => {
                farewell.is_gone = true;
                if let Some(process) = self.leave(pid, farewell.reason) {
                    let mut links: Vec<PidId> = process.links.into_iter().collect();
                    links.extend(self.former_links(pid));
                    links.sort_unstable();
                    links.dedup();
                    farewell.links = links.into();
                    // Sorted by reference, because the names of the sent messages must not depend on the order in which
                    // the monitors were set.
                    let mut watchers = process.monitored_by;
                    watchers.sort_unstable();
                    farewell.watchers = watchers.into();
                }
            }
            Part::Link(other) => {
                farewell.links.pop_front();
                self.end_link(pid, other, farewell.reason);
            }
            Part::Watcher(reference, watcher) => {
                farewell.watchers.pop_front();
                self.down(watcher, reference, farewell.reason);
            }
        }
    }

    fn leave(&mut self, pid: PidId, reason: Value) -> Option<Process> {
        if self.run.tracing.is_some() {
            self.trace_exit(pid, reason);
        }
        let process = self.run.processes.remove(&pid)?;
        self.run.queue.remove(pid);
        if let Some(name) = process.name {
            self.run.registry.remove(&(pid.node(), name));
        }
        self.stop_watching_nodes(pid);
        // In a scheduled run, the firing of a timer is a step of its own, so the timer stays even without a receiver.
        if self.run.schedule.is_none() {
            self.run.timers.drop_for(pid);
        }
        if !self.run.suspended.is_empty() {
            self.resume_all_of(pid);
        }
        if process.on_return == OnReturn::Unit && self.run.ended.is_none() {
            self.run.ended = Some(Ended::Killed(reason));
        }
        match process.on_return {
            OnReturn::Output { asker, request, .. } => io::failed(self, asker, request, reason),
            OnReturn::Boot { name, .. } => self.settle(pid.node(), name),
            OnReturn::Nobody | OnReturn::Unit | OnReturn::OnLoad { .. } => (),
        }
        owner_died(self, pid);
        self.files.owner_died(pid);
        self.run.buffers.owner_died(pid);
        self.ports_of_dead(pid, reason);
        let is_buried = self.bury(&process);
        for (reference, monitor) in process.monitors.iter().filter(|_| !is_buried) {
            if let Some(target) = monitor.target.pid()
                && let Some(target) = self.run.processes.get_mut(&target)
            {
                target.monitored_by.retain(|it| it.0 != *reference);
            }
        }
        Some(process)
    }

    /// Notifies a linked process of the end, unless the link has been removed since.
    pub(super) fn end_link(&mut self, pid: PidId, other: PidId, reason: Value) {
        if !self.hears_through_link(pid, other) || self.sets_out(pid, other, reason, Through::Link)
        {
            return;
        }
        if let Some(linked) = self.run.processes.get_mut(&other) {
            linked.links.remove(&pid);
            self.link_gone(other, pid);
        }
        if self.run.tracing.is_some() {
            self.trace_linked(other, Value::pid(pid), "getting_unlinked");
        }
        self.exit_signal(pid, other, reason, Through::Link);
    }

    /// Whether the end of a process concerns another one: the two are linked, or would be if the other one had not
    /// ended.
    pub(super) fn hears_through_link(&self, pid: PidId, other: PidId) -> bool {
        let is_linked = self.run.processes.get(&other).is_none_or(|it| it.links.contains(&pid));
        is_linked && !self.is_parted(pid, other)
    }
}
