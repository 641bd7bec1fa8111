//! What is wrong with a configuration file, and where.
//!
//! Does not draw: the caller has the text, and shows the line with the place marked.

use std::fmt::{Display, Formatter};
use std::ops::Range;

/// Something that the user has to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted from one.
    pub line: usize,
    /// Counted from one, in characters.
    pub column: usize,
    /// The characters of the line that are meant, at least one.
    pub length: usize,
    pub title: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem with the bytes `span` of `text`. What goes beyond the first line is not marked.
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

/// `LINE:COLUMN: TITLE (HINT)`, for where there is no room for more.
impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Problem { line, column, length: _, title, hint } = self;
        write!(f, "{line}:{column}: {title}")?;
        hint.as_ref().map_or(Ok(()), |it| write!(f, " ({it})"))
    }
}

impl std::error::Error for Problem {}

/// The line of a byte of the text, counted from one.
pub(crate) fn line_at(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).matches('\n').count() + 1
}
