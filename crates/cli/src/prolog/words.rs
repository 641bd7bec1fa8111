//! Makes texts of the words in the program's source, by mutation, for programs that parse sentences.
//!
//! A sentence of five words is a hundred flips away from the empty text. Runs are concrete here; an input that enters
//! or completes another clause joins the corpus, is mutated further, and becomes a seed of the symbolic search.

use crate::prolog::plan::Way;
use crate::prolog::vary::{part, replace};
use prolog::Limits;
use prolog::concolic::{Finished, Inference, Unit};
use std::collections::BTreeSet;
use term::{Dice, Term};
use trace::Input;

/// How many runs without news end the search.
const PATIENCE: usize = 5_000;
/// The maximum number of runs.
const MAX_RUNS: usize = 25_000;
const STEPS: u64 = 5_000;
/// A run counts once more for each this many steps.
const STEPS_OF_ONE: u64 = 250;
/// The maximum length of a text, in bytes.
const MAX_TEXT: usize = 80;
/// Words that any parser may accept.
const PLAIN: &[&str] = &[" ", "1", "-2", "30", "a", "B"];

/// Mutates the inputs of `corpus` and returns, in order, the new ones whose runs reached something new. `seen` are the
/// marks of clauses that were completed before.
pub(crate) fn sentences(
    unit: &mut Unit<'_>,
    way: &Way,
    mut corpus: Vec<Input>,
    words: &[String],
    seen: &BTreeSet<u32>,
    mut dice: Dice,
) -> Vec<Input> {
    let n_seeds = corpus.len();
    let mut seen: BTreeSet<(u8, u32)> = seen.iter().map(|it| (1, *it)).collect();
    let mut furthest = unit.machine().furthest().to_vec();
    let mut n_dull = 0;
    for _ in 0..MAX_RUNS {
        if PATIENCE <= n_dull {
            break;
        }
        n_dull += 1;
        let Some(input) = pick(&mut dice, &corpus).cloned() else { break };
        let Some(input) = changed(&mut dice, input, words) else { continue };
        if !way.domain.has(&input.args) || corpus.contains(&input) {
            continue;
        }
        let limits = Limits { steps: STEPS, memory_bytes: 64 << 20 };
        let Some(ran) = unit.solve(&input, limits, 1) else { continue };
        n_dull += usize::try_from(ran.steps / STEPS_OF_ONE).unwrap_or(0);
        let things = ran.completed.iter().map(|it| (1, *it));
        let things = things.chain(ran.entered.iter().map(|it| (0, *it)));
        let n_before = seen.len();
        seen.extend(things);
        let now = unit.machine().furthest();
        let is_further = now != furthest.as_slice();
        let is_known = n_before == seen.len() && !is_further;
        if is_known || matches!(ran.finished, Finished::Stopped(_)) {
            continue;
        }
        furthest = now.to_vec();
        corpus.push(input);
        n_dull = 0;
    }
    corpus.split_off(n_seeds)
}

/// The words of the texts in the source, its signs and its names, without duplicates.
pub(crate) fn dictionary(of: &Inference) -> Vec<String> {
    let mut res: Vec<String> = PLAIN.iter().map(|it| (*it).to_owned()).collect();
    res.extend(of.signs.iter().map(char::to_string));
    // A program with texts compares with these, so the names of its atoms are not needed.
    let has_words = of.texts.iter().any(|it| it.contains(char::is_alphanumeric));
    let names = of.names.iter().filter(|_| !has_words);
    for text in of.texts.iter().chain(names) {
        for word in text.split(' ').chain([text.as_str()]) {
            if !word.is_empty() && !res.iter().any(|it| it == word) {
                res.push(word.to_owned());
            }
        }
    }
    res
}

fn pick<'t, T>(dice: &mut Dice, from: &'t [T]) -> Option<&'t T> {
    let at = dice.below(from.len() as u64);
    from.get(usize::try_from(at).unwrap_or(0))
}

/// Mutates one text of the input by inserting, removing or replacing words. `None` if it has no text, or the new text
/// is too long.
fn changed(dice: &mut Dice, mut input: Input, words: &[String]) -> Option<Input> {
    let is_text = |n: &usize| part(&input, *n).is_some_and(|it| it.as_text().is_some());
    let n_parts = (0..).take_while(|n| part(&input, *n).is_some()).count();
    let texts: Vec<usize> = (0..n_parts).filter(is_text).collect();
    let at = *pick(dice, &texts)?;
    let old = part(&input, at)?.clone();
    let mut tokens = tokens(old.as_text()?);
    for _ in 0..=dice.below(3) {
        let place = usize::try_from(dice.below(tokens.len() as u64 + 1)).unwrap_or(0);
        let word = pick(dice, words)?.clone();
        match dice.below(6) {
            0 if place < tokens.len() => drop(tokens.remove(place)),
            1 => tokens.splice(place..(place + 1).min(tokens.len()), [word]).for_each(drop),
            2 => tokens.insert(place, word),
            // Signs are seldom next to spaces.
            3 | 4 if !word.contains(char::is_alphanumeric) => tokens.insert(place, word),
            3 => tokens.extend([" ".to_owned(), word]),
            _ => tokens.splice(place..place, [" ".to_owned(), word]).for_each(drop),
        }
    }
    let text = tokens.concat();
    if MAX_TEXT < text.len() {
        return None;
    }
    let is_atom = old.as_atom().is_some();
    let new = if is_atom { Term::atom(&text) } else { Term::binary(text.into_bytes()) };
    replace(&mut input, at, &new);
    Some(input)
}

/// Splits a text into words of letters and digits, and single other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut res: Vec<String> = Vec::new();
    let mut was_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric();
        match res.last_mut() {
            Some(last) if was_word && is_word => last.push(c),
            _ => res.push(c.to_string()),
        }
        was_word = is_word;
    }
    res
}

#[cfg(test)]
mod tests {
    use super::{changed, dictionary, tokens};
    use prolog::concolic::Inference;
    use std::collections::BTreeSet;
    use term::{Dice, Term};
    use trace::Input;

    #[test]
    fn a_text_is_words_and_signs() {
        assert_eq!(tokens("What is -3?"), ["What", " ", "is", " ", "-", "3", "?"]);
    }

    #[test]
    fn words_come_behind_what_is_there() {
        let mut known = Inference::default();
        known.texts.push("multiplied by".to_owned());
        let words = dictionary(&known);
        let input = Input { args: vec![Term::binary(b"2".to_vec())] };
        let all: BTreeSet<String> = (0..3_000)
            .filter_map(|it| changed(&mut Dice(it), input.clone(), &words))
            .filter_map(|it| Some(it.args.first()?.as_text()?.to_owned()))
            .collect();
        assert!(all.contains("2 by") && all.contains("2 multiplied by"), "{all:?}");
    }
}
