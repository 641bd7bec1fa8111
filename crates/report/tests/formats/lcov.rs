//! Tests of LCOV, which is read back by the crate `lcov` and by Debian's `genhtml`.

use crate::{awkward, samples, written};
use lcov::{Reader, Record};
use report::{FunctionShare, Report, View};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, process};

fn text(report: &Report) -> String {
    written("lcov", report, &View::default())
}

/// Returns the covered clauses by file and line, straight from the report.
fn expected(report: &Report) -> BTreeMap<&str, BTreeMap<u32, u64>> {
    let mut res: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for module in &report.modules {
        let Some(file) = &module.file else { continue };
        let lines = res.entry(file).or_default();
        for clause in module.lines.iter().filter(|it| it.line != 0) {
            *lines.entry(clause.line).or_default() += u64::from(clause.covered);
        }
    }
    res
}

/// The content of one record.
#[derive(Debug, Default)]
struct Read {
    lines: BTreeMap<u32, u64>,
    functions: BTreeMap<String, u32>,
    calls: BTreeMap<String, u64>,
    totals: BTreeMap<&'static str, u32>,
}

fn read(text: &str) -> BTreeMap<String, Read> {
    let mut res = BTreeMap::new();
    let mut now = (String::new(), Read::default());
    for record in Reader::new(text.as_bytes()) {
        match record.expect("a record") {
            Record::TestName { name } => assert_eq!(name, "gimlet"),
            Record::SourceFile { path } => now.0 = path.to_string_lossy().into_owned(),
            Record::FunctionName { name, start_line } => {
                assert!(now.1.functions.insert(name, start_line).is_none(), "twice");
            }
            Record::FunctionData { name, count } => {
                assert!(now.1.calls.insert(name, count).is_none(), "twice");
            }
            Record::LineData { line, count, .. } => {
                assert!(now.1.lines.insert(line, count).is_none(), "twice");
            }
            Record::FunctionsFound { found } => now.1.totals.extend([("FNF", found)]),
            Record::FunctionsHit { hit } => now.1.totals.extend([("FNH", hit)]),
            Record::LinesFound { found } => now.1.totals.extend([("LF", found)]),
            Record::LinesHit { hit } => now.1.totals.extend([("LH", hit)]),
            Record::EndOfRecord => {
                let (file, read) = std::mem::take(&mut now);
                assert!(res.insert(file, read).is_none(), "a file has one record");
            }
            other @ (Record::BranchData { .. }
            | Record::BranchesFound { .. }
            | Record::BranchesHit { .. }) => panic!("{other:?}"),
        }
    }
    res
}

#[test]
fn lines_and_their_hits_are_those_of_the_report() {
    for (name, report) in awkward::reports() {
        let read = read(&text(&report));
        let lines: BTreeMap<&str, BTreeMap<u32, u64>> =
            read.iter().map(|(file, it)| (file.as_str(), it.lines.clone())).collect();
        assert_eq!(lines, expected(&report), "{name}");
        for (file, it) in &read {
            let n_hit = it.lines.values().filter(|it| 0 < **it).count();
            assert_eq!(it.totals["LF"] as usize, it.lines.len(), "{name} {file}");
            assert_eq!(it.totals["LH"] as usize, n_hit, "{name} {file}");
        }
    }
}

#[test]
fn functions_and_their_calls_are_those_of_the_report() {
    for (name, report) in awkward::reports() {
        for (file, it) in read(&text(&report)) {
            let of_file: Vec<_> =
                report.modules.iter().filter(|it| it.file.as_ref() == Some(&file)).collect();
            let with_lines = of_file.iter().flat_map(|module| {
                module.functions.iter().filter(|function| {
                    module.lines.iter().any(|it| it.function == function.function && it.line != 0)
                })
            });
            let n_functions = with_lines.clone().count();
            let is_called = |it: &&FunctionShare| 0 < it.covered.max(it.entered.unwrap_or(0));
            let n_called = with_lines.filter(is_called).count();
            assert_eq!(it.functions.len(), n_functions, "{name} {file}");
            assert_eq!(it.totals["FNF"] as usize, n_functions, "{name} {file}");
            assert_eq!(it.totals["FNH"] as usize, n_called, "{name} {file}");
            let called = it.calls.values().filter(|it| 0 < **it).count();
            assert_eq!(called, n_called, "{name} {file}");
            assert!(it.functions.keys().eq(it.calls.keys()), "{name} {file}");
        }
    }
    let erlang = read(&text(&samples::erlang()));
    let functions: Vec<(&str, u32)> =
        erlang["src/example.erl"].functions.iter().map(|it| (it.0.as_str(), *it.1)).collect();
    assert_eq!(functions, [("cmp/1", 13), ("fcmp/1", 7), ("foo/1", 5), ("wait/0", 18)]);
}

#[test]
fn functions_of_modules_that_share_a_file_keep_apart() {
    let read = read(&text(&awkward::report()));
    let names: Vec<&str> =
        read["lib/two, modules: one.ex"].functions.keys().map(String::as_str).collect();
    assert_eq!(names, ["One.f/1", "One.g/0", "Two.f/1", "Two.g/0"]);
}

/// Checks the counts that `genhtml` prints.
#[test]
fn genhtml_counts_the_same() {
    for (name, report) in awkward::reports() {
        let expected = expected(&report);
        if expected.is_empty() {
            continue;
        }
        let printed = genhtml(&text(&report));
        let lines: Vec<u64> = expected.values().flat_map(|it| it.values().copied()).collect();
        let n_hit = lines.iter().filter(|it| 0 < **it).count();
        // The singular has no "s".
        let of_lines = format!("({n_hit} of {} line", lines.len());
        assert!(printed.contains(&of_lines), "{name}: no {of_lines} in\n{printed}");
        let read = read(&text(&report));
        let n_functions: usize = read.values().map(|it| it.functions.len()).sum();
        let called = read.values().flat_map(|it| it.calls.values()).filter(|it| 0 < **it).count();
        let of_functions = format!("({called} of {n_functions} function");
        assert!(printed.contains(&of_functions), "{name}: no {of_functions} in\n{printed}");
        assert!(!printed.to_lowercase().contains("warning"), "{name}:\n{printed}");
    }
}

#[test]
fn genhtml_shows_functions_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let report = samples::erlang();
    for (file, source) in &report.sources {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, source).expect("a file");
    }
    run_genhtml(dir.path(), &text(&report), &[]);
    let page = page_named(dir.path(), "example.erl.func.html").expect("a page of functions");
    for function in ["foo/1", "fcmp/1", "cmp/1", "wait/0"] {
        assert!(page.contains(&format!(">{function}</a>")), "no {function} in\n{page}");
    }
}

fn genhtml(text: &str) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    // The sources of the samples are not on the disk.
    run_genhtml(dir.path(), text, &["--no-sourceview"])
}

#[expect(clippy::disallowed_methods, reason = "the reader of this format is a program")]
fn run_genhtml(dir: &Path, text: &str, options: &[&str]) -> String {
    fs::write(dir.join("lcov.info"), text).expect("a file");
    let output = process::Command::new("genhtml")
        .args(["--output-directory", "out"])
        .args(options)
        .arg("lcov.info")
        .current_dir(dir)
        .output()
        .expect("genhtml runs; it is part of Debian's package lcov: apt-get install lcov");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let printed = format!("{stdout}{stderr}");
    assert!(output.status.success(), "genhtml does not take it:\n{printed}\n{text}");
    printed
}

/// Returns the text of the file with this name, anywhere in the directory.
#[expect(clippy::disallowed_methods, reason = "a test reads what genhtml wrote")]
fn page_named(dir: &Path, name: &str) -> Option<String> {
    fs::read_dir(dir).ok()?.flatten().find_map(|entry| match entry.path() {
        path if path.is_dir() => page_named(&path, name),
        path if path.ends_with(name) => fs::read_to_string(path).ok(),
        _ => None,
    })
}
