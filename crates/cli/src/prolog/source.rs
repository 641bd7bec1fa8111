//! A Prolog source with its clauses under test, and a machine that has loaded it.

use crate::confinement::Rights;
use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::Code;
use crate::prolog::tested::{TestedGoal, tested_goals};
use crate::prolog::{Files, no_file, notes, read};
use prolog::Machine;
use prolog::concolic::{Declaration, Inference, Program, declarations};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A source with the results of static analysis.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) program: Program,
    pub(crate) inference: Inference,
    pub(crate) declarations: Vec<Declaration>,
    /// The types that the program defines for `must_be/2`.
    pub(crate) own_types: Vec<(String, usize)>,
    /// The marks of clauses that no goal of the planned predicates can complete.
    pub(crate) impossible: BTreeSet<u32>,
    /// The goals in the program's own tests.
    pub(crate) tested: Vec<TestedGoal>,
    /// The effects and resources that are allowed to the SWI-Prolog that confirms findings.
    pub(crate) rights: Rights,
}

/// A machine that has loaded the source.
pub(crate) struct Session {
    pub(crate) source: Source,
    pub(crate) machine: Machine,
    pub(crate) files: Files,
    /// Mistakes in the source; the correct parts are loaded.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Session {
    pub(crate) fn load(target: &str) -> Result<Session, Diagnostic> {
        let path = PathBuf::from(target);
        let Some(file) = read(&path) else { return Err(no_file(target)) };
        let mut files = Files::find();
        let mut machine = Machine::new(&mut files);
        let report = machine.load_marked(&file, &mut files);
        let program = machine.program(&report);
        let inference = Inference::of(&machine);
        let declarations = declarations(&file.text);
        let own_types = machine.own_types();
        let mut diagnostics = notes(&report);
        // A declaration that we understand need not be valid Prolog syntax.
        let is_declared = |line: usize| declarations.iter().any(|it| it.line == line);
        for it in &mut diagnostics {
            let is_syntax = it.code == Code::BadSyntax;
            if is_syntax
                && it.place.as_ref().is_some_and(|it| it.origin == target && is_declared(it.line))
            {
                it.severity = Severity::Warning;
            }
        }
        let impossible = BTreeSet::new();
        let rights = Rights::default();
        let tested = tested_goals(&mut machine, &path, &file.text);
        let source = Source {
            path,
            program,
            inference,
            declarations,
            own_types,
            impossible,
            tested,
            rights,
        };
        Ok(Session { source, machine, files, diagnostics })
    }
}

impl Source {
    /// The file name without its extension.
    pub(crate) fn stem(&self) -> String {
        self.path.file_stem().map_or("program".into(), |it| it.to_string_lossy().into_owned())
    }

    /// Whether the file itself defines a predicate, as opposed to importing some.
    pub(crate) fn has_predicates(&self) -> bool {
        self.program.predicates.iter().any(|it| !it.is_foreign)
    }

    pub(crate) fn absolute(&self) -> PathBuf {
        self.path.canonicalize().unwrap_or_else(|_| Path::new(".").join(&self.path))
    }
}
