//! The loop: run, record, pick a choice to flip, solve, run again. Knows no language.

mod explore;
mod frontier;
mod oracle;
mod report;
mod strategy;
mod tree;
mod unfold;

pub use explore::{Settings, explore};
pub use oracle::{Alone, Oracle, Question};
pub use report::{Report, Stop, Test};
pub use strategy::Strategy;
pub use unfold::{Branch, Doubt, End, EndId, Node, NodeId, Summary, Unfolded, unfold};
