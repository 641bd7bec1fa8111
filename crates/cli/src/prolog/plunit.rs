//! Writes the tests as a plunit file whose tests `swipl -g run_tests -t halt` passes.

use crate::flow::{File, Output, Proof, shell_word};
use crate::prolog::expect::{Answers, Expectation};
use crate::prolog::explore::{Case, Explored, Verdict};
use crate::prolog::finding::Finding;
use crate::prolog::source::Source;
use crate::prolog::swipl::{LONGEST, Swipl, kept_facts, quoted};
use prolog::code::PredId;
use sandbox::Scratch;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Makes the file of tests for a source; `None` if it has no tests. If `swipl` is missing or the time is over, the
/// tests are written without running them.
pub(crate) fn file(
    to: &Output<'_, Source>,
    source: &Source,
    swipl: Option<&Swipl>,
    units: &[&Explored],
) -> Option<File> {
    let cases = cases(units);
    if cases.is_empty() {
        return None;
    }
    let program = source.absolute();
    let left_out = swipl.and_then(|it| failing(it, source, &program, &cases));
    // A run of the tests that was interrupted says nothing about them.
    let left_out = left_out.filter(|_| to.until.why_over().is_none());
    let proof = if left_out.is_some() { Proof::Passed } else { Proof::NotRun };
    let left_out = left_out.unwrap_or_default();
    let here = to.dir.canonicalize().unwrap_or_else(|_| to.dir.to_owned());
    let relative = relative(&program, &here);
    let name = format!("{}.plt", source.stem());
    let path = shell_word(&to.dir.join(&name).display().to_string());
    let run_with = format!("swipl -g run_tests -t halt {path}");
    let text = text(&relative, source, &cases, &left_out);
    Some(File::of_tests(name, text, run_with, proof))
}

/// Part of the first line of a file of tests, before the version.
const BY_GIMLET: &str = " by gimlet ";

/// Whether Gimlet wrote a file of tests.
pub(crate) fn is_own(text: &str) -> bool {
    text.lines().next().is_some_and(|it| it.starts_with("% Tests of ") && it.contains(BY_GIMLET))
}

/// A path relative to a directory, so that the tests can be committed with the program.
fn relative(path: &Path, from: &Path) -> PathBuf {
    let (path_parts, from_parts): (Vec<_>, Vec<_>) =
        (path.components().collect(), from.components().collect());
    let n_same = path_parts.iter().zip(&from_parts).take_while(|it| it.0 == it.1).count();
    // Only the root is shared: another disk, or another project.
    if n_same <= 1 {
        return path.to_owned();
    }
    let up = from_parts.iter().skip(n_same).map(|_| Component::ParentDir);
    up.chain(path_parts.iter().skip(n_same).copied()).collect()
}

/// The name of the plunit unit. It differs from a unit that the program itself has.
fn unit_name(source: &Source) -> String {
    let stem = source.stem();
    let text = fs::read_to_string(&source.path).unwrap_or_default();
    let own = [format!("begin_tests({}", quoted(&stem)), format!("begin_tests('{stem}'")];
    if own.iter().any(|it| text.contains(it)) { format!("{stem}_gimlet") } else { stem }
}

/// The names of all tests that do not pass cleanly, alone or after others; `None` if `swipl` can't be run.
fn failing<'c>(
    swipl: &Swipl,
    source: &Source,
    program: &Path,
    cases: &'c [(String, PredId, &Case)],
) -> Option<Vec<&'c str>> {
    let mut res: Vec<&str> = Vec::new();
    loop {
        let text = text(program, source, cases, &res);
        let failed = failed(swipl, source, &text, cases, &res)?;
        if failed.is_empty() {
            return Some(res);
        }
        res.extend(failed);
    }
}

/// The names of the tests that did not pass cleanly in one run; `None` if `swipl` can't be run.
fn failed<'c>(
    swipl: &Swipl,
    source: &Source,
    text: &str,
    cases: &'c [(String, PredId, &Case)],
    left_out: &[&str],
) -> Option<Vec<&'c str>> {
    let written = Scratch::new().and_then(|scratch| {
        let tests = scratch.path().join("tests.plt");
        fs::write(&tests, text)?;
        Ok((scratch, tests))
    });
    let args = ["-q", "-g", "run_tests", "-t", "halt"];
    let (scratch, tests) = written.ok()?;
    let (out, errors) = swipl.run(&args, source, &tests, scratch, LONGEST)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // `swipl` names a test only if it did not pass cleanly.
    let spoken: BTreeSet<&str> =
        out.split(|c| !is_word(c)).chain(errors.split(|c| !is_word(c))).collect();
    let names = cases.iter().map(|it| it.0.as_str());
    Some(names.filter(|it| spoken.contains(it) && !left_out.contains(it)).collect())
}

/// The tests to write, with their names.
fn cases<'e>(units: &[&'e Explored]) -> Vec<(String, PredId, &'e Case)> {
    let mut res = Vec::new();
    for unit in units {
        let plain = plain(&unit.name);
        for (n, case) in unit.tests.iter().enumerate() {
            if !matches!(case.verdict, Verdict::Differs(_)) {
                res.push((format!("{plain}_{}", n + 1), unit.pred, case));
            }
        }
    }
    res
}

/// Converts the name of a predicate to a part of a test's name.
fn plain(name: &str) -> String {
    let words: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    // Operators and quoted names are not valid unquoted atoms.
    let is_atom = words.starts_with(|c: char| c.is_lowercase());
    if is_atom { words } else { format!("p_{}", words.trim_start_matches('_')) }
}

fn text(
    program: &Path,
    source: &Source,
    cases: &[(String, PredId, &Case)],
    left_out: &[&str],
) -> String {
    let mut res = String::new();
    let program = program.display().to_string();
    let name = quoted(&unit_name(source));
    let version = env!("CARGO_PKG_VERSION");
    writeln!(res, "% Tests of {}{BY_GIMLET}{version}.", source.path.display()).ok();
    writeln!(res, "% Run them with: swipl -g run_tests -t halt {}.plt\n", source.stem()).ok();
    writeln!(res, ":- use_module(library(plunit)).").ok();
    let program = program.replace('\\', "\\\\").replace('\'', "\\'");
    writeln!(res, ":- ensure_loaded('{program}').\n").ok();
    writeln!(res, ":- begin_tests({name}).\n").ok();
    if !source.program.facts.is_empty() {
        writeln!(res, "% What goals add or take away is put back after each test.").ok();
        writeln!(res, "{}:- gimlet_keep.\n", kept_facts(source, "gimlet_")).ok();
    }
    for (name, pred, case) in cases {
        if left_out.contains(&name.as_str()) {
            continue;
        }
        if !case.completes.is_empty() {
            writeln!(res, "% {}", case.completes.join("; ")).ok();
        }
        res.push_str(&test_clause(source, name, *pred, case));
        res.push('\n');
    }
    writeln!(res, ":- end_tests({name}).").ok();
    res
}

/// Writes one test with its options.
fn test_clause(source: &Source, name: &str, pred: PredId, case: &Case) -> String {
    let is_module = source.program.module != "user";
    let qualified = |it: &str| match is_module {
        true => format!("{}:{it}", quoted(&source.program.module)),
        false => it.to_owned(),
    };
    let call = qualified(&case.call);
    let mut options: Vec<String> = Vec::new();
    let setup: Vec<String> = case.setup.iter().map(|it| qualified(it)).collect();
    match setup.as_slice() {
        [] => {}
        [one] => options.push(format!("setup({one})")),
        many => options.push(format!("setup(( {} ))", many.join(", "))),
    }
    if source.program.has_facts(pred) {
        options.push("cleanup(gimlet_put_back)".to_owned());
    }
    let (more, body) = test_text(case, &call);
    options.extend(more);
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", [{}]", options.join(", ")),
    };
    format!("test({name}{options}) :-\n    {body}.\n")
}

/// Writes the test that shows a finding.
pub(crate) fn of_finding(source: &Source, unit: &Explored, of: &Finding) -> Option<String> {
    let case = Case {
        setup: of.setup.clone(),
        args: of.args.clone(),
        call: of.call.clone(),
        results: of.results.clone(),
        expectation: of.expectation.clone()?,
        completes: Vec::new(),
        asks_outside: of.asks_outside,
        verdict: of.verdict.clone(),
        path: Vec::new(),
    };
    Some(test_clause(source, &plain(&unit.name), unit.pred, &case))
}

/// The options of a test and its body.
fn test_text(case: &Case, call: &str) -> (Option<String>, String) {
    let leaves_choice = !matches!(case.verdict, Verdict::Same { leaves_choice: false });
    match &case.expectation {
        Expectation::Fails => (Some("fail".to_owned()), anonymous(call, &case.results)),
        Expectation::Throws { ball, is_error } => {
            let ball = if *is_error { format!("error({ball}, _)") } else { ball.clone() };
            (Some(format!("throws({ball})")), anonymous(call, &case.results))
        }
        Expectation::Answers(answers) => answers_text(case, call, answers, leaves_choice),
    }
}

fn answers_text(
    case: &Case,
    call: &str,
    answers: &Answers,
    leaves_choice: bool,
) -> (Option<String>, String) {
    let compare = if answers.is_ground { "==" } else { "=@=" };
    let one = |it: &Vec<String>| match it.as_slice() {
        [only] => only.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let template = match case.results.as_slice() {
        [only] => only.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let all: Vec<String> = answers.values.iter().map(one).collect();
    let n = all.len();
    if 1 < n && !case.results.is_empty() && answers.in_any_order {
        if answers.is_open {
            let first = all.first().cloned().unwrap_or_default();
            return (None, format!("once(( {call}, {template} {compare} {first} ))"));
        }
        return (Some(format!("set({template} {compare} [{}])", all.join(", "))), call.to_owned());
    }
    if 1 < n && !case.results.is_empty() {
        let goal = if answers.is_open { format!("limit({n}, {call})") } else { call.to_owned() };
        let all = all.join(", ");
        return (Some(format!("all({template} {compare} [{all}])")), goal);
    }
    let is_nondet = leaves_choice || answers.is_open || 1 < n;
    let nondet = is_nondet.then(|| "nondet".to_owned());
    if case.results.is_empty() {
        return (nondet, call.to_owned());
    }
    let first = all.first().cloned().unwrap_or_default();
    let value = Some(format!("true({template} {compare} {first})"));
    let options: Vec<String> = value.into_iter().chain(nondet).collect();
    (Some(options.join(", ")), call.to_owned())
}

/// The call with anonymous variables for its results.
fn anonymous(call: &str, results: &[String]) -> String {
    let mut res = call.to_owned();
    for result in results {
        for (old, new) in [
            (format!("({result})"), "(_)".to_owned()),
            (format!("({result}, "), "(_, ".to_owned()),
            (format!(", {result})"), ", _)".to_owned()),
            (format!(", {result}, "), ", _, ".to_owned()),
        ] {
            res = res.replace(&old, &new);
        }
    }
    res
}
