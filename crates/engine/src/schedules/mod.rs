//! The exploration of schedules: all executions of a concurrent program that are not equivalent, with all inputs.
//!
//! The search is optimal dynamic partial-order reduction with wakeup trees [Abdulla et al. 2014], except that a step of
//! a receive is named by the message it takes. Knows no language: steps report their accesses. A search with a bound on
//! preemptions reduces less (`bounded`).
//!
//! A plan consists of the steps after a node that the node's step did not cause, and a last step that comes instead.
//! What the last step accesses may depend on the steps before it (`Step::might_differ`; `register/2`, for example,
//! only reads if the name is taken). Such a step is tried out where it is planned: a wakeup tree must not contain two
//! leaves that are compatible there, or classes are lost, and whether they are depends on what the step does there.
//! Steps that a plan guides get no flips of their own, since their alternatives are found from the run that they were
//! taken from. So an entry of a sleep set holds only for inputs that satisfy the choices of the guided steps below
//! it.

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
