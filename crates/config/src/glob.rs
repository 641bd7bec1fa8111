//! Patterns with wildcards, for paths of files and for names.
//!
//! There are two syntaxes, because names of units and reasons of findings contain `/`, `{` and `[`, which have a
//! meaning in patterns of paths: in `{badmatch,*}` only the star is special.

use globset::{GlobBuilder, GlobMatcher};
use std::fmt::{Display, Formatter};

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Glob {
    text: String,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    Path(GlobMatcher),
    Name,
}

/// Why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadGlob {
    /// The text is empty and would match nothing.
    Empty,
    /// A bracket or a brace is wrong; the text says how.
    Malformed(String),
}

impl Display for BadGlob {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            BadGlob::Empty => write!(f, "it is empty"),
            BadGlob::Malformed(how) => write!(f, "{how}"),
        }
    }
}

impl std::error::Error for BadGlob {}

impl Glob {
    /// Compiles a pattern for paths: `*` and `?` stay within a directory, `**` matches any number of directories,
    /// `[abc]` is one of the characters, `{erl,hrl}` one of the words.
    pub fn path(text: &str) -> Result<Glob, BadGlob> {
        let pattern = without_dot(text);
        if pattern.is_empty() {
            return Err(BadGlob::Empty);
        }
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|it| BadGlob::Malformed(it.kind().to_string()))?;
        Ok(Glob { text: text.to_owned(), matcher: Matcher::Path(glob.compile_matcher()) })
    }

    /// Compiles a pattern for names and other text: `*` matches anything, everything else matches itself.
    pub fn name(text: &str) -> Result<Glob, BadGlob> {
        if text.is_empty() {
            return Err(BadGlob::Empty);
        }
        Ok(Glob { text: text.to_owned(), matcher: Matcher::Name })
    }

    /// Returns the text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the whole text matches. A leading `./` of a path is ignored.
    pub fn matches(&self, text: &str) -> bool {
        match &self.matcher {
            Matcher::Path(matcher) => matcher.is_match(without_dot(text)),
            Matcher::Name => matches_stars(&self.text, text),
        }
    }
}

impl Display for Glob {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.text)
    }
}

fn without_dot(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Matches the pieces between the stars one after the other, each as early as possible, which leaves the most text for
/// the following pieces.
fn matches_stars(pattern: &str, text: &str) -> bool {
    let Some((first, others)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let (middle, last) = others.rsplit_once('*').unwrap_or(("", others));
    let Some(mut rest) = text.strip_prefix(first).and_then(|it| it.strip_suffix(last)) else {
        return false;
    };
    for piece in middle.split('*') {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{BadGlob, Glob};

    #[track_caller]
    fn check(glob: Result<Glob, BadGlob>, yes: &[&str], no: &[&str]) {
        let glob = glob.expect("a pattern");
        for text in yes {
            assert!(glob.matches(text), "{glob} should match {text}");
        }
        for text in no {
            assert!(!glob.matches(text), "{glob} should not match {text}");
        }
    }

    #[test]
    fn paths() {
        check(
            Glob::path("src/**"),
            &["src/a.erl", "src/a/b.erl", "./src/a.erl"],
            &["src", "lib/src/a.erl"],
        );
        check(Glob::path("src/*.erl"), &["src/a.erl"], &["src/a/b.erl", "src/a.hrl"]);
        check(
            Glob::path("**/test/*"),
            &["test/a.erl", "apps/x/test/a.erl"],
            &["test/a/b.erl", "mytest/a.erl"],
        );
        check(Glob::path("./src/**/a.erl"), &["src/a.erl", "src/x/y/a.erl"], &["a.erl"]);
        check(Glob::path("src/?.{erl,hrl}"), &["src/a.erl", "src/b.hrl"], &["src/ab.erl"]);
        check(Glob::path("src/[ab].erl"), &["src/a.erl"], &["src/c.erl"]);
    }

    #[test]
    fn names() {
        check(Glob::name("shop:total/1"), &["shop:total/1"], &["shop:total/10", "xshop:total/1"]);
        check(Glob::name("shop:*/1"), &["shop:total/1", "shop:'a/b'/1"], &["shop:total/2"]);
        check(Glob::name("*"), &["", "a:b/1"], &[]);
        check(Glob::name("*badarg*"), &["badarg", "{badarg,1}"], &["badar"]);
        check(Glob::name("{badmatch,*}"), &["{badmatch,[1]}", "{badmatch,}"], &["badmatch", "x"]);
        check(Glob::name("a*b*c"), &["abc", "axbybzc"], &["ac", "abcx", "acb"]);
        check(Glob::name("aa*aa"), &["aaaa", "aaxaa"], &["aaa"]);
        check(Glob::name("a**b"), &["ab", "a:b"], &["a"]);
        check(Glob::name("ok?/1"), &["ok?/1"], &["okx/1"]);
    }

    #[test]
    fn texts_that_are_no_pattern() {
        assert_eq!(Glob::path("./").expect_err("empty"), BadGlob::Empty);
        assert_eq!(Glob::name("").expect_err("empty"), BadGlob::Empty);
        assert_eq!(
            Glob::path("src/[a").expect_err("open").to_string(),
            "unclosed character class; missing ']'"
        );
    }
}
