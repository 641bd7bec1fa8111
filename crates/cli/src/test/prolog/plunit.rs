//! The tests as a file for plunit, which `swipl -g run_tests -t halt` was seen to pass.

use crate::test::prolog::expect::{Answers, Expectation};
use crate::test::prolog::explore::{Case, Verdict};
use crate::test::prolog::load::Source;
use crate::test::prolog::report::FileReport;
use crate::test::prolog::swipl::{Swipl, kept_facts, quoted};
use prolog::code::PredId;
use sandbox::Scratch;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Where it was written.
pub(crate) fn write(
    dir: &Path,
    source: &Source,
    swipl: Option<&Swipl>,
    file: &FileReport,
) -> Result<PathBuf, String> {
    let path = dir.join(format!("{}.plt", source.stem()));
    let failed = |error: std::io::Error| format!("{} can't be written: {error}", path.display());
    fs::create_dir_all(dir).map_err(failed)?;
    let mut left_out: Vec<String> = Vec::new();
    loop {
        let text = text(dir, source, file, &left_out);
        fs::write(&path, &text).map_err(failed)?;
        let Some(swipl) = swipl else { return Ok(path) };
        let args = ["-q", "-g", "run_tests", "-t", "halt"];
        let said = Scratch::new().ok().and_then(|it| swipl.run(&args, source, &path, it));
        let Some((out, errors)) = said else { return Ok(path) };
        let before = left_out.len();
        for (name, ..) in cases(file) {
            // A name that is spoken of did not simply pass.
            let is_named = |text: &str| {
                text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| it == name)
            };
            if !left_out.contains(&name) && (is_named(&errors) || is_named(&out)) {
                left_out.push(name);
            }
        }
        if left_out.len() == before {
            return Ok(path);
        }
    }
}

/// The tests that are worth writing, with their names.
fn cases(file: &FileReport) -> Vec<(String, PredId, &Case)> {
    let mut res = Vec::new();
    for unit in &file.units {
        let plain: String =
            unit.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        for (n, case) in unit.tests.iter().enumerate() {
            if !matches!(case.verdict, Verdict::Differs(_)) {
                res.push((format!("{plain}_{}", n + 1), unit.pred, case));
            }
        }
    }
    res
}

fn text(dir: &Path, source: &Source, file: &FileReport, left_out: &[String]) -> String {
    let mut res = String::new();
    let absolute = source.absolute();
    let here = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let program = match absolute.strip_prefix(&here) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => absolute.display().to_string(),
    };
    let name = quoted(&source.stem());
    writeln!(res, "% Tests of {} by gimlet {}.", file.path, env!("CARGO_PKG_VERSION")).ok();
    writeln!(res, "% Run them with: swipl -g run_tests -t halt {}.plt\n", source.stem()).ok();
    writeln!(res, ":- use_module(library(plunit)).").ok();
    let program = program.replace('\\', "\\\\").replace('\'', "\\'");
    writeln!(res, ":- ensure_loaded('{program}').\n").ok();
    writeln!(res, ":- begin_tests({name}).\n").ok();
    if !source.program.facts.is_empty() {
        writeln!(res, "% What goals add or take away is put back after each test.").ok();
        writeln!(res, "{}:- gimlet_keep.\n", kept_facts(source, "gimlet_")).ok();
    }
    let is_module = source.program.module != "user";
    for (name, pred, case) in cases(file) {
        if left_out.contains(&name) {
            continue;
        }
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
        writeln!(res, "test({name}{options}) :-\n    {body}.\n").ok();
    }
    writeln!(res, ":- end_tests({name}).").ok();
    res
}

/// The options of a test, and its body.
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

/// The call with results that nobody looks at.
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
