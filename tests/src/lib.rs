//! Compares what we compute with what the real runtimes compute.
//!
//! Helpers for the tests beside it: a way to ask OTP many questions in one start, and generators of
//! inputs. Nothing that ships depends on it. Whatever it needs and does not find is a failure.
#![expect(clippy::disallowed_methods, reason = "it starts the real runtime, and reads its answers")]

mod generate;
mod otp;

pub use generate::{sample, terms};
pub use otp::ask_otp;
