//! The execution tree of a function as an HTML page that can be unfolded.

use super::render::Page;
use ::report::{TreeKind, TreeNode, tree_page};
use engine::{Branch, End};
use trace::Outcome;

impl Page<'_> {
    pub(super) fn html(&mut self) -> String {
        let label = self.head();
        let mut root = self.tree_node(self.tree.root, label);
        if let Some(answer) = self.answer {
            root.note = self.verdict(answer);
        }
        tree_page(&self.called.unit.to_string(), &root)
    }

    /// Builds the tree below an alternative whose condition is the label. Recurses at most as deep as the bound.
    fn tree_node(&mut self, branch: Branch, label: String) -> TreeNode {
        let (mut note, mut children) = (self.leaf(branch), Vec::new());
        let kind = match branch {
            Branch::Node(id) => {
                if let Some(node) = self.tree.nodes.get(id.0) {
                    note = self.place(node);
                    for (alternative, next) in node.branches.iter().copied().enumerate() {
                        let condition = self.condition(node, alternative);
                        children.push(self.tree_node(next, condition));
                    }
                }
                TreeKind::Branch
            }
            Branch::End(end) => self.tree.ends.get(end.0).map_or(TreeKind::Unknown, kind_of),
            Branch::Infeasible => {
                // The page shows this by the kind of the node.
                note.clear();
                TreeKind::Infeasible
            }
            Branch::Unknown(_) | Branch::Open => TreeKind::Unknown,
            Branch::Elsewhere => TreeKind::Branch,
        };
        TreeNode { label, note, kind, children }
    }
}

fn kind_of(end: &End) -> TreeKind {
    match &end.outcome {
        Outcome::Value(_) if end.failed.is_empty() => TreeKind::Value,
        Outcome::Value(_) | Outcome::Crash { .. } | Outcome::Deadlock | Outcome::Stopped(_) => {
            TreeKind::Failure
        }
    }
}
