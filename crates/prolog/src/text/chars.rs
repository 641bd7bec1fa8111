//! The classes of characters: which ones start or continue names, variables and symbol atoms.

pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() && c.is_ascii() || c == '\u{feff}'
}

/// Whether the character may be inside a name or variable.
pub fn is_alnum(c: char) -> bool {
    c == '_'
        || if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() || is_mark(c) }
}

/// Whether the character starts a variable.
pub(crate) fn is_var_start(c: char) -> bool {
    c == '_'
        || if c.is_ascii() { c.is_ascii_uppercase() } else { c.is_uppercase() || is_titlecase(c) }
}

/// Whether the character starts an atom that needs no quotes.
pub(crate) fn is_name_start(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_lowercase()
    } else {
        c.is_alphabetic() && !c.is_uppercase() && !is_titlecase(c)
    }
}

pub fn is_symbol_char(c: char) -> bool {
    if c.is_ascii() {
        matches!(
            c,
            '#' | '$'
                | '&'
                | '*'
                | '+'
                | '-'
                | '.'
                | '/'
                | ':'
                | '<'
                | '='
                | '>'
                | '?'
                | '@'
                | '\\'
                | '^'
                | '~'
        )
    } else {
        !c.is_alphanumeric() && !is_blank(c) && !c.is_control() && is_symbol_block(c)
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

fn is_titlecase(c: char) -> bool {
    matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ')
}

/// Whether the character is a mathematical or other symbol beyond ASCII.
fn is_symbol_block(c: char) -> bool {
    matches!(c,
        '\u{2016}' | '\u{2017}' | '\u{2020}'..='\u{2027}' | '\u{2030}'..='\u{2038}' | '\u{203b}'..='\u{203e}' | '¬' | '±' | '×' | '÷' | '¢'..='©' | '®' | '°' | '´' | '¸'
        | '\u{2190}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}' | '\u{27c0}'..='\u{2bff}')
}
