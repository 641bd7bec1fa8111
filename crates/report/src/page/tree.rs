//! A page with a tree that can be unfolded, such as the execution tree of `gimlet symbolic`.
//!
//! Trees may be thousands of levels deep. The code is not recursive, and no element is nested deeper than browsers
//! allow: they flatten elements below about 500 levels.

use super::{Shell, visible};
use askama::Template;

/// A node of a tree.
#[derive(Debug, Default)]
pub struct TreeNode {
    /// The node in one line: the condition of a branch, or the value of a leaf.
    pub label: String,
    /// Further text; may be empty.
    pub note: String,
    pub kind: TreeKind,
    pub children: Vec<TreeNode>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeKind {
    /// A place where paths diverge.
    #[default]
    Branch,
    /// A path that ends with a value.
    Value,
    /// A path that ends with an exception or another failure.
    Failure,
    /// A path that no input takes.
    Infeasible,
    /// A path for which it is unknown whether an input takes it.
    Unknown,
}

impl TreeKind {
    const ALL: [TreeKind; 5] = [
        TreeKind::Branch,
        TreeKind::Value,
        TreeKind::Failure,
        TreeKind::Infeasible,
        TreeKind::Unknown,
    ];

    fn name(self) -> &'static str {
        match self {
            TreeKind::Branch => "branch",
            TreeKind::Value => "value",
            TreeKind::Failure => "failure",
            TreeKind::Infeasible => "infeasible",
            TreeKind::Unknown => "unknown",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            TreeKind::Branch => "branches",
            TreeKind::Value => "values",
            TreeKind::Failure => "failures",
            TreeKind::Infeasible => "infeasible",
            TreeKind::Unknown => "unknown",
        }
    }
}

/// The default drop would recurse once for each level.
impl Drop for TreeNode {
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.children);
        while let Some(mut node) = rest.pop() {
            rest.append(&mut node.children);
        }
    }
}

/// Returns a page that shows the tree, with the first levels unfolded.
pub fn tree_page(title: &str, root: &TreeNode) -> String {
    let page = Page { shell: Shell::new(title), counts: counts(root), parts: parts(root) };
    // Rendering to memory fails only if formatting a value fails, and these values are texts.
    page.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "tree.html", whitespace = "minimize")]
struct Page {
    shell: Shell,
    counts: Vec<Count>,
    parts: Vec<Part>,
}

/// The number of nodes of a kind.
struct Count {
    class: &'static str,
    n: usize,
    name: &'static str,
}

fn counts(root: &TreeNode) -> Vec<Count> {
    let mut all = [0; TreeKind::ALL.len()];
    let mut rest = vec![root];
    while let Some(node) = rest.pop() {
        for (n, kind) in all.iter_mut().zip(TreeKind::ALL) {
            *n += usize::from(kind == node.kind);
        }
        rest.extend(&node.children);
    }
    let named = |(n, kind): (usize, TreeKind)| {
        let name = if n == 1 { kind.name() } else { kind.plural() };
        Count { class: kind.name(), n, name }
    };
    all.into_iter().zip(TreeKind::ALL).filter(|it| 0 < it.0).map(named).collect()
}

/// A part of the tree with at most [`MAX_NESTED`] levels. Subtrees below are parts of their own.
struct Part {
    /// The number of the part; zero for the part with the root.
    n: usize,
    /// The label of the node to which the part belongs.
    under: String,
    steps: Vec<Step>,
}

/// An action of the template.
enum Step {
    /// Begins a node with children.
    Open { node: Shown, is_open: bool },
    /// Ends the node.
    Close,
    /// A node without children.
    Leaf(Shown),
    /// A node whose children are in another part.
    Continued { node: Shown, part: usize },
}

struct Shown {
    kind: TreeKind,
    label: String,
    note: String,
}

/// The maximal number of levels in one part. A level is two elements, and browsers flatten elements below about 500
/// levels.
const MAX_NESTED: usize = 100;
/// How many levels are unfolded when the page opens.
const OPEN_LEVELS: usize = 4;

enum Task<'t> {
    Enter { node: &'t TreeNode, level: usize },
    Leave,
}

fn parts(root: &TreeNode) -> Vec<Part> {
    let mut res = Vec::new();
    let mut roots: Vec<(String, Vec<&TreeNode>)> = vec![(String::new(), vec![root])];
    let mut next = 0;
    while let Some((under, nodes)) = roots.get_mut(next).map(std::mem::take) {
        let mut part = Part { n: next, under, steps: Vec::new() };
        let enter = |level: usize| move |node| Task::Enter { node, level };
        let mut tasks: Vec<Task<'_>> = nodes.into_iter().rev().map(enter(0)).collect();
        while let Some(task) = tasks.pop() {
            let Task::Enter { node, level } = task else {
                part.steps.push(Step::Close);
                continue;
            };
            if node.children.is_empty() {
                part.steps.push(Step::Leaf(shown(node)));
            } else if level < MAX_NESTED {
                let is_open = next == 0 && level < OPEN_LEVELS;
                part.steps.push(Step::Open { node: shown(node), is_open });
                tasks.push(Task::Leave);
                tasks.extend(node.children.iter().rev().map(enter(level + 1)));
            } else {
                part.steps.push(Step::Continued { node: shown(node), part: roots.len() });
                roots.push((visible(&node.label), node.children.iter().collect()));
            }
        }
        res.push(part);
        next += 1;
    }
    res
}

fn shown(node: &TreeNode) -> Shown {
    Shown { kind: node.kind, label: visible(&node.label), note: visible(&node.note) }
}

#[cfg(test)]
mod tests {
    use super::{MAX_NESTED, TreeKind, TreeNode, tree_page};

    fn node(kind: TreeKind, label: &str, children: Vec<TreeNode>) -> TreeNode {
        TreeNode { label: label.to_owned(), note: String::new(), kind, children }
    }

    fn deep(n_levels: usize) -> TreeNode {
        let mut tree = node(TreeKind::Failure, "the deepest <leaf>", vec![]);
        for n in 0..n_levels {
            let other = node(TreeKind::Value, "ok", vec![]);
            tree = node(TreeKind::Branch, &format!("level {n}"), vec![tree, other]);
        }
        tree
    }

    /// Returns the deepest nesting of `details` elements in a page.
    fn nesting(page: &str) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for tag in page.split('<') {
            now += usize::from(tag.starts_with("details"));
            most = most.max(now);
            now -= usize::from(tag.starts_with("/details"));
        }
        assert_eq!(now, 0, "every element is closed");
        most
    }

    #[test]
    fn every_node_is_shown_with_its_kind() {
        let leaves = TreeKind::ALL.map(|it| node(it, &format!("a {}", it.name()), vec![]));
        let mut tree = node(TreeKind::Branch, "X > <42>", leaves.into());
        tree.note = "line 3 & more\u{0}".to_owned();
        let page = tree_page("fcmp/1 <unfolded>", &tree);
        for kind in TreeKind::ALL {
            assert!(page.contains(&format!("a {}", kind.name())), "{page}");
        }
        assert!(page.contains("X &#62; &#60;42&#62;"), "{page}");
        assert!(page.contains("line 3 &#38; more␀"), "{page}");
        assert!(page.contains("<title>fcmp/1 &#60;unfolded&#62;</title>"), "{page}");
        assert!(page.contains("2 branches"), "the counts: {page}");
    }

    #[test]
    fn a_deep_tree_neither_overflows_the_stack_nor_nests_too_deep() {
        let page = tree_page("deep", &deep(20_000));
        assert!(page.contains("the deepest &#60;leaf&#62;") && page.contains(">level 0<"));
        assert!(nesting(&page) <= MAX_NESTED + 1, "{}", nesting(&page));
        let n_links = page.matches("class=\"onward\"").count();
        assert_eq!(
            n_links,
            page.matches("class=\"part\"").count() - 1,
            "each part has a link to it"
        );
    }

    #[test]
    fn a_small_tree_is_one_part() {
        let page = tree_page("small", &deep(5));
        assert_eq!(page.matches("class=\"part\"").count(), 1);
        assert_eq!(nesting(&page), 5);
    }
}
