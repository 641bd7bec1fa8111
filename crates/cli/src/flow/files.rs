//! Writes the files of the output directory (tests, inputs, charts) and the reports in every format.

use crate::args::Test;
use crate::diagnostic::Diagnostic;
use crate::explain::Code;
use crate::flow::program::{File, Proof};
use ::report::{Format, Report, View, Written, WrittenKind, format_named};
use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// The directory of `--out`, and the files written to it.
#[derive(Debug)]
pub(super) struct OutputDirectory {
    dir: Option<PathBuf>,
    pub(super) written: Vec<Written>,
}

impl OutputDirectory {
    pub(super) fn new(dir: Option<&Path>) -> OutputDirectory {
        OutputDirectory { dir: dir.map(Path::to_owned), written: Vec::new() }
    }

    /// Writes the files and returns a diagnostic for each that can't be written. A file of tests that were not run
    /// does not replace one whose tests passed.
    pub(super) fn write(&mut self, files: Vec<File>) -> Vec<Diagnostic> {
        let Some(dir) = &self.dir else { return Vec::new() };
        let mut troubles = Vec::new();
        for File { kind, name, text, run_with, proof } in files {
            let path = dir.join(name);
            let text = if proof == Proof::NotRun { marked(&text) } else { text };
            // A file whose tests were run is not replaced by one whose tests were not.
            let has_better = || fs::read_to_string(&path).is_ok_and(|it| !says_not_run(&it));
            if proof == Proof::NotRun && has_better() {
                continue;
            }
            match put(&path, text.as_bytes()) {
                Ok(()) => {
                    let path = path.display().to_string();
                    self.written.push(Written { kind, path, run_with });
                }
                Err(error) => troubles.push(can_not_write(&path, &error)),
            }
        }
        troubles
    }
}

/// The second line of a file of tests that were not run.
const NOT_RUN: &str = "Written before the search was over. Nobody ran these tests: some may fail.";

/// Inserts [`NOT_RUN`] as the second line of a file of tests.
fn marked(text: &str) -> String {
    // The first line is a comment; its first word is the comment sign of the language.
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let comment = title.split(' ').next().unwrap_or_default();
    format!("{title}\n{comment} {NOT_RUN}\n{rest}")
}

fn says_not_run(text: &str) -> bool {
    text.lines().nth(1).is_some_and(|it| it.ends_with(NOT_RUN))
}

/// Writes `report.json` and `report.txt` to the output directory, and every `--report KIND=FILE`.
pub(super) fn write_reports(report: &mut Report, options: &Test) -> Vec<Diagnostic> {
    let in_dir = options.out.iter().flat_map(|dir| {
        [("json", "report.json"), ("text", "report.txt")]
            .map(|(kind, name)| (format_named(kind), dir.join(name)))
    });
    let named = options.report.iter().map(|it| (Some(it.format), it.file.clone()));
    let mut all: Vec<(&Format, PathBuf)> =
        in_dir.chain(named).filter_map(|(format, path)| Some((format?, path))).collect();
    let others = report.written.clone();
    let mut troubles = Vec::new();
    // A report lists all written files. If one can't be written, the others are written again without its name.
    loop {
        let own = all.iter().map(|(_, path)| {
            let path = path.display().to_string();
            Written { kind: WrittenKind::Report, path, run_with: None }
        });
        report.written = others.iter().cloned().chain(own).collect();
        let n_before = all.len();
        all.retain(|(format, path)| {
            let text = format.text(report, &View::default());
            let res = put(path, text.as_bytes());
            troubles.extend(res.as_ref().err().map(|it| can_not_write(path, it)));
            res.is_ok()
        });
        if all.len() == n_before {
            return troubles;
        }
    }
}

/// Makes the paths of files below the current directory relative to it.
pub(super) fn shorten_paths(report: &mut Report) {
    if let Some(dir) = std::env::current_dir().ok().as_deref().and_then(Path::to_str) {
        report.shorten_paths(dir);
    }
}

/// Writes a file atomically: after a full disk or a kill, the old contents are still there.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    // A device or a pipe can't be replaced by a renamed file, so it is written to directly.
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", process::id()));
    let part = path.with_file_name(name);
    let res = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if res.is_err() {
        drop(fs::remove_file(&part));
    }
    res
}

fn can_not_write(path: &Path, error: &io::Error) -> Diagnostic {
    let title = format!("{} can't be written: {error}", path.display());
    Diagnostic::new(Code::CanNotWrite, title)
}
