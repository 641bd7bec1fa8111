//! Paths relative to the directory of the run: reports are then equal on every machine, and code hosts find the lines
//! that they annotate.

use crate::data::Report;
use crate::finding::Finding;
use std::collections::BTreeMap;

impl Report {
    /// Makes the paths of files below `dir`, an absolute path, relative to it.
    pub fn shorten_paths(&mut self, dir: &str) {
        let prefix = format!("{}/", dir.trim_end_matches('/'));
        let modules = self.modules.iter_mut().map(|it| &mut it.file);
        let units = self.units.iter_mut();
        let findings = units.flat_map(|it| {
            shorten_file(&mut it.file, &prefix);
            it.findings.iter_mut()
        });
        modules.for_each(|it| shorten_file(it, &prefix));
        findings.for_each(|it| shorten_finding(it, &prefix));
        let sources = std::mem::take(&mut self.sources);
        let shortened = |(file, text): (String, String)| (shortened(file, &prefix), text);
        self.sources = sources.into_iter().map(shortened).collect::<BTreeMap<_, _>>();
    }
}

fn shorten_finding(finding: &mut Finding, prefix: &str) {
    let Finding { file, says, stack, reached, because, .. } = finding;
    shorten_file(file, prefix);
    reached.iter_mut().for_each(|it| shorten_file(&mut it.file, prefix));
    for text in says.iter_mut().chain(stack).chain([because]) {
        *text = shortened(std::mem::take(text), prefix);
    }
}

fn shorten_file(file: &mut Option<String>, prefix: &str) {
    *file = file.take().map(|it| shortened(it, prefix));
}

/// Returns a text without the prefix wherever a path begins with it.
fn shortened(text: String, prefix: &str) -> String {
    if !text.contains(prefix) {
        return text;
    }
    let mut res = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once(prefix) {
        res.push_str(before);
        // In `/other/home/me/shop`, the text `/home/me` is inside another path.
        let goes_on = res.ends_with(|c: char| c.is_alphanumeric() || "/._-".contains(c));
        res.push_str(if goes_on { prefix } else { "" });
        rest = after;
    }
    res.push_str(rest);
    res
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn only_whole_directories_are_left_out() {
        let check = |text: &str, expect: &str| {
            assert_eq!(shortened(text.to_owned(), "/home/me/"), expect);
        };
        check("/home/me/src/a.erl", "src/a.erl");
        check(
            "a:f/1 (/home/me/a.erl, line 1), b (/home/me/b.erl)",
            "a:f/1 (a.erl, line 1), b (b.erl)",
        );
        check("/other/home/me/a.erl", "/other/home/me/a.erl");
        check("/home/mei/a.erl", "/home/mei/a.erl");
    }
}
