//! The parts that all HTML pages of the tool share: the head, the style sheet, the script, the button for the theme.
//!
//! A page is one file. It needs no network, and no script to be read. This module knows nothing of reports.

mod tree;
mod visible;

pub use tree::{TreeKind, TreeNode, tree_page};
pub(crate) use visible::visible;

/// The parts of a page that are independent of its content.
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

    /// Returns the script that sets the theme before the page is drawn, so that the other theme does not flash.
    pub(crate) fn early_script(&self) -> &'static str {
        include_str!("../templates/theme.js")
    }

    pub(crate) fn script(&self) -> &'static str {
        include_str!("../templates/page.js")
    }
}
