//! Random characters and texts, and the shapes that a text can have in Erlang: a list of characters, a binary, or a
//! nested list of both (an iolist).

use term::{Dice, Term};

/// Characters that programs often test for, and one of each class with special handling: longer in upper case, combined
/// with its predecessor, two or more bytes in UTF-8.
const CHARS: &str =
    "aAzZ09 ._-+/:,;=?&%#@\"'\\()[]{}<>\t\r\n\0éßİŉǅ\u{308}\u{301}\u{200d}가\u{11a8}中😀\u{1f1e9}";

/// Returns a random code point of [`CHARS`].
pub(crate) fn character(dice: &mut Dice) -> i64 {
    let all = CHARS.chars().count() as u64;
    let at = usize::try_from(dice.below(all)).unwrap_or(0);
    CHARS.chars().nth(at).map_or(0, |it| i64::from(u32::from(it)))
}

/// Returns a text of one or two random characters.
pub(crate) fn text(dice: &mut Dice) -> String {
    let n = 1 + dice.below(2);
    let chars = (0..n).filter_map(|_| char::from_u32(u32::try_from(character(dice)).ok()?));
    chars.collect()
}

/// Returns the same text in another shape; `None` if the term is not a text.
pub(crate) fn reshaped(term: &Term, dice: &mut Dice) -> Option<Term> {
    match dice.below(3) {
        0 => other_kind(term),
        1 => Some(Term::proper_list(vec![term.clone()])),
        _ => split(term, dice),
    }
}

/// Converts a binary to a list of characters and a list of characters to a binary.
fn other_kind(term: &Term) -> Option<Term> {
    if let Term::Bits(bits) = term {
        return Some(Term::string(std::str::from_utf8(bits.as_bytes()?).ok()?));
    }
    let chars = term.as_list()?.iter().map(|it| char::from_u32(u32::try_from(it.as_int()?).ok()?));
    Some(Term::binary(chars.collect::<Option<String>>()?.into_bytes()))
}

/// Splits a text in two, and puts both parts, each as a binary or a list, into one list.
fn split(term: &Term, dice: &mut Dice) -> Option<Term> {
    let mut cut = |len: usize| usize::try_from(dice.below(len as u64 + 1)).unwrap_or(0);
    let (first, rest) = if let Term::Bits(bits) = term {
        let bytes = bits.as_bytes()?;
        let (first, rest) = bytes.split_at_checked(cut(bytes.len()))?;
        (Term::binary(first.to_vec()), Term::binary(rest.to_vec()))
    } else {
        let items = term.as_list()?;
        let (first, rest) = items.split_at_checked(cut(items.len()))?;
        (Term::proper_list(first.to_vec()), Term::proper_list(rest.to_vec()))
    };
    let way = dice.below(4);
    let turned = |it: Term, bit: u64| match other_kind(&it) {
        Some(other) if way & bit == bit => other,
        Some(_) | None => it,
    };
    let (first, rest) = (turned(first, 1), turned(rest, 2));
    // The result is either a list of both parts, or the characters of the first part followed by the second as one
    // element.
    if let (Term::List(list), 0) = (&first, dice.below(2)) {
        return Some(Term::list(list.items.clone(), Term::proper_list(vec![rest])));
    }
    Some(Term::proper_list(vec![first, rest]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::read_term;

    fn check(from: &str, expect: &str) {
        let (from, expect) = (read_term(from).expect("a term"), read_term(expect).expect("a term"));
        let found = (0..400).any(|it| reshaped(&from, &mut Dice(it)) == Some(expect.clone()));
        assert!(found, "{expect:?}");
    }

    #[test]
    fn texts_have_many_shapes() {
        check("[97,98]", "<<97,98>>");
        check("<<97,98>>", "[97,98]");
        check("[97,98]", "[[97,98]]");
        check("[97,98]", "[97,<<98>>]");
        check("<<97,98>>", "[<<97>>,[98]]");
    }
}
