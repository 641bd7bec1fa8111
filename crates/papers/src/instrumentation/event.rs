//! The events of an execution (§3 of the paper), and its trace.

use term::{Style, Term, print};

/// An event `call`, `exit`, `bind`, `case` or `exitcase`, in the notation of the paper.
///
/// Nearly all of an event's text is known before the program runs. The exception is the value that code
/// outside of the program computes; it is the last argument of a `bind`.
#[derive(Clone, Debug)]
pub struct Event {
    pub text: String,
    pub value: Option<Term>,
}

impl Event {
    /// Returns the event in the notation of the paper, including the value if there is one.
    pub fn full_text(&self) -> String {
        match &self.value {
            Some(value) => format!("{}{})", self.text, print(value, Style::TW)),
            None => self.text.clone(),
        }
    }
}

/// Returns the trace of an execution (Definition 5): the alternative that each case took.
pub fn alternatives<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<usize> {
    let number = |event: &Event| {
        // The number follows two lists of names: `case([X],[W],2,…`.
        let rest = event.text.strip_prefix("case(")?;
        let rest = rest.split_once("],")?.1.split_once("],")?.1;
        rest.split(',').next()?.parse().ok()
    };
    events.into_iter().filter_map(number).collect()
}
