//! Recognises crashes due to something that is absent from the run but present in a running system: a process, a node,
//! a table, or a function that only the input names.
//!
//! Looks at the exception and its stack trace; runs nothing.

use crate::erlang::frames::{Frame, frames};
use crate::erlang::unit::quoted;
use erlang::builtins::{self, Effect};
use term::{Atom, Style, Term, print};
use trace::{Input, Outcome};

/// Whether a run ended because something is absent that a running system has and that the input does not name.
pub(crate) fn misses_system_of(input: &Input, outcome: &Outcome) -> bool {
    let Outcome::Crash { class, reason, trace } = outcome else { return false };
    let is_named = |it: &Term| input.args.iter().any(|arg| arg.has_part(|part| part == it));
    let frames = frames(trace);
    let called = match (class.as_str(), reason.as_tuple(), frames.first()) {
        // `{noproc, {gen_server, call, [Name | _]}}`
        ("exit", Some([_, call]), _) => {
            call.as_tuple().and_then(|it| it.get(2)?.as_list()?.first())
        }
        ("error", None, Some(raised)) if reason.as_atom() == Some("badarg") => {
            raised.args.as_ref().and_then(|it| it.first())
        }
        _ => None,
    };
    called.is_some_and(|it| matches!(it, Term::Atom(_) | Term::Tuple(_)) && !is_named(it))
        && missing(input, class, reason, &frames).is_some()
}

/// Describes what is absent from the run and present in a running system: a process, a node, a table, or a module that
/// the input names. `None` if the crash has another reason.
pub(crate) fn missing(
    input: &Input,
    class: &Atom,
    reason: &Term,
    frames: &[Frame],
) -> Option<String> {
    if class.as_str() == "exit" {
        return missing_in_exit(input, reason);
    }
    let raised = frames.first()?;
    if raised.module.as_str() == "io"
        && let Some(device @ (Term::Atom(_) | Term::Pid(_))) =
            raised.args.as_ref().and_then(|it| it.first())
        && matches!(reason.as_atom(), Some("badarg" | "terminated"))
        && input.args.iter().any(|it| it.has_part(|it| it == device))
    {
        return Some(format!("the device {}", print(device, Style::TW)));
    }
    match reason.as_atom() {
        Some("undef") => missing_function(input, &raised.module, &raised.function),
        None if missing_inside(input, reason).is_some() => missing_inside(input, reason),
        Some("badarg") => {
            let first = raised.args.as_ref()?.first()?;
            let name = || print(first, Style::TW);
            match (raised.module.as_str(), raised.function.as_str(), first) {
                ("ets", _, Term::Atom(_) | Term::Ref(_)) => Some(format!("the table {}", name())),
                ("persistent_term", "get", _) => Some(format!("the persistent term {}", name())),
                ("erlang", "!" | "send" | "monitor" | "unregister", Term::Atom(_)) => {
                    Some(format!("a process with the name {}", name()))
                }
                (
                    "erlang",
                    "list_to_pid" | "list_to_port" | "list_to_ref",
                    Term::List(_) | Term::Nil,
                ) => Some(format!("what {} stands for", name())),
                ("erlang", _, handle) if touches_machine(raised) => what_is_named(handle),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the frame is of a builtin that reads or changes the state of the runtime.
fn touches_machine(raised: &Frame) -> bool {
    builtins::all().any(|it| {
        it.module == raised.module.as_str()
            && it.name == raised.function.as_str()
            && usize::from(it.arity) == raised.arity
            && it.effect == Effect::Machine
    })
}

/// Describes the part of a runtime that a value refers to. `whereis/1` returns `undefined` for an unregistered name.
fn what_is_named(handle: &Term) -> Option<String> {
    match handle {
        Term::Pid(_) => Some(format!("the process {}", print(handle, Style::TW))),
        Term::Port(_) => Some(format!("the port {}", print(handle, Style::TW))),
        Term::Atom(name) if name.as_str() == "undefined" => Some("a registered process".to_owned()),
        Term::Atom(_)
        | Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Nil
        | Term::List(_)
        | Term::Tuple(_)
        | Term::Map(_)
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Ref(_) => None,
    }
}

/// The exit reason of a call to another process has the reason why there was no answer, and the call: `{noproc,
/// {gen_server, call, [...]}}`.
fn missing_in_exit(input: &Input, reason: &Term) -> Option<String> {
    let parts = reason.as_tuple();
    let why = parts.and_then(<[Term]>::first).unwrap_or(reason);
    let is_call = parts.and_then(|it| it.get(1)?.as_tuple()).is_some_and(|it| it.len() == 3);
    // The reason may be `{nodedown, Node}` instead of `nodedown`.
    let word = why.as_tuple().map_or(why, |it| it.first().unwrap_or(why)).as_atom();
    match (word, why.as_tuple()) {
        (Some("noproc"), _) => Some("a process".to_owned()),
        (Some("nodedown" | "noconnection"), _) => Some("another node".to_owned()),
        (Some("timeout" | "calling_self" | "normal" | "shutdown" | "killed"), _) if is_call => {
            Some("a process that answers".to_owned())
        }
        // An error that became an exit has its stack trace in the reason.
        (_, Some([Term::Atom(undef), stack])) if undef.as_str() == "undef" => {
            let first = frames(stack).into_iter().next()?;
            missing_function(input, &first.module, &first.function)
        }
        _ => None,
    }
}

/// Describes what was absent for another process, which reports it inside the reason.
fn missing_inside(input: &Input, reason: &Term) -> Option<String> {
    let mut todo = vec![reason];
    while let Some(term) = todo.pop() {
        match term.as_tuple() {
            Some([tag, stack]) if tag.as_atom() == Some("undef") => {
                let first = frames(stack).into_iter().next();
                let missing =
                    first.and_then(|it| missing_function(input, &it.module, &it.function));
                if missing.is_some() {
                    return missing;
                }
            }
            Some([tag, ..]) if tag.as_atom() == Some("noproc") => {
                return Some("a process".to_owned());
            }
            Some(parts) => todo.extend(parts),
            None => (),
        }
    }
    None
}

/// Describes an undefined function, if the input names it or its module.
fn missing_function(input: &Input, module: &Atom, function: &Atom) -> Option<String> {
    let is_name = |it: &Term| matches!(it, Term::Atom(it) if it == module || it == function);
    let is_named = input.args.iter().any(|it| it.has_part(is_name));
    is_named.then(|| format!("the function {}:{}", quoted(module), quoted(function)))
}
