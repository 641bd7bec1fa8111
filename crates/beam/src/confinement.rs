//! What the runtime may touch: what the user allowed, and the files that OTP itself needs.
//!
//! Knows where OTP and code are installed; how the operating system enforces the policy is the business of the crate
//! `sandbox`.

use crate::source::{Source, SourceOptions, absolute};
use sandbox::{Descriptors, Launcher, Network, Policy, Programs, Scratch};
use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The confinement of a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub launcher: Launcher,
    /// What the user allowed; the files of the runtime and of the code to be loaded are added.
    pub policy: Policy,
}

/// The location of a runtime's programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runtime {
    pub(crate) root: PathBuf,
    programs: PathBuf,
}

impl Runtime {
    /// Returns the runtime of an executable `erl`, which may be a script of OTP or of a version manager.
    pub(crate) fn of(erl: &Path) -> Option<Runtime> {
        Runtime::around(erl).or_else(|| Runtime::asked(erl))
    }

    fn around(erl: &Path) -> Option<Runtime> {
        let real = erl.canonicalize().ok()?;
        let root = real.ancestors().nth(2)?;
        // The file reads `13.1.5 25`: the versions of the runtime system and of OTP that the script starts.
        let started = fs::read(root.join("releases/start_erl.data")).ok()?;
        let version = String::from_utf8_lossy(&started).split_whitespace().next()?.to_owned();
        Runtime::new(root.to_owned(), root.join(format!("erts-{version}/bin")))
    }

    /// Asks the script for the location without starting a runtime (`-emu_args_exit`).
    fn asked(erl: &Path) -> Option<Runtime> {
        let mut asking = Command::new(erl);
        asking.arg("-emu_args_exit").env_remove("ERL_FLAGS").env_remove("ERL_AFLAGS");
        asking.env_remove("ERL_ZFLAGS").stdin(Stdio::null()).stderr(Stdio::null());
        let said = asking.output().ok()?.stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let after = |flag| said.lines().skip_while(|it| *it != flag).nth(1).map(PathBuf::from);
        Runtime::new(after("-root")?, after("-bindir")?)
    }

    fn new(root: PathBuf, programs: PathBuf) -> Option<Runtime> {
        let res = Runtime { root, programs };
        res.program().is_file().then_some(res)
    }

    fn program(&self) -> PathBuf {
        self.programs.join("erlexec")
    }
}

impl Confinement {
    /// Returns the command that starts the runtime directly, since the script `erl` would need a shell. The pipes to
    /// the peer are descriptors 3 and 4.
    pub(crate) fn command(
        &self,
        runtime: &Runtime,
        reads: &[PathBuf],
        ports: &[u16],
        scratch: &Scratch,
    ) -> Command {
        let mut policy = self.policy.clone();
        policy.reads.push(runtime.root.clone());
        policy.reads.extend_from_slice(reads);
        // The runtime starts a helper process (`erl_child_setup`), which starts all other programs.
        policy.runs.push(runtime.programs.clone());
        if policy.programs == Programs::Refused {
            policy.programs = Programs::Listed;
        }
        if policy.network == Network::Refused && !ports.is_empty() {
            policy.network = Network::Ports(ports.to_vec());
        }
        policy.scratch = Some(scratch.path().to_owned());
        policy.descriptors = Descriptors::Moved;
        let mut res = self.launcher.command(&policy, &runtime.program());
        res.env("ROOTDIR", &runtime.root)
            .env("BINDIR", &runtime.programs)
            .env("EMU", "beam")
            .env("PROGNAME", "erl");
        res
    }
}

/// Returns free local ports, for nodes to find each other.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    // All ports are held until the last one is found, so that they differ.
    let held = (0..count).map_while(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok());
    let held: Vec<TcpListener> = held.collect();
    held.iter().filter_map(|it| Some(it.local_addr().ok()?.port())).collect()
}

/// Returns the paths that must be readable to load code from a directory: the application it belongs to. Build tools
/// link parts of applications to their sources, so the targets of links are included.
pub(crate) fn around_code(dir: &Path) -> Vec<PathBuf> {
    let dir = absolute(dir);
    let app = if dir.ends_with("ebin") { dir.parent().unwrap_or(&dir) } else { &dir };
    let parts = fs::read_dir(app).into_iter().flatten().flatten().map(|it| it.path());
    let links = parts.filter(|it| it.is_symlink()).filter_map(|it| it.canonicalize().ok());
    links.chain(app.canonicalize().ok()).chain([app.to_owned()]).collect()
}

/// Returns the directories in `ERL_LIBS`, in which the runtime looks for applications.
pub(crate) fn library_paths() -> Vec<PathBuf> {
    let libs = std::env::var_os("ERL_LIBS").unwrap_or_default();
    std::env::split_paths(&libs).filter(|it| !it.as_os_str().is_empty()).collect()
}

/// Returns the paths that must be readable to load or compile a file.
pub(crate) fn around_source(source: &Source, options: &SourceOptions) -> Vec<PathBuf> {
    let parent = |it: &Path| absolute(it).parent().map(Path::to_owned);
    let own = parent(source.path());
    // The directory above an application would be searched for sibling applications, but may be the user's home.
    let app = own.as_deref().filter(|it| it.ends_with("src")).and_then(Path::parent);
    let above = app.and_then(Path::parent).map(Path::to_owned);
    let shelves = ["apps", "deps", "lib"];
    let is_shelf = |it: &PathBuf| shelves.iter().any(|shelf| it.ends_with(shelf));
    let includes = options.includes.iter().map(|it| absolute(it));
    let includes = includes.filter(|it| above.as_ref() != Some(it) || is_shelf(it));
    let projects = options.rebar.iter().filter_map(|it| parent(it));
    let mut res: BTreeSet<PathBuf> = includes.chain(projects).collect();
    res.extend(own.iter().flat_map(|it| around_code(it)));
    res.into_iter().collect()
}
