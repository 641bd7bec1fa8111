//! The command line tool: arguments, files, clock, threads, wiring.
//!
//! The only crate that prints. What it computes with comes from the crates below; `flow` is what every
//! language shares, and each language has a folder.
//!
//! # Design
//!
//! **Workers.** A worker is this executable in another role. Equal arguments make equal plans, so units are
//! identified by their numbers, and a hash of their names is compared. Results (`Program::Explored`) are plain data
//! and cross the pipe in both directions, so that any worker can continue any unit. Data that the plan took from the
//! output directory is sent with each turn, because the owner writes there meanwhile. Sending the loaded program
//! instead would cost the worker as much and the owner more, and forking a loaded process needs unsafe code. A worker
//! has its own process group, so that Ctrl-C reaches the owner only, which tells the workers; a thread of the worker
//! ends the process when the pipe is closed. `flow::room` divides the memory, and `flow::so_far` passes on partial
//! results at most every third of a second and for at most 2% of the time.
//!
//! **Evidence for a finding's level.** It comes from the contract, the shapes of inputs that ended well
//! (`engine::Shapes`), the shapes of recorded calls, and the arguments in the project's own calls. `erlang::callers`
//! computes the last by abstract interpretation: parameters of functions that are not part of the project's interface
//! are the join over their call sites; a set that has grown six times is widened to all terms. `gimlet record` puts
//! one flag into `ERL_AFLAGS`, by which each Erlang runtime compiles and starts a tracer (`recorder.erl`) with a file
//! of its own.
//!
//! **Setups.** `erlang::setup` finds the application of the modules under test and tries to start it. A unit is
//! explored without it first, and again, from the start, when a run misses something that its input does not name.
//!
//! **Recipes.** For an opaque type, specs contain a union of recipes: tuples with the name of a maker as their tag
//! and arguments of the maker's types, such as `{'gimlet$made queue:in/2', 1, {'gimlet$made queue:new/0'}}`. So
//! types, solver, search and shrinking treat them like other terms. Types are unrolled to `MAX_CALLS` levels of
//! calls. The gate calls the makers before it enters the unit; choices made there have sites of their own that count
//! as outside of the code under test, since otherwise the search would first cover the makers.
//!
//! **Systems.** A module with a behaviour is a unit whose input is how its process is started and a list of steps.
//! `roles` finds which functions start the process and which speak to it, `heads` makes types of the patterns of
//! callbacks, and `build` combines both with the specs to a domain. The driver (`driver.erl`) takes the steps, on the
//! machine and on BEAM, with OTP's own `gen_server` below it. Callbacks are not called directly, because timeouts,
//! postponed events, hibernation and bad return values would then need a second implementation. Messages that the
//! module sends to itself are not among the steps, as the functions that send them are.
//!
//! **PropEr.** Generators run on the machine as they are; only the functions that draw random numbers are redirected
//! to take the next number of the input. Types made from the generators would have been a second implementation of
//! each combinator and could not follow `?LET`.
//!
//! **Elixir.** `beam::applications` reads the `.app` files, and `erlang::Running` tells both sides which applications
//! are loaded, configured and started. On the machine `:elixir` and `:logger` start when a program first looks for
//! one of their processes or tables; on BEAM the agent starts them first. `Executor::completed` fills in the fields
//! of structs before an input is run, and the gate refuses structs with other fields. Values and exceptions are
//! worded by `inspect/2` and `Exception.format/3`, run on the machine. The agent adds to the forms of a module which
//! functions macros made, and specs for functions with default arguments.
#![expect(clippy::disallowed_methods, reason = "the tool reads files and the clock for the rest")]

mod args;
mod asked;
mod configure;
mod start;
mod tree;

mod flow;
mod languages;
mod record;

mod child;
mod lsp;
mod manual;
mod watch;

mod elixir;
mod erlang;
mod prolog;

mod confinement;
mod diagnostic;
mod explain;

pub mod readers;

pub use erlang::exception_text;
pub use start::start;
