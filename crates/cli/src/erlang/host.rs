//! Sets up OTP, the machine's host, from the options of the command line.

use crate::args::Build;
use crate::confinement::{launcher, policy};
use crate::diagnostic::Diagnostic;
use crate::elixir;
use crate::erlang::trouble::{bad_target, host_trouble};
use beam::{Define, NoTarget, Otp, Target, TargetError};
use erlang::HostError;
use std::env;
use std::path::PathBuf;

/// Starts a host that knows the targets.
pub(crate) fn host(build: &Build, targets: &[Target]) -> Result<Otp, HostError> {
    let settings = beam::Settings {
        cache_dir: cache_dir(),
        code_paths: build.code_paths.clone(),
        includes: build.includes.clone(),
        defines: build.defines.iter().map(|it| define(it)).collect(),
        confinement: launcher()
            .map(|launcher| beam::Confinement { launcher, policy: policy(&build.rights) }),
        ..beam::Settings::default()
    };
    let mut res = Otp::new(settings)?;
    for target in targets {
        res.add_target(target)?;
    }
    if elixir::is_used(targets) {
        // Loading the project reports mistakes in its configuration.
        elixir::run_applications(&mut res, targets).ok();
    }
    Ok(res)
}

/// Resolves a target of the command line. Compiles an Elixir file that has not been compiled by a mix project.
pub(crate) fn target(text: &str, build: &Build) -> Result<Target, Diagnostic> {
    let path = match Target::resolve(text) {
        Err(TargetError::NotCompiled(path)) => path,
        other => return other.map_err(|it| bad_target(&it)),
    };
    let trouble = |it: HostError| host_trouble(&it, || host(build, &[]));
    let compiled = host(build, &[]).map_err(trouble)?.compile_elixir(&path);
    compiled.map_err(|why| match why {
        NoTarget::Target(why) => bad_target(&why),
        NoTarget::Host(why) => trouble(why),
    })
}

fn cache_dir() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let base = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
    Some(base.join("gimlet"))
}

fn define(text: &str) -> Define {
    match text.split_once('=') {
        Some((name, value)) => Define { name: name.to_owned(), value: Some(value.to_owned()) },
        None => Define { name: text.to_owned(), value: None },
    }
}
