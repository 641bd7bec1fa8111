//! Starts Elixir's runtime system in the host before anything is called, if a target is an Elixir module.

use crate::elixir::is_elixir;
use beam::{Otp, Target};
use erlang::HostError;

/// Whether a target is an Elixir module, so that the system needs Elixir.
pub(crate) fn is_used(targets: &[Target]) -> bool {
    targets.iter().flat_map(|it| &it.modules).any(|it| is_elixir(&it.name))
}

/// Starts Elixir, and loads and configures the applications of the targets. Fails if the configuration can't be read.
pub(crate) fn run_applications(host: &mut Otp, targets: &[Target]) -> Result<(), HostError> {
    let own: Vec<_> = targets.iter().flat_map(Target::own_code).collect();
    host.run_elixir(&own)
}
