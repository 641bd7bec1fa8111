//! Text without characters that a format can't hold or that a terminal would act upon.
//!
//! Terms under test hold any character; XML 1.0 has no way to write most control characters, not even
//! escaped.

/// The text with each control character replaced by U+FFFD, except tabs and ends of lines.
pub(super) fn printable(text: &str) -> String {
    let safe = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        // XML 1.0 excludes these two by name, next to the control characters.
        '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        _ if c.is_control() => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(safe).collect()
}

/// The same on one line: white space of any length becomes one space.
pub(super) fn on_one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many characters, with an ellipsis where some were left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
