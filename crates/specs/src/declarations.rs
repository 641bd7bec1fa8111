//! All declarations of one module, by name.

use crate::directives::Directives;
use crate::form::Form;
use crate::read::{arguments, atom_of, read_body, read_form};
use erlang::Declared;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Atom, Term};

#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) types: FxHashMap<(Atom, usize), TypeDeclaration>,
    /// The fields of each record in order, each with its type.
    pub(crate) records: FxHashMap<Atom, Vec<(Atom, Form)>>,
    /// The records that are defined in the module's own file, not in an included header.
    pub(crate) own_records: FxHashSet<Atom>,
    pub(crate) specs: FxHashMap<(Atom, usize), Vec<ClauseForm>>,
    pub(crate) callbacks: FxHashMap<(Atom, usize), Vec<ClauseForm>>,
    pub(crate) behaviours: Vec<Atom>,
    /// Whether the module is an Elixir protocol.
    pub(crate) is_protocol: bool,
    /// The type or struct for which the module implements an Elixir protocol.
    pub(crate) implements_for: Option<Atom>,
    pub(crate) directives: Directives,
}

#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) params: Vec<Atom>,
    pub(crate) body: Form,
    pub(crate) is_opaque: bool,
}

/// One clause of an overloaded spec.
#[derive(Debug)]
pub(crate) struct ClauseForm {
    pub(crate) args: Vec<Form>,
    pub(crate) result: Form,
    /// The constraints of type variables in the `when` part, in order.
    pub(crate) bounds: Vec<(Atom, Form)>,
}

impl Declarations {
    /// Reads the abstract forms and attributes of a module. Everything that is not a declaration is ignored.
    pub(crate) fn read(module: &Atom, declared: &Declared) -> Declarations {
        let mut res = Declarations {
            behaviours: behaviours(&declared.attributes),
            is_protocol: persisted(&declared.attributes, "__protocol__").is_some(),
            implements_for: persisted(&declared.attributes, "__impl__").and_then(|it| {
                let is_for = |it: &&[Term]| it.first().and_then(Term::as_atom) == Some("for");
                let pair = it.iter().filter_map(Term::as_tuple).find(is_for)?;
                pair.get(1).and_then(Term::as_atom).map(Atom::new)
            }),
            directives: Directives::read(module, &declared.attributes),
            ..Declarations::default()
        };
        let attributes: Vec<(&str, &Term)> =
            declared.forms.as_list().unwrap_or_default().iter().filter_map(attribute).collect();
        // OTP's own modules have their behaviours only in the abstract forms.
        for (kind, value) in &attributes {
            if let ("behaviour" | "behavior", Term::Atom(name)) = (*kind, *value)
                && !res.behaviours.contains(name)
            {
                res.behaviours.push(name.clone());
            }
        }
        let local = attributes.iter().filter_map(|it| type_name(it.0, it.1)).collect();
        let (mut main, mut file) = (None, None);
        for (kind, value) in attributes {
            if kind == "file" {
                file = value.as_tuple().and_then(|it| it.first()).cloned();
                main = main.or_else(|| file.clone());
                continue;
            }
            if let ("record", Some([Term::Atom(name), _]), true) =
                (kind, value.as_tuple(), file == main)
            {
                res.own_records.insert(name.clone());
            }
            res.declare(kind, value, &local);
        }
        res
    }

    fn declare(&mut self, kind: &str, value: &Term, local: &Local) -> Option<()> {
        match kind {
            "type" | "opaque" | "nominal" => {
                let name = type_name(kind, value)?;
                let [_, body, params] = value.as_tuple()? else { return None };
                let params = params.as_list()?.iter().filter_map(variable).collect();
                let body = read_body(body, local, &name);
                self.types
                    .insert(name, TypeDeclaration { params, body, is_opaque: kind == "opaque" });
            }
            "record" => {
                let [Term::Atom(name), fields] = value.as_tuple()? else { return None };
                let fields = fields.as_list()?.iter().map(|it| record_field(it, local));
                self.records.insert(name.clone(), fields.collect::<Option<_>>()?);
            }
            "spec" | "callback" => {
                let [name, clauses] = value.as_tuple()? else { return None };
                let (function, arity) = match name.as_tuple()? {
                    [Term::Atom(function), arity] => (function.clone(), arity.as_int()?),
                    [_, Term::Atom(function), arity] => (function.clone(), arity.as_int()?),
                    _ => return None,
                };
                let arity = usize::try_from(arity).ok()?;
                let clauses = clauses.as_list()?.iter().map(|it| clause(it, arity, local));
                let clauses = clauses.collect::<Option<Vec<ClauseForm>>>()?;
                let to = if kind == "spec" { &mut self.specs } else { &mut self.callbacks };
                to.insert((function, arity), clauses);
            }
            _ => (),
        }
        Some(())
    }
}

type Local = FxHashSet<(Atom, usize)>;

fn attribute(form: &Term) -> Option<(&str, &Term)> {
    match form.as_tuple()? {
        [tag, _, kind, value] if tag.as_atom() == Some("attribute") => {
            Some((kind.as_atom()?, value))
        }
        _ => None,
    }
}

fn type_name(kind: &str, value: &Term) -> Option<(Atom, usize)> {
    match value.as_tuple()? {
        [Term::Atom(name), _, params] if matches!(kind, "type" | "opaque" | "nominal") => {
            Some((name.clone(), params.as_list()?.len()))
        }
        _ => None,
    }
}

fn variable(form: &Term) -> Option<Atom> {
    match form.as_tuple()? {
        [tag, _, Term::Atom(name)] if tag.as_atom() == Some("var") => Some(name.clone()),
        _ => None,
    }
}

/// The name and type of a record field; a field without a declared type has the type `any()`.
fn record_field(field: &Term, local: &Local) -> Option<(Atom, Form)> {
    let parts = field.as_tuple()?;
    match (parts.first()?.as_atom()?, parts) {
        ("record_field", [_, _, name, ..]) => Some((atom_of(name)?, Form::Any)),
        ("typed_record_field", [_, field, of, ..]) => {
            Some((atom_of(field.as_tuple()?.get(2)?)?, read_form(of, local)))
        }
        _ => None,
    }
}

fn clause(form: &Term, arity: usize, local: &Local) -> Option<ClauseForm> {
    if let Some([of, constraints]) = arguments(form, "bounded_fun") {
        let bounds = constraints.as_list()?.iter().map(|it| bound(it, local));
        return Some(ClauseForm {
            bounds: bounds.collect::<Option<_>>()?,
            ..clause(of, arity, local)?
        });
    }
    let [args, result] = arguments(form, "fun")? else { return None };
    let args: Vec<Form> =
        arguments(args, "product")?.iter().map(|it| read_form(it, local)).collect();
    let result = read_form(result, local);
    (args.len() == arity).then_some(ClauseForm { args, result, bounds: Vec::new() })
}

fn bound(form: &Term, local: &Local) -> Option<(Atom, Form)> {
    let [_, pair] = arguments(form, "constraint")? else { return None };
    let [name, of] = pair.as_list()? else { return None };
    Some((variable(name)?, read_form(of, local)))
}

/// The values of a persistent attribute, which the compiled module keeps.
fn persisted<'t>(attributes: &'t Term, wanted: &str) -> Option<&'t [Term]> {
    attributes.as_list()?.iter().find_map(|it| match it.as_tuple()? {
        [name, values] if name.as_atom() == Some(wanted) => values.as_list(),
        _ => None,
    })
}

fn behaviours(attributes: &Term) -> Vec<Atom> {
    let mut res = Vec::new();
    for attribute in attributes.as_list().unwrap_or_default() {
        if let Some([name, names]) = attribute.as_tuple()
            && matches!(name.as_atom(), Some("behaviour" | "behavior"))
        {
            for name in names.as_list().unwrap_or_default() {
                if let Term::Atom(name) = name {
                    res.push(name.clone());
                }
            }
        }
    }
    res
}
