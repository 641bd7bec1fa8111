//! What the user is told when we could not do what was asked: title, place, hint, and a stable code.
//!
//! Not for what the program under test did; that is an outcome.

use crate::explain::Code;
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    pub(crate) severity: Severity,
    pub(crate) code: Code,
    pub(crate) title: String,
    pub(crate) place: Option<Box<Place>>,
    /// Lines that belong to the title, as another tool worded them.
    pub(crate) details: Vec<String>,
    pub(crate) hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    /// It was done all the same.
    Warning,
}

/// A stretch of one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// A file, or what else the text is.
    pub(crate) origin: String,
    /// Counted from one, the column in characters.
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) n_chars: usize,
    pub(crate) label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    On,
    Off,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, title: impl Into<String>) -> Diagnostic {
        let (severity, title) = (Severity::Error, title.into());
        Diagnostic { severity, code, title, place: None, details: vec![], hint: None }
    }

    pub(crate) fn warning(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(code, title) }
    }

    pub(crate) fn at(self, place: Place) -> Diagnostic {
        Diagnostic { place: Some(Box::new(place)), ..self }
    }

    pub(crate) fn with_details(self, details: Vec<String>) -> Diagnostic {
        Diagnostic { details, ..self }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn render(&self, colours: Colours) -> String {
        let paint = Paint::new(colours);
        let (colour, word) = match self.severity {
            Severity::Error => (paint.error, "error"),
            Severity::Warning => (paint.warning, "warning"),
        };
        let mut out = format!(
            "{colour}{word}[{}]{}{}: {}{}\n",
            self.code.name(),
            paint.off,
            paint.bold,
            self.title,
            paint.off
        );
        self.details.iter().for_each(|it| push(&mut out, format_args!("  {it}\n")));
        let margin = self.place.as_ref().map_or(1, |it| it.line.to_string().len());
        if let Some(place) = &self.place {
            out.push_str(&place.render(colours));
        }
        if let Some(hint) = &self.hint {
            let Paint { edge, off, .. } = paint;
            push(&mut out, format_args!("{} {edge}={off} hint: {hint}\n", " ".repeat(margin)));
        }
        out
    }
}

impl Place {
    /// The line of text with what is meant underlined.
    pub(crate) fn render(&self, colours: Colours) -> String {
        let Place { origin, line, column, text, n_chars, label } = self;
        let Paint { edge, mark, off, .. } = Paint::new(colours);
        let blank = " ".repeat(line.to_string().len());
        let indent = " ".repeat(column.saturating_sub(1));
        let marks = "^".repeat((*n_chars).max(1));
        let mut out = format!("{blank} {edge}┌─{off} {origin}:{line}:{column}\n");
        push(&mut out, format_args!("{edge}{line} │{off} {text}\n"));
        let marked = format!("{blank} {edge}│{off} {indent}{mark}{marks} {label}");
        push(&mut out, format_args!("{}{off}\n", marked.trim_end()));
        out
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string can't fail");
}

/// Escape codes, or nothing where there are no colours.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    pub(crate) error: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) good: &'static str,
    pub(crate) bold: &'static str,
    pub(crate) faint: &'static str,
    pub(crate) edge: &'static str,
    pub(crate) mark: &'static str,
    pub(crate) underline: &'static str,
    pub(crate) off: &'static str,
}

impl Paint {
    pub(crate) fn new(colours: Colours) -> Paint {
        match colours {
            Colours::On => Paint {
                error: "\x1b[1;31m",
                warning: "\x1b[1;33m",
                good: "\x1b[32m",
                bold: "\x1b[1m",
                faint: "\x1b[2m",
                edge: "\x1b[34m",
                mark: "\x1b[31m",
                underline: "\x1b[4m",
                off: "\x1b[0m",
            },
            Colours::Off => Paint {
                error: "",
                warning: "",
                good: "",
                bold: "",
                faint: "",
                edge: "",
                mark: "",
                underline: "",
                off: "",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Colours, Diagnostic, Place};
    use crate::explain::Code;
    use expect_test::expect;

    #[test]
    fn layout() {
        let place = Place {
            origin: "example.erl".to_owned(),
            line: 7,
            column: 1,
            text: "fcmp(X) ->".to_owned(),
            n_chars: 4,
            label: "defined here".to_owned(),
        };
        let diagnostic = Diagnostic::new(Code::NotExported, "example:fcmp/1 is not exported")
            .at(place)
            .hint("test it through example:foo/1, or add it to -export");
        expect![[r#"
            error[G012]: example:fcmp/1 is not exported
              ┌─ example.erl:7:1
            7 │ fcmp(X) ->
              │ ^^^^ defined here
              = hint: test it through example:foo/1, or add it to -export
        "#]]
        .assert_eq(&diagnostic.render(Colours::Off));
        let painted = diagnostic.render(Colours::On);
        assert!(painted.starts_with("\x1b[1;31merror[G012]\x1b[0m"));
    }
}
