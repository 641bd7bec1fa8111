//! The functions that are not written in Erlang, as rows of tables grouped by subject.
//!
//! A row says all there is to say of a builtin: its name, how it runs, what it touches, what it shares with
//! other processes and where the BEAM back end runs it. A
//! builtin sees the [`World`] and its arguments; it never runs Erlang code and never collects.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a builtin refuses every kind of value that it does not name"
)]

pub(crate) mod arithmetic;
mod atom_text;
mod binary;
pub mod buffers;
mod checksum;
pub(crate) mod clock;
pub mod code_path;
mod comparison;
mod control;
pub(crate) mod debug;
mod debug_state;
mod dictionary;
pub mod ets;
mod external;
mod fault;
pub mod files;
mod float_text;
pub mod handles;
mod hash;
mod id_text;
mod integer_text;
mod iolist;
mod kinds;
mod lists;
pub(crate) mod make;
mod maps;
mod math;
mod md5;
mod modules;
pub(crate) mod nodes;
mod outside;
mod ports;
pub(crate) mod process_flags;
mod processes;
mod references;
pub mod search;
pub mod shared;
mod shares;
pub(crate) mod sockets;
mod spawn_request;
mod system;
mod system_flags;
mod text;
mod timers;
pub(crate) mod tracing;
mod tuples;
mod unicode;
mod unicode_wide;
mod watch;
pub mod zlib;

pub(crate) use clock::system_time_micros;
pub use debug_state::DebugState;
pub use fault::{Fault, Stop};
pub use shares::{CHANGING_ITEMS, OnBeam, Shares, SystemItem, TableUse};

use crate::lift::{Lift, Own};
use crate::machine::World;
use std::fmt::{self, Display, Formatter};
use values::Value;

pub type Run = fn(&mut World, &[Value]) -> Result<Value, Fault>;

#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: u8,
    pub how: How,
    pub effect: Effect,
    /// What a call shares with other processes.
    pub shares: Shares,
    pub on_beam: OnBeam,
    pub lift: Lift,
}

impl Builtin {
    /// How symbolic arguments are followed.
    pub(crate) const fn lift(mut self, lift: Lift) -> Builtin {
        self.lift = lift;
        self
    }

    /// Followed exactly.
    pub(crate) const fn own(self, own: Own) -> Builtin {
        self.lift(Lift::Own(own))
    }

    /// Answers with what the environment has.
    pub(crate) const fn environment(self) -> Builtin {
        self.lift(Lift::Environment)
    }

    /// Whether the answer is one of many that no input decides between.
    pub const fn reads_environment(&self) -> bool {
        self.effect.is_outside() || matches!(self.lift, Lift::Environment)
    }

    /// Shadows travel; the bits say which arguments it looks into all the same.
    pub(crate) const fn moves(self, looks_at: u8) -> Builtin {
        self.lift(Lift::Moves(looks_at))
    }
}

impl Display for Builtin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.module, self.name, self.arity)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum How {
    /// A function of ours.
    Native(Run),
    /// A function of ours that reaches outside: it runs only if its effect is allowed.
    Outside(Run),
    /// OTP's own code, if its effect is allowed. So a refusal speaks of what users write.
    Code,
    /// The real runtime computes it, on ground arguments.
    Host,
    /// The machine does it between two steps of the process.
    Machine(Request),
    /// The interpreter itself does it, because it runs Erlang code or stops running it.
    Control(Control),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Apply,
    Hibernate,
    Yield,
    /// Work that BEAM gives to threads of its own, where the process can't be interrupted.
    Dirty,
    /// Receives what a fun matches.
    Receive,
    /// Looks at where processes are in their programs.
    Inspect,
    /// What stands in Erlang for a function that is native on BEAM and not here.
    Missing,
}

/// What only the owner of all code can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Module and the bytes of a `.beam` file: its code from now on.
    LoadModule,
    /// The same from a file on the code path, or from one that is named.
    LoadFile,
    LoadAbsolute,
    /// Nobody reaches the module by name any more.
    DeleteModule,
    /// Nobody reaches its old version at all; at once, or step by step.
    Purge,
    PurgeStep,
    /// Module, bytes and name of the file on the code path.
    ObjectCode,
    WhereIsFile,
    /// The same in two steps: module and bytes become something that can be loaded.
    PrepareLoading,
    FinishLoading,
    /// Whether that has a function that makes it ready.
    HasOnLoad,
    /// Watches functions or ceases to.
    TracePattern,
}

/// What a builtin touches besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: equal arguments, equal result.
    Pure,
    /// State inside the machine: processes, tables, clocks, dictionaries.
    Machine,
    Files,
    Network,
    Os,
}

impl Effect {
    /// Whether it is one on the world outside of the machine.
    pub const fn is_outside(self) -> bool {
        matches!(self, Effect::Files | Effect::Network | Effect::Os)
    }
}

/// Equal arguments, equal result: so it shares nothing, and BEAM computes the same.
pub(crate) const fn pure(module: &'static str, name: &'static str, arity: u8, run: Run) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Native(run),
        effect: Effect::Pure,
        shares: Shares::Nothing,
        on_beam: OnBeam::Alike,
        lift: Lift::Concrete,
    }
}

/// Looks at or changes the state of the machine.
pub(crate) const fn inside(
    module: &'static str,
    name: &'static str,
    arity: u8,
    shares: Shares,
    on_beam: OnBeam,
    run: Run,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Native(run),
        effect: Effect::Machine,
        shares,
        on_beam,
        lift: Lift::Concrete,
    }
}

/// The real runtime computes it from the arguments alone.
pub(crate) const fn on_host(module: &'static str, name: &'static str, arity: u8) -> Builtin {
    outside(Effect::Pure, module, name, arity, Shares::Nothing)
}

/// The real runtime does it, if the user allows it.
pub(crate) const fn outside(
    effect: Effect,
    module: &'static str,
    name: &'static str,
    arity: u8,
    shares: Shares,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Host,
        effect,
        shares,
        on_beam: OnBeam::Noted,
        lift: Lift::Concrete,
    }
}

/// A function of ours does it, if the user allows it.
pub(crate) const fn reaching(
    (effect, shares, on_beam): (Effect, Shares, OnBeam),
    module: &'static str,
    name: &'static str,
    arity: u8,
    run: Run,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Outside(run),
        effect,
        shares,
        on_beam,
        lift: Lift::Concrete,
    }
}

/// OTP's own code does it, if the user allows it.
pub(crate) const fn gate(
    effect: Effect,
    module: &'static str,
    name: &'static str,
    arity: u8,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Code,
        effect,
        shares: Shares::InItsCode,
        on_beam: OnBeam::Noted,
        lift: Lift::Moves(0),
    }
}

/// The bytes of an iolist, if it is one.
pub(crate) fn iolist_bytes(w: &World, value: Value) -> Option<Vec<u8>> {
    iolist::bytes(w, value).ok()
}

/// As `erlang:phash2/1` has it; 0 for a term that takes more steps than the run has left.
pub(crate) fn phash2(w: &World, value: Value) -> u32 {
    hash::phash2(&w.heap, &w.atoms, value).unwrap_or(0)
}

/// Every builtin there is.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    let tables: &[&[Builtin]] = &[
        arithmetic::ROWS,
        binary::ROWS,
        buffers::ROWS,
        files::ROWS,
        external::ROWS,
        comparison::ROWS,
        control::ROWS,
        debug::ROWS,
        debug_state::ROWS,
        ets::ROWS,
        kinds::ROWS,
        lists::ROWS,
        maps::ROWS,
        math::ROWS,
        ports::ROWS,
        nodes::ROWS,
        processes::ROWS,
        dictionary::ROWS,
        process_flags::ROWS,
        search::ROWS,
        shared::ROWS,
        tuples::ROWS,
        integer_text::ROWS,
        float_text::ROWS,
        atom_text::ROWS,
        iolist::ROWS,
        id_text::ROWS,
        hash::ROWS,
        checksum::ROWS,
        code_path::ROWS,
        unicode::ROWS,
        clock::ROWS,
        timers::ROWS,
        spawn_request::ROWS,
        system::ROWS,
        system_flags::ROWS,
        modules::ROWS,
        outside::ROWS,
        zlib::ROWS,
        tracing::ROWS,
        watch::ROWS,
    ];
    tables.iter().copied().flatten()
}
