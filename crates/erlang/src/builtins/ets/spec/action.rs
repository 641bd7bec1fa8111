//! What a match specification of a trace can do besides matching: say what the message tells, switch
//! tracing on and off. Only says what is to be done; the machine does it.

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

/// What a specification may ask about the call that it judges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    pub(crate) caller: Value,
    pub(crate) caller_line: Value,
    pub(crate) stack: Value,
}

/// What a specification wants, besides whether it matched.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// What goes into the message: `true` for nothing, `false` for no message at all.
    pub(crate) message: Option<Value>,
    pub(crate) returns: bool,
    pub(crate) exceptions: bool,
    /// Nobody is traced: the specification is only tried out.
    pub(crate) is_test: bool,
}

impl Action {
    /// The form of this name that takes as many arguments, with whether guards may use it.
    /// `None`: there is no such form. `Err`: it takes another number of arguments.
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
