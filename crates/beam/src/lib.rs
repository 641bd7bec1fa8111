//! The real Erlang runtime (OTP) beside the machine.
//!
//! One `erl` is kept alive for the life of the tool and answers requests over framed terms ([`Otp`]): it loads and
//! compiles modules, and runs what the machine lacks. It is started only when the cache does not have the answer, and
//! usually within a sandbox (`confinement`). Further runtimes confirm findings ([`Replayer`]), run whole units
//! (`backend`), and run instrumented programs (`instrument`).
//!
//! Starts processes and touches files; prints nothing.
#![expect(clippy::disallowed_methods, reason = "this crate starts OTP and gives it time limits")]

mod target;

pub mod applications;

mod compiled;
mod elixir_source;
mod otp;
mod replay;
mod source;
mod suite;
mod turns;
mod watch;

pub mod backend;

mod observe;

mod cache;
mod confinement;
mod disk;
mod errno;
mod installation;
mod peer;
mod programs;
mod sockets;

pub use confinement::Confinement;
pub use elixir_source::NoTarget;
pub use installation::Installation;
pub use observe::{Observed, Observer};
pub use otp::{Define, Otp, Settings};
pub use peer::Spent;
pub use replay::{Applied, Preparation, Replayed, Replayer};
pub use source::Source;
pub use suite::{Checked, Suite};
pub use target::{Builder, Target, TargetError, TargetModule};
pub use turns::{Followed, How, Turn};
pub use watch::{Function, Node, PlaceId, Places, Shown};
