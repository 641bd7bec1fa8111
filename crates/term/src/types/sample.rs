//! Random members of types, of about a given size. Equal seeds give equal members.

use super::{Type, TypeId, Types};
use crate::bits::Bits;
use crate::ground::{Fun, Term};
use crate::kind::Kind;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A pseudo-random generator (splitmix64); its value is the seed.
#[derive(Clone, Copy, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// Returns a number below the bound; 0 if the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).checked_rem(bound).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len() as u64);
        from.get(usize::try_from(at).ok()?)
    }
}

/// Returns a random member. `size` is the approximate length of lists; nested parts are smaller.
pub(super) fn sample(types: &Types, id: TypeId, size: u64, dice: &mut Dice) -> Option<Term> {
    let is_plain = dice.below(2) == 0;
    Sampler { types, left: PARTS * (size + 2), is_plain, dice }.sample(id, size)
}

/// The approximate number of parts for each unit of size. Without this limit, a tree type whose every node has two
/// trees would not terminate.
const PARTS: u64 = 8;

struct Sampler<'a> {
    types: &'a Types,
    /// How many more parts may be random.
    left: u64,
    /// Whether characters are from [`CHARS`] only.
    is_plain: bool,
    dice: &'a mut Dice,
}

impl Sampler<'_> {
    /// Returns a random member; a small one if the part is nested too deeply or no random one was found.
    fn sample(&mut self, id: TypeId, size: u64) -> Option<Term> {
        self.left = self.left.saturating_sub(1);
        let found = if size == 0 || self.left == 0 { None } else { self.member(id, size) };
        found.or_else(|| self.types.smallest(id))
    }

    fn member(&mut self, id: TypeId, size: u64) -> Option<Term> {
        let below = size / 2;
        let (types, dice) = (self.types, &mut *self.dice);
        Some(match types.get(id) {
            Type::Any => plain(dice),
            Type::None => return None,
            Type::Kind(kind) => of_kind(*kind, dice),
            Type::Literal(term) => term.clone(),
            Type::Range { low, high } if self.is_plain && is_character(low, high) => {
                Term::Int(i64::from(*dice.pick(CHARS)?))
            }
            Type::Range { low, high } => integer(low.as_ref(), high.as_ref(), dice),
            Type::List { item, tail, .. } => {
                let n = size / 2 + dice.below(size);
                let items = (0..n.max(1)).map(|_| self.sample(*item, below));
                let items: Vec<Term> = items.collect::<Option<_>>()?;
                Term::list(items, types.smallest(*tail)?)
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.sample(*it, size));
                Term::Tuple(parts.collect::<Option<_>>()?)
            }
            Type::Map(fields) => {
                let mut pairs = Vec::new();
                for field in fields {
                    if field.is_required || self.dice.below(2) == 0 {
                        let key = self.sample(field.key, below)?;
                        pairs.push((key, self.sample(field.value, below)?));
                    }
                }
                Term::map(pairs)
            }
            Type::Bits { base, unit } => {
                let n_bits = base + unit * dice.below(size);
                let bytes = Bits::made_up(n_bits)?.padded_bytes().to_vec();
                let bytes = bytes.into_iter().map(|_| u8::try_from(dice.below(128)).unwrap_or(0));
                Term::Bits(Bits::new(bytes.collect(), usize::try_from(n_bits).ok()?)?)
            }
            Type::Fun { args, result } => Term::Fun(Box::new(Fun::Table {
                arity: u8::try_from(args.as_ref().map_or(0, |it| it.len())).ok()?,
                entries: Vec::new(),
                default: self.sample(*result, below)?,
            })),
            Type::Union(parts) => {
                let part = *dice.pick(parts)?;
                return self.sample(part, size);
            }
        })
    }
}

fn plain(dice: &mut Dice) -> Term {
    match dice.below(8) {
        0 => Term::atom("b"),
        1 => Term::Float(1.5),
        _ => small(dice),
    }
}

fn small(dice: &mut Dice) -> Term {
    Term::Int(i64::try_from(dice.below(10)).unwrap_or(0))
}

fn of_kind(kind: Kind, dice: &mut Dice) -> Term {
    match kind {
        Kind::Integer | Kind::Number => small(dice),
        Kind::Atom => Term::atom(if dice.below(2) == 0 { "a" } else { "b" }),
        Kind::Boolean => Term::atom(if dice.below(2) == 0 { "true" } else { "false" }),
        Kind::Cons | Kind::List => {
            let n = 1 + dice.below(4);
            Term::proper_list((0..n).map(|_| plain(dice)).collect())
        }
        Kind::Tuple => {
            let n = 2 + dice.below(2);
            Term::Tuple((0..n).map(|_| plain(dice)).collect())
        }
        Kind::Binary | Kind::Bitstring => {
            let n = dice.below(6);
            let byte = |_| u8::try_from(32 + dice.below(95)).unwrap_or(b' ');
            Term::binary((0..n).map(byte).collect())
        }
        Kind::Float
        | Kind::Function
        | Kind::Map
        | Kind::Nil
        | Kind::Pid
        | Kind::Port
        | Kind::Reference => kind.smallest(),
    }
}

fn is_character(low: &Option<BigInt>, high: &Option<BigInt>) -> bool {
    let is = |it: &Option<BigInt>, bound: i64| *it == Some(BigInt::from(bound));
    is(low, 0) && is(high, 0x10_ffff)
}

const CHARS: &[u8] =
    b"abcdefghijklmnopqrstuvwxyzABCXYZ0123456789  ..,,::;--__//==&?()[]{}<>\"'+*#@%|\\\n\t";

/// Returns an integer near the bound that is nearer to zero.
fn integer(low: Option<&BigInt>, high: Option<&BigInt>, dice: &mut Dice) -> Term {
    let (low, high) = (low.and_then(ToPrimitive::to_i64), high.and_then(ToPrimitive::to_i64));
    let span =
        |from: i64, to: i64| u64::try_from(i128::from(to) - i128::from(from) + 1).unwrap_or(1);
    let step = |dice: &mut Dice, n: u64| i64::try_from(dice.below(n.min(1 << 32))).unwrap_or(0);
    Term::Int(match (low, high) {
        (Some(low), Some(high)) => low.saturating_add(step(dice, span(low, high))),
        (Some(low), None) => low.saturating_add(step(dice, 3)),
        (None, Some(high)) => high.saturating_sub(step(dice, 3)),
        (None, None) => step(dice, 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_members() {
        let mut types = Types::default();
        let byte = types.add(Type::Range { low: Some(0.into()), high: Some(255.into()) });
        let nil = types.add(Type::Literal(Term::Nil));
        let tree = types.reserve();
        let children = types.add(Type::List { item: tree, tail: nil, may_be_empty: true });
        let node = types.add(Type::Tuple([byte, children].into()));
        types.set(tree, Type::Union([byte, node].into()));
        let mut dice = Dice(1);
        let mut longest = 0;
        for size in 0..60 {
            let term = types.sample(tree, size, &mut dice).expect("a member");
            assert!(types.has(tree, &term), "{term:?}");
            let children = term.as_tuple().and_then(|it| it.get(1)).and_then(Term::as_list);
            longest = longest.max(children.map_or(0, <[Term]>::len));
        }
        assert!(longest > 10, "{longest}");
    }

    #[test]
    fn a_tree_of_trees_ends() {
        let mut types = Types::default();
        let leaf = types.add(Type::Literal(Term::atom("leaf")));
        let tree = types.reserve();
        let node = types.add(Type::Tuple([tree, tree, tree].into()));
        types.set(tree, Type::Union([leaf, node].into()));
        for seed in 0..50 {
            let term = types.sample(tree, 48, &mut Dice(seed)).expect("a member");
            assert!(types.has(tree, &term), "{term:?}");
        }
    }
}
