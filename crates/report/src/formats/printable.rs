//! Removes characters from texts that a format cannot represent or that a terminal would interpret.
//!
//! Terms under test contain any character; XML 1.0 has no representation of most control characters, not even an
//! escaped one.

/// Returns the text with each control character replaced by U+FFFD, except tabs and ends of lines.
pub(super) fn printable(text: &str) -> String {
    let safe = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        // XML 1.0 excludes these two besides the control characters.
        '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        _ if c.is_control() => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(safe).collect()
}

/// Returns the text on one line: white space of any length becomes one space.
pub(super) fn on_one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns at most `most` characters, and an ellipsis if some were left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
