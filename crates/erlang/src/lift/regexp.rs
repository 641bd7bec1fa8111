//! `re:run`: the real runtime decides what matches, so the subject is not followed symbolically. Only if the pattern is
//! constant, there is a choice whether the subject is one of a few texts that the pattern matches; flips of it lead to
//! inputs that match.
//!
//! This module understands patterns only as far as it needs to generate such texts.

use crate::lift::{Lifting, arg};
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;
use term::{Dice, Term};
use trace::{Head, Looked};
use values::{Value, View};

/// `re:run/2` and `re:run/3`
pub(crate) fn run(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (subject, pattern) = (arg(args, 0), arg(args, 1));
    if l.is_symbolic(subject) && !l.is_symbolic(pattern) {
        choose_text(l, subject, pattern);
    }
    l.concretise("re:run", args, |_| true);
    found
}

fn choose_text(l: &mut Lifting<'_>, subject: Value, pattern: Value) -> Option<()> {
    let pattern = text(&values::to_term(l.heap, l.atoms, pattern).ok()?)?;
    let is_binary = matches!(subject.view(), View::Bits(_));
    let term =
        |it: String| if is_binary { Term::binary(it.into_bytes()) } else { Term::string(&it) };
    let heads: Arc<[Head]> =
        samples(&pattern)?.into_iter().map(|it| Head::Literal(term(it))).collect();
    let this = values::to_term(l.heap, l.atoms, subject).ok()?;
    let is_this = |it: &Head| matches!(it, Head::Literal(term) if *term == this);
    let taken = heads.iter().position(is_this).unwrap_or(heads.len());
    let (expr, site) = (l.expr(subject)?, l.site(N_ARGS));
    l.record.choose(site, taken, Looked::Heads(expr, heads));
    Some(())
}

/// The number of sites reserved for pinned arguments.
const N_ARGS: u32 = 4;

/// The term as a text: a binary in UTF-8 or a list of characters; `None` for other terms.
fn text(term: &Term) -> Option<String> {
    if let Term::Bits(bits) = term {
        return Some(std::str::from_utf8(bits.as_bytes()?).ok()?.to_owned());
    }
    let code = |it: &Term| char::from_u32(u32::try_from(it.as_int()?).ok()?);
    term.as_list()?.iter().map(code).collect()
}

const N_SAMPLES: u64 = 8;

/// Texts that the pattern matches, the shortest first; `None` if the pattern is not understood.
fn samples(pattern: &str) -> Option<Vec<String>> {
    let mut parser = Parser { rest: pattern.chars().peekable(), depth: 0 };
    let whole = parser.alternatives()?;
    if parser.rest.next().is_some() {
        return None;
    }
    let mut res: Vec<String> = Vec::new();
    for n in 0..N_SAMPLES {
        let mut sampler = Sampler { n, dice: Dice(n), text: String::new() };
        sampler.add(&whole);
        if !res.contains(&sampler.text) {
            res.push(sampler.text);
        }
    }
    Some(res)
}

/// A part of a pattern.
#[derive(Clone, Debug)]
enum RegexpPart {
    /// A character in one of these ranges.
    Char(Vec<(char, char)>),
    /// One of these sequences.
    Either(Vec<Vec<RegexpPart>>),
    Repeated {
        of: Box<RegexpPart>,
        least: u32,
        most: Option<u32>,
    },
}

const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\t'), ('\n', '\n')];
const ANY: &[(char, char)] = &[('a', 'z'), ('0', '9'), (' ', '~')];

/// The maximum nesting depth of groups; deeper patterns are not understood.
const MAX_DEPTH: usize = 50;

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn alternatives(&mut self) -> Option<RegexpPart> {
        self.depth += 1;
        if MAX_DEPTH < self.depth {
            return None;
        }
        let mut res = vec![self.sequence()?];
        while self.takes('|') {
            res.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(RegexpPart::Either(res))
    }

    fn sequence(&mut self) -> Option<Vec<RegexpPart>> {
        let mut res = Vec::new();
        while let Some(next) = self.rest.next_if(|it| !matches!(it, '|' | ')')) {
            let part = match next {
                '^' | '$' => continue,
                '.' => RegexpPart::Char(ANY.to_vec()),
                '(' => self.group()?,
                '[' => RegexpPart::Char(self.class()?),
                '\\' => match self.rest.next()? {
                    'b' | 'A' | 'z' | 'Z' => continue,
                    escaped => RegexpPart::Char(named(escaped)?),
                },
                '*' | '+' | '?' => return None,
                plain => RegexpPart::Char(vec![(plain, plain)]),
            };
            res.push(self.repeated(part)?);
        }
        Some(res)
    }

    fn group(&mut self) -> Option<RegexpPart> {
        if self.takes('?') {
            match self.rest.next()? {
                ':' => (),
                // The name of a group.
                'P' | '<' | '\'' => while !matches!(self.rest.next()?, '>' | '\'') {},
                _ => return None,
            }
        }
        let res = self.alternatives()?;
        self.takes(')').then_some(res)
    }

    fn class(&mut self) -> Option<Vec<(char, char)>> {
        let is_negated = self.takes('^');
        let mut res: Vec<(char, char)> = Vec::new();
        while res.is_empty() || self.rest.peek() != Some(&']') {
            let low = match self.rest.next()? {
                '[' if self.rest.peek() == Some(&':') => return None,
                '\\' => match named(self.rest.next()?)?.as_slice() {
                    [(low, high)] if low == high => *low,
                    many => {
                        res.extend_from_slice(many);
                        continue;
                    }
                },
                plain => plain,
            };
            let mut high = low;
            if self.takes('-') {
                match self.rest.peek() {
                    Some(']') => res.push(('-', '-')),
                    Some('\\') | None => return None,
                    Some(_) => high = self.rest.next()?,
                }
            }
            res.push((low, high));
        }
        self.takes(']');
        if !is_negated {
            return Some(res);
        }
        let is_other = |it: &char| !res.iter().any(|(low, high)| (low..=high).contains(&it));
        Some((' '..='~').filter(is_other).map(|it| (it, it)).collect())
    }

    fn repeated(&mut self, part: RegexpPart) -> Option<RegexpPart> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(part),
            Some(_) | None => return Some(part),
        };
        self.rest.next();
        self.greed();
        Some(RegexpPart::Repeated { of: Box::new(part), least, most })
    }

    fn counted(&mut self, part: RegexpPart) -> Option<RegexpPart> {
        self.rest.next();
        let least = self.number()?;
        let most = if self.takes(',') { self.number() } else { Some(least) };
        if !self.takes('}') {
            return None;
        }
        self.greed();
        Some(RegexpPart::Repeated { of: Box::new(part), least, most })
    }

    fn number(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok().filter(|it| *it <= MAX_REPEATED)
    }

    /// Skips a modifier for lazy or possessive repetition, which does not change which texts match.
    fn greed(&mut self) {
        self.rest.next_if(|it| matches!(it, '?' | '+'));
    }
}

const MAX_REPEATED: u32 = 100;

/// The characters that an escape sequence matches; `None` if the sequence is not understood.
fn named(escaped: char) -> Option<Vec<(char, char)>> {
    let one = |it: char| vec![(it, it)];
    Some(match escaped {
        'd' => DIGIT.to_vec(),
        'w' => WORD.to_vec(),
        's' | 'h' => SPACE.to_vec(),
        'D' | 'S' => vec![('a', 'z')],
        'W' => vec![(' ', '/')],
        'n' => one('\n'),
        't' => one('\t'),
        'r' => one('\r'),
        other if other.is_ascii_alphanumeric() => return None,
        other => one(other),
    })
}

/// Generates the text number `n` of a pattern. Text 0 has the fewest repetitions and the first alternatives and
/// characters; text 1 has the most repetitions and the last alternatives and characters; all further texts are random.
struct Sampler {
    n: u64,
    dice: Dice,
    text: String,
}

/// The maximum number of repetitions beyond the minimum.
const MORE: u64 = 3;

impl Sampler {
    fn add(&mut self, part: &RegexpPart) {
        match part {
            RegexpPart::Char(of) => {
                if let Some((low, high)) = self.pick(of).copied() {
                    let all = u64::from(u32::from(high)).saturating_sub(u64::from(u32::from(low)));
                    let at = self.below(all + 1);
                    let code = u32::from(low).saturating_add(u32::try_from(at).unwrap_or(0));
                    self.text.extend(char::from_u32(code));
                }
            }
            RegexpPart::Either(of) => {
                let chosen = self.pick(of).cloned().unwrap_or_default();
                chosen.iter().for_each(|it| self.add(it));
            }
            RegexpPart::Repeated { of, least, most } => {
                let more = most.map_or(MORE, |it| u64::from(it.saturating_sub(*least)).min(MORE));
                let n = u64::from(*least) + self.below(more + 1);
                (0..n).for_each(|_| self.add(of));
            }
        }
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = self.below(of.len() as u64);
        of.get(usize::try_from(at).ok()?)
    }

    fn below(&mut self, bound: u64) -> u64 {
        match self.n {
            0 => 0,
            1 => bound.saturating_sub(1),
            _ => self.dice.below(bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples;

    fn check(pattern: &str, expect: &[&str]) {
        let found = samples(pattern);
        let first = found.as_ref().map(|it| it.iter().take(2).map(String::as_str).collect());
        assert_eq!(first, Some(expect.to_vec()), "{pattern}");
    }

    #[test]
    fn a_short_text_and_a_long_one() {
        check("^([a-z]+)-([0-9]{2})$", &["a-00", "zzzz-99"]);
        check(r"(?<year>\d{4})(?:/x)?", &["0000", "9999/x"]);
        check(r"a|bc*?\.", &["a", "bccc."]);
        check(r"[^a-y!-~]\n", &[" \n"]);
        check("", &[""]);
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for pattern in ["(", "*", "a{", r"\1", "(?=x)", "[[:alpha:]]", "a)"] {
            assert_eq!(samples(pattern), None, "{pattern}");
        }
    }
}
