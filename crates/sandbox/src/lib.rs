//! Starts programs under a policy that the operating system enforces.
//!
//! Landlock restricts which files may be opened, seccomp which system calls may be made, and resource limits how much
//! may be used. This crate knows no language and no runtime: a [`Policy`] says what is allowed, a [`Launcher`] turns it
//! into a command, and a [`Process`] ends with everything it started.
//!
//! A process can be restricted only from inside, between `fork` and `exec`, where Rust allows no safe code. So a
//! program is started by a launcher: the same executable in another role. The owner of `main` calls [`launched`] before
//! anything else. It becomes the guard, which starts itself once more; that process takes its limits (`restrict`), its
//! files, ports and signals (`files`), its filter of system calls (`calls`), and executes the program.
//!
//! The guard stays outside of the sandbox and polls descriptors of both processes. When the owner is gone, it kills all
//! descendants, which become its children, and removes the scratch directory; the kernel kills the program when the
//! guard is gone. The kernel's signal on the death of the owner itself would not do, because it is sent when the thread
//! ends that started the program.
//!
//! System calls that are not known to be harmless are listed and refused, and so is every call that is newer than the
//! list.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "this crate starts processes")]

mod policy;

mod launcher;
mod process;
mod scratch;

mod guard;
mod restrict;

mod calls;
mod files;

mod support;

pub use launcher::{Launcher, launched};
pub use policy::{Descriptors, Files, Limits, Network, Policy, Programs};
pub use process::Process;
pub use scratch::Scratch;
pub use support::Support;
