//! The reader of `gimlet.toml`: the options of a project and of its parts, and the findings it accepts.
//!
//! Knows no option by name and no command line: the caller provides the list of options and gets plain data with line
//! numbers. Reads no files and no clock.

mod data;
mod glob;
mod ignore;

mod parse;
mod problem;

mod find;
mod nearest;
mod template;

pub use data::{Config, Extent, Kind, Known, Scope, Setting};
pub use find::{FILE_NAME, find};
pub use glob::{BadGlob, Glob};
pub use ignore::{Day, Ignore, IgnoreQuery};
pub use nearest::nearest;
pub use parse::parse;
pub use problem::Problem;
pub use template::{Project, ProjectKind, template};
