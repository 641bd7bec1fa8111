//! How a run under a schedule ended, as text that can be compared.

use engine::Ended;
use term::{Style, print};
use trace::{ActorCrash, Outcome};

/// The end of the unit, and of every process that failed.
pub fn end_text(ended: &Ended<'_>) -> String {
    let text = match &ended.performed.outcome {
        Outcome::Value(value) => print(value, Style::TW),
        Outcome::Crash { class, reason, .. } => {
            format!("{}:{}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => format!("stopped: {why}"),
    };
    let crash =
        |it: &ActorCrash| format!(" crash {}:{}", it.class.as_str(), print(&it.reason, Style::TW));
    // Whether one failed before the other makes no difference.
    let mut crashes: Vec<String> = ended.performed.crashes.iter().map(crash).collect();
    crashes.sort_unstable();
    text + &crashes.concat()
}
