//! The functions that are not written in Erlang, as rows of tables grouped by subject.
//!
//! A row is the whole description of a builtin: its name, how it runs, what it touches, what it shares with other
//! processes and where the BEAM back end runs it. A builtin sees the [`World`] and its arguments; it never runs Erlang
//! code and never collects garbage.
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
    /// Sets how symbolic arguments are followed.
    pub(crate) const fn lift(mut self, lift: Lift) -> Builtin {
        self.lift = lift;
        self
    }

    /// Sets a lift function of its own that follows symbolic arguments exactly.
    pub(crate) const fn own(self, own: Own) -> Builtin {
        self.lift(Lift::Own(own))
    }

    /// Marks the result as a value of the environment: it may be any of many, whatever the input.
    pub(crate) const fn environment(self) -> Builtin {
        self.lift(Lift::Environment)
    }

    /// Whether the result depends on the environment and not only on the input.
    pub const fn reads_environment(&self) -> bool {
        self.effect.is_outside() || matches!(self.lift, Lift::Environment)
    }

    /// Lets shadows travel with the values; the bits of `looks_at` select the arguments whose contents are inspected
    /// nevertheless.
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
    /// A function in Rust.
    Native(Run),
    /// A function in Rust that reaches outside the machine: it runs only if its effect is allowed.
    Outside(Run),
    /// OTP's own code, if its effect is allowed. The row makes a refusal name the function that users call.
    Code,
    /// The real runtime computes the result, on ground arguments.
    Host,
    /// The machine does it between two steps of the process.
    Machine(Request),
    /// The interpreter does it, because it runs Erlang code or stops running it.
    Control(Control),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Apply,
    Hibernate,
    Yield,
    /// Runs work that BEAM gives to a dirty scheduler, where the process can't be interrupted.
    Dirty,
    /// Receives a message that a fun matches.
    Receive,
    /// Inspects the code and the stacks of processes.
    Inspect,
    /// The Erlang stub of a function that is native on BEAM and missing here.
    Missing,
}

/// A request that only the owner of all loaded code can serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Loads a module from the bytes of a `.beam` file.
    LoadModule,
    /// Loads a module from the code path.
    LoadFile,
    /// Loads a module from a named file.
    LoadAbsolute,
    /// Makes the module unreachable by name.
    DeleteModule,
    /// Removes the old version of a module at once.
    Purge,
    /// Does one step of a purge, while OTP's code purger looks after the processes.
    PurgeStep,
    /// Returns module, bytes and file name of the file on the code path.
    ObjectCode,
    /// Finds a file in the directories of the code path.
    WhereIsFile,
    /// First half of loading a module: turns module and bytes into prepared code.
    PrepareLoading,
    /// Second half of loading modules: makes all prepared codes current, or none.
    FinishLoading,
    /// Whether prepared code has an `-on_load` function.
    HasOnLoad,
    /// Sets or clears trace patterns of functions.
    TracePattern,
}

/// What a builtin touches besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: equal arguments give equal results.
    Pure,
    /// State inside the machine: processes, tables, clocks, dictionaries.
    Machine,
    Files,
    Network,
    Os,
}

impl Effect {
    /// Whether the effect is on the world outside the machine.
    pub const fn is_outside(self) -> bool {
        matches!(self, Effect::Files | Effect::Network | Effect::Os)
    }
}

/// The row of a pure function: equal arguments give equal results. It shares nothing, and BEAM computes the same.
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

/// The row of a function that reads or changes the state of the machine.
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

/// The row of a pure function that the real runtime computes.
pub(crate) const fn on_host(module: &'static str, name: &'static str, arity: u8) -> Builtin {
    outside(Effect::Pure, module, name, arity, Shares::Nothing)
}

/// The row of a function that the real runtime runs, if the user allows its effect.
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

/// The row of a function in Rust with an effect outside, which runs if the user allows the effect.
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

/// The row of a function that runs as OTP's own code, if the user allows its effect.
pub(crate) const fn if_allowed(
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

/// Returns the bytes of an iolist, or `None` if the value is not one.
pub(crate) fn iolist_bytes(w: &World, value: Value) -> Option<Vec<u8>> {
    iolist::bytes(w, value).ok()
}

/// Returns `erlang:phash2/1` of a term; 0 if the term takes more steps than the run has left.
pub(crate) fn phash2(w: &World, value: Value) -> u32 {
    hash::phash2(&w.heap, &w.atoms, value).unwrap_or(0)
}

/// Iterates over the rows of all builtins.
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
