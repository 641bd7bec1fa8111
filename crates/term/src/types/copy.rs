//! Copying of types between graphs.

use super::{Field, Type, TypeId, Types};
use std::collections::BTreeMap;

/// Copies a type with all types it refers to.
pub(super) fn copy(from: &Types, id: TypeId, to: &mut Types) -> TypeId {
    Copier { from, to, known: BTreeMap::new() }.copy(id)
}

struct Copier<'a> {
    from: &'a Types,
    to: &'a mut Types,
    known: BTreeMap<TypeId, TypeId>,
}

impl Copier<'_> {
    fn copy(&mut self, id: TypeId) -> TypeId {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let res = self.to.reserve();
        self.known.insert(id, res);
        if let Some(name) = self.from.name_of(id) {
            self.to.name(res, name.to_owned());
        }
        let of = self.node(id);
        self.to.set(res, of);
        res
    }

    fn all(&mut self, of: &[TypeId]) -> Box<[TypeId]> {
        of.iter().map(|it| self.copy(*it)).collect()
    }

    fn node(&mut self, id: TypeId) -> Type {
        match self.from.get(id) {
            Type::List { item, tail, may_be_empty } => Type::List {
                item: self.copy(*item),
                tail: self.copy(*tail),
                may_be_empty: *may_be_empty,
            },
            Type::Tuple(parts) => Type::Tuple(self.all(parts)),
            Type::Map(fields) => {
                let fields = fields.iter().map(|it| Field {
                    key: self.copy(it.key),
                    value: self.copy(it.value),
                    is_required: it.is_required,
                });
                Type::Map(fields.collect())
            }
            Type::Fun { args, result } => {
                Type::Fun { args: args.as_ref().map(|it| self.all(it)), result: self.copy(*result) }
            }
            Type::Union(parts) => Type::Union(self.all(parts)),
            simple @ (Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::Bits { .. }) => simple.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Term;

    #[test]
    fn a_copy_has_the_same_members() {
        let mut from = Types::default();
        let leaf = from.add(Type::Literal(Term::atom("leaf")));
        let tree = from.reserve();
        let node = from.add(Type::Tuple([tree, tree].into()));
        from.set(tree, Type::Union([leaf, node].into()));
        let mut to = Types::default();
        to.add(Type::Any);
        let copied = to.copy_of(&from, tree);
        let leaf = || Term::atom("leaf");
        let pair = |a: Term, b: Term| Term::Tuple(vec![a, b]);
        for term in [leaf(), pair(leaf(), pair(leaf(), leaf())), pair(leaf(), Term::Nil)] {
            assert_eq!(from.has(tree, &term), to.has(copied, &term), "{term:?}");
        }
    }
}
