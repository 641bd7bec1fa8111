//! The characters of names, and the reserved words.
//!
//! Erlang accepts Latin-1 letters in names without quotes; all other letters need quotes.

/// Whether an atom with this name must be quoted. `maybe` and `else` are not reserved: OTP 25 reserves them only on
/// request.
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

/// Whether an atom without quotes may start with the character.
pub(super) fn starts_atom(c: char) -> bool {
    matches!(c, 'a'..='z' | 'ß'..='ö' | 'ø'..='ÿ')
}

pub(super) fn starts_variable(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'À'..='Ö' | 'Ø'..='Þ')
}

pub(super) fn continues_name(c: char) -> bool {
    starts_atom(c) || starts_variable(c) || matches!(c, '0'..='9' | '@')
}

/// Whether the text reads back as an atom, unless it is a reserved word.
pub(super) fn is_bare_atom(text: &str) -> bool {
    text.starts_with(starts_atom) && text.chars().all(continues_name)
}
