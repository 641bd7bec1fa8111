//! Types as lines of a query: a word and the parts of the type, where other types are referred to by number.

use crate::kind::Kind;
use crate::text::{Style, read_term};
use crate::types::{Field, Type, TypeId};
use num_bigint::BigInt;

pub(super) fn print(of: &Type) -> String {
    let numbers = |ids: &[TypeId]| ids.iter().map(|it| format!(" {}", it.0)).collect::<String>();
    let bound =
        |it: &Option<BigInt>| it.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    match of {
        Type::Any => "any".to_owned(),
        Type::None => "none".to_owned(),
        Type::Kind(kind) => format!("kind {}", kind.name()),
        Type::Literal(term) => format!("literal {}", crate::text::print(term, Style::TW)),
        Type::Range { low, high } => format!("range {} {}", bound(low), bound(high)),
        Type::List { item, tail, may_be_empty } => {
            let word = if *may_be_empty { "list" } else { "nonempty_list" };
            format!("{word} {} {}", item.0, tail.0)
        }
        Type::Tuple(parts) => format!("tuple{}", numbers(parts)),
        Type::Map(fields) => {
            let field = |it: &Field| {
                let arrow = if it.is_required { ":=" } else { "=>" };
                format!(" {}{arrow}{}", it.key.0, it.value.0)
            };
            format!("map{}", fields.iter().map(field).collect::<String>())
        }
        Type::Bits { base, unit } => format!("bits {base} {unit}"),
        Type::Fun { args: None, result } => format!("fun any {}", result.0),
        Type::Fun { args: Some(args), result } => format!("fun{} -> {}", numbers(args), result.0),
        Type::Union(parts) => format!("union{}", numbers(parts)),
    }
}

pub(super) fn read(text: &str) -> Option<Type> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let words: Vec<&str> = rest.split_whitespace().collect();
    match (word, words.as_slice()) {
        ("any", []) => Some(Type::Any),
        ("none", []) => Some(Type::None),
        ("kind", [name]) => Kind::from_name(name).map(Type::Kind),
        ("literal", _) => read_term(rest).ok().map(Type::Literal),
        ("range", [low, high]) => Some(Type::Range { low: bound(low)?, high: bound(high)? }),
        ("list" | "nonempty_list", [item, tail]) => {
            let (item, tail) = (number(item)?, number(tail)?);
            Some(Type::List { item, tail, may_be_empty: word == "list" })
        }
        ("tuple", parts) => numbers(parts).map(Type::Tuple),
        ("map", fields) => fields.iter().map(|it| field(it)).collect::<Option<_>>().map(Type::Map),
        ("bits", [base, unit]) => {
            Some(Type::Bits { base: base.parse().ok()?, unit: unit.parse().ok()? })
        }
        ("fun", ["any", result]) => Some(Type::Fun { args: None, result: number(result)? }),
        ("fun", [args @ .., "->", result]) => {
            Some(Type::Fun { args: Some(numbers(args)?), result: number(result)? })
        }
        ("union", parts) => numbers(parts).map(Type::Union),
        _ => None,
    }
}

fn number(word: &str) -> Option<TypeId> {
    word.parse().ok().map(TypeId)
}

fn numbers(words: &[&str]) -> Option<Box<[TypeId]>> {
    words.iter().map(|it| number(it)).collect()
}

fn bound(word: &str) -> Option<Option<BigInt>> {
    if word == "-" { Some(None) } else { word.parse().ok().map(Some) }
}

fn field(word: &str) -> Option<Field> {
    let is_required = word.contains(":=");
    let (key, value) = word.split_once(if is_required { ":=" } else { "=>" })?;
    Some(Field { key: number(key)?, value: number(value)?, is_required })
}
