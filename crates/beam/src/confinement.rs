//! What the runtime may touch: what the user allowed, and the files that it needs to run at all.
//!
//! Knows where OTP and code lie; how the operating system is made to hold it is in `sandbox`.

use crate::source::{Source, SourceOptions, absolute};
use sandbox::{Descriptors, Launcher, Network, Policy, Programs, Scratch};
use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How the runtime is kept from everything that the user did not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub launcher: Launcher,
    /// What the user allowed; the files of the runtime and of the code it is to load are added.
    pub policy: Policy,
}

/// Where the programs of a runtime lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runtime {
    pub(crate) root: PathBuf,
    programs: PathBuf,
}

impl Runtime {
    /// That of an executable `erl`: a script of OTP, or one of a version manager that calls it.
    pub(crate) fn of(erl: &Path) -> Option<Runtime> {
        Runtime::around(erl).or_else(|| Runtime::asked(erl))
    }

    fn around(erl: &Path) -> Option<Runtime> {
        let real = erl.canonicalize().ok()?;
        let root = real.ancestors().nth(2)?;
        // `13.1.5 25`: the versions of the runtime and of OTP that this script starts.
        let started = fs::read(root.join("releases/start_erl.data")).ok()?;
        let version = String::from_utf8_lossy(&started).split_whitespace().next()?.to_owned();
        Runtime::new(root.to_owned(), root.join(format!("erts-{version}/bin")))
    }

    /// Tells what it would start, and starts nothing: no code is loaded.
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
    /// Starts the runtime without its script, which would need a shell. Its standard streams are
    /// descriptors 3 and 4.
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
        // It starts a helper of its own that starts all others.
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

/// Ports of this machine that nobody uses, for nodes to find each other at.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    // All are held before the first is given back, so that no two are the same.
    let held = (0..count).map_while(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok());
    let held: Vec<TcpListener> = held.collect();
    held.iter().filter_map(|it| Some(it.local_addr().ok()?.port())).collect()
}

/// What has to be readable for code to be loaded from a directory: the application it belongs to.
/// Build tools link the parts of applications to where their sources lie.
pub(crate) fn around_code(dir: &Path) -> Vec<PathBuf> {
    let dir = absolute(dir);
    let app = if dir.ends_with("ebin") { dir.parent().unwrap_or(&dir) } else { &dir };
    let parts = fs::read_dir(app).into_iter().flatten().flatten().map(|it| it.path());
    let links = parts.filter(|it| it.is_symlink()).filter_map(|it| it.canonicalize().ok());
    links.chain(app.canonicalize().ok()).chain([app.to_owned()]).collect()
}

/// Where the runtime looks for more applications.
pub(crate) fn library_paths() -> Vec<PathBuf> {
    let libs = std::env::var_os("ERL_LIBS").unwrap_or_default();
    std::env::split_paths(&libs).filter(|it| !it.as_os_str().is_empty()).collect()
}

/// What has to be readable for a file to be loaded or compiled.
pub(crate) fn around_source(source: &Source, options: &SourceOptions) -> Vec<PathBuf> {
    let parent = |it: &Path| absolute(it).parent().map(Path::to_owned);
    let own = parent(source.path());
    // The directory above an application is searched for its neighbours, and may be the user's home.
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
