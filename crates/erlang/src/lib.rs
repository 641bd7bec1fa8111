//! Core Erlang → bytecode → the concolic machine, with its builtins, processes and scheduler.
//!
//! # Design
//!
//! **Values.** A register is 16 bytes: a tag, a word, and the shadow, which is 0 or the id of the value's expression
//! plus one. Values are copied freely; everything larger than a word is in the heap. Heap cells hold values, so every
//! slot of a tuple or list can have a shadow.
//!
//! **Heap.** One heap serves all processes of a run, so that sending a message copies nothing. Objects never change
//! and never point to younger ones, so the young generation is collected without looking at the old one and without a
//! write barrier. Builtins never collect. The machine collects at safe points (a call, the head of a loop, a wait),
//! where all live values are on the stack below a known depth. At the end of a run the heap is cut back to what the
//! loaded code owns; nothing is traced or freed one by one. References are not counted, because a run that allocates
//! a million cells should not pay for each.
//!
//! **Lowering.** Variables become registers, which are allocated as a stack: at every instruction, the registers
//! below a known depth hold values and the others are unused. Funs and letrecs are lifted to functions with their
//! captured values as further arguments; a letrec that is only jumped to becomes a block. Patterns become decision
//! trees: no test is repeated on a path, and a clause that several leaves lead to is emitted once. Guards and `try`
//! are regions of code, so that they cost nothing while they succeed; an exception in a guard continues with the next
//! clause, without a stack trace. A module without debug info is made from its assembly; the modules under test are
//! not, because clauses that the compiler removed could not be covered.
//!
//! **Interpreter.** All modules share one vector of 16-byte instructions. A call places its arguments where the
//! callee's frame begins, at the caller's depth. The interpreter never calls itself, so nested calls take memory of
//! the machine and no native stack. Exceptions carry a raw trace of addresses; the list that programs see is built on
//! request. Delivery of messages is instant. Virtual time passes with the work done, and advances to the next timer
//! when every process waits. A process is named by its parent and its index among the parent's children, and a
//! reference by its owner and a count, so that names are the same in every interleaving.
//!
//! **Work inside operations.** An operation on a large term or number counts steps; when there are enough of them,
//! the heap requests a safe point, where they are charged as reductions. Operations that could exceed the budget of
//! the whole run (`spend_steps`) stop in the middle.
//!
//! **Versions of modules.** Code is never removed. A replaced or deleted module is remembered as its range of
//! addresses. A process with such an address on its stack runs old code, and purging the module ends it. A receive
//! whose clauses all ask for one reference starts behind the messages that were in the mailbox when the reference was
//! made.
//!
//! **Nodes.** A machine may consist of several nodes. Four bits of a pid, or the owner of a reference, give the node,
//! so that sending a message within a node needs no lookup. Pids, ports and references of other systems are interned
//! in a table of the heap. That a node goes down is the step of an actor of its own; which nodes do is decided before
//! a run.
//!
//! **Tracing** is free until a program uses it. A traced function is entered through a few instructions in front of
//! it, to which the tables of functions and exports then lead. Its return has a frame of its own, so that tail calls
//! and exceptions are reported correctly.
//!
//! **Builtins.** `file:open/2` and the like are gates in front of OTP's own code, which ends in the native functions
//! of `prim_file` (`builtins::files`) and so in the trait [`Files`]. Ports run programs of the operating system
//! through the trait [`Programs`]; while one is awaited, the virtual clock runs with the real one. The drivers of TCP
//! and UDP are ports, too, and use the trait [`Sockets`].
//!
//! **Schedules.** Whether a receive would take a message is answered by running the receive on a copy of its frame
//! (`Staged::probe`), also for receives that have ended. The end of a process consists of several steps, in the order
//! of BEAM: each table, then the name and the process, each link, each monitor. A link or monitor that was removed
//! keeps its step, which only accesses the same object, so that the opposite order is seen as a race. Processes of
//! the system run inside the steps of others.

pub mod builtins;
pub mod code;
pub mod core;
mod host;
pub mod lift;
mod lower;
pub mod machine;

pub use host::{
    Advice, Command, Declared, Direction, Errno, Errors, Executable, Family, FileId, FileInfo,
    FileKind, Files, Host, HostAnswer, HostError, Input, Links, ModuleCode, OpenModes, Origin,
    ProgramEvent, ProgramId, Programs, Received, Running, Shutdown, SocketId, SocketOption,
    Sockets, Sync, System, Transport, Wish,
};
pub use machine::{Machine, MachineError, Outcome, Run, Settings};
