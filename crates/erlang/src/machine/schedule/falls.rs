//! Nodes that go down while others run: each is an actor that takes one step, at any time.
//!
//! Which of them do is decided before a run; runs where none does are other runs.

use crate::machine::schedule::stage::{Staged, next};
use crate::machine::schedule::{actor, touch};
use trace::{Actor, Label, Offer};
use values::{NodeId, PidId};

impl Staged<'_> {
    /// All nodes but the one that the unit is on.
    pub fn other_nodes(&self) -> Vec<NodeId> {
        let nodes = &self.machine.world.heap.nodes;
        nodes.own().iter().skip(1).filter_map(|it| nodes.find(it.name)).collect()
    }

    /// Those that go down in a schedule.
    pub fn falls_in(&self, schedule: &[Label]) -> Vec<NodeId> {
        let names = &self.machine.world.names;
        schedule.iter().filter_map(|it| names.falling_node(PidId(it.actor.0))).collect()
    }

    /// The same of a schedule that was written down.
    pub fn falls_named(&self, steps: &[String]) -> Vec<NodeId> {
        let is_named = |node: &NodeId| steps.contains(&self.node_name(*node));
        self.other_nodes().into_iter().filter(is_named).collect()
    }

    /// As people call the actor that takes a node down: by the name of the node.
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
        if let Some(schedule) = &mut world.schedule {
            schedule.draft.touch.add(touch);
        }
        // Nobody does it: exit signals come from those who are gone.
        world.current = self.act.unit;
        world.let_arrive(true);
        let gone = world.node_down(node);
        world.let_arrive(false);
        for gone in gone {
            self.act.pending.remove(&gone);
        }
    }
}
