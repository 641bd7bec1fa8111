//! The events of an execution (§3 of the paper), and what can be told from them alone.

use term::{Style, Term, print};

/// `call`, `exit`, `bind`, `case` or `exitcase`, as the paper writes them.
///
/// Nearly all of an event is known before the program runs. What is not, is the value that code
/// outside the program computed; it is the last argument of a `bind`.
#[derive(Clone, Debug)]
pub struct Event {
    pub text: String,
    pub value: Option<Term>,
}

impl Event {
    /// As the paper writes it, with the value if there is one.
    pub fn full_text(&self) -> String {
        match &self.value {
            Some(value) => format!("{}{})", self.text, print(value, Style::TW)),
            None => self.text.clone(),
        }
    }
}

/// The trace of an execution (Definition 5): which alternative each case took.
pub fn alternatives<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<usize> {
    let number = |event: &Event| {
        // case([X],[W],2,…: after two lists of names.
        let rest = event.text.strip_prefix("case(")?;
        let rest = rest.split_once("],")?.1.split_once("],")?.1;
        rest.split(',').next()?.parse().ok()
    };
    events.into_iter().filter_map(number).collect()
}
