//! Generates simplifications of terms, simplest first.
//!
//! Knows nothing of programs: the caller tries whether a simpler input shows the same failure.

use num_bigint::BigInt;
use std::collections::BTreeMap;
use term::{Bits, Fun, Term};

/// How many parts of a term are tried in place of the whole.
const MAX_PARTS: usize = 4;

/// A lazy sequence, since a large term has more simplifications than fit into memory.
type Simpler<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

/// Returns all one-step simplifications of the arguments: of one part, then of all occurrences of a number together,
/// since values that are compared have to stay equal.
pub(crate) fn simpler_args(args: &[Term]) -> impl Iterator<Item = Vec<Term>> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    args.iter().for_each(|it| count_numbers(it, &mut counts));
    let numbers = counts.into_iter().filter(|it| it.1 > 1).map(|it| it.0);
    let renamed = numbers.flat_map(move |number| {
        let others: Vec<Term> = simpler(&Term::Int(number)).collect();
        let all = move |by: Term| args.iter().map(|arg| renamed(arg, number, &by)).collect();
        others.into_iter().map(all)
    });
    simpler_parts(args).chain(renamed)
}

fn simpler_parts(items: &[Term]) -> Simpler<'_, Vec<Term>> {
    Box::new(
        (items.iter().enumerate())
            .flat_map(move |(n, item)| simpler(item).map(move |it| with(items, n, it))),
    )
}

fn count_numbers(term: &Term, counts: &mut BTreeMap<i64, usize>) {
    if let Some(n) = term.as_int().filter(|it| *it != 0) {
        *counts.entry(n).or_default() += 1;
    }
    // The results of a function are simplified one by one.
    if !matches!(term, Term::Fun(_)) {
        term.parts().into_iter().for_each(|it| count_numbers(it, counts));
    }
}

/// Replaces every occurrence of a number.
fn renamed(term: &Term, number: i64, by: &Term) -> Term {
    match term.as_int() == Some(number) {
        true => by.clone(),
        false => term.map_parts(|it| renamed(it, number, by)),
    }
}

fn with(items: &[Term], n: usize, item: Term) -> Vec<Term> {
    let mut res = items.to_vec();
    if let Some(slot) = res.get_mut(n) {
        *slot = item;
    }
    res
}

fn without(items: &[Term], from: usize, to: usize) -> Vec<Term> {
    let keeps = |(n, _): &(usize, &Term)| *n < from || to <= *n;
    items.iter().enumerate().filter(keeps).map(|it| it.1.clone()).collect()
}

fn simpler(term: &Term) -> Simpler<'_, Term> {
    if *term == Term::Int(0) {
        return Box::new(std::iter::empty());
    }
    let first = [Term::Int(0), Term::Nil].into_iter();
    Box::new(first.chain(simpler_of_kind(term)).filter(move |it| it != term))
}

fn simpler_of_kind(term: &Term) -> Simpler<'_, Term> {
    match term {
        Term::Int(n) => {
            let n = *n;
            let plain = [1, n / 10, n / 2, n - n / 4, n - n / 16, n - n.signum()];
            // Clears single bits, which may be flags.
            let bits = (0..63).rev().map(|it| 1 << it).filter(move |it| 0 < n && n & it != 0);
            let negated = (n < 0).then(|| n.checked_neg()).flatten();
            let all = plain.into_iter().chain(bits.map(move |it| n - it)).chain(negated);
            Box::new(all.map(Term::Int))
        }
        Term::Big(n) => {
            let parts = [&**n / BigInt::from(1 << 30), &**n / BigInt::from(2), -&**n];
            let signum = BigInt::from(if **n < BigInt::from(0) { -1 } else { 1 });
            Box::new(parts.into_iter().chain([&**n - signum]).map(Term::integer))
        }
        Term::Float(x) => {
            let rounded = [2.0, 10.0, 100.0].map(|it| (x * it).trunc() / it);
            let tenth = (x / 10.0).trunc();
            let plain = [0.0, 1.0, x.trunc(), (x / 2.0).trunc(), tenth, tenth + x.fract()];
            let finite = plain.into_iter().chain(rounded).filter(|it| it.is_finite());
            Box::new(finite.map(Term::Float))
        }
        Term::Atom(_) => Box::new(["a", "true", "false"].into_iter().map(Term::atom)),
        Term::Nil | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => Box::new(std::iter::empty()),
        Term::List(list) => simpler_lists(&list.items, &list.tail),
        Term::Tuple(items) => {
            let parts = items.iter().take(MAX_PARTS).cloned();
            let shorter = (0..items.len()).rev().map(|n| without(items, n, n + 1));
            Box::new(parts.chain(shorter.chain(simpler_parts(items)).map(Term::Tuple)))
        }
        Term::Map(pairs) => simpler_maps(pairs),
        Term::Bits(bits) => Box::new(simpler_bits(bits).map(Term::Bits)),
        Term::Fun(fun) => simpler_funs(fun),
    }
}

fn simpler_lists<'a>(items: &'a [Term], tail: &'a Term) -> Simpler<'a, Term> {
    let parts = items.iter().take(MAX_PARTS).cloned();
    let shorter =
        spans(items.len()).map(|(from, to)| Term::list(without(items, from, to), tail.clone()));
    let proper = (*tail != Term::Nil).then(|| {
        let plain = [Term::proper_list(items.to_vec())].into_iter();
        plain.chain(simpler(tail).map(|it| Term::list(items.to_vec(), it)))
    });
    let simpler = simpler_parts(items).map(|it| Term::list(it, tail.clone()));
    Box::new(parts.chain(shorter).chain(proper.into_iter().flatten()).chain(simpler))
}

/// The ranges to leave out: everything, halves, quarters, ..., single items.
fn spans(len: usize) -> impl Iterator<Item = (usize, usize)> {
    let steps = std::iter::successors(Some(len), |it| Some(it / 2)).take_while(|it| *it > 0);
    steps.flat_map(move |step| {
        (0..len).step_by(step).map(move |from| (from, (from + step).min(len)))
    })
}

fn simpler_maps(pairs: &[(Term, Term)]) -> Simpler<'_, Term> {
    let without = move |n: usize| {
        let mut others = pairs.to_vec();
        others.remove(n);
        others
    };
    let fewer = (0..pairs.len()).map(move |n| Term::map(without(n)));
    let simpler = pairs.iter().enumerate().flat_map(move |(n, (key, value))| {
        let keys = simpler(key).map(move |it| (it, value.clone()));
        let values = simpler(value).map(move |it| (key.clone(), it));
        keys.chain(values).map(move |pair| {
            let mut others = without(n);
            others.push(pair);
            Term::map(others)
        })
    });
    Box::new([Term::map(vec![])].into_iter().chain(fewer).chain(simpler))
}

fn simpler_bits(bits: &Bits) -> impl Iterator<Item = Bits> {
    let (bytes, bit_len) = (bits.padded_bytes(), bits.bit_len());
    let first = [Bits::zeros(0), Bits::zeros(bit_len)].into_iter();
    let end = move |n: usize| (n * 8).min(bit_len);
    let shorter = spans(bytes.len())
        .filter_map(move |(from, to)| replaced(bits, from * 8, end(to), &Bits::zeros(0)));
    let cut = (1..8).filter_map(move |n| bits.slice(0, bit_len.checked_sub(n)?));
    let smaller = bytes.iter().enumerate().flat_map(move |(n, byte)| {
        let (from, to) = (n * 8, end(n + 1));
        let byte = if to - from == 8 { *byte } else { 0 };
        let smaller = [1, byte / 2, byte - byte / 4, byte - byte / 16, byte.saturating_sub(1)];
        let smaller = smaller.into_iter().filter(move |it| *it < byte);
        let smaller = smaller.map(|it| Bits::from_bytes(vec![it]));
        let others = [Bits::zeros(to - from)].into_iter().chain(smaller);
        others.filter_map(move |it| replaced(bits, from, to, &it))
    });
    first.chain(shorter).chain(cut).chain(smaller)
}

/// Replaces a range of bits.
fn replaced(bits: &Bits, from: usize, to: usize, by: &Bits) -> Option<Bits> {
    let mut res = bits.slice(0, from)?;
    res.append(by);
    res.append(&bits.slice(to, bits.bit_len().checked_sub(to)?)?);
    Some(res)
}

fn simpler_funs(fun: &Fun) -> Simpler<'_, Term> {
    let Fun::Table { arity, entries, default } = fun else {
        return Box::new(std::iter::empty());
    };
    let table = move |entries: Vec<(Vec<Term>, Term)>, default: Term| {
        Term::Fun(Box::new(Fun::Table { arity: *arity, entries, default }))
    };
    let results = entries.iter().map(|it| &it.1);
    let constant = (!entries.is_empty())
        .then(|| [default].into_iter().chain(results).map(move |it| table(vec![], it.clone())));
    let changed = entries.iter().enumerate().flat_map(move |(n, (args, result))| {
        let mut fewer = entries.clone();
        fewer.remove(n);
        let others = simpler(result).map(move |result| {
            let mut others = entries.clone();
            if let Some(slot) = others.get_mut(n) {
                *slot = (args.clone(), result);
            }
            table(others, default.clone())
        });
        [table(fewer, default.clone())].into_iter().chain(others)
    });
    let defaults = simpler(default).map(move |it| table(entries.clone(), it));
    Box::new(constant.into_iter().flatten().chain(changed).chain(defaults))
}

#[cfg(test)]
mod tests {
    use super::simpler_args;
    use term::{Style, Term, print, read_term};

    /// Simplifies as long as `keeps` accepts the result, and checks what is left.
    fn check(input: &str, keeps: fn(&str) -> bool, expect: &str) {
        let mut args = vec![read_term(input).expect("a term")];
        let text = |args: &[Term]| print(&args[0], Style::TW);
        let mut n_steps = 0;
        let fits = |it: &Vec<Term>, now: &str| {
            let text = text(it);
            keeps(&text) && (text.len(), text.as_str()) < (now.len(), now)
        };
        loop {
            let now = text(&args);
            let Some(next) = simpler_args(&args).find(|it| fits(it, &now)) else {
                break;
            };
            args = next;
            n_steps += 1;
            assert!(n_steps < 1000, "it ends");
        }
        assert_eq!(text(&args), expect);
    }

    #[test]
    fn what_does_not_matter_goes() {
        check("[1,2,{a,42},3]", |it| it.contains("42"), "42");
        check("[1,2,{a,42},3]", |it| it.starts_with('[') && it.contains("42"), "[42]");
        check("#{abc => 1,d => [7]}", |it| it.contains("d =>"), "#{d => 0}");
        check("123456789012345678901234567890", |it| it.len() > 3, "1000");
        check("fun (1) -> [x]; (_) -> {} end", |it| it.contains("fun"), "fun (_) -> 0 end");
        check("<<1,2,3,4>>", |it| it.contains('3'), "<<3>>");
        check("<<77,6:5>>", |it| it.contains(':'), "<<0:1>>");
        check("fun (1) -> 42; (_) -> 7 end", |it| it.contains("42"), "fun (_) -> 42 end");
        check("[a|b]", |it| it.contains('|'), "[0|0]");
    }

    #[test]
    fn simpler_terms_are_made_when_they_are_asked_for() {
        let large =
            [Term::binary(vec![7; 1 << 20]), Term::proper_list(vec![Term::Int(7); 1 << 20])];
        assert_eq!(simpler_args(&large).take(10).count(), 10);
    }
}
