//! Makes characters visible that a browser would not show or would use to reorder the text.

/// Returns the text with every control character except line feeds and tabs replaced by its picture, and every
/// character that changes the direction of text replaced by its number.
pub(crate) fn visible(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_owned();
    }
    let mut res = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_hidden(c) => res.push(c),
            '\u{0}'..='\u{1f}' => res.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => res.push('\u{2421}'),
            c => res.push_str(&format!("[U+{:04X}]", u32::from(c))),
        }
    }
    res
}

/// Whether a browser would drop the character, break the line at it, or reorder the text.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => true,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_hides_in_a_text() {
        assert_eq!(visible("plain\n\ttext é \u{1F980}"), "plain\n\ttext é \u{1F980}");
        assert_eq!(visible("\u{1b}[31m\u{0}\r\u{7f}"), "␛[31m␀␍␡");
        assert_eq!(visible("a\u{202e}b\u{2028}c\u{85}"), "a[U+202E]b[U+2028]c[U+0085]");
    }
}
