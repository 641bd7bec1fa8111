//! Converts a report into diagnostics, with the places that led to a finding, and into code lenses above functions.

use crate::lsp::place::{range_of, uri_of};
use crate::lsp::{EXPLORE, SHOW};
use ::report::{Finding, Kind, Level, Module, Report, Unit};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Range, Uri,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The results of testing one file.
#[derive(Debug, Default)]
pub(super) struct FileResults {
    /// The diagnostics with the file they are shown in and, for findings, the name of the unit.
    diagnostics: Vec<(PathBuf, Option<String>, Diagnostic)>,
    functions: Vec<FunctionCoverage>,
    /// The failing calls of each unit, by its name and arity.
    calls: BTreeMap<String, Vec<String>>,
}

/// A function of the file with its number of covered clauses and of all clauses.
#[derive(Debug)]
struct FunctionCoverage {
    /// Name and arity: `total/1`.
    name: String,
    line: u32,
    clauses: (usize, usize),
}

/// The data of a diagnostic that a code action needs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FindingData {
    pub(super) language: String,
    pub(super) module: String,
    /// Name and arity: `total/1`.
    pub(super) function: String,
    pub(super) id: String,
    /// A test of the finding, in the test language of the unit.
    pub(super) test: String,
    pub(super) file: PathBuf,
}

/// A cache of the source texts that a report names.
struct Texts<'a> {
    root: &'a Path,
    known: BTreeMap<PathBuf, String>,
}

impl Texts<'_> {
    fn path(&self, file: &str) -> PathBuf {
        let path = self.root.join(file);
        path.canonicalize().unwrap_or(path)
    }

    fn range(&mut self, path: &Path, line: u32) -> Range {
        if !self.known.contains_key(path) {
            let text = fs::read_to_string(path).unwrap_or_default();
            self.known.insert(path.to_owned(), text);
        }
        range_of(self.known.get(path).map_or("", String::as_str), line)
    }
}

impl FileResults {
    /// Converts a report on the file `of`; paths in the report are relative to `root`.
    pub(super) fn of(report: &Report, root: &Path, of: &Path) -> FileResults {
        let mut texts = Texts { root, known: BTreeMap::new() };
        let mut res = FileResults::default();
        let here = of.canonicalize().unwrap_or_else(|_| of.to_owned());
        let is_here =
            |it: &&Module| it.file.as_deref().is_some_and(|it| texts_path(root, it) == here);
        for module in report.modules.iter().filter(is_here) {
            res.functions.extend(functions(module));
            for clause in &module.uncovered {
                let message = format!("no run came here: {}", clause.why.meaning());
                let diagnostic = Diagnostic {
                    range: texts.range(&here, clause.line),
                    severity: Some(DiagnosticSeverity::HINT),
                    code: Some(NumberOrString::String("uncovered".to_owned())),
                    source: Some("gimlet".to_owned()),
                    message,
                    tags: Some(vec![DiagnosticTag::UNNECESSARY]),
                    ..Diagnostic::default()
                };
                res.diagnostics.push((of.to_owned(), None, diagnostic));
            }
        }
        for (unit, finding) in report.findings().filter(|it| it.1.same_as.is_none()) {
            if finding.level == Level::Refusal {
                continue;
            }
            let calls = res.calls.entry(plain_name(unit).to_owned()).or_default();
            calls.push(format!("{}: {}", finding.shown, finding.says.join(" ")));
            let first = first_line(report, unit);
            let Some((file, line)) = finding.file.clone().zip(finding.line).or(first) else {
                continue;
            };
            let path = texts.path(&file);
            let shown_in = if path == here { of.to_owned() } else { path.clone() };
            let diagnostic = diagnostic(unit, finding, (&path, line), &mut texts);
            res.diagnostics.push((shown_in, Some(unit.unit.clone()), diagnostic));
        }
        res
    }

    /// Adds the earlier results of all units other than `unit`, after a run that explored only `unit`.
    pub(super) fn keep_others(&mut self, before: FileResults, unit: &str) {
        let is_other = |it: &(PathBuf, Option<String>, Diagnostic)| {
            it.1.as_deref().is_none_or(|it| !is_named(it, unit))
        };
        // Coverage is taken from the earlier run, which explored all units.
        self.diagnostics.retain(|it| it.1.is_some());
        self.diagnostics.extend(before.diagnostics.into_iter().filter(is_other));
        self.functions = before.functions;
        for (name, calls) in before.calls {
            self.calls.entry(name).or_insert(calls);
        }
    }

    pub(super) fn diagnostics(&self) -> impl Iterator<Item = (&Path, &Diagnostic)> {
        self.diagnostics.iter().map(|it| (it.0.as_path(), &it.2))
    }

    /// The failing calls of a function, each with its outcome.
    pub(super) fn calls(&self, function: &str) -> Vec<String> {
        self.calls.get(function).cloned().unwrap_or_default()
    }

    /// Returns two lenses per function: a command to explore it, and its findings and coverage.
    pub(super) fn lenses(&self, uri: &Uri, path: &Path) -> Vec<CodeLens> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut res = Vec::new();
        for FunctionCoverage { name, line, clauses: (covered, total) } in &self.functions {
            let range = range_of(&text, *line);
            let lens = |title: String, command: &str| CodeLens {
                range,
                command: Some(Command {
                    title,
                    command: command.to_owned(),
                    arguments: Some(vec![uri.as_str().into(), name.as_str().into()]),
                }),
                data: None,
            };
            res.push(lens("explore".to_owned(), EXPLORE));
            let n = self.calls.get(name).map_or(0, Vec::len);
            let findings = match n {
                0 => "nothing found".to_owned(),
                1 => "1 finding".to_owned(),
                many => format!("{many} findings"),
            };
            res.push(lens(format!("{findings}, {covered}/{total} clauses covered"), SHOW));
        }
        res
    }
}

/// Returns the lens of a file that was not explored yet.
pub(super) fn unexplored(uri: &Uri) -> Vec<CodeLens> {
    let command = Command {
        title: "explore with gimlet".to_owned(),
        command: EXPLORE.to_owned(),
        arguments: Some(vec![uri.as_str().into()]),
    };
    vec![CodeLens { range: Range::default(), command: Some(command), data: None }]
}

fn texts_path(root: &Path, file: &str) -> PathBuf {
    let path = root.join(file);
    path.canonicalize().unwrap_or(path)
}

fn functions(module: &Module) -> Vec<FunctionCoverage> {
    let mut res: Vec<FunctionCoverage> = Vec::new();
    for it in &module.lines {
        let known = res.iter_mut().find(|known| known.name == it.function);
        let is_covered = usize::from(it.covered);
        match known {
            Some(FunctionCoverage { line, clauses: (covered, total), .. }) => {
                *line = (*line).min(it.line);
                *covered += is_covered;
                *total += 1;
            }
            None => {
                let (name, line) = (it.function.clone(), it.line);
                res.push(FunctionCoverage { name, line, clauses: (is_covered, 1) });
            }
        }
    }
    res
}

/// Name and arity of a unit: `total/1` of `shop:total/1`.
fn plain_name(unit: &Unit) -> &str {
    unit.unit.rsplit_once(':').map_or(unit.unit.as_str(), |it| it.1)
}

fn is_named(unit: &str, name: &str) -> bool {
    unit == name || unit.rsplit_once(':').is_some_and(|it| it.1 == name)
}

/// Returns the file and the first line of a unit's function.
fn first_line(report: &Report, unit: &Unit) -> Option<(String, u32)> {
    let module = report.modules.iter().find(|it| it.module == unit.module)?;
    let lines = module.lines.iter().filter(|it| it.function == plain_name(unit));
    Some((module.file.clone()?, lines.map(|it| it.line).min()?))
}

fn diagnostic(
    unit: &Unit,
    finding: &Finding,
    (path, line): (&Path, u32),
    texts: &mut Texts<'_>,
) -> Diagnostic {
    let severity = match (finding.kind, finding.level) {
        (Kind::Race, _) | (_, Level::Suspicious) => DiagnosticSeverity::WARNING,
        (_, Level::Promise) => DiagnosticSeverity::ERROR,
        (_, Level::Refusal) => DiagnosticSeverity::INFORMATION,
    };
    let reached =
        finding.reached.iter().filter_map(|it| Some((it.file.clone()?, it.line?, it.what.clone())));
    let frames = finding.stack.iter().skip(1).filter_map(|it| frame(it));
    let related = reached.chain(frames).filter_map(|(file, line, message)| {
        let path = texts.path(&file);
        let range = texts.range(&path, line);
        // Sources of OTP are seldom installed.
        path.is_file().then_some(())?;
        let location = Location { uri: uri_of(&path)?, range };
        Some(DiagnosticRelatedInformation { location, message })
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    let level = finding.level.title();
    let message =
        format!("{}\n{}\n{level}: {}", finding.shown, finding.says.join("\n"), finding.because);
    let data = finding.test.as_ref().and_then(|test| {
        let shown = FindingData {
            language: unit.language.clone(),
            module: unit.module.clone(),
            function: plain_name(unit).to_owned(),
            id: finding.id.clone(),
            test: test.clone(),
            file: texts.path(unit.file.as_deref()?),
        };
        serde_json::to_value(shown).ok()
    });
    Diagnostic {
        range: texts.range(path, line),
        severity: Some(severity),
        code: Some(NumberOrString::String(finding.kind.name().to_owned())),
        source: Some("gimlet".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        data,
        ..Diagnostic::default()
    }
}

/// Reads a stack frame of a report: `lists:foreach_1/2 lists.erl:1442`.
fn frame(text: &str) -> Option<(String, u32, String)> {
    let (function, place) = text.rsplit_once(' ')?;
    let (file, line) = place.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?, format!("called in {function}")))
}
