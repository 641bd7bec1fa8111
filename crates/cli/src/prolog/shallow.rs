//! Restricts types to terms of limited nesting (`--term-depth`).

use std::collections::BTreeMap;
use term::{Type, TypeId, Types};

/// The type of those members of a type that have at most `depth` nested compounds or lists. A list counts as one
/// level, whatever its length. `None` if there are none.
pub(crate) fn shallow(types: &mut Types, id: TypeId, depth: usize) -> Option<TypeId> {
    Shallow { types, known: BTreeMap::new() }.of(id, depth)
}

struct Shallow<'a> {
    types: &'a mut Types,
    /// Results by type and depth. A type being computed counts as empty, since unions may contain themselves.
    known: BTreeMap<(TypeId, usize), Option<TypeId>>,
}

impl Shallow<'_> {
    fn of(&mut self, id: TypeId, depth: usize) -> Option<TypeId> {
        if let Some(known) = self.known.get(&(id, depth)) {
            return *known;
        }
        self.known.insert((id, depth), None);
        let found = match self.types.get(id).clone() {
            Type::Tuple(items) => {
                let depth = depth.checked_sub(1)?;
                let items: Option<Vec<TypeId>> =
                    items.iter().map(|it| self.of(*it, depth)).collect();
                items.map(|it| self.types.add(Type::Tuple(it.into())))
            }
            Type::List { item, tail, may_be_empty } => match depth.checked_sub(1) {
                Some(inner) => {
                    let (item, tail) = (self.of(item, inner), self.of(tail, inner));
                    let list =
                        item.zip(tail).map(|(item, tail)| Type::List { item, tail, may_be_empty });
                    list.map(|it| self.types.add(it))
                }
                None => None,
            },
            Type::Union(parts) => {
                let parts: Vec<TypeId> =
                    parts.iter().filter_map(|it| self.of(*it, depth)).collect();
                (!parts.is_empty()).then(|| self.types.add(Type::Union(parts.into())))
            }
            Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. } => Some(id),
        };
        self.known.insert((id, depth), found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::shallow;
    use term::{Term, Type, Types};

    #[test]
    fn numbers_of_peano_end_at_the_bound() {
        let mut types = Types::default();
        let number = types.reserve();
        let zero = types.add(Type::Literal(Term::Int(0)));
        let name = types.add(Type::Literal(Term::atom("s")));
        let next = types.add(Type::Tuple(Box::from([name, number])));
        types.set(number, Type::Union(Box::from([zero, next])));
        let found = shallow(&mut types, number, 2).expect("a type");
        let next = |it: Term| Term::Tuple(vec![Term::atom("s"), it]);
        let two = next(next(Term::Int(0)));
        assert!(types.has(found, &two));
        assert!(!types.has(found, &next(two)));
    }
}
