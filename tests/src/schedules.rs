//! The end of a run under a schedule, as text that can be compared.

use engine::Ended;
use term::{Style, print};
use trace::{ActorCrash, Outcome};

/// Returns the outcome of the unit and of all processes that crashed.
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
    // The order of the crashes is not compared.
    let mut crashes: Vec<String> = ended.performed.crashes.iter().map(crash).collect();
    crashes.sort_unstable();
    text + &crashes.concat()
}
