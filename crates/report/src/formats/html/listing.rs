//! A listing of source lines with a gutter. Unmarked neighbouring lines share one stretch of text, so that a large
//! source has few elements.

use crate::page::visible;

use super::places::Link;

/// Two columns of text with the same number of lines.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) gutter: Vec<Stretch>,
    pub(super) code: Vec<Stretch>,
}

/// One marked line, or several unmarked lines. Unmarked text ends with a line feed.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) text: String,
    pub(super) mark: Option<Mark>,
}

/// The mark of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    pub(super) class: &'static str,
    /// The text that is shown on hover and on focus.
    pub(super) note: String,
    pub(super) anchor: Option<String>,
    pub(super) links: Vec<Link>,
}

impl Listing {
    /// Returns the lines from number `first` on, each with its marks.
    pub(super) fn of<'s>(
        first: u32,
        lines: impl Iterator<Item = &'s str>,
        mut marks: impl FnMut(u32) -> Marks,
    ) -> Listing {
        let mut res = Listing::default();
        for (number, line) in (first..).zip(lines) {
            let marks = marks(number);
            push(&mut res.gutter, &number.to_string(), marks.gutter);
            push(&mut res.code, &visible(line), marks.code);
        }
        res
    }
}

/// The marks of a line in the gutter and in the code.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) gutter: Option<Mark>,
    pub(super) code: Option<Mark>,
}

fn push(column: &mut Vec<Stretch>, text: &str, mark: Option<Mark>) {
    match (mark, column.last_mut()) {
        (None, Some(Stretch { text: before, mark: None })) => {
            before.push_str(text);
            before.push('\n');
        }
        (None, _) => column.push(Stretch { text: format!("{text}\n"), mark: None }),
        (Some(mark), _) => column.push(Stretch { text: text.to_owned(), mark: Some(mark) }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Listing, Mark, Marks};

    #[test]
    fn unmarked_neighbours_share_a_stretch() {
        let text = "a\n\nb\nc\u{0}\n";
        let listing = Listing::of(7, text.lines(), |n| match n {
            9 => Marks { gutter: Some(Mark::default()), code: None },
            _ => Marks::default(),
        });
        let texts = |it: &[super::Stretch]| it.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&listing.gutter), ["7\n8\n", "9", "10\n"]);
        assert_eq!(texts(&listing.code), ["a\n\nb\nc␀\n"]);
    }
}
