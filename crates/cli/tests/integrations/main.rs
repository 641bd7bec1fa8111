//! Tests Gimlet inside of real build tools and shells (rebar3, mix, swipl), without network.
#![expect(clippy::disallowed_methods, reason = "it starts the tools as users do")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/project.rs"]
#[expect(dead_code, reason = "other tests have programs in common")]
mod project;
mod tools;

mod ci;
mod editors;
mod mix;
mod properties;
mod rebar3;
mod shells;
mod swipl;
