//! The interface between the machine and the outside world: code of modules, and pure functions that the machine lacks.
//!
//! The machine starts no process and reads no file; its owner supplies a [`Host`].

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
    /// Loads the code of a module, found by name on the code path.
    fn load(&mut self, module: &Atom) -> Result<ModuleCode, HostError>;

    /// Returns the declarations of a module (types and attributes) without its code.
    fn declarations(&mut self, module: &Atom) -> Result<Declared, HostError> {
        self.load(module).map(|it| Declared { forms: it.forms, attributes: it.attributes })
    }

    /// Runs a function of the real runtime on ground arguments. The function must be pure.
    fn apply(
        &mut self,
        module: &Atom,
        function: &Atom,
        args: &[Term],
    ) -> Result<HostAnswer, HostError>;

    /// Loads the code of a module from the bytes of its `.beam` file.
    fn load_binary(&mut self, module: &Atom, bytes: &[u8]) -> Result<ModuleCode, HostError>;

    /// Gives the host a flag. Once it is set, the host need not wait for the real runtime any more.
    fn interrupted_by(&mut self, _flag: &Arc<AtomicBool>) {}

    /// Returns the versions, directories and applications of the runtime.
    fn system(&mut self) -> Result<System, HostError>;

    /// Sets the directories where modules are looked for; `None` restores the initial ones.
    fn set_code_path(&mut self, path: Option<Vec<String>>);

    /// Finds the first file of this name in the directories of the code path.
    fn find_file(&mut self, name: &str) -> Option<String>;

    /// Returns the file that a module is loaded from; `None` if there is no compiled file.
    fn object_file(&mut self, module: &Atom) -> Option<String>;

    /// Returns the path and the bytes of a module's file.
    fn object_code(&mut self, module: &Atom) -> Option<(String, Vec<u8>)>;

    /// Returns access to the file system, for programs that are allowed to use it.
    fn files(&mut self) -> Box<dyn Files>;

    /// Returns access to programs of the operating system, for programs that are allowed to start them.
    fn programs(&mut self) -> Box<dyn Programs>;

    /// Returns access to the network, for programs that are allowed to use it.
    fn sockets(&mut self) -> Box<dyn Sockets>;
}

/// Facts about the real runtime that the machine stands in for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The OTP release, as in `25`.
    pub release: String,
    /// The version of the runtime system, as in `13.1.5`.
    pub erts_version: String,
    /// The directory where OTP is installed.
    pub root: String,
    /// The directories where modules are looked for.
    pub code_path: Vec<String>,
    /// The contents of the `.app` files of kernel and stdlib, which are always running.
    pub applications: Vec<Term>,
    /// Further applications that run before the program starts.
    pub running: Running,
}

/// The applications besides kernel and stdlib that a system starts with: those of Elixir, for example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// The configuration of the system: `{Application, [{Key, Value}]}` for each application.
    pub environment: Vec<Term>,
    /// The contents of the `.app` files of the loaded applications, each after those that it depends on.
    pub loaded: Vec<Term>,
    /// The names of the applications that are started, in this order.
    pub started: Vec<Atom>,
}

impl Running {
    /// Returns the index in `started` of the application that registers a process under this name.
    pub(crate) fn registers(&self, process: &str) -> Option<usize> {
        self.loaded.iter().find_map(|it| {
            let Some([_, Term::Atom(name), keys]) = it.as_tuple() else { return None };
            let names = property(keys, "registered").and_then(Term::as_list)?;
            let has_it = names.iter().any(|it| it.as_atom() == Some(process));
            self.started.iter().position(|it| has_it && it == name)
        })
    }
}

fn property<'t>(pairs: &'t Term, wanted: &str) -> Option<&'t Term> {
    pairs.as_list()?.iter().find_map(|it| match it.as_tuple()? {
        [key, value] if key.as_atom() == Some(wanted) => Some(value),
        _ => None,
    })
}

/// A module as the compiler front end produced it, before any optimisation.
#[derive(Clone, Debug)]
pub struct ModuleCode {
    pub name: Atom,
    /// The `c_module` record of Core Erlang, with annotations reduced to those that the lowering reads. A module
    /// without debug info is given as BEAM assembly instead.
    pub core: Term,
    /// `-spec`, `-type`, `-opaque`, `-callback` and `-record` forms, as abstract code.
    pub forms: Term,
    /// The results of `Module:module_info(attributes)` and `module_info(compile)`.
    pub attributes: Term,
    pub compile_info: Term,
    /// The source file that stack traces name. Empty for modules linked into the emulator, whose stack traces have no
    /// location.
    pub file: String,
    pub md5: [u8; 16],
    /// Names and arities of the closures, in the order in which BEAM numbers them.
    pub closures: Vec<(Atom, u32)>,
}

/// The part of [`ModuleCode`] that declares types and attributes.
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
    /// There is no module of this name.
    NotFound(String),
    /// The module exists, but its file has nothing that Core Erlang can be made from.
    NoDebugInfo(String),
    /// The compiler refused the module; one formatted message per error.
    Compile(Vec<String>),
    Timeout(String),
    /// The real runtime could not be started, or its process ended.
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
