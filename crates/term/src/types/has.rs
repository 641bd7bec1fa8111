//! Membership of terms in types.
//!
//! Alternatives may overlap, so the same part of a term may be checked repeatedly. Results are memoised where that can
//! happen, which keeps the time proportional to the size of the term times the size of the type.

use crate::ground::{Fun, Term};
use crate::types::{Field, Type, TypeId, Types};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

pub(super) fn has(types: &Types, id: TypeId, term: &Term) -> bool {
    Check { types, known: FxHashMap::default() }.has(id, term, MAX_UNFOLDINGS)
}

/// Returns the index of the field to which a key belongs.
pub(super) fn field_of(types: &Types, fields: &[Field], key: &Term) -> Option<usize> {
    fields.iter().position(|it| types.has(it.key, key))
}

/// The maximal nesting of unions without a constructor in between.
const MAX_UNFOLDINGS: usize = 64;

struct Check<'a> {
    types: &'a Types,
    /// Memoised results for parts of the term and unions. Parts are identified by their addresses, as the term does not
    /// move during the check.
    known: FxHashMap<(TypeId, *const Term), bool>,
}

impl Check<'_> {
    /// Whether the term belongs to the type. `left` is how many more unions may be unfolded before a constructor.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other terms do not belong to the type")]
    fn has(&mut self, id: TypeId, term: &Term, left: usize) -> bool {
        match self.types.get(id) {
            Type::Any => true,
            Type::None => false,
            Type::Kind(kind) => kind.has(term),
            Type::Literal(literal) => literal.cmp_exact(term).is_eq(),
            Type::Range { low, high } => is_in_range(term, low.as_ref(), high.as_ref()),
            Type::List { item, tail, may_be_empty } => match term {
                Term::List(list) => {
                    list.items.iter().all(|it| self.part(*item, it)) && self.part(*tail, &list.tail)
                }
                _ => *may_be_empty && left > 0 && self.has(*tail, term, left - 1),
            },
            Type::Tuple(parts) => match term {
                Term::Tuple(items) if items.len() == parts.len() => {
                    items.iter().zip(parts).all(|(item, part)| self.part(*part, item))
                }
                _ => false,
            },
            Type::Map(fields) => match term {
                Term::Map(pairs) => self.has_pairs(fields, pairs),
                _ => false,
            },
            Type::Bits { base, unit } => match term {
                Term::Bits(bits) => is_bit_size(bits.bit_len() as u64, *base, *unit),
                _ => false,
            },
            Type::Fun { args, result } => match term {
                Term::Fun(fun) => self.has_fun(args.as_deref(), *result, fun),
                _ => false,
            },
            Type::Union(parts) => self.has_any(id, parts, term, left),
        }
    }

    fn part(&mut self, id: TypeId, term: &Term) -> bool {
        self.has(id, term, MAX_UNFOLDINGS)
    }

    fn has_any(&mut self, id: TypeId, parts: &[TypeId], term: &Term, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        if !matches!(term, Term::List(_) | Term::Tuple(_) | Term::Map(_)) {
            return parts.iter().any(|it| self.has(*it, term, left));
        }
        let key = (id, std::ptr::from_ref(term));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let res = parts.iter().any(|it| self.has(*it, term, left));
        self.known.insert(key, res);
        res
    }

    fn has_pairs(&mut self, fields: &[Field], pairs: &[(Term, Term)]) -> bool {
        let mut is_there = vec![false; fields.len()];
        for (key, value) in pairs {
            let Some(at) = fields.iter().position(|it| self.part(it.key, key)) else {
                return false;
            };
            if !fields.get(at).is_some_and(|it| self.part(it.value, value)) {
                return false;
            }
            if let Some(there) = is_there.get_mut(at) {
                *there = true;
            }
        }
        fields.iter().zip(is_there).all(|(field, there)| there || !field.is_required)
    }

    fn has_fun(&mut self, args: Option<&[TypeId]>, result: TypeId, fun: &Fun) -> bool {
        if args.is_some_and(|it| it.len() != usize::from(fun.arity())) {
            return false;
        }
        let Fun::Table { entries, default, .. } = fun else { return true };
        // Only results for arguments within the type are checked.
        let mut is_promised = |it: &(Vec<Term>, Term)| match args {
            None => true,
            Some(args) => args.iter().zip(&it.0).all(|(of, arg)| self.part(*of, arg)),
        };
        let bound: Vec<&Term> =
            entries.iter().filter(|it| is_promised(it)).map(|it| &it.1).collect();
        bound.into_iter().chain([default]).all(|it| self.part(result, it))
    }
}

/// Whether `<<_:base, _:_*unit>>` has members of `bits` bits.
pub fn is_bit_size(bits: u64, base: u64, unit: u64) -> bool {
    match bits.checked_sub(base) {
        None => false,
        Some(rest) if unit == 0 => rest == 0,
        Some(rest) => rest % unit == 0,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other terms are no integers")]
pub(super) fn is_in_range(term: &Term, low: Option<&BigInt>, high: Option<&BigInt>) -> bool {
    let value = match term {
        Term::Int(value) => BigInt::from(*value),
        Term::Big(value) => (**value).clone(),
        _ => return false,
    };
    low.is_none_or(|it| *it <= value) && high.is_none_or(|it| value <= *it)
}

#[cfg(test)]
mod tests {
    use crate::ground::Term;
    use crate::kind::Kind;
    use crate::text::read_term;
    use crate::types::{Type, Types};

    /// `e() :: {e(), 0} | {e(), 1} | ... | x`: the alternatives differ only after a common part.
    fn overlapping() -> (Types, crate::TypeId) {
        let mut types = Types::default();
        let e = types.reserve();
        let mut parts = vec![types.add(Type::Literal(Term::atom("x")))];
        for n in 0..4 {
            let literal = types.add(Type::Literal(Term::Int(n)));
            parts.push(types.add(Type::Tuple([e, literal].into())));
        }
        types.set(e, Type::Union(parts.into()));
        (types, e)
    }

    #[test]
    fn overlapping_alternatives_do_not_multiply() {
        let (types, e) = overlapping();
        for (leaf, belongs) in [("x", true), ("y", false)] {
            let mut term = Term::atom(leaf);
            for _ in 0..200 {
                term = Term::Tuple(vec![term, Term::Int(3)]);
            }
            assert_eq!(types.has(e, &term), belongs);
        }
    }

    #[test]
    fn a_table_returns_what_its_type_says() {
        let mut types = Types::default();
        let (atom, boolean) =
            (types.add(Type::Kind(Kind::Atom)), types.add(Type::Kind(Kind::Boolean)));
        let of = types.add(Type::Fun { args: Some([atom].into()), result: boolean });
        let rows = [
            ("fun (_) -> true end", true),
            ("fun (_) -> a end", false),
            ("fun (a) -> true; (_) -> false end", true),
            ("fun (a) -> b; (_) -> false end", false),
            ("fun (1) -> b; (_) -> false end", true),
            ("fun (_, _) -> true end", false),
            ("fun m:f/1", true),
        ];
        for (text, belongs) in rows {
            let term = read_term(text).unwrap_or_else(|it| panic!("{text}: {it:?}"));
            assert_eq!(types.has(of, &term), belongs, "{text}");
        }
    }
}
