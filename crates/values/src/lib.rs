//! How the machine represents data: tagged values, the heap, the atom table, and the total order of terms.

mod atoms;
mod bits;
mod collect;
mod compare;
mod convert;
mod effort;
mod forked;
mod heap;
pub mod large_integers;
mod map;
mod nodes;
mod segment;
mod table;
mod value;

pub use atoms::{AtomId, Atoms};
pub use bits::BitsView;
pub use collect::Collected;
pub use collect::Roots;
pub use compare::{compare_exact, compare_value, equal_exact, equal_value};
pub use convert::{NoTerm, from_term, marked, to_external, to_marked, to_term};
pub use effort::{Effort, Exhausted};
pub use forked::Forked;
pub use heap::{FunKind, Heap, Lambda, LambdaId, MAX_INTEGER_BITS, Mark};
pub use map::MapView;
pub use nodes::{FIRST_WORD, Identity, NodeName, Nodes, Number};
pub use segment::{BitsBuilder, BuildError, Endian, SegmentSpec, SegmentType, Sign};
pub use value::{At, BigAt, MAX_ARITY, NodeId, PidId, PortId, RefId, Shadow, Tag, Value, View};
