//! Abstract values: over-approximations of the terms that an expression may have, with join and meet.
//!
//! Knows terms and types, no code.

use engine::{Form, Part, Place, Step};
use term::{Kind, Style, Term, Type, TypeId, Types, print};

/// A set of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Any,
    /// The union of these shapes; empty for no term.
    OneOf(Vec<Shape>),
}

/// A set of terms of one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All terms of this kind.
    Kind(Kind),
    /// An atom or a number.
    Literal(Term),
    /// Lists of such elements, including empty and improper ones.
    List(Value),
    Tuple(Vec<Value>),
    /// Maps with at least these keys and such values.
    Map(Vec<(Term, Value)>),
}

/// The maximum number of literals of one kind in a union.
const MAX_LITERALS: usize = 24;
/// The maximum number of tuples of one arity with different tags in a union.
const MAX_SHAPES: usize = 32;
/// The maximum nesting; deeper parts are widened to [`Value::Any`].
const MAX_DEPTH: usize = 5;

impl Value {
    pub(crate) const NONE: Value = Value::OneOf(Vec::new());

    pub(crate) fn of(shape: Shape) -> Value {
        Value::OneOf(vec![shape])
    }

    pub(crate) fn kind(kind: Kind) -> Value {
        Value::of(Shape::Kind(kind))
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Value::NONE
    }

    /// The abstraction of a single term.
    pub(crate) fn of_term(term: &Term) -> Value {
        match term {
            Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Atom(_) => {
                Value::of(Shape::Literal(term.clone()))
            }
            Term::Nil => Value::kind(Kind::Nil),
            Term::List(list) => {
                Value::of(Shape::List(Value::union(list.items.iter().map(Value::of_term))))
            }
            Term::Tuple(items) => {
                Value::of(Shape::Tuple(items.iter().map(Value::of_term).collect()))
            }
            Term::Map(pairs) => {
                let pair = |it: &(Term, Term)| (it.0.clone(), Value::of_term(&it.1));
                Value::of(Shape::Map(pairs.iter().map(pair).collect()))
            }
            Term::Bits(bits) if bits.bit_len().is_multiple_of(8) => Value::kind(Kind::Binary),
            Term::Bits(_) => Value::kind(Kind::Bitstring),
            Term::Fun(_) => Value::kind(Kind::Function),
            Term::Pid(_) => Value::kind(Kind::Pid),
            Term::Port(_) => Value::kind(Kind::Port),
            Term::Ref(_) => Value::kind(Kind::Reference),
        }
    }

    /// The abstraction of a type in a spec.
    pub(crate) fn of_type(types: &Types, id: TypeId) -> Value {
        of_type(types, id, MAX_DEPTH)
    }

    pub(crate) fn union(values: impl IntoIterator<Item = Value>) -> Value {
        values.into_iter().fold(Value::NONE, Value::or)
    }

    /// The join of two values.
    pub(crate) fn or(self, other: Value) -> Value {
        let (Value::OneOf(mut shapes), Value::OneOf(others)) = (self, other) else {
            return Value::Any;
        };
        for shape in others {
            add(&mut shapes, shape);
        }
        Value::OneOf(shapes)
    }

    /// Widens parts that are nested too deeply.
    pub(crate) fn flat(self) -> Value {
        cut(self, MAX_DEPTH)
    }

    /// The meet with a shape, over-approximated.
    pub(crate) fn and(&self, wanted: &Shape) -> Value {
        match self {
            Value::Any => Value::of(wanted.clone()),
            Value::OneOf(shapes) => {
                Value::OneOf(shapes.iter().filter_map(|it| meet(it, wanted)).collect())
            }
        }
    }

    /// The elements of the lists in this value.
    pub(crate) fn items(&self) -> Value {
        match self {
            Value::Any => Value::Any,
            Value::OneOf(shapes) => Value::union(shapes.iter().map(|it| match it {
                Shape::List(item) => item.clone(),
                Shape::Kind(Kind::List | Kind::Cons) => Value::Any,
                Shape::Kind(_) | Shape::Literal(_) | Shape::Tuple(_) | Shape::Map(_) => Value::NONE,
            })),
        }
    }

    /// The values of a key in the maps in this value.
    pub(crate) fn value_of(&self, key: &Term) -> Value {
        match self {
            Value::Any => Value::Any,
            Value::OneOf(shapes) => Value::union(shapes.iter().map(|it| match it {
                Shape::Map(pairs) => {
                    pairs.iter().find(|it| it.0 == *key).map_or(Value::Any, |it| it.1.clone())
                }
                Shape::Kind(Kind::Map) => Value::Any,
                Shape::Kind(_) | Shape::Literal(_) | Shape::Tuple(_) | Shape::List(_) => {
                    Value::NONE
                }
            })),
        }
    }

    /// The values of the part to which a step leads.
    pub(crate) fn part(&self, step: &Step) -> Value {
        let Value::OneOf(shapes) = self else { return Value::Any };
        match step {
            Step::Item => self.items(),
            Step::Tail(_) => self.clone(),
            Step::Element { n, arity, tag } => {
                let n = usize::try_from(*n).unwrap_or(usize::MAX);
                Value::union(shapes.iter().map(|it| match it {
                    Shape::Tuple(parts) if parts.len() == *arity => {
                        let is_tag =
                            |of: &Value| tag.as_ref().is_none_or(|it| of.may_be(&Term::atom(it)));
                        match parts.first().is_none_or(is_tag) {
                            true => parts.get(n).cloned().unwrap_or(Value::NONE),
                            false => Value::NONE,
                        }
                    }
                    Shape::Kind(Kind::Tuple) => Value::Any,
                    Shape::Kind(_)
                    | Shape::Literal(_)
                    | Shape::Tuple(_)
                    | Shape::List(_)
                    | Shape::Map(_) => Value::NONE,
                }))
            }
            Step::Value(key) => Value::union(shapes.iter().map(|it| match it {
                Shape::Map(pairs) => {
                    let found = pairs.iter().find(|it| print(&it.0, Style::INPUT) == *key);
                    found.map_or(Value::Any, |it| it.1.clone())
                }
                Shape::Kind(Kind::Map) => Value::Any,
                Shape::Kind(_) | Shape::Literal(_) | Shape::Tuple(_) | Shape::List(_) => {
                    Value::NONE
                }
            })),
        }
    }

    pub(crate) fn shapes(&self) -> &[Shape] {
        match self {
            Value::Any => &[],
            Value::OneOf(shapes) => shapes,
        }
    }

    /// Whether all terms are integers.
    pub(crate) fn is_integer(&self) -> bool {
        let is_integer = |it: &Shape| {
            matches!(it, Shape::Kind(Kind::Integer) | Shape::Literal(Term::Int(_) | Term::Big(_)))
        };
        matches!(self, Value::OneOf(shapes) if shapes.iter().all(is_integer))
    }

    /// The outermost part of a term that excludes it from this value; `None` if the term may be in it. `place` is the
    /// position of the term.
    pub(crate) fn misfit<'t>(&self, term: &'t Term, place: Place) -> Option<Misfit<'t>> {
        let Value::OneOf(shapes) = self else { return None };
        let of_form = || shapes.iter().filter(|it| it.has_form(term));
        if of_form().next().is_none() {
            let is_other_literal =
                shapes.iter().any(|it| matches!(it, Shape::Literal(it) if is_alike(it, term)));
            let part = Part { place, form: Form::of(term) };
            return Some(Misfit { part, term: is_other_literal.then_some(term) });
        }
        let mut misfits = Vec::new();
        for shape in of_form() {
            misfits.push(shape.misfit(term, &place)?);
        }
        misfits.into_iter().max_by_key(|it| it.part.place.steps.len())
    }
}

/// A part of a term that excludes it from a value.
#[derive(Clone, Debug)]
pub(crate) struct Misfit<'t> {
    pub(crate) part: Part,
    /// The part itself, if other literals of its kind are allowed there.
    term: Option<&'t Term>,
}

impl Misfit<'_> {
    /// The part in words.
    pub(crate) fn what(&self) -> String {
        match self.term {
            Some(term) => print(term, Style::READABLE),
            None => self.part.form.to_string(),
        }
    }
}

fn is_alike(literal: &Term, term: &Term) -> bool {
    matches!(
        (literal, term),
        (Term::Int(_) | Term::Big(_), Term::Int(_) | Term::Big(_))
            | (Term::Float(_), Term::Float(_))
            | (Term::Atom(_), Term::Atom(_))
    )
}

impl Shape {
    /// Whether the outermost constructor of a term fits this shape.
    fn has_form(&self, term: &Term) -> bool {
        match self {
            Shape::Kind(kind) => kind.has(term),
            Shape::Literal(literal) => literal.cmp_exact(term).is_eq(),
            Shape::List(_) => matches!(term, Term::Nil | Term::List(_)),
            Shape::Tuple(parts) => term.as_tuple().is_some_and(|items| {
                items.len() == parts.len()
                    && match (parts.first(), items.first()) {
                        (Some(first), Some(tag @ Term::Atom(_))) => first.may_be(tag),
                        _ => true,
                    }
            }),
            Shape::Map(pairs) => match term {
                Term::Map(has) => pairs.iter().all(|(key, _)| has.iter().any(|it| it.0 == *key)),
                Term::Int(_) | Term::Big(_) | Term::Float(_) | Term::Atom(_) | Term::Nil => false,
                Term::List(_) | Term::Tuple(_) | Term::Bits(_) | Term::Fun(_) => false,
                Term::Pid(_) | Term::Port(_) | Term::Ref(_) => false,
            },
        }
    }

    /// The part that excludes a term whose outermost constructor fits.
    fn misfit<'t>(&self, term: &'t Term, place: &Place) -> Option<Misfit<'t>> {
        let beyond = |step: Step| {
            let mut place = place.clone();
            place.steps.push(step);
            place
        };
        match (self, term) {
            (Shape::List(item), Term::List(list)) => {
                list.items.iter().find_map(|it| item.misfit(it, beyond(Step::Item)))
            }
            (Shape::Tuple(parts), Term::Tuple(items)) => {
                let tag = items.first().and_then(Term::as_atom).map(str::to_owned);
                let element = |n: usize| Step::Element {
                    n: u32::try_from(n).unwrap_or(u32::MAX),
                    arity: items.len(),
                    tag: tag.clone().filter(|_| n > 0),
                };
                parts
                    .iter()
                    .zip(items)
                    .enumerate()
                    .find_map(|(n, (part, item))| part.misfit(item, beyond(element(n))))
            }
            (Shape::Map(known), Term::Map(pairs)) => known.iter().find_map(|(key, value)| {
                let (_, found) = pairs.iter().find(|it| it.0 == *key)?;
                value.misfit(found, beyond(Step::Value(print(key, Style::INPUT))))
            }),
            (
                Shape::Kind(_)
                | Shape::Literal(_)
                | Shape::List(_)
                | Shape::Tuple(_)
                | Shape::Map(_),
                _,
            ) => None,
        }
    }

    fn kind_of(&self) -> Option<Kind> {
        match self {
            Shape::Kind(kind) => Some(*kind),
            Shape::Literal(_) => None,
            Shape::List(_) => Some(Kind::List),
            Shape::Tuple(_) => Some(Kind::Tuple),
            Shape::Map(_) => Some(Kind::Map),
        }
    }
}

impl Value {
    fn may_be(&self, literal: &Term) -> bool {
        match self {
            Value::Any => true,
            Value::OneOf(shapes) => shapes.iter().any(|it| it.has_form(literal)),
        }
    }

    /// The atom, if the value consists of a single one.
    fn as_tag(&self) -> Option<&Term> {
        match self.shapes() {
            [Shape::Literal(tag @ Term::Atom(_))] => Some(tag),
            _ => None,
        }
    }
}

/// Whether a kind is a subset of another one.
fn is_within(kind: Kind, wider: Kind) -> bool {
    kind == wider
        || matches!(
            (kind, wider),
            (Kind::Boolean, Kind::Atom)
                | (Kind::Binary, Kind::Bitstring)
                | (Kind::Cons | Kind::Nil, Kind::List)
                | (Kind::Integer | Kind::Float, Kind::Number)
        )
}

/// Adds a shape to a union, or joins it with a shape that is there.
fn add(shapes: &mut Vec<Shape>, new: Shape) {
    let covers = |it: &Shape| match (it, &new) {
        (Shape::Kind(kind), Shape::Literal(term)) => kind.has(term),
        (Shape::Kind(kind), _) => new.kind_of().is_some_and(|it| is_within(it, *kind)),
        (it, new) => it == new,
    };
    if shapes.iter().any(covers) {
        return;
    }
    if let Shape::Kind(kind) = &new {
        shapes.retain(|it| match it {
            Shape::Literal(term) => !kind.has(term),
            Shape::Kind(_) | Shape::List(_) | Shape::Tuple(_) | Shape::Map(_) => {
                !it.kind_of().is_some_and(|it| is_within(it, *kind))
            }
        });
        let has_lists = shapes.iter().any(|it| matches!(it, Shape::List(_)));
        if !(has_lists && *kind == Kind::Nil) {
            shapes.push(new);
        }
        return;
    }
    match &new {
        Shape::List(_) => shapes.retain(|it| *it != Shape::Kind(Kind::Nil)),
        Shape::Kind(_) | Shape::Literal(_) | Shape::Tuple(_) | Shape::Map(_) => {}
    }
    let n_same = shapes.iter().filter(|it| is_same_form(it, &new)).count();
    let joined = shapes.iter_mut().find(|it| must_join(it, &new, n_same));
    let Some(known) = joined else {
        shapes.push(new);
        return;
    };
    let wide = join(known.clone(), new);
    if let Shape::Kind(_) = wide {
        add(shapes, wide);
    } else {
        *known = wide;
    }
}

fn is_same_form(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Literal(a), Shape::Literal(b)) => is_alike(a, b),
        (Shape::Tuple(a), Shape::Tuple(b)) => a.len() == b.len(),
        (Shape::List(_), Shape::List(_)) | (Shape::Map(_), Shape::Map(_)) => true,
        (
            Shape::Kind(_) | Shape::Literal(_) | Shape::List(_) | Shape::Tuple(_) | Shape::Map(_),
            _,
        ) => false,
    }
}

/// Whether two shapes must be joined, because they are similar or `n_same` of their form are there already.
fn must_join(known: &Shape, new: &Shape, n_same: usize) -> bool {
    is_same_form(known, new)
        && match (known, new) {
            (Shape::Literal(_), _) => MAX_LITERALS <= n_same,
            (Shape::Tuple(a), Shape::Tuple(b)) => {
                let tag = |it: &[Value]| it.first().and_then(Value::as_tag).cloned();
                tag(a) == tag(b) || MAX_SHAPES <= n_same
            }
            (Shape::Kind(_) | Shape::List(_) | Shape::Tuple(_) | Shape::Map(_), _) => true,
        }
}

/// Joins two shapes of the same form.
fn join(a: Shape, b: Shape) -> Shape {
    match (a, b) {
        (Shape::List(a), Shape::List(b)) => Shape::List(a.or(b)),
        (Shape::Tuple(a), Shape::Tuple(b)) => {
            Shape::Tuple(a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect())
        }
        (Shape::Map(a), Shape::Map(b)) => {
            let both = a.into_iter().filter_map(|(key, value)| {
                let (_, other) = b.iter().find(|it| it.0 == key)?;
                Some((key, value.or(other.clone())))
            });
            Shape::Map(both.collect())
        }
        (Shape::Literal(Term::Atom(_)), _) => Shape::Kind(Kind::Atom),
        (Shape::Literal(Term::Float(_)), _) => Shape::Kind(Kind::Float),
        (Shape::Literal(_), _) => Shape::Kind(Kind::Integer),
        (a @ (Shape::Kind(_) | Shape::List(_) | Shape::Tuple(_) | Shape::Map(_)), _) => a,
    }
}

/// The meet of two shapes; of shapes that overlap partly, one of them.
fn meet(has: &Shape, wanted: &Shape) -> Option<Shape> {
    let wanted_kind = wanted.kind_of();
    match (has, wanted) {
        (Shape::Literal(term), _) => wanted.has_form(term).then(|| has.clone()),
        (Shape::Kind(kind), Shape::Literal(term)) => kind.has(term).then(|| wanted.clone()),
        (Shape::Kind(Kind::Nil), Shape::List(_)) => Some(has.clone()),
        (Shape::List(_), Shape::Kind(Kind::Nil)) => Some(wanted.clone()),
        (Shape::List(_), Shape::Kind(Kind::Cons)) => Some(has.clone()),
        (Shape::Kind(kind), _) => {
            let wider = wanted_kind?;
            if is_within(*kind, wider) {
                Some(has.clone())
            } else {
                is_within(wider, *kind).then(|| wanted.clone())
            }
        }
        (Shape::List(_) | Shape::Tuple(_) | Shape::Map(_), Shape::Kind(kind)) => {
            is_within(has.kind_of()?, *kind).then(|| has.clone())
        }
        (Shape::List(a), Shape::List(b)) => Some(Shape::List(narrower(a, b))),
        (Shape::Tuple(a), Shape::Tuple(b)) if a.len() == b.len() => {
            let parts: Vec<Value> = a.iter().zip(b).map(|(a, b)| narrower(a, b)).collect();
            (!parts.iter().any(Value::is_none)).then_some(Shape::Tuple(parts))
        }
        (Shape::Map(a), Shape::Map(b)) => {
            let mut pairs = a.clone();
            for (key, value) in b {
                match pairs.iter_mut().find(|it| it.0 == *key) {
                    Some((_, known)) => *known = narrower(known, value),
                    None => pairs.push((key.clone(), value.clone())),
                }
            }
            (!pairs.iter().any(|it| it.1.is_none())).then_some(Shape::Map(pairs))
        }
        (Shape::List(_) | Shape::Tuple(_) | Shape::Map(_), _) => None,
    }
}

/// The meet of two values, over-approximated.
fn narrower(a: &Value, b: &Value) -> Value {
    match b {
        Value::Any => a.clone(),
        Value::OneOf(shapes) => Value::union(shapes.iter().map(|it| a.and(it))),
    }
}

fn cut(value: Value, depth: usize) -> Value {
    let Value::OneOf(shapes) = value else { return Value::Any };
    let Some(depth) = depth.checked_sub(1) else { return Value::Any };
    let inside = |it: Value| cut(it, depth);
    Value::OneOf(
        shapes
            .into_iter()
            .map(|it| match it {
                Shape::List(item) => Shape::List(inside(item)),
                Shape::Tuple(parts) => Shape::Tuple(parts.into_iter().map(inside).collect()),
                Shape::Map(pairs) => {
                    Shape::Map(pairs.into_iter().map(|it| (it.0, inside(it.1))).collect())
                }
                it @ (Shape::Kind(_) | Shape::Literal(_)) => it,
            })
            .collect(),
    )
}

fn of_type(types: &Types, id: TypeId, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Any };
    let part = |it: &TypeId| of_type(types, *it, depth);
    match types.get(id) {
        Type::Any => Value::Any,
        Type::None => Value::NONE,
        Type::Kind(kind) => Value::kind(*kind),
        Type::Literal(term) => Value::of_term(term),
        Type::Range { .. } => Value::kind(Kind::Integer),
        Type::List { item, .. } => Value::of(Shape::List(part(item))),
        Type::Tuple(parts) => Value::of(Shape::Tuple(parts.iter().map(part).collect())),
        Type::Map(fields) => {
            let known = fields.iter().filter(|it| it.is_required).filter_map(|it| {
                let Type::Literal(key) = types.get(it.key) else { return None };
                Some((key.clone(), part(&it.value)))
            });
            Value::of(Shape::Map(known.collect()))
        }
        Type::Bits { base, unit } if base % 8 == 0 && unit % 8 == 0 => Value::kind(Kind::Binary),
        Type::Bits { .. } => Value::kind(Kind::Bitstring),
        Type::Fun { .. } => Value::kind(Kind::Function),
        Type::Union(parts) => Value::union(parts.iter().map(part)),
    }
}
