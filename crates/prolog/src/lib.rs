//! Prolog: text to terms, terms to compiled clauses, and the machine that runs them.
//!
//! Knows no operating system: files come through a trait, and nothing here prints.
//!
//! # Design
//!
//! **Data.** The word of a structure has the functor and the address of its arguments, so structures have no header
//! cell; a list cell is a structure of `'[|]'/2`. Big integers, rationals and strings are beside the cells. Terms
//! that must survive backtracking (answers of `findall/3`, clauses, exceptions) are `Record`s.
//!
//! **Clauses.** The arguments of a call are built behind the caller's slots, where the callee finds them as its first
//! slots. A choice point copies no arguments; it only keeps the stack below a mark. A clause with at most one call,
//! which is last, has no frame. Conditions made of tests that bind nothing are jumps without a choice point, and
//! arithmetic on small integers is done in slots. From eight clauses on, a hash index on the first argument gives the
//! candidates. Generations implement the logical update view.
//!
//! **Control.** Control constructs in a called term are not compiled; predicates of the prelude take them apart, with
//! the module and the cut barrier as arguments. `catch/3` is a choice point with a frame; an exception goes to the
//! innermost one whose frame is on the chain of frames. Cleanups are choice points, too; whatever passes one runs its
//! goal in a loop of its own. A call of a tabled predicate whose answers are needed while it is evaluated is
//! evaluated again until a fixpoint. `Head => Body` becomes a match, a guard and a cut, with a choice point below its
//! clauses that raises the error of a call without a matching clause. Attributed variables that were bound wake
//! before the next call, cut or test.
//!
//! **Budgets.** A call is a step. Builtins charge the parts of terms that they visit (`Machine::charge`), and check
//! memory before they allocate it (`Machine::check_memory`). `Stop::Memory` becomes the exception
//! `resource_error(stack)` if a `catch/3` handles it, and ends the run otherwise.
//!
//! **Garbage collection** happens before a call, when the heap has doubled. Live cells move together in their order.
//! Roots are the whole stack below the call's arguments, global variables and the trail; a value that is kept
//! elsewhere across a call is lost. `Machine::collect_from` = 0 collects before every call.
//!
//! **Loading.** A name that is not defined is looked for in `system`, `user`, the modules that its module autoloads,
//! and the library's `INDEX.pl`. A library that is missing while a goal runs stops the run with `Stop::Load`; it is
//! then loaded for good, and the run, which left no trace, begins again.
//!
//! **Symbolic runs.** Every part of an input has its shadow from the start, since inputs are small, and shadows
//! travel with copied values. Negation, if-then-else and cut need no treatment of their own, because the path
//! contains what was looked at. A goal in the input is compared with all predicates under test at once
//! (`Machine::look_goal`). A predicate that uses facts which another one adds (`Program::prepares`) is also called
//! after that one; the inputs of both are one input. Programs that read sentences get first inputs that are put
//! together from the words of the program.

pub mod data;
pub mod text;

pub mod code;

pub mod machine;

pub mod builtins;

pub mod program;

pub mod toplevel;

pub mod concolic;

pub use machine::{Ending, Limits, Machine, Sink, Solutions, Stop, Written};
pub use program::{File, Library, LoadReport, NoLibrary, Note};
pub use toplevel::{Answer, Query, QueryError};
