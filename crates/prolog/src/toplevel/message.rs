//! Messages for exceptions.

use crate::builtins::WriteStyle;
use crate::data::{AtomId, FunctorId, Record, Tag, Value, View};
use crate::machine::Machine;

impl Machine {
    /// Returns the toplevel's message for an uncaught exception.
    pub fn exception_text(&mut self, ball: &Record) -> String {
        let ball = ball.load(&mut self.heap);
        let ball = self.heap.deref(ball);
        match self.error_message(ball) {
            Some(text) => text,
            None => format!("Unhandled exception: Unknown message: {}", self.shown(ball)),
        }
    }

    /// Returns the message for an exception that was thrown while a text was loaded; a term that is not an
    /// error is written in Prolog syntax.
    pub(crate) fn ball_text(&mut self, ball: Value) -> String {
        let ball = self.heap.deref(ball);
        self.error_message(ball).unwrap_or_else(|| self.shown(ball))
    }

    /// Returns the ball in Prolog syntax, so that it can be pasted.
    pub fn record_text(&mut self, record: &Record) -> String {
        let term = record.load(&mut self.heap);
        self.shown(term)
    }

    /// Returns the message for an `error(Formal, Context)`; `None` for another term.
    pub(crate) fn error_message(&mut self, ball: Value) -> Option<String> {
        if !ball.is_struct(FunctorId::ERROR_2) {
            return None;
        }
        let (formal, context) = (self.heap.arg(ball, 0), self.heap.arg(ball, 1));
        let mut text = self.formal_message(formal);
        if context.is_struct(FunctorId::CONTEXT_2) {
            let message = self.heap.arg(context, 1);
            if !message.is_var() {
                let message = self.term_text(message, WriteStyle::Write);
                text = format!("{text} ({message})");
            }
        }
        Some(text)
    }

    fn formal_message(&mut self, formal: Value) -> String {
        let (name, arity) = self.heap.name_arity(formal, &self.atoms).unwrap_or((AtomId::EMPTY, 0));
        let name = self.atoms.name(name);
        let arg = |n: usize| if n < arity { self.heap.arg(formal, n) } else { Value::NIL };
        let [a, b, c] = [arg(0), arg(1), arg(2)];
        match (name.as_str(), arity) {
            ("instantiation_error", 0) => "Arguments are not sufficiently instantiated".to_owned(),
            ("uninstantiation_error", 1) => {
                format!("Uninstantiated argument expected, found {}", self.shown(a))
            }
            ("type_error", 2) if self.is_named(a, "evaluable") => {
                format!("Arithmetic: `{}' is not a function", self.shown(b))
            }
            ("type_error", 2) => {
                let (a, kind) = (self.plain(a), self.kind_of(b));
                format!("Type error: `{a}' expected, found `{}' ({kind})", self.shown(b))
            }
            ("domain_error", 2) => {
                format!("Domain error: `{}' expected, found `{}'", self.plain(a), self.shown(b))
            }
            ("existence_error", 2) if self.is_named(a, "procedure") => {
                format!("Unknown procedure: {}", self.shown(b))
            }
            ("existence_error", 2) if self.is_named(a, "matching_rule") => {
                format!("No rule matches {}", self.shown(b))
            }
            ("existence_error", 2) => {
                format!("{} `{}' does not exist", self.plain(a), self.shown(b))
            }
            ("existence_error", 3) => {
                let (a, c) = (self.plain(a), self.shown(c));
                format!("{a} `{}' does not exist in {c}", self.shown(b))
            }
            ("permission_error", 3) => {
                let (action, kind) = (self.plain(a), self.plain(b));
                permission_message(&action, &kind, &self.shown(c))
            }
            ("determinism_error", 4) => {
                let (kind, found) = (self.plain(self.heap.arg(formal, 3)), self.plain(c));
                determinism_message(&self.shown(a), &kind, &found)
                    .unwrap_or_else(|| format!("Unknown error term: {}", self.shown(formal)))
            }
            ("representation_error", 1) => format!("Cannot represent due to `{}'", self.plain(a)),
            ("evaluation_error", 1) => {
                format!("Arithmetic: evaluation error: `{}'", self.plain(a))
            }
            ("resource_error", 1) => format!("Not enough resources: {}", self.plain(a)),
            ("syntax_error", 1) => format!("Syntax error: {}", syntax_message(self.plain(a))),
            ("timeout_error", 2) => format!("Timeout in {} from {}", self.plain(a), self.shown(b)),
            ("format", 1) => format!("Format error: {}", self.plain(a)),
            ("format_argument_type", 2) => {
                let (a, b) = (self.plain(a), self.shown(b));
                format!("Illegal argument to format sequence ~{a}: {b}")
            }
            _ => format!("Unknown error term: {}", self.shown(formal)),
        }
    }

    fn is_named(&self, value: Value, name: &str) -> bool {
        value.as_atom().is_some_and(|it| self.atoms.text(it) == name)
    }

    fn plain(&self, value: Value) -> String {
        self.term_text(value, WriteStyle::Write)
    }

    fn shown(&self, value: Value) -> String {
        self.term_text(value, WriteStyle::Print)
    }

    fn kind_of(&self, value: Value) -> &'static str {
        match value.view() {
            View::Var(_) => "a var",
            View::Int(_) | View::Big(_) => "an integer",
            View::Rational(_) => "a rational",
            View::Float(_) => "a float",
            View::Atom(AtomId::NIL) => "an empty_list",
            View::Atom(_) => "an atom",
            View::Text(_) => "a string",
            View::Struct(..) if value.tag() == Tag::Struct && self.is_list(value) => "a list",
            View::Struct(..) => "a compound",
        }
    }
}

fn permission_message(action: &str, kind: &str, object: &str) -> String {
    match (action, kind) {
        ("input", "stream") => format!("No permission to read from output stream `{object}'"),
        ("output", "stream") => format!("No permission to write to input stream `{object}'"),
        ("input", "text_stream") => {
            format!("No permission to read bytes from TEXT stream `{object}'")
        }
        ("output", "text_stream") => {
            format!("No permission to write bytes to TEXT stream `{object}'")
        }
        ("input", "binary_stream") => {
            format!("No permission to read characters from binary stream `{object}'")
        }
        ("output", "binary_stream") => {
            format!("No permission to write characters to binary stream `{object}'")
        }
        ("tnot", "non_tabled_procedure") => {
            format!("The argument of tnot/1 is not tabled: {object}")
        }
        (_, "static_procedure") => format!("No permission to {action} static procedure `{object}'"),
        _ => format!("No permission to {action} {kind} `{object}'"),
    }
}

/// Returns the message of a determinism error. `kind` is the source of the promise: a declaration, a goal or
/// a guard.
fn determinism_message(of: &str, kind: &str, found: &str) -> Option<String> {
    Some(match (kind, found) {
        ("property", "fail") => format!("Deterministic procedure {of} failed"),
        ("property", "nondet") => {
            format!("Deterministic procedure {of} succeeded with a choicepoint")
        }
        ("goal", "fail") => format!("Goal {of} failed"),
        ("goal", "nondet") => format!("Goal {of} succeeded with a choice point"),
        ("guard", "fail") => format!("Procedure {of} failed after $-guard"),
        _ => return None,
    })
}

/// Returns SWI-Prolog's message for a syntax error, or the name of the error if there is none.
fn syntax_message(name: String) -> String {
    let words = match name.as_str() {
        "end_of_clause" => "Unexpected end of clause",
        "end_of_clause_expected" => "End of clause expected",
        "end_of_file" => "Unexpected end of file",
        "end_of_file_in_block_comment" => "End of file in /* ... */ comment",
        "illegal_number" => "Illegal number",
        "operator_clash" => "Operator priority clash",
        "operator_expected" => "Operator expected",
        "operator_balance" => "Unbalanced operator",
        "quoted_punctuation" => "Operand expected, unquoted comma or bar found",
        "list_rest" => "Unexpected comma or bar in rest of list",
        "cannot_start_term" => "Illegal start of term",
        "void_not_allowed" => "Empty argument list \"()\"",
        _ => return name,
    };
    words.to_owned()
}
