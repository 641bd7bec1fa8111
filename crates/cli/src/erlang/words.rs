//! Collects the texts and atoms in the source of a module: values that its functions may compare their inputs with.

use crate::erlang::code::{literal, node_kind, nodes};
use crate::erlang::regexes::matching;
use num_bigint::Sign;
use term::Term;

/// The maximum number of texts that are collected from a module.
const MAX_WORDS: usize = 60;

/// The maximum size in bytes of a binary segment that is taken for a text.
const MAX_BYTES: usize = 1000;

/// The maximum number of texts that are generated from the regular expressions of a module.
const MAX_MATCHING: usize = 120;

/// Returns the texts in the Core Erlang of a module, in the order of the source: literal binaries and strings, and the
/// literal beginnings of binary patterns; then texts that match its regular expressions.
pub(crate) fn words(core: &Term) -> Vec<Vec<u8>> {
    let mut res: Vec<Vec<u8>> = Vec::new();
    let mut patterns: Vec<String> = Vec::new();
    for node in nodes(core) {
        patterns.extend(pattern(node).filter(|it| !patterns.contains(it)));
        let found = match node.as_tuple() {
            Some([_, _, segments]) if node_kind(node) == Some("c_binary") => beginning(segments),
            _ => literal(node).and_then(text),
        };
        if let Some(word) = found.filter(|it| !it.is_empty() && !res.contains(it)) {
            res.push(word);
        }
    }
    // The source text of a regular expression rarely matches the expression, so it is not kept as a word.
    res.retain(|it| !patterns.iter().any(|pattern| pattern.as_bytes() == it));
    res.truncate(MAX_WORDS);
    let matching: Vec<_> = patterns.iter().flat_map(|it| matching(it, &res)).collect();
    res.extend(matching.into_iter().take(MAX_MATCHING));
    res
}

/// Returns the atoms in the patterns and guards of a module's clauses.
pub(crate) fn atoms(core: &Term) -> impl Iterator<Item = String> {
    let heads = nodes(core).filter_map(|it| match it.as_tuple()? {
        [_, _, patterns, guard, _] if node_kind(it) == Some("c_clause") => Some([patterns, guard]),
        _ => None,
    });
    let literals = heads.flatten().flat_map(nodes).filter_map(literal);
    literals.flat_map(nodes).filter_map(Term::as_atom).map(str::to_owned)
}

/// Returns the source of a regular expression that is a literal struct of Elixir or the argument of a call of the
/// module `re`. `None` for other nodes.
fn pattern(node: &Term) -> Option<String> {
    let bytes = match (literal(node), node.as_tuple()?) {
        (Some(Term::Map(pairs)), _) => {
            let get =
                |key: &str| pairs.iter().find(|it| it.0.as_atom() == Some(key)).map(|it| &it.1);
            let is_regex = get("__struct__").and_then(Term::as_atom) == Some("Elixir.Regex");
            get("source").filter(|_| is_regex)?.as_bytes()?.to_vec()
        }
        (None, [_, _, module, name, args]) if node_kind(node) == Some("c_call") => {
            let place = match literal(name)?.as_atom()? {
                "run" | "replace" | "split" => 1,
                "compile" => 0,
                _ => return None,
            };
            let is_re = literal(module)?.as_atom() == Some("re");
            text(literal(args.as_list().filter(|_| is_re)?.get(place)?)?)?
        }
        _ => return None,
    };
    String::from_utf8(bytes).ok()
}

/// Returns the bytes of a literal that is a binary or a list of printable characters; `None` for other literals.
fn text(value: &Term) -> Option<Vec<u8>> {
    if let Some(bytes) = value.as_bytes() {
        return Some(bytes.to_vec());
    }
    let chars = value.as_list()?.iter().map(|it| char::from_u32(u32::try_from(it.as_int()?).ok()?));
    let text: String = chars.collect::<Option<_>>()?;
    (!text.chars().any(char::is_control)).then(|| text.into_bytes())
}

/// Returns the bytes of the leading literal segments of a binary. The compiler joins the bytes of a text to one
/// big-endian integer.
fn beginning(segments: &Term) -> Option<Vec<u8>> {
    let bytes = |it: &Term| {
        let [_, _, value, size, unit, ..] = it.as_tuple()? else { return None };
        let n_bits = literal(size)?.as_int()?.checked_mul(literal(unit)?.as_int()?)?;
        let n_bytes = usize::try_from(n_bits).ok().filter(|it| it % 8 == 0)? / 8;
        if MAX_BYTES < n_bytes {
            return None;
        }
        let value = literal(value)?.clone();
        let value = if let Term::Big(value) = value { *value } else { value.as_int()?.into() };
        let digits = Some(value).filter(|it| it.sign() != Sign::Minus)?.to_bytes_be().1;
        let n_zeros = n_bytes.checked_sub(digits.len())?;
        Some([vec![0; n_zeros], digits].concat())
    };
    Some(segments.as_list()?.iter().map_while(bytes).flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::words;
    use term::read_term;

    #[test]
    fn texts_are_found_in_literals_and_patterns() {
        let core = read_term(
            r#"{c_case, [], {c_literal, [], <<"one">>}, [{c_binary, [],
                [{c_bitstr, [], {c_literal, [], 29815}, {c_literal, [], 16}, {c_literal, [], 1}, x, y},
                 {c_bitstr, [], {c_literal, [], 111}, {c_literal, [], 8}, {c_literal, [], 1}, x, y},
                 {c_bitstr, [], {c_var, [], 'R'}, {c_literal, [], all}, {c_literal, [], 1}, x, y}]},
               {c_literal, [], "six"}, {c_literal, [], [1, 2]}, {c_literal, [], <<"one">>}]}"#,
        );
        let found = words(&core.expect("a term"));
        assert_eq!(found, [b"one".to_vec(), b"two".to_vec(), b"six".to_vec()]);
    }
}
