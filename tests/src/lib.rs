//! Comparisons of our machines with the real runtimes.
//!
//! Helpers for the tests in this package: ways to ask OTP many questions in one start, generators of inputs,
//! and reports of differences. No shipped code depends on this crate. A missing tool is a test failure.
#![expect(clippy::disallowed_methods, reason = "it starts the real runtime, and reads its answers")]

mod calls;
mod classes;
mod compare;
mod elixir;
pub mod fuzz;
mod generate;
mod kinds;
mod machine;
mod native;
mod otp;
mod programs;
mod report;
pub mod sampled;
mod schedules;
pub mod swipl;
mod tables;
mod tree;
mod writer;

pub use calls::{Answer, Call, OnNodes, beam_nodes, beam_program, beam_results};
pub use classes::{Classes, classes_of};
pub use compare::{compare_functions, compare_program};
pub use elixir::elixir_libraries;
pub use generate::{sample, terms};
pub use kinds::{Kinds, Random};
pub use machine::{
    machine, machine_on_nodes, machine_on_paths, machine_outside, machine_that_logs,
    machine_that_runs_elixir, machine_with, our_result, without_closures,
};
pub use native::Native;
pub use otp::ask_otp;
pub use programs::{Compiled, Programs, beam_runs};
pub use report::Report;
pub use schedules::end_text;
pub use tables::beam_tables;
pub use tree::Tree;
pub use writer::{argument, functions, module_source};
