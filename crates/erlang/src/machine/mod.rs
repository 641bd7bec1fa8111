//! The machine: what a program runs on and in.

mod limits;
mod world;

pub use limits::Limits;
pub use world::World;
