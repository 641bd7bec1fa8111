//! Failures of nodes: a node that goes down is an actor whose only step may happen at any time.
//!
//! Which nodes go down is decided before a run; runs without failures are different runs.

use crate::machine::schedule::stage::{Staged, next};
use crate::machine::schedule::{actor, touch};
use trace::{Actor, Label, Offer};
use values::{NodeId, PidId};

impl Staged<'_> {
    /// All nodes except the one of the unit.
    pub fn other_nodes(&self) -> Vec<NodeId> {
        let nodes = &self.machine.world.heap.nodes;
        nodes.own().iter().skip(1).filter_map(|it| nodes.find(it.name)).collect()
    }

    /// The nodes that go down in a schedule.
    pub fn falls_in(&self, schedule: &[Label]) -> Vec<NodeId> {
        let names = &self.machine.world.names;
        schedule.iter().filter_map(|it| names.falling_node(PidId(it.actor.0))).collect()
    }

    /// The nodes that go down in a schedule given as names of actors.
    pub fn falls_named(&self, steps: &[String]) -> Vec<NodeId> {
        let is_named = |node: &NodeId| steps.contains(&self.node_name(*node));
        self.other_nodes().into_iter().filter(is_named).collect()
    }

    /// The name of an actor that takes a node down: the name of the node. `None` for other actors.
    pub(super) fn fall_name(&self, actor: Actor) -> Option<String> {
        let node = self.machine.world.names.falling_node(PidId(actor.0))?;
        Some(self.node_name(node))
    }

    fn node_name(&self, node: NodeId) -> String {
        let world = &self.machine.world;
        world.atoms.name(world.node_name(node)).to_owned()
    }

    pub(super) fn offer_falls(&mut self) -> Vec<Offer> {
        let mail_mode = self.mail_mode();
        let world = &mut self.machine.world;
        let mut res = Vec::new();
        for node in &self.falling {
            if world.is_up(*node) {
                let touch = touch::of_node_down(world, *node);
                res.push(next(actor(world.names.fall_of(*node)), touch, mail_mode));
            }
        }
        res
    }

    pub(super) fn fall(&mut self, node: NodeId) {
        let world = &mut self.machine.world;
        let touch = touch::of_node_down(world, node);
        if let Some(schedule) = &mut world.run.schedule {
            schedule.draft.touch.add(touch);
        }
        // No process of the program causes this; exit signals come from the processes that are gone.
        world.run.current = self.act.unit;
        world.let_arrive(true);
        let gone = world.node_down(node);
        world.let_arrive(false);
        for gone in gone {
            self.act.pending.remove(&gone);
        }
    }
}
