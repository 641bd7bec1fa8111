//! The facts that the path constraint implies about the principal functor of a value, so that no test is
//! recorded twice.

use term::{Kind, Term};
use trace::Head;

pub(super) const INTEGER: u8 = 1;
pub(super) const FLOAT: u8 = 2;
pub(super) const ATOM: u8 = 4;
pub(super) const NIL: u8 = 8;
pub(super) const CONS: u8 = 16;
pub(super) const COMPOUND: u8 = 32;
pub(super) const TEXT: u8 = 64;
pub(super) const VARIABLE: u8 = 128;

/// The principal functor, or the atomic value, of a concrete value.
#[derive(Clone, Debug)]
pub(super) struct Top {
    pub(super) kind: u8,
    /// The number of items of a compound's tuple: its name and its arguments.
    pub(super) n_items: u32,
    /// The value itself, if it is atomic.
    pub(super) literal: Option<Term>,
}

#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The kinds that the value may have, as a bit mask.
    pub(super) kinds: u8,
    n_items: Option<u32>,
    literal: Option<Term>,
    not_sizes: Vec<u32>,
    not_literals: Vec<Term>,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            kinds: u8::MAX,
            n_items: None,
            literal: None,
            not_sizes: Vec::new(),
            not_literals: Vec::new(),
        }
    }
}

impl Top {
    pub(super) fn is(&self, head: &Head) -> bool {
        match head {
            Head::Kind(kind) => mask(*kind) & self.kind != 0,
            Head::Tuple(n) => self.kind == COMPOUND && self.n_items == *n,
            Head::Literal(term) => self.literal.as_ref() == Some(term),
        }
    }
}

impl Facts {
    pub(super) fn of_kind(kind: u8) -> Facts {
        Facts { kinds: kind, ..Facts::default() }
    }

    pub(super) fn of_literal(literal: Term) -> Facts {
        let kinds = literal_kind(&literal);
        Facts { kinds, literal: Some(literal), ..Facts::default() }
    }

    pub(super) fn is_literal(&self) -> bool {
        self.literal.is_some()
    }

    /// Whether only one alternative of a choice is still possible. The alternatives are the heads, and having
    /// none of them.
    pub(super) fn decide(&self, heads: &[Head]) -> bool {
        let n_heads = heads.iter().filter(|it| self.allows(it)).count();
        n_heads + usize::from(self.allows_other(heads)) <= 1
    }

    fn allows(&self, head: &Head) -> bool {
        match head {
            Head::Kind(kind) => self.kinds & mask(*kind) != 0,
            Head::Tuple(n) => {
                self.kinds & COMPOUND != 0
                    && self.n_items.is_none_or(|it| it == *n)
                    && !self.not_sizes.contains(n)
            }
            Head::Literal(term) => match &self.literal {
                Some(known) => known == term,
                None => self.kinds & literal_kind(term) != 0 && !self.not_literals.contains(term),
            },
        }
    }

    fn allows_other(&self, heads: &[Head]) -> bool {
        let mut left = self.kinds;
        for head in heads {
            match head {
                Head::Kind(kind) => left &= !mask(*kind),
                Head::Tuple(n) if self.n_items == Some(*n) => left &= !COMPOUND,
                Head::Literal(term) if self.literal.as_ref() == Some(term) => return false,
                Head::Tuple(_) | Head::Literal(_) => {}
            }
        }
        left != 0
    }

    /// Adds the fact that the value has this head.
    pub(super) fn take(&mut self, head: &Head) {
        match head {
            Head::Kind(kind) => self.kinds &= mask(*kind),
            Head::Tuple(n) => {
                self.kinds = COMPOUND;
                self.n_items = Some(*n);
            }
            Head::Literal(term) => *self = Facts::of_literal(term.clone()),
        }
    }

    /// Adds the fact that the value has none of these heads.
    pub(super) fn refuse(&mut self, heads: &[Head]) {
        for head in heads {
            match head {
                Head::Kind(kind) => self.kinds &= !mask(*kind),
                Head::Tuple(n) => self.not_sizes.push(*n),
                Head::Literal(term) => self.not_literals.push(term.clone()),
            }
        }
    }
}

fn mask(kind: Kind) -> u8 {
    match kind {
        Kind::Integer => INTEGER,
        Kind::Float => FLOAT,
        Kind::Number => INTEGER | FLOAT,
        Kind::Atom | Kind::Boolean => ATOM,
        Kind::Nil => NIL,
        Kind::Cons => CONS,
        Kind::List => NIL | CONS,
        Kind::Tuple => COMPOUND,
        Kind::Binary | Kind::Bitstring => TEXT,
        Kind::Reference => VARIABLE,
        Kind::Function | Kind::Map | Kind::Pid | Kind::Port => 0,
    }
}

fn literal_kind(term: &Term) -> u8 {
    match term {
        Term::Int(_) | Term::Big(_) => INTEGER,
        Term::Float(_) => FLOAT,
        Term::Atom(_) => ATOM,
        Term::Nil => NIL,
        Term::List(_) => CONS,
        Term::Tuple(_) => COMPOUND,
        Term::Bits(_) => TEXT,
        Term::Ref(_) => VARIABLE,
        Term::Map(_) | Term::Fun(_) | Term::Pid(_) | Term::Port(_) => 0,
    }
}
