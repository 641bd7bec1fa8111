//! `gimlet instrument`: prints a module after flattening and after instrumentation, for people who study the method.

use crate::args::{Form, Instrument};
use crate::diagnostic::Diagnostic;
use crate::erlang::host::{host, target};
use crate::erlang::trouble::host_trouble;
use crate::explain::Code;
use erlang::core::read;
use erlang::{Host, HostError};
use papers::instrumentation::{flatten, instrument as transform, show};
use std::process::ExitCode;

/// Runs the command. Returns the text for stdout and the exit code.
pub(crate) fn instrument(options: &Instrument) -> Result<(Vec<u8>, ExitCode), Diagnostic> {
    let targets = [target(&options.target, &options.build)?];
    let trouble = |error: HostError| host_trouble(&error, || host(&options.build, &targets));
    let mut host_of_run = host(&options.build, &targets).map_err(trouble)?;
    let mut pages = Vec::new();
    for module in targets.iter().flat_map(|it| &it.modules) {
        let code = host_of_run.load(&module.name).map_err(trouble)?;
        let tree = read(&code.core, &code.file)
            .map_err(|it| Diagnostic::new(Code::Unsupported, it.to_string()))?;
        let flat = flatten(&tree);
        let name = module.name.as_str();
        if options.form != Form::Instrumented {
            pages.push(format!("%% {name}, flat\n\n{}", show(&flat)));
        }
        if options.form != Form::Flat {
            pages.push(format!("%% {name}, instrumented\n\n{}", show(&transform(&flat))));
        }
    }
    Ok((pages.join("\n").into_bytes(), ExitCode::SUCCESS))
}
