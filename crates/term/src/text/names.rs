//! Which characters make names, and which words are taken.
//!
//! Erlang reads Latin-1 letters in names without quotes; everything beyond needs quotes.

/// Words that an atom can be only in quotes. `maybe` and `else` are not among them: OTP 25 reserves
/// them only on request.
pub fn is_reserved_word(word: &str) -> bool {
    matches!(
        word,
        "after"
            | "and"
            | "andalso"
            | "band"
            | "begin"
            | "bnot"
            | "bor"
            | "bsl"
            | "bsr"
            | "bxor"
            | "case"
            | "catch"
            | "cond"
            | "div"
            | "end"
            | "fun"
            | "if"
            | "let"
            | "not"
            | "of"
            | "or"
            | "orelse"
            | "receive"
            | "rem"
            | "try"
            | "when"
            | "xor"
    )
}

/// May an atom without quotes start with it?
pub(super) fn starts_atom(c: char) -> bool {
    matches!(c, 'a'..='z' | 'ß'..='ö' | 'ø'..='ÿ')
}

pub(super) fn starts_variable(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'À'..='Ö' | 'Ø'..='Þ')
}

pub(super) fn continues_name(c: char) -> bool {
    starts_atom(c) || starts_variable(c) || matches!(c, '0'..='9' | '@')
}

/// Is it a name that reads back as an atom, but for reserved words?
pub(super) fn is_bare_atom(text: &str) -> bool {
    text.starts_with(starts_atom) && text.chars().all(continues_name)
}
