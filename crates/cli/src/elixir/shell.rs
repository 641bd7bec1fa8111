//! Values and exceptions in Elixir's own words: `inspect/2` and `Exception.format/3` are run on the machine,
//! where protocols have the implementations of the program, and exceptions their own messages.

use erlang::{Machine, Outcome as End};
use term::{Atom, Fun, Term};
use trace::Outcome;

/// A value as `iex` shows it, however long it is.
pub(crate) fn inspected(machine: &mut Machine, value: &Term) -> Option<String> {
    let option = |name: &str, value: Term| Term::Tuple(vec![Term::atom(name), value]);
    let endless = || Term::atom("infinity");
    let options = vec![
        option("pretty", Term::atom("true")),
        option("width", Term::Int(COLUMNS)),
        option("limit", endless()),
        option("printable_limit", endless()),
    ];
    text_of(machine, ["Elixir.Kernel", "inspect"], vec![value.clone(), Term::proper_list(options)])
}

const COLUMNS: i64 = 98;

/// An exception as `iex` shows it, with its stack trace.
pub(crate) fn formatted(
    machine: &mut Machine,
    class: &str,
    reason: &Term,
    stack: &Term,
) -> Option<String> {
    let args = vec![Term::atom(class), reason.clone(), stack.clone()];
    let text = text_of(machine, ["Elixir.Exception", "format"], args)?;
    Some(text.trim_end().to_owned())
}

/// How a call ended, for people.
pub(crate) fn said(machine: &mut Machine, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Value(value) => Some(format!("returns {}", inspected(machine, value)?)),
        Outcome::Crash { class, reason, trace } => {
            formatted(machine, class.as_str(), reason, trace)
        }
        Outcome::Deadlock | Outcome::Stopped(_) => None,
    }
}

/// The text that a function returns; nothing if it does not, or if the machine can't be given an argument.
fn text_of(
    machine: &mut Machine,
    [module, function]: [&str; 2],
    args: Vec<Term>,
) -> Option<String> {
    // A closure loses its name and what it holds outside of its machine.
    let is_closure =
        |it: &Term| matches!(it, Term::Fun(fun) if matches!(**fun, Fun::Closure { .. }));
    if args.iter().any(|it| it.has_part(is_closure)) {
        return None;
    }
    let run = machine.call(&Atom::new(module), &Atom::new(function), &args).ok()?;
    let End::Value(text) = run.outcome else { return None };
    Some(std::str::from_utf8(text.as_bytes()?).ok()?.to_owned())
}
