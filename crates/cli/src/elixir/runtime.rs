//! Elixir runs before anything is called, where the targets are Elixir's.

use crate::elixir::is_elixir;
use beam::{Otp, Target};
use erlang::HostError;

/// Whether the targets are made for a system that runs Elixir.
pub(crate) fn is_used(targets: &[Target]) -> bool {
    targets.iter().flat_map(|it| &it.modules).any(|it| is_elixir(&it.name))
}

/// Lets Elixir run, with the applications that the targets belong to loaded and configured. Why the
/// configuration can't be read, if it can't.
pub(crate) fn run_applications(host: &mut Otp, targets: &[Target]) -> Result<(), HostError> {
    let own: Vec<_> = targets.iter().flat_map(Target::own_code).collect();
    host.run_elixir(&own)
}
