//! Inputs in which a text is replaced by a text of the source code, for programs that transform a text before they
//! compare it: `case String.downcase(text) do "alpha" -> …`.
//!
//! Fuzzers call such texts a dictionary. Knows terms and the domain that inputs must belong to, not the program.

use crate::mutate::{part, size, visit};
use term::{Domain, Term};
use trace::Input;

/// How many inputs are changed: the first ones, which are small.
const MAX_INPUTS: usize = 3;

/// How many inputs are made.
const MAX_MADE: usize = 240;

/// Returns the inputs of the domain that differ from one of the first inputs by a text that is a word.
pub(crate) fn with_words(domain: &Domain, words: &[Vec<u8>], inputs: &[Input]) -> Vec<Input> {
    let mut res: Vec<Input> = Vec::new();
    for input in inputs.iter().take(MAX_INPUTS) {
        for (n, arg) in input.args.iter().enumerate() {
            for at in 0..size(arg) {
                let mut place = at;
                let Some(shape) = part(arg, &mut place).and_then(shape_of) else { continue };
                for word in words {
                    let mut args = input.args.clone();
                    let mut place = at;
                    let mut word = shape(word);
                    if let (Some(arg), Some(word)) = (args.get_mut(n), &mut word) {
                        visit(arg, &mut place, &mut |it| *it = word.clone());
                    }
                    let changed = Input { args };
                    if word.is_some() && domain.has(&changed.args) && !res.contains(&changed) {
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

/// Returns how a word is written in the place of this term; `None` if the term is not a text.
fn shape_of(term: &Term) -> Option<fn(&[u8]) -> Option<Term>> {
    let is_character = |it: &Term| matches!(it, Term::Int(0..=0x10_ffff));
    match term {
        Term::Bits(bits) if bits.bit_len() % 8 == 0 => {
            Some(|word| Some(Term::binary(word.to_vec())))
        }
        Term::Nil => Some(characters),
        Term::List(list) if list.items.iter().all(is_character) => Some(characters),
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

/// Returns the list of a word's characters; `None` if the word is not UTF-8.
fn characters(word: &[u8]) -> Option<Term> {
    let text = std::str::from_utf8(word).ok()?;
    Some(Term::proper_list(text.chars().map(|it| Term::Int(i64::from(u32::from(it)))).collect()))
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
        let binary = types.add(Type::Kind(Kind::Bits));
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
