//! Programs as trees of text, which can be shrunk without knowledge of the language.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Text(String),
    /// Parts that must stay together.
    Fixed(Vec<Tree>),
    /// An expression. A literal, or an expression inside of it, may replace it.
    Expr(Vec<Tree>),
    /// Items that may be removed, as long as `least` of them are left.
    Items {
        separator: &'static str,
        least: usize,
        items: Vec<Tree>,
    },
}

pub(crate) fn text(text: impl Into<String>) -> Tree {
    Tree::Text(text.into())
}

impl Tree {
    /// Returns all trees that are one shrinking step smaller.
    pub fn smaller(&self) -> Vec<Tree> {
        let mut res = Vec::new();
        match self {
            Tree::Text(_) => (),
            Tree::Fixed(parts) => inside(parts, &mut res, Tree::Fixed),
            Tree::Expr(parts) => {
                let shown = self.to_string();
                for literal in ["0", "a", "[]"] {
                    if shown.len() > literal.len() {
                        res.push(Tree::Expr(vec![text(literal)]));
                    }
                }
                parts.iter().for_each(|it| it.nearest(&mut res));
                inside(parts, &mut res, Tree::Expr);
            }
            Tree::Items { separator, least, items } => {
                let (separator, least) = (*separator, *least);
                let with = |items| Tree::Items { separator, least, items };
                if items.len() > least {
                    res.extend((0..items.len()).map(|it| {
                        let mut items = items.clone();
                        items.remove(it);
                        with(items)
                    }));
                }
                inside(items, &mut res, with);
            }
        }
        res
    }

    /// Collects the outermost expressions inside the tree.
    fn nearest(&self, found: &mut Vec<Tree>) {
        match self {
            Tree::Text(_) => (),
            Tree::Expr(_) => found.push(self.clone()),
            Tree::Fixed(parts) | Tree::Items { items: parts, .. } => {
                parts.iter().for_each(|it| it.nearest(found));
            }
        }
    }
}

/// Adds the trees in which one part is one step smaller.
fn inside(parts: &[Tree], res: &mut Vec<Tree>, with: impl Fn(Vec<Tree>) -> Tree) {
    for (at, part) in parts.iter().enumerate() {
        for smaller in part.smaller() {
            let mut parts = parts.to_vec();
            if let Some(slot) = parts.get_mut(at) {
                *slot = smaller;
            }
            res.push(with(parts));
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Text(text) => f.write_str(text),
            Tree::Fixed(parts) | Tree::Expr(parts) => {
                parts.iter().try_for_each(|it| write!(f, "{it}"))
            }
            Tree::Items { separator, items, .. } => {
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_str(separator)?;
                    }
                    write!(f, "{item}")?;
                }
                Ok(())
            }
        }
    }
}
