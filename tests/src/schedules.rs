//! How a run under a schedule ended, as text that can be compared.

use engine::Ended;
use term::{Style, print};
use trace::Outcome;

/// The end of the unit, and of every process that failed.
pub fn end_text(ended: &Ended<'_>) -> String {
    let mut text = match &ended.performed.outcome {
        Outcome::Value(value) => print(value, Style::TW),
        Outcome::Crash { class, reason, .. } => {
            format!("{}:{}", class.as_str(), print(reason, Style::TW))
        }
        Outcome::Deadlock => "deadlock".to_owned(),
        Outcome::Stopped(why) => format!("stopped: {why}"),
    };
    for crash in &ended.performed.crashes {
        text += &format!(" crash {}:{}", crash.class.as_str(), print(&crash.reason, Style::TW));
    }
    text
}
