//! Kinds of terms: what type tests ask for.

use crate::ground::{Atom, Fun, Pid, Port, Reference, Term};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Atom,
    Binary,
    Bitstring,
    Boolean,
    Cons,
    Float,
    Function,
    Integer,
    List,
    Map,
    Nil,
    Number,
    Pid,
    Port,
    Reference,
    Tuple,
}

/// Every kind and its name in queries.
const NAMES: &[(Kind, &str)] = &[
    (Kind::Atom, "atom"),
    (Kind::Binary, "binary"),
    (Kind::Bitstring, "bitstring"),
    (Kind::Boolean, "boolean"),
    (Kind::Cons, "cons"),
    (Kind::Float, "float"),
    (Kind::Function, "function"),
    (Kind::Integer, "integer"),
    (Kind::List, "list"),
    (Kind::Map, "map"),
    (Kind::Nil, "nil"),
    (Kind::Number, "number"),
    (Kind::Pid, "pid"),
    (Kind::Port, "port"),
    (Kind::Reference, "reference"),
    (Kind::Tuple, "tuple"),
];

/// How many different pids, ports and references are generated.
const MAX_HANDLES: u32 = 8;

impl Kind {
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        NAMES.iter().find(|it| it.1 == name).map(|it| it.0)
    }

    pub fn all() -> impl Iterator<Item = Kind> {
        NAMES.iter().map(|it| it.0)
    }

    /// Returns a simple term of this kind. Pids, ports and references are ones that no runtime has.
    pub fn smallest(self) -> Term {
        match self {
            Kind::Atom => Term::atom("a"),
            Kind::Binary | Kind::Bitstring => Term::binary(vec![]),
            Kind::Boolean => Term::atom("false"),
            Kind::Cons => Term::proper_list(vec![Term::Int(0)]),
            Kind::Float => Term::Float(0.0),
            Kind::Function => {
                let (arity, entries, default) = (0, Vec::new(), Term::Int(0));
                Term::Fun(Box::new(Fun::Table { arity, entries, default }))
            }
            Kind::Integer | Kind::Number => Term::Int(0),
            Kind::List | Kind::Nil => Term::Nil,
            Kind::Map => Term::Map(vec![]),
            Kind::Tuple => Term::Tuple(vec![]),
            Kind::Pid | Kind::Port | Kind::Reference => self.handles().next().unwrap_or(Term::Nil),
        }
    }

    /// Returns different pids, ports or references, the simplest first; nothing for other kinds.
    pub fn handles(self) -> impl Iterator<Item = Term> {
        (0..MAX_HANDLES).filter_map(move |n| {
            let node = Atom::new("nonode@nohost");
            if self == Kind::Pid {
                return Some(Term::Pid(Pid { node, id: n, serial: 8191, creation: 0 }));
            }
            if self == Kind::Port {
                let id = 268_435_455 - u64::from(n);
                return Some(Term::Port(Port { node, id, creation: 0 }));
            }
            let words = vec![n, 0, 0];
            let reference = Term::Ref(Reference { node, creation: 0, words });
            (self == Kind::Reference).then_some(reference)
        })
    }

    /// Whether the kind is a union of disjoint kinds (see [`Kinds`](crate::Kinds)). Booleans are only some of the
    /// atoms, and binaries only some of the bitstrings.
    pub fn is_whole(self) -> bool {
        !matches!(self, Kind::Boolean | Kind::Binary)
    }

    /// Whether the term is of this kind. Kinds overlap: a list cell is a list, and `true` is an atom.
    pub fn has(self, term: &Term) -> bool {
        match self {
            Kind::Atom => matches!(term, Term::Atom(_)),
            Kind::Binary => matches!(term, Term::Bits(bits) if bits.bit_len() % 8 == 0),
            Kind::Bitstring => matches!(term, Term::Bits(_)),
            Kind::Boolean => matches!(term.as_atom(), Some("true" | "false")),
            Kind::Cons => matches!(term, Term::List(_)),
            Kind::Float => matches!(term, Term::Float(_)),
            Kind::Function => matches!(term, Term::Fun(_)),
            Kind::Integer => matches!(term, Term::Int(_) | Term::Big(_)),
            Kind::List => matches!(term, Term::Nil | Term::List(_)),
            Kind::Map => matches!(term, Term::Map(_)),
            Kind::Nil => matches!(term, Term::Nil),
            Kind::Number => matches!(term, Term::Int(_) | Term::Big(_) | Term::Float(_)),
            Kind::Pid => matches!(term, Term::Pid(_)),
            Kind::Port => matches!(term, Term::Port(_)),
            Kind::Reference => matches!(term, Term::Ref(_)),
            Kind::Tuple => matches!(term, Term::Tuple(_)),
        }
    }
}
