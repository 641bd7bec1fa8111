//! `gimlet run`: one call on our machine.

use crate::args::{Format, Run};
use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::ending::{Ending, Report};
use crate::erlang::host::{host, target};
use crate::erlang::machine::{CallLanguage, Executed, execute};
use crate::erlang::rules::watched;
use crate::erlang::trouble::{bad_call, host_trouble, no_function};
use crate::explain::Code;
use crate::start::{COULD_NOT, Done, stdout_colours};
use beam::{Target, TargetModule};
use erlang::{Host, HostError};
use std::process::ExitCode;
use term::{Call, Term, read_call};

pub(crate) fn run(options: &Run) -> Result<Done, Diagnostic> {
    let Some((text, targets)) = options.targets_and_call.split_last() else {
        return Err(Diagnostic::new(Code::BadCall, "there is no call"));
    };
    let is_elixir = elixir::is_expression(text);
    let (call, words) = match is_elixir {
        // A text that is no call with literal arguments is evaluated by Elixir.
        true => match elixir::read_call(text) {
            // Only the compiler knows the fields of a struct and their defaults, so a call with structs is evaluated
            // by Elixir.
            Ok(call) if !call.args.iter().any(elixir::has_struct) => (call, CallLanguage::Elixir),
            Ok(_) | Err(_) => (elixir::evaluation(text), CallLanguage::Evaluated),
        },
        false => {
            (read_call(text).map_err(|it| bad_call(text, targets, &it))?, CallLanguage::Erlang)
        }
    };
    let resolve = |it: &String| target(it, &options.build);
    let targets: Vec<Target> = targets.iter().map(resolve).collect::<Result<_, _>>()?;
    let trouble = |error: HostError| host_trouble(&error, || host(&options.build, &targets));

    let mut host_of_run = host(&options.build, &targets).map_err(trouble)?;
    if is_elixir {
        elixir::run_applications(&mut host_of_run, &targets).map_err(trouble)?;
    }
    // Targets that are not called must exist too.
    for module in targets.iter().flat_map(|it| &it.modules) {
        host_of_run.find(&module.name).map_err(trouble)?;
    }
    let watched = match options.is_staged() {
        true => {
            let modules = targets.iter().flat_map(|it| &it.modules);
            let source = |it: &TargetModule| {
                let found = it.source.clone().map_or_else(|| host_of_run.find(&it.name), Ok);
                found.map(|source| (it.name.clone(), source))
            };
            let sources = modules.map(source).collect::<Result<Vec<_>, HostError>>();
            let found = sources.and_then(|it| watched(&mut host_of_run, &it));
            Some(found.map_err(trouble)?)
        }
        false => None,
    };
    let Executed { ending, output, error_output: stderr, trace } =
        execute(host_of_run, &call, options, words, watched, trouble)?;
    let ending = match (ending, options.format) {
        (Ok(ending), _) => ending,
        (Err(diagnostic), Format::Json) => return Err(diagnostic),
        // The output before the failure is printed.
        (Err(diagnostic), Format::Text) => {
            let code = ExitCode::from(COULD_NOT);
            return Ok(Done { stdout: output, stderr, diagnostics: vec![diagnostic], code });
        }
    };
    if is_undefined(&ending, &call) {
        let code = host(&options.build, &targets).and_then(|mut it| it.load(&call.module));
        if let Some(diagnostic) = no_function(&code.map_err(trouble)?, &call) {
            return Err(diagnostic);
        }
    }
    let report = Report { call: text.clone(), is_elixir, ending, output, trace };
    let shown = match options.format {
        Format::Text => report.text(stdout_colours()),
        Format::Json => report.json().into_bytes(),
    };
    Ok(Done { stdout: shown, stderr, diagnostics: Vec::new(), code: report.exit_code() })
}

/// Whether the called function itself is undefined, as opposed to one that it calls.
fn is_undefined(ending: &Ending, call: &Call) -> bool {
    let Ending::Raised { reason, stack, .. } = ending else { return false };
    let top = stack.as_list().and_then(|it| it.first()).and_then(Term::as_tuple);
    let Some([module, function, ..]) = top else { return false };
    reason.as_atom() == Some("undef")
        && module.as_atom() == Some(call.module.as_str())
        && function.as_atom() == Some(call.function.as_str())
}
