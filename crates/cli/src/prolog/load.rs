//! Loads the user's files into a machine, and reports their mistakes.

use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::Code;
use crate::prolog::files::{Files, read};
use ::report::Snippet;
use prolog::data::Record;
use prolog::{LoadReport, Machine, Note, Written};
use std::fs;
use std::path::Path;

/// A machine with loaded files.
pub(crate) struct Loaded {
    pub(crate) machine: Machine,
    pub(crate) files: Files,
    /// Mistakes in the sources; the correct parts are loaded.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The goals of `initialization(Goal, main)` directives.
    pub(crate) main: Vec<Record>,
    /// The output of directives.
    pub(crate) written: Vec<Written>,
}

pub(crate) fn load(targets: &[String]) -> Result<Loaded, Diagnostic> {
    let mut files = Files::find();
    let mut machine = Machine::new(&mut files);
    let mut diagnostics = Vec::new();
    let (mut written, mut main) = (Vec::new(), Vec::new());
    for target in targets {
        let Some(file) = read(Path::new(target)) else { return Err(no_file(target)) };
        let report = machine.load_program(&file, &mut files);
        written.extend(machine.written_since(0, 0));
        diagnostics.extend(notes(&report));
        main.extend(report.main);
    }
    Ok(Loaded { machine, files, diagnostics, main, written })
}

pub(crate) fn no_file(target: &str) -> Diagnostic {
    let path = Path::new(target);
    let title = if path.is_dir() {
        format!("{target} is a directory")
    } else if path.exists() {
        format!("{target} can't be read")
    } else {
        format!("there is no file {target}")
    };
    Diagnostic::new(Code::NoTarget, title).hint("paths are relative to the current directory")
}

pub(crate) fn notes(report: &LoadReport) -> Vec<Diagnostic> {
    let errors = report.errors.iter().map(|it| (it, Severity::Error));
    let warnings = report.warnings.iter().map(|it| (it, Severity::Warning));
    let mut all: Vec<(&Note, Severity)> = errors.chain(warnings).collect();
    all.sort_by_key(|it| (it.0.line, it.0.column));
    all.into_iter().map(|(note, severity)| diagnostic(note, severity)).collect()
}

fn diagnostic(note: &Note, severity: Severity) -> Diagnostic {
    let text = fs::read_to_string(&note.file).unwrap_or_default();
    let line = text.lines().nth(note.line.saturating_sub(1)).unwrap_or("").to_owned();
    let first = line.chars().take_while(|it| it.is_whitespace()).count() + 1;
    let (column, n_chars) = match note.column {
        0 => (first, line.trim().chars().count()),
        column => (column, 1),
    };
    let code = if note.column == 0 { Code::BadClause } else { Code::BadSyntax };
    let place = Snippet {
        origin: note.file.clone(),
        line: note.line,
        column,
        text: line,
        n_chars,
        label: String::new(),
    };
    Diagnostic { severity, ..Diagnostic::new(code, note.message.clone()).at(place) }
}
