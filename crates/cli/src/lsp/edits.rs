//! The code action that adds a finding's test to a file of tests, which it creates if necessary.

use crate::lsp::found::FindingData;
use crate::lsp::place::uri_of;
use lsp_types::{
    CodeAction, CodeActionKind, CreateFile, CreateFileOptions, Diagnostic, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A test, and the file it is added to.
struct Suite {
    path: PathBuf,
    /// The text before the first test and the text after the last one.
    frame: (String, String),
    test: String,
}

/// Returns the action that adds the test of one of our diagnostics. `None` if it has no test, or the file has it
/// already.
pub(super) fn add_test(of: &Diagnostic) -> Option<CodeAction> {
    let shown: FindingData = serde_json::from_value(of.data.clone()?).ok()?;
    let suite = Suite::of(&shown)?;
    let has_it = fs::read_to_string(&suite.path).is_ok_and(|it| it.contains(&shown.id));
    if has_it {
        return None;
    }
    let title = format!("Add this test to {}", suite.path.file_name()?.to_string_lossy());
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![of.clone()]),
        edit: Some(suite.edit()?),
        ..CodeAction::default()
    })
}

impl Suite {
    fn of(shown: &FindingData) -> Option<Suite> {
        let FindingData { language, module, function, id, test, file } = shown;
        let dir = tests_beside(file);
        let word = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        Some(match language.as_str() {
            "erlang" => {
                let name = format!("{}_found_tests", word(module));
                let head =
                    format!("-module({name}).\n-include_lib(\"eunit/include/eunit.hrl\").\n");
                // The name of an Erlang function must begin with a lower-case letter, so `found_` comes first.
                let test = format!("\nfound_{}_{id}_test_() ->\n    {test}.\n", word(function));
                Suite { path: dir.join(format!("{name}.erl")), frame: (head, String::new()), test }
            }
            "elixir" => {
                let alias = module.strip_prefix("Elixir.").unwrap_or(module);
                let name = format!("{}_found_test.exs", underscored(alias));
                let head = format!("defmodule {alias}.FoundTest do\n  use ExUnit.Case\n");
                let test = format!("\n  test \"{function} {id}\" do\n    {test}\n  end\n");
                Suite { path: dir.join(name), frame: (head, "end\n".to_owned()), test }
            }
            "prolog" => {
                let stem = file.file_stem()?.to_string_lossy();
                let name = file.file_name()?.to_string_lossy();
                let unit = format!("{}_found", word(&stem).to_lowercase());
                let head = format!(
                    ":- use_module(library(plunit)).\n:- ensure_loaded('{name}').\n\n:- begin_tests({unit}).\n"
                );
                let frame = (head, format!("\n:- end_tests({unit}).\n"));
                let path = file.with_file_name(format!("{stem}_found.plt"));
                Suite { path, frame, test: format!("\n{}\n", test.trim_end()) }
            }
            _ => return None,
        })
    }

    /// Returns the edit that inserts the test before the closing text of the file.
    fn edit(&self) -> Option<WorkspaceEdit> {
        let (head, foot) = &self.frame;
        let uri = uri_of(&self.path)?;
        let known = fs::read_to_string(&self.path).ok();
        let (at, text) = match &known {
            Some(known) => {
                let kept = known.trim_end().strip_suffix(foot.trim()).unwrap_or(known).trim_end();
                let line = u32::try_from(kept.lines().count()).ok()?;
                (Position::new(line, 0), self.test.clone())
            }
            None => (Position::default(), format!("{head}{}{foot}", self.test)),
        };
        let edit = TextEdit { range: Range::new(at, at), new_text: text };
        let create = CreateFile {
            uri: uri.clone(),
            options: Some(CreateFileOptions { overwrite: None, ignore_if_exists: Some(true) }),
            annotation_id: None,
        };
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
        let edit = TextDocumentEdit { text_document, edits: vec![OneOf::Left(edit)] };
        let create = DocumentChangeOperation::Op(ResourceOp::Create(create));
        let changes = vec![create, DocumentChangeOperation::Edit(edit)];
        let document_changes = Some(DocumentChanges::Operations(changes));
        Some(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() })
    }
}

/// The directory of tests for a source file: `test` beside the nearest `src` or `lib` above it, else the file's own
/// directory.
fn tests_beside(file: &Path) -> PathBuf {
    let is_sources = |it: &&Path| it.ends_with("src") || it.ends_with("lib");
    let sources = file.ancestors().skip(1).find(is_sources);
    match sources.and_then(Path::parent) {
        Some(app) => app.join("test"),
        None => file.parent().unwrap_or(Path::new("")).to_owned(),
    }
}

/// Converts an alias to the name of a file: `Shop.Basket` to `shop_basket`.
fn underscored(alias: &str) -> String {
    let mut res = String::new();
    for c in alias.chars() {
        if c == '.' {
            res.push('_');
        } else if c.is_uppercase() && !res.is_empty() && !res.ends_with('_') {
            res.push('_');
            res.extend(c.to_lowercase());
        } else {
            res.extend(c.to_lowercase());
        }
    }
    res
}
