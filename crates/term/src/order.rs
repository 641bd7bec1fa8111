//! Erlang's total order of terms.
//!
//! number < atom < reference < fun < port < pid < tuple < map < nil < list < bitstring. Numbers are compared by value.
//! In the exact order (`=:=`, map keys), every integer comes before every float.

use crate::ground::{Fun, List, Pid, Port, Reference, Term};
use num_bigint::{BigInt, Sign};
use num_traits::FromPrimitive;
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    ByValue,
    Exact,
}

impl Term {
    /// Compares in the order of `<` and `==`: `1` and `1.0` are equal.
    pub fn cmp_value(&self, other: &Term) -> Ordering {
        compare(self, other, Numbers::ByValue)
    }

    /// Compares in the order of map keys: `2` comes before `1.0`, and equal terms are those for which `=:=` holds.
    pub fn cmp_exact(&self, other: &Term) -> Ordering {
        compare(self, other, Numbers::Exact)
    }
}

fn compare(left: &Term, right: &Term, numbers: Numbers) -> Ordering {
    match (left, right) {
        (Term::Int(left), Term::Int(right)) => left.cmp(right),
        (Term::Big(left), Term::Big(right)) => left.cmp(right),
        (Term::Int(_), Term::Big(right)) => smaller_if_positive(right),
        (Term::Big(left), Term::Int(_)) => smaller_if_positive(left).reverse(),
        (Term::Float(left), Term::Float(right)) => compare_floats(*left, *right),
        (Term::Int(left), Term::Float(right)) => {
            by_kind(compare_int_to_float(*left, *right), numbers, Ordering::Less)
        }
        (Term::Float(left), Term::Int(right)) => {
            by_kind(compare_int_to_float(*right, *left).reverse(), numbers, Ordering::Greater)
        }
        (Term::Big(left), Term::Float(right)) => {
            by_kind(compare_float_to_big(*right, left).reverse(), numbers, Ordering::Less)
        }
        (Term::Float(left), Term::Big(right)) => {
            by_kind(compare_float_to_big(*left, right), numbers, Ordering::Greater)
        }
        (Term::Atom(left), Term::Atom(right)) => left.cmp(right),
        (Term::List(left), Term::List(right)) => compare_lists(left, right, numbers),
        (Term::Tuple(left), Term::Tuple(right)) => left
            .len()
            .cmp(&right.len())
            .then_with(|| compare_all(left.iter(), right.iter(), numbers)),
        (Term::Map(left), Term::Map(right)) => left
            .len()
            .cmp(&right.len())
            .then_with(|| {
                let (left, right) = (left.iter().map(|it| &it.0), right.iter().map(|it| &it.0));
                compare_all(left, right, Numbers::Exact)
            })
            .then_with(|| {
                compare_all(left.iter().map(|it| &it.1), right.iter().map(|it| &it.1), numbers)
            }),
        (Term::Bits(left), Term::Bits(right)) => left
            .padded_bytes()
            .cmp(right.padded_bytes())
            .then_with(|| left.bit_len().cmp(&right.bit_len())),
        (Term::Fun(left), Term::Fun(right)) => compare_funs(left, right, numbers),
        (Term::Pid(left), Term::Pid(right)) => pid_key(left).cmp(&pid_key(right)),
        (Term::Port(left), Term::Port(right)) => port_key(left).cmp(&port_key(right)),
        (Term::Ref(left), Term::Ref(right)) => ref_key(left).cmp(&ref_key(right)),
        _ => rank(left).cmp(&rank(right)),
    }
}

fn by_kind(by_value: Ordering, numbers: Numbers, tie: Ordering) -> Ordering {
    match numbers {
        Numbers::ByValue => by_value,
        Numbers::Exact => tie,
    }
}

fn rank(term: &Term) -> u8 {
    match term {
        Term::Int(_) | Term::Big(_) | Term::Float(_) => 0,
        Term::Atom(_) => 1,
        Term::Ref(_) => 2,
        Term::Fun(_) => 3,
        Term::Port(_) => 4,
        Term::Pid(_) => 5,
        Term::Tuple(_) => 6,
        Term::Map(_) => 7,
        Term::Nil => 8,
        Term::List(_) => LIST_RANK,
        Term::Bits(_) => 10,
    }
}

/// Compares a small integer with a big one, which is beyond all small ones on the side of its sign.
fn smaller_if_positive(big: &BigInt) -> Ordering {
    if big.sign() == Sign::Minus { Ordering::Greater } else { Ordering::Less }
}

fn compare_floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

/// Compares by value, without rounding: `2^53 + 1` is greater than `9007199254740992.0`.
pub fn compare_int_to_float(int: i64, float: f64) -> Ordering {
    const EXACT: i64 = 1 << 53;
    if (-EXACT..=EXACT).contains(&int) {
        #[expect(clippy::cast_precision_loss, reason = "within 2^53 the conversion is exact")]
        return compare_floats(int as f64, float);
    }
    compare_float_to_big(float, &BigInt::from(int)).reverse()
}

pub fn compare_float_to_big(float: f64, big: &BigInt) -> Ordering {
    match BigInt::from_f64(float) {
        Some(whole) => whole.cmp(big).then_with(|| compare_floats(float.fract(), 0.0)),
        None => compare_floats(float, 0.0),
    }
}

fn compare_lists(left: &List, right: &List, numbers: Numbers) -> Ordering {
    let by = |a: &Term, b: &Term| compare(a, b, numbers);
    compare_items((&left.items, &left.tail), (&right.items, &right.tail), by)
}

/// Compares two lists, each given as its items (at least one) and its tail.
pub(crate) fn compare_items(
    left: (&[Term], &Term),
    right: (&[Term], &Term),
    by: impl Fn(&Term, &Term) -> Ordering,
) -> Ordering {
    let items = left.0.iter().zip(right.0);
    let first = items.map(|(left, right)| by(left, right)).find(|it| it.is_ne());
    first.unwrap_or_else(|| match left.0.len().cmp(&right.0.len()) {
        Ordering::Equal => by(left.1, right.1),
        // The rest of the longer list is a list cell; it is compared with the tail of the shorter one.
        Ordering::Less => rank(left.1).cmp(&LIST_RANK),
        Ordering::Greater => LIST_RANK.cmp(&rank(right.1)),
    })
}

const LIST_RANK: u8 = 9;

/// Returns the rank of a term's kind in the order; `None` stands for a list cell.
pub(crate) fn list_rank(term: Option<&Term>) -> u8 {
    term.map_or(LIST_RANK, rank)
}

fn compare_all<'a>(
    left: impl Iterator<Item = &'a Term>,
    right: impl Iterator<Item = &'a Term>,
    numbers: Numbers,
) -> Ordering {
    left.zip(right)
        .map(|(left, right)| compare(left, right, numbers))
        .find(|it| it.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn compare_funs(left: &Fun, right: &Fun, numbers: Numbers) -> Ordering {
    match (left, right) {
        (
            Fun::External { module, function, arity },
            Fun::External { module: module2, function: function2, arity: arity2 },
        ) => (module, function, arity).cmp(&(module2, function2, arity2)),
        (
            Fun::Closure { module, old_index, old_uniq, env, .. },
            Fun::Closure { module: module2, old_index: index2, old_uniq: uniq2, env: env2, .. },
        ) => (module, old_index, old_uniq, env.len())
            .cmp(&(module2, index2, uniq2, env2.len()))
            .then_with(|| compare_all(env.iter(), env2.iter(), numbers)),
        (
            Fun::Table { arity, entries, default },
            Fun::Table { arity: arity2, entries: entries2, default: default2 },
        ) => (arity, entries.len())
            .cmp(&(arity2, entries2.len()))
            .then_with(|| compare(default, default2, numbers))
            .then_with(|| compare_all(results(entries), results(entries2), numbers)),
        _ => place(left).cmp(&place(right)),
    }
}

fn results(entries: &[(Vec<Term>, Term)]) -> impl Iterator<Item = &Term> {
    entries.iter().flat_map(|(args, result)| args.iter().chain([result]))
}

/// Closures come before external functions.
fn place(fun: &Fun) -> u8 {
    match fun {
        Fun::Table { .. } => 0,
        Fun::Closure { .. } => 1,
        Fun::External { .. } => 2,
    }
}

fn pid_key(pid: &Pid) -> (u32, u32, &str, u32) {
    (pid.serial, pid.id, pid.node.as_str(), pid.creation)
}

fn port_key(port: &Port) -> (&str, u32, u64) {
    (port.node.as_str(), port.creation, port.id)
}

/// Returns the sort key of a reference. The last word is the most significant, and zeros at the end do not count.
fn ref_key(reference: &Reference) -> (&str, u32, usize, Vec<u32>) {
    let words: Vec<u32> =
        reference.words.iter().rev().skip_while(|it| **it == 0).copied().collect();
    (reference.node.as_str(), reference.creation, words.len(), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_without_rounding() {
        let float = Term::Float(9_007_199_254_740_992.0);
        assert_eq!(Term::Int((1 << 53) + 1).cmp_value(&float), Ordering::Greater);
        assert_eq!(Term::Int(1 << 53).cmp_value(&float), Ordering::Equal);
        assert_eq!(Term::Int(1 << 53).cmp_exact(&float), Ordering::Less);
        let big = Term::integer(BigInt::from(10).pow(400));
        assert_eq!(big.cmp_value(&Term::Float(1e308)), Ordering::Greater);
    }

    #[test]
    fn a_shorter_list_comes_first_unless_its_tail_is_greater() {
        let one = || Term::Int(1);
        let proper = Term::proper_list(vec![one()]);
        let longer = Term::proper_list(vec![one(), one()]);
        let odd = Term::list(vec![one()], Term::binary(vec![]));
        assert_eq!(proper.cmp_value(&longer), Ordering::Less);
        assert_eq!(odd.cmp_value(&longer), Ordering::Greater);
    }
}
