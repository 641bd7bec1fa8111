//! All schedules of a program that differ in something that matters, with all inputs.
//!
//! Optimal dynamic partial order reduction with wakeup trees, where a step of a receive is named by
//! the message that it takes. Knows no language: steps say what they touch.

mod data;
mod doing;
mod offers;
mod order;
mod plan;
mod search;
mod unfold;
mod wakeup;

pub use order::Delivery;
pub use search::{
    Dpor, Ended, Followed, ScheduleReport, ScheduleSettings, explore_schedules, follow, step_name,
};
pub use unfold::unfold_schedules;
