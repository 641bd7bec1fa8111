//! Generates inputs in which a text is replaced by a text of the source code, for programs that transform a text
//! before they compare it: `case String.downcase(text) do "alpha" -> …`.
//!
//! Fuzzers call such texts a dictionary. This module knows terms and the domain of the inputs, but not the program.

use crate::mutate::{part, size, visit};
use term::{Domain, Term};
use trace::Input;

/// The maximum number of inputs in which texts are replaced: the first inputs, which are small.
const MAX_INPUTS: usize = 3;

/// The maximum number of inputs that are generated.
const MAX_MADE: usize = 240;

/// How a text is represented.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Binary,
    /// A list of code points.
    Characters,
}

/// Returns inputs of the domain that are one of the first inputs with one text replaced by one of the words.
pub(crate) fn with_words(domain: &Domain, words: &[Vec<u8>], inputs: &[Input]) -> Vec<Input> {
    let mut res: Vec<Input> = Vec::new();
    for input in inputs.iter().take(MAX_INPUTS) {
        for (n, arg) in input.args.iter().enumerate() {
            let shapes =
                (0..size(arg)).filter_map(|at| Some((at, Shape::of(part(arg, &mut at.clone())?)?)));
            for (at, shape) in shapes {
                for word in words.iter().filter_map(|it| shape.write(it)) {
                    let mut changed = input.clone();
                    if let Some(arg) = changed.args.get_mut(n) {
                        visit(arg, &mut at.clone(), &mut |it| *it = word.clone());
                    }
                    if domain.has(&changed.args) && !res.contains(&changed) {
                        res.push(changed);
                    }
                    if MAX_MADE <= res.len() {
                        return res;
                    }
                }
            }
        }
    }
    res
}

impl Shape {
    /// Returns the shape of a term; `None` if it is not a text.
    fn of(term: &Term) -> Option<Shape> {
        let is_character = |it: &Term| matches!(it, Term::Int(0..=0x10_ffff));
        match term {
            Term::Bits(bits) if bits.bit_len() % 8 == 0 => Some(Shape::Binary),
            Term::Nil => Some(Shape::Characters),
            Term::List(list) if list.items.iter().all(is_character) => Some(Shape::Characters),
            Term::List(_)
            | Term::Bits(_)
            | Term::Atom(_)
            | Term::Int(_)
            | Term::Big(_)
            | Term::Float(_)
            | Term::Tuple(_)
            | Term::Map(_)
            | Term::Fun(_)
            | Term::Pid(_)
            | Term::Port(_)
            | Term::Ref(_) => None,
        }
    }

    /// Returns the word as a term of this shape; `None` if the shape is a list of code points and the word is not
    /// UTF-8.
    fn write(self, word: &[u8]) -> Option<Term> {
        match self {
            Shape::Binary => Some(Term::binary(word.to_vec())),
            Shape::Characters => {
                let chars = std::str::from_utf8(word).ok()?.chars();
                Some(Term::proper_list(
                    chars.map(|it| Term::Int(i64::from(u32::from(it)))).collect(),
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_words;
    use term::{Domain, Kind, Type, Types, read_term};
    use trace::Input;

    #[test]
    fn words_take_the_place_of_texts_within_the_domain() {
        let mut types = Types::default();
        let any = types.add(Type::Any);
        let binary = types.add(Type::Kind(Kind::Bitstring));
        let args = types.add(Type::Tuple([binary, any].into()));
        let domain = Domain { types, args: Some(args) };
        let read = |text: &str| Input {
            args: vec![read_term("<<>>").expect("a term"), read_term(text).expect("a term")],
        };
        let made = with_words(&domain, &[b"on".to_vec()], &[read("{[], 1}")]);
        let texts: Vec<String> = made.iter().map(|it| format!("{:?}", it.args)).collect();
        assert_eq!(made.len(), 2, "{texts:?}");
        assert_eq!(made.first().map(|it| it.args[0].clone()), read_term("<<\"on\">>").ok());
        assert_eq!(made.last().map(|it| it.args[1].clone()), read_term("{\"on\", 1}").ok());
    }
}
