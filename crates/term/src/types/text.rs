//! The text of types in Erlang's syntax.

use crate::kind::Kind;
use crate::text::{Style, print};
use crate::types::{Field, Type, TypeId, Types};
use num_bigint::BigInt;
use std::fmt::Write;

pub(super) fn text(types: &Types, id: TypeId) -> String {
    let mut res = String::new();
    write_type(types, id, 0, &mut res);
    res
}

/// Deeper or longer parts are shown as `...`.
const MAX_DEPTH: usize = 12;
const MAX_LEN: usize = 2000;

fn write_type(types: &Types, id: TypeId, depth: usize, out: &mut String) {
    if depth > MAX_DEPTH || out.len() > MAX_LEN {
        out.push_str("...");
        return;
    }
    if let Some(name) = types.name_of(id) {
        out.push_str(name);
        return;
    }
    match types.get(id) {
        Type::Any => out.push_str("any()"),
        Type::None => out.push_str("none()"),
        Type::Kind(kind) => out.push_str(kind_text(*kind)),
        Type::Literal(term) => out.push_str(&print(term, Style::TW)),
        Type::Range { low, high } => range(low.as_ref(), high.as_ref(), out),
        Type::List { item, tail, may_be_empty } => {
            list(types, (*item, *tail), *may_be_empty, depth, out);
        }
        Type::Tuple(parts) => sequence(types, ("{", parts, "}"), ",", depth, out),
        Type::Map(fields) => map(types, fields, depth, out),
        Type::Bits { base, unit } => {
            write!(out, "<<_:{base},_:_*{unit}>>").ok();
        }
        Type::Fun { args, result } => {
            match args {
                None => out.push_str("fun((...)"),
                Some(args) => sequence(types, ("fun((", args, ")"), ",", depth, out),
            }
            out.push_str(" -> ");
            write_type(types, *result, depth + 1, out);
            out.push(')');
        }
        Type::Union(parts) => sequence(types, ("", parts, ""), " | ", depth, out),
    }
}

fn sequence(
    types: &Types,
    (open, parts, close): (&str, &[TypeId], &str),
    between: &str,
    depth: usize,
    out: &mut String,
) {
    out.push_str(open);
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            out.push_str(between);
        }
        write_type(types, *part, depth + 1, out);
    }
    out.push_str(close);
}

fn list(
    types: &Types,
    (item, tail): (TypeId, TypeId),
    may_be_empty: bool,
    depth: usize,
    out: &mut String,
) {
    let is_proper = match types.get(tail) {
        Type::Kind(Kind::Nil) => true,
        Type::Literal(term) => term.as_list().is_some(),
        Type::Any | Type::None | Type::Kind(_) | Type::Range { .. } | Type::List { .. } => false,
        Type::Tuple(_) | Type::Map(_) | Type::Bits { .. } | Type::Fun { .. } => false,
        Type::Union(_) => false,
    };
    if is_proper {
        let close = if may_be_empty { "]" } else { ",...]" };
        return sequence(types, ("[", &[item], close), "", depth, out);
    }
    let open = if may_be_empty { "maybe_improper_list(" } else { "nonempty_improper_list(" };
    sequence(types, (open, &[item, tail], ")"), ",", depth, out);
}

fn map(types: &Types, fields: &[Field], depth: usize, out: &mut String) {
    out.push_str("#{");
    for (n, field) in fields.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        write_type(types, field.key, depth + 1, out);
        out.push_str(if field.is_required { " := " } else { " => " });
        write_type(types, field.value, depth + 1, out);
    }
    out.push('}');
}

fn range(low: Option<&BigInt>, high: Option<&BigInt>, out: &mut String) {
    let (zero, one) = (BigInt::from(0), BigInt::from(1));
    match (low, high) {
        (Some(low), Some(high)) => write!(out, "{low}..{high}").ok(),
        (None, None) => write!(out, "integer()").ok(),
        (Some(low), None) if *low == zero => write!(out, "non_neg_integer()").ok(),
        (Some(low), None) if *low == one => write!(out, "pos_integer()").ok(),
        (None, Some(high)) if *high == -one => write!(out, "neg_integer()").ok(),
        // Erlang has no syntax for other half-open ranges, and no spec makes them.
        (Some(low), None) => write!(out, "{low}..").ok(),
        (None, Some(high)) => write!(out, "..{high}").ok(),
    };
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Atom => "atom()",
        Kind::Binary => "binary()",
        Kind::Bitstring => "bitstring()",
        Kind::Boolean => "boolean()",
        Kind::Cons => "nonempty_maybe_improper_list()",
        Kind::Float => "float()",
        Kind::Function => "fun()",
        Kind::Integer => "integer()",
        Kind::List => "maybe_improper_list()",
        Kind::Map => "map()",
        Kind::Nil => "[]",
        Kind::Number => "number()",
        Kind::Pid => "pid()",
        Kind::Port => "port()",
        Kind::Reference => "reference()",
        Kind::Tuple => "tuple()",
    }
}
