//! All schedules of a program that differ in something that matters, with all inputs.
//!
//! Optimal dynamic partial order reduction with wakeup trees, where a step of a receive is named by
//! the message that it takes. Knows no language: steps say what they touch. A search with a bound on
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
