//! All schedules of a program that differ in something that matters, with all inputs.
//!
//! Optimal dynamic partial order reduction with wakeup trees, where a step of a receive is named by
//! the message that it takes. Knows no language: steps say what they touch.

mod ahead;
mod crew;
mod data;
mod doing;
mod follow;
mod node;
mod offers;
mod order;
mod plan;
mod search;
mod settings;
mod unfold;
mod wakeup;

pub use ahead::{Helpers, Job, JobId, News, Nobody, perform_job};
pub use crew::{Crew, Staging};
pub use follow::{Followed, follow, step_name};
pub use order::Delivery;
pub use search::{explore_schedules, explore_schedules_with};
pub use settings::{Dpor, Ended, ScheduleReport, ScheduleSettings};
pub use unfold::unfold_schedules;
