//! The exploration loop of concolic testing: run an input, record its choices, pick a choice to flip, solve for a new
//! input, run again.
//!
//! Frontier, strategies and schedules see sites, alternatives and steps; the crate knows no language. It runs programs
//! through the traits of `trace` (`Executor`, `Stage`) and solves questions through an [`Oracle`].

mod dictionary;
mod explore;
#[cfg(test)]
mod fake;
mod frontier;
mod mutate;
mod oracle;
mod report;
mod schedules;
mod shapes;
mod strategy;
mod texts;
mod tries;
mod unfold;

pub use explore::{DEPTH, Exploration, Policy, Settings, explore};
pub use oracle::{Alone, Chains, Oracle, Oracles, Question};
pub use report::{Report, Stop, Test, Yield};
pub use schedules::{
    Crew, Delivery, Dpor, Ended, Followed, Gather, Pass, STEPS, ScheduleReport, ScheduleSettings,
    Staging, explore_schedules, follow, step_name, unfold_schedules,
};
pub use shapes::{Form, Part, Place, Precision, Shapes, Step, all_parts, last_parts};
pub use strategy::Strategy;
pub use unfold::{
    Branch, Doubt, End, EndId, Failed, Fork, Node, NodeId, Summary, Unfolded, unfold,
};
