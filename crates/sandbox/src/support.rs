//! What the operating system here can hold of a policy.

use crate::files;
use rustix::thread::secure_computing_mode;

/// Which parts of a [`crate::Policy`] are held on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock; 0: the kernel has none, or does not let us.
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

    /// Files that the policy does not list stay as they are.
    pub fn files(self) -> bool {
        // Modes, owners and times are kept by seccomp alone, and so is truncation before version 3.
        0 < self.landlock && self.seccomp
    }

    /// No socket reaches anybody.
    pub fn network(self) -> bool {
        self.seccomp
    }

    /// [`crate::Network::Ports`] means what it says; without, those programs have no network at all.
    pub fn ports(self) -> bool {
        4 <= self.landlock && self.seccomp
    }

    /// Only the listed programs run, and other processes get no signals.
    pub fn programs(self) -> bool {
        0 < self.landlock && self.seccomp
    }

    /// Whether code whose effects are not known may run: nothing is left that it could change.
    pub fn holds(self) -> bool {
        self.files() && self.network() && self.programs()
    }

    /// What is missing, in words for the user; `None`: nothing.
    pub fn missing(self) -> Option<&'static str> {
        match (self.landlock, self.seccomp) {
            (0, false) => Some("this kernel has neither Landlock nor seccomp filters"),
            (0, true) => Some("this kernel has no Landlock (Linux 5.13 and later have)"),
            (_, false) => Some("this kernel has no seccomp filters"),
            (_, true) => None,
        }
    }
}
