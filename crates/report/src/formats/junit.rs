//! JUnit: units as test cases, in the XML that continuous integration services read.
//!
//! There is a suite for each module and a case for each unit. A case fails if its unit has new findings that determine
//! its verdict; other findings are part of its output. The format has room for one failure in a case: the first finding
//! gives its type and message, the text contains all of them.

use super::printable::{on_one_line, printable};
use super::{Format, View};
use crate::data::{Report, Unit};
use crate::finding::{Finding, Status};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::io;
use std::time::Duration;

pub(super) const FORMAT: Format =
    Format { name: "junit", about: "units as test cases, for continuous integration", write };

fn write(report: &Report, _: &View, out: &mut dyn io::Write) -> io::Result<()> {
    let mut res = quick_junit::Report::new(&report.tool.name);
    res.set_time(Duration::from_millis(report.elapsed_ms));
    for units in by_module(report) {
        let name = suite_name(report, units.first().copied());
        let mut suite = TestSuite::new(attribute(&name));
        suite.set_time(units.iter().map(|it| Duration::from_millis(it.elapsed_ms)).sum());
        suite.add_test_cases(units.iter().map(|it| case(report, it, &name)));
        res.add_test_suite(suite);
    }
    res.serialize(out).map_err(io::Error::other)
}

/// Returns the units of each module, in the order in which the report first names the modules.
fn by_module(report: &Report) -> Vec<Vec<&Unit>> {
    let mut res: Vec<Vec<&Unit>> = Vec::new();
    for unit in &report.units {
        let mut known = res.iter_mut().rev();
        let known = known.find(|it| it.first().is_some_and(|it| is_of_same_module(it, unit)));
        match known {
            Some(units) => units.push(unit),
            None => res.push(vec![unit]),
        }
    }
    res
}

/// Whether two units are in the same module. All Prolog files without a module declaration have the module `user`, so
/// the file is compared, too.
fn is_of_same_module(left: &Unit, right: &Unit) -> bool {
    left.language == right.language && left.module == right.module && left.file == right.file
}

/// Returns the title of the module, or its plain name if the report does not list it.
fn suite_name(report: &Report, unit: Option<&Unit>) -> String {
    let Some(unit) = unit else { return String::new() };
    let mut modules = report.modules.iter();
    let module = modules.find(|it| {
        it.language == unit.language && it.module == unit.module && it.file == unit.file
    });
    module.map_or(&unit.module, |it| &it.title).clone()
}

fn case(report: &Report, unit: &Unit, suite: &str) -> TestCase {
    let (failing, others): (Vec<&Finding>, Vec<&Finding>) =
        unit.findings.iter().partition(|it| it.makes_verdict() && it.status == Status::New);
    let runtime = report.language(&unit.language).runtime;
    let mut res = TestCase::new(attribute(&unit.title), status(unit, &failing, &runtime));
    res.set_classname(attribute(suite));
    res.set_time(Duration::from_millis(unit.elapsed_ms));
    if let Some(file) = &unit.file {
        res.extra.insert("file".into(), attribute(file).into());
    }
    if !others.is_empty() {
        res.set_system_out(texts(&others, &runtime));
    }
    if let Some(trouble) = &unit.trouble {
        res.set_system_err(content(trouble));
    }
    res
}

/// Returns the status of a case. Findings take precedence over errors of the tool, since they are valid nevertheless.
fn status(unit: &Unit, failing: &[&Finding], runtime: &str) -> TestCaseStatus {
    if let Some(first) = failing.first() {
        let mut res = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let how = first.says.first().map_or(first.reason.as_str(), String::as_str);
        let message = if first.because.is_empty() { how } else { &first.because };
        res.set_type(first.kind.name()).set_message(attribute(message));
        res.set_description(texts(failing, runtime));
        return res;
    }
    if let Some(trouble) = &unit.trouble {
        let mut res = TestCaseStatus::non_success(NonSuccessKind::Error);
        res.set_type("trouble").set_message(attribute(trouble)).set_description(content(trouble));
        return res;
    }
    if unit.is_untried() {
        let mut res = TestCaseStatus::skipped();
        res.set_message("the search was ended before this unit had its turn");
        return res;
    }
    TestCaseStatus::success()
}

/// Returns findings separated by empty lines.
fn texts(findings: &[&Finding], runtime: &str) -> String {
    let texts: Vec<String> = findings.iter().map(|it| text(it, runtime)).collect();
    content(&texts.join("\n\n"))
}

/// Returns the call, the outcome, why it matters, and whether the real runtime agrees.
fn text(finding: &Finding, runtime: &str) -> String {
    let mut res = vec![finding.shown.clone()];
    res.extend(finding.says.iter().cloned());
    if let (Some(file), Some(line)) = (&finding.file, finding.line) {
        res.push(format!("at {file}:{line}"));
    }
    let status = match finding.status {
        Status::New => "",
        Status::Known => ", known from the baseline",
        Status::Ignored => ", ignored",
    };
    let (kind, level) = (finding.kind.name(), finding.level.title());
    res.push(format!("{kind}, {level}{status}: {}", finding.because));
    res.extend(finding.ignored_because.iter().map(|it| format!("ignored because: {it}")));
    res.push(match (&finding.unconfirmed_because, finding.confirmed) {
        (_, true) => format!("confirmed on {runtime}"),
        (Some(why), false) => format!("not confirmed: {why}"),
        (None, false) => "not confirmed".to_owned(),
    });
    res.push(format!("id {}", finding.id));
    res.join("\n")
}

/// Returns the content of an element. `quick_junit` drops tabs, and everything after an escape character.
fn content(text: &str) -> String {
    printable(text).replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ")
}

/// Returns the value of an attribute on one line, since ends of lines are not preserved there.
fn attribute(text: &str) -> String {
    on_one_line(text)
}
