//! Ground terms: values without unknown parts, as they travel between runtimes and are shown to people.
//!
//! A term owns all its parts and may cross threads. The machines compute on their own representations; this one serves
//! inputs, results, literals and everything that is printed. Equal terms have equal representations: unused bits of
//! bitstrings are zero, map pairs are sorted, and a list has one form.

use crate::bits::Bits;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Atom(pub SmolStr);

impl Atom {
    pub fn new(text: &str) -> Atom {
        Atom(SmolStr::new(text))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Term {
    Int(i64),
    /// Invariant: the value does not fit `Int`. Made by [`Term::integer`].
    Big(Box<BigInt>),
    Float(f64),
    Atom(Atom),
    Nil,
    List(Box<List>),
    Tuple(Vec<Term>),
    /// Invariant: sorted by key in the order of [`Term::cmp_exact`], without duplicate keys. Made by [`Term::map`].
    Map(Vec<(Term, Term)>),
    Bits(Bits),
    Fun(Box<Fun>),
    Pid(Pid),
    Port(Port),
    Ref(Reference),
}

/// One or more list cells and the tail of the last one: `[1,2|tail]`.
///
/// Invariant: `items` is not empty and `tail` is no list cell, so that a list has one representation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct List {
    pub items: Vec<Term>,
    pub tail: Term,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fun {
    External {
        module: Atom,
        function: Atom,
        arity: u8,
    },
    /// A closure of compiled code, as the external term format describes it.
    Closure {
        module: Atom,
        arity: u8,
        index: u32,
        uniq: [u8; 16],
        old_index: i64,
        old_uniq: i64,
        pid: Pid,
        env: Vec<Term>,
    },
    /// A function generated as an input: its results for some arguments, and its default result. An argument that is a
    /// function is compared by its arity only, since no text can name a closure.
    Table {
        arity: u8,
        entries: Vec<(Vec<Term>, Term)>,
        default: Term,
    },
}

impl Fun {
    pub fn arity(&self) -> u8 {
        match self {
            Fun::External { arity, .. } | Fun::Closure { arity, .. } | Fun::Table { arity, .. } => {
                *arity
            }
        }
    }

    /// Returns the result of a table for these arguments; `None` for other functions.
    pub fn look_up(&self, args: &[Term]) -> Option<&Term> {
        let Fun::Table { arity, entries, default } = self else { return None };
        let found = entries.iter().find(|it| Fun::is_same_call(&it.0, args));
        (usize::from(*arity) == args.len()).then(|| found.map_or(default, |it| &it.1))
    }

    /// Whether a table cannot distinguish the arguments.
    pub fn is_same_call(left: &[Term], right: &[Term]) -> bool {
        let is_same = |(left, right): (&Term, &Term)| match (left, right) {
            (Term::Fun(left), Term::Fun(right)) => left.arity() == right.arity(),
            _ => left.cmp_exact(right).is_eq(),
        };
        left.iter().zip(right).all(is_same)
    }

    /// Returns the placeholder in a table for any function of this arity.
    pub fn any(arity: u8) -> Fun {
        Fun::External { module: Atom::new("_"), function: Atom::new("_"), arity }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pid {
    pub node: Atom,
    pub id: u32,
    pub serial: u32,
    pub creation: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Port {
    pub node: Atom,
    pub id: u64,
    pub creation: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    pub node: Atom,
    pub creation: u32,
    pub words: Vec<u32>,
}

impl Term {
    pub fn atom(text: &str) -> Term {
        Term::Atom(Atom::new(text))
    }

    pub fn integer(value: BigInt) -> Term {
        match value.to_i64() {
            Some(small) => Term::Int(small),
            None => Term::Big(Box::new(value)),
        }
    }

    /// Returns a list of the items that ends with `tail`, which may itself be a list.
    pub fn list(mut items: Vec<Term>, tail: Term) -> Term {
        if items.is_empty() {
            return tail;
        }
        if let Term::List(rest) = tail {
            items.extend(rest.items);
            return Term::List(Box::new(List { items, tail: rest.tail }));
        }
        Term::List(Box::new(List { items, tail }))
    }

    pub fn proper_list(items: Vec<Term>) -> Term {
        Term::list(items, Term::Nil)
    }

    /// Returns a map; of equal keys the last one wins, as in a map expression.
    pub fn map(mut pairs: Vec<(Term, Term)>) -> Term {
        pairs.sort_by(|left, right| left.0.cmp_exact(&right.0));
        let mut res: Vec<(Term, Term)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match res.last_mut() {
                Some(last) if last.0.cmp_exact(&pair.0).is_eq() => *last = pair,
                _ => res.push(pair),
            }
        }
        Term::Map(res)
    }

    pub fn binary(bytes: Vec<u8>) -> Term {
        Term::Bits(Bits::from_bytes(bytes))
    }

    /// Returns the list of the text's code points.
    pub fn string(text: &str) -> Term {
        Term::proper_list(text.chars().map(|it| Term::Int(i64::from(u32::from(it)))).collect())
    }

    pub fn as_atom(&self) -> Option<&str> {
        if let Term::Atom(atom) = self { Some(atom.as_str()) } else { None }
    }

    pub fn as_int(&self) -> Option<i64> {
        if let Term::Int(value) = self { Some(*value) } else { None }
    }

    pub fn as_tuple(&self) -> Option<&[Term]> {
        if let Term::Tuple(items) = self { Some(items) } else { None }
    }

    /// Returns the elements of a proper list.
    pub fn as_list(&self) -> Option<&[Term]> {
        if let Term::List(list) = self {
            return matches!(list.tail, Term::Nil).then_some(&list.items);
        }
        matches!(self, Term::Nil).then_some(&[])
    }

    /// Returns the immediate parts of the term, except for the tail of an improper list.
    pub fn parts(&self) -> Vec<&Term> {
        match self {
            Term::List(list) => list.items.iter().collect(),
            Term::Tuple(items) => items.iter().collect(),
            Term::Map(pairs) => pairs.iter().flat_map(|it| [&it.0, &it.1]).collect(),
            Term::Fun(fun) => match &**fun {
                Fun::Table { default, .. } => vec![default],
                Fun::External { .. } | Fun::Closure { .. } => Vec::new(),
            },
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Atom(_)
            | Term::Nil
            | Term::Bits(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => Vec::new(),
        }
    }

    /// Returns the term with its parts replaced. Functions have no parts here.
    pub fn map_parts(&self, mut with: impl FnMut(&Term) -> Term) -> Term {
        match self {
            Term::List(list) => {
                Term::list(list.items.iter().map(with).collect(), list.tail.clone())
            }
            Term::Tuple(items) => Term::Tuple(items.iter().map(with).collect()),
            Term::Map(pairs) => {
                Term::map(pairs.iter().map(|it| (with(&it.0), with(&it.1))).collect())
            }
            Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Atom(_)
            | Term::Nil
            | Term::Bits(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => self.clone(),
        }
    }

    /// Returns the text of an atom, or of a binary that is UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        if let Term::Atom(name) = self {
            return Some(name.as_str());
        }
        std::str::from_utf8(self.as_bytes()?).ok()
    }

    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Term::Bits(bits) = self { bits.as_bytes() } else { None }
    }

    /// Returns the approximate memory of the term in bytes.
    pub fn bytes(&self) -> usize {
        let sum = Cell::new(0);
        self.has_part(|it| {
            sum.set(sum.get() + it.own_bytes());
            false
        });
        sum.get()
    }

    fn own_bytes(&self) -> usize {
        let beside = match self {
            Term::Bits(bits) => bits.bit_len() / 8,
            Term::Big(value) => usize::try_from(value.bits() / 8).unwrap_or(usize::MAX),
            Term::Int(_)
            | Term::Float(_)
            | Term::Atom(_)
            | Term::Nil
            | Term::List(_)
            | Term::Tuple(_)
            | Term::Map(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => 0,
        };
        size_of::<Term>() + beside
    }

    /// Whether the term or one of its parts, at any depth, satisfies the predicate.
    pub fn has_part(&self, is_such: impl Fn(&Term) -> bool) -> bool {
        let mut todo = vec![self];
        while let Some(term) = todo.pop() {
            if is_such(term) {
                return true;
            }
            match term {
                Term::List(list) => todo.extend(list.items.iter().chain([&list.tail])),
                Term::Tuple(items) => todo.extend(items),
                Term::Map(pairs) => todo.extend(pairs.iter().flat_map(|it| [&it.0, &it.1])),
                Term::Fun(fun) => match &**fun {
                    Fun::External { .. } => (),
                    Fun::Closure { env, .. } => todo.extend(env),
                    Fun::Table { entries, default, .. } => {
                        todo.push(default);
                        todo.extend(entries.iter().flat_map(|it| it.0.iter().chain([&it.1])));
                    }
                },
                Term::Int(_)
                | Term::Big(_)
                | Term::Float(_)
                | Term::Atom(_)
                | Term::Nil
                | Term::Bits(_)
                | Term::Pid(_)
                | Term::Port(_)
                | Term::Ref(_) => (),
            }
        }
        false
    }
}

/// Identity of representation: floats are compared by their bits, so `0.0` and `-0.0` differ.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Int(left), Term::Int(right)) => left == right,
            (Term::Big(left), Term::Big(right)) => left == right,
            (Term::Float(left), Term::Float(right)) => left.to_bits() == right.to_bits(),
            (Term::Atom(left), Term::Atom(right)) => left == right,
            (Term::Nil, Term::Nil) => true,
            (Term::List(left), Term::List(right)) => left == right,
            (Term::Tuple(left), Term::Tuple(right)) => left == right,
            (Term::Map(left), Term::Map(right)) => left == right,
            (Term::Bits(left), Term::Bits(right)) => left == right,
            (Term::Fun(left), Term::Fun(right)) => left == right,
            (Term::Pid(left), Term::Pid(right)) => left == right,
            (Term::Port(left), Term::Port(right)) => left == right,
            (Term::Ref(left), Term::Ref(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Term::Int(value) => value.hash(state),
            Term::Big(value) => value.hash(state),
            Term::Float(value) => value.to_bits().hash(state),
            Term::Atom(value) => value.hash(state),
            Term::Nil => (),
            Term::List(value) => value.hash(state),
            Term::Tuple(value) => value.hash(state),
            Term::Map(value) => value.hash(state),
            Term::Bits(value) => value.hash(state),
            Term::Fun(value) => value.hash(state),
            Term::Pid(value) => value.hash(state),
            Term::Port(value) => value.hash(state),
            Term::Ref(value) => value.hash(state),
        }
    }
}
