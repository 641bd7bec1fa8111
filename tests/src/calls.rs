//! Calls and their answers, and BEAM's answers to many calls in one start.

use crate::otp::run_script;
use rustc_hash::FxHashMap;
use std::fmt;
use std::path::Path;
use term::etf;
use term::{Atom, Encoding, Style, Term, atom_text, print};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    pub module: Atom,
    pub function: Atom,
    pub args: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Value(Term),
    Raised {
        class: Atom,
        reason: Term,
    },
    /// There is no answer: a limit was reached, or the machinery failed.
    Lost(String),
}

/// Returns BEAM's answer to each call.
///
/// # Panics
/// If OTP is missing or its answers cannot be read.
pub fn beam_results(calls: &[Call]) -> Vec<Answer> {
    let mut pool = Pool::default();
    let asked: Vec<Term> = calls
        .iter()
        .map(|it| {
            let places = it.args.iter().map(|it| pool.place(it)).collect();
            let module = Term::Atom(it.module.clone());
            let function = Term::Atom(it.function.clone());
            Term::Tuple(vec![module, function, Term::proper_list(places)])
        })
        .collect();
    let asked = Term::Tuple(vec![Term::Tuple(pool.terms), Term::proper_list(asked)]);
    let bytes = run_script("calls.escript", &etf::encode(&asked).expect("calls can be encoded"));
    let answers: Vec<Answer> = frames(&bytes).map(answer).collect();
    assert_eq!(answers.len(), calls.len(), "one answer per call");
    answers
}

/// Returns BEAM's answer to each function that a program lists in its `tests/0`.
///
/// # Panics
/// If OTP is missing, or the program does not compile.
pub fn beam_program(path: &Path) -> Vec<(Atom, Answer)> {
    let asked = path.to_str().expect("a path of text").as_bytes();
    let bytes = run_script("programs.escript", asked);
    frames(&bytes).map(named_answer).collect()
}

/// The results of a program on real nodes: the nodes' names, and the answer of each function on the first
/// node.
#[derive(Debug)]
pub struct OnNodes {
    pub names: Vec<String>,
    pub answers: Vec<(Atom, Answer)>,
}

/// Runs a program on two real nodes. `Err` says why nodes cannot be started here.
///
/// # Panics
/// If OTP is missing, or the program does not compile.
pub fn beam_nodes(path: &Path) -> Result<OnNodes, String> {
    let asked = path.to_str().expect("a path of text").as_bytes();
    let bytes = run_script("nodes.escript", asked);
    let mut frames = frames(&bytes);
    let first = etf::decode(frames.next().expect("a first frame")).expect("a term");
    match first.as_tuple() {
        Some([tag, names]) if tag.as_atom() == Some("nodes") => {
            let names = names.as_list().expect("a list").iter();
            let names = names.map(|it| it.as_atom().expect("a name").to_owned()).collect();
            Ok(OnNodes { names, answers: frames.map(named_answer).collect() })
        }
        _ => Err(print(&first, Style::TP)),
    }
}

fn named_answer(bytes: &[u8]) -> (Atom, Answer) {
    let term = etf::decode(bytes).unwrap_or_else(|why| panic!("{why}: {bytes:?}"));
    let [function, became] = term.as_tuple().expect("a tuple") else { panic!("no pair: {term:?}") };
    (Atom::new(function.as_atom().expect("a name")), answer_in(became))
}

/// Interned arguments: many calls share few arguments, so calls refer to them by index.
#[derive(Default)]
struct Pool {
    terms: Vec<Term>,
    places: FxHashMap<Term, i64>,
}

impl Pool {
    fn place(&mut self, term: &Term) -> Term {
        let next = i64::try_from(self.terms.len()).unwrap_or(i64::MAX) + 1;
        let place = *self.places.entry(term.clone()).or_insert(next);
        if place == next {
            self.terms.push(term.clone());
        }
        Term::Int(place)
    }
}

/// Splits byte strings that are each preceded by their length in 32 bits.
pub(crate) fn frames(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (length, more) = rest.split_first_chunk::<4>()?;
        let (frame, more) = more.split_at(u32::from_be_bytes(*length) as usize);
        rest = more;
        Some(frame)
    })
}

pub(crate) fn answer(bytes: &[u8]) -> Answer {
    answer_in(&etf::decode(bytes).unwrap_or_else(|why| panic!("{why}: {bytes:?}")))
}

fn answer_in(term: &Term) -> Answer {
    let [tag, content] = term.as_tuple().expect("a tuple") else { panic!("not a pair: {term:?}") };
    match tag.as_atom().expect("an atom") {
        "value" => Answer::Value(content.clone()),
        "lost" => Answer::Lost(print(content, Style::TP)),
        class => Answer::Raised { class: Atom::new(class), reason: content.clone() },
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |it| atom_text(it, Encoding::Unicode);
        let args: Vec<String> = self.args.iter().map(|it| print(it, Style::TP)).collect();
        write!(f, "{}:{}({})", name(&self.module), name(&self.function), args.join(", "))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Value(value) => write!(f, "{}", print(value, Style::TP)),
            Answer::Raised { class, reason } => {
                write!(f, "{}:{}", class.as_str(), print(reason, Style::TP))
            }
            Answer::Lost(why) => write!(f, "no answer: {why}"),
        }
    }
}
