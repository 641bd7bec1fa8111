//! Simpler terms than a given one, the simplest first.
//!
//! Knows nothing of programs: whether a simpler input still shows the same failure is for the
//! caller to try.

use num_bigint::BigInt;
use std::collections::BTreeMap;
use term::{Bits, Fun, Term};

/// Parts of a term that may stand for the whole.
const MAX_PARTS: usize = 4;

/// All one-step simplifications of the arguments: of one part, then of all parts that are the same
/// number, as what is compared has to stay equal.
pub(crate) fn simpler_args(args: &[Term]) -> Vec<Vec<Term>> {
    let mut res = simpler_parts(args);
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    args.iter().for_each(|it| count_numbers(it, &mut counts));
    for number in counts.into_iter().filter(|it| it.1 > 1).map(|it| it.0) {
        let others = simpler(&Term::Int(number)).into_iter();
        res.extend(others.map(|it| args.iter().map(|arg| renamed(arg, number, &it)).collect()));
    }
    res
}

fn simpler_parts(items: &[Term]) -> Vec<Vec<Term>> {
    let mut res = Vec::new();
    for (n, item) in items.iter().enumerate() {
        res.extend(simpler(item).into_iter().map(|it| with(items, n, it)));
    }
    res
}

fn count_numbers(term: &Term, counts: &mut BTreeMap<i64, usize>) {
    if let Some(n) = term.as_int().filter(|it| *it != 0) {
        *counts.entry(n).or_default() += 1;
    }
    // What functions return is made small by itself.
    if !matches!(term, Term::Fun(_)) {
        term.parts().into_iter().for_each(|it| count_numbers(it, counts));
    }
}

/// With another term wherever the number is.
fn renamed(term: &Term, number: i64, by: &Term) -> Term {
    let all = |items: &[Term]| items.iter().map(|it| renamed(it, number, by)).collect();
    match term {
        Term::Int(n) if *n == number => by.clone(),
        Term::List(list) => Term::list(all(&list.items), list.tail.clone()),
        Term::Tuple(items) => Term::Tuple(all(items)),
        Term::Map(pairs) => {
            let pair = |it: &(Term, Term)| (renamed(&it.0, number, by), renamed(&it.1, number, by));
            Term::map(pairs.iter().map(pair).collect())
        }
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => term.clone(),
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

fn simpler(term: &Term) -> Vec<Term> {
    if *term == Term::Int(0) {
        return vec![];
    }
    let mut res = vec![Term::Int(0), Term::Nil];
    match term {
        Term::Int(n) => {
            res.extend([1, n / 10, n / 2, n - n / 4, n - n / 16, n - n.signum()].map(Term::Int));
            // Flags that do not matter.
            let bits = (0..63).rev().map(|it| 1 << it).filter(|it| 0 < *n && n & it != 0);
            res.extend(bits.map(|it| Term::Int(n - it)));
            if *n < 0 {
                res.extend(n.checked_neg().map(Term::Int));
            }
        }
        Term::Big(n) => {
            let parts = [&**n / BigInt::from(1 << 30), &**n / BigInt::from(2), -&**n];
            let signum = BigInt::from(if **n < BigInt::from(0) { -1 } else { 1 });
            res.extend(parts.into_iter().chain([&**n - signum]).map(Term::integer));
        }
        Term::Float(x) => {
            let rounded = [2.0, 10.0, 100.0].map(|it| (x * it).trunc() / it);
            let tenth = (x / 10.0).trunc();
            let plain = [0.0, 1.0, x.trunc(), (x / 2.0).trunc(), tenth, tenth + x.fract()];
            let finite = plain.into_iter().chain(rounded).filter(|it| it.is_finite());
            res.extend(finite.map(Term::Float));
        }
        Term::Atom(_) => res.extend(["a", "true", "false"].map(Term::atom)),
        Term::Nil | Term::Pid(_) | Term::Port(_) | Term::Ref(_) => (),
        Term::List(list) => {
            let tail = || list.tail.clone();
            res.extend(list.items.iter().take(MAX_PARTS).cloned());
            for (from, to) in spans(list.items.len()) {
                res.push(Term::list(without(&list.items, from, to), tail()));
            }
            if list.tail != Term::Nil {
                res.push(Term::proper_list(list.items.clone()));
                let simpler = simpler(&list.tail).into_iter();
                res.extend(simpler.map(|it| Term::list(list.items.clone(), it)));
            }
            for (n, item) in list.items.iter().enumerate() {
                let items = simpler(item).into_iter().map(|it| with(&list.items, n, it));
                res.extend(items.map(|it| Term::list(it, tail())));
            }
        }
        Term::Tuple(items) => {
            res.extend(items.iter().take(MAX_PARTS).cloned());
            let shorter = (0..items.len()).rev().map(|n| without(items, n, n + 1));
            res.extend(shorter.map(Term::Tuple));
            res.extend(simpler_parts(items).into_iter().map(Term::Tuple));
        }
        Term::Map(pairs) => res.extend(simpler_maps(pairs)),
        Term::Bits(bits) => res.extend(simpler_bits(bits).into_iter().map(Term::Bits)),
        Term::Fun(fun) => res.extend(simpler_funs(fun)),
    }
    res.retain(|it| it != term);
    res
}

/// Stretches worth leaving out: all, halves, quarters, then one by one.
fn spans(len: usize) -> Vec<(usize, usize)> {
    let mut res = Vec::new();
    let mut step = len;
    while step > 0 {
        res.extend((0..len).step_by(step).map(|from| (from, (from + step).min(len))));
        step /= 2;
    }
    res
}

fn simpler_maps(pairs: &[(Term, Term)]) -> Vec<Term> {
    let mut res: Vec<Term> = vec![Term::map(vec![])];
    for n in 0..pairs.len() {
        let mut fewer = pairs.to_vec();
        fewer.remove(n);
        res.push(Term::map(fewer));
    }
    for (n, (key, value)) in pairs.iter().enumerate() {
        let keys = simpler(key).into_iter().map(|it| (it, value.clone()));
        let values = simpler(value).into_iter().map(|it| (key.clone(), it));
        for pair in keys.chain(values) {
            let mut others = pairs.to_vec();
            others.remove(n);
            others.push(pair);
            res.push(Term::map(others));
        }
    }
    res
}

fn simpler_bits(bits: &Bits) -> Vec<Bits> {
    let (bytes, bit_len) = (bits.padded_bytes(), bits.bit_len());
    let mut res = vec![Bits::zeros(0), Bits::zeros(bit_len)];
    for (from, to) in spans(bytes.len()) {
        res.extend(replaced(bits, from * 8, (to * 8).min(bit_len), &Bits::zeros(0)));
    }
    res.extend((1..8).filter_map(|n| bits.slice(0, bit_len.checked_sub(n)?)));
    for n in 0..bytes.len() {
        let (from, to) = (n * 8, (n * 8 + 8).min(bit_len));
        res.extend(replaced(bits, from, to, &Bits::zeros(to - from)));
        let byte = if to - from == 8 { bytes.get(n).copied().unwrap_or(0) } else { 0 };
        let smaller = [1, byte / 2, byte - byte / 4, byte - byte / 16, byte.saturating_sub(1)];
        for smaller in smaller.into_iter().filter(|it| *it < byte) {
            res.extend(replaced(bits, from, to, &Bits::from_bytes(vec![smaller])));
        }
    }
    res
}

/// With other bits in place of a stretch.
fn replaced(bits: &Bits, from: usize, to: usize, by: &Bits) -> Option<Bits> {
    let mut res = bits.slice(0, from)?;
    res.append(by);
    res.append(&bits.slice(to, bits.bit_len().checked_sub(to)?)?);
    Some(res)
}

fn simpler_funs(fun: &Fun) -> Vec<Term> {
    let Fun::Table { arity, entries, default } = fun else { return vec![] };
    let table = |entries: Vec<(Vec<Term>, Term)>, default: Term| {
        Term::Fun(Box::new(Fun::Table { arity: *arity, entries, default }))
    };
    let mut res = Vec::new();
    if !entries.is_empty() {
        let results = entries.iter().map(|it| &it.1);
        res.extend([default].into_iter().chain(results).map(|it| table(vec![], it.clone())));
    }
    for (n, (args, result)) in entries.iter().enumerate() {
        let mut fewer = entries.clone();
        fewer.remove(n);
        res.push(table(fewer, default.clone()));
        for result in simpler(result) {
            let mut others = entries.clone();
            if let Some(slot) = others.get_mut(n) {
                *slot = (args.clone(), result);
            }
            res.push(table(others, default.clone()));
        }
    }
    res.extend(simpler(default).into_iter().map(|it| table(entries.clone(), it)));
    res
}

#[cfg(test)]
mod tests {
    use super::simpler_args;
    use term::{Style, Term, print, read_term};

    /// What is left when everything that `keeps` allows was made simpler.
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
            let Some(next) = simpler_args(&args).into_iter().find(|it| fits(it, &now)) else {
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
}
