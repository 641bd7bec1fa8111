//! The policy: what a program may do, as data and as arguments of a launcher.
//!
//! Does not know how the operating system enforces it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What a program may do. By default it may compute, read what every program needs to start, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    pub files: Files,
    /// Files and directories that may be read, besides those of the system's libraries.
    pub reads: Vec<PathBuf>,
    /// A directory that may be written, read and searched. It is removed if the owner is killed.
    pub scratch: Option<PathBuf>,
    pub network: Network,
    pub programs: Programs,
    /// Executables, or directories of executables, that may be started. The program itself always may.
    pub runs: Vec<PathBuf>,
    pub limits: Limits,
    pub descriptors: Descriptors,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Files {
    /// Only files that the policy lists may be opened; owners, modes, times and attributes cannot be changed.
    #[default]
    Listed,
    Allowed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// No sockets can be made except connected pairs.
    #[default]
    Refused,
    /// TCP sockets that are bound and connected to these ports. The host cannot be restricted, so the ports must be
    /// ones that the system has just given out.
    Ports(Vec<u16>),
    Allowed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Programs {
    /// No process can be created, only threads.
    #[default]
    Refused,
    /// Only programs that the policy lists can be started.
    Listed,
    /// Every program can be started, and signals can be sent to other processes.
    Allowed,
}

/// Resource limits for each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Writable memory in bytes. Reserved address space does not count.
    pub memory: u64,
    /// The size of a file in bytes.
    pub file_size: u64,
    /// The number of all processes and threads of this user, including those outside of the sandbox.
    pub processes: u64,
    /// Processor time in seconds; the owner has a limit on elapsed time of its own.
    pub cpu_seconds: u64,
}

/// The descriptors of the program's standard input and output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Descriptors {
    #[default]
    Standard,
    /// Input and output are descriptors 3 and 4. The standard input is empty and the standard output goes to standard
    /// error, so that the program's prints cannot be mistaken for answers.
    Moved,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 4 << 30, file_size: 256 << 20, processes: 16_384, cpu_seconds: 24 * 3600 }
    }
}

/// Separates the policy from the command line of the program.
pub(crate) const END: &str = "--";

impl Policy {
    /// Returns one argument for each part of the policy; paths are kept byte for byte.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut res = Vec::new();
        let mut add = |name: &str, value: &OsStr| {
            res.push(OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat()));
        };
        if self.files == Files::Allowed {
            add("files", OsStr::new("allowed"));
        }
        match &self.network {
            Network::Refused => {}
            Network::Ports(ports) => {
                let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
                add("ports", OsStr::new(&ports.join(",")));
            }
            Network::Allowed => add("network", OsStr::new("allowed")),
        }
        match self.programs {
            Programs::Refused => {}
            Programs::Listed => add("programs", OsStr::new("listed")),
            Programs::Allowed => add("programs", OsStr::new("allowed")),
        }
        if self.descriptors == Descriptors::Moved {
            add("descriptors", OsStr::new("moved"));
        }
        let Limits { memory, file_size, processes, cpu_seconds } = self.limits;
        add("limits", OsStr::new(&format!("{memory},{file_size},{processes},{cpu_seconds}")));
        for path in &self.reads {
            add("read", path.as_os_str());
        }
        for path in &self.runs {
            add("run", path.as_os_str());
        }
        if let Some(path) = &self.scratch {
            add("scratch", path.as_os_str());
        }
        res.push(OsString::from(END));
        res
    }

    /// Reads a policy and the command line after it; `None` if it was not written by [`Policy::to_args`].
    pub(crate) fn from_args(args: &[OsString]) -> Option<(Policy, &[OsString])> {
        let end = args.iter().position(|it| it == END)?;
        let (parts, rest) = args.split_at(end);
        let mut res = Policy::default();
        for part in parts {
            res.read_part(part.as_bytes())?;
        }
        Some((res, rest.split_first()?.1))
    }

    fn read_part(&mut self, part: &[u8]) -> Option<()> {
        let equals = part.iter().position(|it| *it == b'=')?;
        let (name, value) = (part.get(..equals)?, part.get(equals + 1..)?);
        let path = || PathBuf::from(OsStr::from_bytes(value));
        match (name, value) {
            (b"files", b"allowed") => self.files = Files::Allowed,
            (b"network", b"allowed") => self.network = Network::Allowed,
            (b"ports", _) => self.network = Network::Ports(numbers(value)?),
            (b"programs", b"listed") => self.programs = Programs::Listed,
            (b"programs", b"allowed") => self.programs = Programs::Allowed,
            (b"descriptors", b"moved") => self.descriptors = Descriptors::Moved,
            (b"limits", _) => {
                let [memory, file_size, processes, cpu_seconds] = *numbers(value)?.as_slice()
                else {
                    return None;
                };
                self.limits = Limits { memory, file_size, processes, cpu_seconds };
            }
            (b"read", _) => self.reads.push(path()),
            (b"run", _) => self.runs.push(path()),
            (b"scratch", _) => self.scratch = Some(path()),
            _ => return None,
        }
        Some(())
    }
}

fn numbers<T: std::str::FromStr>(text: &[u8]) -> Option<Vec<T>> {
    let text = std::str::from_utf8(text).ok()?;
    text.split(',').filter(|it| !it.is_empty()).map(|it| it.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_say_the_whole_policy() {
        let odd = PathBuf::from(OsStr::from_bytes(b"/a=b/\xff -- c"));
        let policies = [
            Policy::default(),
            Policy {
                files: Files::Allowed,
                reads: vec![odd.clone(), PathBuf::from("--")],
                scratch: Some(odd.clone()),
                network: Network::Ports(vec![1, 65_535]),
                programs: Programs::Listed,
                runs: vec![odd],
                limits: Limits { memory: 1, file_size: 2, processes: 3, cpu_seconds: 4 },
                descriptors: Descriptors::Moved,
            },
            Policy { network: Network::Allowed, programs: Programs::Allowed, ..Policy::default() },
            Policy { network: Network::Ports(Vec::new()), ..Policy::default() },
        ];
        for policy in policies {
            let mut args = policy.to_args();
            args.extend(["--", "program"].map(OsString::from));
            let (read, rest) = Policy::from_args(&args).expect("it was just written");
            assert_eq!((read, rest), (policy, &["--", "program"].map(OsString::from)[..]));
        }
    }

    #[test]
    fn what_is_not_understood_is_no_policy() {
        for text in ["reads=/", "files=some", "network", "limits=1,2,3", "ports=70000"] {
            assert_eq!(
                Policy::from_args(&[text, "--", "true"].map(OsString::from)),
                None,
                "{text}"
            );
        }
        assert_eq!(Policy::from_args(&[OsString::from("files=allowed")]), None);
    }
}
