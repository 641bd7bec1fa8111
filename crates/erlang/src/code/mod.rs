//! The code that the machine runs: instructions on registers, and the tables they refer to.

mod dirty;
mod ins;
mod program;
mod receive;

pub(crate) use dirty::{DIRTY_CPU, DIRTY_IO};
pub use ins::{BuiltinId, Cmp, FnId, ImportId, Ins, Reg, Scope, Src};
pub use term::Kind;

pub use program::{
    BitsPattern, BitsSegment, ClauseInfo, FunctionInfo, Handler, HandlerKind, Import, MapStep,
    ModuleInfo, PatternPart, Program, SwitchTable, Target,
};
pub(crate) use receive::RECEIVE;
