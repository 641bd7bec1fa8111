//! A first input that is not the smallest: lists of two, texts of two letters.
//!
//! What depends on two texts of one length, or on a list with a second item, is many choices away from
//! the smallest input.

use term::{Kind, Term, Type, TypeId, Types};

/// Lists and compounds inside each other beyond this are as small as can be.
const MAX_DEPTH: usize = 3;

/// A member of the type of some size; `None` if it has none.
pub(crate) fn medium(types: &Types, id: TypeId) -> Option<Term> {
    of(types, id, 0)
}

fn of(types: &Types, id: TypeId, depth: usize) -> Option<Term> {
    if MAX_DEPTH < depth {
        return types.smallest(id);
    }
    match types.get(id) {
        Type::Kind(Kind::Integer | Kind::Number) => Some(Term::Int(2)),
        Type::Kind(Kind::Atom) => Some(Term::atom("ab")),
        Type::Kind(Kind::Binary | Kind::Bitstring) => Some(Term::binary(b"ab".to_vec())),
        Type::List { item, tail, .. } => {
            let (item, tail) = (of(types, *item, depth + 1)?, types.smallest(*tail)?);
            Some(Term::list(vec![item.clone(), item], tail))
        }
        Type::Tuple(items) => {
            let items = items.iter().map(|it| of(types, *it, depth + 1));
            items.collect::<Option<Vec<Term>>>().map(Term::Tuple)
        }
        Type::Union(parts) => {
            let best = parts.iter().max_by_key(|it| rank(types.get(**it)))?;
            of(types, *best, depth)
        }
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Range { .. }
        | Type::Map(_)
        | Type::Bits { .. }
        | Type::Fun { .. } => types.smallest(id),
    }
}

/// Which part of a union has most to look at.
fn rank(of: &Type) -> u8 {
    match of {
        Type::List { .. } => 4,
        Type::Kind(Kind::Binary | Kind::Bitstring) => 3,
        Type::Tuple(_) => 2,
        Type::Kind(Kind::Atom | Kind::Integer | Kind::Number) | Type::Range { .. } => 1,
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Map(_)
        | Type::Bits { .. }
        | Type::Fun { .. }
        | Type::Union(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::medium;
    use term::{Kind, Term, Type, Types};

    #[test]
    fn a_list_has_two_items() {
        let mut types = Types::default();
        let item = types.add(Type::Kind(Kind::Binary));
        let tail = types.add(Type::Literal(Term::Nil));
        let list = types.add(Type::List { item, tail, may_be_empty: true });
        let text = Term::binary(b"ab".to_vec());
        let expect = Term::list(vec![text.clone(), text], Term::Nil);
        assert_eq!(medium(&types, list), Some(expect));
    }
}
