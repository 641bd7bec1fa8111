//! The definitions of two papers, implemented as published and written for reading: the instrumentation of
//! Erlang programs [Palacios and Vidal 2015] and the concolic execution of definite clauses [Vidal 2014].
//!
//! Tests compare the machines with these definitions. The only command that runs code of this crate is
//! `gimlet instrument`.

pub mod concolic_prolog;
pub mod instrumentation;
