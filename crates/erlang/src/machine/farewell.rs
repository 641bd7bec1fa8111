//! The end of a process, in the parts that others can notice one by one, and in the order of BEAM: its
//! tables go, then its name and the process itself; then those hear of it who are linked to it, and those
//! who watch it.

use crate::builtins::ets::{give_up, owner_died};
use crate::machine::World;
use crate::machine::io;
use crate::machine::process::{OnReturn, Process};
use crate::machine::signals::Through;
use crate::machine::world::Ended;
use std::collections::VecDeque;
use values::{PidId, RefId, Value};

/// How far a process has come with its end.
#[derive(Clone, Debug)]
pub(crate) struct Farewell {
    reason: Value,
    is_gone: bool,
    /// Who has yet to hear of it.
    links: VecDeque<PidId>,
    watchers: VecDeque<(RefId, PidId)>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A table goes, to its heir if it has one.
    Table(RefId),
    /// Nobody finds it any more.
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
    /// The process is over. Where somebody decides who does what when, only the first part happens here.
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

    /// The next part of an end that has begun.
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
            let is_noticed = self.schedule.is_some();
            let table = is_noticed.then(|| self.ets.owned_by(pid).next()).flatten();
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
                    // Whoever came first, what is sent has the same name.
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
        if self.tracing.is_some() {
            self.trace_exit(pid, reason);
        }
        let process = self.processes.remove(&pid)?;
        self.queue.remove(pid);
        if let Some(name) = process.name {
            self.registry.remove(&(pid.node(), name));
        }
        self.stop_watching_nodes(pid);
        // A timer that has its turn fires, if only at nobody.
        if self.schedule.is_none() {
            self.timers.drop_for(pid);
        }
        if !self.suspended.is_empty() {
            self.resume_all_of(pid);
        }
        if process.on_return == OnReturn::Unit && self.ended.is_none() {
            self.ended = Some(Ended::Killed(reason));
        }
        match process.on_return {
            OnReturn::Output { asker, request, .. } => io::failed(self, asker, request, reason),
            OnReturn::Boot { name, .. } => self.settle(pid.node(), name),
            OnReturn::Nobody | OnReturn::Unit | OnReturn::OnLoad { .. } => (),
        }
        owner_died(self, pid);
        self.files.owner_died(pid);
        self.buffers.owner_died(pid);
        self.ports_of_dead(pid, reason);
        let is_buried = self.bury(&process);
        for (reference, monitor) in process.monitors.iter().filter(|_| !is_buried) {
            if let Some(target) = monitor.target.pid()
                && let Some(target) = self.processes.get_mut(&target)
            {
                target.monitored_by.retain(|it| it.0 != *reference);
            }
        }
        Some(process)
    }

    /// One that was linked to the process hears of its end, unless it has ended the link since.
    pub(super) fn end_link(&mut self, pid: PidId, other: PidId, reason: Value) {
        if !self.hears_through_link(pid, other) || self.sets_out(pid, other, reason, Through::Link)
        {
            return;
        }
        if let Some(linked) = self.processes.get_mut(&other) {
            linked.links.remove(&pid);
            self.link_gone(other, pid);
        }
        if self.tracing.is_some() {
            self.trace_linked(other, Value::pid(pid), "getting_unlinked");
        }
        self.exit_signal(pid, other, reason, Through::Link);
    }

    /// Whether the end of a process is one for another that it was linked to, or would have been.
    pub(super) fn hears_through_link(&self, pid: PidId, other: PidId) -> bool {
        let is_linked = self.processes.get(&other).is_none_or(|it| it.links.contains(&pid));
        is_linked && !self.is_parted(pid, other)
    }
}
