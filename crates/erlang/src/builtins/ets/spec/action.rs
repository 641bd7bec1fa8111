//! The actions of a match specification for traces: changing the trace message and switching tracing on and off. Only
//! describes the actions; the machine performs them.

use values::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Message,
    ReturnTrace,
    ExceptionTrace,
    Display,
    ProcessDump,
    EnableTrace,
    DisableTrace,
    Trace,
    Caller,
    CallerLine,
    CurrentStacktrace,
    Silent,
    IsSeqTrace,
    GetSeqToken,
    SetSeqToken,
    GetControlWord,
    SetControlWord,
}

/// The facts about the traced call that a specification may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    pub(crate) caller: Value,
    pub(crate) caller_line: Value,
    pub(crate) stack: Value,
}

/// The effects that a trace specification asks for, besides matching.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// The term to add to the trace message: `true` for none, `false` to send no message at all.
    pub(crate) message: Option<Value>,
    pub(crate) returns: bool,
    pub(crate) exceptions: bool,
    /// Whether the specification is only tested: no process is traced.
    pub(crate) is_test: bool,
}

impl Action {
    /// Returns the action with this name and number of arguments, and whether guards may use it. `None`: there is no
    /// action of this name. `Err`: the action takes another number of arguments.
    pub(super) fn of(name: &str, n_args: usize) -> Option<Result<(Action, bool), ()>> {
        let (action, counts, in_guard): (Action, &[usize], bool) = match name {
            "message" => (Action::Message, &[1], false),
            "return_trace" => (Action::ReturnTrace, &[0], false),
            "exception_trace" => (Action::ExceptionTrace, &[0], false),
            "display" => (Action::Display, &[1], false),
            "process_dump" => (Action::ProcessDump, &[0], false),
            "enable_trace" => (Action::EnableTrace, &[1, 2], false),
            "disable_trace" => (Action::DisableTrace, &[1, 2], false),
            "trace" => (Action::Trace, &[2, 3], false),
            "caller" => (Action::Caller, &[0], false),
            "caller_line" => (Action::CallerLine, &[0], false),
            "current_stacktrace" => (Action::CurrentStacktrace, &[0, 1], false),
            "silent" => (Action::Silent, &[1], false),
            "is_seq_trace" => (Action::IsSeqTrace, &[0], true),
            "get_seq_token" => (Action::GetSeqToken, &[0], true),
            "set_seq_token" => (Action::SetSeqToken, &[2], false),
            "get_tcw" => (Action::GetControlWord, &[0], true),
            "set_tcw" => (Action::SetControlWord, &[1], false),
            _ => return None,
        };
        Some(if counts.contains(&n_args) { Ok((action, in_guard)) } else { Err(()) })
    }
}
