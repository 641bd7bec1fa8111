//! Diagnostics: errors and warnings about what we could not do, with a title, a place, a hint and a stable code.
//!
//! Failures of the program under test are outcomes, not diagnostics.

use crate::explain::Code;
use ::report::{Colours, Paint, Snippet};
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    pub(crate) severity: Severity,
    pub(crate) code: Code,
    pub(crate) title: String,
    pub(crate) place: Option<Box<Snippet>>,
    /// Lines below the title, in the words of another tool such as a compiler.
    pub(crate) details: Vec<String>,
    pub(crate) hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    /// The request was carried out in spite of this.
    Warning,
    /// Information only.
    Note,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, title: impl Into<String>) -> Diagnostic {
        let (severity, title) = (Severity::Error, title.into());
        Diagnostic { severity, code, title, place: None, details: vec![], hint: None }
    }

    pub(crate) fn warning(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(code, title) }
    }

    pub(crate) fn note(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, ..Diagnostic::new(code, title) }
    }

    pub(crate) fn at(self, place: Snippet) -> Diagnostic {
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
            Severity::Note => (paint.edge, "note"),
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

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string can't fail");
}

#[cfg(test)]
mod tests {
    use super::Diagnostic;
    use crate::explain::Code;
    use ::report::{Colours, Snippet};
    use expect_test::expect;

    #[test]
    fn layout() {
        let place = Snippet {
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
