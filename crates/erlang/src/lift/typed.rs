//! The knowledge from the unit's spec: the types of the arguments' parts.
//!
//! Queries never ask for an input that the spec does not allow. So a test is not a choice if only such inputs lead to
//! its other outcome.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::{Domain, Expr, ExprId, Exprs, Kinds, Op, Term, Type, TypeId, Types};

/// The types of a unit's arguments, and memoised summaries of their parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecFacts {
    domain: Arc<Domain>,
    parts: FxHashMap<ExprId, Option<TypeFacts>>,
}

/// The knowledge about an expression that holds in all runs.
#[derive(Clone, Debug)]
pub(super) struct TypeFacts {
    alts: Arc<[TypeAlternative]>,
    pub(super) kinds: Kinds,
    arities: Option<Vec<u32>>,
    /// The least and the greatest value, if the expression is an integer.
    pub(super) low: Option<Term>,
    pub(super) high: Option<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeAlternative {
    Of(TypeId),
    /// The tail of a cell of this list.
    Rest(TypeId),
}

/// The maximum nesting depth of unions that are examined.
const MAX_NESTED: usize = 8;
/// The maximum number of alternative types of an expression; with more, nothing is known of it.
const MAX_ALTS: usize = 64;

impl SpecFacts {
    pub(crate) fn new(domain: Arc<Domain>) -> SpecFacts {
        SpecFacts { domain, parts: FxHashMap::default() }
    }

    /// The knowledge about the expression; `None` if its value may be any term.
    pub(super) fn part(&mut self, exprs: &Exprs, of: ExprId) -> Option<&TypeFacts> {
        self.domain.args?;
        if !self.parts.contains_key(&of) {
            let alts = self.alts(exprs, of);
            let part = alts.and_then(|it| self.summary(&it));
            self.parts.insert(of, part);
        }
        self.parts.get(&of)?.as_ref()
    }

    /// Whether the expression's value may be this term.
    pub(super) fn admits(&mut self, exprs: &Exprs, of: ExprId, term: &Term) -> bool {
        let Some(alts) = self.part(exprs, of).map(|it| Arc::clone(&it.alts)) else { return true };
        alts.iter().any(|it| match it {
            TypeAlternative::Of(id) => self.domain.types.has(*id, term),
            TypeAlternative::Rest(_) => true,
        })
    }

    /// Whether the expression's value certainly belongs to one of these types.
    pub(super) fn is_within(
        &mut self,
        exprs: &Exprs,
        of: ExprId,
        (types, ids): (&Types, &[TypeId]),
    ) -> bool {
        let Some(alts) = self.part(exprs, of).map(|it| Arc::clone(&it.alts)) else { return false };
        alts.iter().all(|it| match it {
            TypeAlternative::Of(id) => {
                ids.iter().any(|it| self.domain.types.is_within(*id, (types, *it)))
            }
            TypeAlternative::Rest(_) => false,
        })
    }

    /// The possible sizes of the expression's value, if it is a tuple; `None` if they are unknown.
    pub(super) fn arities(&mut self, exprs: &Exprs, of: ExprId) -> Option<&[u32]> {
        self.part(exprs, of)?.arities.as_deref()
    }

    fn arities_of(&self, alts: &[TypeAlternative]) -> Option<Vec<u32>> {
        let mut res = Vec::new();
        for alt in alts {
            let arity = match (alt, self.get(*alt)) {
                (TypeAlternative::Of(_), Type::Tuple(items)) => items.len(),
                (TypeAlternative::Of(_), Type::Literal(term)) => match term.as_tuple() {
                    Some(items) => items.len(),
                    None => continue,
                },
                _ if self.kinds(*alt, MAX_NESTED).has(Kinds::TUPLE) => return None,
                _ => continue,
            };
            res.push(u32::try_from(arity).ok()?);
        }
        Some(res)
    }

    fn get(&self, alt: TypeAlternative) -> &Type {
        let (TypeAlternative::Of(id) | TypeAlternative::Rest(id)) = alt;
        self.domain.types.get(id)
    }

    fn alts(&mut self, exprs: &Exprs, of: ExprId) -> Option<Vec<TypeAlternative>> {
        let mut res = Vec::new();
        match exprs.get(of)? {
            Expr::Var(var) => {
                for args in self.flat(TypeAlternative::Of(self.domain.args?))? {
                    if let Type::Tuple(items) = self.get(args) {
                        res.extend(self.flat(TypeAlternative::Of(*items.get(var.0 as usize)?))?);
                    }
                }
            }
            Expr::Apply(op @ (Op::Head | Op::Tail | Op::Element(_)), args) => {
                let of = Arc::clone(&self.part(exprs, *args.first()?)?.alts);
                for alt in of.iter() {
                    res.extend(self.selected(*op, *alt)?);
                }
            }
            Expr::Const(_) | Expr::Apply(..) => return None,
        }
        (res.len() <= MAX_ALTS).then_some(res)
    }

    /// The types of the part that `op` selects from a value of the type; empty if such values have no such part, `None`
    /// if the part's type is unknown.
    fn selected(&self, op: Op, alt: TypeAlternative) -> Option<Vec<TypeAlternative>> {
        match (op, self.get(alt)) {
            (Op::Head, Type::List { item, .. }) => self.flat(TypeAlternative::Of(*item)),
            (Op::Tail, Type::List { .. }) => {
                let (TypeAlternative::Of(id) | TypeAlternative::Rest(id)) = alt;
                Some(vec![TypeAlternative::Rest(id)])
            }
            (Op::Element(place), Type::Tuple(items)) => match items.get(place as usize) {
                Some(item) => self.flat(TypeAlternative::Of(*item)),
                None => Some(vec![]),
            },
            (_, Type::Any | Type::Literal(_) | Type::Kind(_)) => {
                let kinds = self.kinds(alt, MAX_NESTED);
                let may_be = if let Op::Element(_) = op {
                    kinds.has(Kinds::TUPLE)
                } else {
                    kinds.has(Kinds::CONS)
                };
                (!may_be).then(Vec::new)
            }
            _ => Some(vec![]),
        }
    }

    /// The members of a type's unions; `None` if there are too many or the unions are nested too deeply.
    fn flat(&self, alt: TypeAlternative) -> Option<Vec<TypeAlternative>> {
        let mut res = Vec::new();
        let mut todo = vec![(alt, MAX_NESTED)];
        while let Some((alt, left)) = todo.pop() {
            match self.get(alt) {
                Type::Union(of) => {
                    let left = left.checked_sub(1)?;
                    todo.extend(of.iter().rev().map(|it| (TypeAlternative::Of(*it), left)));
                }
                Type::None => (),
                Type::Any
                | Type::Kind(_)
                | Type::Literal(_)
                | Type::Range { .. }
                | Type::List { .. }
                | Type::Tuple(_)
                | Type::Map(_)
                | Type::Bits { .. }
                | Type::Fun { .. } => res.push(alt),
            }
            if res.len() > MAX_ALTS {
                return None;
            }
        }
        Some(res)
    }

    fn kinds(&self, alt: TypeAlternative, left: usize) -> Kinds {
        let Some(left) = left.checked_sub(1) else { return Kinds::ALL };
        let of = |id: &TypeId| self.kinds(TypeAlternative::Of(*id), left);
        match (alt, self.get(alt)) {
            (TypeAlternative::Rest(_), Type::List { tail, .. }) => Kinds::CONS.or(of(tail)),
            (_, Type::List { tail, may_be_empty, .. }) => {
                if *may_be_empty {
                    Kinds::CONS.or(of(tail))
                } else {
                    Kinds::CONS
                }
            }
            (_, Type::Any) => Kinds::ALL,
            (_, Type::None) => Kinds::NONE,
            (_, Type::Kind(kind)) => Kinds::of(*kind),
            (_, Type::Literal(term)) => Kinds::of_term(term),
            (_, Type::Range { .. }) => Kinds::INT,
            (_, Type::Tuple(_)) => Kinds::TUPLE,
            (_, Type::Map(_)) => Kinds::MAP,
            (_, Type::Bits { .. }) => Kinds::BITS,
            (_, Type::Fun { .. }) => Kinds::FUN,
            (_, Type::Union(alts)) => alts.iter().map(of).fold(Kinds::NONE, Kinds::or),
        }
    }

    fn summary(&self, alts: &[TypeAlternative]) -> Option<TypeFacts> {
        let kinds = alts.iter().map(|it| self.kinds(*it, MAX_NESTED)).fold(Kinds::NONE, Kinds::or);
        // Only inputs that the spec does not allow have no kind.
        if kinds == Kinds::ALL || kinds == Kinds::NONE {
            return None;
        }
        let ranges = alts.iter().map(|it| self.range(*it)).collect::<Option<Vec<_>>>();
        let (low, high) = match ranges {
            Some(ranges) if kinds == Kinds::INT => {
                let lows = ranges.iter().map(|it| it.0.clone()).collect::<Option<Vec<_>>>();
                let highs = ranges.into_iter().map(|it| it.1).collect::<Option<Vec<_>>>();
                (
                    lows.and_then(|it| it.into_iter().min_by(Term::cmp_value)),
                    highs.and_then(|it| it.into_iter().max_by(Term::cmp_value)),
                )
            }
            _ => (None, None),
        };
        let arities = self.arities_of(alts);
        Some(TypeFacts { alts: alts.into(), kinds, arities, low, high })
    }

    fn range(&self, alt: TypeAlternative) -> Option<(Option<Term>, Option<Term>)> {
        match self.get(alt) {
            Type::Range { low, high } => {
                Some((low.clone().map(Term::integer), high.clone().map(Term::integer)))
            }
            Type::Literal(term) => Some((Some(term.clone()), Some(term.clone()))),
            Type::Any
            | Type::None
            | Type::Kind(_)
            | Type::List { .. }
            | Type::Tuple(_)
            | Type::Map(_)
            | Type::Bits { .. }
            | Type::Fun { .. }
            | Type::Union(_) => None,
        }
    }
}
