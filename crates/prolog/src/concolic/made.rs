//! Abstract data types of SWI-Prolog's library, such as association lists: arbitrary terms are almost never
//! valid values of them.
//!
//! The input is the argument of the type's constructor. The goal calls the constructor first, so the choices
//! in it are followed as well.

use crate::concolic::declare::{list, pair};
use term::{Kind, Type, TypeId, Types};

/// The library that constructs an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    Assoc,
    RedBlack,
    Heap,
    Graph,
}

impl Maker {
    /// Returns the library for a type that a declaration names.
    pub fn of_type(name: &str) -> Option<Maker> {
        match name.split('(').next()?.trim() {
            "assoc" => Some(Maker::Assoc),
            "rbtree" => Some(Maker::RedBlack),
            "heap" => Some(Maker::Heap),
            "ugraph" | "graph" => Some(Maker::Graph),
            _ => None,
        }
    }

    /// Returns the library for an argument by the naming conventions of the library's own documentation.
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

    /// Returns the constructor, and the number of arguments before the list; these are `[]`.
    pub(super) fn constructor(self) -> (&'static str, usize) {
        match self {
            Maker::Assoc => ("list_to_assoc", 0),
            Maker::RedBlack => ("list_to_rbtree", 0),
            Maker::Heap => ("list_to_heap", 0),
            Maker::Graph => ("vertices_edges_to_ugraph", 1),
        }
    }

    /// Returns the type of the constructor's argument.
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
