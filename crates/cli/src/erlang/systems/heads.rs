//! Converts the patterns of a callback's clauses to types. Guards are left to the search.

use crate::erlang::systems::walk::{looks_at, mentions};
use erlang::core::{Expr, ExprKind, Function, Module, Pattern, VarId};
use term::{Atom, Field, Kind, Term, Type, TypeId, Types};

/// The types of an argument according to a function's clauses.
#[derive(Clone, Debug, Default)]
pub(super) struct Heads {
    /// The types of patterns.
    pub(super) members: Vec<TypeId>,
    /// Whether a clause matches everything and inspects the value.
    pub(super) is_open: bool,
    /// Whether a clause matches everything and ignores the value.
    pub(super) has_rest: bool,
}

pub(super) fn function<'m>(module: &'m Module, name: &str, arity: usize) -> Option<&'m Function> {
    let is_it = |it: &&Function| it.name.as_str() == name && it.lambda.params.len() == arity;
    module.functions.iter().find(is_it)
}

/// The clauses of a function that are in its source.
pub(super) fn clauses(of: &Function) -> Vec<Head<'_>> {
    let ExprKind::Case { args, clauses } = &of.lambda.body.kind else { return Vec::new() };
    let place = |param: &VarId| {
        args.iter().position(|it| matches!(&it.kind, ExprKind::Var(var) if var == param))
    };
    let Some(places) = of.lambda.params.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return Vec::new();
    };
    let of_source = clauses.iter().filter(|it| it.is_of_source);
    let patterns = of_source.map(|it| {
        let patterns = places.iter().filter_map(|n| it.patterns.get(*n)).collect();
        Head { patterns, guard: &it.guard, body: &it.body }
    });
    patterns.collect()
}

/// A clause of a function.
pub(super) struct Head<'m> {
    /// In the order of the arguments.
    pub(super) patterns: Vec<&'m Pattern>,
    guard: &'m Expr,
    body: &'m Expr,
}

/// The types of the argument at a position. A function without visible clauses accepts any term.
pub(super) fn heads(types: &mut Types, of: &Function, place: usize) -> Heads {
    let clauses = clauses(of);
    let mut res = Heads { is_open: clauses.is_empty(), ..Heads::default() };
    for head in &clauses {
        res.add(types, head, place);
    }
    res
}

impl Heads {
    pub(super) fn add(&mut self, types: &mut Types, head: &Head<'_>, place: usize) {
        if let Some(pattern) = head.patterns.get(place) {
            self.pattern(types, pattern, head);
        }
    }

    fn pattern(&mut self, types: &mut Types, pattern: &Pattern, head: &Head<'_>) {
        match pattern {
            Pattern::Var(var) if mentions(head.guard, *var) || looks_at(head.body, *var) => {
                self.is_open = true;
            }
            Pattern::Var(_) => self.has_rest = true,
            Pattern::Alias(_, inner) => self.pattern(types, inner, head),
            Pattern::Literal(_)
            | Pattern::Cons(..)
            | Pattern::Tuple(_)
            | Pattern::Map(_)
            | Pattern::Binary(_) => {
                let member = type_of(types, pattern);
                if !is_of_runtime(types, member) {
                    self.members.push(member);
                }
            }
        }
    }

    /// The union of all types; `rest` represents values for a clause that ignores them.
    pub(super) fn union(mut self, types: &mut Types, rest: &Term) -> TypeId {
        if self.is_open {
            return types.add(Type::Any);
        }
        if self.has_rest {
            self.members.push(types.add(Type::Literal(rest.clone())));
        }
        union(types, self.members)
    }
}

/// A union without nested unions and without duplicates.
pub(super) fn union(types: &mut Types, members: Vec<TypeId>) -> TypeId {
    let mut flat: Vec<TypeId> = Vec::new();
    let mut todo: Vec<TypeId> = members.into_iter().rev().collect();
    while let Some(id) = todo.pop() {
        match types.get(id).clone() {
            Type::Union(parts) => todo.extend(parts.iter().rev()),
            Type::Any => return id,
            Type::None => (),
            of @ Type::Kind(_)
            | of @ Type::Literal(_)
            | of @ Type::Range { .. }
            | of @ Type::List { .. }
            | of @ Type::Tuple(_)
            | of @ Type::Map(_)
            | of @ Type::Bits { .. }
            | of @ Type::Fun { .. } => {
                if !flat.iter().any(|it| *types.get(*it) == of) {
                    flat.push(id);
                }
            }
        }
    }
    match flat.as_slice() {
        [] => types.add(Type::None),
        [one] => *one,
        _ => types.add(Type::Union(flat.into())),
    }
}

fn type_of(types: &mut Types, pattern: &Pattern) -> TypeId {
    let of = match pattern {
        Pattern::Var(_) => Type::Any,
        Pattern::Alias(_, inner) => return type_of(types, inner),
        Pattern::Literal(term) => Type::Literal(term.clone()),
        Pattern::Tuple(parts) => Type::Tuple(parts.iter().map(|it| type_of(types, it)).collect()),
        Pattern::Cons(..) => {
            let (item, tail) = (types.add(Type::Any), types.add(Type::Literal(Term::Nil)));
            Type::List { item, tail, may_be_empty: false }
        }
        Pattern::Binary(_) => Type::Kind(Kind::Binary),
        Pattern::Map(pairs) => {
            let mut fields = Vec::new();
            for (key, value) in pairs {
                if let ExprKind::Literal(key) = &key.kind {
                    let key = types.add(Type::Literal(key.clone()));
                    let value = type_of(types, value);
                    fields.push(Field { key, value, is_required: true });
                }
            }
            let any = types.add(Type::Any);
            fields.push(Field { key: any, value: any, is_required: false });
            Type::Map(fields.into())
        }
    };
    types.add(of)
}

/// Whether the type is a message about a process that ended, which only the runtime sends.
fn is_of_runtime(types: &Types, of: TypeId) -> bool {
    let Type::Tuple(parts) = types.get(of) else { return false };
    let first = parts.first().map(|it| types.get(*it));
    matches!(first, Some(Type::Literal(Term::Atom(tag))) if is_runtime_tag(tag))
}

/// Whether only the runtime sends such a message.
pub(crate) fn is_runtime_message(message: &Term) -> bool {
    match message.as_tuple() {
        Some([Term::Atom(tag), ..]) => is_runtime_tag(tag),
        Some(_) | None => false,
    }
}

fn is_runtime_tag(tag: &Atom) -> bool {
    matches!(tag.as_str(), "DOWN" | "EXIT")
}
