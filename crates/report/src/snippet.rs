//! A line of source with a part of it underlined.

use crate::page::visible;
use crate::paint::{Colours, Paint};

/// A part of one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The file, or another name for the origin of the text.
    pub origin: String,
    /// Line and column are counted from one; the column in characters.
    pub line: usize,
    pub column: usize,
    pub text: String,
    pub n_chars: usize,
    pub label: String,
}

impl Snippet {
    /// Marks a whole line except for the surrounding white space.
    pub fn of_line(origin: &str, line: usize, text: &str) -> Snippet {
        let column = text.chars().take_while(|it| it.is_whitespace()).count() + 1;
        // A tab would shift the marks below the line.
        let text = visible(&text.replace('\t', " "));
        let n_chars = text.trim().chars().count();
        Snippet { origin: origin.to_owned(), line, column, text, n_chars, label: String::new() }
    }

    pub fn render(&self, colours: Colours) -> String {
        let Snippet { origin, line, column, text, n_chars, label } = self;
        let Paint { edge, mark, off, .. } = Paint::new(colours);
        let blank = " ".repeat(line.to_string().len());
        let indent = " ".repeat(column.saturating_sub(1));
        let marks = "^".repeat((*n_chars).max(1));
        let marked = format!("{blank} {edge}│{off} {indent}{mark}{marks} {label}");
        format!(
            "{blank} {edge}┌─{off} {origin}:{line}:{column}\n{edge}{line} │{off} {text}\n{}{off}\n",
            marked.trim_end()
        )
    }
}
