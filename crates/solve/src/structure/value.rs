//! Ground terms: borrowed from the query or owned.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;
use term::{Kinds, List, Term};

#[derive(Clone, Debug)]
pub(super) enum Value<'q> {
    Ref(&'q Term),
    /// The rest of a list after some cells. Invariant: at least one cell is left.
    Rest(&'q List, usize),
    Own(Rc<Term>),
}

impl<'q> Value<'q> {
    pub(super) fn own(term: Term) -> Value<'q> {
        Value::Own(Rc::new(term))
    }

    pub(super) fn truth(holds: bool) -> Value<'q> {
        Value::own(Term::atom(if holds { "true" } else { "false" }))
    }

    pub(super) fn term(&self) -> Cow<'_, Term> {
        match self {
            Value::Ref(term) => Cow::Borrowed(term),
            Value::Own(term) => Cow::Borrowed(term),
            Value::Rest(list, from) => {
                let items = list.items.get(*from..).unwrap_or_default().to_vec();
                Cow::Owned(Term::list(items, list.tail.clone()))
            }
        }
    }

    pub(super) fn kinds(&self) -> Kinds {
        match self {
            Value::Ref(term) => Kinds::of_term(term),
            Value::Own(term) => Kinds::of_term(term),
            Value::Rest(..) => Kinds::CONS,
        }
    }

    pub(super) fn uncons(&self) -> Option<(Value<'q>, Value<'q>)> {
        match self {
            Value::Ref(Term::List(list)) => Some((Value::Ref(list.items.first()?), rest(list, 1))),
            Value::Rest(list, from) => {
                Some((Value::Ref(list.items.get(*from)?), rest(list, from + 1)))
            }
            Value::Own(term) => {
                let Term::List(list) = &**term else { return None };
                let (first, others) = list.items.split_first()?;
                let tail = Term::list(others.to_vec(), list.tail.clone());
                Some((Value::own(first.clone()), Value::own(tail)))
            }
            Value::Ref(_) => None,
        }
    }

    pub(super) fn elements(&self) -> Option<Vec<Value<'q>>> {
        match self {
            Value::Ref(term) => Some(term.as_tuple()?.iter().map(Value::Ref).collect()),
            Value::Own(term) => {
                Some(term.as_tuple()?.iter().map(|it| Value::own(it.clone())).collect())
            }
            Value::Rest(..) => None,
        }
    }

    pub(super) fn arity(&self) -> Option<u32> {
        let n = match self {
            Value::Ref(term) => term.as_tuple()?.len(),
            Value::Own(term) => term.as_tuple()?.len(),
            Value::Rest(..) => return None,
        };
        u32::try_from(n).ok()
    }

    pub(super) fn is_same(&self, other: &Value<'q>) -> bool {
        self.kinds() == other.kinds() && self.term().cmp_exact(&other.term()).is_eq()
    }

    pub(super) fn compare(&self, other: &Value<'q>) -> Ordering {
        self.term().cmp_value(&other.term())
    }
}

fn rest(list: &List, from: usize) -> Value<'_> {
    if from < list.items.len() { Value::Rest(list, from) } else { Value::Ref(&list.tail) }
}
