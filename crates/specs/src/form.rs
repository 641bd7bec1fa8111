//! Types as they are written, before names are resolved.

use num_bigint::BigInt;
use term::{Atom, Kind, Term};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Any,
    None,
    Kind(Kind),
    Literal(Term),
    Range {
        low: Option<BigInt>,
        high: Option<BigInt>,
    },
    /// A list of one or more cells that ends in `tail`; the empty list too if `may_be_empty`.
    List {
        item: Box<Form>,
        tail: Box<Form>,
        may_be_empty: bool,
    },
    Tuple(Vec<Form>),
    Map(Vec<FieldForm>),
    Bits {
        base: u64,
        unit: u64,
    },
    /// A function of any arity if `args` is `None`.
    Fun {
        args: Option<Vec<Form>>,
        result: Box<Form>,
    },
    Union(Vec<Form>),
    /// `iolist()`, the only recursive predefined type.
    Iolist,
    /// A type variable.
    Var(Atom),
    /// `#name{field :: type}`.
    Record {
        name: Atom,
        fields: Vec<(Atom, Form)>,
    },
    /// A type of the same module.
    User {
        name: Atom,
        args: Vec<Form>,
    },
    Remote {
        module: Atom,
        name: Atom,
        args: Vec<Form>,
    },
    /// A type that could not be read, as abstract code.
    Unknown(Term),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldForm {
    pub(crate) key: Form,
    pub(crate) value: Form,
    pub(crate) is_required: bool,
}

impl Form {
    pub(crate) fn from(low: i64) -> Form {
        Form::Range { low: Some(BigInt::from(low)), high: None }
    }

    pub(crate) fn between(low: i64, high: i64) -> Form {
        Form::Range { low: Some(BigInt::from(low)), high: Some(BigInt::from(high)) }
    }

    pub(crate) fn atom(name: &str) -> Form {
        Form::Literal(Term::atom(name))
    }

    pub(crate) fn list(item: Form) -> Form {
        let tail = Box::new(Form::Kind(Kind::Nil));
        Form::List { item: Box::new(item), tail, may_be_empty: true }
    }

    pub(crate) fn nonempty_list(item: Form) -> Form {
        Form::cells(item, Form::Kind(Kind::Nil))
    }

    /// A list of one or more cells that ends in `tail`.
    pub(crate) fn cells(item: Form, tail: Form) -> Form {
        Form::List { item: Box::new(item), tail: Box::new(tail), may_be_empty: false }
    }

    pub(crate) fn or_nil(self) -> Form {
        Form::Union(vec![Form::Kind(Kind::Nil), self])
    }
}
