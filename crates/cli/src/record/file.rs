//! The file that `gimlet record` writes and `gimlet test` reads: `.gimlet/recorded.json` in the project's directory.
//!
//! Arguments and results are in Erlang's syntax, so that people can read and edit them.

use crate::diagnostic::Diagnostic;
use crate::erlang::quoted;
use crate::explain::Code;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use term::{Atom, Style, Term, print, read_term};

/// The file's path relative to the project's directory.
pub(super) const FILE: &str = ".gimlet/recorded.json";

const VERSION: u64 = 1;

/// The calls that were observed while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording {
    pub(crate) command: Vec<String>,
    /// The calls of each function, by its name: `m:f/1`.
    pub(crate) functions: BTreeMap<String, Vec<Call>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) args: Vec<Term>,
    pub(crate) end: End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// The call returned. The value is `None` if it was too large, or a handle that has no meaning outside of its
    /// runtime.
    Value(Option<Term>),
    /// The call raised an exception of this class.
    Raised(Atom),
}

impl Eq for Call {}

impl PartialOrd for Call {
    fn partial_cmp(&self, other: &Call) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Call {
    /// Orders by the text of the arguments; of equal arguments, calls that returned come first.
    fn cmp(&self, other: &Call) -> std::cmp::Ordering {
        let key = |it: &Call| (text_of(&it.args), matches!(it.end, End::Raised(_)));
        key(self).cmp(&key(other))
    }
}

fn text_of(args: &[Term]) -> String {
    print(&Term::proper_list(args.to_vec()), Style::READABLE)
}

/// The key of a function in the file: `m:f/1`, quoted where needed.
pub(crate) fn name(module: &Atom, function: &Atom, arity: usize) -> String {
    format!("{}:{}/{arity}", quoted(module), quoted(function))
}

/// Returns the nearest recording: in the directory, or in one above it up to the root of its repository.
pub(crate) fn find(start: &Path) -> Option<PathBuf> {
    for dir in start.ancestors() {
        let file = dir.join(FILE);
        if file.is_file() {
            return Some(file);
        }
        if dir.join(".git").exists() {
            return None;
        }
    }
    None
}

impl Recording {
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir)?;
        }
        let call = |it: &Call| {
            let mut res = json!({ "args": text_of(&it.args) });
            let (key, value) = match &it.end {
                End::Value(Some(value)) => ("returns", Value::from(print(value, Style::READABLE))),
                End::Value(None) => ("returns", Value::Null),
                End::Raised(class) => ("raises", Value::from(class.as_str())),
            };
            if let Some(object) = res.as_object_mut() {
                object.insert(key.to_owned(), value);
            }
            res
        };
        let functions: serde_json::Map<String, Value> = self
            .functions
            .iter()
            .map(|(name, calls)| (name.clone(), calls.iter().map(call).collect()))
            .collect();
        let document =
            json!({ "gimlet_recorded": VERSION, "command": self.command, "functions": functions });
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        let beside = file.with_extension("json.new");
        fs::write(&beside, text + "\n")?;
        fs::rename(&beside, file)
    }

    pub(crate) fn read(file: &Path) -> Result<Recording, Diagnostic> {
        let bad = |why: String| {
            let title = format!("{} can't be used: {why}", file.display());
            Diagnostic::warning(Code::BadRecording, title)
                .hint("record again, or leave it aside with --no-recorded")
        };
        let bytes = fs::read(file).map_err(|it| bad(it.to_string()))?;
        let document: Value = serde_json::from_slice(&bytes).map_err(|it| bad(it.to_string()))?;
        if document.get("gimlet_recorded").and_then(Value::as_u64) != Some(VERSION) {
            return Err(bad("it is not a recording of this version of gimlet".to_owned()));
        }
        let words = document.get("command").and_then(Value::as_array);
        let words = words.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let mut functions = BTreeMap::new();
        let object = document.get("functions").and_then(Value::as_object);
        for (name, calls) in object.ok_or_else(|| bad("it has no functions".to_owned()))? {
            let calls: Option<Vec<Call>> =
                calls.as_array().and_then(|it| it.iter().map(read_call).collect());
            let calls =
                calls.ok_or_else(|| bad(format!("the calls of {name} are not readable")))?;
            functions.insert(name.clone(), calls);
        }
        Ok(Recording { command: words.collect(), functions })
    }

    pub(crate) fn calls(&self, module: &Atom, function: &Atom, arity: usize) -> &[Call] {
        let calls = self.functions.get(&name(module, function, arity));
        calls.map(Vec::as_slice).unwrap_or_default()
    }
}

fn read_call(call: &Value) -> Option<Call> {
    let args = read_term(call.get("args")?.as_str()?).ok()?.as_list()?.to_vec();
    let end = match (call.get("returns"), call.get("raises")) {
        (Some(Value::String(text)), _) => End::Value(Some(read_term(text).ok()?)),
        (Some(_), _) => End::Value(None),
        (None, class) => End::Raised(Atom::new(class?.as_str()?)),
    };
    Some(Call { args, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join(FILE);
        let args = ["[{a,\"ü\"},<<1,2>>]", "[#{k => fun lists:map/2}, 1.5]"];
        let call = |(text, end): (&str, End)| Call {
            args: read_term(text).expect("a term").as_list().expect("a list").to_vec(),
            end,
        };
        let ends = [End::Value(Some(Term::Int(1))), End::Raised(Atom::new("error"))];
        let calls = args.into_iter().zip(ends).map(call).collect();
        let functions = BTreeMap::from([("m:'F'/2".to_owned(), calls)]);
        let recording = Recording { command: vec!["rebar3".to_owned()], functions };
        recording.write(&file).expect("a written file");
        assert_eq!(Recording::read(&file), Ok(recording.clone()));
        assert_eq!(recording.calls(&Atom::new("m"), &Atom::new("F"), 2).len(), 2);
        assert_eq!(find(&dir.path().join("a/b")), Some(file));
    }

    #[test]
    fn a_damaged_file_is_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("recorded.json");
        for text in [
            "",
            "[]",
            r#"{"gimlet_recorded":2}"#,
            r#"{"gimlet_recorded":1}"#,
            r#"{"gimlet_recorded":1,"functions":{"m:f/1":[{"args":"[","returns":"1"}]}}"#,
        ] {
            fs::write(&file, text).expect("a written file");
            let told = Recording::read(&file).expect_err(text);
            assert!(told.title.contains("can't be used"), "{}", told.title);
        }
    }
}
