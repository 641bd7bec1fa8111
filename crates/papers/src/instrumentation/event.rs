//! The events of an execution (§3 of the paper), and what they tell.

use term::{Style, Term, print};

/// An event `call`, `exit`, `bind`, `case` or `exitcase` in the notation of the paper.
///
/// Nearly all of its text is known before the program runs. The exception is a value computed by code outside the
/// program, which is the last argument of a `bind`.
#[derive(Clone, Debug)]
pub struct Event {
    pub text: String,
    pub value: Option<Term>,
}

impl Event {
    /// Returns the event in the notation of the paper, with its value if there is one.
    pub fn full_text(&self) -> String {
        match &self.value {
            Some(value) => format!("{}{})", self.text, print(value, Style::TW)),
            None => self.text.clone(),
        }
    }
}

/// Returns the trace of an execution (Definition 5): which alternative each case took.
pub fn alternatives<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<usize> {
    let number = |event: &Event| {
        // The text is `case([X],[W],2,…`: the number follows two lists of names.
        let rest = event.text.strip_prefix("case(")?;
        let rest = rest.split_once("],")?.1.split_once("],")?.1;
        rest.split(',').next()?.parse().ok()
    };
    events.into_iter().filter_map(number).collect()
}
