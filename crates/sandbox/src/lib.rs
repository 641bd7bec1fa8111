//! Starts programs that the operating system keeps from everything they were not allowed.
//!
//! Landlock decides which files may be opened, seccomp which system calls may be made, resource
//! limits how much may be used. This crate knows no language and no runtime: a [`Policy`] says what
//! is allowed, a [`Launcher`] turns it into a command, a [`Process`] ends with everything it started.
//!
//! A process can be restricted only from inside, between `fork` and `exec`, where Rust allows no safe
//! code. So a program is started by a launcher: the same executable in another role, which restricts
//! itself and becomes the program. Whoever owns `main` calls [`launched`] before anything else.
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

pub use launcher::{Launcher, is_guard, launched};
pub use policy::{Descriptors, Files, Limits, Network, Policy, Programs};
pub use process::Process;
pub use scratch::Scratch;
pub use support::Support;
