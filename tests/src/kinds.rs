//! Generators of arguments, written as text beside the functions that take them.
//!
//! ```text
//! Base = [2, 10, 16, 36, 37]            the values of a kind, as an Erlang list
//! erlang:integer_to_list/2 Int Base     a function, and the kind of each argument
//! Dict := dict:from_list/1 [{Key,Int}]  values of a kind that a function makes, on BEAM
//! ```
//! A kind is written as a name of one, `[Kind]` (a list), `{Kind,Kind}`, `#{Kind=>Kind}`, `A|B`, an
//! atom, an integer, or a range `1..5`.

use crate::{Answer, Call, beam_results};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use term::{Atom, Term, read_term};

#[derive(Clone, Debug, Default)]
pub struct Kinds {
    values: BTreeMap<String, Vec<Term>>,
    functions: Vec<Function>,
    /// The functions that make values of a kind on BEAM.
    makers: Vec<(String, Function)>,
}

#[derive(Clone, Debug)]
struct Function {
    module: Atom,
    name: Atom,
    args: Vec<Kind>,
}

/// The number of values that each maker is called for.
const N_MADE: usize = 40;

#[derive(Clone, Debug)]
enum Kind {
    Named(String),
    Literal(Term),
    Range(i64, i64),
    List(Box<Kind>),
    Tuple(Vec<Kind>),
    Map(Box<Kind>, Box<Kind>),
    Either(Vec<Kind>),
}

impl Kinds {
    /// Adds the definitions of a text.
    ///
    /// # Panics
    /// If the text does not follow the grammar above.
    pub fn add(&mut self, text: &str) {
        for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('%')) {
            if let Some((name, values)) = line.split_once(" = ") {
                let values = read_term(values).unwrap_or_else(|why| panic!("{line}: {why:?}"));
                let values = values.as_list().expect("a list of values").to_vec();
                self.values.entry(name.trim().to_owned()).or_default().extend(values);
                continue;
            }
            match line.split_once(" := ") {
                Some((name, maker)) => self.makers.push((name.to_owned(), function(maker))),
                None => self.functions.push(function(line)),
            }
        }
    }

    /// Calls the makers on BEAM, in the order in which they are written, and stores their results as values
    /// of their kinds.
    pub fn make(&mut self, random: &mut Random) {
        let mut at = 0;
        while at < self.makers.len() {
            // All makers up to the first one that needs a kind which an earlier one of them makes.
            let rest = self.makers.split_off(at);
            let known = |kinds: &[Kind]| kinds.iter().all(|it| it.is_known(&self.values));
            let n_ready = rest.iter().take_while(|it| known(&it.1.args)).count();
            assert!(
                0 < n_ready,
                "{} is made of unknown kinds",
                rest.first().map_or("", |it| &it.0)
            );
            let mut asked = Vec::new();
            for (name, function) in rest.iter().take(n_ready) {
                let call = |_| (name.clone(), self.call(function, random));
                asked.extend((0..N_MADE).map(call));
            }
            let calls: Vec<Call> = asked.iter().map(|it| it.1.clone()).collect();
            for ((name, _), answer) in asked.into_iter().zip(beam_results(&calls)) {
                if let Answer::Value(value) = answer {
                    self.values.entry(name).or_default().push(value);
                }
            }
            self.makers.extend(rest);
            at += n_ready;
        }
    }

    /// Defines a kind by values that cannot be written as text or that are used elsewhere, too.
    pub fn define(&mut self, name: &str, values: Vec<Term>) {
        self.values.insert(name.to_owned(), values);
    }

    /// Returns different calls of each function, at most `max_each` per function.
    pub fn calls(&self, random: &mut Random, max_each: usize) -> Vec<Call> {
        let mut res = Vec::new();
        for function in &self.functions {
            let mut seen = FxHashSet::default();
            for _ in 0..max_each {
                let call = self.call(function, random);
                if seen.insert(call.args.clone()) {
                    res.push(call);
                }
            }
        }
        res
    }

    fn call(&self, function: &Function, random: &mut Random) -> Call {
        let args = function.args.iter().map(|it| self.value(it, random)).collect();
        Call { module: function.module.clone(), function: function.name.clone(), args }
    }

    fn value(&self, kind: &Kind, random: &mut Random) -> Term {
        match kind {
            Kind::Named(name) => {
                let values = self.values.get(name).unwrap_or_else(|| panic!("no kind {name}"));
                random.pick(values).clone()
            }
            Kind::Literal(term) => term.clone(),
            Kind::Range(from, to) => {
                let span = to.abs_diff(*from) + 1;
                Term::Int(from + i64::try_from(random.below(span)).unwrap_or(0))
            }
            Kind::List(item) => {
                let length = random.length();
                Term::proper_list((0..length).map(|_| self.value(item, random)).collect())
            }
            Kind::Tuple(items) => {
                Term::Tuple(items.iter().map(|it| self.value(it, random)).collect())
            }
            Kind::Map(key, value) => {
                let length = random.length();
                let pair = |_| (self.value(key, random), self.value(value, random));
                Term::map((0..length).map(pair).collect())
            }
            Kind::Either(kinds) => self.value(random.pick(kinds), random),
        }
    }
}

fn function(line: &str) -> Function {
    let mut words = line.split_whitespace();
    let name = words.next().expect("a function");
    let (name, arity) = name.rsplit_once('/').expect("an arity");
    let (module, function) = name.split_once(':').expect("a module");
    let args: Vec<Kind> = words.map(parse).collect();
    assert_eq!(args.len().to_string(), arity, "kinds of {line}");
    Function { module: Atom::new(module), name: Atom::new(function), args }
}

impl Kind {
    fn is_known(&self, values: &BTreeMap<String, Vec<Term>>) -> bool {
        match self {
            Kind::Named(name) => values.contains_key(name),
            Kind::Literal(_) | Kind::Range(..) => true,
            Kind::List(item) => item.is_known(values),
            Kind::Map(key, value) => key.is_known(values) && value.is_known(values),
            Kind::Tuple(kinds) | Kind::Either(kinds) => kinds.iter().all(|it| it.is_known(values)),
        }
    }
}

fn parse(text: &str) -> Kind {
    let mut rest = text;
    let kind = either(&mut rest);
    assert!(rest.is_empty(), "{rest} is left of the kind {text}");
    kind
}

fn either(rest: &mut &str) -> Kind {
    let mut kinds = vec![one(rest)];
    while eat(rest, "|") {
        kinds.push(one(rest));
    }
    if kinds.len() == 1 { kinds.remove(0) } else { Kind::Either(kinds) }
}

fn one(rest: &mut &str) -> Kind {
    if eat(rest, "[]") {
        return Kind::Literal(Term::Nil);
    }
    if eat(rest, "[") {
        let item = either(rest);
        assert!(eat(rest, "]"), "a list of {item:?} must end before {rest}");
        return Kind::List(Box::new(item));
    }
    if eat(rest, "{}") {
        return Kind::Literal(Term::Tuple(vec![]));
    }
    if eat(rest, "{") {
        let mut items = vec![either(rest)];
        while eat(rest, ",") {
            items.push(either(rest));
        }
        assert!(eat(rest, "}"), "a tuple of {items:?} must end before {rest}");
        return Kind::Tuple(items);
    }
    if eat(rest, "#{}") {
        return Kind::Literal(Term::map(vec![]));
    }
    if eat(rest, "#{") {
        let key = either(rest);
        assert!(eat(rest, "=>"), "a value must follow {key:?}");
        let value = either(rest);
        assert!(eat(rest, "}"), "a map must end before {rest}");
        return Kind::Map(Box::new(key), Box::new(value));
    }
    let word = word(rest);
    if word.starts_with(|it: char| it.is_ascii_uppercase()) {
        return Kind::Named(word.to_owned());
    }
    let Ok(from) = word.parse::<i64>() else { return Kind::Literal(Term::atom(word)) };
    if eat(rest, "..") {
        let to = self::word(rest).parse().expect("the end of a range");
        return Kind::Range(from, to);
    }
    Kind::Literal(Term::Int(from))
}

fn word<'a>(rest: &mut &'a str) -> &'a str {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
    let (word, more) = rest.split_at(end);
    assert!(!word.is_empty(), "a kind is missing before {rest:?}");
    *rest = more;
    word
}

fn eat(rest: &mut &str, what: &str) -> bool {
    let more = rest.strip_prefix(what);
    *rest = more.unwrap_or(rest);
    more.is_some()
}

/// The SplitMix64 generator: the same numbers in every run.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    /// Returns an index below `n`.
    pub fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).unwrap_or(0)
    }

    /// Returns a random item.
    ///
    /// # Panics
    /// If there are no items.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.index(from.len());
        from.get(at).expect("something to pick from")
    }

    /// Returns the length of a collection: mostly short, sometimes long.
    fn length(&mut self) -> u64 {
        if self.below(12) == 0 { self.below(40) } else { self.below(6) }
    }
}
