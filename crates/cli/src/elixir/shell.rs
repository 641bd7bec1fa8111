//! Formats values and exceptions by running `inspect/2` and `Exception.format/3` on the machine, where the program's
//! own implementations of protocols and its exception messages apply.

use erlang::{Machine, Outcome as End};
use term::{Atom, Fun, Term};
use trace::Outcome;

/// Formats a value as `iex` shows it, without a limit of its length.
pub(crate) fn inspected(machine: &mut Machine, value: &Term) -> Option<String> {
    let option = |name: &str, value: Term| Term::Tuple(vec![Term::atom(name), value]);
    let endless = || Term::atom("infinity");
    let options = vec![
        option("pretty", Term::atom("true")),
        option("width", Term::Int(COLUMNS)),
        option("limit", endless()),
        option("printable_limit", endless()),
    ];
    text_of(machine, ["Elixir.Kernel", "inspect"], &[value.clone(), Term::proper_list(options)])
}

const COLUMNS: i64 = 98;

/// Formats an exception with its stack trace as `iex` shows it.
pub(crate) fn formatted(
    machine: &mut Machine,
    class: &str,
    reason: &Term,
    stack: &Term,
) -> Option<String> {
    let args = [Term::atom(class), reason.clone(), stack.clone()];
    let text = text_of(machine, ["Elixir.Exception", "format"], &args)?;
    Some(text.trim_end().to_owned())
}

/// Describes the outcome of a call; `None` for an outcome that Elixir has no text for.
pub(crate) fn said(machine: &mut Machine, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Value(value) => Some(format!("returns {}", inspected(machine, value)?)),
        Outcome::Crash { class, reason, trace } => {
            formatted(machine, class.as_str(), reason, trace)
        }
        Outcome::Deadlock | Outcome::Stopped(_) => None,
    }
}

/// Calls a function that returns text. `None` if it returns something else, or an argument contains a closure.
fn text_of(machine: &mut Machine, [module, function]: [&str; 2], args: &[Term]) -> Option<String> {
    // A closure loses its name and environment outside of its machine.
    let is_closure =
        |it: &Term| matches!(it, Term::Fun(fun) if matches!(**fun, Fun::Closure { .. }));
    if args.iter().any(|it| it.has_part(is_closure)) {
        return None;
    }
    let run = machine.call(&Atom::new(module), &Atom::new(function), args).ok()?;
    let End::Value(text) = run.outcome else { return None };
    Some(std::str::from_utf8(text.as_bytes()?).ok()?.to_owned())
}
