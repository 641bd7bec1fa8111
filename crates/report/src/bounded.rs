//! Limits on the texts of a report.
//!
//! A program under test may make terms of any size, and each shows up in many places. A longer text is cut and ends
//! with a mark. Inputs may be longer than texts that are only read, because they are run again from a report.

use crate::data::{Report, Test, Unit};
use crate::finding::Finding;

/// The maximal length of a call or an argument, in characters.
const MAX_INPUT: usize = 60_000;
/// The maximal length of a reason, a result or a line of a stack, in characters.
const MAX_TEXT: usize = 2_000;
/// The maximal number of lines that tell how a call ends, and of frames of its stack.
const MAX_LINES: usize = 60;
/// The maximal size of one unit's inputs and outcomes in a report, in bytes, unless all are asked for.
pub const MOST_TESTS: usize = 48_000;

/// The mark that replaces the rest of a text.
const MARK: &str = "… (cut, ";

/// Returns the text, or its beginning with a mark that gives its length.
fn cut(text: String, most: usize) -> String {
    // A text has at most as many characters as bytes, and its size in bytes is known.
    if text.len() <= most {
        return text;
    }
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            let n_chars = text.chars().count();
            format!("{}{MARK}{n_chars} characters)", text.get(..end).unwrap_or_default())
        }
        None => text,
    }
}

/// Whether a text was cut, so that it cannot be read again as a term.
pub fn is_cut(text: &str) -> bool {
    text.ends_with(" characters)") && text.contains(MARK)
}

/// Returns a text without the mark.
pub fn kept(text: &str) -> &str {
    match is_cut(text) {
        true => text.rsplit_once(MARK).map_or(text, |it| it.0),
        false => text,
    }
}

fn shorten(text: &mut String, most: usize) {
    *text = cut(std::mem::take(text), most);
}

fn shorten_all(texts: &mut [String], most: usize) {
    texts.iter_mut().for_each(|it| shorten(it, most));
}

/// Keeps the first and the last lines, with the number of lines between them.
fn fewer(lines: &mut Vec<String>) {
    shorten_all(lines, MAX_TEXT);
    if lines.len() > MAX_LINES {
        let n_cut = lines.len() - MAX_LINES;
        let half = MAX_LINES / 2;
        lines.splice(half..half + n_cut, [format!("… ({n_cut} lines)")]);
    }
}

impl Report {
    /// Cuts texts that are too long, and keeps at most `most_tests` bytes of tests for each unit.
    pub fn bound(&mut self, most_tests: usize) {
        self.units.iter_mut().for_each(|it| it.bound(most_tests));
        for line in self.modules.iter_mut().flat_map(|it| &mut it.lines) {
            line.by.iter_mut().for_each(|it| shorten(it, MAX_TEXT));
        }
    }
}

impl Unit {
    fn bound(&mut self, most_tests: usize) {
        self.findings.iter_mut().for_each(Finding::bound);
        self.tests.iter_mut().for_each(Test::bound);
        let mut n_bytes = 0;
        self.tests.retain(|it| {
            n_bytes += it.n_bytes();
            n_bytes <= most_tests
        });
        for it in &mut self.unreceived {
            shorten(&mut it.message, MAX_TEXT);
            shorten(&mut it.call, MAX_INPUT);
        }
    }
}

impl Test {
    fn bound(&mut self) {
        shorten_all(&mut self.args, MAX_INPUT);
        shorten(&mut self.call, MAX_INPUT);
        self.term.iter_mut().for_each(|it| shorten(it, MAX_TEXT));
    }

    fn n_bytes(&self) -> usize {
        let args: usize = self.args.iter().map(String::len).sum();
        args + self.call.len() + self.term.as_ref().map_or(0, String::len)
    }
}

impl Finding {
    fn bound(&mut self) {
        shorten(&mut self.call, MAX_INPUT);
        shorten_all(&mut self.args, MAX_INPUT);
        self.found_with.iter_mut().for_each(|it| shorten_all(it, MAX_TEXT));
        for text in [&mut self.shown, &mut self.reason, &mut self.because] {
            shorten(text, MAX_TEXT);
        }
        self.why.iter_mut().for_each(|it| shorten(it, MAX_TEXT));
        self.unconfirmed_because.iter_mut().for_each(|it| shorten(it, MAX_TEXT));
        fewer(&mut self.says);
        fewer(&mut self.stack);
        // A part of a test is not a test, so it is left out.
        self.test.take_if(|it| it.len() > MAX_INPUT);
        self.reached.iter_mut().for_each(|it| shorten(&mut it.what, MAX_TEXT));
        if let Some(schedule) = &mut self.schedule {
            let shown = [&mut schedule.lost, &mut schedule.blocked, &mut schedule.chart];
            shown.into_iter().for_each(|it| shorten_all(it, MAX_TEXT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(cut("é".repeat(10), 10), "é".repeat(10));
        let text = cut("é".repeat(11), 10);
        assert_eq!(text, format!("{}… (cut, 11 characters)", "é".repeat(10)));
        assert!(is_cut(&text) && !is_cut("11 characters"));
        assert_eq!(kept(&text), "é".repeat(10));
    }

    #[test]
    fn a_report_has_a_size() {
        let long = || "x".repeat(11_900_000);
        let test =
            || Test { args: vec![long()], call: long(), term: Some(long()), ..Test::default() };
        let finding = Finding {
            args: vec![long()],
            call: long(),
            shown: long(),
            says: (0..40_000).map(|it| it.to_string()).collect(),
            stack: vec![long(); 3],
            reason: long(),
            test: Some(long()),
            found_with: Some(vec![long()]),
            ..Finding::default()
        };
        let unit = Unit { findings: vec![finding], tests: vec![test()], ..Unit::default() };
        let mut report = Report { units: vec![unit], ..Report::default() };
        report.bound(MOST_TESTS);
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.len() < 300_000, "{}", text.len());
        assert_eq!(report.units[0].findings[0].says.len(), MAX_LINES + 1);
        let n_bytes = text.len();
        report.bound(MOST_TESTS);
        assert!(serde_json::to_string(&report).unwrap().len() <= n_bytes + 200, "it stays so");
    }
}
