//! What the machine asks of the world outside: code of modules, and pure functions it lacks.
//!
//! The machine starts no process and reads no file; whoever owns it supplies a [`Host`].

mod files;
mod programs;
mod sockets;

pub use files::{Advice, Errno, FileId, FileInfo, FileKind, Files, Links, OpenModes, Origin, Sync};
pub use programs::{Command, Errors, Executable, Input, ProgramEvent, ProgramId, Programs};
pub use sockets::{
    Direction, Family, Received, Shutdown, SocketId, SocketOption, Sockets, Transport, Wish,
};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use term::{Atom, Term};

pub trait Host {
    /// The code of a module, found by name on the code path.
    fn load(&mut self, module: &Atom) -> Result<ModuleCode, HostError>;

    /// What a module declares, without its code.
    fn declarations(&mut self, module: &Atom) -> Result<Declared, HostError> {
        self.load(module).map(|it| Declared { forms: it.forms, attributes: it.attributes })
    }

    /// Runs a function of the real runtime on ground arguments. Only for pure functions.
    fn apply(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
    ) -> Result<HostAnswer, HostError>;

    /// The code of a module in the bytes of its `.beam` file.
    fn load_binary(&mut self, module: &Atom, bytes: &[u8]) -> Result<ModuleCode, HostError>;

    /// Once the flag is set, a function of the real runtime need not be waited for.
    fn interrupted_by(&mut self, _flag: &Arc<AtomicBool>) {}

    /// What the runtime says of itself.
    fn system(&mut self) -> Result<System, HostError>;

    /// Where modules are looked for from now on; `None`: as at first.
    fn set_code_path(&mut self, path: Option<Vec<String>>);

    /// The first file of this name in the directories where modules are looked for.
    fn find_file(&mut self, name: &str) -> Option<String>;

    /// The file that a module is loaded from, if it is compiled code.
    fn object_file(&mut self, module: &Atom) -> Option<String>;

    /// A module's file, and what is in it.
    fn object_code(&mut self, module: &Atom) -> Option<(String, Vec<u8>)>;

    /// The file system, for programs that may touch it.
    fn files(&mut self) -> Box<dyn Files>;

    /// The programs of the operating system, for those that may start them.
    fn programs(&mut self) -> Box<dyn Programs>;

    /// The network, for those that may use it.
    fn sockets(&mut self) -> Box<dyn Sockets>;
}

/// The runtime that the machine stands in for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// `25`
    pub release: String,
    /// `13.1.5`
    pub erts_version: String,
    /// Where it is installed.
    pub root: String,
    /// The directories where modules are looked for.
    pub code_path: Vec<String>,
    /// What the `.app` files say of the applications that are always running: kernel and stdlib.
    pub applications: Vec<Term>,
    /// What runs besides these before the program does.
    pub running: Running,
}

/// Applications that a system has from the beginning, besides kernel and stdlib: those of Elixir, for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// What the system's configuration says, `{Application, [{Key, Value}]}` for each application.
    pub environment: Vec<Term>,
    /// What the `.app` files say of the applications that are loaded, each behind those that it needs.
    pub loaded: Vec<Term>,
    /// Which of these are started, in this order.
    pub started: Vec<Atom>,
}

impl Running {
    /// Whether a process of one of the applications that are started has this name.
    pub(crate) fn registers(&self, process: &str) -> bool {
        self.loaded.iter().any(|it| {
            let Some([_, Term::Atom(name), keys]) = it.as_tuple() else { return false };
            self.started.contains(name)
                && property(keys, "registered")
                    .and_then(Term::as_list)
                    .is_some_and(|it| it.iter().any(|it| it.as_atom() == Some(process)))
        })
    }
}

fn property<'t>(pairs: &'t Term, wanted: &str) -> Option<&'t Term> {
    pairs.as_list()?.iter().find_map(|it| match it.as_tuple()? {
        [key, value] if key.as_atom() == Some(wanted) => Some(value),
        _ => None,
    })
}

/// A module as the real compiler understood it, before any optimisation.
#[derive(Clone, Debug)]
pub struct ModuleCode {
    pub name: Atom,
    /// The `c_module` record of Core Erlang, annotations reduced to what the lowering reads; or,
    /// if there is nothing to make it from, the module as BEAM assembly.
    pub core: Term,
    /// `-spec`, `-type`, `-opaque`, `-callback` and `-record` forms, as abstract code.
    pub forms: Term,
    /// What `Module:module_info(attributes)` and `module_info(compile)` return.
    pub attributes: Term,
    pub compile_info: Term,
    /// The source file as named in stack traces; empty for modules linked into the emulator, which
    /// show no place there.
    pub file: String,
    pub md5: [u8; 16],
    /// Names and arities of its closures in the order of the numbers that BEAM gives them.
    pub closures: Vec<(Atom, u32)>,
}

/// The part of [`ModuleCode`] that tells of types.
#[derive(Clone, Debug)]
pub struct Declared {
    pub forms: Term,
    pub attributes: Term,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAnswer {
    Value(Term),
    Raised { class: Atom, reason: Term, trace: Term },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// There is no such module.
    NotFound(String),
    /// It exists, but holds nothing that can be turned into Core Erlang.
    NoDebugInfo(String),
    /// The compiler refused it; one formatted message per error.
    Compile(Vec<String>),
    Timeout(String),
    /// The runtime could not be started or went away.
    Lost(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::NotFound(what) => write!(f, "there is no module {what}"),
            HostError::NoDebugInfo(what) => write!(f, "{what} has no debug info"),
            HostError::Compile(messages) => write!(f, "{}", messages.join("\n")),
            HostError::Timeout(what) => write!(f, "OTP did not answer in time: {what}"),
            HostError::Lost(why) => write!(f, "the OTP peer is gone: {why}"),
        }
    }
}
