//! All paths so far, with what is common to them held once.
//!
//! A node is a choice after certain others; below it is one node for each alternative taken.

use rustc_hash::FxHashMap;
use trace::Choice;

/// A place in the tree. 0 is the first choice of every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

#[derive(Debug)]
struct Node {
    /// The node above and the alternative that leads from it to here.
    above: Option<(NodeId, usize)>,
    choice: Choice,
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    below: FxHashMap<(NodeId, usize), NodeId>,
}

/// How a run's choice stands to the tree.
pub(crate) enum Met {
    Known(NodeId),
    New(NodeId),
    /// After equal choices, an earlier run chose something else here.
    Conflict,
}

impl Tree {
    /// The node of a choice that comes after `above`.
    pub(crate) fn meet(&mut self, above: Option<(NodeId, usize)>, choice: &Choice) -> Met {
        let known = match above {
            None => (!self.nodes.is_empty()).then_some(NodeId(0)),
            Some(key) => self.below.get(&key).copied(),
        };
        if let Some(known) = known {
            let same = self.node(known).is_some_and(|it| {
                it.choice.site == choice.site && it.choice.looked == choice.looked
            });
            return if same { Met::Known(known) } else { Met::Conflict };
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { above, choice: choice.clone() });
        if let Some(key) = above {
            self.below.insert(key, id);
        }
        Met::New(id)
    }

    pub(crate) fn is_taken(&self, node: NodeId, alternative: usize) -> bool {
        self.below.contains_key(&(node, alternative))
    }

    /// The choices from the first one to the node, each with the alternative taken; the node's own
    /// with the given one.
    pub(crate) fn path(&self, node: NodeId, alternative: usize) -> Vec<(&Choice, usize)> {
        let mut res = Vec::new();
        let mut at = Some((node, alternative));
        while let Some((node, taken)) = at {
            let Some(node) = self.node(node) else { break };
            res.push((&node.choice, taken));
            at = node.above;
        }
        res.reverse();
        res
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }
}
