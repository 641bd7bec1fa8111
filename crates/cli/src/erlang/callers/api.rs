//! Determines which functions a project documents for its users: from documentation chunks in `.beam` files, or from
//! comments and attributes in the source of Erlang modules.

use crate::erlang::project::{Module, Project};
use crate::erlang::unit::quoted;
use beam::Source;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use term::{Atom, Term, etf};

/// The state of the documentation of a function or a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doc {
    #[default]
    None,
    Shown,
    /// Hidden by `@doc false`, `%% @private`, `%% @hidden`, or `-doc hidden`.
    Hidden,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Documentation {
    pub(super) module: Doc,
    functions: BTreeMap<(Atom, usize), Doc>,
}

impl Documentation {
    pub(super) fn of(module: &Module) -> Documentation {
        let from_chunk = match &module.source {
            Some(Source::Beam(path)) => {
                fs::read(path).ok().and_then(|it| chunk(&it, *b"Docs").and_then(of_chunk))
            }
            Some(Source::Erl(_)) | None => None,
        };
        from_chunk.unwrap_or_else(|| match source_text(module) {
            Some(text) => of_source(&text, module),
            None => Documentation::default(),
        })
    }

    /// The documentation state of a function; a hidden module hides all its functions.
    pub(super) fn doc(&self, function: &Atom, arity: usize) -> Doc {
        let own = self.functions.get(&(function.clone(), arity)).copied().unwrap_or_default();
        match (self.module, own) {
            (Doc::Hidden, _) => Doc::Hidden,
            (Doc::None | Doc::Shown, own) => own,
        }
    }

    /// Whether any function is documented.
    pub(super) fn is_there(&self) -> bool {
        self.functions.values().any(|it| *it == Doc::Shown)
    }
}

/// The text of the project's files `README.md`, `README`.
#[derive(Clone, Debug, Default)]
pub(super) struct Manual {
    text: String,
}

/// How many directories above a module are searched for a README.
const MAX_ABOVE: usize = 6;

impl Manual {
    pub(super) fn of(project: &Project) -> Manual {
        let source = project.modules.iter().find_map(|it| it.source.as_ref());
        let Some(path) = source.and_then(|it| fs::canonicalize(it.path()).ok()) else {
            return Manual::default();
        };
        let is_manual = |it: &PathBuf| {
            let name = it.file_name().map(|it| it.to_string_lossy().to_lowercase());
            name.is_some_and(|it| it.starts_with("readme")) && it.is_file()
        };
        let manuals_in = |directory: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            entries.map(|it| it.path()).filter(is_manual).collect()
        };
        let above = path.ancestors().skip(1).take(MAX_ABOVE).map(manuals_in);
        let found = above.into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        let texts = found.iter().filter_map(|it| fs::read(it).ok());
        let texts = texts.map(|it| String::from_utf8_lossy(&it).into_owned());
        Manual { text: texts.collect::<Vec<_>>().join("\n") }
    }

    /// Whether the text names a function with its module: `module:function`.
    pub(super) fn names(&self, module: &Atom, function: &Atom) -> bool {
        let name = format!("{}:{}", quoted(module), quoted(function));
        let mut rest = self.text.as_str();
        let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '@';
        while let Some((before, after)) = rest.split_once(&name) {
            if !before.ends_with(is_word) && !after.starts_with(is_word) {
                return true;
            }
            rest = after;
        }
        false
    }
}

/// The source of an Erlang module, at the path that the compiler recorded.
fn source_text(module: &Module) -> Option<String> {
    let path = match &module.source {
        Some(Source::Erl(path)) => path.display().to_string(),
        Some(Source::Beam(_)) => {
            let is_source = |it: &&Term| {
                it.as_tuple().is_some_and(|it| it.first().and_then(Term::as_atom) == Some("source"))
            };
            let options = module.code.compile_info.as_list()?;
            let path = options.iter().find(is_source)?.as_tuple()?.get(1)?.as_list()?;
            let char = |it: &Term| char::from_u32(u32::try_from(it.as_int()?).ok()?);
            path.iter().map(char).collect::<Option<String>>()?
        }
        None => return None,
    };
    if !path.ends_with(".erl") {
        return None;
    }
    fs::read(path).ok().map(|it| String::from_utf8_lossy(&it).into_owned())
}

/// A chunk of a `.beam` file, which is an IFF form of type BEAM with chunks padded to four bytes.
fn chunk(bytes: &[u8], wanted: [u8; 4]) -> Option<&[u8]> {
    let mut rest = bytes.strip_prefix(b"FOR1")?.get(4..)?.strip_prefix(b"BEAM")?;
    while let Some((name, after)) = rest.split_first_chunk::<4>()
        && let Some((size, after)) = after.split_first_chunk::<4>()
    {
        let size = usize::try_from(u32::from_be_bytes(*size)).ok()?;
        if *name == wanted {
            return after.get(..size);
        }
        rest = after.get(size.next_multiple_of(4)..).unwrap_or_default();
    }
    None
}

/// `{docs_v1, Anno, Language, Format, ModuleDoc, Metadata, [{{Kind, Name, Arity}, Anno, Signature, Doc, _}]}`
fn of_chunk(bytes: &[u8]) -> Option<Documentation> {
    let docs = etf::decode(bytes).ok()?;
    let [_, _, _, _, module, _, entries] = docs.as_tuple()? else { return None };
    let doc = |it: &Term| match it.as_atom() {
        Some("hidden") => Doc::Hidden,
        Some(_) => Doc::None,
        None => Doc::Shown,
    };
    let entry = |it: &Term| {
        let [name, _, _, of, _] = it.as_tuple()? else { return None };
        let [kind, Term::Atom(name), arity] = name.as_tuple()? else { return None };
        let arity = usize::try_from(arity.as_int()?).ok()?;
        (kind.as_atom() == Some("function")).then(|| ((name.clone(), arity), doc(of)))
    };
    let functions = entries.as_list()?.iter().filter_map(entry).collect();
    Some(Documentation { module: doc(module), functions })
}

fn of_source(text: &str, module: &Module) -> Documentation {
    let (of_module, of_lines) = docs_of_lines(text);
    let functions = module.functions.iter().filter_map(|it| {
        let doc = of_lines.get(&it.position?.0)?;
        Some(((it.name.clone(), usize::try_from(it.arity).ok()?), *doc))
    });
    Documentation { module: of_module, functions: functions.collect() }
}

/// The documentation states of the module, and of functions by the line in which they begin.
fn docs_of_lines(text: &str) -> (Doc, BTreeMap<usize, Doc>) {
    let (mut of_module, mut of_lines) = (Doc::None, BTreeMap::new());
    let mut said = Doc::None;
    let mut lines = text.lines().enumerate().map(|(n, it)| (n + 1, it));
    while let Some((n, line)) = lines.next() {
        let line = line.trim_end();
        if line.starts_with('%') {
            said = said.and(of_comment(line));
            continue;
        }
        let is_attribute = line.starts_with('-');
        let is_function = line.starts_with(|it: char| it.is_lowercase() || it == '\'');
        if !is_attribute && !is_function {
            continue;
        }
        if let Some(rest) = line.strip_prefix("-doc") {
            said = said.and(of_attribute(rest));
        } else if let Some(rest) = line.strip_prefix("-moduledoc") {
            of_module = of_module.and(of_attribute(rest));
        } else if line.starts_with("-module(") {
            of_module = of_module.and(std::mem::take(&mut said));
        } else if is_function && said != Doc::None {
            of_lines.insert(n, std::mem::take(&mut said));
        }
        let is_block = is_attribute && line.ends_with("\"\"\"");
        let is_end = |it: &str| match is_block {
            true => it.trim_start().starts_with("\"\"\"") && it.trim_end().ends_with('.'),
            false => without_comment(it).trim_end().ends_with('.'),
        };
        if is_block || !is_end(line) {
            lines.by_ref().find(|it| is_end(it.1));
        }
    }
    (of_module, of_lines)
}

impl Doc {
    /// Joins two states; hidden takes precedence.
    fn and(self, other: Doc) -> Doc {
        match (self, other) {
            (Doc::Hidden, _) | (_, Doc::Hidden) => Doc::Hidden,
            (Doc::Shown, _) | (_, Doc::Shown) => Doc::Shown,
            (Doc::None, Doc::None) => Doc::None,
        }
    }
}

/// Reads a comment line of EDoc, whose tags are at the beginning of a line.
fn of_comment(line: &str) -> Doc {
    let text = line.trim_start_matches('%').trim_start();
    let Some(tag) = text.strip_prefix('@') else { return Doc::None };
    let end = tag.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(tag.len());
    match tag.get(..end) {
        Some("private" | "hidden") => Doc::Hidden,
        Some("doc" | "equiv" | "returns" | "param") => Doc::Shown,
        Some(_) | None => Doc::None,
    }
}

/// Reads the text after `-doc` or `-moduledoc`.
fn of_attribute(rest: &str) -> Doc {
    let value = rest.trim_start_matches(['(', ' ']);
    let is = |name: &str| {
        value.strip_prefix(name).is_some_and(|it| it.trim_start().starts_with(['.', ')']))
    };
    if is("hidden") || is("false") {
        Doc::Hidden
    } else if value.starts_with(['"', '<']) {
        Doc::Shown
    } else {
        Doc::None
    }
}

/// A line of Erlang without its comment.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match (c, quote) {
            ('\\', Some(_)) | ('$', None) => {
                let next = chars.next();
                // `$\n` is a single character.
                if c == '$' && next.is_some_and(|it| it.1 == '\\') {
                    chars.next();
                }
            }
            ('%', None) => return line.get(..at).unwrap_or(line),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_names_functions_with_their_modules() {
        let manual =
            Manual { text: "`shop:total/1`, see my_shop:buy(X) and shop:totals".to_owned() };
        let names =
            |module: &str, function: &str| manual.names(&Atom::new(module), &Atom::new(function));
        assert!(names("shop", "total") && names("my_shop", "buy"));
        assert!(!names("shop", "buy") && !names("shop", "tot"));
    }

    #[test]
    fn comments_and_attributes_say_what_is_hidden() {
        let text = r#"%% @private
%% % of a helper. @doc is no tag here
-module(m).
-export([f/1]).
-doc """
Text.
""".
f(X) -> "100%.",
    X.
%% @hidden
-spec g(integer()) ->
    integer().
g($%) -> 1;
g(1) -> 2.
h() -> 3.
-doc false.
i() -> 4.
%% @doc More.
%% @private
j() -> 5.
"#;
        let (module, lines) = docs_of_lines(text);
        assert_eq!(module, Doc::Hidden);
        let expected = [(8, Doc::Shown), (13, Doc::Hidden), (17, Doc::Hidden), (20, Doc::Hidden)];
        assert_eq!(lines, expected.into());
    }
}
