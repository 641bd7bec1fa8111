//! Generates texts that match the regular expressions in a source, because the machine does not follow `re:run/3`
//! symbolically.
//!
//! A capture group is filled with each word of the source that it matches: `~r/(?<key>\w+)=(?<value>\w+)/` with the
//! words `mode` and `fast` gives `mode=fast`.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::parse;

/// The maximum number of texts that are generated for one regular expression.
const MAX_TEXTS: usize = 64;

/// The number of repetitions for an unbounded repetition.
const REPEATED: u32 = 1;

/// Returns texts that match a regular expression; none if it has parts that only PCRE knows.
pub(crate) fn matching(pattern: &str, words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    parse(pattern).map_or_else(|_| Vec::new(), |it| texts(&it, words))
}

fn texts(hir: &Hir, words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut res = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Class(class) => character(class).into_iter().collect(),
        HirKind::Repetition(it) => {
            let n = it.min.max(it.max.unwrap_or(REPEATED).min(REPEATED));
            let once = texts(&it.sub, words);
            once.iter().map(|it| it.repeat(usize::try_from(n).unwrap_or(0))).collect()
        }
        HirKind::Capture(it) => {
            let fitting = words.iter().filter(|word| ends(&it.sub, word, 0).contains(&word.len()));
            let mut res = texts(&it.sub, words);
            res.truncate(1);
            res.extend(fitting.cloned());
            res
        }
        HirKind::Alternation(parts) => parts.iter().flat_map(|it| texts(it, words)).collect(),
        HirKind::Concat(parts) => {
            let mut res = vec![Vec::new()];
            for part in parts {
                let next = texts(part, words);
                res = res
                    .iter()
                    .flat_map(|before: &Vec<u8>| next.iter().map(|it| [&**before, it].concat()))
                    .take(MAX_TEXTS)
                    .collect();
            }
            res
        }
    };
    res.truncate(MAX_TEXTS);
    res
}

/// Returns a character of a class: a letter or digit if it has one.
fn character(class: &Class) -> Option<Vec<u8>> {
    let has = |it: u32| match class {
        Class::Unicode(class) => class
            .iter()
            .any(|range| (u32::from(range.start())..=u32::from(range.end())).contains(&it)),
        Class::Bytes(class) => class
            .iter()
            .any(|range| (u32::from(range.start())..=u32::from(range.end())).contains(&it)),
    };
    let usual = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(' '..='~');
    let found = usual.chain(std::iter::once('\n')).find(|it| has(u32::from(*it)));
    let first = || match class {
        Class::Unicode(class) => class.iter().next().map(|it| it.start()),
        Class::Bytes(_) => None,
    };
    found.or_else(first).map(|it| it.to_string().into_bytes())
}

/// Returns the positions at which a match of the expression that begins at `from` may end. Anchors count as matching.
fn ends(hir: &Hir, text: &[u8], from: usize) -> Vec<usize> {
    let mut res = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![from],
        HirKind::Literal(literal) => {
            let is_there = text.get(from..).is_some_and(|it| it.starts_with(&literal.0));
            is_there.then_some(from + literal.0.len()).into_iter().collect()
        }
        HirKind::Class(class) => {
            let rest = text.get(from..).and_then(|it| std::str::from_utf8(it).ok());
            let next = rest.and_then(|it| it.chars().next());
            let is_in = |it: char| match class {
                Class::Unicode(class) => {
                    class.iter().any(|range| (range.start()..=range.end()).contains(&it))
                }
                Class::Bytes(class) => {
                    let byte = u8::try_from(u32::from(it));
                    byte.is_ok_and(|it| {
                        class.iter().any(|range| (range.start()..=range.end()).contains(&it))
                    })
                }
            };
            next.filter(|it| is_in(*it)).map(|it| from + it.len_utf8()).into_iter().collect()
        }
        HirKind::Capture(it) => ends(&it.sub, text, from),
        HirKind::Alternation(parts) => parts.iter().flat_map(|it| ends(it, text, from)).collect(),
        HirKind::Concat(parts) => {
            let step = |at: Vec<usize>, part: &Hir| {
                let mut res: Vec<usize> = at.iter().flat_map(|it| ends(part, text, *it)).collect();
                res.sort_unstable();
                res.dedup();
                res
            };
            parts.iter().fold(vec![from], step)
        }
        HirKind::Repetition(it) => {
            let mut res = if it.min == 0 { vec![from] } else { Vec::new() };
            let mut at = vec![from];
            let most = it.max.unwrap_or(u32::MAX);
            for n in 1..=most {
                at = at.iter().flat_map(|from| ends(&it.sub, text, *from)).collect();
                at.sort_unstable();
                at.dedup();
                // An empty repetition, and repetitions beyond the end of the text, add no further ends.
                if at.is_empty() || it.min < n && at.iter().all(|it| res.contains(it)) {
                    break;
                }
                if it.min <= n {
                    res.extend(&at);
                }
            }
            res
        }
    };
    res.sort_unstable();
    res.dedup();
    res
}

#[cfg(test)]
mod tests {
    use super::matching;

    fn check(pattern: &str, words: &[&str], expected: &[&str]) {
        let words: Vec<Vec<u8>> = words.iter().map(|it| it.as_bytes().to_vec()).collect();
        let found = matching(pattern, &words);
        let found: Vec<String> =
            found.into_iter().map(|it| String::from_utf8(it).expect("UTF-8")).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn texts_match_their_expression() {
        check(r"^\d{4}-\d{2}$", &[], &["0000-00"]);
        check(r"^(GET|POST) /", &[], &["GET /"]);
        check(r"^(GET|POST) /", &["POST", "PUT"], &["GET /", "POST /"]);
        check(r"#[0-9a-f]{3}", &[], &["#aaa"]);
        check(r"a|b*c", &[], &["a", "bc"]);
        check(r"(?=x)", &["x"], &[]);
    }

    #[test]
    fn groups_take_words() {
        check(
            r"^(?<key>[a-z]+)=(?<value>\w+)$",
            &["mode", "9", ""],
            &["a=a", "a=mode", "a=9", "mode=a", "mode=mode", "mode=9"],
        );
        check(r"(\d*)x", &["12", "x"], &["0x", "12x"]);
    }
}
