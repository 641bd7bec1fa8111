//! Terms as a Z3 datatype (after 002, Fig. 8).
//!
//! Floats are reals, atoms are numbers in the order of their names, and what has no theory here
//! (maps, bitstrings, funs, ...) is opaque: a kind and a number.

use ::z3::ast::{Ast, Bool, Dynamic, Int, Real};
use ::z3::{DatatypeAccessor, DatatypeBuilder, DatatypeSort, DatatypeVariant, FuncDecl, Sort};

#[derive(Debug)]
pub(super) struct Theory {
    term: DatatypeSort,
    /// The elements of a tuple, one after another.
    items: DatatypeSort,
}

/// Constructors of terms; the number is the place in the datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Int = 0,
    Float = 1,
    Atom = 2,
    Nil = 3,
    Cons = 4,
    Tuple = 5,
    Ref = 6,
    Fun = 7,
    Port = 8,
    Pid = 9,
    Map = 10,
    Bits = 11,
}

/// All forms, with their names and their places in Erlang's order.
pub(super) const FORMS: [(Form, &str, i64); 12] = [
    (Form::Int, "int", 0),
    (Form::Float, "float", 0),
    (Form::Atom, "atom", 1),
    (Form::Nil, "nil", 8),
    (Form::Cons, "cons", 9),
    (Form::Tuple, "tuple", 6),
    (Form::Ref, "ref", 2),
    (Form::Fun, "fun", 3),
    (Form::Port, "port", 4),
    (Form::Pid, "pid", 5),
    (Form::Map, "map", 7),
    (Form::Bits, "bits", 10),
];

pub(super) const OPAQUE: [Form; 6] =
    [Form::Ref, Form::Fun, Form::Port, Form::Pid, Form::Map, Form::Bits];

const NO_ITEM: usize = 0;
const ITEM: usize = 1;

impl Theory {
    pub(super) fn new() -> Theory {
        let int = || DatatypeAccessor::sort(Sort::int());
        let term = || DatatypeAccessor::datatype("term");
        let items = || DatatypeAccessor::datatype("items");
        let mut terms = DatatypeBuilder::new("term");
        for (form, name, _) in FORMS {
            terms = terms.variant(
                name,
                match form {
                    Form::Int => vec![("int_value", int())],
                    Form::Float => vec![("float_value", DatatypeAccessor::sort(Sort::real()))],
                    Form::Atom => vec![("atom_number", int())],
                    Form::Nil => vec![],
                    Form::Cons => vec![("head", term()), ("tail", term())],
                    Form::Tuple => vec![("elements", items())],
                    Form::Ref => vec![("ref_number", int())],
                    Form::Fun => vec![("fun_number", int())],
                    Form::Port => vec![("port_number", int())],
                    Form::Pid => vec![("pid_number", int())],
                    Form::Map => vec![("map_number", int())],
                    Form::Bits => vec![("bits_number", int())],
                },
            );
        }
        let elements = DatatypeBuilder::new("items")
            .variant("no_item", vec![])
            .variant("item", vec![("first", term()), ("rest", items())]);
        let mut sorts = ::z3::datatype_builder::create_datatypes(vec![terms, elements]);
        let items = sorts.pop().expect("two sorts were asked for");
        let term = sorts.pop().expect("two sorts were asked for");
        Theory { term, items }
    }

    pub(super) fn sort(&self) -> &Sort {
        &self.term.sort
    }

    pub(super) fn make(&self, form: Form, parts: &[&dyn Ast]) -> Dynamic {
        self.variant(form).constructor.apply(parts)
    }

    pub(super) fn is(&self, form: Form, term: &Dynamic) -> Bool {
        truth(&self.variant(form).tester, term)
    }

    pub(super) fn is_any(&self, forms: &[Form], term: &Dynamic) -> Bool {
        Bool::or(&forms.iter().map(|it| self.is(*it, term)).collect::<Vec<Bool>>())
    }

    /// The n-th part of a term of that form; anything, if it has another.
    #[expect(clippy::indexing_slicing, reason = "the form has the part")]
    fn part(&self, form: Form, n: usize, term: &Dynamic) -> Dynamic {
        self.variant(form).accessors[n].apply(&[term])
    }

    /// The number inside an integer, an atom, or an opaque term.
    pub(super) fn number(&self, form: Form, term: &Dynamic) -> Int {
        self.part(form, 0, term).as_int().expect("declared as an integer")
    }

    /// The value of an integer or float.
    pub(super) fn real(&self, term: &Dynamic) -> Real {
        let float = self.part(Form::Float, 0, term).as_real().expect("declared as a real");
        self.is(Form::Int, term).ite(&self.number(Form::Int, term).to_real(), &float)
    }

    pub(super) fn head(&self, term: &Dynamic) -> Dynamic {
        self.part(Form::Cons, 0, term)
    }

    pub(super) fn tail(&self, term: &Dynamic) -> Dynamic {
        self.part(Form::Cons, 1, term)
    }

    pub(super) fn elements(&self, term: &Dynamic) -> Dynamic {
        self.part(Form::Tuple, 0, term)
    }

    /// Elements of a tuple.
    #[expect(clippy::indexing_slicing, reason = "items have these two forms")]
    pub(super) fn items(&self, items: &[Dynamic]) -> Dynamic {
        let end = self.items.variants[NO_ITEM].constructor.apply(&[]);
        let cons = &self.items.variants[ITEM].constructor;
        items.iter().rev().fold(end, |rest, first| cons.apply(&[first, &rest]))
    }

    #[expect(clippy::indexing_slicing, reason = "items have these two forms")]
    pub(super) fn has_item(&self, items: &Dynamic) -> Bool {
        truth(&self.items.variants[ITEM].tester, items)
    }

    /// The first of some elements and the others.
    #[expect(clippy::indexing_slicing, reason = "an item has these two parts")]
    pub(super) fn split_items(&self, items: &Dynamic) -> (Dynamic, Dynamic) {
        let parts = &self.items.variants[ITEM].accessors;
        (parts[0].apply(&[items]), parts[1].apply(&[items]))
    }

    #[expect(clippy::indexing_slicing, reason = "a form's number is its place")]
    fn variant(&self, form: Form) -> &DatatypeVariant {
        &self.term.variants[form as usize]
    }
}

fn truth(test: &FuncDecl, of: &Dynamic) -> Bool {
    test.apply(&[of]).as_bool().expect("a test is boolean")
}
