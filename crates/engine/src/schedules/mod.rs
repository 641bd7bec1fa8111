//! The exploration of schedules: all executions of a concurrent program that are not equivalent, with all inputs.
//!
//! The search is optimal dynamic partial-order reduction with wakeup trees [Abdulla et al. 2014], except that a step of
//! a receive is named by the message it takes. Knows no language: steps report their accesses. A search with a bound on
//! preemptions reduces less (`bounded`).

mod bounded;
mod cells;
mod class;
mod crew;
mod data;
mod doing;
#[cfg(test)]
mod fake;
mod follow;
mod inputs;
mod linear;
mod node;
mod offers;
mod order;
mod pct;
mod plan;
mod questions;
mod search;
mod settings;
mod signals;
mod turns;
mod unfold;
mod wakeup;

pub use crew::{Crew, Staging};
pub use follow::{Followed, follow, step_name};
pub use order::Delivery;
pub use search::explore_schedules;
pub use settings::{Dpor, Ended, Gather, Pass, STEPS, ScheduleReport, ScheduleSettings};
pub use unfold::unfold_schedules;
