//! Extracts the part of a type graph that is reachable from some types, and simplifies it: unions are flattened and
//! their duplicate or subsumed members removed.

use crate::build::leaves;
use rustc_hash::FxHashMap;
use term::{Field, Type, TypeId, Types};

pub(crate) fn extract(from: &Types, roots: &[TypeId]) -> (Types, Vec<TypeId>) {
    let mut copier = Copier { from, to: Types::default(), copies: FxHashMap::default() };
    let roots = roots.iter().map(|it| copier.copy(*it)).collect();
    (copier.to, roots)
}

struct Copier<'a> {
    from: &'a Types,
    to: Types,
    copies: FxHashMap<TypeId, TypeId>,
}

impl Copier<'_> {
    fn copy(&mut self, id: TypeId) -> TypeId {
        if let Some(copy) = self.copies.get(&id) {
            return *copy;
        }
        let parts = self.parts(id);
        let copy = match parts.as_slice() {
            [one] if *one == id => self.to.reserve(),
            [one] => {
                let copy = self.copy(*one);
                self.copies.insert(id, copy);
                self.copy_name(id, copy);
                return copy;
            }
            _ => self.to.reserve(),
        };
        self.copies.insert(id, copy);
        self.copy_name(id, copy);
        let of = match parts.as_slice() {
            [] => Type::None,
            [one] => self.node(*one),
            _ => {
                let mut copies: Vec<TypeId> = Vec::with_capacity(parts.len());
                for part in parts {
                    let part = self.copy(part);
                    if !copies.contains(&part) {
                        copies.push(part);
                    }
                }
                Type::Union(copies.into())
            }
        };
        self.to.set(copy, of);
        copy
    }

    fn copy_name(&mut self, id: TypeId, copy: TypeId) {
        if let Some(name) = self.from.name_of(id) {
            self.to.name(copy, name.to_owned());
        }
    }

    /// The members of a union without those that another member subsumes.
    fn parts(&self, id: TypeId) -> Vec<TypeId> {
        let mut parts = leaves(self.from, id);
        if parts.len() < 2 {
            return parts;
        }
        parts.retain(|it| *self.from.get(*it) != Type::None);
        if let Some(any) = parts.iter().find(|it| *self.from.get(**it) == Type::Any) {
            return vec![*any];
        }
        let kinds: Vec<TypeId> = parts
            .iter()
            .copied()
            .filter(|it| matches!(self.from.get(*it), Type::Kind(_)))
            .collect();
        parts.retain(|it| match self.from.get(*it) {
            Type::Literal(term) => !kinds.iter().any(|kind| self.from.has(*kind, term)),
            Type::Any | Type::None | Type::Kind(_) | Type::Range { .. } | Type::List { .. } => true,
            Type::Tuple(_) | Type::Map(_) | Type::Bits { .. } | Type::Fun { .. } => true,
            Type::Union(_) => true,
        });
        parts
    }

    fn node(&mut self, id: TypeId) -> Type {
        match self.from.get(id) {
            Type::List { item, tail, may_be_empty } => Type::List {
                item: self.copy(*item),
                tail: self.copy(*tail),
                may_be_empty: *may_be_empty,
            },
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|it| self.copy(*it)).collect()),
            Type::Map(fields) => {
                let fields = fields.iter().map(|it| Field {
                    key: self.copy(it.key),
                    value: self.copy(it.value),
                    is_required: it.is_required,
                });
                Type::Map(fields.collect())
            }
            Type::Fun { args, result } => Type::Fun {
                args: args.as_ref().map(|it| it.iter().map(|it| self.copy(*it)).collect()),
                result: self.copy(*result),
            },
            simple @ (Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::Literal(_)
            | Type::Range { .. }
            | Type::Bits { .. }
            | Type::Union(_)) => simple.clone(),
        }
    }
}
