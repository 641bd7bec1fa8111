//! Random changes of inputs, which combine parts of past inputs, constants that runs compared with, and random values.
//!
//! Running is cheap where solving is hard. Knows terms and the domain that inputs must belong to, not the program.
//! Equal seeds give equal inputs.

use crate::texts;
use term::fit_u32;
use term::{Bits, Dice, Domain, Expr, ExprId, Exprs, Fun, Term};
use trace::Input;

#[derive(Debug)]
pub(crate) struct Mutator<'a> {
    domain: &'a Domain,
    dice: Dice,
    /// A dictionary: the constants that runs compared parts of their inputs with.
    words: Vec<Term>,
    /// How many expressions were searched for constants.
    n_exprs: usize,
}

/// The size of the dictionary; when it is full, new constants replace random old ones.
const MAX_WORDS: usize = 400;

/// How many random changes are tried until one is in the domain.
const ATTEMPTS: usize = 4;

/// The maximal size of fresh random values.
const MAX_SIZE: u64 = 16;

/// Inputs with more parts than this are not made larger.
const MAX_PARTS: usize = 400;

impl<'a> Mutator<'a> {
    pub(crate) fn new(domain: &'a Domain, seed: u64) -> Mutator<'a> {
        Mutator { domain, dice: Dice(seed ^ SALT), words: Vec::new(), n_exprs: 0 }
    }

    /// Adds the constants among the expressions made since the last call to the dictionary.
    pub(crate) fn learn(&mut self, exprs: &Exprs) {
        for n in self.n_exprs..exprs.len() {
            let id = ExprId(fit_u32(n));
            let Some(Expr::Const(word)) = exprs.get(id) else { continue };
            if self.words.len() < MAX_WORDS {
                self.words.push(word.clone());
            } else {
                let at = self.below(MAX_WORDS);
                self.words.splice(at..=at, [word.clone()]);
            }
        }
        self.n_exprs = exprs.len();
    }

    /// Returns a random number below the bound; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap_or(0)
    }

    /// Returns a changed input within the domain, made of `input` and parts of `other`; `None` if all attempts failed.
    pub(crate) fn change(&mut self, input: &Input, other: &Input) -> Option<Input> {
        for _ in 0..ATTEMPTS {
            let mut args = input.args.clone();
            for _ in 0..=self.below(3) {
                self.change_one(&mut args, other);
            }
            if args != input.args && self.domain.has(&args) {
                return Some(Input { args });
            }
        }
        None
    }

    fn change_one(&mut self, args: &mut [Term], other: &Input) {
        match self.below(16) {
            0 => return self.replace_argument(args),
            1 | 2 if args.len() > 1 => return self.exchange_argument(args, other),
            _ => (),
        }
        let n_parts = args.iter().map(size).sum();
        let mut at = self.below(n_parts);
        let is_large = n_parts > MAX_PARTS;
        for arg in args {
            if visit(arg, &mut at, &mut |it| *it = self.changed(it, other, is_large)) {
                return;
            }
        }
    }

    /// Replaces one argument by a fresh random value of its type.
    fn replace_argument(&mut self, args: &mut [Term]) {
        let size = 1 + self.dice.below(MAX_SIZE);
        let Domain { types, args: Some(of) } = self.domain else { return };
        let fresh = types.sample(*of, size, &mut self.dice);
        let at = self.below(args.len());
        let part = fresh.as_ref().and_then(Term::as_tuple).and_then(|it| it.get(at));
        if let (Some(slot), Some(part)) = (args.get_mut(at), part) {
            *slot = part.clone();
        }
    }

    /// Replaces one argument by the same argument of the other input.
    fn exchange_argument(&mut self, args: &mut [Term], other: &Input) {
        let at = self.below(args.len());
        if let (Some(slot), Some(part)) = (args.get_mut(at), other.args.get(at)) {
            *slot = part.clone();
        }
    }

    fn changed(&mut self, term: &Term, other: &Input, is_large: bool) -> Term {
        match self.below(8) {
            0 => return self.word().unwrap_or_else(|| term.clone()),
            1 => return self.part_of(other).unwrap_or_else(|| term.clone()),
            2 if !is_large => {
                let mixed = texts::reshaped(term, &mut self.dice);
                return mixed.unwrap_or_else(|| term.clone());
            }
            _ => (),
        }
        match term {
            Term::Int(value) => Term::Int(self.integer(*value)),
            Term::Float(value) => Term::Float(self.float(*value)),
            Term::Bits(bits) => self.bits(bits).unwrap_or_else(|| term.clone()),
            Term::Nil if self.below(2) == 0 => Term::proper_list(self.item(other).collect()),
            Term::List(list) => {
                let items = self.items(list.items.clone(), other, is_large);
                Term::list(items, list.tail.clone())
            }
            Term::Map(pairs) => {
                let mut pairs = pairs.clone();
                let at = self.below(pairs.len() + 1);
                if at < pairs.len() {
                    pairs.remove(at);
                } else if let (Some(key), Some(value)) = (self.word(), self.part_of(other)) {
                    pairs.push((key, value));
                }
                Term::map(pairs)
            }
            Term::Atom(_)
            | Term::Big(_)
            | Term::Nil
            | Term::Tuple(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => self.word().unwrap_or_else(|| term.clone()),
        }
    }

    fn word(&mut self) -> Option<Term> {
        let at = self.below(self.words.len());
        self.words.get(at).cloned()
    }

    fn part_of(&mut self, input: &Input) -> Option<Term> {
        let mut at = self.below(input.args.iter().map(size).sum());
        input.args.iter().find_map(|it| part(it, &mut at)).cloned()
    }

    fn item(&mut self, other: &Input) -> impl Iterator<Item = Term> + use<> {
        let found = match self.below(3) {
            0 => self.word(),
            1 => Some(Term::Int(texts::character(&mut self.dice))),
            _ => self.part_of(other),
        };
        found.into_iter()
    }

    fn integer(&mut self, value: i64) -> i64 {
        let below = |this: &mut Self, n: u64| i64::try_from(this.dice.below(n)).unwrap_or(0);
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        match self.below(8) {
            0 | 1 => value.saturating_add(sign * (1 + below(self, 4))),
            2 => value.saturating_add(sign * below(self, 400)),
            3 => value.saturating_add(sign << self.below(40)),
            4 => *[value.saturating_mul(2), value / 2, value.saturating_neg(), value / 10]
                .get(self.below(4))
                .unwrap_or(&value),
            5 => {
                let n_bits = self.below(42);
                sign * below(self, 1 << n_bits)
            }
            6 => texts::character(&mut self.dice),
            _ => {
                let word = self.word().and_then(|it| it.as_int()).unwrap_or(0);
                word.saturating_add(below(self, 3) - 1)
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "any number near it will do")]
    fn float(&mut self, value: f64) -> f64 {
        let found = match self.below(6) {
            0 => value + 1.0,
            1 => value - 0.5,
            2 => value * 2.0,
            3 => value / 3.0,
            4 => -value,
            _ => self.integer(0) as f64 / 4.0,
        };
        if found.is_finite() { found } else { 0.0 }
    }

    fn bits(&mut self, bits: &Bits) -> Option<Term> {
        let mut bytes = bits.padded_bytes().to_vec();
        let at = self.below(bytes.len() + 1);
        let byte = u8::try_from(self.dice.below(256)).unwrap_or(0);
        let mut n_bits = bits.bit_len();
        match self.below(6) {
            0 => *bytes.get_mut(at)? ^= 1 << (byte % 8),
            1 => {
                let word = self.word().and_then(|it| u8::try_from(it.as_int()?).ok());
                *bytes.get_mut(at)? = word.unwrap_or(byte);
            }
            2 => {
                let slot = bytes.get_mut(at)?;
                *slot = slot.wrapping_add(if byte < 128 { 1 } else { 255 });
            }
            3 => {
                drop(bytes.splice(at..at, texts::text(&mut self.dice).into_bytes()));
                n_bits = bytes.len() * 8;
            }
            4 => {
                let word = self.word()?;
                drop(bytes.splice(at..at, word.as_bytes()?.iter().copied()));
                n_bits = bytes.len() * 8;
            }
            _ => {
                let end = (at + 1 + self.below(3)).min(bytes.len());
                drop(bytes.drain(at.min(end)..end));
                n_bits = bytes.len() * 8;
            }
        }
        Some(Term::Bits(Bits::new(bytes, n_bits)?))
    }

    fn items(&mut self, mut items: Vec<Term>, other: &Input, is_large: bool) -> Vec<Term> {
        let (at, to) = (self.below(items.len()), self.below(items.len()));
        let way = if is_large { 3 + self.below(3) } else { self.below(7) };
        match way {
            0 => {
                let new = self.item(other);
                drop(items.splice(at..at, new));
            }
            1 => {
                let copy = items.get(to).cloned();
                drop(items.splice(at..at, copy));
            }
            2 => {
                let part = if self.below(2) == 0 { self.word() } else { self.part_of(other) };
                let Some(Term::List(of)) = part else { return items };
                drop(items.splice(at..at, of.items));
            }
            3 => {
                let end = (at + 1 + self.below(2)).min(items.len());
                drop(items.drain(at..end));
            }
            4 => items.swap(at, to),
            5 => items.truncate(at),
            _ => {
                let text = texts::text(&mut self.dice);
                let chars = text.chars().map(|it| Term::Int(i64::from(u32::from(it))));
                drop(items.splice(at..at, chars));
            }
        }
        items
    }
}

/// Mixed into the seed, so that the changes differ from the initial inputs, which are made with the same seed.
const SALT: u64 = 0x5bd1_e995_0000_0001;

/// Returns the number of parts of a term, the term itself included.
pub(crate) fn size(term: &Term) -> usize {
    1 + term.parts().into_iter().map(size).sum::<usize>()
}

/// Returns the n-th part, counted in depth-first order as `size` does.
pub(crate) fn part<'t>(term: &'t Term, n: &mut usize) -> Option<&'t Term> {
    if *n == 0 {
        return Some(term);
    }
    *n -= 1;
    term.parts().into_iter().find_map(|it| part(it, n))
}

/// Calls `act` on the n-th part, counted as `size` does; returns `false` if there are fewer parts.
pub(crate) fn visit(term: &mut Term, n: &mut usize, act: &mut dyn FnMut(&mut Term)) -> bool {
    if *n == 0 {
        act(term);
        return true;
    }
    *n -= 1;
    match term {
        Term::List(list) => list.items.iter_mut().any(|it| visit(it, n, act)),
        Term::Tuple(items) => items.iter_mut().any(|it| visit(it, n, act)),
        Term::Map(pairs) => {
            let is_done =
                pairs.iter_mut().any(|it| visit(&mut it.0, n, act) || visit(&mut it.1, n, act));
            if is_done {
                *term = Term::map(std::mem::take(pairs));
            }
            is_done
        }
        Term::Fun(fun) => match &mut **fun {
            Fun::Table { default, .. } => visit(default, n, act),
            Fun::External { .. } | Fun::Closure { .. } => false,
        },
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Pid(_)
        | Term::Port(_)
        | Term::Ref(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Mutator, part, size, visit};
    use term::{Domain, Term, Type, Types, read_term};
    use trace::Input;

    fn input(text: &str) -> Input {
        Input { args: vec![read_term(text).expect("a term")] }
    }

    #[test]
    fn all_parts_are_found_and_changed() {
        let whole = read_term("{[1,2],#{k => <<3>>},x}").expect("a term");
        assert_eq!(size(&whole), 8);
        for n in 0..8 {
            let expect = part(&whole, &mut n.clone()).cloned();
            let mut seen = None;
            assert!(visit(&mut whole.clone(), &mut n.clone(), &mut |it| seen = Some(it.clone())));
            assert_eq!(seen, expect);
        }
        assert_eq!(part(&whole, &mut 8), None);
    }

    #[test]
    fn changes_stay_in_the_domain_and_are_the_same_every_time() {
        let mut types = Types::default();
        let int = types.add(Type::Range { low: Some(0.into()), high: None });
        let nil = types.add(Type::Literal(Term::Nil));
        let list = types.add(Type::List { item: int, tail: nil, may_be_empty: true });
        let args = types.add(Type::Tuple([list].into()));
        let domain = Domain { types, args: Some(args) };
        let all = |seed: u64| -> Vec<Input> {
            let mut mutator = Mutator::new(&domain, seed);
            let (this, other) = (input("[1,2,3]"), input("[70]"));
            (0..200).filter_map(|_| mutator.change(&this, &other)).collect()
        };
        let found = all(1);
        assert!(found.len() > 100, "{}", found.len());
        assert!(found.iter().all(|it| domain.has(&it.args)));
        assert!(found.contains(&input("[1,70,2,3]")) || found.contains(&input("[70,2,3]")));
        assert_eq!(found, all(1));
        assert_ne!(found, all(2));
    }
}
