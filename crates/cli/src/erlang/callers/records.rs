//! What the fields of records hold at all places of a project that make them.
//!
//! Whoever is given a record takes what the project puts into it: no spec need say so. A record that was made
//! up and has something else in a field is no value that the function is meant for.

use crate::erlang::callers::flow::MAX_CHANGES;
use crate::erlang::callers::value::{Shape, Value};
use crate::erlang::unit::quoted;
use engine::{Place, Step};
use rustc_hash::FxHashMap;
use specs::Record;
use std::cell::RefCell;
use std::collections::BTreeMap;
use term::{Atom, Kind, Term};
use trace::Input;

/// What modules put into tuples with a tag, by module, tag and number of elements.
#[derive(Debug, Default)]
pub(super) struct Constructions {
    known: FxHashMap<(Atom, Atom, usize), Vec<Field>>,
}

#[derive(Clone, Debug)]
struct Field {
    value: Value,
    n_changes: usize,
}

/// How often what a field may hold is seen to grow, before it may hold anything.
const MAX_GROWTH: usize = 8 * MAX_CHANGES;

impl Constructions {
    /// A module makes a tuple of these parts; `None`: a part of another such tuple.
    pub(super) fn add(&mut self, module: &Atom, parts: &[Option<Value>]) {
        let Some((Some(Value::OneOf(tags)), [_, ..])) = parts.split_first() else { return };
        if parts.iter().flatten().any(Value::is_none) {
            return;
        }
        for tag in tags {
            let Shape::Literal(Term::Atom(tag)) = tag else { continue };
            let key = (module.clone(), tag.clone(), parts.len());
            let fields = self
                .known
                .entry(key)
                .or_insert_with(|| vec![Field { value: Value::NONE, n_changes: 0 }; parts.len()]);
            for (field, part) in fields.iter_mut().zip(parts) {
                part.iter().for_each(|it| field.add(it));
            }
        }
    }

    /// What is known of the records that each module knows. A record of a header belongs to all modules, and
    /// to others that include it, so that only the kinds of what the project puts into it count.
    pub(super) fn of_records(&self, records: &BTreeMap<Atom, Vec<Record>>) -> Records {
        let mut res = Records::default();
        let mut owners: BTreeMap<(Atom, usize), Vec<&Atom>> = BTreeMap::new();
        for (module, record) in
            records.iter().flat_map(|(module, all)| all.iter().map(move |it| (module, it)))
        {
            let arity = 1 + record.fields.len();
            let is_maker = |it: &&(Atom, Atom, usize)| {
                it.1 == record.name && it.2 == arity && (!record.is_own || it.0 == *module)
            };
            let mut values = vec![Value::NONE; arity];
            for key in self.known.keys().filter(is_maker) {
                let fields = self.known.get(key).map(Vec::as_slice).unwrap_or_default();
                for (value, field) in values.iter_mut().zip(fields) {
                    *value = std::mem::replace(value, Value::NONE).or(field.value.clone());
                }
            }
            if values.iter().any(Value::is_none) {
                continue;
            }
            if !record.is_own {
                values.iter_mut().skip(1).for_each(|it| *it = it.kinds());
            }
            let known = Contents { fields: record.fields.clone(), values };
            let name = (record.name.clone(), arity);
            let of_name = owners.entry(name.clone()).or_default();
            if record.is_own || of_name.is_empty() {
                of_name.push(module);
            }
            res.anywhere.insert(name.clone(), known.clone());
            res.of_module.insert((module.clone(), name.0, name.1), known);
        }
        // Of records that are called the same, only their modules know which one is meant.
        res.anywhere.retain(|name, _| owners.get(name).is_some_and(|it| it.len() == 1));
        res
    }
}

impl Field {
    fn add(&mut self, part: &Value) {
        let joined = self.value.clone().or(part.clone()).flat();
        if joined != self.value {
            self.n_changes += 1;
            self.value = if MAX_GROWTH < self.n_changes { Value::Any } else { joined };
        }
    }
}

/// What the project puts into its records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    of_module: FxHashMap<(Atom, Atom, usize), Contents>,
    anywhere: FxHashMap<(Atom, usize), Contents>,
}

#[derive(Clone, Debug)]
struct Contents {
    fields: Vec<Atom>,
    values: Vec<Value>,
}

impl Records {
    /// What a record in an input for a function of a module holds that no code of the project puts there.
    pub(crate) fn misfit(&self, module: &Atom, input: &Input) -> Option<String> {
        let found = RefCell::new(None);
        let is_misfit = |it: &Term| {
            let why = self.misfit_of(module, it);
            let is_one = why.is_some();
            if is_one {
                *found.borrow_mut() = why;
            }
            is_one
        };
        input.args.iter().any(|it| it.has_part(is_misfit)).then(|| found.take()).flatten()
    }

    fn misfit_of(&self, module: &Atom, term: &Term) -> Option<String> {
        let items = term.as_tuple()?;
        let Some((Term::Atom(tag), [_, ..])) = items.split_first() else { return None };
        let own = self.of_module.get(&(module.clone(), tag.clone(), items.len()));
        let Contents { fields, values } =
            own.or_else(|| self.anywhere.get(&(tag.clone(), items.len())))?;
        let known = Value::of(Shape::Tuple(values.clone()));
        let misfit = known.misfit(term, Place { argument: 0, steps: Vec::new() })?;
        let (first, inside) = misfit.part.place.steps.split_first()?;
        let Step::Element { n, .. } = first else { return None };
        let field = fields.get(usize::try_from(*n).ok()?.checked_sub(1)?)?;
        let into = if inside.is_empty() { "the field" } else { "a part of the field" };
        let (what, tag) = (misfit.what(), quoted(tag));
        Some(format!(
            "no code in the project puts {what} into {into} {} of #{tag}{{}}",
            quoted(field)
        ))
    }
}

impl Value {
    /// The same without names and numbers.
    fn kinds(&self) -> Value {
        let Value::OneOf(shapes) = self else { return Value::Any };
        Value::union(shapes.iter().map(|it| match it {
            Shape::Literal(Term::Atom(_)) => Value::kind(Kind::Atom),
            Shape::Literal(Term::Float(_)) => Value::kind(Kind::Float),
            Shape::Literal(_) => Value::kind(Kind::Integer),
            Shape::List(item) => Value::of(Shape::List(item.kinds())),
            Shape::Kind(_) | Shape::Tuple(_) | Shape::Map(_) => Value::of(it.clone()),
        }))
    }
}
