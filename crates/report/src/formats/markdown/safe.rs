//! Escaping of text from terms for Markdown: no markup, no HTML, no links, no mentions of people, no end of the
//! enclosing block.

use crate::formats::printable::{cut, on_one_line, printable};

/// The maximal length of a block of code, in characters.
const MAX_BLOCK: usize = 2000;
/// The maximal length of words within a line, in characters.
const MAX_PROSE: usize = 300;
/// The maximal length of a name or a term within a line, in characters.
const MAX_CODE: usize = 80;

/// Escapes words of a line.
pub(super) fn prose(text: &str) -> String {
    // GitHub searches the rendered text for `@name` and `#1`, so escaping these characters is not enough.
    let mark = |it: &str, c: u32| it.replace(&entity(c), &format!("{}\u{200b}", entity(c)));
    let text = inline(text, MAX_PROSE);
    mark(&mark(&text, u32::from('@')), u32::from('#'))
}

/// Escapes a term or a name within a line, a cell of a table or the summary of a fold.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", inline(text, MAX_CODE))
}

/// Escapes text by numeric character references, which have no meaning in Markdown or HTML. The rules for backslashes
/// differ between paragraphs, tables and HTML.
fn inline(text: &str, most: usize) -> String {
    let mut res = String::new();
    for c in cut(&on_one_line(text), most).chars() {
        // These characters, such as a dash, are markup only at the beginning of a block.
        let is_plain = ",-/;=%?+".contains(c) && !res.is_empty();
        if c.is_ascii_punctuation() && !is_plain {
            res.push_str(&entity(u32::from(c)));
        } else {
            res.push(c);
        }
    }
    res
}

fn entity(c: u32) -> String {
    format!("&#{c};")
}

/// Returns lines as a block of code, in a fence that is longer than any in the lines.
pub(super) fn block(language: &str, text: &str) -> String {
    let text = printable(text).replace("\r\n", "\n").replace('\r', "\n");
    let text = cut(text.trim_end(), MAX_BLOCK);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let is_plain = language.chars().all(|it| it.is_ascii_alphanumeric());
    let language = if is_plain { language } else { "" };
    format!("{fence}{language}\n{text}\n{fence}\n\n")
}
