//! Where the tool meets the machine: options become settings, how a call ended becomes an ending.

use crate::args::Run;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::report::Ending;
use crate::trouble::no_function;
use beam::Otp;
use erlang::{Host, HostError};
use term::Call;

/// How the call ended, and what the program wrote.
pub(crate) fn execute(
    mut host: Otp,
    call: &Call,
    _options: &Run,
    trouble: impl FnOnce(HostError) -> Diagnostic,
) -> Result<(Ending, Vec<u8>), Diagnostic> {
    let code = host.load(&call.module).map_err(trouble)?;
    if let Some(diagnostic) = no_function(&code, call) {
        return Err(diagnostic);
    }
    Err(Diagnostic::new(Code::Unsupported, "this build has no machine to run the call on"))
}
