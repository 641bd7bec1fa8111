//! A report of differences between two sides, grouped by function and shortened for people.

use crate::{Answer, Call};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The maximum number of differences that a report shows, in total and per function.
const MAX_SHOWN: usize = 50;
const MAX_SHOWN_EACH: usize = 2;
/// The length at which a line is cut off, in characters.
const MAX_WIDTH: usize = 300;

#[derive(Debug, Default)]
pub struct Report {
    n_cases: usize,
    by_function: BTreeMap<(String, String, usize), Vec<String>>,
    n_shown: usize,
}

impl Report {
    pub fn compare(&mut self, call: &Call, ours: &Answer, theirs: &Answer) {
        self.n_cases += 1;
        if ours == theirs {
            return;
        }
        let module = call.module.as_str().to_owned();
        let key = (module, call.function.as_str().to_owned(), call.args.len());
        let cut = |text: String| text.chars().take(MAX_WIDTH).collect::<String>();
        self.by_function.entry(key).or_default().push(format!(
            "  {}\n    BEAM {}\n    ours {}\n",
            cut(call.to_string()),
            cut(theirs.to_string()),
            cut(ours.to_string())
        ));
    }

    pub fn n_cases(&self) -> usize {
        self.n_cases
    }

    /// Prints the number of compared cases.
    ///
    /// # Panics
    /// If there is a difference, or nothing was compared.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "a test tells how much it compared")]
    pub fn expect_no_difference(mut self) {
        assert!(0 < self.n_cases, "nothing was compared");
        let n_different: usize = self.by_function.values().map(Vec::len).sum();
        let mut text = format!("{n_different} of {} cases differ\n", self.n_cases);
        for ((module, function, arity), differences) in &self.by_function {
            writeln!(text, "{module}:{function}/{arity}: {}", differences.len()).expect("fits");
            let left = MAX_SHOWN.saturating_sub(self.n_shown).min(MAX_SHOWN_EACH);
            for difference in differences.iter().take(left) {
                text.push_str(difference);
                self.n_shown += 1;
            }
        }
        println!("{} cases", self.n_cases);
        assert!(n_different == 0, "{text}");
    }
}
