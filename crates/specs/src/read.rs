//! Reads [`Form`]s from abstract code: all constructs of the type language. Predefined types are expanded.

use crate::form::{FieldForm, Form};
use crate::numbers::integer;
use num_traits::ToPrimitive;
use rustc_hash::FxHashSet;
use term::{Atom, Kind, Term};

/// Reads a type in abstract code. `local` are the types that the module declares; they shadow predefined types of the
/// same name.
pub(crate) fn read_form(form: &Term, local: &FxHashSet<(Atom, usize)>) -> Form {
    Reader { local, own: None }.form(form)
}

/// Reads the body of the declared type `own`. If the body refers to its own name and a predefined type has that name,
/// the predefined type is meant (`-type byte() :: byte().` in `erlang`).
pub(crate) fn read_body(
    form: &Term,
    local: &FxHashSet<(Atom, usize)>,
    own: &(Atom, usize),
) -> Form {
    Reader { local, own: Some(own) }.form(form)
}

struct Reader<'a> {
    local: &'a FxHashSet<(Atom, usize)>,
    own: Option<&'a (Atom, usize)>,
}

impl Reader<'_> {
    fn form(&self, form: &Term) -> Form {
        self.read(form).unwrap_or_else(|| Form::Unknown(form.clone()))
    }

    fn forms(&self, forms: &[Term]) -> Vec<Form> {
        forms.iter().map(|it| self.form(it)).collect()
    }

    fn read(&self, form: &Term) -> Option<Form> {
        let parts = form.as_tuple()?;
        Some(match (parts.first()?.as_atom()?, parts.get(2..)?) {
            ("atom", [Term::Atom(name)]) => Form::Literal(Term::Atom(name.clone())),
            ("var", [Term::Atom(name)]) if name.as_str() == "_" => Form::Any,
            ("var", [Term::Atom(name)]) => Form::Var(name.clone()),
            ("ann_type", [parts]) => self.form(parts.as_list()?.get(1)?),
            ("paren_type", [parts]) => self.form(parts.as_list()?.first()?),
            ("integer" | "char" | "op", _) => Form::Literal(Term::integer(integer(form)?)),
            ("remote_type", [parts]) => {
                let [module, name, args] = parts.as_list()? else { return None };
                let (module, name) = (atom_of(module)?, atom_of(name)?);
                Form::Remote { module, name, args: self.forms(args.as_list()?) }
            }
            ("user_type", [Term::Atom(name), args]) => {
                Form::User { name: name.clone(), args: self.forms(args.as_list()?) }
            }
            ("type", [Term::Atom(name), args]) => {
                let local = (name.clone(), args.as_list().map_or(0, <[Term]>::len));
                if !is_syntax(&local) && self.own != Some(&local) && self.local.contains(&local) {
                    let args = self.forms(args.as_list()?);
                    return Some(Form::User { name: name.clone(), args });
                }
                self.predefined(name.as_str(), args)?
            }
            _ => return None,
        })
    }

    fn predefined(&self, name: &str, args: &Term) -> Option<Form> {
        if args.as_atom() == Some("any") {
            return match name {
                "tuple" => Some(Form::Kind(Kind::Tuple)),
                "map" => Some(Form::Kind(Kind::Map)),
                _ => None,
            };
        }
        match (name, args.as_list()?) {
            ("union", parts) => Some(Form::Union(self.forms(parts))),
            ("tuple", parts) => Some(Form::Tuple(self.forms(parts))),
            ("map", fields) => {
                fields.iter().map(|it| self.field(it)).collect::<Option<_>>().map(Form::Map)
            }
            ("record", [name, fields @ ..]) => {
                let field = |it: &Term| {
                    let [name, of] = arguments(it, "field_type")? else { return None };
                    Some((atom_of(name)?, self.form(of)))
                };
                let fields = fields.iter().map(field).collect::<Option<_>>()?;
                Some(Form::Record { name: atom_of(name)?, fields })
            }
            ("range", [low, high]) => {
                Some(Form::Range { low: Some(integer(low)?), high: Some(integer(high)?) })
            }
            ("binary", [base, unit]) => {
                Some(Form::Bits { base: integer(base)?.to_u64()?, unit: integer(unit)?.to_u64()? })
            }
            ("fun", args) => self.function(args),
            ("bounded_fun", [of, _]) => Some(self.form(of)),
            (name, [item]) => one_parameter(name, self.form(item)),
            (name, [item, tail]) => two_parameters(name, self.form(item), self.form(tail)),
            (name, []) => simple(name),
            _ => None,
        }
    }

    fn field(&self, field: &Term) -> Option<FieldForm> {
        let (pair, is_required) = match arguments(field, "map_field_exact") {
            Some(pair) => (pair, true),
            None => (arguments(field, "map_field_assoc")?, false),
        };
        let [key, value] = pair else { return None };
        Some(FieldForm { key: self.form(key), value: self.form(value), is_required })
    }

    fn function(&self, args: &[Term]) -> Option<Form> {
        let [args, result] = args else {
            return args.is_empty().then_some(Form::Kind(Kind::Function));
        };
        let args = arguments(args, "product").map(|it| self.forms(it));
        Some(Form::Fun { args, result: Box::new(self.form(result)) })
    }
}

/// Whether a name stands for syntax of the type language, which no declaration can shadow.
fn is_syntax((name, n_args): &(Atom, usize)) -> bool {
    match name.as_str() {
        "union" | "range" | "fun" | "bounded_fun" | "record" | "tuple" | "map" => true,
        "nil" => *n_args == 0,
        "list" | "nonempty_list" => *n_args == 1,
        "binary" => *n_args == 2,
        _ => false,
    }
}

/// The arguments of a form `{type, _, Name, Args}` with the given name; `None` for any other form.
pub(crate) fn arguments<'a>(form: &'a Term, name: &str) -> Option<&'a [Term]> {
    match form.as_tuple()? {
        [tag, _, found, args] if tag.as_atom() == Some("type") && found.as_atom() == Some(name) => {
            args.as_list()
        }
        _ => None,
    }
}

pub(crate) fn atom_of(form: &Term) -> Option<Atom> {
    match form.as_tuple()? {
        [tag, _, Term::Atom(name)] if tag.as_atom() == Some("atom") => Some(name.clone()),
        _ => None,
    }
}

fn one_parameter(name: &str, item: Form) -> Option<Form> {
    Some(match name {
        "list" => Form::list(item),
        "nonempty_list" => Form::nonempty_list(item),
        _ => return None,
    })
}

fn two_parameters(name: &str, item: Form, tail: Form) -> Option<Form> {
    Some(match name {
        "maybe_improper_list" => Form::cells(item, tail.or_nil()).or_nil(),
        "nonempty_improper_list" => Form::cells(item, tail),
        "nonempty_maybe_improper_list" => Form::cells(item, tail.or_nil()),
        _ => return None,
    })
}

fn simple(name: &str) -> Option<Form> {
    Some(match name {
        "any" | "term" | "dynamic" => Form::Any,
        "none" | "no_return" => Form::None,
        "atom" | "module" | "node" => Form::Kind(Kind::Atom),
        "boolean" | "bool" => Form::Kind(Kind::Boolean),
        "integer" => Form::Kind(Kind::Integer),
        "float" => Form::Kind(Kind::Float),
        "number" => Form::Kind(Kind::Number),
        "pid" => Form::Kind(Kind::Pid),
        "port" => Form::Kind(Kind::Port),
        "reference" => Form::Kind(Kind::Reference),
        "function" | "fun" => Form::Kind(Kind::Function),
        "binary" => Form::Kind(Kind::Binary),
        "bitstring" => Form::Kind(Kind::Bitstring),
        "nonempty_binary" => Form::Bits { base: 8, unit: 8 },
        "nonempty_bitstring" => Form::Bits { base: 1, unit: 1 },
        "map" => Form::Kind(Kind::Map),
        "tuple" => Form::Kind(Kind::Tuple),
        "nil" => Form::Kind(Kind::Nil),
        "list" => Form::list(Form::Any),
        "nonempty_list" => Form::nonempty_list(Form::Any),
        "maybe_improper_list" => Form::Kind(Kind::List),
        "nonempty_improper_list" | "nonempty_maybe_improper_list" => Form::Kind(Kind::Cons),
        "string" => Form::list(char()),
        "nonempty_string" => Form::nonempty_list(char()),
        "char" => char(),
        "byte" | "arity" => Form::between(0, 255),
        "pos_integer" => Form::from(1),
        "non_neg_integer" => Form::from(0),
        "neg_integer" => Form::Range { low: None, high: Some((-1).into()) },
        "timeout" => Form::Union(vec![Form::atom("infinity"), Form::between(0, MAX_TIMEOUT)]),
        "mfa" => {
            Form::Tuple(vec![Form::Kind(Kind::Atom), Form::Kind(Kind::Atom), Form::between(0, 255)])
        }
        "identifier" => Form::Union(vec![
            Form::Kind(Kind::Pid),
            Form::Kind(Kind::Port),
            Form::Kind(Kind::Reference),
        ]),
        "iolist" => Form::Iolist,
        "iodata" => Form::Union(vec![Form::Kind(Kind::Binary), Form::Iolist]),
        _ => return None,
    })
}

/// The longest timeout in milliseconds that BEAM accepts. `timeout()` has no such bound by its definition, but every
/// function that waits raises `timeout_value` beyond it.
const MAX_TIMEOUT: i64 = 0xffff_ffff;

fn char() -> Form {
    Form::between(0, 0x10_ffff)
}

/// The definition of `iolist()`.
pub(crate) fn iolist() -> Form {
    let binary = Form::Kind(Kind::Binary);
    let item = Form::Union(vec![Form::between(0, 255), binary.clone(), Form::Iolist]);
    Form::cells(item, binary.or_nil()).or_nil()
}
