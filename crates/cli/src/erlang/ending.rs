//! Formats the outcome of `gimlet run`, as text and as JSON.

use crate::elixir;
use crate::erlang::exception::{exception_text, stack_lines};
use crate::erlang::rules::Trace;
use crate::start::COULD_NOT;
use ::report::Colours;
use serde_json::{Value, json};
use std::process::ExitCode;
use term::{Style, Term, print};

/// One call and its outcome.
#[derive(Debug)]
pub(crate) struct Report {
    /// The call as the user typed it.
    pub(crate) call: String,
    /// Whether the call is in Elixir's syntax, so that the result is printed in it too.
    pub(crate) is_elixir: bool,
    pub(crate) ending: Ending,
    /// The standard output of the program.
    pub(crate) output: Vec<u8>,
    /// The steps of the run, with `--trace`.
    pub(crate) trace: Option<Trace>,
}

#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Value {
        term: Term,
        /// The text of a value that takes more than one line.
        layout: Option<String>,
    },
    Raised {
        class: String,
        reason: Term,
        stack: Term,
        /// The text of the exception from the language's own runtime.
        layout: Option<String>,
    },
    /// The call exceeded a limit. `budget` is the name of the option that raises it.
    Budget { budget: &'static str },
    /// Every process waits for a message.
    Deadlock,
    /// The program halted the runtime.
    Halted { status: i64 },
    /// The call attempted an effect that is not allowed.
    Refused { effect: String },
}

impl Report {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match &self.ending {
            Ending::Value { .. } => ExitCode::SUCCESS,
            Ending::Halted { status } => ExitCode::from(u8::try_from(status & 0xff).unwrap_or(1)),
            Ending::Raised { .. } | Ending::Deadlock | Ending::Refused { .. } => ExitCode::from(1),
            // The outcome without the limit is unknown.
            Ending::Budget { .. } => ExitCode::from(COULD_NOT),
        }
    }

    /// The output of the program, followed by the outcome.
    pub(crate) fn text(&self, colours: Colours) -> Vec<u8> {
        let end = match &self.ending {
            Ending::Value { layout: Some(text), .. }
            | Ending::Raised { layout: Some(text), .. } => text.clone(),
            Ending::Value { term, layout: None } if self.is_elixir => elixir::term(term),
            Ending::Value { term, layout: None } => print(term, Style::TP),
            Ending::Raised { class, reason, stack, layout: None } if self.is_elixir => {
                elixir::exception_text(class, reason, stack)
            }
            Ending::Raised { class, reason, stack, layout: None } => {
                exception_text(class, reason, stack)
            }
            Ending::Budget { budget } => format!("** out of {budget}; --{budget} allows more"),
            Ending::Deadlock => "** deadlock: every process waits for a message".to_owned(),
            Ending::Refused { effect } => format!("** refused: {effect}; see --allow"),
            // The runtime has ended and prints nothing.
            Ending::Halted { .. } => String::new(),
        };
        let trace = self.trace.as_ref().map(|it| it.text(colours)).unwrap_or_default();
        let mut out = trace.into_bytes();
        out.extend(&self.output);
        if !end.is_empty() && out.last().is_some_and(|it| *it != b'\n') {
            out.push(b'\n');
        }
        if !end.is_empty() {
            out.extend(end.into_bytes());
            out.push(b'\n');
        }
        out
    }

    pub(crate) fn json(&self) -> String {
        let mut res = json!({
            "schema": 1,
            "tool": {"name": "gimlet", "version": env!("CARGO_PKG_VERSION")},
            "call": self.call,
        });
        let fields = match &self.ending {
            Ending::Value { term, layout } => match layout.as_ref().filter(|_| self.is_elixir) {
                Some(text) => json!({"outcome": "value", "term": text}),
                None => json!({"outcome": "value", "term": print(term, Style::TP)}),
            },
            Ending::Raised { class, reason, stack, .. } => json!({
                "outcome": class,
                "class": class,
                "reason": print(reason, Style::TP),
                "stack": stack_lines(stack),
            }),
            Ending::Budget { budget } => json!({"outcome": "budget", "budget": budget}),
            Ending::Deadlock => json!({"outcome": "deadlock"}),
            Ending::Halted { status } => json!({"outcome": "halt", "status": status}),
            Ending::Refused { effect } => json!({"outcome": "refused", "effect": effect}),
        };
        if let (Value::Object(all), Value::Object(fields)) = (&mut res, fields) {
            all.extend(fields);
            all.insert("output".to_owned(), String::from_utf8_lossy(&self.output).into());
            all.extend(self.trace.as_ref().map(|it| ("trace".to_owned(), it.json())));
        }
        format!("{res:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, Report};
    use ::report::Colours;
    use expect_test::{Expect, expect};
    use term::{Term, read_term};

    #[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
    fn check(ending: Ending, text: Expect, json: Expect) {
        let report = Report {
            call: "m:f()".to_owned(),
            is_elixir: false,
            ending,
            output: b"hi".to_vec(),
            trace: None,
        };
        text.assert_eq(&String::from_utf8(report.text(Colours::Off)).unwrap());
        json.assert_eq(&report.json());
    }

    #[test]
    fn values() {
        check(
            Ending::Value { term: Term::string("abc"), layout: None },
            expect![[r#"
                hi
                "abc"
            "#]],
            expect![[r#"
                {
                  "schema": 1,
                  "tool": {
                    "name": "gimlet",
                    "version": "0.1.0"
                  },
                  "call": "m:f()",
                  "outcome": "value",
                  "term": "\"abc\"",
                  "output": "hi"
                }
            "#]],
        );
    }

    #[test]
    fn exceptions() {
        let stack = read_term(r#"[{m,f,0,[{file,"m.erl"},{line,3}]}]"#).unwrap();
        check(
            Ending::Raised {
                class: "exit".to_owned(),
                reason: Term::atom("x"),
                stack,
                layout: None,
            },
            expect![[r#"
                hi
                ** exception exit: x
                     in function  m:f/0 (m.erl, line 3)
            "#]],
            expect![[r#"
                {
                  "schema": 1,
                  "tool": {
                    "name": "gimlet",
                    "version": "0.1.0"
                  },
                  "call": "m:f()",
                  "outcome": "exit",
                  "class": "exit",
                  "reason": "x",
                  "stack": [
                    "m:f/0 m.erl:3"
                  ],
                  "output": "hi"
                }
            "#]],
        );
    }
}
