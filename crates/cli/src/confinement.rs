//! The effects that real runtimes started by us may have: none outside of them, except those that `--allow` names.

use crate::args::Effect;
use crate::diagnostic::Diagnostic;
use crate::erlang::allowed;
use crate::explain::Code;
use sandbox::{Files, Launcher, Limits, Network, Policy, Programs, Support};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The effects and resources that the command line allows to real runtimes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rights {
    /// The effects that `--allow` names.
    pub(crate) effects: Vec<Effect>,
    /// The number of bytes that each process of a runtime may reserve; `None` for the default of the sandbox.
    pub(crate) memory: Option<u64>,
}

/// Returns the launcher of confined processes, which is this executable in another role. `None` if the executable's
/// path can't be found; then no process can be confined.
pub(crate) fn launcher() -> Option<Launcher> {
    env::current_exe().ok().map(Launcher::new)
}

/// A warning if the program under test can't be kept from effects that `--allow` does not name. Real runtimes do not
/// run the program in that case.
pub(crate) fn lacking(effects: &[Effect]) -> Option<Diagnostic> {
    let allowed = allowed(effects);
    if allowed.files && allowed.network && allowed.os {
        return None;
    }
    let why = match launcher() {
        None => Some("the executable of gimlet can't be found again"),
        Some(_) => Support::of_this_machine().missing(),
    };
    let title = format!("{}: nothing is confirmed", why?);
    Some(
        Diagnostic::warning(Code::NoSandbox, title)
            .hint("--allow all replays findings without a sandbox"),
    )
}

pub(crate) fn policy(rights: &Rights) -> Policy {
    let allowed = allowed(&rights.effects);
    let limits = Limits::default();
    Policy {
        files: if allowed.files || allowed.os { Files::Allowed } else { Files::Listed },
        network: if allowed.network { Network::Allowed } else { Network::Refused },
        programs: if allowed.os { Programs::Allowed } else { Programs::Refused },
        limits: Limits { memory: rights.memory.unwrap_or(limits.memory), ..limits },
        ..Policy::default()
    }
}

/// Finds an executable on the `PATH` and resolves symbolic links.
pub(crate) fn executable(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let found = env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file());
    found?.canonicalize().ok()
}

/// The files that SWI-Prolog reads in addition to system files: its home, the user's packs and initialization files,
/// the directory of the program, and the project that contains it.
pub(crate) fn prolog_reads(swipl: &Path, program: &Path) -> Vec<PathBuf> {
    let home = swipl.ancestors().find(|it| it.join("boot.prc").is_file()).map(Path::to_owned);
    let named = env::var_os("SWI_HOME_DIR").map(PathBuf::from);
    let user = env::var_os("HOME").map(PathBuf::from).into_iter();
    let user = user
        .flat_map(|it| [".config/swi-prolog", ".local/share/swi-prolog"].map(|dir| it.join(dir)));
    let beside = program.parent().map(Path::to_owned);
    let is_project = |it: &&Path| it.join(".git").exists() || it.join("pack.pl").is_file();
    let project = program.ancestors().skip(1).find(is_project).map(Path::to_owned);
    let all = home.into_iter().chain(named).chain(user).chain(beside).chain(project);
    all.filter(|it| fs::metadata(it).is_ok()).collect()
}
