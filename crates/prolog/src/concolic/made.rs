//! Values that a library makes: an association list with any other inside than its library's is junk.
//!
//! The input is what its constructor is given; the goal calls that first, so that its choices are
//! followed like all others.

use crate::concolic::declare::{list, pair};
use term::{Kind, Type, TypeId, Types};

/// Who makes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    Assoc,
    RedBlack,
    Heap,
    Graph,
}

impl Maker {
    /// Of a type that a declaration names.
    pub fn of_type(name: &str) -> Option<Maker> {
        match name.split('(').next()?.trim() {
            "assoc" => Some(Maker::Assoc),
            "rbtree" => Some(Maker::RedBlack),
            "heap" => Some(Maker::Heap),
            "ugraph" | "graph" => Some(Maker::Graph),
            _ => None,
        }
    }

    /// Of an argument that a library's own documentation names.
    pub fn of_name(module: &str, name: &str) -> Option<Maker> {
        let found = match module {
            "assoc" => name.starts_with("Assoc").then_some(Maker::Assoc),
            "rbtrees" => name.starts_with('T').then_some(Maker::RedBlack),
            "heaps" => name.starts_with("Heap").then_some(Maker::Heap),
            "ugraphs" => name.contains("Graph").then_some(Maker::Graph),
            _ => None,
        };
        found.filter(|_| name != "Term")
    }

    /// The constructor, and how many arguments stand before the list; they are `[]`.
    pub(super) fn constructor(self) -> (&'static str, usize) {
        match self {
            Maker::Assoc => ("list_to_assoc", 0),
            Maker::RedBlack => ("list_to_rbtree", 0),
            Maker::Heap => ("list_to_heap", 0),
            Maker::Graph => ("vertices_edges_to_ugraph", 1),
        }
    }

    /// What the constructor takes.
    pub fn given(self, types: &mut Types) -> TypeId {
        let atom = types.add(Type::Kind(Kind::Atom));
        let integer = types.add(Type::Kind(Kind::Integer));
        let key = match self {
            Maker::Heap => integer,
            Maker::Assoc | Maker::RedBlack | Maker::Graph => {
                types.add(Type::Union(Box::from([atom, integer])))
            }
        };
        let value = match self {
            Maker::Graph => key,
            Maker::Assoc | Maker::RedBlack | Maker::Heap => {
                types.add(Type::Union(Box::from([atom, integer])))
            }
        };
        let item = pair(types, key, value);
        let item = types.add(item);
        list(types, item)
    }
}
