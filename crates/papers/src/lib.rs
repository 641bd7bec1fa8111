//! Definitions of two papers as they are printed, written for reading: the instrumentation of Erlang programs
//! [Palacios and Vidal 2015] and the concolic execution of definite clauses [Vidal 2014].
//!
//! Tests compare the machines with them. Of the commands only `gimlet instrument` runs code of this crate.

pub mod concolic_prolog;
pub mod instrumentation;
