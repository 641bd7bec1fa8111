//! A Prolog source, loaded with its clauses under test.

use crate::diagnostic::Diagnostic;
use crate::prolog::{Files, no_file, notes, read};
use prolog::Machine;
use prolog::concolic::{Declaration, Inference, Program, declarations};
use std::path::{Path, PathBuf};

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) machine: Machine,
    pub(crate) files: Files,
    pub(crate) program: Program,
    pub(crate) inference: Inference,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn load(target: &str) -> Result<Source, Diagnostic> {
    let path = PathBuf::from(target);
    let Some(file) = read(&path) else { return Err(no_file(target)) };
    let mut files = Files::find();
    let mut machine = Machine::new(&mut files);
    let report = machine.load_marked(&file, &mut files);
    let program = machine.program(&report);
    let inference = Inference::of(&machine);
    let declarations = declarations(&file.text);
    let diagnostics = notes(&report);
    Ok(Source { path, machine, files, program, inference, declarations, diagnostics })
}

impl Source {
    /// The name of the file without its extension.
    pub(crate) fn stem(&self) -> String {
        self.path.file_stem().map_or("program".into(), |it| it.to_string_lossy().into_owned())
    }

    pub(crate) fn absolute(&self) -> PathBuf {
        self.path.canonicalize().unwrap_or_else(|_| Path::new(".").join(&self.path))
    }
}
