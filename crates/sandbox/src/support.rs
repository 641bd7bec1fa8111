//! What the operating system of this machine can enforce of a policy.

use crate::files;
use rustix::thread::secure_computing_mode;

/// Which parts of a [`crate::Policy`] this machine enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock; 0 if it is missing or disabled.
    landlock: u8,
    seccomp: bool,
}

impl Support {
    /// Asks the kernel; changes nothing.
    pub fn of_this_machine() -> Support {
        let seccomp =
            cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
                && secure_computing_mode().is_ok();
        Support { landlock: files::version(), seccomp }
    }

    /// Whether files that the policy does not list cannot be changed.
    pub fn files(self) -> bool {
        // Only seccomp protects modes, owners and times, and truncation before version 3 of Landlock.
        0 < self.landlock && self.seccomp
    }

    /// Whether no socket can reach another program.
    pub fn network(self) -> bool {
        self.seccomp
    }

    /// Whether [`crate::Network::Ports`] is enforced; without it, such programs have no network at all.
    pub fn ports(self) -> bool {
        4 <= self.landlock && self.seccomp
    }

    /// Whether only the listed programs can be started, and other processes get no signals.
    pub fn programs(self) -> bool {
        0 < self.landlock && self.seccomp
    }

    /// Whether code with unknown effects may run, because there is nothing left that it could change.
    pub fn holds(self) -> bool {
        self.files() && self.network() && self.programs()
    }

    /// Returns what is missing, in words for the user; `None` if nothing is.
    pub fn missing(self) -> Option<&'static str> {
        match (self.landlock, self.seccomp) {
            (0, false) => Some("this kernel has neither Landlock nor seccomp filters"),
            (0, true) => Some("this kernel has no Landlock (Linux 5.13 and later have)"),
            (_, false) => Some("this kernel has no seccomp filters"),
            (_, true) => None,
        }
    }
}
