//! What every page of ours shares: the head, the style sheet, the script, the button for the theme.
//!
//! A page is one file that needs no network, and no script to be read. It knows nothing of reports.

mod tree;
mod visible;

pub use tree::{TreeKind, TreeNode, tree_page};
pub(crate) use visible::visible;

/// The parts of a page that do not depend on what it shows.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    pub(crate) title: String,
}

impl Shell {
    pub(crate) fn new(title: &str) -> Shell {
        Shell { title: visible(title) }
    }

    pub(crate) fn style(&self) -> &'static str {
        include_str!("../templates/page.css")
    }

    /// Runs before the page is drawn, so that a chosen theme does not flash.
    pub(crate) fn early_script(&self) -> &'static str {
        include_str!("../templates/theme.js")
    }

    pub(crate) fn script(&self) -> &'static str {
        include_str!("../templates/page.js")
    }
}
