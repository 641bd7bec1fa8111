//! Elixir expressions other than calls with literal arguments: Elixir's own parser and evaluator, run on the machine,
//! evaluate them.

use crate::erlang::Ending;
use term::{Atom, Call, Term, read_call};

/// Whether a text is in Elixir's syntax, as opposed to a call in Erlang's: `lists:seq(1, 3)`.
pub(crate) fn is_expression(text: &str) -> bool {
    let text = text.trim_start();
    let name_end = match text.strip_prefix('\'') {
        Some(rest) => rest.find('\'').map(|it| it + 2),
        None => text.find(|it: char| !(it.is_alphanumeric() || "_@".contains(it))),
    };
    let after = name_end.and_then(|it| text.get(it..)).unwrap_or_default();
    // `Enum:map(...)` is a call in Erlang's syntax, even of an Elixir module.
    let is_remote = after.starts_with(':') && !after.starts_with(": ") && name_end != Some(0);
    !is_remote && read_call(text).is_err() && !text.is_empty() && name_end.is_some()
}

/// The call that evaluates an expression. It returns a pair of the value and the variable bindings.
pub(crate) fn evaluation(text: &str) -> Call {
    let args = vec![Term::binary(text.as_bytes().to_vec())];
    Call { module: Atom::new("Elixir.Code"), function: Atom::new("eval_string"), args }
}

/// Reduces the ending of an evaluation to that of the expression: takes the value from the pair, and the evaluator's
/// frames from the stack trace.
pub(crate) fn unwrap_evaluated(ending: &mut Ending) {
    match ending {
        Ending::Value { term, .. } => {
            if let Some([value, _]) = term.as_tuple() {
                *term = value.clone();
            }
        }
        Ending::Raised { stack, .. } => {
            let frames = stack.as_list().unwrap_or_default().iter();
            let kept = frames.take_while(|it| !is_of_evaluator(it)).cloned();
            *stack = Term::proper_list(kept.collect());
        }
        Ending::Budget { .. }
        | Ending::Deadlock
        | Ending::Halted { .. }
        | Ending::Refused { .. } => (),
    }
}

fn is_of_evaluator(frame: &Term) -> bool {
    let module = frame.as_tuple().and_then(|it| it.first()).and_then(Term::as_atom);
    matches!(module, Some("erl_eval" | "elixir" | "Elixir.Code"))
}

#[cfg(test)]
mod tests {
    use super::is_expression;

    #[test]
    fn what_is_elixir() {
        for text in [
            "Enum.sum([1])",
            ":lists.seq(1, 3)",
            "1..3 |> Enum.sum()",
            "[1, 2] ++ [3]",
            "%{a: 1}.a",
            "x = 3; x * x",
            "if true, do: 1",
            "\"a\" <> \"b\"",
        ] {
            assert!(is_expression(text), "{text}");
        }
        for text in ["lists:seq(1, 3)", "'Elixir.A':f()", "Foo:f()", "lists:nth(1, [x)", ""] {
            assert!(!is_expression(text), "{text}");
        }
    }
}
