//! Problems in a configuration file, with their places.
//!
//! The caller has the text and shows the line with the place marked.

use std::fmt::{Display, Formatter};
use std::ops::Range;

/// Something that the user must change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from one.
    pub line: usize,
    /// The column, counted from one in characters.
    pub column: usize,
    /// How many characters of the line are marked, at least one.
    pub length: usize,
    pub title: String,
    /// How to fix the problem.
    pub hint: Option<String>,
}

impl Problem {
    /// Returns a problem with the bytes `span` of `text`. Only the part in the first line is marked.
    pub(crate) fn at(text: &str, span: Range<usize>, title: impl Into<String>) -> Problem {
        let before = text.get(..span.start).unwrap_or(text);
        let line = line_at(text, span.start);
        let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
        let marked = text.get(span).unwrap_or_default();
        let length = marked.lines().next().unwrap_or_default().chars().count().max(1);
        Problem { line, column, length, title: title.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }
}

/// Writes `LINE:COLUMN: TITLE (HINT)`.
impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Problem { line, column, length: _, title, hint } = self;
        write!(f, "{line}:{column}: {title}")?;
        hint.as_ref().map_or(Ok(()), |it| write!(f, " ({it})"))
    }
}

impl std::error::Error for Problem {}

/// Returns the line of a byte of the text, counted from one.
pub(crate) fn line_at(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).matches('\n').count() + 1
}
