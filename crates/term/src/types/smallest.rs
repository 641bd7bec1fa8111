//! Small members of types.
//!
//! First the depth of the shallowest member of every type is computed as a fixpoint. The member is then constructed
//! without search, in time proportional to its size.

use crate::bits::Bits;
use crate::ground::{Fun, Term};
use crate::kind::Kind;
use crate::types::has::{field_of, is_in_range};
use crate::types::{Field, Type, TypeId, Types};
use num_bigint::BigInt;

pub(super) fn smallest(types: &Types, id: TypeId) -> Option<Term> {
    Finder { types, depths: depths(types, &reachable(types, id)) }.member(id)
}

/// Returns for each type whether it has members.
pub(super) fn inhabited(types: &Types) -> Vec<bool> {
    let all: Vec<TypeId> =
        (0..types.len()).filter_map(|it| u32::try_from(it).ok()).map(TypeId).collect();
    depths(types, &all).iter().map(Option::is_some).collect()
}

/// Returns the depth of the shallowest member of these types, with unions counted as levels; `None` for an empty type.
/// The types must be closed under reference.
fn depths(types: &Types, order: &[TypeId]) -> Vec<Option<u32>> {
    let mut depths = vec![None; types.len()];
    loop {
        let mut is_done = true;
        // Parts come after the types that refer to them.
        for id in order.iter().rev() {
            let found = depth(types, *id, &depths);
            if let Some(slot) = depths.get_mut(id.0 as usize)
                && *slot != found
            {
                *slot = found;
                is_done = false;
            }
        }
        if is_done {
            return depths;
        }
    }
}

fn reachable(types: &Types, root: TypeId) -> Vec<TypeId> {
    let mut seen = vec![false; types.len()];
    let (mut res, mut todo) = (Vec::new(), vec![root]);
    while let Some(id) = todo.pop() {
        match seen.get_mut(id.0 as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        res.push(id);
        match types.get(id) {
            Type::Any | Type::None | Type::Kind(_) | Type::Literal(_) => (),
            Type::Range { .. } | Type::Bits { .. } => (),
            Type::List { item, tail, .. } => todo.extend([*item, *tail]),
            Type::Tuple(parts) | Type::Union(parts) => todo.extend(parts),
            Type::Map(fields) => todo.extend(fields.iter().flat_map(|it| [it.key, it.value])),
            // The arguments of a function do not matter for whether there is one.
            Type::Fun { result, .. } => todo.push(*result),
        }
    }
    res
}

/// Computes the depth from what is known of the parts so far. From round to round, it only decreases.
fn depth(types: &Types, id: TypeId, depths: &[Option<u32>]) -> Option<u32> {
    let of = |id: TypeId| depths.get(id.0 as usize).copied().flatten();
    let deepest = |parts: &mut dyn Iterator<Item = TypeId>| {
        let mut deepest = 0;
        for part in parts {
            deepest = of(part)?.max(deepest);
        }
        Some(deepest + 1)
    };
    match types.get(id) {
        Type::None => None,
        Type::Any | Type::Kind(_) | Type::Literal(_) | Type::Bits { .. } => Some(0),
        Type::Range { low, high } => in_range(low.as_ref(), high.as_ref()).map(|_| 0),
        Type::List { item, tail, may_be_empty: false } => deepest(&mut [*item, *tail].into_iter()),
        Type::List { tail, .. } => of(*tail).map(|it| it + 1),
        Type::Tuple(parts) => deepest(&mut parts.iter().copied()),
        Type::Map(fields) => {
            let required = fields.iter().filter(|it| it.is_required);
            deepest(&mut required.flat_map(|it| [it.key, it.value]))
        }
        Type::Fun { result, .. } => of(*result).map(|it| it + 1),
        Type::Union(parts) => parts.iter().filter_map(|it| of(*it)).min().map(|it| it + 1),
    }
}

struct Finder<'a> {
    types: &'a Types,
    depths: Vec<Option<u32>>,
}

impl Finder<'_> {
    /// Returns the shallowest member. Terminates, since parts are shallower than the whole.
    fn member(&self, id: TypeId) -> Option<Term> {
        self.depth(id)?;
        match self.types.get(id) {
            Type::None => None,
            Type::Any => Some(Term::Int(0)),
            Type::Kind(kind) => Some(kind.smallest()),
            Type::Literal(term) => Some(term.clone()),
            Type::Range { low, high } => in_range(low.as_ref(), high.as_ref()),
            Type::List { tail, may_be_empty: true, .. } => self.member(*tail),
            Type::List { item, tail, may_be_empty: false } => {
                Some(Term::list(vec![self.member(*item)?], self.member(*tail)?))
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.member(*it));
                parts.collect::<Option<Vec<Term>>>().map(Term::Tuple)
            }
            Type::Map(fields) => self.map(fields),
            Type::Bits { base, .. } => Bits::made_up(*base).map(Term::Bits),
            Type::Fun { args, result } => {
                let arity = u8::try_from(args.as_ref().map_or(0, |it| it.len())).ok()?;
                let default = self.member(*result)?;
                Some(Term::Fun(Box::new(Fun::Table { arity, entries: Vec::new(), default })))
            }
            Type::Union(parts) => {
                let shallowest = parts.iter().filter(|it| self.depth(**it).is_some());
                self.member(*shallowest.min_by_key(|it| self.depth(**it))?)
            }
        }
    }

    fn depth(&self, id: TypeId) -> Option<u32> {
        self.depths.get(id.0 as usize).copied().flatten()
    }

    /// Returns a map with one key for each required field, which belongs to no earlier field.
    fn map(&self, fields: &[Field]) -> Option<Term> {
        let mut pairs = Vec::new();
        for (n, field) in fields.iter().enumerate().filter(|it| it.1.is_required) {
            let is_own = |it: &Term| field_of(self.types, fields, it) == Some(n);
            let key = self.keys(field.key).into_iter().find(is_own)?;
            pairs.push((key, self.member(field.value)?));
        }
        Some(Term::map(pairs))
    }

    /// Returns some members of a type, several where that is easy, since fields compete for keys.
    fn keys(&self, id: TypeId) -> Vec<Term> {
        let atoms = || ["a", "b", "c", "d", "e", "f"].map(Term::atom).into_iter();
        match self.types.get(id) {
            Type::Any => atoms().chain((0..6).map(Term::Int)).collect(),
            Type::Kind(Kind::Atom) => atoms().collect(),
            Type::Kind(Kind::Boolean) => vec![Term::atom("false"), Term::atom("true")],
            Type::Kind(Kind::Integer | Kind::Number) => (0..6).map(Term::Int).collect(),
            Type::Kind(Kind::Binary | Kind::Bitstring) => {
                (0..6).map(|it| Term::binary(vec![b'a'; it])).collect()
            }
            Type::Range { low, high } => {
                let near = nearest(low.as_ref(), high.as_ref());
                let keys = near.iter().flat_map(|it| (0..6).map(move |n| Term::integer(it + n)));
                keys.filter(|it| is_in_range(it, low.as_ref(), high.as_ref())).collect()
            }
            Type::Union(parts) if self.depth(id).is_some() => {
                let parts = parts.iter().filter(|it| self.depth(**it) < self.depth(id));
                parts.flat_map(|it| self.keys(*it)).collect()
            }
            Type::None | Type::Kind(_) | Type::Literal(_) | Type::List { .. } | Type::Tuple(_) => {
                self.member(id).into_iter().collect()
            }
            Type::Map(_) | Type::Bits { .. } | Type::Fun { .. } | Type::Union(_) => {
                self.member(id).into_iter().collect()
            }
        }
    }
}

fn in_range(low: Option<&BigInt>, high: Option<&BigInt>) -> Option<Term> {
    nearest(low, high).map(Term::integer)
}

/// Returns the integer of the range that is nearest to zero.
fn nearest(low: Option<&BigInt>, high: Option<&BigInt>) -> Option<BigInt> {
    let zero = BigInt::from(0);
    let near = match (low, high) {
        (Some(low), _) if *low > zero => low,
        (_, Some(high)) if *high < zero => high,
        _ => &zero,
    };
    (low.is_none_or(|it| it <= near) && high.is_none_or(|it| near <= it)).then(|| near.clone())
}
