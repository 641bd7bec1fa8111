//! A test environment outside of the sandbox with everything that a program could harm, and functions that check
//! whether it did.

use sandbox::{Launcher, Policy, Process, Scratch};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub(crate) fn launcher() -> Launcher {
    Launcher::new(PathBuf::from(env!("CARGO_BIN_EXE_confine")))
}

/// A directory with files, listening services, and a process.
pub(crate) struct Outside {
    dir: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    local: UnixListener,
    victim: Child,
}

/// The state of everything that a program could harm.
pub(crate) type State = BTreeMap<String, String>;

impl Outside {
    pub(crate) fn new() -> Outside {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        for name in ["kept", "renamed", "deleted", "truncated", "appended"] {
            fs::write(path.join(name), "precious").unwrap();
        }
        for name in ["empty", "moved"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let local = UnixListener::bind(path.join("socket")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        local.set_nonblocking(true).unwrap();
        let victim = Command::new("sleep").arg("86400").spawn().unwrap();
        Outside { dir, tcp, udp, local, victim }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn tcp_port(&self) -> u16 {
        self.tcp.local_addr().unwrap().port()
    }

    pub(crate) fn udp_port(&self) -> u16 {
        self.udp.local_addr().unwrap().port()
    }

    pub(crate) fn victim(&self) -> u32 {
        self.victim.id()
    }

    /// Returns the state. Accepts pending connections.
    pub(crate) fn state(&mut self) -> State {
        let mut res = State::new();
        for entry in fs::read_dir(self.path()).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let shown = format!(
                "{:o} {} {} {:?} {}",
                meta.permissions().mode(),
                meta.mtime(),
                meta.nlink(),
                meta.file_type(),
                String::from_utf8_lossy(&content)
            );
            res.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), shown);
        }
        let visited = |it: std::io::Result<()>| match it {
            Ok(()) => "visited".to_owned(),
            Err(why) => format!("{:?}", why.kind()),
        };
        res.insert("a TCP service".to_owned(), visited(self.tcp.accept().map(drop)));
        res.insert("a UDP service".to_owned(), visited(self.udp.recv(&mut [0; 9]).map(drop)));
        res.insert("a local service".to_owned(), visited(self.local.accept().map(drop)));
        let ended = self.victim.try_wait().unwrap().is_some();
        res.insert("a process".to_owned(), if ended { "ended" } else { "runs" }.to_owned());
        res
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.victim.kill().unwrap();
        self.victim.wait().unwrap();
    }
}

/// Returns the names of what changed or is new.
pub(crate) fn changed(before: &State, after: &State) -> Vec<String> {
    let names = before.keys().chain(after.keys().filter(|it| !before.contains_key(*it)));
    names.filter(|it| before.get(*it) != after.get(*it)).cloned().collect()
}

pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program under a policy in a scratch directory and returns its output.
pub(crate) fn confined(policy: Policy, program: &Path, prepare: impl Fn(&mut Command)) -> Said {
    let scratch = Scratch::new().unwrap();
    let policy = Policy { scratch: Some(scratch.path().to_owned()), ..policy };
    let mut command = launcher().command(&policy, program);
    command.current_dir(scratch.path());
    prepare(&mut command);
    listen(&mut command, Some(scratch))
}

pub(crate) fn plain(program: &Path, prepare: impl Fn(&mut Command)) -> Said {
    let scratch = Scratch::new().unwrap();
    let mut command = Command::new(program);
    command.current_dir(scratch.path());
    prepare(&mut command);
    listen(&mut command, Some(scratch))
}

fn listen(command: &mut Command, scratch: Option<Scratch>) -> Said {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = Process::start(command, scratch).unwrap();
    let mut errors = process.stderr().unwrap();
    let errors = std::thread::spawn(move || {
        let mut res = Vec::new();
        match errors.read_to_end(&mut res) {
            Err(why) if why.kind() != ErrorKind::Interrupted => panic!("{why}"),
            Ok(_) | Err(_) => String::from_utf8_lossy(&res).into_owned(),
        }
    });
    let mut stdout = Vec::new();
    process.stdout().unwrap().read_to_end(&mut stdout).unwrap();
    process.wait().unwrap();
    Said { stdout: String::from_utf8_lossy(&stdout).into_owned(), stderr: errors.join().unwrap() }
}
