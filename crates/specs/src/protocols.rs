//! Elixir protocols: which values have the type `t()` of a protocol, and what type of value an implementation is given.
//!
//! A protocol declares its `t()` as `term()`. In truth it takes the values for which it is implemented, and an
//! implementation for a struct takes that struct.

use crate::declarations::{ClauseForm, Declarations};
use crate::form::{FieldForm, Form};
use erlang::Host;
use term::{Atom, Kind, Term};

/// The built-in types and the struct types of the standard library for which protocols may be implemented, by the last
/// part of the implementation module's name. `Function` is missing although functions may be enumerable, because hardly
/// any function is.
const OF_LANGUAGE: &[&str] =
    &["List", "Map", "Integer", "Float", "Atom", "BitString", "Tuple", "PID", "Range", "MapSet"];

/// The union of the built-in types for which a protocol is implemented. `None` if it is implemented for none of them,
/// or for `Any`.
pub(crate) fn implementers(host: &mut dyn Host, protocol: &Atom) -> Option<Form> {
    let mut has = |name: &str| {
        host.object_file(&Atom::new(&format!("{}.{name}", protocol.as_str()))).is_some()
    };
    if has("Any") {
        return None;
    }
    let found: Vec<&str> = OF_LANGUAGE.iter().copied().filter(|it| has(it)).collect();
    let forms = found.iter().filter_map(|it| of_language(it));
    let forms: Vec<Form> = forms.collect();
    (!forms.is_empty()).then_some(Form::Union(forms))
}

fn of_language(name: &str) -> Option<Form> {
    Some(match name {
        "List" => Form::list(Form::Any),
        "Map" => Form::Map(vec![any_field()]),
        "Integer" => Form::Kind(Kind::Integer),
        "Float" => Form::Kind(Kind::Float),
        "Atom" => Form::Kind(Kind::Atom),
        "BitString" => Form::Bits { base: 0, unit: 8 },
        "Tuple" => Form::Kind(Kind::Tuple),
        "PID" => Form::Kind(Kind::Pid),
        "Range" | "MapSet" => Form::Remote {
            module: Atom::new(&format!("Elixir.{name}")),
            name: Atom::new("t"),
            args: Vec::new(),
        },
        _ => return None,
    })
}

fn any_field() -> FieldForm {
    FieldForm { key: Form::Any, value: Form::Any, is_required: false }
}

/// The clauses of a protocol's callback, with the type of the first argument replaced by the type that the
/// implementation is for.
pub(crate) fn implemented(
    clauses: &[ClauseForm],
    target: &Atom,
    declared: &Declarations,
) -> Vec<ClauseForm> {
    let own = || match target.as_str().strip_prefix("Elixir.").and_then(of_language) {
        Some(form) => form,
        None if declared.types.contains_key(&(Atom::new("t"), 0)) => {
            Form::Remote { module: target.clone(), name: Atom::new("t"), args: Vec::new() }
        }
        None => {
            let name = Form::Literal(Term::Atom(target.clone()));
            let key = Form::atom("__struct__");
            Form::Map(vec![FieldForm { key, value: name, is_required: true }, any_field()])
        }
    };
    let is_of_protocol = |it: &Form| matches!(it, Form::User { name, args } if name.as_str() == "t" && args.is_empty());
    let clause = |it: &ClauseForm| {
        let mut args = it.args.clone();
        if let Some(first) = args.first_mut().filter(|it| is_of_protocol(it) || **it == Form::Any) {
            *first = own();
        }
        ClauseForm { args, result: it.result.clone(), bounds: it.bounds.clone() }
    };
    clauses.iter().map(clause).collect()
}
