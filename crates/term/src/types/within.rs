//! Whether all members of a type obviously belong to another type.

use crate::kind::Kind;
use crate::types::{Type, TypeId, Types};
use num_bigint::BigInt;

/// How many nested types are examined; recursive types have no end.
const MAX_NESTED: usize = 16;

/// Whether all members belong to the other type; `false` if that is not obvious.
pub(super) fn is_within(types: &Types, id: TypeId, other: (&Types, TypeId)) -> bool {
    within((types, id), other, MAX_NESTED)
}

fn within((types, id): (&Types, TypeId), other: (&Types, TypeId), left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let part = |a: TypeId, b: TypeId| within((types, a), (other.0, b), left);
    match (types.get(id), other.0.get(other.1)) {
        (Type::None, _) | (_, Type::Any) => true,
        (Type::Literal(term), _) => other.0.has(other.1, term),
        (Type::Union(parts), _) => parts.iter().all(|it| part(*it, other.1)),
        (_, Type::Union(parts)) => parts.iter().any(|it| part(id, *it)),
        (Type::Kind(kind), Type::Kind(wider)) => kind_within(*kind, *wider),
        (Type::Range { .. }, Type::Kind(kind)) => kind_within(Kind::Integer, *kind),
        (Type::Range { low, high }, Type::Range { low: lower, high: higher }) => {
            is_bound(low.as_ref(), lower.as_ref(), |a, b| a >= b)
                && is_bound(high.as_ref(), higher.as_ref(), |a, b| a <= b)
        }
        (
            Type::List { item, tail, may_be_empty },
            Type::List { item: items, tail: tails, may_be_empty: either },
        ) => part(*item, *items) && part(*tail, *tails) && (*either || !may_be_empty),
        (Type::Tuple(parts), Type::Tuple(others)) => {
            parts.len() == others.len() && parts.iter().zip(others).all(|(a, b)| part(*a, *b))
        }
        (Type::Tuple(_), Type::Kind(Kind::Tuple))
        | (Type::Map(_), Type::Kind(Kind::Map))
        | (Type::Bits { .. }, Type::Kind(Kind::Bitstring))
        | (Type::Fun { .. }, Type::Kind(Kind::Function)) => true,
        (Type::Bits { base, unit }, Type::Bits { base: other_base, unit: other_unit }) => {
            (base, unit) == (other_base, other_unit)
        }
        _ => false,
    }
}

fn kind_within(kind: Kind, wider: Kind) -> bool {
    kind == wider
        || matches!(
            (kind, wider),
            (Kind::Boolean, Kind::Atom)
                | (Kind::Binary, Kind::Bitstring)
                | (Kind::Cons | Kind::Nil, Kind::List)
                | (Kind::Integer | Kind::Float, Kind::Number)
        )
}

/// Whether a bound is at least as tight as another one, which may be absent.
fn is_bound(
    bound: Option<&BigInt>,
    other: Option<&BigInt>,
    keeps: impl Fn(&BigInt, &BigInt) -> bool,
) -> bool {
    match (bound, other) {
        (_, None) => true,
        (Some(bound), Some(other)) => keeps(bound, other),
        (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Term;

    fn range(low: i64, high: Option<i64>) -> Type {
        Type::Range { low: Some(low.into()), high: high.map(BigInt::from) }
    }

    #[test]
    fn what_is_plain_is_seen() {
        let mut types = Types::default();
        let mut add = |of| types.add(of);
        let (any, integer) = (add(Type::Any), add(Type::Kind(Kind::Integer)));
        let (bytes, naturals) = (add(range(0, Some(255))), add(range(0, None)));
        let (a, b) = (add(Type::Literal(Term::atom("a"))), add(Type::Literal(Term::atom("b"))));
        let either = add(Type::Union([a, b].into()));
        let nil = add(Type::Literal(Term::Nil));
        let list = |item, may_be_empty| Type::List { item, tail: nil, may_be_empty };
        let (strings, lists) = (add(list(bytes, false)), add(list(naturals, true)));
        let (pair, wide) =
            (add(Type::Tuple([a, bytes].into())), add(Type::Tuple([either, any].into())));
        let check = |of, within, expect| {
            let texts = (types.text(of), types.text(within));
            assert_eq!(types.is_within(of, (&types, within)), expect, "{texts:?}");
        };
        check(integer, any, true);
        check(any, integer, false);
        check(bytes, naturals, true);
        check(naturals, bytes, false);
        check(naturals, integer, true);
        check(integer, naturals, false);
        check(a, either, true);
        check(either, a, false);
        check(either, either, true);
        check(strings, lists, true);
        check(lists, strings, false);
        check(pair, wide, true);
        check(wide, pair, false);
    }
}
